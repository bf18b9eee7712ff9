"""Cues in a sentence: decisions, preferences, errors; its observation type and its priority."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from remembrancer.language.tables import PatternTable, word_list
from remembrancer.types.notes import HIGHEST_PRIORITY

CUES: Final = PatternTable("cues")
_WORDS: Final = PatternTable("words")
_TYPE_OF: Final = (
    ("decision", "decision"),
    ("preference", "preference"),
    ("profile", "profile"),
    ("pattern", "pattern"),
)
# What a person lays down, decides or likes is not to be forgotten.
_GRAVE: Final = ("decision", "preference", "instruction", "choice", "liking")
FALLBACK_TYPE: Final = "discovery"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The cues in a sentence, in alphabetical order, and its form."""

    cues: tuple[str, ...]
    asks: bool
    first_person: bool
    opens_with_me: bool
    leans: bool

    def has(self, cue: str) -> bool:
        """Return True if the sentence has a cue of that name."""
        return cue in self.cues


def marks(sentence: str) -> Marks:
    """Return the cues of a sentence."""
    found = [name for name in CUES.names() if CUES[name].search(sentence)]
    first = sentence.split(" ", 1)[0].casefold().rstrip(",.!?")
    return Marks(
        cues=tuple(sorted(found)),
        asks=sentence.rstrip("\"'”»)").endswith(("?", "？", "؟")),
        first_person=bool(_WORDS["first_person"].search(sentence)),
        opens_with_me=first in word_list("words", "opening_self"),
        leans=first in word_list("words", "leaning"),
    )


def type_of(marked: Marks, types: Mapping[str, float]) -> str:
    """Return the observation type of a sentence, of those that the deployment allows."""
    found = (name for cue, name in _TYPE_OF if marked.has(cue) and not marked.asks)
    wanted = next((name for name in found if name in types), FALLBACK_TYPE)
    if wanted in types or not types:
        return wanted
    return min(types, key=lambda name: (types[name], name))


def priority_of(marked: Marks, *, by_person: bool, dated: bool, figures: bool) -> int:
    """Return the priority of a sentence, 1 to 5.

    Args:
        by_person: True for a person's sentence, False for an assistant's.
        dated: True if it names a day.
        figures: True if it has numbers or names.
    """
    if marked.asks:
        return 2 if by_person else 1
    if marked.has("must") or marked.has("error") or (by_person and any(marked.has(cue) for cue in _GRAVE)):
        return HIGHEST_PRIORITY if by_person else 4
    if by_person and (marked.has("profile") or dated or marked.has("pattern")):
        return 4
    if by_person and (figures or marked.first_person):
        return 3
    return 2
