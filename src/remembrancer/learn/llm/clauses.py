"""Texts cut into clauses, each with what it is compared by: its words, whom it names, how firmly it states it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from remembrancer.language.assertion import Assertion, assertion, is_conditional, reports, wishes, without_frame
from remembrancer.language.calendar import month_numbers, short_months, weekdays
from remembrancer.language.sentences import sentences
from remembrancer.language.spelling import folded
from remembrancer.language.tables import PatternTable, table, word_list
from remembrancer.language.terms import terms

USER: Final = "user"
ASSISTANT: Final = "assistant"
_CUES: Final = PatternTable("claims")
_QUOTED: Final = re.compile(r"[\"“„«»](?:[^\"“”„«»]*\s[^\"“”„«»]*\s[^\"“”„«»]*)(?:[\"”“«»]|$)|(?:^|(?<=\n))>.*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# As the engine writes a date next to its words, or a year behind it.
_ADDED_DATE: Final = re.compile(r" ?\([^()]{0,30}\b20\d\d\)|,? 20\d\d\b")
_COMMON: Final = ("common",)
_YEAR: Final = re.compile(r"20\d\d")
_ENOUGH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause with the properties that are compared.

    Args:
        place: of its source among those that are compared.
        text: with its sentence, which has its condition.
        words: its stems, without names and numbers; `common` are the insignificant ones.
        names: the names in it, folded.
        conditional: True if it has a condition.
        quoted: True if it is within quotation marks.
        answers: True if it answers a question; `bare` with a yes or a no alone.
    """

    place: int
    text: str
    sentence: str
    words: frozenset[str]
    common: frozenset[str]
    names: frozenset[str]
    assertion: Assertion
    conditional: bool
    quoted: bool
    answers: bool = False
    bare: bool = False

    @property
    def first(self) -> bool:
        """True if its subject is the speaker."""
        own = self.names or _CUES["they"].search(self.text)
        return bool(_CUES["first"].search(self.text) or (not own and _CUES["first"].search(self.sentence)))

    @property
    def we(self) -> bool:
        """True if its subject is the speaker and others."""
        return bool(_CUES["we"].search(self.text))

    @property
    def you(self) -> bool:
        """True if it speaks to somebody."""
        return bool(_CUES["you"].search(self.text))

    @property
    def refers(self) -> bool:
        """True if a pronoun of it means somebody or something that is named before."""
        return bool(_CUES["they"].search(self.text))

    @property
    def subjects(self) -> frozenset[str]:
        """The names in it that do not follow a preposition."""
        behind = {
            folded(found[0])
            for found in _WORD.finditer(self.text)
            if _CUES["behind_preposition"].search(self.text[: found.start()])
        }
        return self.names - behind

    @property
    def leans(self) -> bool:
        """True if its subject is that of the clause before it."""
        return bool(_CUES["subjectless"].match(self.text))


def clauses_of(text: str, tongue: str, *, place: int = 0, named: frozenset[str] = frozenset()) -> list[Clause]:
    """Return the clauses of a text; those without words of their own are joined with the next.

    Args:
        named: folded names in any spelling.
    """
    return [
        clause
        for sentence in sentences(_ADDED_DATE.sub("", text))
        for clause in _of_sentence(_without_address(sentence, named), tongue, place, named)
    ]


def _without_address(sentence: str, named: frozenset[str]) -> str:
    """Return a sentence without the yes or no, and whom it calls by name, as it begins."""
    if answer := _CUES["answer"].match(sentence):
        sentence = sentence[answer.end() :]
    found = _CUES["address"].match(sentence)
    return (
        sentence[found.end() :]
        if found and folded(found["name"]) in named and found.end() < len(sentence)
        else sentence
    )


