"""Compression on real dialogues: how short the notes are, and whether what answers a question still stands in them.

    python -m bench.compression SET PATH [--observer deterministic] [--chunk TOKENS] [--summariser lsa]
        [--only NAME,NAME] [--arms A,B] [--json]

A dialogue is one run of messages, cut into chunks of about `--chunk` tokens (o200k), and each chunk is observed by
itself. *Ratio*: tokens of the messages over tokens of the notes.

*Evidence survival*: the key terms of a question are the content words (as stems), numbers and names of its gold answer
that stand in its evidence turns themselves, so that the full text keeps all of them; a question that has none is left
out and counted. A question survives when at least 80 % of its key terms stand in what was made of its evidence turns:
all of them for an answer of up to four terms, while a long answer in an annotator's words may lose one in five. That
share was fixed before anything was measured. Made of a turn is what names it in its range: a note, a sentence, a word.
Printed beside it: the share of questions that keep every term (`all`), the mean share of terms (`terms`), and the
headline if all counts that was made of the chunks that hold the evidence (`chunk`), whichever turns it came from.

Every opponent gets as many tokens for a chunk as the notes of that chunk have: its first words, its last words, the
sentences that an extractive summariser ranks highest (sumy's LSA), and the rarest words by tf-idf, no grammar, as a
list a message (`keywords`). Whatever is kept of a message stands after the name of who said it, as a note does, and
pays for that name once. Two lists pay for none and show what that is worth: `unnamed`, the keywords of each message
without its name and without a mark where a message ends, which no text could show; and `vocabulary`, one list for the
chunk, printed under `chunk` alone, for it tells of no turn. Intervals are 95 % by paired bootstrap over dialogues,
since the questions of one dialogue are not independent.

Gold answers: LoCoMo types 1 to 4; LongMemEval's first answer, all histories being one run; of BEAM the answer,
summary, instruction or preference that is asked for; of RealMem the memories that the reference answer used.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.sets import LOADERS, Dialogue, Question, load
from bench.shortening import SUMMARISERS, Count, Line, head, keywords, rarities, summary, tail, vocabulary
from bench.survival import terms
from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.ingest.importers.turns import Turn
from remembrancer.learn.observe.observe import observe
from remembrancer.llm.providers.tokenizer import O200K, Encoding
from remembrancer.types.notes import ChunkNotes
from remembrancer.types.record import Message, Role, Source
from remembrancer.types.scope import Scope

CHUNK = 6_000
ENOUGH = 0.8
RESAMPLES = 2_000
OBSERVER = "notes"
OPPONENTS = ("head", "tail", "summary", "keywords", "unnamed", "vocabulary")
FULL = "full"
VOCABULARY = "vocabulary"
_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_ADVERSARIAL = "5"

Observer = Callable[[Sequence[Message]], ChunkNotes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How much of one question's key terms each way of shortening keeps.

    Args:
        cluster: what the bootstrap draws as one.
        shares: of the key terms in what was made of the evidence turns, by arm.
        chunk: the same in all that was made of their chunks.
    """

    cluster: str
    type: str
    shares: dict[str, float]
    chunk: dict[str, float]


