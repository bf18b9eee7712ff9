"""Feedback on records: verdicts and rejections of people, weights that outcomes move, and the scores of records."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, LiteralString, TypeAlias

from remembrancer.storage.record_rows import WEIGHT
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import columns, names
from remembrancer.types.feedback import (
    DECAYING,
    FeedbackWeight,
    Judgement,
    PersonVerdict,
    Rejection,
    RevokedRejections,
    ScoreParts,
    SessionOutcome,
    UnlinkedRejections,
    Verdict,
    WeightChange,
)
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import Kind

Position: TypeAlias = tuple[datetime, str]
"""The place of a memory in the order of the nightly scores: when it occurred, and its id."""


class SqlVerdicts:
    """Verdicts of people on memories of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def of_record(self, record: str) -> list[PersonVerdict]:
        """Return the verdicts on a memory, the earliest first."""
        rows = await self._connection.ask(
            """
            SELECT record, person, verdict, at FROM verdicts
            WHERE scope = :scope AND record = :record AND {record_open} ORDER BY at, person
            """,
            {"record": record},
        )
        moment = self._connection.dialect.moment
        return [PersonVerdict(record=row[0], person=row[1], verdict=Verdict(row[2]), at=moment(row[3])) for row in rows]

    async def confirmed(self, records: Sequence[str]) -> dict[str, datetime]:
        """Return the times of the last confirmations of memories, in any visible scope, by id."""
        if not records:
            return {}
        rows = await self._connection.ask(
            """
            SELECT record, MAX(at) FROM verdicts
            WHERE scope = ANY(:visible) AND record = ANY(:records) AND verdict = :verdict AND {record_open}
            GROUP BY record
            """,
            {"records": list(records), "verdict": Verdict.RIGHT.value},
        )
        return {row[0]: self._connection.dialect.moment(row[1]) for row in rows}

    async def put(self, verdict: PersonVerdict) -> None:
        """Store the last verdict of a person on a memory."""
        await self._connection.write(
            """
                INSERT INTO verdicts (scope, tenant, record, person, verdict, at)
                VALUES (:scope, :tenant, :record, :person, :verdict, :at)
                ON CONFLICT (scope, record, person) DO UPDATE SET verdict = excluded.verdict, at = excluded.at
                """,
            {"record": verdict.record, "person": verdict.person, "verdict": verdict.verdict.value, "at": verdict.at},
        )

    async def withdraw(self, record: str, verdicts: Sequence[Verdict]) -> None:
        """Delete verdicts of these kinds on a memory."""
        connection, words = self._connection, [verdict.value for verdict in verdicts]
        await connection.in_thread(
            lambda: connection.run(
                "DELETE FROM verdicts WHERE scope = :scope AND record = :record AND verdict = ANY(:verdicts)",
                {"record": record, "verdicts": words},
            )
        )


class SqlRejections:
    """Rejected texts; they bind everyone who sees the scope, at any clearance."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def matching(self, words: Sequence[str]) -> list[Rejection]:
        """Return the rejections of these texts in any visible scope, by text and memory.

        Args:
            words: fingerprints of texts.
        """
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = ANY(:visible) AND words = ANY(:words)"
            " ORDER BY words, record",
            {"words": list(words)},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def exist(self) -> bool:
        """Return True if a visible scope has any rejections."""
        return bool(await self._connection.ask("SELECT 1 FROM rejections WHERE scope = ANY(:visible) LIMIT 1"))

    async def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return text and memory of all rejections in visible scopes, to compare with later ones."""
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = ANY(:visible) ORDER BY words, record"
        )
        return tuple((row[0], row[1]) for row in rows)

    async def rejected_records(self, records: Sequence[str]) -> set[str]:
        """Return those of these memories with rejections in a visible scope.

        Args:
            records: ids; for an erased one its name in `Rejection`.
        """
        if not records:
            return set()
        rows = await self._connection.ask(
            "SELECT DISTINCT record FROM rejections WHERE scope = ANY(:visible) AND record = ANY(:records)",
            {"records": list(records)},
        )
        return {row[0] for row in rows}

    async def of_record(self, record: str) -> list[Rejection]:
        """Return the rejections of a memory in the exact scope."""
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = :scope AND record = :record ORDER BY words",
            {"record": record},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def add(self, rejection: Rejection) -> None:
        """Add a rejection to the exact scope; an existing one stays."""
        await self._connection.write(
            "INSERT INTO rejections (scope, tenant, words, record) VALUES (:scope, :tenant, :words, :record)"
            " ON CONFLICT DO NOTHING",
            {"words": rejection.words, "record": rejection.record},
        )

    async def revoke(self, revoked: RevokedRejections) -> None:
        """Revoke rejections of the exact scope."""
        values = {"words": list(revoked.words), "record": revoked.record}

        def revoke() -> None:
            self._connection.run(
                "DELETE FROM rejections WHERE scope = :scope AND words = ANY(:words)"
                " AND record = COALESCE(:record, record)",
                values,
            )
            if revoked.record is not None:
                # What others have concluded from one that was erased rests on it no longer.
                self._connection.run(
                    "DELETE FROM evidence WHERE source = :record AND tenant = :tenant"
                    " AND NOT EXISTS (SELECT 1 FROM records WHERE id = :record AND tenant = :tenant)",
                    values,
                )

        await self._connection.in_thread(revoke)

    async def unlink_record(self, unlinked: UnlinkedRejections) -> None:
        """Unlink rejections of the exact scope from a memory, and conclusions of others from it."""
        values = {"record": unlinked.record, "name": unlinked.name}

        def unlink_record() -> None:
            self._connection.run(
                "UPDATE rejections SET record = :name WHERE scope = :scope AND record = :record", values
            )
            # Narrower scopes, which are not visible from here, have concluded from it what must not be shown any more.
            self._connection.run(
                "UPDATE evidence SET source = :name WHERE source = :record AND tenant = :tenant AND scope <> :scope"
                " AND EXISTS (SELECT 1 FROM rejections WHERE scope = :scope AND record = :name)",
                values,
            )

        await self._connection.in_thread(unlink_record)


