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
# What stands between the user and the host, or after the word.
_ADDRESS = re.compile(r"(?:postgres\w*:?/*|\w+://)[^:/@]*:(.+)@|.*\bpassword\s*=\s*(\S+)", re.DOTALL)


class Commands(click.Group):
    """Commands under one name."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click makes it, with what was typed kept for refusals."""
        given = tuple(args)
        with _refusing(given):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta[_GIVEN] = given
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with _refusing(ctx.meta[_GIVEN]):
            return super().invoke(ctx)


@contextmanager
def _refusing(given: tuple[str, ...]) -> Generator[None, None, None]:
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
        if secret := _ADDRESS.match(part):
            message = message.replace(secret[1] or secret[2], "***")
        if (shown := _shown(part)) != part:
            message = message.replace(part, shown).replace(repr(part)[1:-1], shown)
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"


def _shown(argument: str) -> str:
    return argument if len(argument) <= _LONGEST else argument[: _KEPT - 1] + "…"
