"""Commands for what was done: episodes list, record, signal, restore."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec

import click

from remembrancer.cli import shapes
from remembrancer.cli.describing import AUTHOR, CLASSIFICATION, IMPORTANCE, METADATA, SOURCE, mapping_given
from remembrancer.cli.output import line, moment, print_json, print_saved
from remembrancer.cli.target import AS_OF, CommandRefused, Target, targeted
from remembrancer.types.episode import Attributes, Entity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from remembrancer.memory import Memory
    from remembrancer.types.record import Episode
    from remembrancer.types.saved import Saved

P = ParamSpec("P")


def concerning(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command the options that say whom and what something done concerns."""
    for option in _CONCERNING:
        command = option(command)
    return command


_CONCERNING = (
    click.option("--key", help="An idempotency key: the same key again writes nothing."),
    click.option("--at", metavar="TIME", help="When it was done; now, if not given."),
    click.option("--session", help="The session it belongs to."),
    click.option(
        "--attribute",
        "attributes",
        multiple=True,
        metavar="NAME=VALUE",
        help="What can be counted of it: text, a number, true or false; may be repeated.",
    ),
    click.option(
        "--entity",
        "entities",
        multiple=True,
        metavar="TYPE:NAME",
        help="Who or what else it concerns, such as file:offer.pdf; may be repeated.",
    ),
    click.option("--contact", default="", metavar="NAME", help="Whom it concerns first."),
)


@click.group()
def episodes() -> None:
    """What was done: list and record episodes, signal feedback, restore compacted ones."""


@episodes.command("list")
@click.option("--contact", metavar="NAME", help='Only those that concern this one first; "" for nobody.')
@click.option("--tier", metavar="TIER", help="raw, weekly or monthly.")
@click.option("--since", metavar="DATE", help="Done on this day or later.")
@click.option("--until", metavar="DATE", help="Done on this day or before.")
@click.option("--superseded", is_flag=True, help="Also those that a compact record stands for.")
@click.option("--limit", default=20, show_default=True)
@AS_OF
@targeted
def list_(
    target: Target,
    contact: str | None,
    tier: str | None,
    since: str | None,
    until: str | None,
    superseded: bool,
    limit: int,
    as_of: str | None,
) -> None:
    """List episodes, the latest first."""
    first, last, then = moment(since), moment(until, end=True), moment(as_of, end=True)
    _print_episodes(
        target,
        target.run(
            lambda memory: memory.episodes.list(
                contact=contact, tier=tier, since=first, until=last, superseded=superseded, limit=limit, as_of=then
            )
        ),
    )


@episodes.command()
@click.argument("summary")
@click.option(
    "--event",
    default="action_completed",
    show_default=True,
    metavar="EVENT",
    help="action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or"
    " user_correction.",
)
@click.option(
    "--outcome",
    metavar="OUTCOME",
    help="done, approved, rejected, modified or exception; that of the event, if not given.",
)
@concerning
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@METADATA
@IMPORTANCE
@AUTHOR
@SOURCE
@CLASSIFICATION
@targeted
def record(
    target: Target,
    summary: str,
    event: str,
    outcome: str | None,
    contact: str,
    entities: tuple[str, ...],
    attributes: tuple[str, ...],
    session: str | None,
    at: str | None,
    key: str | None,
    tags: tuple[str, ...],
    metadata: str | None,
    importance: float | None,
    author: str,
    source: str,
    classification: str | None,
) -> None:
    """Record what was done, in 1 to 100 characters: what was done, not the content."""
    when, concerned, counted = moment(at), _entities(entities), _attributes(attributes)
    described = mapping_given(metadata)

    async def work(memory: "Memory") -> "Saved[Episode]":
        saved = await memory.episodes.record(
            summary,
            event=event,
            outcome=outcome,
            contact=contact,
            entities=concerned,
            attributes=counted,
            session=session,
            occurred_at=when,
            tags=tags,
            author=author,
            source=source,
            metadata=described,
            importance=importance,
            classification=classification,
            key=key,
        )
        await memory.upkeep.embed_soon()
        return saved

    print_saved(target, target.run(work, create=True))


@episodes.command()
@click.argument("type_", metavar="TYPE")
@click.argument("summary", default="")
@concerning
@AUTHOR
@targeted
def signal(
    target: Target,
    type_: str,
    summary: str,
    contact: str,
    entities: tuple[str, ...],
    attributes: tuple[str, ...],
    session: str | None,
    at: str | None,
    key: str | None,
    author: str,
) -> None:
    """Tell the detector of feedback that is no episode of its own.

    TYPE is draft_modified (with --attribute part=…), approval_rejected (reason), routed_differently (from, to),
    exception_surfaced or correction (did, changed_to).
    """
    when, concerned, counted = moment(at), _entities(entities), _attributes(attributes)
    saved = target.run(
        lambda memory: memory.episodes.signal(
            type_,
            summary,
            contact=contact,
            entities=concerned,
            attributes=counted,
            session=session,
            occurred_at=when,
            author=author,
            key=key,
        ),
        create=True,
    )
    print_saved(target, saved)


@episodes.command()
@click.argument("id")
@targeted
def restore(target: Target, id: str) -> None:
    """Bring back the episodes that a compact record stands for, in its place."""
    _print_episodes(target, target.run(lambda memory: memory.episodes.restore(id)))


def _print_episodes(target: Target, found: "Sequence[Episode]") -> None:
    if target.json:
        print_json([shapes.record(episode) for episode in found])
        return
    for episode in found:
        click.echo(line(episode))


def _entities(given: "Iterable[str]") -> tuple[Entity, ...]:
    return tuple(Entity(type=type_, name=name) for type_, name in (_pair(one, ":", "--entity") for one in given))


def _attributes(given: "Iterable[str]") -> Attributes:
    return {name: _scalar(value) for name, value in (_pair(one, "=", "--attribute") for one in given)}


def _pair(given: str, sign: str, option: str) -> tuple[str, str]:
    name, found, value = given.partition(sign)
    if not (name and found and value):
        wanted = "TYPE:NAME" if sign == ":" else "NAME=VALUE"
        raise CommandRefused(f"{option} {given!r} is no {wanted}", 2)
    return name, value


def _scalar(text: str) -> str | int | float | bool:
    """A number or a truth as JSON writes it; else the text itself."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float | str) else text
