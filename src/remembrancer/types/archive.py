"""Archives, exports, and the state of imported conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

from remembrancer.types.scope import Scope

ArchiveRow: TypeAlias = Mapping[str, Any]
"""The columns of a row as JSON values; times are ISO 8601 strings in UTC with microseconds."""


class ExportFormat(StrEnum):
    """Formats of exports."""

    JSONL = "jsonl"
    JSONLD = "jsonld"
    CSV = "csv"
    MARKDOWN = "markdown"


class ArchivePart(StrEnum):
    """The scopes of an archive: all, those without an agent, or that of the caller alone."""

    ALL = "all"
    SHARED = "shared"
    SYSTEM = "system"


COMES_BACK = (ExportFormat.JSONL, ExportFormat.JSONLD, ExportFormat.CSV)
"""Formats that can be imported again; Markdown is for people."""
LINKED = "urn:remembrancer:memory:"
"""The prefix of the identifier of a memory in JSON-LD."""
TABLE: Final = (
    "id", "kind", "type", "status", "classification", "trust", "project", "agent", "user", "session", "speaker",
    "occurred_at", "recorded_at", "updated_at", "revision", "title", "text", "author", "source", "tags", "evidence",
    "metadata", "details", "more",
)  # fmt: skip
"""The columns of CSV; `more` has all other fields as JSON."""
SHIELDED: Final = ("=", "+", "-", "@", "\t", "\r", "'")
"""First characters of cells that are escaped with a quote, as a spreadsheet would run or hide them."""


class ConflictReason(StrEnum):
    """Reasons why a memory of an archive was not imported unchanged."""

    DIFFERS = "differs"
    RENUMBERED = "renumbered"
    ELSEWHERE = "elsewhere"
    ERASED = "erased"
    REJECTED = "rejected"
    LEGAL_HOLD = "legal-hold"
    REDACTED = "redacted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBundle:
    """A memory in an archive.

    Args:
        evidence: ids of its evidence.
        versions: earlier versions, oldest first.
        verdicts: the verdicts of people.
    """

    record: ArchiveRow
    evidence: Sequence[str] = ()
    versions: Sequence[ArchiveRow] = ()
    verdicts: Sequence[ArchiveRow] = ()

    @property
    def id(self) -> str:
        """The id of the memory."""
        return self.record["id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBundle:
    """A session with its observed chunks in an archive.

    Args:
        recount: whether to count the messages again, from those that exist.
    """

    session: ArchiveRow
    chunks: Sequence[ArchiveRow] = ()
    recount: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedLog:
    """The state of a log in an archive."""

    log: ArchiveRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRows:
    """Rows of a table next to memories: `injections` or `weights`."""

    table: str
    rows: Sequence[ArchiveRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingRecord:
    """A memory that exists in the target store of an import.

    Args:
        bundle: the memory, if it is of the exact scope.
        now: its current state as a row of a version without an end.
    """

    id: str
    bundle: RecordBundle | None = None
    now: ArchiveRow = field(default_factory=dict[str, Any])

    @property
    def hashes(self) -> frozenset[str]:
        """The hashes of its current and earlier texts."""
        rows = (self.bundle.record, *self.bundle.versions) if self.bundle else ()
        return frozenset(str(row["hash"]) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSummary:
    """The content of an archive in numbers.

    Args:
        created_at: the time of its content.
        memories: the number of memories by kind.
        sessions: the number of sessions.
        bytes: the size of the file.
    """

    created_at: datetime
    scopes: Sequence[Scope]
    memories: Mapping[str, int]
    sessions: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportConflict:
    """A memory of an archive that was not imported, or not unchanged.

    Args:
        reason: `differs`: changed on both sides; the later text is current, and the other one a version.
            `renumbered`: its message number was in use. `elsewhere`: it exists in another scope. `erased`: it or its
            evidence was erased here. `rejected`: people rejected it or its evidence here. `legal-hold`: it is deleted
            in the archive, and a legal hold protects it here. `redacted`: its scope masks or refuses its personal data.
    """

    id: str
    scope: Scope
    kind: str
    reason: ConflictReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import of an archive.

    Args:
        created: the number of new memories.
        updated: the number of memories that the archive had in a later version.
        same: the number of unchanged memories.
        older: the number of memories that the store had in a later version; they are unchanged.
        sessions: the number of new sessions.
        conflicts: the first 1,000 conflicts.
        conflict_counts: the number of conflicts by reason.
    """

    archive: ArchiveSummary
    created: int = 0
    updated: int = 0
    same: int = 0
    older: int = 0
    sessions: int = 0
    conflicts: Sequence[ImportConflict] = ()
    conflict_counts: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportState:
    """The state of the import of a conversation from one file. All strings are keyed hashes.

    Args:
        source: the file, or the conversation's own id; `""` for neither.
        session: the session of the conversation.
        first_message: the first message with a time of day; `""` for none.
        digest: the whole conversation at the last import of the file.
        messages: the number of imported messages from any file, with erased ones.
        missing: the number of those that the file no longer contained at its last import.
        from_others: the number of messages imported from other files since then.
        skipped: the number of entries skipped at the last import.
    """

    source: str
    session: str
    first_message: str
    digest: str
    messages: int
    missing: int = 0
    from_others: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A hash of the id of an erased imported message, which no import restores."""

    mark: str
