"""Archives, and the state of imported conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

from remembrancer.types.scope import Scope

ArchiveRow: TypeAlias = Mapping[str, Any]
"""The columns of a row by name, as JSON has them; times are ISO 8601 to the microsecond, in UTC."""


class ExportFormat(StrEnum):
    """The forms in which memories are exported to be read."""

    JSONL = "jsonl"
    JSONLD = "jsonld"
    CSV = "csv"
    MARKDOWN = "markdown"


COMES_BACK = (ExportFormat.JSONL, ExportFormat.JSONLD, ExportFormat.CSV)
"""The forms of which an import makes the same memories again; Markdown is to be read by people."""
LINKED = "urn:remembrancer:memory:"
"""How the address of a memory begins in JSON-LD."""
TABLE: Final = (
    "id", "kind", "type", "status", "classification", "trust", "project", "agent", "user", "session", "speaker",
    "occurred_at", "recorded_at", "updated_at", "revision", "title", "text", "author", "source", "tags", "evidence",
    "metadata", "details", "more",
)  # fmt: skip
"""The columns of CSV; `more` has as JSON what has no column of its own."""
SHIELDED: Final = ("=", "+", "-", "@", "\t", "\r", "'")
"""How a cell begins that gets a quote before it: a spreadsheet would run it, or would not show the quote it has."""


class ConflictReason(StrEnum):
    """Why a memory of an archive did not come as it stands there."""

    DIFFERS = "differs"
    RENUMBERED = "renumbered"
    ELSEWHERE = "elsewhere"
    ERASED = "erased"
    REJECTED = "rejected"
    HELD = "held"
    REDACTED = "redacted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBundle:
    """A memory with all that a store keeps under it.

    Args:
        evidence: ids of what it rests on.
        versions: how it read before, the oldest first.
        verdicts: what people said of it.
    """

    record: ArchiveRow
    evidence: Sequence[str] = ()
    versions: Sequence[ArchiveRow] = ()
    verdicts: Sequence[ArchiveRow] = ()

    @property
    def id(self) -> str:
        """Of the memory."""
        return self.record["id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBundle:
    """A session with the runs of its messages that were observed.

    Args:
        recount: whether its messages are counted anew, from those that are there.
    """

    session: ArchiveRow
    chunks: Sequence[ArchiveRow] = ()
    recount: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedLog:
    """A log: what an agent reads of its past, in numbers."""

    log: ArchiveRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRows:
    """Rows that are kept beside memories, of `injections` or `weights`."""

    table: str
    rows: Sequence[ArchiveRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingRecord:
    """How a memory stands that is in a store already.

    Args:
        bundle: it, where it is of the exact scope.
        now: how it reads now, as a version of it would be kept; until when is left open.
    """

    id: str
    bundle: RecordBundle | None = None
    now: ArchiveRow = field(default_factory=dict[str, Any])

    @property
    def hashes(self) -> frozenset[str]:
        """Of all the texts that it ever had."""
        rows = (self.bundle.record, *self.bundle.versions) if self.bundle else ()
        return frozenset(str(row["hash"]) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSummary:
    """An archive: what is in it.

    Args:
        made_at: when what it holds was read, all of it as of that moment.
        memories: how many, by kind.
        bytes: of the file.
    """

    made_at: datetime
    scopes: Sequence[Scope]
    memories: Mapping[str, int]
    sessions: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportConflict:
    """A memory of an archive that did not come, or not as it stands there.

    Args:
        reason: `differs`: both sides have changed it, and the later wording stands, the other one is among its
            versions; `renumbered`: a message whose number another one has here; `elsewhere`: it is another scope's
            here; `erased`, `rejected`: it, or what it rests on, was erased here, or people have said that it is wrong;
            `held`: a legal hold keeps here what is deleted there; `redacted`: it holds personal data that its scope
            masks or refuses here.
    """

    id: str
    scope: Scope
    kind: str
    reason: ConflictReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What came of an archive that was taken in.

    Args:
        created: memories that were not here.
        updated: memories that are newer there, and stand as they do there.
        same: memories that are here as they are there.
        older: memories that are newer here, and stay.
        sessions: sessions that were not here.
        clashes: the first 1,000 of those that did not come, or not as they are there.
        clashed: how many those are, by reason.
    """

    archive: ArchiveSummary
    created: int = 0
    updated: int = 0
    same: int = 0
    older: int = 0
    sessions: int = 0
    clashes: Sequence[ImportConflict] = ()
    clashed: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportState:
    """How far a conversation was imported, as it was read in one place. Its texts are fingerprints of the store's own.

    Args:
        source: the place, or the conversation's own id where it has one; `""` where it has neither.
        session: the session that the conversation is in.
        opening: the first message of it that says at what time of day it was said; `""` where none does.
        digest: all of the conversation, as it was read there the last time.
        messages: how many messages of the conversation were imported, from wherever; erased ones count.
        lacking: how many of those the place had no more, since it was edited, when it was read there.
        elsewhere: how many have come from other places since it was read there, and were not in it.
        left_out: how much of the file was left out when it was read there.
    """

    source: str
    session: str
    opening: str
    digest: str
    messages: int
    lacking: int = 0
    elsewhere: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """An imported message that was erased, by a fingerprint of its id: no import brings it back."""

    mark: str