_MOVE: LiteralString = "session, record, outcome, alpha, before, after, at"


class SqlWeights:
    """Changes of feedback weights in the exact scope, by outcomes of sessions."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, move: WeightChange) -> None:
        """Store a change of a feedback weight and apply it; a record of a wider scope stays unchanged for others."""
        connection = self._connection
        values = {
            "session": move.session,
            "record": move.record,
            "outcome": move.outcome.value,
            "alpha": move.alpha,
            "before": move.before,
            "after": move.after,
            "at": move.at,
        }

        def add() -> None:
            connection.writable()
            connection.run(
                f"INSERT INTO weights (scope, tenant, {_MOVE})"
                " VALUES (:scope, :tenant, :session, :record, :outcome, :alpha, :before, :after, :at)",
                values,
            )
            connection.run("UPDATE records SET weight = :after WHERE {plus}scope = :scope AND id = :record", values)

        await connection.in_thread(add)

    async def set(self, weighed: FeedbackWeight) -> None:
        """Set the feedback weight of a memory of the exact scope, before any outcome."""
        await self._connection.write(
            "UPDATE records SET weight = :weight WHERE {plus}scope = :scope AND id = :record",
            {"weight": weighed.weight, "record": weighed.record},
        )

    async def current(self, record: str) -> float:
        """Return the feedback weight of a memory for the exact scope, in [0, 1]; 1 if it is not here."""
        rows = await self._connection.ask(
            f"SELECT {WEIGHT} FROM records WHERE tenant = :tenant AND id = :record", {"record": record}
        )
        return float(rows[0][0]) if rows else 1.0

    async def changes(self, record: str) -> list[WeightChange]:
        """Return the changes of a memory's weight, the earliest first."""
        return await self._many("record = :record AND {record_open} ORDER BY at, session", record=record)

    async def changes_by_session(self, session: str) -> list[WeightChange]:
        """Return the changes by the outcome of a session."""
        return await self._many("session = :session AND {record_open} ORDER BY record", session=session)

    async def _many(self, which: LiteralString, **values: object) -> list[WeightChange]:
        rows = await self._connection.ask(f"SELECT {_MOVE} FROM weights WHERE scope = :scope AND {which}", values)
        return [
            WeightChange(
                session=row[0],
                record=row[1],
                outcome=SessionOutcome(row[2]),
                alpha=row[3],
                before=row[4],
                after=row[5],
                at=self._connection.dialect.moment(row[6]),
            )
            for row in rows
        ]


_SCORE = columns(
    "id kind importance occurred_at:moment recorded_at:moment usage_count last_accessed_at:moment rating boost",
    "pinned:truth relevance decayed_on score weight",
)
_JUDGED = columns("id rating boost pinned:truth")
_FACTORS: Final[Mapping[LiteralString, LiteralString]] = {
    "importance": "double precision",
    "relevance": "double precision",
    "decayed_on": "text",
    "score": "double precision",
    "rating": "double precision",
    "boost": "double precision",
    "pinned": "boolean",
}
# SQLite skips rows only where it has a limit.
_ALL_OF_THEM: Final = 2**31
_IN_ORDER: LiteralString = " ORDER BY occurred_at, id"
_ACTIVE: LiteralString = "kind IN ('observation', 'reflection') AND status = 'active' AND details IS NULL"
# What an engine wrote has a document, unless it is an echo: by that the index of kinds finds it.
_DISTILLED: LiteralString = _ACTIVE + " AND document IS NOT NULL AND engine IS NOT NULL"


