"""Side rows: data that a write transaction stores next to memories.

Such as sessions, chunks, policies and index rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from remembrancer.types.archive import ArchivedLog, ImportState, SessionBundle, SideRows, Tombstone
from remembrancer.types.calls import Call, CallResult, ServedBlock
from remembrancer.types.feedback import (
    FeedbackWeight,
    PersonVerdict,
    Rejection,
    RevokedRejections,
    ScoreParts,
    UnlinkedRejections,
    WeightChange,
    WithdrawnVerdicts,
)
from remembrancer.types.index import Terms
from remembrancer.types.jobs import Finding, IdempotentRequest, MaintenanceRun
from remembrancer.types.notes import Chunk, Log
from remembrancer.types.policy import ErasedRuns, Erasure, Policy, RemovedPolicy
from remembrancer.types.results import IdempotentWrite
from remembrancer.types.session import Injection, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChunk:
    """A new chunk, which follows the last one of its session.

    A `Chunk` alone updates an existing one.
    """

    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCounts:
    """Counts of the reads of memories, by id, with the time of the last read."""

    counts: Mapping[str, int]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorUpdate:
    """Vectors of indexed documents of the exact scope.

    Each is `(passages, dimension)` float32.
    """

    generation: int
    vectors: Mapping[int, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexUpdate:
    """The entry of a record in the text index; `None` removes it.

    Args:
        fresh: assign a new document number, which drops the vectors.
    """

    id: str
    terms: Terms | None
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexUpdates:
    """The entries of records in the text index, by id; `None` removes one."""

    terms: Mapping[str, Terms | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneBatch:
    """Tombstones of erased records: no import restores these."""

    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearIndex:
    """The removal of all entries of the exact scope from the text index."""


SideRow: TypeAlias = (
    Session | NewChunk | Chunk | Log | Injection | MaintenanceRun | PersonVerdict | WithdrawnVerdicts | WeightChange
    | ScoreParts | IdempotentWrite | Call | CallResult | ServedBlock | Rejection | RevokedRejections
    | UnlinkedRejections | ImportState | Tombstone | UseCounts | VectorUpdate | IndexUpdate | IndexUpdates | ClearIndex
    | Finding
    | IdempotentRequest | Policy | RemovedPolicy | TombstoneBatch | SessionBundle | SideRows | ArchivedLog
    | FeedbackWeight
)  # fmt: skip
"""A row that `WriteTransaction.put` stores, as it is from then on."""

# No read of memories shows these. Use counts change a ranking so little that cached answers need not wait for them.
INVISIBLE_ROWS = (
    Injection, ServedBlock, Call, CallResult, IdempotentWrite, IdempotentRequest, ImportState, Tombstone, UseCounts,
    TombstoneBatch, Erasure, ErasedRuns,
)  # fmt: skip
