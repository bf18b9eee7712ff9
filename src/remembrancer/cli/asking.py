"""The command that has the configured model answer from memory: ask."""

from collections.abc import AsyncIterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import line, moment, numbered, print_json, shown
from remembrancer.cli.reading import filtered
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.workers.citing import Answer

R = TypeVar("R")
_STREAM = "Print the answer as it comes; what holds of it is told at its end."


@click.command()
@click.argument("question")
@click.option("--limit", default=60, show_default=True, help="At most so many hits.")
@click.option("--max-tokens", default=1_500, show_default=True, help="Of what the model reads; the rest is left out.")
@click.option("--minimum-trust", default="untrusted", show_default=True, metavar="TRUST", help="untrusted or trusted.")
@click.option("--minimum-importance", default=0.0, show_default=True, metavar="SHARE", help="From 0 to 1.")
@click.option("--now", metavar="TIME", help="From when on words such as yesterday are read; now, if not given.")
@click.option("--profile", default="default", show_default=True, help="As recall has them.")
@filtered
@click.option("--since", metavar="DATE", help="Said or done on this day or later.")
@click.option("--until", metavar="DATE", help="Said or done on this day or before.")
@click.option("--as-of", metavar="TIME", help="Answer with what was known then.")
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
    tags: tuple[str, ...],
    sessions: tuple[str, ...],
    classifications: tuple[str, ...],
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
        "tags": tags,
        "sessions": sessions,
        "classifications": classifications,
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

    found = target.run(work, is_long=True)
    _print_notes(target, found.notes)
    if target.json:
        print_json(shapes.answer(found))
    else:
        _print_answer(found, streamed=stream)


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


def _print_notes(target: Target, notes: tuple[str, ...]) -> None:
    if not target.json:
        for note in notes:
            click.echo(f"note: {note}", err=True)


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


def _paid(found: "Answer") -> str:
    from remembrancer.model.price import dollars

    money = "at a price that is not known" if found.cost is None else f"{dollars(found.cost):f} USD"
    return f"{found.model}, {numbered(found.tokens, 'token')}, {money}"
