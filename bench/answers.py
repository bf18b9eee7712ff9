"""What an agent is handed for a question: how often the evidence stands in what `context` serves.

    python -m bench.answers SET PATH [--tokens N] [--embedder NAME] [--only A,B] [--types 1,2] [--json]
        [--reader MODEL --judge MODEL --kept FILE]

A question is asked of a memory that holds its dialogue, without a conversation: at the defaults, and with 600, 1,500
and 3,000 tokens (or N) for what is recalled. any: at least one gold reference stands in the block; all: every one.
`tokens` are those of the whole block. `evidence` is the share of its recalled lines that are gold, `beside` of those
that are or stand next to one. Intervals are 95 % by bootstrap over dialogues.

With a reader and a judge, any models that the settings can name, it prints instead what share of the answers is right
from our block, from plain dense search of as many tokens, and from the whole conversation: see `bench.reading`.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import anyio

from bench.asking import in_turn, references
from bench.reading import MOST_TOKENS, Readers, read
from bench.reading import summary as reading_summary
from bench.retrieval import embedder_named, interval_of
from bench.sets import LOADERS, Dialogue, Question, load
from remembrancer import Budget, ContextRequest
from remembrancer.assembly.models import configured_prices, make_model
from remembrancer.context.slots import Slot, Slots
from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.providers.prices import PriceList
from remembrancer.memory import Memory
from remembrancer.settings import load_settings
from remembrancer.types.record import Record

BUDGETS = (600, 1_500, 3_000)
DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What one question brought into a block.

    Args:
        cluster: what the bootstrap draws as one.
        found: how many of its gold references stand in the block.
        lines, evidence, beside: of those recalled, how many there are, are gold, and are gold or next to one.
        seconds: that the context took, the embedder included.
    """

    cluster: str
    type: str
    found: int
    gold: int
    lines: int
    evidence: int
    beside: int
    tokens: int
    seconds: float


async def measure(
    dialogues: Sequence[Dialogue], embedder: Embedder | None, budgets: Sequence[int | None]
) -> dict[int | None, list[Served]]:
    """Every question with each budget for what is recalled; `None` is the default."""
    results: dict[int | None, list[Served]] = {budget: [] for budget in budgets}
    for dialogue in dialogues:
        print(f"{dialogue.name}: {len(dialogue.turns)} turns, {len(dialogue.questions)} questions", file=sys.stderr)
        number = 0
        async with aclosing(in_turn(dialogue, embedder)) as asked:
            async for memory, question, _ in asked:
                cluster = dialogue.cluster(number)
                number += 1
                for budget in budgets:
                    results[budget].append(await _served(memory, dialogue, question, budget, cluster=cluster))
    return results


async def _served(
    memory: Memory, dialogue: Dialogue, question: Question, budget: int | None, *, cluster: str
) -> Served:
    slots = None if budget is None else {"recalled": budget}
    started = time.perf_counter()
    context = await memory.context(
        ContextRequest(question=question.text, record_access=False, budget=Budget(slots=slots))
    )
    seconds = time.perf_counter() - started
    ids = [id for item in context.block.items if item.slot is Slot.RECALLED for id in item.ids]
    records = [await memory.get(id) for id in ids]
    named = [references(dialogue, [record])[0] for record in records]
    gold = [name in question.gold for name in named]
    places = {_place(record) for record, is_gold in zip(records, gold, strict=True) if is_gold}
    near = {(session, number + step) for session, number in places for step in (-1, 0, 1)}
    return Served(
        cluster=cluster,
        type=question.type,
        found=len(question.gold.intersection(named)),
        gold=len(question.gold),
        lines=len(ids),
        evidence=sum(gold),
        beside=sum(is_gold or _place(record) in near for record, is_gold in zip(records, gold, strict=True)),
        tokens=context.report.tokens,
        seconds=seconds,
    )


def _place(record: Record) -> tuple[str, int]:
    return record.session or "", getattr(record, "number", 0)


