"""Commands that have the configured model answer from memory: ask, execute."""

from collections.abc import AsyncIterable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import line, moment, numbered, print_json, print_notes, shown
from remembrancer.cli.reading import at_least, filtered, in_time, print_recalled
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.context.citations import Answer
    from remembrancer.context.reply import Executed
    from remembrancer.memory import Memory
    from remembrancer.search.query import Recalled

R = TypeVar("R")
_NO_MODEL = (
    "no model is configured, so nothing was done, and this shows what the task recalls; set REMEMBRANCER_MODEL to one,"
    " such as openai:gpt-5-nano"
)
_STREAM = "Print the answer as it comes; what holds of it is told at its end."


@click.command()
@click.argument("question")
@click.option("--limit", default=60, show_default=True, help="At most so many hits.")
@click.option("--max-tokens", default=1_500, show_default=True, help="Of what the model reads; the rest is left out.")
@at_least
@click.option("--now", metavar="TIME", help="From when on words such as yesterday are read; now, if not given.")
@click.option("--profile", default="default", show_default=True, help="As recall has them.")
@filtered
@in_time
@click.option("--stream", is_flag=True, help=_STREAM)
@click.option("--no-trace", is_flag=True, help="Do not count this reading.")
@targeted
def ask(
    target: Target,
    question: str,
    limit: int,
    max_tokens: int,
    minimum_trust: str,
    minimum_importance: float,
    now: str | None,
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
    since: str | None,
    until: str | None,
    as_of: str | None,
    stream: bool,
    no_trace: bool,
) -> None:
    """Answer a question from memory, with what it cites; or say that memory does not know.

    The configured model answers, and each citation is held against what it had read. Where nothing is recalled that is
    likely to answer, none is asked and nothing is paid. Without a model it prints what was recalled.
    """
    asked: dict[str, Any] = {
        "limit": limit,
        "max_tokens": max_tokens,
        "minimum_trust": minimum_trust,
        "minimum_importance": minimum_importance,
        "now": moment(now),
        "profile": profile,
        "kinds": kinds,
        "types": types,
        "layers": layers,
        "tags": tags,
        "sessions": sessions,
        "classifications": classifications,
        "authors": authors,
        "sources": sources,
        "metadata": metadata,
        "since": moment(since),
        "until": moment(until, end=True),
        "as_of": moment(as_of, end=True),
        "touch": not no_trace,
    }

    async def work(memory: "Memory") -> "Answer":
        if not stream:
            return await memory.ask(question, **asked)
        async with aclosing(memory.ask_stream(question, **asked)) as pieces:
            return await _printed(target, pieces)

    found = target.run(work)
    print_notes(target, found.notes)
    if target.json:
        print_json(shapes.answer(found))
    else:
        _print_answer(found, streamed=stream)


@click.command()
@click.argument("task")
@click.option("--session", help="Where both sides are recorded; else the unnamed session that is open.")
@click.option("--speaker", default="", help="The name of who gives the task.")
@click.option("--instructions", default="", help="What the model is told beside memory.")
@click.option("--contact", metavar="NAME", help="Whom it concerns: what was done is then that with this contact.")
@click.option("--reflect", is_flag=True, help="Keep what the task has taught, if anything, as a reflection.")
@click.option("--key", help="An idempotency key: the same task again under it is recorded once.")
@click.option("--stream", is_flag=True, help=_STREAM)
@targeted
def execute(
    target: Target,
    task: str,
    session: str | None,
    speaker: str,
    instructions: str,
    contact: str | None,
    reflect: bool,
    key: str | None,
    stream: bool,
) -> None:
    """Have the configured model do a task with what memory holds; both sides are recorded.

    On standard error it tells which memories were read, and what it took. Without a model it records nothing, and
    shows what the task recalls.
    """
    from remembrancer import Executed

    given: dict[str, Any] = {
        "session": session,
        "speaker": speaker,
        "instructions": instructions,
        "contact": contact,
        "reflect": reflect,
        "key": key,
    }

    async def work(memory: "Memory") -> "Executed | Recalled":
        if not memory.contexts.has_model:
            return await memory.recall(task)
        if not stream:
            return await memory.execute(task, **given)
        async with aclosing(memory.execute_stream(task, **given)) as pieces:
            return await _printed(target, pieces)

    found = target.run(work, create=True)
    print_notes(target, found.notes)
    if not isinstance(found, Executed):
        click.echo(f"note: {_NO_MODEL}", err=True)
        print_json(shapes.recalled(found)) if target.json else print_recalled(found, factors=False, size="compact")
        return
    if target.json:
        print_json(shapes.executed(found))
        return
    if not stream:
        click.echo(shown(found.text))
    if found.reflection:
        click.echo(f"reflected  {line(found.reflection)}", err=True)
    click.echo(f"read       {' '.join(found.memories) or 'no memory'}", err=True)
    click.echo(f"paid       {_paid(found)}", err=True)
    click.echo(f"all of it is kept in session {shown(found.session)}", err=True)


async def _printed(target: Target, pieces: "AsyncIterable[str | R]") -> R:
    """Print the pieces of an answer as they come; what comes last."""
    begun, last = False, None
    try:
        async for piece in pieces:
            if not isinstance(piece, str):
                last = piece
            elif target.json:
                print_json({"piece": piece})
            else:
                click.echo(shown(piece), nl=False)
                begun = True
    finally:
        if begun:
            click.echo()
    return cast("R", last)


def _print_answer(found: "Answer", *, streamed: bool) -> None:
    # Without a model the text is the lines that are cited; of a stream the text stands there, unless it does not hold.
    is_answer = bool(found.model) or not found.citations
    if is_answer and not (streamed and (found.known or not found.model)):
        click.echo(shown(found.text))
    for one in found.citations:
        click.echo(f"[{one.label}] {one.id}  {shown(one.line)}")
    if found.nearest:
        click.echo("the nearest misses:")
        for hit in found.nearest:
            click.echo(f"    {hit.score:.3f}  {line(hit.record)}")
    if found.model:
        click.echo(f"paid       {_paid(found)}", err=True)


def _paid(found: "Answer | Executed") -> str:
    from remembrancer.types.price import dollars

    money = "at a price that is not known" if found.cost is None else f"{dollars(found.cost):f} USD"
    return f"{found.model}, {numbered(found.tokens, 'token')}, {money}"