def _of_sentence(sentence: str, tongue: str, place: int, named: frozenset[str]) -> list[Clause]:
    quoted = [found.span() for found in _QUOTED.finditer(sentence)]
    spans, left = _spans(sentence, tongue, named)
    made = [
        Clause(
            place=place,
            text=sentence[start:end],
            sentence=sentence,
            words=words_of(sentence[start:end], tongue, named),
            common=_common_of(sentence[start:end], tongue, named),
            names=named.intersection(_named(sentence[start:end])),
            assertion=assertion(sentence[start:end]),
            conditional=_is_conditional(sentence, spans, at),
            quoted=any(begin <= start + 1 and end <= to + 1 for begin, to in quoted),
        )
        for at, (start, end) in enumerate(spans)
    ]
    if left and made:
        # "…, I do": the words of the clause before it, with another subject.
        text = sentence[left:]
        names = named.intersection(_named(text))
        made.append(replace(made[-1], text=text, names=names, assertion=assertion(text)))
    return made


def _spans(sentence: str, tongue: str, named: frozenset[str]) -> tuple[list[tuple[int, int]], int]:
    """Return the spans of clauses with their own words, and the start of one with only a name, or 0."""
    found: list[tuple[int, int]] = []
    begin = left = 0
    for cut, after in [*(one.span() for one in _CUES["cut"].finditer(sentence)), (len(sentence), len(sentence))]:
        if words_of(sentence[begin:cut], tongue, named):
            found.append((begin, cut))
            begin = after
    if not found:
        return [(0, len(sentence))], 0
    if begin < len(sentence):
        rest = sentence[begin:]
        if reports(rest) or _CUES["once"].match(rest) or (wishes(rest) and _CUES["it"].search(rest)):
            return found, 0
        if _CUES["first"].search(rest) or roles_in(rest) or not named.isdisjoint(_named(rest)):
            left = begin
        else:
            found[-1] = (found[-1][0], len(sentence))
    return found, left