def summary(results: Sequence[Served]) -> dict[str, object]:
    """The figures of one budget, in percent, tokens and milliseconds."""
    lines = sum(result.lines for result in results) or 1
    groups: defaultdict[str, list[Served]] = defaultdict(list)
    for result in results:
        groups[result.type].append(result)
    return {
        "n": len(results),
        "any": _percent([result.found > 0 for result in results]),
        "all": _percent([result.found == result.gold for result in results]),
        "tokens": round(sum(result.tokens for result in results) / len(results)),
        "most_tokens": max(result.tokens for result in results),
        "lines": round(sum(result.lines for result in results) / len(results), 1),
        "evidence": round(100 * sum(result.evidence for result in results) / lines, 1),
        "beside": round(100 * sum(result.beside for result in results) / lines, 1),
        "milliseconds": round(1_000 * sum(result.seconds for result in results) / len(results), 1),
        "any_interval": interval_of([(result.cluster, result.found > 0) for result in results]),
        "per_type": {
            kind: {
                "n": len(group),
                "any": _percent([result.found > 0 for result in group]),
                "all": _percent([result.found == result.gold for result in group]),
            }
            for kind, group in sorted(groups.items())
        },
    }


def _percent(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", choices=sorted(LOADERS))
    parser.add_argument("path", type=Path)
    parser.add_argument("--tokens", type=int, help="for what is recalled, in place of 600, 1,500 and 3,000")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--only", default="", help="only dialogues whose name ends in one of these")
    parser.add_argument("--types", default="", help="only questions of these types")
    parser.add_argument("--reader", default="", metavar="MODEL", help="answers, such as openai:gpt-5-nano")
    parser.add_argument(
        "--judge", default="", metavar="MODEL", help="says whether that is right; the reader, if not given"
    )
    parser.add_argument("--whole", type=int, default=MOST_TOKENS, help="no longer conversation is read as a whole")
    parser.add_argument("--kept", type=Path, default=Path("answers.jsonl"), help="what was answered: asked once")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    budgets = (arguments.tokens,) if arguments.tokens else BUDGETS
    try:
        dialogues = load(arguments.set, arguments.path)
        if arguments.only:
            dialogues = [found for found in dialogues if found.name.endswith(tuple(arguments.only.split(",")))]
        embedder = embedder_named(arguments.embedder)
        if arguments.reader:
            return _print(arguments, anyio.run(_read, arguments, dialogues, embedder))
        results = anyio.run(lambda: measure(dialogues, embedder, (None, *budgets)))
    except RemembrancerError as error:
        print(f"bench.answers: {error}", file=sys.stderr)
        return 2
    wanted = [kind for kind in str(arguments.types).split(",") if kind]
    report: dict[str, object] = {"set": arguments.set, "embedder": arguments.embedder}
    for budget, found in results.items():
        chosen = [result for result in found if not wanted or result.type in wanted]
        report[DEFAULT if budget is None else str(budget)] = summary(chosen)
    return _print(arguments, report)


async def _read(
    arguments: argparse.Namespace, dialogues: Sequence[Dialogue], embedder: Embedder | None
) -> dict[str, object]:
    """What a reader answers, and a judge says of it."""
    if embedder is None:
        raise InvalidInput("plain dense search needs an embedder; name one with --embedder")
    settings = load_settings()
    reader, judge = (make_model(settings, name) for name in (arguments.reader, arguments.judge or arguments.reader))
    types = [kind for kind in str(arguments.types).split(",") if kind]
    try:
        readers = Readers(reader=reader, judge=judge, prices=PriceList(configured_prices(settings)))
        budget = arguments.tokens or Slots().recalled
        found = await read(
            dialogues, embedder, readers, budget=budget, types=types, kept=arguments.kept, most=arguments.whole
        )
    finally:
        await reader.close()
        await judge.close()
    return {"set": arguments.set, "embedder": arguments.embedder, "reader": reader.name, **reading_summary(found)}


def _print(arguments: argparse.Namespace, report: dict[str, object]) -> int:
    if arguments.json:
        print(json.dumps(report))
        return 0
    for name, value in report.items():
        print(f"{name:>9}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
