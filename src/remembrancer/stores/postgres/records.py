"""Memories: read where the scope sees them, written in the exact scope alone, former states kept as versions."""

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
from remembrancer.stores.moments import MICROSECOND
from remembrancer.stores.paging import cursor_at, read_cursor
from remembrancer.stores.postgres.connection import Row
from remembrancer.stores.postgres.rows import RECORD_COLUMNS, stored
from remembrancer.stores.postgres.shard import Shard, as_array, lock_writer
from remembrancer.stores.postgres.texts import add_wordings, remove_wordings
from remembrancer.stores.values import (
    change_columns,
    earlier,
    filter_columns,
    history,
    line_of,
    once,
    passing,
    record_columns,
    record_of,
)

_SELECT: LiteralString = "SELECT " + RECORD_COLUMNS + " FROM records JOIN scopes ON scopes.id = records.scope "
_SEEN: LiteralString = " records.scope = ANY(%(visible)s) "
_PASSES: Mapping[str, LiteralString] = {
    "kinds": "records.kind = ANY(%(kinds)s)",
    "types": "records.type = ANY(%(types)s)",
    "tags": "records.tags @> %(tags)s::text[]",
    "sessions": "records.session = ANY(%(sessions)s)",
    "statuses": "records.status = ANY(%(statuses)s)",
    "since": "records.occurred_at >= %(since)s",
    "until": "records.occurred_at <= %(until)s",
    "known_by": "records.updated_at <= %(known_by)s",
    "tiers": "records.tier = ANY(%(tiers)s)",
    "contact": "records.contact = %(contact)s",
    "importance": "records.importance >= %(importance)s",
    "trust": "records.trust = ANY(%(trust)s)",
    "classes": "records.classification = ANY(%(classes)s)",
}
_INSERT: LiteralString = """
    INSERT INTO records (
        scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at, recorded_at,
        updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
        last_accessed_at, document, number, role, speaker, tokens, type, title, topic_key,
        tokenizer, priority, refers_to, first_message, last_message, place, engine, model, details, tier, contact
    ) VALUES (
        %(scope)s, %(tenant)s, %(id)s, %(kind)s, %(session)s, %(text)s, %(hash)s, %(author)s, %(source)s, %(tags)s,
        %(metadata)s, %(occurred_at)s, %(recorded_at)s, %(updated_at)s, %(revision)s, 1, %(status)s,
        %(classification)s, %(trust)s, %(importance)s, %(echo)s, %(usage_count)s, %(last_accessed_at)s, %(document)s,
        %(number)s, %(role)s, %(speaker)s, %(tokens)s, %(type)s, %(title)s, %(topic_key)s,
        %(tokenizer)s, %(priority)s, %(refers_to)s, %(first_message)s,
        %(last_message)s, %(place)s, %(engine)s, %(model)s, %(details)s, %(tier)s, %(contact)s
    )
"""
_INSERT_EVIDENCE: LiteralString = """
    INSERT INTO evidence (scope, tenant, id, source) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING
"""
_KEEP_VERSION: LiteralString = """
    INSERT INTO versions (
        scope, tenant, id, version, since, until, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    )
    SELECT
        scope, tenant, id, version, updated_at, %(until)s, session, text, hash, tags, metadata, revision, status,
        classification, trust, importance, type, title, details
    FROM records
    WHERE scope = %(scope)s AND id = %(id)s
"""
_OWNERS: LiteralString = (
    'SELECT DISTINCT scopes.project, scopes.agent, scopes."user" FROM records JOIN scopes ON scopes.id = records.scope'
    " WHERE records.id = ANY(%(ids)s) AND" + _SEEN
)
# A clock that stands still must not make a version of no duration in which the past would be lost.
_LATER: LiteralString = "GREATEST(%(until)s, updated_at + interval '1 microsecond')"
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
    WHERE scope = %(scope)s AND records.id = ANY(%(ids)s)
    """
)
_SET_ASIDE: LiteralString = (
    "UPDATE records SET status = %(status)s, version = version + 1, document = NULL, generation = NULL,"
    " updated_at = " + _LATER + " WHERE scope = %(scope)s AND records.id = ANY(%(ids)s)"
)
_CHANGE: LiteralString = """
    UPDATE records SET
        text = COALESCE(%(text)s, text),
        hash = COALESCE(%(hash)s, hash),
        title = COALESCE(%(title)s, title),
        type = COALESCE(%(type)s, type),
        tags = COALESCE(%(tags)s, tags),
        metadata = COALESCE(%(metadata)s, metadata),
        session = COALESCE(%(session)s, session),
        importance = COALESCE(%(importance)s, importance),
        classification = COALESCE(%(classification)s, classification),
        trust = COALESCE(%(trust)s, trust),
        status = COALESCE(%(status)s, status),
        echo = COALESCE(%(echo)s, echo),
        place = COALESCE(%(place)s, place),
        details = COALESCE(%(details)s, details),
        revision = revision + %(reworded)s,
        version = version + 1,
        updated_at = %(at)s,
        document = %(document)s,
        generation = CASE WHEN document IS NOT DISTINCT FROM %(document)s THEN generation END
    WHERE scope = %(scope)s AND id = %(id)s
