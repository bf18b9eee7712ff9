"""The statements of a log, and the phrases that a reflector adds to them and reads again."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cache
from typing import Final

from remembrancer.language.cues import marks
from remembrancer.language.sentences import sentences
from remembrancer.language.tables import LANGUAGES, table
from remembrancer.language.terms import Term, language, terms
from remembrancer.learn.observe.notes import GAP
from remembrancer.learn.observe.salience import sentence_score
from remembrancer.types.record import Observation, Reflection, Role

_DAY: Final = r"\d{4}-\d\d-\d\d"
# The speaker, as observers write it at the beginning of a line.
SPEAKER: Final = r"[^\s:.!?()][^:.!?()\n]{0,39}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The words of a language that a reflector adds to statements."""

    on: str
    repeated: str
    repeated_in_a_day: str
    before: str
    also: str
    also_in_a_day: str


@cache
def phrases_of(language: str) -> Phrases:
    """Return the phrases of a language."""
    return Phrases(**table("reflections")[language])


def _any(*names: str) -> str:
    """Return the expression for some phrases in all languages."""
    phrases = (re.escape(getattr(wording, name)) for wording in map(phrases_of, LANGUAGES) for name in names)
    return (
        "|".join(phrases)
        .replace(r"\{times\}", r"\d{1,9}")
        .replace(r"\{since\}", _DAY)
        .replace(r"\{until\}", _DAY)
        .replace(r"\{day\}", _DAY)
    )


@cache
def date_pattern() -> re.Pattern[str]:
    """Return the pattern of a day at the beginning of a reflection's sentence, in any language."""
    return re.compile(rf"(?:^|(?<=[.!?…)]\s))(?P<on>{_any('on')})(?: (?P<speaker>{SPEAKER}))?: ")


@cache
def repetition_pattern() -> re.Pattern[str]:
    """Return the pattern of the number of times that something was repeated, in any language."""
    return re.compile(rf"(?P<repeated>{_any('repeated', 'repeated_in_a_day')}): (?:(?P<speaker>{SPEAKER}): )?")


@cache
def previous_value_pattern() -> re.Pattern[str]:
    """Return the pattern of the older value at the end of a reflection, in any language."""
    return re.compile(rf"\s*\((?P<before>(?:{_any('before')}): [^()]*)\)$")


DAYS: Final = re.compile(_DAY)
NUMBER: Final = re.compile(r"(?<![\d-])\d{1,9}(?![\d-])")


def between(phrase: str, phrase_in_a_day: str, since: str, until: str, times: int = 0) -> str:
    """Return a phrase about a stretch of days, or about the one day that it is."""
    return (phrase if since != until else phrase_in_a_day).format(times=times, since=since, until=until)


_SPOKEN: Final = re.compile(rf"(?P<speaker>{SPEAKER}): (?=\S)")
_ASSISTANT: Final = f"The {Role.ASSISTANT.value}"
_CONTENT: Final = frozenset({"word", "name", "number"})
LEAST_CONTENT: Final = 2
_ENDS: Final = (".", "!", "?", "…", ")", "]", '"', "”", "»", "。", "！", "？", "`", ":", ";")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of a log.

    Args:
        place: of its observation in the log.
        at: its place in its observation.
        speaker: as the observer wrote it; `""` if the sentence has it.
        since, until: the days of its first and last repetition, as ISO text.
        times: the number of repetitions.
        before: the earlier value, if it is a changed one; or `""`.
        tongue: its language.
        terms: its words, in order and without stop words.
        tokens: its length.
        rule: True if a person lays something down in it, judged by its words.
        keep_score: the logarithm of the odds that a person would want it kept.
    """

    place: int
    at: int = 0
    speaker: str
    text: str
    since: str
    until: str
    times: int = 1
    before: str = ""
    tongue: str
    terms: tuple[Term, ...]
    tokens: int
    rule: bool
    keep_score: float

    @property
    def content(self) -> frozenset[str]:
        """The stems of its topic."""
        return frozenset(term.stem for term in self.terms if term.kind in _CONTENT)

    @property
    def hollow(self) -> bool:
        """True if it has at most one topic word, and so no meaning by itself."""
        return len(self.content) < LEAST_CONTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    speaker: str
    since: str
    until: str
    times: int = 1


def statements(observations: Sequence[Observation], count: Callable[[str], int]) -> list[Statement]:
    """Return the statements of a log, in its order; each observation has one at least."""
    return [statement for place, observation in enumerate(observations) for statement in _of(observation, place, count)]


def tongue_of(observations: Sequence[Observation]) -> str:
    """Return the language of a log."""
    return language("\n".join(observation.text for observation in observations[-100:]))


def _of(observation: Observation, place: int, count: Callable[[str], int]) -> Iterator[Statement]:
    tongue, at = language(observation.text), 0
    for sentence in _sentences_of(observation):
        for text, before in _sentences(sentence.text):
            at += 1
            if text == GAP:
                continue
            words, marked, tokens = terms(text, tongue), marks(text), count(text)
            by_assistant = sentence.speaker == _ASSISTANT
            yield Statement(
                place=place,
                at=at,
                speaker=sentence.speaker,
                text=text,
                since=sentence.since,
                until=sentence.until,
                times=sentence.times,
                before=before,
                tongue=tongue,
                terms=tuple(term for term in words if term.kind != "stop"),
                tokens=tokens,
                rule=not by_assistant and not marked.asks and marked.has("instruction"),
                keep_score=sentence_score(text, words, marked, tokens, by_assistant=by_assistant),
            )


def _sentences_of(observation: Observation) -> list[_Sentence]:
    """Return the sayings of an observation, one for each time; a reflection may have several."""
    text = " ".join(observation.text.split())
    day = f"{observation.occurred_at.astimezone(UTC):%Y-%m-%d}"
    if isinstance(observation, Reflection):
        if repetition := repetition_pattern().match(text):
            days = DAYS.findall(repetition["repeated"])
            times = NUMBER.search(repetition["repeated"])
            return [
                _Sentence(
                    text=text[repetition.end() :],
                    speaker=repetition["speaker"] or "",
                    since=days[0],
                    until=days[-1],
                    times=int(times[0]) if times else 1,
                )
            ]
        if found := list(date_pattern().finditer(text)):
            return list(_dated(text, found, day))
    return [_turn(" ".join(line.split()), day) for line in observation.text.splitlines() if line.strip()] or [
        _turn("", day)
    ]


def _turn(line: str, day: str) -> _Sentence:
    """Return the saying of one line of a note, which begins with its speaker."""
    spoken = _SPOKEN.match(line)
    return _Sentence(
        text=line[spoken.end() :] if spoken else line,
        speaker=spoken["speaker"] if spoken else "",
        since=day,
        until=day,
    )


def _dated(text: str, found: list[re.Match[str]], day: str) -> Iterator[_Sentence]:
    if head := text[: found[0].start()].strip():
        yield _Sentence(text=head, speaker="", since=day, until=day)
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=True):
        (when,) = DAYS.findall(match["on"])
        yield _Sentence(text=text[match.end() : end].strip(), speaker=match["speaker"] or "", since=when, until=when)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a text, each with its earlier value; the text itself if it has none."""
    change = previous_value_pattern().search(text)
    before = change["before"] if change else ""
    found = list(sentences(text[: change.start()] if change else text)) or [text]
    for at, sentence in enumerate(found):
        yield finished(sentence), before if at == len(found) - 1 else ""


def finished(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith(_ENDS) or not text else f"{text}."
