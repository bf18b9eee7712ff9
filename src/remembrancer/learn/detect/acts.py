"""What people do to a draft, a mail or a task, in the words they use for it, and which acts undo each other."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from remembrancer.language.calendar import weekdays
from remembrancer.language.stems import stem
from remembrancer.language.tables import table, word_list

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

# Acts that say how something ended, and so are no circumstance of how it ended.
ENDINGS: Final = frozenset({"reject", "approve", "rewrite", "correct", "replace"})

# Acts of which no hour is the reason: how something is written is not a matter of when.
WRITING_ACTS: Final = frozenset(
    {"remove", "add", "shorten", "lengthen", "soften", "sharpen", "replace", "rewrite", "correct"}
)

# Acts that are no habit unless it is said what they are done to.
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
    """Return the words for places in a text and for who acts, which are no part of what was done."""
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
    """The stems of words that do not say what was put right."""
    return frozenset(stem(word, language) for word in word_list("acts", "other", "vague"))


@lru_cache(maxsize=8)
def acts(language: str) -> Mapping[str, str]:
    """The act that each word, as it stands and by its stem, says in a language."""
    said: dict[str, str] = {}
    for act, names in table("acts")["words"].get(language, {}).items():
        for word in names.split():
            said[word] = act
            said.setdefault(stem(word, language), act)
    return said


def opposed(act: str) -> frozenset[str]:
    """The acts, as tokens, that a deed with `act` did the opposite of."""
    if act.startswith("!"):
        return frozenset({act[1:]})
    return OPPOSITES.get(act, frozenset()) | {f"!{act}"}
