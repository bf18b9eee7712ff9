"""Replacement of an older statement by a newer one, in English and German.

A text replaces another if both state the same except for a value that excludes the other (a day, a clock time, a date,
a number, a name), if it reports a changed value of the same thing, or if it ends something that the older one states.
Text that is hedged, wished, planned, asked, quoted, conditional, past or additional replaces nothing: in doubt both
remain.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from remembrancer.language.calendar import weekdays
from remembrancer.language.dates.written import DATE_VALUES
from remembrancer.language.spelling import folded
from remembrancer.language.stems import stem
from remembrancer.language.tables import PatternTable
from remembrancer.language.words import ENGLISH, language_of, stop_words

# A longer text speaks of much.
_LONGEST: Final = 400
# So many words that two sentences share make them about the same thing, or one where either has no more than this.
_SHARED: Final = 2
_SHORT: Final = 3
# A longer sentence has more than one value of one thing.
_MOST: Final = 8


_SENTENCE: Final = re.compile(r"(?<!\b[DMSNFH]r\.)(?<!\b[MS][st]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\d\.)(?<=[.!?;\n])\s+")
_CUES: Final = PatternTable("statements")
# By what each is asked for, in English and German.
_ASKED_BY: Final = {"lives": ("live", "wohne"), "works": ("work", "arbeite")}
_IS_SHORT: Final = re.compile(r"\w['’](?:s|m|re)\b")
_ALIKE: Final = PatternTable("statements", "alike")
_VALUES: Final = PatternTable("statements", "value")
_NAMES: Final = PatternTable("statements", "name", flags=re.NOFLAG)
_TIMES: Final = frozenset(("clock", "date", "day"))
_TITLES: Final = re.compile(r"dr|m(?:r|rs|s)|prof|[fh]r|frau|herrn?|de[rmn]")


@dataclass(frozen=True, slots=True)
class _Claim:
    """The statement of a sentence.

    Args:
        words: those that are not values.
        alike: phrases with several wordings, and their normal words.
        values: the compared parts of the values of each kind.
        written: the values of each kind, with their places in the sentence.
        mine: True for a statement of the speakers about themselves.
        whose: other owners of the thing.
        which: the values before its verb, which identify the thing: "The Monday meeting is at ten."
        behind: the kinds of values after its verb, unless it is in the past.
        is_so: True if that verb describes a state, and not an action.
        was: True if it reports a past event.
    """

    words: str
    alike: tuple[tuple[str, str], ...]
    values: dict[str, frozenset[str]]
    written: dict[str, list[tuple[int, str]]]
    mine: bool
    whose: frozenset[str]
    which: frozenset[str]
    behind: frozenset[str]
    is_so: bool
    was: bool
    changed: bool

    @property
    def about(self) -> frozenset[str]:
        """The stems of its words, those of its values and of change apart."""
        normal_words = _stems(" ".join(words for _, words in self.alike))
        return (_stems(_CUES["changed"].sub(" ", self.words)) - normal_words) | {name for name, _ in self.alike}


@dataclass(frozen=True, slots=True)
class _Stated:
    """The statements of a text.

    Args:
        over: the words of each clause that ends something.
    """

    claims: tuple[_Claim, ...]
    over: tuple[str, ...]


def replaced(older: str, newer: str, *, same_speaker: bool = True) -> str | None:
    """Return the value of an older text that a newer one replaces, as it was written; `None` for none.

    If the newer text only ends something, the value is the older text. Texts of over 400 characters are ignored.

    Args:
        same_speaker: True if the same person wrote both, so that "my" means the same.
    """
    old, new = _stated(older), _stated(newer)
    for after in new.claims:
        for before in old.claims:
            if (same_speaker or not (before.mine or after.mine)) and (kinds := _differing(after, before)):
                return " ".join(text for _, text in sorted(one for kind in kinds for one in before.written[kind]))
    if same_speaker and any(_holds(older, over) for over in new.over):
        return older.strip().rstrip(".!")
    return None


def may_replace(text: str) -> bool:
    """Return False if a text replaces a value of no other."""
    stated = _stated(text)
    return bool(stated.claims or stated.over)


def rewordings(text: str) -> list[str]:
    """Return words for the same facts: who moved to a town lives there."""
    found = [asked for relation, asked in _ASKED_BY.items() if len(text) <= _LONGEST and _ALIKE[relation].search(text)]
    return [word for words in found for word in words]


def states_more(text: str) -> bool:
    """Return True if a text has more than one sentence, so that a replacement would lose the others."""
    return len(_sentences(text)) > 1


def _differing(new: _Claim, old: _Claim) -> list[str]:
    """Return the kinds of values that exclude each other in two sentences about one thing; none if unsure."""
    differing = [
        kind for kind, found in new.values.items() if found and old.values[kind] and found.isdisjoint(old.values[kind])
    ]
    # What differs in more than its time is something else.
    if not differing or old.was or new.whose != old.whose or (len(differing) > 1 and not _TIMES.issuperset(differing)):
        return []
    if not old.behind.issuperset(differing) or len(old.about) > _MOST:
        return []
    shared = new.about & old.about
    if new.changed:
        few = min(len(new.about), len(old.about)) <= _SHORT and (new.mine == old.mine or new.about == old.about)
        other = new.which and old.which and new.which.isdisjoint(old.which)
        return differing if not other and (len(shared) >= _SHARED or (few and shared)) else []
    # One may live in Bern and in Switzerland, and work at two places.
    same = shared and new.about == old.about and shared.isdisjoint(_ASKED_BY)
    is_reported_so = new.is_so and old.is_so and new.behind.issuperset(differing)
    return differing if same and is_reported_so and new.which == old.which else []


@lru_cache(maxsize=8_192)
def _stated(text: str) -> _Stated:
    if len(text) > _LONGEST:
        return _Stated((), ())
    language = "german" if _language(text) == "german" else ENGLISH
    sentences = _sentences(text)
    return _Stated(
        claims=tuple(one for one in (_claim_of(sentence, language) for sentence in sentences) if one is not None),
        over=tuple(over for sentence in sentences for over in _over(sentence)),
    )


def _holds(text: str, over: str) -> bool:
    """Return True if a text states what a clause of another ends."""
    if _has_any(text, "not_stated", "unsure", "past", "negative", "over"):
        return False
    stated, ended = _stems(" ".join(_sentences(text))), _stems(over)
    return bool(ended) and ended <= stated and len(stated) <= _MOST


def _claim_of(sentence: str, language: str) -> _Claim | None:
    rest, values, written = sentence, dict[str, frozenset[str]](), dict[str, list[tuple[int, str]]]()
    is_so = _CUES["is"].search(sentence) or _IS_SHORT.search(sentence)
    verb = is_so or _CUES["does"].search(sentence)
    began, ended = verb.span() if verb else (0, 0)
    which, behind = set[str](), set[str]()
    for kind, pattern in (*_value_patterns(), ("name", _NAMES[language])):
        found = [(one.start(one.lastgroup or 0), one[one.lastgroup or 0]) for one in pattern.finditer(rest)]
        which |= {word for start, text in found if start < began for word in _compared(kind, text)}
        written[kind] = [(start, text) for start, text in found if start >= began]
        values[kind] = frozenset(word for _, text in written[kind] for word in _compared(kind, text))
        if written[kind] and (kind in _TIMES or _CUES["leads"].fullmatch(sentence, ended, written[kind][0][0])):
            behind.add(kind)
        for start, text in found:
            rest = rest[:start] + " " * len(text) + rest[start + len(text) :]
    if not any(values.values()) or _has_any(sentence, "not_stated", "unsure", "beside", "several"):
        return None
    changed, past = bool(_CUES["changed"].search(sentence)), bool(_CUES["past"].search(rest))
    alike = {word: found[0] for word in _ASKED_BY if (found := _ALIKE[word].search(sentence))}
    return _Claim(
        words=rest,
        alike=tuple(alike.items()),
        values=values,
        written=written,
        mine=bool(_CUES["mine"].search(sentence)),
        whose=frozenset(folded(found[1] or found[2]) for found in _CUES["whose"].finditer(sentence)),
        which=frozenset(which),
        behind=frozenset(behind) if verb and not past else frozenset(),
        is_so=is_so is not None,
        was=past and not changed,
        changed=changed,
    )


@cache
def _value_patterns() -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the pattern of each kind of value, in the order in which they are looked for."""
    dates = [(kind, DATE_VALUES[kind]) for kind in ("date", "day")]
    (clock, *rest) = ((kind, _VALUES[kind]) for kind in _VALUES.names())
    return [clock, *dates, *rest]


