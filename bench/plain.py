"""Plain searches to compare with; no code of the product's ranking is in them, only its embedder's vectors.

| arm | is |
|---|---|
| `bm25` | words alone: k1 0.9, b 0.4, stemmed by the Porter stemmer, date and speaker before the text |
| `dense` | the cosine of one vector a text, of its first 800 characters |
| `hybrid` | half of each, both stretched from the least to the most that the question has |
| `hybrid+neighbours` | the same, plus half of the better of the two turns next to a text in its session |
| `fusion` | `c x bm25 + (1 - c) x dense + c/2 x the better neighbour`, c being the share of the question's words, by |
| | their IDF, in the text that has most of them; it has no fitted number |

All of them look at every text that was said before the question, and none of them abstains. A text is embedded with
the name of who said it, and in a chat with the 300 characters that the one before it begins with, as the product does.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from bench.sets import Dialogue, Question
from remembrancer.ingest.importers.turns import Turn
from remembrancer.llm.embedder import Embedder

PLAIN: Final = ("bm25", "dense", "hybrid", "hybrid+neighbours", "fusion")
_READ_CHARACTERS = 800
_BEFORE_CHARACTERS = 300
_K1, _B = 0.9, 0.4
_BATCH = 256
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_STOP_WORDS: Final = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its
    me my no not of on or our out she should so some that the their them then there they this to up was we were what
    when where which who why will with would you your
    """.split()  # noqa: SIM905 -- read as words
)
_STEMMER: Any = snowballstemmer.stemmer("porter")  # pyright: ignore[reportUnknownMemberType] -- without types
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A question with the score of each turn before it, by arm."""

    question: Question
    arms: Mapping[str, Scores]


def scored(dialogue: Dialogue, embedder: Embedder | None) -> Iterator[Scored]:
    """Every question of a dialogue with the scores of every arm; words alone where there is no embedder."""
    words = [_words(f"{_heading(turn)}{turn.text}") for turn in dialogue.turns]
    index = _Index(words)
    rows = None if embedder is None else _rows(dialogue, embedder)
    before, after = _beside(dialogue)
    for question in dialogue.questions:
        end = len(words) if question.after is None else question.after
        lexical, coverage = index.scores(_words(question.text), end)
        arms = {"bm25": lexical}
        if rows is not None and embedder is not None and end:
            dense = rows[:end] @ embedder.queries([question.text])[0]
            share = float(coverage.max(initial=0.0))
            even = (_stretched(lexical) + _stretched(dense)) / 2
            mixed = share * _stretched(lexical) + (1 - share) * _stretched(dense)
            arms |= {
                "dense": dense,
                "hybrid": even,
                "hybrid+neighbours": even + _neighbours(even, before[:end], after[:end]) / 2,
                "fusion": mixed + share / 2 * _neighbours(mixed, before[:end], after[:end]),
            }
        yield Scored(question=question, arms=arms)


def ranked(dialogue: Dialogue, embedder: Embedder | None, arm: str) -> Iterator[tuple[Question, list[str]]]:
    """Every question with the references of all that stands before it, best first, each once."""
    named = [reference(dialogue, place) for place in range(len(dialogue.turns))]
    for question, order in places(dialogue, embedder, arm):
        yield question, list(dict.fromkeys(named[place] for place in order))


def places(dialogue: Dialogue, embedder: Embedder | None, arm: str) -> Iterator[tuple[Question, list[int]]]:
    """Every question with the places of all turns that stand before it, best first."""
    for one in scored(dialogue, embedder):
        scores = one.arms.get(arm, np.empty(0))
        yield one.question, np.argsort(-scores, kind="stable").tolist()


def reference(dialogue: Dialogue, place: int) -> str:
    """What a turn counts as in its set: itself, or its session."""
    turn = dialogue.turns[place]
    if dialogue.by_session:
        return turn.session.rsplit("/", 1)[-1]
    return f"{turn.conversation}#{turn.reference}" if dialogue.name == "longmemeval" else turn.reference


class _Index:
    """BM25 over some texts, of which a question sees those before it."""

    def __init__(self, texts: list[list[str]]) -> None:
        self._lengths = np.array([len(words) for words in texts], dtype=np.float64)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, words in enumerate(texts):
            for word, count in Counter(words).items():
                self._postings.setdefault(word, []).append((place, count))

    def scores(self, asked: list[str], end: int) -> tuple[Scores, Scores]:
        """BM25 of each of the first texts, and the share of the question's words that it has, by their IDF."""
        scores, held, total = np.zeros(end), np.zeros(end), 0.0
        mean = float(self._lengths[:end].mean()) if end else 1.0
        for word in dict.fromkeys(asked):
            here = [(place, count) for place, count in self._postings.get(word, ()) if place < end]
            weight = math.log(1 + (end - len(here) + 0.5) / (len(here) + 0.5))
            total += weight
            if here:
                at = np.array([place for place, _ in here])
                counts = np.array([count for _, count in here], dtype=np.float64)
                length = 1 - _B + _B * self._lengths[at] / (mean or 1.0)
                scores[at] += weight * counts * (_K1 + 1) / (counts + _K1 * length)
                held[at] += weight
        return scores, held / (total or 1.0)


def _rows(dialogue: Dialogue, embedder: Embedder) -> NDArray[np.float32]:
    texts, last = list[str](), dict[str, str]()
    for turn in dialogue.turns:
        name = f"{turn.speaker}: " if turn.speaker else ""
        text = name + turn.text[:_READ_CHARACTERS]
        place = f"{turn.conversation}/{turn.session}"
        in_chat = turn.role != "note"
        texts.append(f"{last[place]}\n{text}" if in_chat and place in last else text)
        last[place] = name + turn.text[:_BEFORE_CHARACTERS]
    parts = [embedder.documents(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    return np.concatenate(parts)


def _beside(dialogue: Dialogue) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the turns before and after each in its session, -1 for none."""
    before = np.full(len(dialogue.turns), -1)
    after = np.full(len(dialogue.turns), -1)
    last = dict[str, int]()
    for place, turn in enumerate(dialogue.turns):
        if turn.role == "note":
            continue
        session = f"{turn.conversation}/{turn.session}"
        if session in last:
            before[place], after[last[session]] = last[session], place
        last[session] = place
    return before, after


def _neighbours(scores: Scores, before: NDArray[np.int64], after: NDArray[np.int64]) -> Scores:
    known = np.append(scores, 0.0)
    end = len(scores)
    return np.maximum(known[np.where(before < end, before, -1)], known[np.where(after < end, after, -1)])


def _heading(turn: Turn) -> str:
    date = f"[{turn.occurred_at:%d %B %Y}] " if turn.occurred_at else ""
    return f"{date}{turn.speaker}: " if turn.speaker else date


def _words(text: str) -> list[str]:
    found = list[str]()
    for token in _TOKEN.findall(text.lower()):
        if re.match(rf"[{_CJK}]", token):
            found += [token[start : start + 2] for start in range(max(1, len(token) - 1))]
        elif token not in _STOP_WORDS:
            found.append(str(_STEMMER.stemWord(token)))
    return found


def _stretched(scores: Scores) -> Scores:
    least, most = float(scores.min()), float(scores.max())
    return (scores - least) / ((most - least) or 1.0)
