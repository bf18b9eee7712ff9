"""What may be wrong with a store."""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """What may be wrong with a store."""

    ORPHAN_VECTOR = "orphan-vector"
    MISSING_INDEX_ROW = "missing-index-row"
    ORPHAN_INDEX_ROW = "orphan-index-row"
    WRONG_HASH = "wrong-hash"
    BROKEN_EVIDENCE = "broken-evidence"
    NUMBER_GAP = "number-gap"
    HALF_BUILT_GENERATION = "half-built-generation"
    MISSING_VECTOR = "missing-vector"
    DAMAGED_POSTINGS = "damaged-postings"
    DAMAGED_FILE = "damaged-file"
    LAGGING_VECTOR_INDEX = "lagging-vector-index"
    FOREIGN_ANALYSER = "foreign-analyser"
    FAILING_NIGHTS = "failing-nights"
    FUTURE_NIGHT = "future-night"
    FUTURE_TIME = "future-time"
    MODEL_LEFT_ALONE = "model-left-alone"
    DAMAGED_TEXT = "damaged-text"
    LOST_ROWS = "lost-rows"
    FOREIGN_ROWS = "foreign-rows"
    ORPHAN_ROWS = "orphan-rows"
    BROKEN_CHAIN = "broken-chain"
    UNFINISHED_ERASURE = "unfinished-erasure"


MENDABLE = frozenset({Fault.ORPHAN_VECTOR, Fault.ORPHAN_INDEX_ROW, Fault.MISSING_VECTOR, Fault.FUTURE_NIGHT})
"""What a store mends by itself, row by row."""
ACCEPTABLE = frozenset({Fault.LOST_ROWS, Fault.FOREIGN_ROWS, Fault.NUMBER_GAP})
"""What a person may take as it is, so that it is told no more."""


MOST_LISTED = 1_000
"""A finding names so many places at most; those after them are found once these are mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault and where it is: ids of records, document numbers as text, or names of models; never content."""

    fault: Fault
    where: tuple[str, ...]
