"""Commands that look: recall, show, history, list, timeline, explain, diff, stats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.describing import mapping_given
from remembrancer.cli.output import factors_line, fields, line, moment, print_json, print_left_out, scope_line, shown
from remembrancer.cli.target import ALL_SCOPES, AS_OF, Target, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.resources.upkeep import Stats
    from remembrancer.search.query import Recalled
    from remembrancer.types.injection import Injected
    from remembrancer.types.page import Page
    from remembrancer.types.record import Json, Record

P = ParamSpec("P")


def in_size(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command the option that says how much it tells of each memory."""
    choices = click.Choice(["compact", "public"])
    told = "compact, about 100 tokens each, or public, which is all but the hash."
    return click.option("--size", type=choices, default="compact", show_default=True, metavar="SIZE", help=told)(
        command
    )


def filtered(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command the options that say of which memories it tells."""
    return _with(_FILTERS, command)


def in_time(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command that answers a question the options that say from what time, and as of when."""
    return _with(_TIMES, command)


def at_least(command: Callable[P, None]) -> Callable[P, None]:
    """Give a command that answers a question the options that say what its hits must have."""
    return _with(_MINIMA, command)


def _with(
    options: Sequence[Callable[[Callable[P, None]], Callable[P, None]]], command: Callable[P, None]
) -> Callable[P, None]:
    """A command with some options, told from the last one to the first."""
    for option in options:
        command = option(command)
    return command


def _mapping(_context: click.Context, _option: click.Parameter, text: str | None) -> "Mapping[str, Any] | None":
    return mapping_given(text)


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
        "--layer",
        "layers",
        multiple=True,
        metavar="LAYER",
        help="Only of this layer: episodic, semantic or reflective; may be repeated.",
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        metavar="KIND",
        help="message, observation, reflection, episode, signal, fact or procedure; may be repeated.",
    ),
    click.option(
        "--classification",
        "classifications",
        multiple=True,
        metavar="CLASS",
        help="Only of this class: public, internal, confidential or restricted; may be repeated.",
    ),
    click.option("--author", "authors", multiple=True, metavar="NAME", help="Only by this author; may be repeated."),
    click.option(
        "--source",
        "sources",
        multiple=True,
        metavar="SOURCE",
        help="Only from this source: tool, auto-capture, user, import, observer or detector; may be repeated.",
    ),
    click.option(
        "--metadata",
        metavar="JSON",
        callback=_mapping,
        help='Only with all of these names and values in its metadata: \'{"path": "a.py"}\'.',
    ),
)


_TIMES = (
    click.option("--as-of", metavar="TIME", help="Answer with what was known then."),
    click.option("--until", metavar="DATE", help="Said or done on this day or before."),
    click.option("--since", metavar="DATE", help="Said or done on this day or later."),
)
_MINIMA = (
    click.option("--minimum-importance", default=0.0, show_default=True, metavar="SHARE", help="From 0 to 1."),
    click.option(
        "--minimum-trust", default="untrusted", show_default=True, metavar="TRUST", help="untrusted or trusted."
    ),
)