class SqlScores:
    """Scores of memories of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, id: str) -> ScoreParts | None:
        """Return the score of a memory of the exact scope, or `None`."""
        return next(iter(await self._many("{plus}{own} AND id = :id", id=id)), None)

    async def ratings(self, ids: Sequence[str]) -> Mapping[str, Judgement]:
        """Return what people have set for visible memories, by id; without those with nothing set."""
        sql: LiteralString = f"SELECT {names(_JUDGED)} FROM records WHERE id = ANY(:ids) AND " + (
            "{seen} AND (rating IS NOT NULL OR boost <> 0 OR pinned = :pinned)"
        )
        rows = await self._connection.ask(sql, {"ids": list(ids), "pinned": True})
        found = map(self._connection.dialect.reader(_JUDGED), rows)
        return {row[0]: Judgement(rating=row[1], boost=row[2], pinned=row[3]) for row in found}

    async def page(self, *, after: Position | None, until: Position) -> list[ScoreParts]:
        """Return live memories whose importance decays, oldest first.

        Args:
            after: the last one of the previous page; `None` for the first page.
            until: the last one of this page.
        """
        upto: LiteralString = " AND (occurred_at, id) <= (:until, :last)"
        return await self._many(
            _decaying(after) + upto + _IN_ORDER, **_decaying_values(after), until=until[0], last=until[1]
        )

    async def positions(self, *, after: Position | None, limit: int) -> list[Position]:
        """Return the positions of the first live memories after one whose importance decays."""
        rows = await self._connection.ask(
            "SELECT occurred_at, id FROM records WHERE " + _decaying(after) + _IN_ORDER + " LIMIT :limit",
            {**_decaying_values(after), "limit": limit},
        )
        return [(self._connection.dialect.moment(at), id) for at, id in rows]

    async def put(self, scores: Sequence[ScoreParts]) -> None:
        """Store scores; that is no change of the texts."""
        connection = self._connection
        rows = [
            (
                *(one.id, one.importance, one.relevance, one.decayed_on and one.decayed_on.isoformat(), one.score),
                *(one.rating, one.boost, connection.dialect.converted(one.pinned)),
            )
            for one in scores
        ]
        await connection.in_thread(lambda: connection.raw.set_each("records", _FACTORS, connection.exact, rows))

    async def surplus(self, kind: Kind, *, keep: int) -> list[str]:
        """Return ids of unpinned records of our engines, beyond the `keep` with the highest scores."""
        found = await self._many(
            f"{{own}} AND {_DISTILLED} AND kind = :kind"
            " ORDER BY pinned DESC, COALESCE(score, 0) DESC, occurred_at DESC, id DESC LIMIT :most OFFSET :keep",
            kind=kind.value,
            most=_ALL_OF_THEM,
            keep=keep,
        )
        return [one.id for one in found if not one.pinned]

    async def unread(self, *, before: datetime) -> list[str]:
        """Return ids of unpinned records of our engines that were not read since a time."""
        found = await self._many(
            f"{{own}} AND {_DISTILLED} AND pinned = :pinned AND COALESCE(last_accessed_at, recorded_at) < :before"
            " ORDER BY id",
            pinned=False,
            before=before,
        )
        return [one.id for one in found]

    async def faded(self, *, below: float, before: datetime) -> list[str]:
        """Return ids of unpinned active claims of little importance, recorded before a time."""
        found = await self._many(
            f"{{own}} AND {_ACTIVE} AND importance < :below AND recorded_at < :before AND pinned = :pinned ORDER BY id",
            below=below,
            before=before,
            pinned=False,
        )
        return [one.id for one in found]

    async def _many(self, which: LiteralString, **values: object) -> list[ScoreParts]:
        read = self._connection.dialect.reader(_SCORE)
        sql: LiteralString = f"SELECT {names(_SCORE)} FROM records WHERE "
        return [_score(read(row)) for row in await self._connection.ask(sql + which, values)]


def _decaying(after: Position | None) -> LiteralString:
    """Return the condition of live memories after a position whose importance decays."""
    beyond: LiteralString = "" if after is None else " AND (occurred_at, id) > (:at, :after)"
    return "{own} AND kind = ANY(:kinds) AND status = ANY(:statuses)" + beyond


def _decaying_values(after: Position | None) -> dict[str, object]:
    return {
        "kinds": [kind.value for kind in DECAYING],
        "statuses": [status.value for status in LIVE],
        "at": after and after[0],
        "after": after and after[1],
    }


def _score(row: Sequence[Any]) -> ScoreParts:
    return ScoreParts(
        id=row[0],
        kind=Kind(row[1]),
        importance=row[2],
        occurred_at=row[3],
        recorded_at=row[4],
        uses=row[5],
        accessed=row[6],
        rating=row[7],
        boost=row[8],
        pinned=row[9],
        relevance=row[10],
        decayed_on=None if row[11] is None else date.fromisoformat(row[11]),
        score=row[12],
        weight=row[13],
    )
