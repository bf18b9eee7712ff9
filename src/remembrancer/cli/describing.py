"""What a command says of a memory that it writes, beside its words."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import click

from remembrancer.cli.errors import exit_code
from remembrancer.cli.output import moment
from remembrancer.cli.target import CommandRefused
from remembrancer.cli.typed import text_given
from remembrancer.errors import InvalidInput

if TYPE_CHECKING:
    from remembrancer.types.record import Json

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What is said of a memory; `None` where nothing is.

    Args:
        at: when it was said or done.
    """

    classification: str | None
    importance: float | None
    metadata: "Mapping[str, Json] | None"
    author: str
    source: str
    at: datetime | None

    @property
    def named(self) -> dict[str, Any]:
        """The same as the library takes it."""
        return {
            "classification": self.classification,
            "importance": self.importance,
            "metadata": self.metadata,
            "author": self.author,
            "source": self.source,
            "occurred_at": self.at,
        }


def described(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that describe a memory; it gets them as one `Described`."""

    @wraps(command)
    def parsed(
        *args: Any,
        classification: str | None,
        importance: float | None,
        metadata: str | None,
        author: str,
        source: str,
        at: str | None,
        **kwargs: Any,
    ) -> None:
        told = Described(
            classification=classification,
            importance=importance,
            metadata=mapping_given(metadata),
            author=author,
            source=source,
            at=moment(at),
        )
        command(*args, described=told, **kwargs)

    for option in (AT, SOURCE, AUTHOR, METADATA, IMPORTANCE, CLASSIFICATION):
        parsed = option(parsed)
    return parsed


CLASSIFICATION = click.option(
    "--classification",
    type=click.Choice(["public", "internal", "confidential", "restricted"]),
    metavar="CLASS",
    help="public, internal, confidential or restricted; it is never lowered.",
)
VALID_UNTIL = click.option(
    "--valid-until",
    metavar="TIME",
    help="Until when it is valid, a date to its end; then it is archived, and in no recall any more.",
)
AUTHOR = click.option("--author", default="", metavar="NAME", help="Who says so: an agent, a tool or a person.")
SOURCE = click.option(
    "--source",
    default="user",
    show_default=True,
    metavar="SOURCE",
    help="What brought it in: user, tool, auto-capture, import, observer or detector.",
)
TRUST = click.option(
    "--trust", metavar="TRUST", help="trusted or untrusted, which is what a page or a tool said; it marks what is told."
)
AT = click.option("--at", metavar="TIME", help="When it was said or done; of something new, now, if not given.")
IMPORTANCE = click.option(
    "--importance", type=float, metavar="SHARE", help="From 0 to 1; of something new, 0.5, if not given."
)
KEY = click.option("--key", help="An idempotency key: the same key again writes nothing.")
METADATA = click.option("--metadata", metavar="JSON", help='What else is to be kept of it: \'{"path": "a.py"}\'.')


def mapping_given(text: str | None) -> "Mapping[str, Json] | None":
    """What `--metadata` holds.

    Raises:
        CommandRefused: it is no JSON object.
    """
    if text is None:
        return None
    found = _json(text)
    if isinstance(found, Mapping):
        return cast("Mapping[str, Json]", found)
    error = InvalidInput('--metadata is no JSON object; write it such as \'{"path": "a.py"}\'')
    raise CommandRefused(str(error), exit_code(error))


def objects_given(text: str | None, option: str) -> "Sequence[Mapping[str, Json]]":
    """What an option that takes a list of JSON objects holds, or standard input where it is `-`.

    Raises:
        CommandRefused: it is no such list.
    """
    if text is None:
        return ()
    found = _json(text_given(text))
    if isinstance(found, list) and all(isinstance(one, Mapping) for one in cast("list[object]", found)):
        return cast("Sequence[Mapping[str, Json]]", found)
    error = InvalidInput(f'{option} is no JSON list of objects; write it such as \'[{{"type": "text"}}]\'')
    raise CommandRefused(str(error), exit_code(error))


def _json(text: str) -> object:
    """What a text is as JSON; `None` where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