@click.command()
@click.argument("question")
@click.option("--limit", default=5, show_default=True, help="At most so many hits.")
@at_least
@click.option(
    "--arm",
    "--arms",
    "arms",
    multiple=True,
    metavar="ARM",
    help="Search only so: lexical, semantic or temporal; may be repeated.",
)
@click.option("--now", metavar="TIME", help="From when on words such as yesterday are read; now, if not given.")
@click.option("--max-tokens", type=int, help="Leave out whole hits that would pass this.")
@click.option(
    "--profile",
    default="default",
    show_default=True,
    help="default, behavioural, search, session, lexical or semantic.",
)
@filtered
@in_time
@click.option("--factors", is_flag=True, help="Show why each hit ranks where it does.")
@click.option("--block", is_flag=True, help="Print the hits as a sealed block for a prompt.")
@click.option("--anyway", is_flag=True, help="Show the best hits even where recall would rather abstain.")
@click.option("--no-trace", is_flag=True, help="Do not count this reading.")
@click.option("--no-rerank", is_flag=True, help="Leave the order as it is ranked, and ask no reranker.")
@in_size
@targeted
def recall(
    target: Target,
    question: str,
    limit: int,
    max_tokens: int | None,
    profile: str,
    kinds: tuple[str, ...],
    types: tuple[str, ...],
    layers: tuple[str, ...],
    tags: tuple[str, ...],
    sessions: tuple[str, ...],
    classifications: tuple[str, ...],
    authors: tuple[str, ...],
    sources: tuple[str, ...],
    metadata: "Mapping[str, Any] | None",
    minimum_trust: str,
    minimum_importance: float,
    arms: tuple[str, ...],
    now: str | None,
    since: str | None,
    until: str | None,
    as_of: str | None,
    factors: bool,
    block: bool,
    anyway: bool,
    no_trace: bool,
    no_rerank: bool,
    size: str,
) -> None:
    """Find what answers a question, best first; or say that nothing does."""
    first, last, then = moment(since), moment(until, end=True), moment(as_of, end=True)
    present = moment(now)

    async def work(memory: "Memory") -> "tuple[Recalled, Injected]":
        recalled = await memory.recall(
            question,
            limit=limit,
            max_tokens=max_tokens,
            profile=profile,
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            since=first,
            until=last,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            minimum_trust=minimum_trust,
            minimum_importance=minimum_importance,
            arms=arms,
            now=present,
            as_of=then,
            abstain=not anyway,
            touch=not no_trace,
            rerank=not no_rerank,
        )
        return recalled, memory.contexts.block(recalled, max_tokens=max_tokens)

    recalled, sealed = target.run(work)
    if block or not target.json:
        for note in recalled.notes:
            click.echo(f"note: {note}", err=True)
    if block:
        print_left_out("hits", sealed.dropped)
        print_json({"block": sealed.text}) if target.json else click.echo(sealed.text)
    elif target.json:
        print_json(shapes.recalled(recalled, size=size))
    else:
        print_recalled(recalled, factors=factors, size=size)


@click.command()
@click.argument("id", required=False)
@click.option("--topic-key", metavar="KEY", help="What stands under this key, the nearest scope's, in place of an ID.")
@click.option("--as-of", metavar="TIME", help="How it read then.")
@click.option(
    "--size",
    default="full",
    show_default=True,
    metavar="SIZE",
    help="compact, full, or public, which is all but the hash.",
)
@targeted
def show(target: Target, id: str | None, topic_key: str | None, as_of: str | None, size: str) -> None:
    """Show one memory, by its id or its topic key."""
    from remembrancer.types.forms import sized

    then = moment(as_of, end=True)

    async def work(memory: "Memory") -> "Mapping[str, Json]":
        return sized(await memory.get(id, topic_key=topic_key, as_of=then), size)

    found = target.run(work)
    if target.json:
        print_json(found)
    else:
        fields(_flat(found))


@click.command()
@click.argument("id", required=False)
@click.option("--topic-key", metavar="KEY", help="Of what stands under this key, in place of an ID.")
@targeted
def history(target: Target, id: str | None, topic_key: str | None) -> None:
    """Every version of a memory, oldest first: since when it read so, who said it, and from where that came."""
    found = target.run(lambda memory: memory.history(id, topic_key=topic_key))
    if target.json:
        print_json([shapes.version(version) for version in found])
        return
    for version in found:
        who = ", ".join(filter(None, (version.record.author, version.record.source.value)))
        click.echo(
            f"{times.minute(version.since)}  revision {version.record.revision}, {version.record.status.value}"
            f"  {shown(who)}: {shown(version.record.text)}"
        )


