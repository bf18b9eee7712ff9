"""Commands that look: recall, show, list, timeline, explain, diff, stats."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, ParamSpec, cast

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import factors_line, fields, line, moment, print_json
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.doors.upkeep import Stats
    from remembrancer.memory import Memory
    from remembrancer.model.page import Page
    from remembrancer.model.record import Json
    from remembrancer.retrieval.query import Recalled

P = ParamSpec("P")


def filtered(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command the options that say of which memories it tells."""
    for option in _FILTERS:
        command = option(command)
    return command


_FILTERS = (
    click.option("--session", "sessions", multiple=True, help="Only of this session; may be repeated."),
    click.option("--tag", "tags", multiple=True, help="Only with this tag; may be repeated."),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="TYPE",
        help="Only observations of this type: profile, preference, decision, pattern, discovery or summary; may be"
        " repeated.",
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        metavar="KIND",
        help="message, observation, reflection, episode, signal, fact or procedure; may be repeated.",
    ),
)


@click.command()
@click.argument("question")
@click.option("--limit", default=5, show_default=True, help="At most so many hits.")
@click.option("--max-tokens", type=int, help="Leave out whole hits that would pass this.")
@click.option(
    "--profile",
    default="default",
    show_default=True,
    help="default, behavioural, search, session, lexical or semantic.",
)
@filtered
@click.option("--since", metavar="DATE", help="Said or done on this day or later.")
@click.option("--until", metavar="DATE", help="Said or done on this day or before.")
@click.option("--as-of", metavar="TIME", help="Answer with what was known then.")
@click.option("--factors", is_flag=True, help="Show why each hit ranks where it does.")
@click.option("--block", is_flag=True, help="Print the hits as a sealed block for a prompt.")
@click.option("--anyway", is_flag=True, help="Show the best hits even where recall would rather abstain.")
@click.option("--no-trace", is_flag=True, help="Do not count this reading.")
@targeted
def recall(
    target: Target,
    question: str,
    limit: int,
    max_tokens: int | None,
    profile: str,
    kinds: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    sessions: tuple[str, ...],
    since: str | None,
    until: str | None,
    as_of: str | None,
    factors: bool,
    block: bool,
    anyway: bool,
    no_trace: bool,
) -> None:
    """Find what answers a question, best first; or say that nothing does."""
    first, last, then = moment(since), moment(until, end=True), moment(as_of, end=True)

    async def work(memory: "Memory") -> "tuple[Recalled, str]":
        recalled = await memory.recall(
            question,
            limit=limit,
            max_tokens=max_tokens,
            profile=profile,
            kinds=kinds,
            types=types,
            tags=tags,
            sessions=sessions,
            since=first,
            until=last,
            as_of=then,
            abstain=not anyway,
            touch=not no_trace,
        )
        return recalled, memory.block(recalled)

    recalled, sealed = target.run(work)
    if block or not target.json:
        for note in recalled.notes:
            click.echo(f"note: {note}", err=True)
    if block:
        print_json({"block": sealed}) if target.json else click.echo(sealed)
    elif target.json:
        print_json(shapes.recalled(recalled))
    else:
        _print_recalled(recalled, factors=factors)


@click.command()
@click.argument("id")
@click.option("--as-of", metavar="TIME", help="How it read then.")
@targeted
def show(target: Target, id: str, as_of: str | None) -> None:
    """Show one memory in full."""
    from remembrancer.model.forms import full

    then = moment(as_of, end=True)
    found = full(target.run(lambda memory: memory.get(id, as_of=then)))
    if target.json:
        print_json(found)
    else:
        fields(_flat(found))


@click.command("list")
@filtered
@click.option(
    "--status",
    "statuses",
    multiple=True,
    default=("active",),
    show_default=True,
    metavar="STATUS",
    help="active, raw, buffered, paused, merged, quarantined, rejected, demoted, dismissed, contradicted,"
    " superseded_raw, superseded_tier1, retired, archived or soft-deleted; may be repeated.",
)
@click.option("--since", metavar="DATE", help="Said or done on this day or later.")
@click.option("--until", metavar="DATE", help="Said or done on this day or before.")
@click.option("--limit", default=20, show_default=True)
@click.option("--cursor", help="Go on where the page before ended.")
@targeted
def list_(
    target: Target,
    kinds: tuple[str, ...],
    types: tuple[str, ...],
    tags: tuple[str, ...],
    sessions: tuple[str, ...],
    statuses: tuple[str, ...],
    since: str | None,
    until: str | None,
    limit: int,
    cursor: str | None,
) -> None:
    """List memories, newest first."""
    first, last = moment(since), moment(until, end=True)
    page = target.run(
        lambda memory: memory.list(
            kinds=kinds,
            types=types,
            tags=tags,
            sessions=sessions,
            statuses=statuses,
            since=first,
            until=last,
            limit=limit,
            cursor=cursor,
        )
    )
    _print_page(target, page)


