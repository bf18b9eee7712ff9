"""Memories: read where the scope sees them, written in the exact scope alone, former states kept as versions.

Alike in every store, but for how documents enter and leave its text index.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, LiteralString

from remembrancer.errors import NotFound
from remembrancer.storage.filters import filter_columns, passing
from remembrancer.storage.record_rows import RecordReader, change_columns, record_columns
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import KEPT, RECORD, names
from remembrancer.storage.text_index import TextIndexWriter
from remembrancer.storage.values import MICROSECOND, cursor_at, read_cursor, scope_columns, scope_of
from remembrancer.types.erasure import MostRead, ProjectUsage
from remembrancer.types.feedback import RELEVANCE_GAIN
from remembrancer.types.filter import Filter
from remembrancer.types.index import Terms
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind, Record
from remembrancer.types.results import Change, Page
from remembrancer.types.scope import Classification, Scope

_INSERT: LiteralString = (
    f"INSERT INTO records (scope, tenant, version, document, {names(RECORD)})"
    f" VALUES (:scope, :tenant, 1, :document, {names(RECORD, before=':')})"
)
_EVIDENCE: LiteralString = """
    INSERT INTO evidence (scope, tenant, id, source) VALUES (:scope, :tenant, :id, :source) ON CONFLICT DO NOTHING
"""
_KEEP: LiteralString = (
    f"INSERT INTO versions (scope, tenant, id, version, since, until, {names(KEPT)})"
    " SELECT scope, tenant, id, version, updated_at, {later}, " + names(KEPT) + " FROM records"
    " WHERE {plus}scope = :scope AND records.id = ANY(:ids)"
)
_SET_ASIDE: LiteralString = """
    UPDATE records SET
        status = :status, version = version + 1, document = NULL, generation = NULL, updated_at = {later}
    WHERE {plus}scope = :scope AND records.id = ANY(:ids)
"""
_CHANGE: LiteralString = """
    UPDATE records SET
        text = COALESCE(:text, text),
        hash = COALESCE(:hash, hash),
        identity = CASE WHEN :hash::text IS NULL THEN identity ELSE :identity END,
        title = COALESCE(:title, title),
        type = COALESCE(:type, type),
        tags = COALESCE(:tags, tags),
        metadata = COALESCE(:metadata, metadata),
        session = COALESCE(:session, session),
        author = COALESCE(:author, author),
        source = COALESCE(:source, source),
        occurred_at = COALESCE(:occurred_at, occurred_at),
        importance = COALESCE(:importance, importance),
        classification = COALESCE(:classification, classification),
        trust = COALESCE(:trust, trust),
        status = COALESCE(:status, status),
        echo = COALESCE(:echo, echo),
        place = COALESCE(:place, place),
        details = COALESCE(:details, details),
        valid_until = CASE
            WHEN :status::text = 'active' AND valid_until <= :at THEN :valid_until::timestamptz
            ELSE COALESCE(:valid_until, valid_until)
        END,
        revision = revision + :reworded,
        version = version + 1,
        updated_at = :at,
        document = :document,
        generation = CASE WHEN document IS NOT DISTINCT FROM :document THEN generation END
    WHERE {plus}scope = :scope AND id = :id
"""
# The observer's description of the task was drawn from the erased record, too.
_FORGET: Final[tuple[LiteralString, ...]] = (
    """
    UPDATE chunks SET task = '', suggestion = '', tokens = tokens - :tokens
    WHERE scope = :scope AND session = :session AND :number BETWEEN first AND last
    """,
    """
    UPDATE sessions SET
        erased = erased + 1,
        tokens = tokens - :tokens,
        observed_tokens = observed_tokens - CASE WHEN observed >= :number THEN :tokens ELSE 0 END
    WHERE scope = :scope AND id = :session
    """,
)
# Without one of its notes a chunk would hide the content of its other messages.
_SHOW_MESSAGES: LiteralString = """
    UPDATE chunks SET state = 'dead', activated_at = NULL, place = NULL, failure = 'a note of it was erased'
    WHERE scope = :scope AND session = :session AND state = 'active' AND first <= :last_noted AND last >= :first_noted
