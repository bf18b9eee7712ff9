"""What is kept of conversations without a model: facts by kind, the ratio, and what is false.

    python -m bench.keeping [--worked-on] [--only NAME,NAME] [--threshold TOKENS] [--lost] [--json]

The conversations that were set aside are measured, and nothing of them is printed but figures; `--worked-on` takes the
others, and `--lost` lists what they lose and what is false. Each is recorded as one session and observed at its end, or
with `--threshold` as the background does when so many tokens are raw, and the rest at its end; `reflected`
is what two reflections leave, a third of the tokens. `plain` is given as many tokens as the one or the other: sentences
of people that are no questions, those with the rarest words first, as many in a line as in a note. Names of speakers
count on both sides of the ratio.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from statistics import fmean
from tempfile import TemporaryDirectory

import anyio

from bench.keeping.conversations import KINDS, Conversation, conversations
from bench.keeping.judging import Kept, Line, judged
from bench.replaying import caught_up
from remembrancer import Memory, Observation, Reflection, open_memory
from remembrancer.llm.providers.tokenizer import O200K, Encoding
from remembrancer.types.budget import MESSAGE_TOKENS

_GRAVE = ("instruction", "decision")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_SESSION = "talk"
# Where each new day of an insight by words alone begins.
_DAY = re.compile(r"(?=\b(?:On|Am|El|Le|Il) \d{4}-\d\d-\d\d)")
_EVERYTHING = 1_000
# As much as a note holds, so that a fact of several sentences counts for both.
_APART = 4
_LONGEST_LINE = 120
# What two reflections leave of the notes.
_LEFT = (0.58, 1 / 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one way of keeping a conversation comes to."""

    kept: Kept
    tokens: int
    ratio: float


async def measured(found: Conversation, threshold: int) -> dict[str, Measured]:
    """A conversation by each way of keeping it."""
    count = Encoding(O200K).count
    size = sum(count(f"{message.speaker}: {message.text}") for message in found.messages)
    ways: dict[str, list[Line]] = {}
    with TemporaryDirectory() as folder:
        file = f"{folder}/memory.db"
        async with _opened(file, found, threshold=threshold) as memory:
            for message in found.messages:
                speaker = message.speaker
                await memory.record(
                    message.text, session=_SESSION, speaker=speaker, role=message.role, occurred_at=message.at
                )
                if threshold:
                    await caught_up(memory)
            await memory.notes.observe(_SESSION)
            ways["notes"] = await lines(memory)
            noted = sum(note.tokens for note in await memory.notes.log(_SESSION))
        for left in _LEFT:
            # A log that passes its threshold is brought to half of that.
            async with _opened(file, found, round(2 * left * noted)) as memory:
                await memory.notes.reflect(_SESSION)
                ways["reflected"] = await lines(memory)
    ways["plain"] = plain(found, sum(count(line.text) for line in ways["notes"]))
    ways["plain as long"] = plain(found, sum(count(line.text) for line in ways["reflected"]))
    told: dict[str, Measured] = {}
    for way, kept in ways.items():
        tokens = sum(count(line.text) for line in kept)
        told[way] = Measured(kept=judged(found, kept), tokens=tokens, ratio=size / max(1, tokens))
    return told


def _opened(
    file: str, found: Conversation, reflect_tokens: int = 40_000, *, threshold: int = 0
) -> AbstractAsyncContextManager[Memory]:
    return open_memory(
        file,
        embedder="none",
        background=False,
        time_zone=str(found.zone),
        user="somebody",
        reflect_tokens=reflect_tokens,
        observe_tokens=threshold or MESSAGE_TOKENS,
    )


async def lines(memory: Memory) -> list[Line]:
    """What an agent reads of a session; of an insight what it tells of each day."""
    return [line for note in await memory.notes.log(_SESSION) for line in _lines(note)]


def _lines(note: Observation) -> list[Line]:
    if isinstance(note, Reflection):
        # The dates that it names may be of any of its sources.
        return [Line(text=text, first=0, last=_EVERYTHING) for text in _DAY.split(note.text) if text.strip()]
    return [Line(text=note.text, first=note.first - 1, last=note.last - 1, refers_to=note.refers_to)]


def plain(found: Conversation, tokens: int) -> list[Line]:
    """Sentences of people that are no questions, those with the rarest words first, in as many tokens."""
    count = Encoding(O200K).count
    words = [set(re.findall(r"\w+", message.text.lower())) for message in found.messages]
    frequency = Counter(word for some in words for word in some)
    ranked: list[tuple[float, int, str]] = []
    for place, message in enumerate(found.messages):
        if message.role == "user":
            for sentence in _SENTENCE.split(message.text):
                rare = {word for word in re.findall(r"\w+", sentence.lower()) if len(word) > 2}
                if rare and not sentence.endswith("?"):
                    worth = sum(math.log(len(words) / frequency[word]) for word in rare) / (len(rare) + 3)
                    ranked.append((-worth, place, f"{message.speaker}: {sentence}"))
    taken: list[tuple[int, int, str]] = []
    for order, (_, place, text) in enumerate(sorted(ranked)):
        if (tokens := tokens - count(text)) < 0:
            break
        taken.append((place, order, text))
    kept: list[Line] = []
    for place, _, text in sorted(taken):
        last = kept[-1] if kept else None
        if last and place - last.first <= _APART and count(last.text) + count(text) <= _LONGEST_LINE:
            kept[-1] = Line(text=f"{last.text}\n{text}", first=last.first, last=place)
        else:
            kept.append(Line(text=text, first=place, last=place))
    return kept


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.keeping", description="What is kept of conversations.")
    parser.add_argument("--worked-on", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--threshold", type=int, default=0, metavar="TOKENS")
    parser.add_argument("--lost", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chosen = conversations("worked_on" if given.worked_on else "set_aside")
    chosen = [one for one in chosen if not given.only or one.name in given.only.split(",")]
    found = {one.name: anyio.run(measured, one, given.threshold) for one in chosen}
    report = {way: _summed([told[way] for told in found.values()]) for way in next(iter(found.values()))}
    each = {name: {way: _summed([one]) for way, one in told.items()} for name, told in found.items()}
    if given.json:
        print(json.dumps({"all": report, "each": each}))
        return 0
    for name, told in (*each.items(), ("all", report)):
        for way, figures in told.items():
            print(f"{name:14} {way:15} {figures}")
    if given.lost and given.worked_on:
        for name, told in found.items():
            for way, one in told.items():
                if way != "plain":
                    for title, some in (("lost", one.kept.lost), ("false", one.kept.false), ("stale", one.kept.stale)):
                        for text in some:
                            print(f"{name} {way} {title}: {text}")
    return 0


def _summed(found: list[Measured]) -> dict[str, object]:
    asked, kept = Counter[str](), Counter[str]()
    for one in found:
        asked.update(one.kept.asked)
        kept.update(one.kept.kept)
    grave = sum(asked[kind] for kind in _GRAVE)
    return {
        "kept": round(100 * kept.total() / asked.total(), 1),
        "grave": round(100 * sum(kept[kind] for kind in _GRAVE) / grave, 1),
        **{kind: f"{kept[kind]}/{asked[kind]}" for kind in KINDS},
        "stale": sum(len(one.kept.stale) for one in found),
        "false": sum(len(one.kept.false) for one in found),
        "dates": f"{sum(one.kept.resolved for one in found)}/{sum(one.kept.resolvable for one in found)}",
        "ratio": round(fmean(one.ratio for one in found), 2),
        "tokens": sum(one.tokens for one in found),
    }


if __name__ == "__main__":
    sys.exit(main())
