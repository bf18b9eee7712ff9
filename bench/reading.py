"""What a model answers from what it is handed, and whether another finds that right: ours, plain dense, and all of it.

Each answer is a line of a file that is only added to: run again, what stands there is not asked again. A question is
put with the evidence of each arm to the reader, at one temperature and with one prompt; the judge sees the question,
the set's own answer, and what was said, and not which arm said it. Costs are those of the price list, where it has any.
"""

import json
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from anyio.to_thread import run_sync

from bench.asking import in_turn
from bench.plain import places
from bench.sets import Dialogue, Question
from remembrancer import Budget, ContextRequest
from remembrancer.ingest.importers.turns import Turn
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel, Prompt
from remembrancer.llm.providers.prices import PriceList
from remembrancer.types.text import estimate

OURS, DENSE, WHOLE = "remembrancer", "dense", "whole conversation"
ARMS = (OURS, DENSE, WHOLE)
MOST_TOKENS = 120_000
VERSION = "reading-1"
_READ = Prompt(
    system="You are asked about conversations of the past. Below stands what is known of them. Answer from that alone,"
    " in one or two short sentences, with the date where you are asked when. Where it does not say, answer: I don't"
    " know.",
    text="",
    version=VERSION,
)
_JUDGE = Prompt(
    system="You are given a question, the expected answer, and the answer of a student. Say whether the student's"
    " answer is right: it may be worded otherwise or say more, as long as it says what is expected and nothing that"
    " contradicts it. Reply with the single word yes or no.",
    text="",
    version=VERSION,
)
_ANSWER_TOKENS, _VERDICT_TOKENS, _SECONDS = 300, 8, 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One answer.

    Args:
        tokens: of the evidence, by the estimate.
        micros: what reader and judge cost, in millionths of a US dollar; `None` where no price is known.
    """

    dialogue: str
    question: str
    type: str
    arm: str
    budget: int
    reader: str
    judge: str
    answer: str
    right: bool
    tokens: int
    micros: int | None

    @property
    def key(self) -> tuple[str, str, str, int, str, str]:
        """What is asked once."""
        return self.dialogue, self.question, self.arm, self.budget, self.reader, self.judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads and who judges."""

    reader: LanguageModel
    judge: LanguageModel
    prices: PriceList

    async def ask(self, model: LanguageModel, prompt: Prompt, text: str, most: int) -> tuple[str, int | None]:
        """What a model says, and what that cost."""
        whole = Prompt(system=prompt.system, text=text, version=prompt.version)
        said = await model.complete(whole, schema=None, max_tokens=most, seconds=_SECONDS, temperature=0.0)
        cost = await run_sync(partial(self.prices.cost, said.model, said.usage, at=datetime.now(UTC)))
        return said.text.strip(), cost


async def read(
    dialogues: Sequence[Dialogue],
    embedder: Embedder,
    readers: Readers,
    *,
    budget: int,
    types: Sequence[str],
    kept: Path,
    most: int = MOST_TOKENS,
) -> list[Judged]:
    """Every question of these types that has an answer in words, by each arm; what is in the file is taken from there.

    Args:
        budget: tokens of what is recalled, and of the lines of plain dense search.
        most: a conversation of more tokens is not put to the reader as a whole.
    """
    done = {one.key: one for one in _kept(kept)}
    found: list[Judged] = []
    with kept.open("a", encoding="utf-8") as file:
        for dialogue in dialogues:
            print(f"{dialogue.name}: {len(dialogue.questions)} questions", file=sys.stderr)
            async with aclosing(_evidence(dialogue, embedder, budget, types, most)) as asked:
                async for question, arm, evidence in asked:
                    key = (dialogue.name, question.text, arm, budget, readers.reader.name, readers.judge.name)
                    one = done.get(key) or await _judged(readers, dialogue, question, arm, evidence, budget)
                    if key not in done:
                        file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
                        file.flush()
                    found.append(one)
    return found


def _kept(path: Path) -> Iterator[Judged]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield Judged(**json.loads(line))
        except (ValueError, TypeError):
            # The last line of a run that was killed.
            print(f"{path}: a line is no answer, and is asked again", file=sys.stderr)


async def _judged(
    readers: Readers, dialogue: Dialogue, question: Question, arm: str, evidence: str, budget: int
) -> Judged:
    answer, cost = await readers.ask(readers.reader, _READ, f"{evidence}\n\nQuestion: {question.text}", _ANSWER_TOKENS)
    asked = f"Question: {question.text}\nExpected: {question.answer}\nStudent: {answer}"
    verdict, more = await readers.ask(readers.judge, _JUDGE, asked, _VERDICT_TOKENS)
    return Judged(
        dialogue=dialogue.name,
        question=question.text,
        type=question.type,
        arm=arm,
        budget=budget,
        reader=readers.reader.name,
        judge=readers.judge.name,
        answer=answer,
        right=verdict.lower().lstrip("\"'* ").startswith("yes"),
        tokens=estimate(evidence),
        micros=None if cost is None or more is None else cost + more,
    )


async def _evidence(
    dialogue: Dialogue, embedder: Embedder, budget: int, types: Sequence[str], most: int
) -> AsyncGenerator[tuple[Question, str, str], None]:
    """Each question with what each arm hands the reader."""
    best = {question.text: order for question, order in places(dialogue, embedder, DENSE)}
    turns = [_line(turn) for turn in dialogue.turns]
    async with aclosing(in_turn(dialogue, embedder)) as asked:
        async for memory, question, end in asked:
            if not question.answer or (types and question.type not in types):
                continue
            context = await memory.context(
                ContextRequest(question=question.text, record_access=False, budget=Budget(slots={"recalled": budget}))
            )
            yield question, OURS, context.text
            yield question, DENSE, "\n".join(turns[place] for place in _fitting(best[question.text], turns, budget))
            whole = "\n".join(turns[:end])
            if estimate(whole) <= most:
                yield question, WHOLE, whole


def _fitting(order: Sequence[int], turns: Sequence[str], budget: int) -> list[int]:
    """The best turns that fit, in the order of time."""
    chosen: list[int] = []
    for place in order:
        if (size := estimate(turns[place]) + 1) <= budget:
            chosen.append(place)
            budget -= size
        elif budget < _ANSWER_TOKENS:
            break
    return sorted(chosen)


def _line(turn: Turn) -> str:
    when = f"[{turn.occurred_at:%Y-%m-%d %H:%M}] " if turn.occurred_at else ""
    return f"- {when}{turn.speaker or turn.role}: {turn.text}"


def summary(found: Sequence[Judged]) -> dict[str, object]:
    """Right answers in percent by arm and type, with the tokens of the evidence and what all of it cost."""
    by_arm: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in found:
        by_arm[one.arm].append(one)
    report: dict[str, object] = {}
    for arm, answers in by_arm.items():
        types: defaultdict[str, list[bool]] = defaultdict(list)
        for one in answers:
            types[one.type].append(one.right)
        costs = [one.micros for one in answers]
        report[arm] = {
            "n": len(answers),
            "right": _percent([one.right for one in answers]),
            "tokens": round(sum(one.tokens for one in answers) / len(answers)),
            "dollars": None if None in costs else round(sum(cost or 0 for cost in costs) / 1e6, 4),
            "per_type": {kind: {"n": len(group), "right": _percent(group)} for kind, group in sorted(types.items())},
        }
    return report


def _percent(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1)
