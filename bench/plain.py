"""Plain search to compare with: one vector a text, and words beside it; no code of the product's ranking is in it.

`plain-dense` is the cosine of the question with `role: text`, cut after 800 characters. `plain-hybrid` adds BM25 (k1
1.2, b 0.75, lower-case words of two letters and more, no stems, no stop words): half of each, stretched from the least
to the most that the question has. Both look at every text that was said before the question.
"""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.sets import Dialogue, Question
from remembrancer.ports.embedder import Embedder

PLAIN = ("plain-dense", "plain-hybrid")
_READ_CHARACTERS = 800
_K1, _B = 1.2, 0.75
_BATCH = 256
_WORD = re.compile(r"\w\w+")
Scores = NDArray[np.float64]


def ranked(dialogue: Dialogue, embedder: Embedder, arm: str) -> Iterator[tuple[Question, list[str]]]:
    """Every question with the references of all that stands before it, best first, each once."""
    named = [_reference(dialogue, place) for place in range(len(dialogue.turns))]
    for question, order in places(dialogue, embedder, arm):
        yield question, list(dict.fromkeys(named[place] for place in order))


def places(dialogue: Dialogue, embedder: Embedder, arm: str) -> Iterator[tuple[Question, list[int]]]:
    """Every question with the places of all turns that stand before it, best first."""
    texts = [f"{turn.role}: {turn.text[:_READ_CHARACTERS]}" for turn in dialogue.turns]
    parts = [embedder.documents(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    rows = np.concatenate(parts).astype(np.float64)
    counts = [Counter(_words(turn.text)) for turn in dialogue.turns]
    for question in dialogue.questions:
        end = len(texts) if question.after is None else question.after
        scores = rows[:end] @ embedder.queries([question.text])[0]
        if arm == "plain-hybrid":
            scores = _stretched(scores) + _stretched(_bm25(_words(question.text), counts[:end]))
        yield question, np.argsort(-scores, kind="stable").tolist()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _bm25(asked: list[str], counts: list[Counter[str]]) -> Scores:
    lengths = np.array([sum(found.values()) for found in counts], dtype=np.float64)
    mean = float(lengths.mean()) or 1.0
    scores = np.zeros(len(counts))
    for word in dict.fromkeys(asked):
        here = np.array([found[word] for found in counts], dtype=np.float64)
        containing = int((here > 0).sum())
        weight = np.log(1 + (len(counts) - containing + 0.5) / (containing + 0.5))
        scores += weight * here * (_K1 + 1) / (here + _K1 * (1 - _B + _B * lengths / mean))
    return scores


def _stretched(scores: Scores) -> Scores:
    least, most = float(scores.min()), float(scores.max())
    return (scores - least) / ((most - least) or 1.0)


def _reference(dialogue: Dialogue, place: int) -> str:
    turn = dialogue.turns[place]
    if dialogue.by_session:
        return turn.session.rsplit("/", 1)[-1]
    return f"{turn.conversation}#{turn.reference}" if dialogue.name == "longmemeval" else turn.reference
