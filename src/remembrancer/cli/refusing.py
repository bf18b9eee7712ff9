"""The group of commands whose refusals repeat no long argument and no password, and which an interrupt ends cleanly."""

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import click

from remembrancer.cli.errors import INTERRUPTED
from remembrancer.cli.target import CommandRefused

# Of an argument that is longer, so many characters are repeated; a path is shorter, and repeated whole.
_LONGEST = 200
_KEPT = 40
_LONGEST_MESSAGE = 2_000
_GIVEN = "remembrancer.given"
# What stands between the user and the host of an address, or after the word in one that is written in parts.
_ADDRESS = re.compile(r"(?:postgres\w{0,8}:?/{0,2}|\w{1,32}://)[^:/@\s]{0,200}:(.+)@", re.DOTALL)
_PART = re.compile(r"\bpassword\s{0,8}=\s{0,8}(\S+)")
_KEYWORD = re.compile(r"\b(?:host|hostaddr|port|dbname|user)\s{0,8}=")
# A shorter one would be found in every word of a message.
_SHORTEST_PASSWORD = 3


class Commands(click.Group):
    """Commands under one name."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click makes it, with what was typed kept for refusals."""
        given = tuple(args)
        with refusing(given):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[_GIVEN] = given
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with refusing(ctx.meta[_GIVEN]):
            return super().invoke(ctx)


@contextmanager
def refusing(given: tuple[str, ...]) -> Generator[None, None, None]:
    """Run what a command line asks for; a refusal repeats nothing long and no password of it."""
    try:
        yield
    except click.ClickException as refused:
        setattr(refused, "message", _told(refused.message, given))  # noqa: B010 -- click declares it a constant
        raise
    except KeyboardInterrupt:
        raise CommandRefused("interrupted", INTERRUPTED) from None


def _told(message: str, given: Iterable[str]) -> str:
    """A message without what is long or secret of the arguments that it repeats."""
    parts = {part for argument in given for part in (argument, argument.partition("=")[2]) if part}
    for part in sorted(parts, key=len, reverse=True):
        for secret in _passwords(part):
            message = message.replace(part, part.replace(secret, "***"))
            message = message.replace(secret, "***") if len(secret) >= _SHORTEST_PASSWORD else message
        if (shown := _shown(part)) != part:
            message = message.replace(part, shown).replace(repr(part)[1:-1], shown)
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"


def _passwords(argument: str) -> list[str]:
    """The passwords in an address of a database, in whichever form that is written."""
    address = _ADDRESS.match(argument)
    parts = [found[1] for found in _PART.finditer(argument)] if _KEYWORD.search(argument) else []
    return [*([address[1]] if address else []), *parts]


def _shown(argument: str) -> str:
    return argument if len(argument) <= _LONGEST else argument[: _KEPT - 1] + "…"
