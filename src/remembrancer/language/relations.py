"""Relations between named things in a text, in English and German, by patterns and without a model.

"Ana works at Acme", "Clara is Ana's sister", "I moved to Lisbon". Questions, quotations and what is unsure, wished or
conditional relate nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import Final

from remembrancer.language.names import (
    NAME_PATTERN,
    NAME_WORD,
    SHORT_FORM,
    TITLE,
    begins_no_name,
    is_common,
    is_of_people,
    is_office,
    is_role,
    named,
)
from remembrancer.language.sentences import sentences
from remembrancer.language.tables import PatternTable, table

_LONGEST_TEXT: Final = 4_000
_LONGEST_SENTENCE: Final = 400
_MOST: Final = 20
_UNSURE: Final = PatternTable("statements")
_PATTERNS: Final = PatternTable("relations")
_LANGUAGES: Final = ("english", "german")
_MONTH: Final = re.compile(r"(?<=\S )May\b")
_SINCE: Final = re.compile(r"\b(?:[Ss]ince|[Ss]eit) ([\w. ]{3,30})")
_WORD_BEFORE: Final = re.compile(r"(?:^| )([a-zäöüß]+) $")
# Ana, my sister, works at Acme.
_APPOSITION: Final = (
    r"(?: <[^<>]{3,60}>| \([^()]{2,60}\))?"
    r"(?:, (?:an? |the |my |our |who |also |meine? |unsere? |die |der |eine? )[^,.;]{2,60},)?"
)
_FIRST_PERSON: Final = frozenset(("i", "we", "ich", "wir"))


class Predicate(StrEnum):
    """The kinds of relation."""

    WORKS_AT = "works_at"
    LIVES_IN = "lives_in"
    BORN_IN = "born_in"
    KIN = "kin"
    MARRIED_TO = "married_to"
    OWNS = "owns"
    DEPENDS_ON = "depends_on"
    USES = "uses"
    MEMBER_OF = "member_of"
    REPORTS_TO = "reports_to"
    LOCATED_IN = "located_in"
    MADE_BY = "made_by"
    DECIDED = "decided"
    SAME_AS = "same_as"


ONE_AT_A_TIME: Final = frozenset(
    (Predicate.WORKS_AT, Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.MARRIED_TO, Predicate.REPORTS_TO)
)
"""The predicates with one object at a time: a new one ends the one before."""


DIFFERENT_FROM: Final = "different_from"
"""The predicate of two names of different entities; it is only declared."""
MEANT_BY: Final = "meant_by"
"""The predicate of the name that some memories mean by another one; it is only declared."""
OF_NAMES: Final = frozenset((Predicate.SAME_AS, DIFFERENT_FROM, MEANT_BY))
"""The predicates that relate names and not entities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation that a text states.

    Args:
        subject: the subject as written, or the speaker for "I".
        predicate: its kind; `sister_of` and the like for kin.
        object: the object as written.
        is_name: whether the object is a name, and not a value.
        ended: whether the text states that the relation is over.
        since: when it began, in the words of the text; `""` if it has none.
        memories: ids of the memories that a relation of names is restricted to; empty for all.
        declared: whether a caller declared it, and no text states it.
    """

    subject: str
    predicate: str
    object: str
    is_name: bool = True
    ended: bool = False
    since: str = ""
    memories: tuple[str, ...] = ()
    declared: bool = False


_OF_TITLES: Final = frozenset((Predicate.MADE_BY, Predicate.LOCATED_IN))
_APPENDED: Final = re.compile(r", (?:\d+(?:st|nd|rd|th) )?$")
# What a verb in the past relates for a period is over.
_PERIOD: Final = re.compile(r",? (?:from|between|von|zwischen) \d{4} (?:to|until|till|through|and|bis|und) \d{4}\b")
_PAST: Final = re.compile(r"\b(?:was|were|war|waren|\w+ed|\w+te)\b")
_FIRST_SIDE: Final = re.compile(rf".*?{NAME_PATTERN} (?:and|und|&) ")
# The predicates of what may be over.
_ENDING: Final = frozenset(Predicate) - _OF_TITLES - OF_NAMES - {Predicate.DECIDED, Predicate.BORN_IN, Predicate.KIN}


@lru_cache(maxsize=8_192)
def relations_of(text: str, *, speaker: str = "") -> tuple[Relation, ...]:
    """Return the relations that a text states, each once, in order.

    Args:
        speaker: the person that "I" means; without one such sentences are ignored.
    """
    if not _any_cue().search(text):
        return ()
    title = TITLE.match(text)
    found = (
        _with_title(one, title, sentence) if title and one.predicate in _OF_TITLES else one
        for sentence in sentences(text[:_LONGEST_TEXT])
        if len(sentence) <= _LONGEST_SENTENCE and not _is_unsure(sentence)
        for one in _in_sentence(sentence, speaker)
    )
    # An office is of several people: George Grey, 2nd Earl of Kent, was the son of Edmund Grey.
    stated = (one for one in found if one.predicate in _OF_TITLES or not is_office(named(one.subject)))
    return tuple(dict.fromkeys(stated))[:_MOST]


def _with_title(relation: Relation, title: re.Match[str], sentence: str) -> Relation:
    """Return a relation with the title of its note as the subject if that is its end and the sentence repeats it.

    A common word or a comma divides a title: `They All Come Out`, `That Devil, Bateese`.
    """
    is_repeated = title[1] in sentence.removeprefix(title[0].strip())
    is_end = title[1].endswith(f" {relation.subject}")
    return replace(relation, subject=title[1]) if is_end and is_repeated else relation


def _is_unsure(sentence: str) -> bool:
    # The month is no "may".
    checked = _MONTH.sub("", sentence)
    return sentence.rstrip().endswith("?") or any(
        _UNSURE[cue].search(checked) is not None for cue in ("not_stated", "unsure")
    )


def _in_sentence(sentence: str, speaker: str) -> Iterator[Relation]:
    searches = [one for one in _searches() if one.cue.search(sentence)]
    if not searches:
        return
    ends = _PATTERNS["ended"].search(sentence) is not None
    if not ends and _UNSURE["negative"].search(sentence):
        return
    since = _SINCE.search(sentence)
    for one in searches:
        for match in (found for pattern in one.patterns for found in pattern.finditer(sentence)):
            # A name behind a small word is the end of a longer one: Love in a Fallen City.
            before = sentence[: match.start()]
            if one.predicate is not Predicate.KIN and _is_cut_off(before):
                continue
            groups, after = match.groupdict(), sentence[match.end() :]
            if _describes_next(one.predicate, groups, after):
                continue
            # Sir Roger Martin, 5th Baronet, was the son of Sir Mordaunt.
            subject = groups.get("s") or ""
            if one.predicate not in _OF_TITLES and _APPENDED.search(before) and is_role(named(subject)):
                continue
            # Wendy and Lucy is one film.
            if one.predicate in _OF_TITLES and _FIRST_SIDE.fullmatch(before):
                continue
            is_past = ends or (_PERIOD.match(after) is not None and _PAST.search(match[0]) is not None)
            ended = is_past and one.predicate in _ENDING
            if relation := _relation(one.predicate, groups, speaker, ended=ended):
                yield replace(relation, since=since[1]) if since else relation


def _describes_next(predicate: Predicate, groups: Mapping[str, str | None], after: str) -> bool:
    """Return whether the object only describes what follows.

    Married to Pussy Riot member Nadezhda, founded by American rapper Rick Ross.
    """
    if predicate is Predicate.MARRIED_TO:
        return _role_and_name().match(after) is not None
    return predicate is Predicate.MADE_BY and is_of_people(named(groups.get("n") or "")) and after[1:2].islower()


@cache
def _role_and_name() -> re.Pattern[str]:
    return re.compile(rf" (?:member|star|{'|'.join(table('relations')['roles']['english'])}) {NAME_WORD}")


def _is_cut_off(before: str) -> bool:
    """Return whether a small word precedes a name, so that the name is only the end of a longer one."""
    word = _WORD_BEFORE.search(before)
    return word is not None and word[1] not in _clauses() and word[1] not in _kin()


def _relation(predicate: Predicate, groups: dict[str, str | None], speaker: str, *, ended: bool) -> Relation | None:
    is_kin = predicate is Predicate.KIN
    name, whose = (
        groups.get("s") or groups.get("t") or "",
        next((groups[one] for one in "nova" if groups.get(one)), "") or "",
    )
    subject = _person(name, speaker)
    other = speaker if groups.get("mine") else _person(whose, speaker) if groups.get("n") else whose
    if not subject or not other or named(subject) == named(other):
        return None
    kind = f"{_kin()[groups.get('k') or '']}_of" if is_kin else predicate.value
    return Relation(
        subject=subject,
        predicate=kind,
        object=other.strip().rstrip(",;"),
        is_name=bool(groups.get("n") or groups.get("mine") or groups.get("a") or re.match(NAME_PATTERN, other)),
        ended=ended,
    )


def _person(name: str, speaker: str) -> str:
    """Return a name without the common words and those for kin that it begins with; the speaker for "I".

    Empty if nothing is left: `My` begins a sentence and is no name.
    """
    words = SHORT_FORM.sub("", name).split(" ")
    if words[0].casefold() in _FIRST_PERSON:
        return speaker
    while words and (words[0] in _kin() or (begins_no_name(words[0]) if words[1:] else is_common(words[0]))):
        words.pop(0)
    # In 1908 Steele left.
    while words[1:] and words[0].isdigit():
        words.pop(0)
    return " ".join(words)


@cache
def _clauses() -> frozenset[str]:
    """Return the words that begin a clause."""
    return frozenset(word for words in table("relations")["clauses"].values() for word in words)


@cache
def _kin() -> Mapping[str, str]:
    """Return the words for kin and company of both languages, each with the English one."""
    words = table("relations")["kin_words"]
    return {word: "neighbour" if word == "neighbor" else word for word in words["english"]} | words["german"]


@dataclass(frozen=True)
class _Search:
    """The patterns of one kind of relation, and what a text has that may match one of them."""

    predicate: Predicate
    cue: re.Pattern[str]
    sources: Sequence[str]

    @cached_property
    def patterns(self) -> Sequence[re.Pattern[str]]:
        """The compiled patterns. All of them need half a second, and a text has the cues of few."""
        return [re.compile(source) for source in self.sources]


def _cue(predicates: Sequence[Predicate]) -> re.Pattern[str]:
    """Return the expression of the cues of some relations.

    Cues at the beginning of a word are alternatives behind one boundary, which needs a fourth of the time of several
    searches.
    """
    words = table("relations")
    entries = [words[one.value] for one in predicates]
    first = [one["cue"] for one in entries if "cue" in one]
    first += [rf"(?:{'|'.join(_kin())})\b"] if Predicate.KIN in predicates else []
    inside = [one["cue_inside"] for one in entries if "cue_inside" in one]
    return re.compile("|".join([*([rf"\b(?:{'|'.join(first)})"] if first else []), *inside]))


@cache
def _any_cue() -> re.Pattern[str]:
    return _cue(list(Predicate))


@cache
def _searches() -> Sequence[_Search]:
    words = table("relations")
    kin = {language: "|".join(sorted(words["kin_words"][language], key=len, reverse=True)) for language in _LANGUAGES}
    fill = {
        "{S}": rf"(?P<s>{NAME_PATTERN}|\b(?:I|[Ww]e|[Ii]ch|[Ww]ir)\b){_APPOSITION}",
        "{I}": r"(?P<s>\b(?:I|[Ww]e)\b)",
        "{F}": rf"(?P<t>{NAME_WORD} {NAME_WORD})",
        "{T}": rf"(?P<t>{NAME_PATTERN})",
        "{N}": rf"(?P<n>{NAME_PATTERN})",
        "{O}": rf"(?P<o>{NAME_PATTERN}|(?:an? |the |\d+ |eine?n? |[a-zäöü]+e )?[\w-]+(?: [\w-]+)?)",
        "{A}": r"(?P<a>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
        "{V}": r"(?P<v>[^.!?;]{3,120})",
        "{R}": rf"(?:{'|'.join(words['roles']['english'])})",
    }

    def filled(text: str, language: str) -> str:
        text = text.replace("{K}", rf"(?P<k>{kin[language]})")
        for place, pattern in fill.items():
            text = text.replace(place, pattern)
        return text

    return [
        _Search(
            predicate=predicate,
            cue=_cue([predicate]),
            sources=[filled(text, one) for one in _LANGUAGES for text in words[predicate.value].get(one, ())],
        )
        for predicate in Predicate
    ]