"""
# What an observer said of the task was drawn from what is erased, too.
_FORGET_IN_CHUNKS: LiteralString = """
    UPDATE chunks SET task = '', suggestion = '', tokens = tokens - %(tokens)s
    WHERE scope = %(scope)s AND session = %(session)s AND %(number)s BETWEEN first AND last
"""
_FORGET_IN_SESSION: LiteralString = """
    UPDATE sessions SET
        erased = erased + 1,
        tokens = tokens - %(tokens)s,
        observed_tokens = observed_tokens - CASE WHEN observed >= %(number)s THEN %(tokens)s ELSE 0 END
    WHERE scope = %(scope)s AND id = %(session)s
"""
_HEADER: LiteralString = """
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.type, ''),
        date_part('epoch', records.occurred_at), date_part('epoch', records.updated_at),
        date_part('epoch', records.last_accessed_at), records.revision, records.importance,
        COALESCE(records.tier, ''), records.weight
    FROM records
"""
_LINE: LiteralString = """
    SELECT
        id, kind, COALESCE(session, ''), text, occurred_at, COALESCE(number, first_message, 0),
        COALESCE(number, last_message, 0), COALESCE(role, ''), COALESCE(speaker, ''), COALESCE(priority, 0),
        COALESCE(refers_to, ''), COALESCE(place, 0)
    FROM records
    WHERE scope = %(scope)s AND status = 'active' AND
"""
_VERSION: LiteralString = """
    SELECT
        versions.id, versions.since, versions.until, versions.session, versions.text, versions.hash, versions.tags,
        versions.metadata, versions.revision, versions.status, versions.classification, versions.trust,
        versions.importance, versions.type, versions.title, versions.details
    FROM versions