"""
_ERASE: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM evidence WHERE (id = :id OR source = :id) AND tenant = :tenant",
    "DELETE FROM injections WHERE scope IN (SELECT id FROM scopes WHERE tenant = :tenant) AND record = :id",
    "DELETE FROM verdicts WHERE scope = :scope AND record = :id",
    # Narrower scopes have had it injected, with the outcomes.
    "DELETE FROM weights WHERE scope IN (SELECT id FROM scopes WHERE tenant = :tenant) AND record = :id",
    "DELETE FROM idempotency_keys WHERE scope = :scope AND record = :id",
    # Recent answers may contain it, in every scope that sees it.
    "DELETE FROM requests WHERE scope IN (SELECT id FROM scopes WHERE tenant = :tenant)",
    "DELETE FROM records WHERE {plus}scope = :scope AND id = :id",
)


_BENEATH: LiteralString = """
    FROM records JOIN scopes ON scopes.id = records.scope
    WHERE {beneath}{cleared}
"""


def _usage(project: str | None, rows: Sequence[Sequence[Any]]) -> ProjectUsage:
    kinds, classes = Counter[str](), Counter[Classification]()
    for _, kind, classification, count in rows:
        kinds[kind] += count
        classes[Classification(classification)] += count
    return ProjectUsage(
        project=project,
        kinds=dict(sorted(kinds.items())),
        classifications={one: classes[one] for one in Classification if classes[one]},
        users=len({row[0] for row in rows if row[0] is not None}),
    )


class SqlRecords(RecordReader):
    """Memories that the caller may see; written only to the exact scope."""

    def __init__(self, connection: ScopedConnection, index: TextIndexWriter) -> None:
        super().__init__(connection)
        self._index = index

    @property
    def retired(self) -> Sequence[int]:
        """The documents that this transaction has removed from the indexes so far."""
        return tuple(self._connection.retired)

    async def add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        """Store new records with evidence and index rows; return a document number each (0: not indexed)."""
        return await self._connection.in_thread(lambda: self._add(records, terms))

    def _add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        connection = self._connection
        connection.writable()
        documents = self._index.add(terms)
        connection.run_many(
            _INSERT,
            [
                {"document": document or None, **record_columns(record)}
                for record, document in zip(records, documents, strict=True)
            ],
        )
        self._add_evidence([(record.id, source) for record in records for source in record.evidence])
        return documents

    async def find(self, id: str) -> Record | None:
        """Return the record with its evidence, in any status, or `None`."""
        return next(iter(await self._many("WHERE records.id = :id AND {plus}{seen}", {"id": id})), None)

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Return those of these records that are visible, in any status, by id."""
        return await self._many("WHERE records.id = ANY(:ids) AND {plus}{seen} ORDER BY records.id", {"ids": list(ids)})

    async def hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """Return hashes by id, for those of the ids in the exact scope, hidden ones too: no id is used twice."""
        rows = await self._connection.ask(
            "SELECT id, hash FROM records WHERE id = ANY(:ids) AND {plus}scope = :scope", {"ids": list(ids)}
        )
        return {row[0]: row[1] for row in rows}

    async def lock_existing(self, ids: Sequence[str]) -> set[str]:
        """Return those of these ids that are visible, locked against erasure until the transaction ends."""

        def work() -> set[str]:
            self._connection.lock_owners(ids)
            rows = self._connection.rows(
                "SELECT id FROM records WHERE records.id = ANY(:ids) AND {seen}", {"ids": list(ids)}
            )
            return {row[0] for row in rows}

        return await self._connection.in_thread(work)

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """Return the records before and after one in its session by `occurred_at`, oldest first."""
        values: dict[str, object] = {
            "session": record.session,
            "at": record.occurred_at,
            "number": getattr(record, "number", 0),
            "id": record.id,
            "statuses": [status.value for status in statuses],
        }
        shared: LiteralString = (
            "WHERE records.session = :session"
            " AND records.scope = (SELECT scope FROM records WHERE id = :id AND tenant = :tenant)"
            " AND records.status = ANY(:statuses) AND {seen}"
            " AND (records.occurred_at, COALESCE(records.number, 0), records.id) "
        )
        earlier = await self._many(
            shared + "< (:at, :number, :id) ORDER BY records.occurred_at DESC,"
            " COALESCE(records.number, 0) DESC, records.id DESC LIMIT :limit",
            {**values, "limit": before},
        )
        later = await self._many(
            shared + "> (:at, :number, :id) ORDER BY records.occurred_at,"
            " COALESCE(records.number, 0), records.id LIMIT :limit",
            {**values, "limit": after},
        )
        return earlier[::-1], later

    async def dependents(self, id: str) -> list[str]:
        """Return ids of the records whose evidence includes this one."""
        rows = await self._connection.ask(
            "SELECT evidence.id FROM evidence"
            " JOIN records ON records.id = evidence.id AND records.tenant = evidence.tenant"
            " WHERE evidence.source = :id AND evidence.tenant = :tenant AND {seen} ORDER BY evidence.id",
            {"id": id},
        )
        return [row[0] for row in rows]

    async def cross_scope_dependents(self, id: str) -> list[tuple[Scope, str]]:
        """Return scopes and ids of records of other scopes of the tenant with this one as evidence."""
        rows = await self._connection.ask(
            """
            SELECT scopes.tenant, scopes.project, scopes.agent, scopes."user", evidence.id
            FROM evidence JOIN scopes ON scopes.id = evidence.scope
            WHERE evidence.source = :id AND evidence.tenant = :tenant AND evidence.scope <> :scope
            ORDER BY evidence.scope, evidence.id
            """,
            {"id": id},
        )
        return [(scope_of(row), row[4]) for row in rows]

    async def expired(
        self,
        *,
        before: datetime,
        kinds: Sequence[Kind],
        classifications: Sequence[Classification],
        after: tuple[datetime, str] | None,
        limit: int,
    ) -> list[Record]:
        """Return undeleted records of the exact scope that were recorded by a time, by that time and id.

        Args:
            after: time and id of the last one of the previous page.
        """
        at, last = after or (None, None)
        return await self._many(
            """
            WHERE {own} AND records.status <> 'soft-deleted' AND records.recorded_at <= :before
                AND records.kind = ANY(:kinds) AND records.classification = ANY(:classifications)
                AND (:at::timestamptz IS NULL OR (records.recorded_at, records.id) > (:at, :last))
            ORDER BY records.recorded_at, records.id LIMIT :limit
            """,
            {
                "before": before,
                "kinds": [kind.value for kind in kinds],
                "classifications": [one.value for one in classifications],
                "at": at,
                "last": last,
                "limit": limit,
            },
        )

    @property
    def next_end(self) -> datetime | None:
        """When the first visible active memory ends, as the transaction began."""
        return self._connection.next_end

    async def ended(self, at: datetime) -> list[Record]:
        """Return active memories of the exact scope whose validity ended by a time, by their end and id."""
        return await self._many(
            """
            WHERE {own} AND records.status = 'active' AND records.valid_until <= :at
            ORDER BY records.valid_until, records.id
            """,
            {"at": at},
        )

    async def deleted(self, *, before: datetime, after: tuple[datetime, str] | None, limit: int) -> list[Record]:
        """Return records of the exact scope that were deleted by a time, by that time and id."""
        at, last = after or (None, None)
        return await self._many(
            """
            WHERE {own} AND records.status = 'soft-deleted' AND records.updated_at <= :before
                AND (:at::timestamptz IS NULL OR (records.updated_at, records.id) > (:at, :last))
            ORDER BY records.updated_at, records.id LIMIT :limit
            """,
            {"before": before, "at": at, "last": last, "limit": limit},
        )

    async def deleted_together(self, at: datetime) -> list[Record]:
        """Return deleted records of the exact scope that were deleted at one moment, by id."""
        return await self._many(
            """
            WHERE {own} AND records.status = 'soft-deleted' AND :at = (
                SELECT MAX(versions.until) FROM versions
                WHERE versions.scope = records.scope AND versions.id = records.id
                    AND versions.status <> 'soft-deleted'
            )
            ORDER BY records.id
            """,
            {"at": at},
        )

    async def usage(self) -> list[ProjectUsage]:
        """Return the numbers of memories of the exact scope and of those under it, by project."""
        rows = await self._connection.ask(
            'SELECT scopes.project, scopes."user", records.kind, records.classification, COUNT(*)'
            + _BENEATH
            + " AND records.status <> 'soft-deleted' GROUP BY 1, 2, 3, 4",
            scope_columns(self._connection.scope),
        )
        projects = sorted({row[0] for row in rows}, key=lambda name: name or "")
        return [_usage(project, [row[1:] for row in rows if row[0] == project]) for project in projects]

    async def most_read(self, *, limit: int) -> list[MostRead]:
        """Return the memories of the exact scope and of those under it that were read most often."""
        rows = await self._connection.ask(
            'SELECT scopes.tenant, scopes.project, scopes.agent, scopes."user", records.id, records.kind,'
            " records.usage_count, records.last_accessed_at"
            + _BENEATH
            + " AND records.status <> 'soft-deleted' AND records.usage_count > 0"
            " ORDER BY records.usage_count DESC, records.id LIMIT :limit",
            {**scope_columns(self._connection.scope), "limit": limit},
        )
        moment = self._connection.dialect.moment
        return [
            MostRead(id=row[4], scope=scope_of(row), kind=row[5], uses=row[6], last_accessed_at=moment(row[7]))
            for row in rows
        ]

    async def scopes(self, *, part: str, limit: int) -> list[Scope]:
        """Return the exact scope and those under it whose project, agent or user contains a text, oldest first."""
        rows = await self._connection.ask(
            """
            SELECT scopes.tenant, scopes.project, scopes.agent, scopes."user" FROM scopes
            WHERE {beneath} AND (
                :part = ''
                OR LOWER(scopes.project) LIKE :pattern ESCAPE '!'
                OR LOWER(scopes.agent) LIKE :pattern ESCAPE '!'
                OR LOWER(scopes."user") LIKE :pattern ESCAPE '!'
            )
            ORDER BY scopes.id LIMIT :limit
            """,
            {**scope_columns(self._connection.scope), "part": part, "pattern": _pattern(part), "limit": limit},
        )
        return [scope_of(row) for row in rows]

    async def counts(self) -> dict[str, int]:
        """Return the numbers of visible records by `kind/status`."""
        rows = await self._connection.ask(
            "SELECT records.kind || '/' || records.status, COUNT(*) FROM records WHERE {seen} GROUP BY 1"
        )
        return dict(sorted((row[0], row[1]) for row in rows))

    async def change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> Record:
        """Change a record of the exact scope and return it; keep the former state as a version.

        Args:
            terms: of the text index; `None` removes it. A new text has no vectors yet; a change that leaves its words
                keeps them.

        Raises:
            NotFound: no such record in the exact scope.
        """
        await self._connection.in_thread(lambda: self._change(id, change, at=at, terms=terms))
        # As the engine sees it: a change may have closed it to the caller who made it.
        (record,) = await SqlRecords(self._connection.engine(), self._index).find_all([id])
        return record

    def _change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> None:
        connection = self._connection
        document, updated_at = self._columns_of("document, updated_at", id)
        # A clock that does not move must not create a version of no duration, which would hide the former state.
        moment = max(at, connection.dialect.moment(updated_at) + MICROSECOND)
        connection.run(_KEEP, {"ids": [id], "until": moment})
        if terms is None or document is None or not change.leaves_words:
            if document is not None:
                self._index.remove([document])
            document = self._index.add([terms])[0] or None
        elif not change.leaves_labels:
            self._index.put([(document, terms)])
        connection.run(_CHANGE, {"id": id, "at": moment, "document": document, **change_columns(change)})
        self._add_evidence([(id, source) for source in change.evidence])

    def _add_evidence(self, edges: Sequence[tuple[str, str]]) -> None:
        """Store evidence: ids of records, each with that of a source."""
        self._connection.run_many(_EVIDENCE, [{"id": id, "source": source} for id, source in edges])

    def _columns_of(self, columns: LiteralString, id: str) -> Any:
        """Return some columns of a record of the exact scope that the caller may see.

        Raises:
            NotFound: there is none.
        """
        row = self._connection.row(f"SELECT {columns} FROM records WHERE id = :id AND " + "{plus}{own}", {"id": id})
        if row is None:
            raise NotFound("memory", id)
        return row

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Set a status in which records of the exact scope are not found; keep the former states as versions."""
        await self._connection.in_thread(lambda: self._set_aside(ids, status, at))

    def _set_aside(self, ids: Sequence[str], status: Status, at: datetime) -> None:
        connection = self._connection
        values = {"ids": list(ids), "until": at, "status": status.value}
        rows = connection.rows(
            "SELECT document FROM records WHERE {plus}{own} AND records.id = ANY(:ids) AND document IS NOT NULL", values
        )
        self._index.remove([row[0] for row in rows])
        connection.run(_KEEP, values)
        connection.run(_SET_ASIDE, values)

    async def erase(self, id: str) -> None:
        """Delete a record of the exact scope permanently, with versions, index rows, vectors and evidence."""
        await self._connection.in_thread(lambda: self._erase(id))

    def _erase(self, id: str) -> None:
        document, session, number, tokens, first, last = self._columns_of(
            "document, session, number, COALESCE(tokens, 0), first_message, last_message", id
        )
        if document is not None:
            self._index.remove([document])
        if number is not None:
            for statement in _FORGET:
                self._connection.run(statement, {"session": session, "number": number, "tokens": tokens})
        if first is not None:
            self._connection.run(_SHOW_MESSAGES, {"session": session, "first_noted": first, "last_noted": last})
        for statement in _ERASE:
            self._connection.run(statement, {"id": id})

    async def record_access(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, of all that are visible."""
        await self._connection.in_thread(lambda: self._touch(uses, at))

    def _touch(self, uses: Mapping[str, int], at: datetime) -> None:
        # Those of wider scopes in one order for all: then no two transactions wait for each other.
        self._connection.lock_owners(list(uses))
        by_count: dict[int, list[str]] = {}
        for id, count in uses.items():
            by_count.setdefault(count, []).append(id)
        for count, ids in by_count.items():
            self._connection.run(
                """
                UPDATE records SET
                    usage_count = usage_count + :uses,
                    last_accessed_at = :at,
                    relevance = relevance + :gain::float8 * (1 - relevance)
                WHERE records.id = ANY(:ids) AND {plus}{seen}
                """,
                {"ids": ids, "uses": count, "at": at, "gain": RELEVANCE_GAIN},
            )

    async def list(self, filter: Filter, *, limit: int, cursor: str | None, extra: Sequence[Record] = ()) -> Page:
        """Return records, newest first by `occurred_at`, then id.

        Args:
            extra: further records, which the filter excludes, for their places in the list.
        """
        before, last = read_cursor(cursor) if cursor else (None, None)
        asked = filter_columns(filter)
        after: LiteralString = "" if before is None else " AND (records.occurred_at, records.id) < (:before, :last)"
        found = await self._latest(
            passing(asked) + after,
            "records.occurred_at DESC, records.id DESC",
            {**asked, "before": before, "last": last},
            limit=limit + 1,
        )
        left = [one for one in extra if before is None or _place(one) < (before, last or "")]
        found = sorted([*found, *left], key=_place, reverse=True)
        return Page(records=tuple(found[:limit]), cursor=cursor_at(found[limit - 1]) if len(found) > limit else None)


def _pattern(part: str) -> str:
    """Return the LIKE pattern of texts that contain a part, without regard to case."""
    escaped = "".join(f"!{one}" if one in "!%_" else one for one in part.lower())
    return f"%{escaped}%"


def _place(record: Record) -> tuple[datetime, str]:
    """Return the place of a record in a list."""
    return record.occurred_at, record.id
