"""Memories: read where the scope sees them, written in the exact scope alone, former states kept as versions."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

import numpy as np

from remembrancer.errors import NotFound
from remembrancer.model.change import Change, Version
from remembrancer.model.episode import Tier
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import LIVE_IN, Status
from remembrancer.model.line import Line
from remembrancer.model.page import Page
from remembrancer.model.record import Episode, Fact, Kind, Observation, Record
from remembrancer.model.standing import RELEVANCE_GAIN
from remembrancer.model.terms import Terms
from remembrancer.ports.wordings import Documents, Headers, headers_from
from remembrancer.stores.moments import from_micros, to_micros
from remembrancer.stores.paging import cursor_at, read_cursor
from remembrancer.stores.sqlite.connection import Row
from remembrancer.stores.sqlite.rows import (
    RECORD_COLUMNS,
    VERSION_COLUMNS,
    maybe_from_micros,
    maybe_micros,
    record_from,
    stored,
    version_from,
)
from remembrancer.stores.sqlite.shard import Shard, as_json
from remembrancer.stores.sqlite.texts import add_wordings, remove_wordings
from remembrancer.stores.values import (
    change_columns,
    earlier,
    filter_columns,
    history,
    line_of,
    once,
    passing,
    record_columns,
    to_json,
)

_SELECT: LiteralString = "SELECT " + RECORD_COLUMNS + " FROM records JOIN scopes ON scopes.id = records.scope "
_SEEN: LiteralString = " records.scope IN (SELECT value FROM json_each(:visible)) "
_PASSES: Mapping[str, LiteralString] = {
    "kinds": "records.kind IN (SELECT value FROM json_each(:kinds))",
    "types": "records.type IN (SELECT value FROM json_each(:types))",
    "tags": """NOT EXISTS (
        SELECT 1 FROM json_each(:tags) AS wanted
        WHERE wanted.value NOT IN (SELECT value FROM json_each(records.tags))
    )""",
    "sessions": "records.session IN (SELECT value FROM json_each(:sessions))",
    "statuses": "records.status IN (SELECT value FROM json_each(:statuses))",
    "since": "records.occurred_at >= :since",
    "until": "records.occurred_at <= :until",
    "known_by": "records.updated_at <= :known_by",
    "tiers": "records.tier IN (SELECT value FROM json_each(:tiers))",
    "contact": "records.contact = :contact",
    "importance": "records.importance >= :importance",
    "trust": "records.trust IN (SELECT value FROM json_each(:trust))",
    "classes": "records.classification IN (SELECT value FROM json_each(:classes))",
}
_INSERT: LiteralString = """
    INSERT INTO records (
        scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at, recorded_at,
        updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
        last_accessed_at, document, number, role, speaker, tokens, type, title, topic_key,
        tokenizer, priority, refers_to, first_message, last_message, place, engine, model, details, tier, contact
    ) VALUES (
        :scope, :tenant, :id, :kind, :session, :text, :hash, :author, :source, :tags, :metadata, :occurred_at,
        :recorded_at, :updated_at, :revision, 1, :status, :classification, :trust, :importance, :echo, :usage_count,
        :last_accessed_at, :document, :number, :role, :speaker, :tokens, :type, :title, :topic_key,
        :tokenizer, :priority, :refers_to, :first_message,
        :last_message, :place, :engine, :model, :details, :tier, :contact
    )
"""
_KEEP_VERSION: LiteralString = """
    INSERT INTO versions (
        scope, tenant, id, version, since, until, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    )
    SELECT
        scope, tenant, id, version, updated_at, :until, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    FROM records
    WHERE scope = :scope AND id = :id
