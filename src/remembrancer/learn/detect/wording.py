"""Words of behaviour: their acts and objects, independent of the wording."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, Self

from remembrancer.language.calendar import weekdays
from remembrancer.language.stems import stem
from remembrancer.language.tables import table, word_list
from remembrancer.language.words import language_of, stop_words

PARTICIPLES: Final = {
    "remove": "removed",
    "add": "added",
    "shorten": "shortened",
    "lengthen": "lengthened",
    "replace": "replaced",
    "reject": "rejected",
    "approve": "approved",
    "defer": "deferred",
    "hasten": "brought forward",
    "forward": "forwarded",
    "archive": "archived",
    "restore": "restored",
    "keep": "kept",
    "rewrite": "rewritten",
    "soften": "softened",
    "sharpen": "sharpened",
    "correct": "corrected",
    "flag": "flagged",
    "increase": "increased",
    "reduce": "reduced",
    "merge": "merged",
    "split": "split",
    "use": "used",
}

OPPOSITES: Final[Mapping[str, frozenset[str]]] = {
    "remove": frozenset({"add", "keep", "restore"}),
    "add": frozenset({"remove"}),
    "keep": frozenset({"remove"}),
    "shorten": frozenset({"lengthen"}),
    "lengthen": frozenset({"shorten"}),
    "reject": frozenset({"approve"}),
    "approve": frozenset({"reject"}),
    "defer": frozenset({"hasten"}),
    "hasten": frozenset({"defer"}),
    "archive": frozenset({"restore"}),
    "restore": frozenset({"archive", "remove"}),
    "soften": frozenset({"sharpen"}),
    "sharpen": frozenset({"soften"}),
    "increase": frozenset({"reduce"}),
    "reduce": frozenset({"increase"}),
    "merge": frozenset({"split"}),
    "split": frozenset({"merge"}),
}

# Acts that are outcomes, and so do not explain outcomes.
ENDINGS: Final = frozenset({"reject", "approve", "rewrite", "correct", "replace"})

# Acts of which no hour is the reason: how something is written is not a matter of when.
WRITING_ACTS: Final = frozenset(
    {"remove", "add", "shorten", "lengthen", "soften", "sharpen", "replace", "rewrite", "correct"}
)

# Acts that are no habit without an object.
NEEDS_A_THING: Final = frozenset(
    {"remove", "add", "replace", "keep", "use", "correct", "increase", "reduce", "flag", "merge", "split"}
)


def style_words() -> frozenset[str]:
    """Return the words for how something is written."""
    return word_list("acts", "other", "style")


def tool_words() -> frozenset[str]:
    """Return the words for what things are done with."""
    return word_list("acts", "other", "tools")


def negations() -> frozenset[str]:
    """Return the words that deny an act; "no" and "without" are acts of their own."""
    return word_list("acts", "other", "negations")


def place_words() -> frozenset[str]:
    """Return the words for places in a text and for persons, which are not part of the action."""
    return word_list("acts", "other", "places") | weekdays().keys()


@cache
def phrases() -> Sequence[tuple[re.Pattern[str], str]]:
    """Return each phrase of English that is one act as a pattern, and its replacement, in order."""
    found: Mapping[str, Any] = table("acts")["phrases"]
    return [
        (pattern, rf" {act} \1 " if pattern.groups else f" {act} ")
        for act, text in found["english"]
        for pattern in (re.compile(rf"\b(?:{text.replace('{between}', found['between'])})\b"),)
    ]


@lru_cache(maxsize=8)
def vague(language: str) -> frozenset[str]:
    """Return the stems of words without a clear object."""
    return frozenset(stem(word, language) for word in word_list("acts", "other", "vague"))


@lru_cache(maxsize=8)
def acts(language: str) -> Mapping[str, str]:
    """Return the act of each word, in its form and its stem, in a language."""
    found: dict[str, str] = {}
    for act, names in table("acts")["words"].get(language, {}).items():
        for word in names.split():
            found[word] = act
            found.setdefault(stem(word, language), act)
    return found


def opposed(act: str) -> frozenset[str]:
    """Return the acts, as tokens, that a deed with `act` did the opposite of."""
    if act.startswith("!"):
        return frozenset({act[1:]})
    return OPPOSITES.get(act, frozenset()) | {f"!{act}"}


_WORD: Final = re.compile(r"[^\W\d_]+")
# "No, I do it myself" removes nothing.
_ANSWER: Final = re.compile(r"\bno\s*[,.;:!]")
_CONTRACTED: Final = re.compile(r"n['’]t\b")
_NEGATED_WITHIN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedWording:
    """The acts and things in a text.

    Args:
        tokens: its acts and the stems of its other words; `!` before a negated act.
        surfaces: the written form of each token.
    """

    tokens: frozenset[str]
    surfaces: tuple[tuple[str, str], ...]
    acts: frozenset[str]

    def without(self, token: str | None) -> Self:
        """Return the same, less one token."""
        if token not in self.tokens:
            return self
        surfaces = tuple(pair for pair in self.surfaces if pair[0] != token)
        return replace(self, tokens=self.tokens - {token}, surfaces=surfaces, acts=self.acts - {token})


def language(texts: Iterable[str]) -> str:
    """Return the language that texts of one scope are in."""
    return language_of([word for text in texts for word in _WORD.findall(text.casefold())])


@lru_cache(maxsize=50_000)
def wording(text: str, tongue: str, *, leave: frozenset[str] = frozenset()) -> ParsedWording:
    """Return the acts and things of a text, without the names in `leave`, which are counted separately."""
    known, common, places = acts(tongue), stop_words()[tongue], place_words()
    tokens: dict[str, str] = {}
    done: set[str] = set()
    negated = 0
    for word in _words(text):
        if word in negations():
            negated = _NEGATED_WITHIN
            continue
        act = known.get(word) or (None if word in common else known.get(_stem(word, tongue)))
        if act is None and (word in common or word in places or word in leave or len(word) < 2):
            continue
        token = act or _stem(word, tongue)
        if act and negated:
            token, negated = f"!{token}", 0
        negated = max(0, negated - 1)
        if act and done & opposed(token):
            # "Restored the archived mail": the action comes first.
            continue
        tokens.setdefault(token, word)
        if act:
            done.add(token)
    return ParsedWording(tokens=frozenset(tokens), surfaces=tuple(tokens.items()), acts=frozenset(done))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return list(_split(folded))


@lru_cache(maxsize=50_000)
def _split(folded: str) -> tuple[str, ...]:
    plain = _CONTRACTED.sub(" not", _ANSWER.sub(" ", folded))
    for pattern, instead in phrases():
        plain = pattern.sub(instead, plain)
    return tuple(_WORD.findall(plain))


@lru_cache(maxsize=100_000)
def _stem(word: str, tongue: str) -> str:
    return stem(word, tongue)


def stems(text: str, tongue: str) -> frozenset[str]:
    """Return the stems and acts of a name or a value."""
    return wording(text, tongue).tokens


def commonest(surfaces: Sequence[str]) -> str:
    """Return the spelling used most often; of several the shortest, then the first by letters."""
    return min(set(surfaces), key=lambda word: (-surfaces.count(word), len(word), word)) if surfaces else ""