def _is_conditional(sentence: str, spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Return True if a clause has a condition, also before or after it."""
    start, end = spans[at]
    before = sentence[slice(*spans[at - 1])] if at else ""
    behind = sentence[slice(*spans[at + 1])] if at + 1 < len(spans) else ""
    if is_conditional(sentence[start:end]) or _CUES["opens_if"].match(before.lstrip()):
        return True
    return bool(_CUES["opens_if"].match(behind.lstrip())) and ";" not in sentence[end : spans[at + 1][0]]


def answer_of(text: str) -> str:
    """Return the yes or no with which a text begins and goes on; `""` for none."""
    found = _CUES["answer"].match(text)
    return found[0] if found else ""


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a text as they may be named: those with a hyphen and their parts."""
    for found in _WORD.finditer(text):
        whole = re.sub(r"['’]s?$", "", found[0])
        yield from {found[0], whole, *whole.split("-")}


def _named(text: str) -> Iterator[str]:
    """Yield the words that may be names, folded, also without what shows whose something is."""
    for found in _WORD.finditer(text):
        name = folded(re.sub(r"['’]s?$", "", found[0]))
        yield from (name, name.removesuffix("s"))


@lru_cache(maxsize=20_000)
def words_of(
    text: str, tongue: str, named: frozenset[str] = frozenset(), *, kinds: tuple[str, ...] = ("word", "name")
) -> frozenset[str]:
    """Return the stems of a text: without words of speech, names and numbers."""
    apart = _WORD.sub(lambda found: " " if _is_name(found[0], named) else found[0], without_frame(text))
    return frozenset(term.stem for term in terms(apart, tongue) if term.kind in kinds and len(term.stem) > 1)


def _common_of(text: str, tongue: str, named: frozenset[str]) -> frozenset[str]:
    """Return the common stems of a text; if it has no others, also those of its framing words."""
    if words_of(text, tongue, named):
        return words_of(text, tongue, named, kinds=_COMMON)
    return frozenset(term.stem for term in terms(text, tongue) if term.kind in ("word", "common")) - named


def _is_name(word: str, named: frozenset[str]) -> bool:
    return any(name in named or name in _roles() or name in _calendar() for name in _named(word))


@cache
def _calendar() -> frozenset[str]:
    return frozenset((*month_numbers(), *short_months(), *weekdays()))


@cache
def _roles() -> Mapping[str, str]:
    return {word: role for role, words in table("claims")["roles"].items() for word in words.split()}


@cache
def _no_names() -> frozenset[str]:
    plurals = (f"{name}s" for name in weekdays())
    return frozenset((*_calendar(), *_roles(), *word_list("claims", "no_names"), *plurals))


@lru_cache(maxsize=50_000)
def alike(one: str, other: str) -> bool:
    """Return True if two stems are forms of one word, or one is part of the other's compound."""
    if one == other:
        return True
    one, other = (re.sub(r"^ge(?=\w{4})", "", folded(word)) for word in (one, other))
    short, long = sorted((one, other), key=len)
    if (
        len(short) >= _ENOUGH
        and long.startswith(short[: max(_ENOUGH, len(short) - 2)])
        and len(long) - len(short) <= _ENOUGH
    ):
        return True
    return len(short) > _ENOUGH and short in long


def overlap(words: Iterable[str], others: Iterable[str]) -> int:
    """Return the number of of some stems are among others."""
    known = set(others)
    return sum(word in known or any(alike(word, other) for other in known) for word in words)


def names_in(text: str, tongue: str, *, unsure: bool = False) -> frozenset[str]:
    """Yield the names in a text, folded, as far as its capitals show them.

    Args:
        unsure: True if a German noun in the place of a name counts.
    """
    return frozenset(name for sentence in sentences(text) for name in _names(sentence, tongue, unsure=unsure))


def _names(sentence: str, tongue: str, *, unsure: bool) -> Iterator[str]:
    for found in _WORD.finditer(sentence):
        raw = re.sub(r"['’]s?$", "", found[0])
        name, before, end = folded(raw), sentence[: found.start()], found.start() + len(raw)
        if not raw[:1].isupper() or len(raw) < 2 or not words_of(raw.casefold(), tongue) or name in _no_names():
            continue
        if not before.strip(" \"'“„«»(-") or before.rstrip()[-1:] in ":.!?":
            behind = [
                _CUES["verb_behind"],
                *((_CUES[f"{tongue}_verb_behind"],) if tongue in ("english", "german") else ()),
            ]
            if any(verb.match(sentence, end) for verb in behind):
                yield name
        elif tongue != "german" or (
            not (_CUES["determined"].search(before) or _CUES["noun_ending"].search(raw))
            and (_CUES["before_name"].search(before) or (unsure and _CUES["before_noun"].search(before)))
        ):
            yield name


def speaker_names(by: str) -> frozenset[str]:
    """Return the words of a speaker's name, folded."""
    return frozenset(map(folded, _WORD.findall(by)))


def roles_in(text: str) -> frozenset[str]:
    """Return whether a text speaks of "the user" or "the assistant"."""
    return frozenset(_roles()[word] for word in map(folded, _WORD.findall(text)) if word in _roles())


def is_instruction(sentence: str) -> bool:
    """Return True if a sentence is an instruction for the future."""
    return bool(_CUES["instructs"].search(sentence)) and not _CUES["states"].search(sentence) and "?" not in sentence


def word_for_word(text: str, sentence: str) -> bool:
    """Return True if a text has a sentence verbatim, apart from added dates and polite words."""
    text_words, own = _plain(_ADDED_DATE.sub(" ", text)), _plain(sentence)
    return any(text_words[at : at + len(own)] == own for at in range(len(text_words) - len(own) + 1))


def _plain(text: str) -> list[str]:
    return [
        word
        for word in map(folded, _TOKEN.findall(text))
        if word not in word_list("claims", "polite") and not _YEAR.fullmatch(word)
    ]