"""
# A clock that stands still must not make a version of no duration in which the past would be lost.
_LATER: LiteralString = "MAX(:until, updated_at + 1)"
_KEEP_VERSIONS: LiteralString = (
    """
    INSERT INTO versions (
        scope, tenant, id, version, since, until, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    )
    SELECT
        scope, tenant, id, version, updated_at, """
    + _LATER
    + """, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    FROM records
    WHERE scope = :scope AND records.id IN (SELECT value FROM json_each(:ids))
    """
)
_SET_ASIDE: LiteralString = (
    "UPDATE records SET status = :status, version = version + 1, document = NULL, generation = NULL,"
    " updated_at = " + _LATER + " WHERE scope = :scope AND records.id IN (SELECT value FROM json_each(:ids))"
)
_CHANGE: LiteralString = """
    UPDATE records SET
        text = COALESCE(:text, text),
        hash = COALESCE(:hash, hash),
        title = COALESCE(:title, title),
        type = COALESCE(:type, type),
        tags = COALESCE(:tags, tags),
        metadata = COALESCE(:metadata, metadata),
        session = COALESCE(:session, session),
        importance = COALESCE(:importance, importance),
        classification = COALESCE(:classification, classification),
        trust = COALESCE(:trust, trust),
        status = COALESCE(:status, status),
        echo = COALESCE(:echo, echo),
        place = COALESCE(:place, place),
        details = COALESCE(:details, details),
        revision = revision + :reworded,
        version = version + 1,
        updated_at = :at,
        document = :document,
        generation = CASE WHEN document IS :document THEN generation END
    WHERE scope = :scope AND id = :id
"""
# What an observer said of the task was drawn from what is erased, too.
_FORGET_IN_CHUNKS: LiteralString = """
    UPDATE chunks SET task = '', suggestion = '', tokens = tokens - :tokens
    WHERE scope = :scope AND session = :session AND :number BETWEEN first AND last
"""
_FORGET_IN_SESSION: LiteralString = """
    UPDATE sessions SET
        erased = erased + 1,
        tokens = tokens - :tokens,
        observed_tokens = observed_tokens - CASE WHEN observed >= :number THEN :tokens ELSE 0 END
    WHERE scope = :scope AND id = :session
"""
# The wanted rows come first, and the index is named: the planner knows no statistics and would scan a scope instead.
_HEADER: LiteralString = """
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.type, ''),
        records.occurred_at / 1e6, records.updated_at / 1e6, records.last_accessed_at / 1e6, records.revision,
        records.importance, COALESCE(records.tier, ''), records.weight
    FROM json_each(:wanted) AS wanted
"""
_LINE: LiteralString = """
    SELECT
        id, kind, COALESCE(session, ''), text, occurred_at, COALESCE(number, first_message, 0),
        COALESCE(number, last_message, 0), COALESCE(role, ''), COALESCE(speaker, ''), COALESCE(priority, 0),
        COALESCE(refers_to, ''), COALESCE(place, 0)
    FROM records
    WHERE scope = :scope AND status = 'active' AND