@click.command("list")
@filtered
@in_size
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help="What is live, if not given: active, and raw for episodes."
    " There are active, raw, buffered, paused, merged, quarantined, rejected, demoted, dismissed, contradicted,"
    " superseded_raw, superseded_tier1, retired, archived or soft-deleted; may be repeated.",
)
@click.option("--since", metavar="DATE", help="Said or done on this day or later.")
@click.option("--until", metavar="DATE", help="Said or done on this day or before.")
@click.option("--limit", default=20, show_default=True)
@click.option("--cursor", help="Go on where the page before ended.")
@ALL_SCOPES
@AS_OF
@targeted
def list_(
    target: Target,
    kinds: tuple[str, ...],
    types: tuple[str, ...],
    layers: tuple[str, ...],
    tags: tuple[str, ...],
    sessions: tuple[str, ...],
    statuses: tuple[str, ...],
    classifications: tuple[str, ...],
    authors: tuple[str, ...],
    sources: tuple[str, ...],
    metadata: "Mapping[str, Any] | None",
    since: str | None,
    until: str | None,
    limit: int,
    cursor: str | None,
    as_of: str | None,
    size: str,
    all_scopes: bool,
) -> None:
    """List memories, newest first by when they were said or done."""
    first, last, then = moment(since), moment(until, end=True), moment(as_of, end=True)
    page = target.run(
        lambda memory: memory.list(
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            statuses=statuses,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            since=first,
            until=last,
            limit=limit,
            cursor=cursor,
            as_of=then,
            all_scopes=all_scopes,
        )
    )
    _print_page(target, page, size=size, all_scopes=all_scopes)


@click.command()
@click.argument("id", required=False)
@click.option("--before", default=5, show_default=True, help="So many before the memory.")
@click.option("--after", default=5, show_default=True, help="So many after it.")
@click.option("--since", metavar="DATE", help="Without an id: all from this day on.")
@click.option("--until", metavar="DATE", help="Without an id: all up to this day.")
@click.option("--limit", default=50, show_default=True)
@click.option("--cursor", help="Go on where the page before ended.")
@AS_OF
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
@click.option("--no-rerank", is_flag=True, help="Explain the order as it is ranked, and ask no reranker.")
@targeted
def explain(
    target: Target, question: str, id: str, limit: int, max_tokens: int | None, profile: str, no_rerank: bool
) -> None:
    """Say why a memory is recalled for a question, or why not."""
    found = target.run(
        lambda memory: memory.explain(
            question, id, limit=limit, max_tokens=max_tokens, profile=profile, rerank=not no_rerank
        )
    )
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


def print_recalled(recalled: "Recalled", *, factors: bool, size: str) -> None:
    """The hits, best first; or that nothing is likely to answer, with the nearest misses."""
    if recalled.abstained:
        click.echo(f"nothing here is likely to answer that (confidence {recalled.confidence:.2f})")
        if recalled.nearest:
            click.echo("the nearest misses:")
    for rank, hit in enumerate(recalled.hits or recalled.nearest, 1):
        click.echo(f"{rank:>2}. {hit.score:.3f}  {line(hit.record)}")
        _print_rest(hit.record, size=size)
        if hit.replaced:
            click.echo(f"          held until {times.day(hit.replaced.until)}, replaced by {hit.replaced.newer}")
        for one in hit.replaces:
            click.echo(f"          until {times.day(one.until)}: {one.value} ({one.older})")
        if factors:
            click.echo(f"          {factors_line(hit.factors)}")
    if recalled.dropped:
        click.echo(f"{recalled.dropped} more did not fit into the tokens")


def _print_rest(record: "Record", *, size: str) -> None:
    """Under the line of a memory what of it stands in no line."""
    from remembrancer.types.forms import Size, sized

    if size == Size.PUBLIC:
        fields(_flat(sized(record, size)))


def _print_page(target: Target, page: "Page", *, size: str = "compact", all_scopes: bool = False) -> None:
    if target.json:
        print_json(shapes.page(page, size=size, all_scopes=all_scopes))
        return
    for record in page.records:
        click.echo(line(record))
        if all_scopes:
            click.echo(f"          {scope_line(record.scope)}")
        _print_rest(record, size=size)
    if page.cursor:
        click.echo(f"more: --cursor {page.cursor}")
