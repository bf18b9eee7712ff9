"""Relations between named things in a text, in English and German, by patterns and without a model.

"Ana works at Acme", "Clara is Ana's sister", "I moved to Lisbon". Questions, quotations and what is unsure, wished or
conditional relate nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final

from remembrancer.language.names import NAME_PATTERN, is_common, named
from remembrancer.language.sentences import sentences
from remembrancer.language.tables import PatternTable, table

_LONGEST_TEXT: Final = 4_000
_LONGEST_SENTENCE: Final = 400
_MOST: Final = 20
_UNSURE: Final = PatternTable("statements")
_PATTERNS: Final = PatternTable("relations")
_LANGUAGES: Final = ("english", "german")
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


ONE_AT_A_TIME: Final = frozenset(
    (Predicate.WORKS_AT, Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.MARRIED_TO, Predicate.REPORTS_TO)
)
"""The predicates with one object at a time: a new one ends the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation that a text states.

    Args:
        subject: the subject as written, or the speaker for "I".
        predicate: its kind; `sister_of` and the like for kin.
        object: the object as written.
        is_name: whether the object is a name, and not a value.
        ended: whether the text states that the relation is over.
    """

    subject: str
    predicate: str
    object: str
    is_name: bool = True
    ended: bool = False


@lru_cache(maxsize=8_192)
def relations_of(text: str, *, speaker: str = "") -> tuple[Relation, ...]:
    """Return the relations that a text states, each once, in order.

    Args:
        speaker: the person that "I" means; without one such sentences are ignored.
    """
    if not _PATTERNS["cue"].search(text):
        return ()
    found = (
        one
        for sentence in sentences(text[:_LONGEST_TEXT])
        if len(sentence) <= _LONGEST_SENTENCE and not _is_unsure(sentence)
        for one in _in_sentence(sentence, speaker)
    )
    return tuple(dict.fromkeys(found))[:_MOST]


def _is_unsure(sentence: str) -> bool:
    return sentence.rstrip().endswith("?") or any(
        _UNSURE[cue].search(sentence) is not None for cue in ("not_stated", "unsure")
    )


def _in_sentence(sentence: str, speaker: str) -> Iterator[Relation]:
    ended = _PATTERNS["ended"].search(sentence) is not None
    if not ended and _UNSURE["negative"].search(sentence):
        return
    for predicate, pattern in _compiled():
        for match in pattern.finditer(sentence):
            if relation := _relation(predicate, match.groupdict(), speaker, ended=ended):
                yield relation


def _relation(predicate: Predicate, groups: dict[str, str | None], speaker: str, *, ended: bool) -> Relation | None:
    is_kin = predicate is Predicate.KIN
    name, whose = groups.get("s") or groups.get("t") or "", groups.get("n") or groups.get("o") or groups.get("v") or ""
    subject = speaker if name.casefold() in _FIRST_PERSON else _trimmed(name)
    other = speaker if groups.get("mine") or whose.casefold() in _FIRST_PERSON else whose
    if not subject or not other or named(subject) == named(other) or not named(subject):
        return None
    kind = f"{_kin()[groups.get('k') or '']}_of" if is_kin else predicate.value
    return Relation(
        subject=subject,
        predicate=kind,
        object=other.strip().rstrip(",;"),
        is_name=bool(groups.get("n") or groups.get("mine") or re.match(NAME_PATTERN, other)),
        ended=ended,
    )


def _trimmed(name: str) -> str:
    """Return a name without the common words and those for kin that it begins with: `Meine Schwester Clara`."""
    words = name.split(" ")
    while len(words) > 1 and (is_common(words[0]) or words[0] in _kin()):
        words.pop(0)
    return " ".join(words)


@cache
def _kin() -> Mapping[str, str]:
    """Return the words for kin and company of both languages, each with the English one."""
    words = table("relations")["kin_words"]
    return {word: "neighbour" if word == "neighbor" else word for word in words["english"]} | words["german"]


@cache
def _compiled() -> Sequence[tuple[Predicate, re.Pattern[str]]]:
    words = table("relations")
    kin = "|".join(sorted(_kin(), key=len, reverse=True))
    fill = {
        "{S}": rf"(?P<s>{NAME_PATTERN}|\b(?:I|[Ww]e|[Ii]ch|[Ww]ir)\b)",
        "{T}": rf"(?P<t>{NAME_PATTERN})",
        "{N}": rf"(?P<n>{NAME_PATTERN})",
        "{O}": rf"(?P<o>{NAME_PATTERN}|(?:an? |the |\d+ |eine?n? |[a-zäöü]+e )?[\w-]+(?: [\w-]+)?)",
        "{V}": r"(?P<v>[^.!?;]{3,120})",
        "{K}": rf"(?P<k>{kin})",
    }
    found: list[tuple[Predicate, re.Pattern[str]]] = []
    for predicate in Predicate:
        for language in _LANGUAGES:
            for text in words[predicate.value].get(language, ()):
                filled = text
                for place, pattern in fill.items():
                    filled = filled.replace(place, pattern)
                found.append((predicate, re.compile(filled)))
    return found