@dataclass(slots=True, kw_only=True)
class Sizes:
    """Tokens and questions, as they add up."""

    messages: int = 0
    chunks: int = 0
    tokens: dict[str, int]
    without_terms: int = 0

    @property
    def ratio(self) -> float:
        """Tokens in over tokens out."""
        return self.tokens[FULL] / max(1, self.tokens[OBSERVER])


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some messages, and what each arm made of them."""

    messages: tuple[Message, ...]
    made: dict[str, list[Line]]


def observer_named(name: str) -> Observer:
    """What turns messages into notes.

    Raises:
        InvalidInput: the observer needs a model and none is configured.
    """
    if name == "deterministic":
        return lambda run: observe(run, zone=UTC)
    raise InvalidInput("the observer 'model' needs a language model, and none is configured for the bench")


def measure(
    dialogues: Sequence[Dialogue], observer: Observer, *, chunk: int, arms: Sequence[str], summariser: str, count: Count
) -> tuple[list[Kept], Sizes]:
    """Shorten every dialogue in every way, and look up the key terms of every question."""
    sizes = Sizes(tokens=dict.fromkeys((FULL, OBSERVER, *arms), 0))
    kept: list[Kept] = []
    for dialogue in dialogues:
        print(f"{dialogue.name}: {len(dialogue.turns)} turns, {len(dialogue.questions)} questions", file=sys.stderr)
        runs = [list(run) for run in _runs(dialogue, chunk, count)]
        rarity = rarities(runs)
        ways: dict[str, Callable[[Sequence[Message], int], list[Line]]] = {
            "head": lambda run, budget: head(run, budget, count),
            "tail": lambda run, budget: tail(run, budget, count),
            "summary": lambda run, budget: summary(run, budget, count, summariser),
            "keywords": lambda run, budget, rarity=rarity: keywords(run, budget, count, rarity),
            "unnamed": lambda run, budget, rarity=rarity: keywords(run, budget, count, rarity, named=False),
            "vocabulary": lambda run, budget, rarity=rarity: vocabulary(run, budget, count, rarity),
        }
        chunks = [_shortened(run, observer, {arm: ways[arm] for arm in arms}, sizes, count) for run in runs]
        kept += _asked(dialogue, chunks, sizes)
    return kept, sizes


def _runs(dialogue: Dialogue, chunk: int, count: Count) -> Iterator[list[Message]]:
    """The messages of a dialogue in chunks."""
    run: list[Message] = []
    size = 0
    for number, turn in enumerate(dialogue.turns, start=1):
        tokens = count(turn.text)
        if run and size + tokens > chunk:
            yield run
            run, size = [], 0
        run.append(_message(turn, number, tokens))
        size += tokens
    yield run


def _message(turn: Turn, number: int, tokens: int) -> Message:
    when = turn.occurred_at or _NO_DATE
    return Message(
        id=_reference(turn),
        scope=Scope(tenant="bench"),
        session=turn.session,
        text=turn.text,
        hash="",
        author="bench",
        source=Source.IMPORT,
        occurred_at=when,
        recorded_at=when,
        updated_at=when,
        number=number,
        role=Role(turn.role),
        speaker=turn.speaker,
        tokens=tokens,
    )


def _reference(turn: Turn) -> str:
    return f"{turn.conversation}#{turn.reference}"


def _shortened(
    run: Sequence[Message],
    observer: Observer,
    ways: dict[str, Callable[[Sequence[Message], int], list[Line]]],
    sizes: Sizes,
    count: Count,
) -> Chunk:
    notes = [
        Line(text=note.text, first=note.first, last=note.last, tokens=count(f"{note.text}\n"))
        for note in observer(run).notes
    ]
    budget = sum(line.tokens for line in notes)
    made = {OBSERVER: notes}
    made[FULL] = [Line(text=said.text, first=said.number, last=said.number, tokens=said.tokens) for said in run]
    made |= {arm: way(run, budget) for arm, way in ways.items()}
    sizes.messages += len(run)
    sizes.chunks += 1
    for arm, lines in made.items():
        sizes.tokens[arm] += sum(line.tokens for line in lines)
    return Chunk(messages=tuple(run), made=made)


def _asked(dialogue: Dialogue, chunks: Sequence[Chunk], sizes: Sizes) -> Iterator[Kept]:
    pool = dialogue.name == "longmemeval"
    for number, question in enumerate(dialogue.questions):
        if question.type == _ADVERSARIAL and dialogue.name.startswith("locomo"):
            continue
        evidence = [
            (chunk, [said for said in chunk.messages if _is_gold(said, question, dialogue, pool=pool)])
            for chunk in chunks
        ]
        evidence = [(chunk, gold) for chunk, gold in evidence if gold]
        said = frozenset(term for _, gold in evidence for message in gold for term in terms(message.text))
        wanted = terms(question.answer) & said
        if not wanted:
            sizes.without_terms += 1
            continue
        arms = list(evidence[0][0].made)
        yield Kept(
            cluster=dialogue.clusters[number] if dialogue.clusters else dialogue.name,
            type=question.type,
            shares={arm: _share(wanted, _own_lines(evidence, arm)) for arm in arms},
            chunk={arm: _share(wanted, [line for chunk, _ in evidence for line in chunk.made[arm]]) for arm in arms},
        )


def _is_gold(said: Message, question: Question, dialogue: Dialogue, *, pool: bool) -> bool:
    if dialogue.by_session:
        return (said.session or "").rsplit("/", 1)[-1] in question.gold
    return (said.id if pool else said.id.split("#", 1)[1]) in question.gold


def _own_lines(evidence: Sequence[tuple[Chunk, list[Message]]], arm: str) -> list[Line]:
    found: list[Line] = []
    for chunk, gold in evidence:
        numbers = [message.number for message in gold]
        found += [line for line in chunk.made[arm] if any(line.first <= number <= line.last for number in numbers)]
    return found


def _share(wanted: frozenset[str], lines: Sequence[Line]) -> float:
    return len(frozenset[str]().union(*(wanted & _held(line.text) for line in lines))) / len(wanted)


@lru_cache(maxsize=500_000)
def _held(line: str) -> frozenset[str]:
    return terms(line)


def report(kept: Sequence[Kept], sizes: Sizes) -> dict[str, object]:
    """The figures of a run, shares in percent."""
    arms = [arm for arm in (OBSERVER, *OPPONENTS, FULL) if kept and arm in kept[0].shares]
    figures: dict[str, object] = {
        "questions": len(kept),
        "without_key_terms": sizes.without_terms,
        "messages": sizes.messages,
        "chunks": sizes.chunks,
        "ratio": round(sizes.ratio, 2),
        "tokens": sizes.tokens,
    }
    for arm in arms:
        figures[arm] = {
            "survival": _percent([found.shares[arm] >= ENOUGH for found in kept]),
            "all": _percent([found.shares[arm] == 1 for found in kept]),
            "terms": _percent([found.shares[arm] for found in kept]),
            "chunk": _percent([found.chunk[arm] >= ENOUGH for found in kept]),
        }
    if VOCABULARY in arms:
        figures[VOCABULARY] = {"chunk": _percent([found.chunk[VOCABULARY] >= ENOUGH for found in kept])}
    for arm in arms:
        if arm in OPPONENTS and arm != VOCABULARY:
            figures[f"{OBSERVER} - {arm}"] = difference(kept, arm)
    return figures


def difference(kept: Sequence[Kept], arm: str) -> dict[str, object]:
    """By how many points more questions survive in the notes than in an opponent, with the interval."""
    gained = [(found.shares[OBSERVER] >= ENOUGH) - (found.shares[arm] >= ENOUGH) for found in kept]
    clusters = sorted({found.cluster for found in kept})
    sums = np.zeros(len(clusters))
    counts = np.zeros(len(clusters))
    for found, gain in zip(kept, gained, strict=True):
        sums[clusters.index(found.cluster)] += gain
        counts[clusters.index(found.cluster)] += 1
    drawn = np.random.default_rng(0).integers(0, len(clusters), (RESAMPLES, len(clusters)))
    means: NDArray[np.float64] = 100 * sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"points": _percent(gained), "interval": (round(float(low), 1), round(float(high), 1))}


def _percent(values: Sequence[float]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.compression", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("set", choices=sorted(LOADERS))
    parser.add_argument("path", type=Path)
    parser.add_argument("--observer", choices=("deterministic", "model"), default="deterministic")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="tokens")
    parser.add_argument("--summariser", choices=SUMMARISERS, default=SUMMARISERS[0])
    parser.add_argument("--arms", default=",".join(OPPONENTS), help=f"some of {','.join(OPPONENTS)}")
    parser.add_argument("--only", default="", help="only dialogues whose name ends in one of these")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    try:
        dialogues = load(arguments.set, arguments.path)
        if arguments.only:
            dialogues = [found for found in dialogues if found.name.endswith(tuple(arguments.only.split(",")))]
        kept, sizes = measure(
            dialogues,
            observer_named(arguments.observer),
            chunk=arguments.chunk,
            arms=[arm for arm in arguments.arms.split(",") if arm],
            summariser=arguments.summariser,
            count=Encoding(O200K).count,
        )
    except RemembrancerError as error:
        print(f"bench.compression: {error}", file=sys.stderr)
        return 2
    figures = {"set": arguments.set, "observer": arguments.observer, "chunk": arguments.chunk, **report(kept, sizes)}
    if arguments.json:
        print(json.dumps(figures))
        return 0
    for name, value in figures.items():
        print(f"{name:>18}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