"""


class PostgresRecords:
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
            _INSERT_EVIDENCE,
            [(scope, tenant, record.id, source) for record in records for source in record.evidence],
        )
        return documents

    async def find(self, id: str) -> Record | None:
        """The record with its evidence, in any status, or `None`."""
        found = await self._many(_SELECT + "WHERE records.id = %(id)s AND" + _SEEN, {"id": id})
        return next(iter(found), None)

    async def find_many(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        rows = await self._rows(
            "SELECT "
            + RECORD_COLUMNS
            + ", records.document FROM records JOIN scopes ON scopes.id = records.scope"
            + " WHERE records.document = ANY(%(documents)s::bigint[]) AND"
            + _SEEN,
            {"documents": as_array(documents)},
        )
        return {row[-1]: record_of(row) for row in rows}

    async def existing(self, ids: Sequence[str]) -> dict[str, str]:
        """Hash by id, for those of the ids that are in the exact scope."""
        rows = await self._rows(
            "SELECT id, hash FROM records WHERE id = ANY(%(ids)s) AND scope = %(scope)s",
            {"ids": list(ids), "scope": self._shard.exact},
        )
        return {row[0]: row[1] for row in rows}

    async def by_topic(self, topic_key: str) -> Record | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.topic_key = %(key)s
                AND records.kind = 'observation' AND records.status <> 'soft-deleted'""",
            {"scope": self._shard.exact, "key": topic_key},
        )
        return next(iter(found), None)

    async def by_hash(self, hash: str) -> Record | None:
        """The observation without a key in the exact scope with this hash that is not deleted, or `None`."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.hash = %(hash)s
                AND records.kind IN ('observation', 'reflection')
                AND records.topic_key IS NULL AND records.type <> 'summary' AND records.status <> 'soft-deleted'
                ORDER BY records.status NOT IN ('rejected', 'dismissed'), records.id""",
            {"scope": self._shard.exact, "hash": hash},
        )
        return next(iter(found), None)

    async def by_number(self, session: str, first: int, last: int) -> list[Record]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
        return await self._many(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.session = %(session)s
                AND records.number BETWEEN %(first)s AND %(last)s ORDER BY records.number""",
            {"scope": self._shard.exact, "session": session, "first": first, "last": last},
        )

    async def in_log(self, session: str | None) -> list[Observation]:
        """The active observations and reflections of the exact scope that have a place, in its order."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.place IS NOT NULL AND records.status = 'active'
                AND (%(session)s::text IS NULL OR records.session = %(session)s) ORDER BY records.place""",
            {"scope": self._shard.exact, "session": session},
            plan_anew=True,
        )

    async def log_lines(self, session: str | None) -> list[Line]:
        """As `in_log`, what an agent reads of it."""
        return await self._lines(
            "place IS NOT NULL AND (%(session)s::text IS NULL OR session = %(session)s) ORDER BY place",
            {"session": session},
        )

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """How many stand in the log, and when one of them last changed: the same as long as the log is."""
        rows = await self._rows(
            """
            SELECT COUNT(*), MAX(updated_at) FROM records
            WHERE scope = %(scope)s AND status = 'active' AND place IS NOT NULL
                AND (%(session)s::text IS NULL OR session = %(session)s)
            """,
            {"scope": self._shard.exact, "session": session},
            plan_anew=True,
        )
        return rows[0][0], rows[0][1]

    async def message_lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order."""
        return [
            line
            for first, last in spans
            for line in await self._lines(
                "session = %(session)s AND number BETWEEN %(first)s AND %(last)s ORDER BY number",
                {"session": session, "first": first, "last": last},
            )
        ]

    async def _lines(self, which: LiteralString, values: Mapping[str, object]) -> list[Line]:
        rows = await self._rows(_LINE + " " + which, {"scope": self._shard.exact, **values}, plan_anew=True)
        return [line_of(row) for row in rows]

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.session = %(session)s
                AND records.first_message BETWEEN %(first)s AND %(last)s
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
            WHERE scope = %(scope)s AND tier = %(tier)s AND status = %(status)s AND occurred_at < %(until)s
            GROUP BY contact
            HAVING COUNT(*) >= %(least)s AND (%(since)s::timestamptz IS NULL OR MAX(updated_at) >= %(since)s)
            ORDER BY contact
            """,
            {
                "scope": self._shard.exact,
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "until": until,
                "least": at_least,
                "since": changed_since,
            },
        )
        return [row[0] for row in rows]

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Live episodes of a tier with a contact of the exact scope until a time, exclusive; oldest first."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.tier = %(tier)s AND records.status = %(status)s
                AND records.contact = %(contact)s AND records.occurred_at < %(until)s
                AND (%(at)s::timestamptz IS NULL OR (records.occurred_at, records.id) > (%(at)s, %(after)s))
                ORDER BY records.occurred_at, records.id LIMIT %(limit)s""",
            {
                "scope": self._shard.exact,
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "contact": contact,
                "until": until,
                "at": after[0] if after else None,
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
            + " AND (%(contact)s::text IS NULL OR records.contact = %(contact)s) AND"
            + _SEEN
            + "ORDER BY records.occurred_at DESC, records.id DESC LIMIT %(limit)s",
            {"contact": contact, "limit": limit},
        )
        return [record for record in found if isinstance(record, Episode)]

    async def by_rule(self, kind: Kind, statuses: Sequence[Status]) -> list[Record]:
        """All facts, procedures or signals that the scope sees in these statuses, oldest first."""
        return await self._many(
            _SELECT
            + "WHERE records.kind = %(kind)s AND records.kind IN ('fact', 'procedure', 'signal')"
            + " AND records.status = ANY(%(statuses)s) AND"
            + _SEEN
            + "ORDER BY records.occurred_at, records.id",
            {"kind": kind.value, "statuses": [status.value for status in statuses]},
        )

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        found = await self._many(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.kind = 'fact' AND records.topic_key = %(key)s
                AND records.status <> 'soft-deleted' ORDER BY records.id""",
            {"scope": self._shard.exact, "key": key},
        )
        return [record for record in found if isinstance(record, Fact)]

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        return await self._claims(
            _SELECT
            + """WHERE records.scope = %(scope)s AND records.kind = 'observation' AND records.details IS NOT NULL
                AND records.status = ANY(%(statuses)s) ORDER BY records.id""",
            {"scope": self._shard.exact, "statuses": [status.value for status in statuses]},
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
        row = connection.row("SELECT document, updated_at FROM records WHERE scope = %(scope)s AND id = %(id)s", place)
        if row is None:
            raise NotFound("memory", id)
        # A clock that stands still must not make a version of no duration in which the past would be lost.
        moment = max(at, row[1] + MICROSECOND)
        connection.run(_KEEP_VERSION, {**place, "until": moment})
        document = row[0]
        if terms is None or document is None or not change.leaves_words:
            if document is not None:
                remove_wordings(shard, [document])
            document = add_wordings(shard, [terms])[0] or None
        connection.run(_CHANGE, {**place, **stored(change_columns(change)), "at": moment, "document": document})
        connection.run_many(
            _INSERT_EVIDENCE, [(shard.exact, shard.scope.tenant, id, source) for source in change.evidence]
        )

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are here, in any status, by their ids."""
        return await self._many(
            _SELECT + "WHERE records.id = ANY(%(ids)s) AND" + _SEEN + "ORDER BY records.id", {"ids": list(ids)}
        )

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Records of the exact scope in a status in which they are not found; the former state is kept as a version."""
        await self._shard.run(lambda: self._set_aside(ids, status, at))

    def _set_aside(self, ids: Sequence[str], status: Status, at: datetime) -> None:
        shard, connection = self._shard, self._shard.connection
        given = {"scope": shard.exact, "ids": list(ids), "until": at, "status": status.value}
        rows = connection.rows(
            "SELECT document FROM records WHERE scope = %(scope)s AND id = ANY(%(ids)s) AND document IS NOT NULL",
            given,
        )
        remove_wordings(shard, [row[0] for row in rows])
        connection.run(_KEEP_VERSIONS, given)
        connection.run(_SET_ASIDE, given)

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        rows = await self._rows(
            "SELECT status FROM versions WHERE id = %(id)s AND scope = %(scope)s"
            " AND status <> ALL(%(apart)s::text[]) ORDER BY version DESC LIMIT 1",
            {"id": id, "scope": self._shard.exact, "apart": [status.value for status in apart_from]},
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
            SELECT document, session, number, COALESCE(tokens, 0) FROM records
            WHERE scope = %(scope)s AND id = %(id)s
            """,
            place,
        )
        if row is None:
            raise NotFound("memory", id)
        if row[0] is not None:
            remove_wordings(shard, [row[0]])
        connection.run("DELETE FROM evidence WHERE id = %(id)s OR source = %(id)s", {"id": id})
        if row[2] is not None:
            said = {"scope": shard.exact, "session": row[1], "number": row[2], "tokens": row[3]}
            connection.run(_FORGET_IN_CHUNKS, said)
            connection.run(_FORGET_IN_SESSION, said)
        connection.run("DELETE FROM injections WHERE scope = %(scope)s AND record = %(id)s", place)
        connection.run("DELETE FROM verdicts WHERE scope = %(scope)s AND record = %(id)s", place)
        connection.run("DELETE FROM weights WHERE scope = %(scope)s AND record = %(id)s", place)
        connection.run("DELETE FROM keys WHERE scope = %(scope)s AND record = %(id)s", place)
        connection.run("DELETE FROM records WHERE scope = %(scope)s AND id = %(id)s", place)

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """What came before and after a record in its session by `occurred_at`, oldest first."""
        values: dict[str, object] = {
            "session": record.session,
            "at": record.occurred_at,
            "number": getattr(record, "number", 0),
            "id": record.id,
            "statuses": [status.value for status in statuses],
        }
        shared: LiteralString = (
            "WHERE records.session = %(session)s AND records.scope = (SELECT scope FROM records WHERE id = %(id)s)"
            " AND records.status = ANY(%(statuses)s) AND" + _SEEN
        )
        place: LiteralString = "(records.occurred_at, COALESCE(records.number, 0), records.id) "
        earlier = await self._many(
            _SELECT + shared + "AND " + place + "< (%(at)s, %(number)s, %(id)s) ORDER BY records.occurred_at DESC,"
            " COALESCE(records.number, 0) DESC, records.id DESC LIMIT %(limit)s",
            {**values, "limit": before},
        )
        later = await self._many(
            _SELECT + shared + "AND " + place + "> (%(at)s, %(number)s, %(id)s) ORDER BY records.occurred_at,"
            " COALESCE(records.number, 0), records.id LIMIT %(limit)s",
            {**values, "limit": after},
        )
        return earlier[::-1], later

    async def documents(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        asked = filter_columns(filter)
        rows = await self._rows(
            "SELECT records.document FROM records WHERE records.document IS NOT NULL AND"
            + _SEEN
            + "AND "
            + passing(asked, _PASSES)
            + (" ORDER BY records.occurred_at DESC LIMIT %(limit)s" if limit else ""),
            {**asked, "limit": limit},
            plan_anew=True,
        )
        return np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))

    async def headers(self, documents: Sequence[int]) -> Headers:
        """What ranking needs of these wordings; those that no longer stand are left out."""
        rows: Any = await self._rows(
            _HEADER + "WHERE records.document = ANY(%(wanted)s::bigint[]) AND" + _SEEN + "ORDER BY records.document",
            {"wanted": as_array(documents)},
        )
        return headers_from(rows)

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        rows: Any = await self._rows(
            _HEADER
            + """JOIN unnest(%(sessions)s::text[], %(numbers)s::bigint[]) AS wanted (session, number)
                ON records.session = wanted.session AND records.number = wanted.number
            WHERE records.document IS NOT NULL AND"""
            + _SEEN
            + "ORDER BY records.document",
            {"sessions": [place[0] for place in places], "numbers": as_array(place[1] for place in places)},
        )
        return headers_from(rows)

    async def touch(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, wherever the scope sees it."""
        await self._shard.run(lambda: self._lock_wider(list(uses)))
        await self._rows(
            """
            UPDATE records SET
                usage_count = usage_count + new.uses,
                last_accessed_at = %(at)s,
                relevance = relevance + %(gain)s::double precision * (1 - relevance)
            FROM unnest(%(ids)s::text[], %(uses)s::bigint[]) AS new (id, uses)
            WHERE records.id = new.id AND
            """
            + _SEEN,
            {"ids": list(uses), "uses": list(uses.values()), "at": at, "gain": RELEVANCE_GAIN},
        )

    def _lock_wider(self, ids: Sequence[str]) -> None:
        """Wait for who writes in the wider scopes of some records, for this transaction is about to do so too.

        In the order of `Scope.visible`, which began with its own: then no two transactions wait for each other.
        """
        shard = self._shard
        owners = set(shard.connection.rows(_OWNERS, {"visible": shard.visible, "ids": ids}))
        for scope in shard.scope.visible()[1:]:
            if (scope.project, scope.agent, scope.user) in owners:
                lock_writer(shard.connection, scope)

    async def version_at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        record = await self.find(id)
        if record is None or record.updated_at <= at:
            return record
        rows = await self._rows(
            _VERSION + "WHERE versions.id = %(id)s AND versions.since <= %(at)s AND %(at)s < versions.until",
            {"id": id, "at": at},
        )
        return earlier(record, rows[0]) if rows else None

    async def versions(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        values: dict[str, object] = {"start": known_from, "end": known_to}
        current = await self._many(
            _SELECT + "WHERE records.updated_at > %(start)s AND" + _SEEN + "ORDER BY records.updated_at", values
        )
        rows = await self._rows(
            _VERSION
            + "WHERE versions.scope = ANY(%(visible)s)"
            + " AND versions.until > %(start)s AND versions.since <= %(end)s"
            + " AND (versions.since > %(start)s OR versions.until <= %(end)s)"
            + " ORDER BY versions.since, versions.version",
            values,
        )
        return history(current, rows, known_to=known_to)

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        rows = await self._rows(
            _VERSION
            + "WHERE versions.scope = ANY(%(visible)s) AND versions.since <= %(at)s AND %(at)s < versions.until",
            {"at": at},
        )
        current = await self._many(
            _SELECT + "WHERE records.id = ANY(%(ids)s) AND" + _SEEN, {"ids": [row[0] for row in rows]}
        )
        return once(current, rows, filter)

    async def dependants(self, id: str) -> list[str]:
        """Ids of the records whose evidence includes this one."""
        rows = await self._rows(
            "SELECT evidence.id FROM evidence JOIN records ON records.id = evidence.id"
            " WHERE evidence.source = %(id)s AND" + _SEEN + "ORDER BY evidence.id",
            {"id": id},
        )
        return [row[0] for row in rows]

    async def counts(self) -> dict[str, int]:
        """How many records there are by `kind/status`, in what the scope sees."""
        rows = await self._rows(
            "SELECT records.kind || '/' || records.status AS place, COUNT(*) FROM records WHERE" + _SEEN + "GROUP BY 1",
            {},
        )
        return dict(sorted((row[0], row[1]) for row in rows))

    async def _claims(
        self, statement: LiteralString, values: Mapping[str, object], *, plan_anew: bool = False
    ) -> list[Observation]:
        found = await self._many(statement, values, plan_anew=plan_anew)
        return [record for record in found if isinstance(record, Observation)]

    async def _many(
        self, statement: LiteralString, values: Mapping[str, object], *, plan_anew: bool = False
    ) -> list[Record]:
        return [record_of(row) for row in await self._rows(statement, values, plan_anew=plan_anew)]

    async def _rows(
        self, statement: LiteralString, values: Mapping[str, object], *, plan_anew: bool = False
    ) -> list[Row]:
        shard, seen = self._shard, {"visible": self._shard.visible, **values}
        return await shard.run(lambda: shard.connection.rows(statement, seen, plan_anew=plan_anew))

    async def list(self, filter: Filter, *, limit: int, cursor: str | None) -> Page:
        """Newest first by `occurred_at`, then id."""
        before, last = read_cursor(cursor) if cursor else (None, None)
        asked = filter_columns(filter)
        found = await self._many(
            _SELECT
            + "WHERE"
            + _SEEN
            + "AND "
            + passing(asked, _PASSES)
            + """ AND (%(before)s::timestamptz IS NULL OR (records.occurred_at, records.id) < (%(before)s, %(last)s))
                ORDER BY records.occurred_at DESC, records.id DESC LIMIT %(limit)s""",
            {**asked, "before": before, "last": last, "limit": limit + 1},
            plan_anew=True,
        )
        cursor = cursor_at(found[limit - 1]) if len(found) > limit else None
        return Page(records=tuple(found[:limit]), cursor=cursor)
