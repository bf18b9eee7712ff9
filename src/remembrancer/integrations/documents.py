"""Documents of other programs by path, stored as observations.

A document is one observation: its topic key is derived from the path, its text is what recall searches, and its
metadata has the value as the program wrote it. It is versioned, corrected, erased and archived as any memory is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from remembrancer.adapters.clock import SystemClock
from remembrancer.errors import NotFound
from remembrancer.ingest.importers.documents import document_key, document_metadata, joined
from remembrancer.integrations import checked_memory
from remembrancer.sync import SyncMemory
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import Changes, NewObservation
from remembrancer.types.notes import MAX_OBSERVATION_BYTES
from remembrancer.types.record import Json, Kind, Metadata, Observation, Record

Path: TypeAlias = tuple[str, ...]
MAX_FOUND = 1_000
# A memory that faded is still a document. Others were withdrawn by a person.
_READABLE = (Status.ACTIVE, Status.ARCHIVED)
_NEVER = datetime(9998, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document to store.

    Args:
        path: the names that identify it, outermost first.
        text: what recall searches and a context shows; the first 32 KiB of it are stored.
        value: the document itself, up to 1 MiB as JSON.
        valid_until: when it expires; `None` for never.
    """

    path: Path
    text: str
    value: Json
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A stored document.

    Args:
        id: the id of its observation.
        text: the current text.
        is_corrected: a person, or another program, changed the text after the document was stored.
        score: of a search, in [0, 1].
    """

    id: str
    path: Path
    text: str
    value: Json
    is_corrected: bool
    created_at: datetime
    updated_at: datetime
    valid_until: datetime | None
    score: float | None = None


class Documents:
    """The documents of one program in one memory.

    Args:
        kind: the name of the program: the tag and the author of its documents.
    """

    def __init__(self, memory: SyncMemory, kind: str) -> None:
        self._memory = checked_memory(memory)
        self._kind = kind
        self._clock = SystemClock()

    def save_many(self, documents: Sequence[NewDocument]) -> None:
        """Store documents in one transaction. One of the same path is replaced, and stays as a version.

        Raises:
            InvalidInput: a value or a path is not allowed; nothing is stored.
            NotAllowed: a person rejected the same text.
        """
        now = self._clock.now()
        saved = self._memory.observations.save_many([self._observation(one, now) for one in documents])
        for document, one in zip(documents, saved, strict=True):
            # A save keeps an earlier end of validity.
            if document.valid_until is None and one.record.valid_until not in (None, _NEVER):
                self._memory.edit(one.record.id, Changes(valid_until=_NEVER, author=self._kind))

    def find(self, path: Path) -> Document | None:
        """Return the document of a path, or `None`."""
        record = self._record(path)
        document = None if record is None else self._document(record)
        return document if document is not None and document.path == path else None

    def delete(self, path: Path) -> bool:
        """Delete the document of a path; return False if there is none."""
        try:
            self._memory.delete(topic_key=self._key(path))
        except NotFound:
            return False
        return True

    def extend(self, document: Document, valid_until: datetime) -> None:
        """Set a later end of validity."""
        # A corrected document stays one.
        author = "" if document.is_corrected else self._kind
        self._memory.edit(document.id, Changes(valid_until=valid_until, author=author))

    def iterate(self, prefix: Path = (), *, all_scopes: bool = False) -> Iterator[Document]:
        """Yield the valid documents under a path, in no order.

        Raises:
            NotAllowed: `all_scopes`, and the caller does not operate the whole tenant.
        """
        yield from (one for one in self.iterate_all(prefix, all_scopes=all_scopes) if not self.is_expired(one))

    def iterate_all(self, prefix: Path = (), *, all_scopes: bool = False) -> Iterator[Document]:
        """Yield the documents under a path with the expired ones."""
        cursor = None
        while True:
            page = self._memory.list(
                self._filter(prefix, _READABLE), limit=MAX_FOUND, cursor=cursor, all_scopes=all_scopes
            )
            yield from self._under(prefix, page.records)
            if (cursor := page.cursor) is None:
                return

    def search(self, question: str, prefix: Path = (), *, limit: int, abstain: bool = False) -> list[Document]:
        """Return the documents under a path that answer a question, best first.

        Args:
            limit: 1 to 1,000.
            abstain: return none if none is likely to answer; by default the nearest.
        """
        found = self._memory.recall(
            question, filter=self._filter(prefix, (Status.ACTIVE,)), limit=limit, abstain=abstain
        )
        scores = {hit.record.id: hit.score for hit in found.hits}
        documents = self._under(prefix, [hit.record for hit in found.hits], scores)
        return [one for one in documents if not self.is_expired(one)]

    def now(self) -> datetime:
        """Return the current time."""
        return self._clock.now()

    def is_expired(self, document: Document) -> bool:
        """Return True if the validity of a document has ended."""
        return document.valid_until is not None and document.valid_until <= self._clock.now()

    def _record(self, path: Path) -> Observation | None:
        try:
            record = self._memory.get(topic_key=self._key(path))
        except NotFound:
            return None
        return record if isinstance(record, Observation) and record.status in _READABLE else None

    def _under(
        self, prefix: Path, records: Sequence[Record], scores: Mapping[str, float] | None = None
    ) -> Iterator[Document]:
        for record in records:
            document = self._document(record, (scores or {}).get(record.id))
            # Names are compared in composed form by the store, and exactly here.
            if document is not None and document.path[: len(prefix)] == prefix:
                yield document

    def _document(self, record: Record, score: float | None = None) -> Document | None:
        stored = record.metadata.get(self._kind)
        if not isinstance(record, Observation) or not isinstance(stored, Mapping):
            return None
        fields = cast(Mapping[str, Any], stored)
        is_corrected = record.author != self._kind
        return Document(
            id=record.id,
            path=tuple(fields["path"]),
            text=record.text,
            value=fields["value"],
            is_corrected=is_corrected,
            created_at=record.recorded_at,
            updated_at=record.updated_at if is_corrected else datetime.fromisoformat(fields["stored_at"]),
            valid_until=None if record.valid_until == _NEVER else record.valid_until,
            score=score,
        )

    def _observation(self, document: NewDocument, now: datetime) -> NewObservation:
        text = _cut(document.text) if document.text.strip() else " ".join(document.path)
        value = document_metadata(self._kind, document.path, document.value, now.isoformat())
        return NewObservation(
            text=text,
            topic_key=self._key(document.path),
            tags=(self._kind,),
            metadata=cast(Metadata, value),
            author=self._kind,
            valid_until=document.valid_until,
        )

    def _filter(self, prefix: Path, statuses: Sequence[Status]) -> Filter:
        conditions = {f"{self._kind}.{len(prefix)}": joined(prefix)} if prefix else {}
        kinds = (Kind.OBSERVATION, Kind.REFLECTION)
        return Filter(kinds=kinds, tags=(self._kind,), statuses=statuses, metadata=conditions)

    def _key(self, path: Path) -> str:
        return document_key(self._kind, path)


def _cut(text: str) -> str:
    return text.encode()[:MAX_OBSERVATION_BYTES].decode(errors="ignore")