@click.command()
@click.argument("id", required=False)
@click.option("--before", default=5, show_default=True, help="So many before the memory.")
@click.option("--after", default=5, show_default=True, help="So many after it.")
@click.option("--since", metavar="DATE", help="Without an id: all from this day on.")
@click.option("--until", metavar="DATE", help="Without an id: all up to this day.")
@click.option("--limit", default=50, show_default=True)
@click.option("--cursor", help="Go on where the page before ended.")
@click.option("--as-of", metavar="TIME", help="As it was known then.")
@targeted
def timeline(
    target: Target,
    id: str | None,
    before: int,
    after: int,
    since: str | None,
    until: str | None,
    limit: int,
    cursor: str | None,
    as_of: str | None,
) -> None:
    """What came before and after a memory; or, without an id, all between two dates."""
    first, last, then = moment(since), moment(until, end=True), moment(as_of, end=True)
    if id is None:
        page = target.run(lambda memory: memory.timeline.between(first, last, limit=limit, cursor=cursor, as_of=then))
        _print_page(target, page)
        return
    found = target.run(lambda memory: memory.timeline.around(id, before=before, after=after, as_of=then))
    if target.json:
        print_json(shapes.around(found))
        return
    for record in (*found.before, found.record, *found.after):
        click.echo(f"{'>' if record is found.record else ' '} {line(record)}")


@click.command()
@click.argument("question")
@click.argument("id")
@click.option("--limit", default=20, show_default=True)
@click.option("--max-tokens", type=int)
@click.option("--profile", default="default", show_default=True)
@targeted
def explain(target: Target, question: str, id: str, limit: int, max_tokens: int | None, profile: str) -> None:
    """Say why a memory is recalled for a question, or why not."""
    found = target.run(lambda memory: memory.explain(question, id, limit=limit, max_tokens=max_tokens, profile=profile))
    if target.json:
        print_json(asdict(found))
        return
    click.echo(f"{found.stage}: {found.reason}")
    if found.ranks:
        click.echo("ranks    " + "  ".join(f"{arm} {rank}" for arm, rank in found.ranks.items()))
    if found.factors:
        click.echo("factors  " + factors_line(found.factors))


@click.command()
@click.argument("earlier", metavar="TIME")
@click.argument("later", metavar="TIME")
@targeted
def diff(target: Target, earlier: str, later: str) -> None:
    """What was learnt, changed and retired between two times."""
    first, last = moment(earlier, end=True), moment(later, end=True)
    assert first is not None
    assert last is not None
    found = target.run(lambda memory: memory.timeline.diff(first, last))
    if target.json:
        print_json(shapes.diff(found))
        return
    for record in found.learnt:
        click.echo(f"+ {line(record)}")
    for change in found.changed:
        click.echo(f"< {line(change.before)}\n> {line(change.after)}")
    for record in found.retired:
        click.echo(f"- {line(record)}")


@click.command()
@targeted
def stats(target: Target) -> None:
    """The memory in numbers."""

    async def work(memory: "Memory") -> "Stats":
        return await memory.upkeep.stats()

    found = asdict(target.run(work))
    if target.json:
        print_json(found)
    else:
        fields(found)


def _flat(found: "Mapping[str, Json]") -> "dict[str, Json]":
    """A memory's full form with what its kind has in one row, each name and value once."""
    told = {name: value for name, value in found.items() if name not in ("snippet", "details")}
    details = cast("Mapping[str, Json]", found.get("details", {}))
    others = {name: value for name, value in details.items() if told.get(name) != value}
    return {**told, **{f"its {name}" if name in told else name: value for name, value in others.items()}}


def _print_recalled(recalled: "Recalled", *, factors: bool) -> None:
    if recalled.abstained:
        click.echo(f"nothing here is likely to answer that (confidence {recalled.confidence:.2f})")
        if recalled.nearest:
            click.echo("the nearest misses:")
    for rank, hit in enumerate(recalled.hits or recalled.nearest, 1):
        click.echo(f"{rank:>2}. {hit.score:.3f}  {line(hit.record)}")
        if factors:
            click.echo(f"          {factors_line(hit.factors)}")
    if recalled.dropped:
        click.echo(f"{recalled.dropped} more did not fit into the tokens")


def _print_page(target: Target, page: "Page") -> None:
    if target.json:
        print_json(shapes.page(page))
        return
    for record in page.records:
        click.echo(line(record))
    if page.cursor:
        click.echo(f"more: --cursor {page.cursor}")