"""
_VERSION: LiteralString = "SELECT " + VERSION_COLUMNS + " FROM versions "


class SQLiteRecords:
    """See `ports.records.Records`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    @property
    def retired(self) -> Sequence[int]:
        """The wordings that this transaction has taken out of the indexes so far."""
        return tuple(self._shard.retired)

    async def add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        """Store new records with their evidence and index rows; one document number each (0: not indexed)."""
        return await self._shard.run(lambda: self._add(records, terms))

    def _add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        shard = self._shard
        scope, tenant = shard.writable(), shard.scope.tenant
        documents = add_wordings(shard, terms)
        rows = [
            {"scope": scope, "tenant": tenant, "document": document or None, **stored(record_columns(record))}
            for record, document in zip(records, documents, strict=True)
        ]
        shard.connection.run_many(_INSERT, rows)
        shard.connection.run_many(
            "INSERT OR IGNORE INTO evidence (scope, tenant, id, source) VALUES (?, ?, ?, ?)",
            [(scope, tenant, record.id, source) for record in records for source in record.evidence],
        )
        return documents

    async def find(self, id: str) -> Record | None:
        """The record with its evidence, in any status, or `None`."""
        found = await self._many(_SELECT + "WHERE records.id = :id AND" + _SEEN, {"id": id})
        return next(iter(found), None)

    async def find_many(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        sql = (
            "SELECT "
            + RECORD_COLUMNS
            + ", records.document FROM json_each(:documents) AS wanted"
            + " CROSS JOIN records ON records.document = wanted.value JOIN scopes ON scopes.id = records.scope WHERE"
            + _SEEN
        )
        rows = await self._rows(sql, {"documents": as_json(documents)})
        return {row[-1]: record_from(row) for row in rows}

    async def existing(self, ids: Sequence[str]) -> dict[str, str]:
        """Hash by id, for those of the ids that are in the exact scope."""
        rows = await self._rows(
            "SELECT id, hash FROM records WHERE id IN (SELECT value FROM json_each(:ids)) AND +scope = :scope",
            {"ids": to_json(list(ids)), "scope": self._shard.exact},
        )
        return {row[0]: row[1] for row in rows}

    async def by_topic(self, topic_key: str) -> Record | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        found = await self._many(
            _SELECT + "WHERE records.scope = :scope AND records.topic_key = :key AND records.kind = 'observation'"
            " AND records.status <> 'soft-deleted'",
            {"scope": self._shard.exact, "key": topic_key},
        )
        return next(iter(found), None)

    async def by_hash(self, hash: str) -> Record | None:
        """The observation without a key in the exact scope with this hash that is not deleted, or `None`."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = :scope AND records.hash = :hash AND records.kind IN ('observation', 'reflection')
                AND records.topic_key IS NULL AND records.type <> 'summary' AND records.status <> 'soft-deleted'
                ORDER BY records.status NOT IN ('rejected', 'dismissed'), records.id""",
            {"scope": self._shard.exact, "hash": hash},
        )
        return next(iter(found), None)

    async def by_number(self, session: str, first: int, last: int) -> list[Record]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
        return await self._many(
            _SELECT
            + """WHERE records.scope = :scope AND records.session = :session
                AND records.number BETWEEN :first AND :last ORDER BY records.number""",
            {"scope": self._shard.exact, "session": session, "first": first, "last": last},
        )

    async def in_log(self, session: str | None) -> list[Observation]:
        """The active observations and reflections of the exact scope that have a place, in its order."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = :scope AND records.place IS NOT NULL AND records.status = 'active'
                AND (:session IS NULL OR records.session = :session) ORDER BY records.place""",
            {"scope": self._shard.exact, "session": session},
        )

    async def log_lines(self, session: str | None) -> list[Line]:
        """As `in_log`, what an agent reads of it."""
        return await self._lines(
            "place IS NOT NULL AND (:session IS NULL OR session = :session) ORDER BY place", {"session": session}
        )

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """How many stand in the log, and when one of them last changed: the same as long as the log is."""
        rows = await self._rows(
            """
            SELECT COUNT(*), MAX(updated_at) FROM records
            WHERE scope = :scope AND status = 'active' AND place IS NOT NULL
                AND (:session IS NULL OR session = :session)
            """,
            {"scope": self._shard.exact, "session": session},
        )
        return rows[0][0], maybe_from_micros(rows[0][1])

    async def message_lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order."""
        return [
            line
            for first, last in spans
            for line in await self._lines(
                "session = :session AND number BETWEEN :first AND :last ORDER BY number",
                {"session": session, "first": first, "last": last},
            )
        ]

    async def _lines(self, which: LiteralString, values: Mapping[str, object]) -> list[Line]:
        rows = await self._rows(_LINE + " " + which, {"scope": self._shard.exact, **values})
        return [line_of((*row[:4], from_micros(row[4]), *row[5:])) for row in rows]

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = :scope AND records.session = :session
                AND records.first_message BETWEEN :first AND :last
                ORDER BY records.first_message, records.last_message, records.occurred_at, records.id""",
            {"scope": self._shard.exact, "session": session, "first": first, "last": last},
        )

    async def contacts(
        self, tier: Tier, *, until: datetime, at_least: int, changed_since: datetime | None = None
    ) -> list[str]:
        """Contacts of the exact scope with so many live episodes of a tier until a time, exclusive; sorted."""
        rows = await self._rows(
            """
            SELECT contact FROM records
            WHERE scope = :scope AND tier = :tier AND status = :status AND occurred_at < :until
            GROUP BY contact
            HAVING COUNT(*) >= :least AND (:since IS NULL OR MAX(updated_at) >= :since)
            ORDER BY contact
            """,
            {
                "scope": self._shard.exact,
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "until": to_micros(until),
                "least": at_least,
                "since": to_micros(changed_since) if changed_since else None,
            },
        )
        return [row[0] for row in rows]

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Live episodes of a tier with a contact of the exact scope until a time, exclusive; oldest first."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = :scope AND records.tier = :tier AND records.status = :status
                AND records.contact = :contact AND records.occurred_at < :until
                AND (:at IS NULL OR (records.occurred_at, records.id) > (:at, :after))
                ORDER BY records.occurred_at, records.id LIMIT :limit""",
            {
                "scope": self._shard.exact,
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "contact": contact,
                "until": to_micros(until),
                "at": to_micros(after[0]) if after else None,
                "after": after[1] if after else "",
                "limit": limit,
            },
        )
        return [record for record in found if isinstance(record, Episode)]

    async def latest_episodes(self, contact: str | None, *, limit: int) -> list[Episode]:
        """Live episodes that the scope sees, the latest first."""
        found = await self._many(
            _SELECT
            + "WHERE records.tier IS NOT NULL AND records.status IN ('raw', 'active')"
            + " AND (:contact IS NULL OR records.contact = :contact) AND"
            + _SEEN
            + "ORDER BY records.occurred_at DESC, records.id DESC LIMIT :limit",
            {"contact": contact, "limit": limit},
        )
        return [record for record in found if isinstance(record, Episode)]

    async def by_rule(self, kind: Kind, statuses: Sequence[Status]) -> list[Record]:
        """All facts, procedures or signals that the scope sees in these statuses, oldest first."""
        return await self._many(
            _SELECT
            + "WHERE records.kind = :kind AND records.kind IN ('fact', 'procedure', 'signal')"
            + " AND records.status IN (SELECT value FROM json_each(:statuses)) AND"
            + _SEEN
            + "ORDER BY records.occurred_at, records.id",
            {"kind": kind.value, "statuses": to_json([status.value for status in statuses])},
        )

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = :scope AND records.kind = 'fact' AND records.topic_key = :key
                AND records.status <> 'soft-deleted' ORDER BY records.id""",
            {"scope": self._shard.exact, "key": key},
        )
        return [record for record in found if isinstance(record, Fact)]

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = :scope AND records.kind = 'observation' AND records.details IS NOT NULL
                AND records.status IN (SELECT value FROM json_each(:statuses)) ORDER BY records.id""",
            {"scope": self._shard.exact, "statuses": to_json([status.value for status in statuses])},
        )

    async def change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> Record:
        """The record of the exact scope after a change; the former state is kept as a version."""
        await self._shard.run(lambda: self._change(id, change, at=at, terms=terms))
        record = await self.find(id)
        assert record is not None
        return record

    def _change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> None:
        shard, connection = self._shard, self._shard.connection
        place = {"scope": shard.exact, "id": id}
        row = connection.row("SELECT document, updated_at FROM records WHERE scope = :scope AND id = :id", place)
        if row is None:
            raise NotFound("memory", id)
        # A clock that stands still must not make a version of no duration in which the past would be lost.
        moment = max(to_micros(at), row[1] + 1)
        connection.run(_KEEP_VERSION, {**place, "until": moment})
        document = row[0]
        if terms is None or document is None or not change.leaves_words:
            if document is not None:
                remove_wordings(shard, [document])
            document = add_wordings(shard, [terms])[0] or None
        connection.run(_CHANGE, {**place, **stored(change_columns(change)), "at": moment, "document": document})
        connection.run_many(
            "INSERT OR IGNORE INTO evidence (scope, tenant, id, source) VALUES (?, ?, ?, ?)",
            [(shard.exact, shard.scope.tenant, id, source) for source in change.evidence],
        )

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are here, in any status, by their ids."""
        return await self._many(
            _SELECT + "WHERE records.id IN (SELECT value FROM json_each(:ids)) AND +" + _SEEN + "ORDER BY records.id",
            {"ids": to_json(list(ids))},
        )

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Records of the exact scope in a status in which they are not found; the former state is kept as a version."""
        await self._shard.run(lambda: self._set_aside(ids, status, at))

    def _set_aside(self, ids: Sequence[str], status: Status, at: datetime) -> None:
        shard, connection = self._shard, self._shard.connection
        given = {"scope": shard.exact, "ids": to_json(list(ids)), "until": to_micros(at), "status": status.value}
        rows = connection.rows(
            "SELECT document FROM records WHERE scope = :scope AND id IN (SELECT value FROM json_each(:ids))"
            " AND document IS NOT NULL",
            given,
        )
        remove_wordings(shard, [row[0] for row in rows])
        connection.run(_KEEP_VERSIONS, given)
        connection.run(_SET_ASIDE, given)

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        rows = await self._rows(
            "SELECT status FROM versions WHERE id = :id AND scope = :scope"
            " AND status NOT IN (SELECT value FROM json_each(:apart)) ORDER BY version DESC LIMIT 1",
            {"id": id, "scope": self._shard.exact, "apart": to_json([status.value for status in apart_from])},
        )
        return Status(rows[0][0]) if rows else Status.ACTIVE

    async def erase(self, id: str) -> None:
        """Remove a record of the exact scope for good: versions, index rows, vectors and evidence with it."""
        await self._shard.run(lambda: self._erase(id))

    def _erase(self, id: str) -> None:
        shard, connection = self._shard, self._shard.connection
        place = {"scope": shard.exact, "id": id}
        row = connection.row(
            """
            SELECT document, session, number, COALESCE(tokens, 0) FROM records WHERE scope = :scope AND id = :id
            """,
            place,
        )
        if row is None:
            raise NotFound("memory", id)
        if row[0] is not None:
            remove_wordings(shard, [row[0]])
        connection.run("DELETE FROM evidence WHERE id = :id OR source = :id", {"id": id})
        if row[2] is not None:
            said = {"scope": shard.exact, "session": row[1], "number": row[2], "tokens": row[3]}
            connection.run(_FORGET_IN_CHUNKS, said)
            connection.run(_FORGET_IN_SESSION, said)
        connection.run("DELETE FROM injections WHERE scope = :scope AND record = :id", place)
        connection.run("DELETE FROM verdicts WHERE scope = :scope AND record = :id", place)
        connection.run("DELETE FROM weights WHERE scope = :scope AND record = :id", place)
        connection.run("DELETE FROM keys WHERE scope = :scope AND record = :id", place)
        connection.run("DELETE FROM records WHERE scope = :scope AND id = :id", place)

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """What came before and after a record in its session by `occurred_at`, oldest first."""
        values: dict[str, object] = {
            "session": record.session,
            "at": to_micros(record.occurred_at),
            "number": getattr(record, "number", 0),
            "id": record.id,
            "statuses": to_json(list(statuses)),
        }
        shared = (
            "WHERE records.session = :session AND records.scope = (SELECT scope FROM records WHERE id = :id)"
            " AND records.status IN (SELECT value FROM json_each(:statuses)) AND" + _SEEN
        )
        place = "(records.occurred_at, COALESCE(records.number, 0), records.id) "
        earlier = await self._many(
            _SELECT + shared + "AND " + place + "< (:at, :number, :id) ORDER BY records.occurred_at DESC,"
            " COALESCE(records.number, 0) DESC, records.id DESC LIMIT :limit",
            {**values, "limit": before},
        )
        later = await self._many(
            _SELECT + shared + "AND " + place + "> (:at, :number, :id) ORDER BY records.occurred_at,"
            " COALESCE(records.number, 0), records.id LIMIT :limit",
            {**values, "limit": after},
        )
        return earlier[::-1], later

    async def documents(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        asked = stored(filter_columns(filter))
        index = "records_by_time" if filter.since or filter.until or limit else "records_by_kind"
        rows = await self._rows(
            "SELECT records.document FROM records INDEXED BY "
            + index
            + " WHERE records.document IS NOT NULL AND"
            + _SEEN
            + "AND "
            + passing(asked, _PASSES)
            + (" ORDER BY records.occurred_at DESC LIMIT :limit" if limit else ""),
            {**asked, "limit": limit},
        )
        return np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))

    async def headers(self, documents: Sequence[int]) -> Headers:
        """What ranking needs of these wordings; those that no longer stand are left out."""
        rows: Any = await self._rows(
            _HEADER
            + """
            CROSS JOIN records ON records.document = wanted.value
            WHERE
            """
            + _SEEN,
            {"wanted": as_json(documents)},
        )
        return headers_from(rows)

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        wanted: dict[str, list[int]] = {}
        for session, number in places:
            wanted.setdefault(session, []).append(number)
        rows: Any = await self._rows(
            _HEADER
            + """
            CROSS JOIN json_each(wanted.value) AS numbers
            CROSS JOIN json_each(:visible) AS seen
            CROSS JOIN records INDEXED BY records_by_number
                ON records.scope = seen.value AND records.session = wanted.key AND records.number = numbers.value
            WHERE records.document IS NOT NULL
            """,
            {"wanted": json.dumps(wanted)},
        )
        return headers_from(rows)

    async def touch(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, wherever the scope sees it."""
        await self._rows(
            """
            UPDATE records SET
                usage_count = usage_count + (SELECT value FROM json_each(:uses) WHERE key = records.id),
                last_accessed_at = :at,
                relevance = relevance + :gain * (1 - relevance)
            WHERE records.id IN (SELECT key FROM json_each(:uses)) AND +
            """
            + _SEEN,
            {"uses": to_json(dict(uses)), "at": to_micros(at), "gain": RELEVANCE_GAIN},
        )

    async def version_at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        record = await self.find(id)
        if record is None or record.updated_at <= at:
            return record
        rows = await self._rows(
            _VERSION + "WHERE versions.id = :id AND versions.since <= :at AND :at < versions.until",
            {"id": id, "at": to_micros(at)},
        )
        return earlier(record, version_from(rows[0])) if rows else None

    async def versions(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        values: dict[str, object] = {"start": to_micros(known_from), "end": to_micros(known_to)}
        current = await self._many(
            _SELECT + "WHERE records.updated_at > :start AND" + _SEEN + "ORDER BY records.updated_at", values
        )
        rows = await self._rows(
            _VERSION
            + "WHERE versions.scope IN (SELECT value FROM json_each(:visible))"
            + " AND versions.until > :start AND versions.since <= :end"
            + " AND (versions.since > :start OR versions.until <= :end) ORDER BY versions.since, versions.version",
            values,
        )
        return history(current, map(version_from, rows), known_to=known_to)

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        rows = await self._rows(
            _VERSION
            + "WHERE versions.scope IN (SELECT value FROM json_each(:visible))"
            + " AND versions.since <= :at AND :at < versions.until",
            {"at": to_micros(at)},
        )
        current = await self._many(
            _SELECT + "WHERE records.id IN (SELECT value FROM json_each(:ids)) AND +" + _SEEN,
            {"ids": to_json([row[0] for row in rows])},
        )
        return once(current, map(version_from, rows), filter)

    async def dependants(self, id: str) -> list[str]:
        """Ids of the records whose evidence includes this one."""
        rows = await self._rows(
            "SELECT evidence.id FROM evidence JOIN records ON records.id = evidence.id"
            " WHERE evidence.source = :id AND" + _SEEN + "ORDER BY evidence.id",
            {"id": id},
        )
        return [row[0] for row in rows]

    async def counts(self) -> dict[str, int]:
        """How many records there are by `kind/status`, in what the scope sees."""
        rows = await self._rows(
            "SELECT records.kind || '/' || records.status, COUNT(*) FROM records WHERE"
            + _SEEN
            + "GROUP BY 1 ORDER BY 1",
            {},
        )
        return {row[0]: row[1] for row in rows}

    async def _claims(self, sql: LiteralString, values: Mapping[str, object]) -> list[Observation]:
        found = await self._many(sql, values)
        return [record for record in found if isinstance(record, Observation)]

    async def _many(self, sql: LiteralString, values: Mapping[str, object]) -> list[Record]:
        return [record_from(row) for row in await self._rows(sql, values)]

    async def _rows(self, sql: LiteralString, values: Mapping[str, object]) -> list[Row]:
        shard = self._shard
        return await shard.run(lambda: shard.connection.rows(sql, {"visible": shard.visible, **values}))

    async def list(self, filter: Filter, *, limit: int, cursor: str | None) -> Page:
        """Newest first by `occurred_at`, then id."""
        before, last = read_cursor(cursor) if cursor else (None, None)
        asked = stored(filter_columns(filter))
        found = await self._many(
            _SELECT
            + "WHERE"
            + _SEEN
            + "AND "
            + passing(asked, _PASSES)
            + """ AND (:before IS NULL OR (records.occurred_at, records.id) < (:before, :last))
                ORDER BY records.occurred_at DESC, records.id DESC LIMIT :limit""",
            {**asked, "before": maybe_micros(before), "last": last, "limit": limit + 1},
        )
        cursor = cursor_at(found[limit - 1]) if len(found) > limit else None
        return Page(records=tuple(found[:limit]), cursor=cursor)
