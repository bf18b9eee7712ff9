"""Ways to make a run of messages shorter: the opponents of the observer, each given the same number of tokens."""

import math
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence  # pyright: ignore[reportUnknownVariableType]
from sumy.summarizers.lex_rank import LexRankSummarizer  # pyright: ignore[reportUnknownVariableType]
from sumy.summarizers.lsa import LsaSummarizer  # pyright: ignore[reportUnknownVariableType]
from sumy.summarizers.text_rank import TextRankSummarizer  # pyright: ignore[reportUnknownVariableType]

from bench.survival import terms
from remembrancer.language.sentences import sentences
from remembrancer.language.words import stop_words
from remembrancer.learn.observe.observe import speaker
from remembrancer.types.record import Message

Count = Callable[[str], int]
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
# The first kept most evidence of the three, so that it is what the notes are compared with.
_SUMMARISERS: dict[str, Any] = {"lsa": LsaSummarizer, "textrank": TextRankSummarizer, "lexrank": LexRankSummarizer}
SUMMARISERS = tuple(_SUMMARISERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something kept, with the numbers of the first and last message that it stands for, and what it costs."""

    text: str
    first: int
    last: int
    tokens: int


class _Room:
    """Tokens that are spent: on words or sentences, and once a message on the name of who said it, as in a note."""

    def __init__(self, budget: int, count: Count, *, named: bool = True) -> None:
        self._left = budget
        self._count = count
        self._pays = named
        self._named: set[int] = set()
        self.lines: list[Line] = []

    def takes(self, text: str, message: Message) -> bool:
        """Whether there was room for it."""
        cost = self._count(f" {text}")
        if self._pays and message.number not in self._named:
            cost += self._count(f"\n{speaker(message)}:")
        if cost > self._left:
            return False
        self._left -= cost
        self._named.add(message.number)
        self.lines.append(Line(text=text, first=message.number, last=message.number, tokens=cost))
        return True


def head(run: Sequence[Message], budget: int, count: Count) -> list[Line]:
    """The first words of a run."""
    return _until_full(((word, message) for message in run for word in message.text.split()), budget, count)


def tail(run: Sequence[Message], budget: int, count: Count) -> list[Line]:
    """The last words of a run."""
    backwards = ((word, message) for message in reversed(run) for word in reversed(message.text.split()))
    return _until_full(backwards, budget, count)


def _until_full(words: Iterable[tuple[str, Message]], budget: int, count: Count) -> list[Line]:
    room = _Room(budget, count)
    for word, message in words:
        if not room.takes(word, message):
            break
    return room.lines


def keywords(
    run: Sequence[Message], budget: int, count: Count, rarity: dict[str, float], *, named: bool = True
) -> list[Line]:
    """The rarest words of each message, without any grammar: a list a message, as notes are of messages.

    Args:
        rarity: the idf of each stem, over the messages of its dialogue.
        named: whether each list pays for the name of who spoke; without it no text can show where a list ends.
    """
    found = [
        (counts[stem] * rarity[stem], message, word)
        for message in run
        for counts, shown in (_stems(message.text),)
        for stem, word in shown.items()
    ]
    ranked = sorted(found, key=lambda entry: (-entry[0], entry[1].number))
    room = _Room(budget, count, named=named)
    for _, message, word in ranked:
        room.takes(word, message)
    return room.lines


def vocabulary(run: Sequence[Message], budget: int, count: Count, rarity: dict[str, float]) -> list[Line]:
    """The words of highest tf-idf of a whole run, each once: who said what, and of what, is lost."""
    counts, shown = _stems("\n".join(message.text for message in run))
    lines: list[Line] = []
    for stem in sorted(counts, key=lambda stem: (-counts[stem] * rarity[stem], stem)):
        cost = count(f" {shown[stem]}")
        if cost <= budget:
            budget -= cost
            lines.append(Line(text=shown[stem], first=run[0].number, last=run[-1].number, tokens=cost))
    return lines


def _stems(text: str) -> tuple[Counter[str], dict[str, str]]:
    """How often each stem stands in a text, and the word that stands for it."""
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        for stem in terms(word):
            counts[stem] += 1
            shown.setdefault(stem, word)
    return counts, shown


def rarities(runs: Iterable[Sequence[Message]]) -> dict[str, float]:
    """The idf of every term over the messages of a dialogue."""
    holding: Counter[str] = Counter()
    count = 0
    for run in runs:
        for message in run:
            count += 1
            holding.update(_stems(message.text)[0].keys())
    return {stem: math.log((1 + count) / (1 + held)) + 1 for stem, held in holding.items()}


class _Words:
    """Cuts a sentence into words for sumy, whose own tokenizer wants downloaded data."""

    def to_words(self, sentence: str) -> tuple[str, ...]:
        return tuple(_WORD.findall(sentence))


def summary(run: Sequence[Message], budget: int, count: Count, summariser: str = SUMMARISERS[0]) -> list[Line]:
    """The sentences that an extractive summariser ranks highest, as many as fit.

    Args:
        summariser: one of `SUMMARISERS`.
    """
    said = [
        (sentence, message) for message in run for line in message.text.splitlines() for sentence in sentences(line)
    ]
    speakers = dict(reversed(said))
    room = _Room(budget, count)
    if len(said) < 2:
        return [line for sentence, message in said if room.takes(sentence, message) for line in room.lines]
    ranker = _SUMMARISERS[summariser](_stemmed)
    ranker.stop_words = stop_words()["english"]
    document = ObjectDocumentModel([Paragraph([Sentence(sentence, _Words()) for sentence, _ in said])])

    def affordable(ranked: Iterable[Any]) -> list[Any]:
        return [found for found in ranked if room.takes(str(found.sentence), speakers[str(found.sentence)])]

    with warnings.catch_warnings():
        # Few words for so many sentences: it says that it may not do its best, and does well.
        warnings.simplefilter("ignore", UserWarning)
        ranker(document, affordable)
    return room.lines


def _stemmed(word: str) -> str:
    return next(iter(terms(word)), word)