def _has_any(sentence: str, *cues: str) -> bool:
    return any(_CUES[cue].search(sentence) for cue in cues)


def _over(sentence: str) -> Iterator[str]:
    """Yield the subject of each clause that ends something."""
    if not _CUES["over"].search(sentence) or _CUES["not_stated"].search(sentence):
        return
    for clause in _CUES["clause"].split(sentence):
        if (
            _CUES["over"].search(clause)
            and not _CUES["unsure"].search(clause)
            and (what := _CUES["over_frame"].sub(" ", clause).strip())
        ):
            yield what


def _compared(kind: str, text: str) -> list[str]:
    """Return the parts of a value that are compared: the words of a name, anything else as a whole."""
    words = folded(text).split()
    match kind:
        case "name":
            bare = [word.replace(".", "") for word in words]
            return [word for word in bare if not _TITLES.fullmatch(word)]
        case "day":
            return [str(weekdays().get(words[0], weekdays().get(words[0].removesuffix("s"), words[0])))]
        case _:
            return [" ".join(sorted(word.strip(".,") for word in words if word not in ("at", "um", "gegen", "of")))]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the speaker at the beginning of notes: "The user: I live in Bern."."""
    own = re.sub(r"^(?:The user|[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)?): (?=\w)", "", text)
    return [one for one in _SENTENCE.split(own) if one.strip()]


def _language(text: str) -> str:
    return language_of(re.findall(r"\w+", text.casefold()))


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    words, language = re.findall(r"[^\W\d_]{3,}", text.casefold()), _language(text)
    return frozenset(
        stem(word, language)
        for word in words
        if word not in stop_words()[language] and word not in stop_words()[ENGLISH]
    )
