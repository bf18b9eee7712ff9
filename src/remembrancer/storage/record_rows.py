"""Rows of records to records and back, and the reader that collections of records share."""

import json
from typing import Any, LiteralString, TypeVar

from remembrancer.storage.dialect import Values
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import RECORD, columns, names
from remembrancer.storage.values import Row, scope_of, undamaged
from remembrancer.types.details import details_to_json, learned_from
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import personal_data_of
from remembrancer.types.record import (
    DETAILED,
    Episode,
    Fact,
    Kind,
    Message,
    Observation,
    Record,
    Reflection,
    Role,
    Source,
    details_of,
    kind_of,
    type_of,
)
from remembrancer.types.results import Change, ContextLine
from remembrancer.types.scope import Classification, Trust
from remembrancer.types.text import hash_of, same_text

WEIGHT: LiteralString = """CASE
    WHEN records.scope = :scope THEN records.weight
    ELSE COALESCE((
        SELECT after FROM weights WHERE weights.scope = :scope AND weights.record = records.id
        ORDER BY at DESC, session DESC LIMIT 1
    ), records.weight)
END"""
"""The weight of a record for the exact scope: what a wider one shares has moved for each scope by itself."""
RECORD_READ = columns("tenant project agent user sources:tags weight") + RECORD
"""What a record is read from: its scope's four names, its evidence, its weight, then what it says of itself."""
_RECORD_NAMES = tuple(column.name for column in RECORD_READ)


def record_of(row: Row) -> Record:
    """Return a record from the values of `RECORD_READ`."""
    values = dict(zip(_RECORD_NAMES, row, strict=True))
    kind, details = Kind(values["kind"]), values["details"]
    shared: dict[str, Any] = {
        "id": values["id"],
        "scope": scope_of(row),
        "session": values["session"],
        "text": values["text"],
        "hash": values["hash"],
        "author": values["author"],
        "source": Source(values["source"]),
        "tags": tuple(values["tags"]),
        "metadata": values["metadata"],
        "occurred_at": values["occurred_at"],
        "recorded_at": values["recorded_at"],
        "updated_at": values["updated_at"],
        "revision": values["revision"],
        "status": Status(values["status"]),
        "classification": Classification(values["classification"]),
        "trust": Trust(values["trust"]),
        "importance": values["importance"],
        "echo": values["echo"],
        "usage_count": values["usage_count"],
        "last_accessed_at": values["last_accessed_at"],
        "weight": values["weight"],
        "evidence": tuple(sorted(values["sources"])),
    }
    if form := DETAILED.get(kind):
        return form.record(**shared, details=form.load(details))
    shared |= {"tokens": values["tokens"] or 0, "tokenizer": values["tokenizer"] or ""}
    if kind is Kind.MESSAGE:
        return Message(**shared, number=values["number"], role=Role(values["role"]), speaker=values["speaker"])
    claim = Reflection if kind is Kind.REFLECTION else Observation
    return claim(
        **shared,
        type=values["type"],
        title=values["title"],
        topic_key=values["topic_key"],
        priority=values["priority"] or 0,
        refers_to=values["refers_to"] or "",
        first=values["first_message"] or 0,
        last=values["last_message"] or 0,
        place=values["place"],
        engine=values["engine"] or "",
        model=values["model"] or "",
        learned=None if details is None else learned_from(details),
        valid_until=values["valid_until"],
    )


def record_columns(record: Record) -> dict[str, object]:
    """Return a record's columns by name, without those of scope and index."""
    message = record if isinstance(record, Message) else None
    observation = record if isinstance(record, Observation) else None
    episode = record if isinstance(record, Episode) else None
    fact = record if isinstance(record, Fact) else None
    details = details_of(record)
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "session": record.session,
        "text": record.text,
        "hash": record.hash,
        "identity": _identity(record.text),
        "author": record.author,
        "source": record.source.value,
        "tags": list(record.tags),
        "metadata": record.metadata,
        "occurred_at": record.occurred_at,
        "recorded_at": record.recorded_at,
        "updated_at": record.updated_at,
        "revision": record.revision,
        "status": record.status.value,
        "classification": record.classification.value,
        "trust": record.trust.value,
        "importance": record.importance,
        "echo": record.echo,
        "usage_count": record.usage_count,
        "last_accessed_at": record.last_accessed_at,
        "number": message.number if message else None,
        "role": message.role.value if message else None,
        "speaker": message.speaker if message else None,
        "tokens": message.tokens if message else observation and observation.tokens,
        "tokenizer": (message.tokenizer if message else observation and observation.tokenizer) or None,
        "type": None if isinstance(record, Message) else type_of(record),
        "title": observation.title if observation else None,
        "topic_key": observation.topic_key if observation else fact and fact.details.key,
        "priority": (observation.priority or None) if observation else None,
        "refers_to": (observation.refers_to or None) if observation else None,
        "first_message": (observation.first or None) if observation else None,
        "last_message": (observation.last or None) if observation else None,
        "place": observation.place if observation else None,
        "engine": (observation.engine or None) if observation else None,
        "model": (observation.model or None) if observation else None,
        "details": None if details is None else details_to_json(details),
        "tier": episode and episode.details.tier.value,
        "contact": episode and episode.details.contact,
        "valid_until": observation and observation.valid_until,
    }


def _identity(text: str) -> str | None:
    """Return the hash of the form in which a text is compared; `None` if the text is in it."""
    same = same_text(text)
    return None if same == text else hash_of(same)


def change_columns(change: Change) -> dict[str, object]:
    """Return the columns that a change sets, by name; `None` leaves one unchanged.

    `reworded` is added to the revision.
    """
    return {
        "text": change.text,
        "hash": change.hash,
        "identity": None if change.text is None else _identity(change.text),
        "title": change.title,
        "type": change.type,
        "tags": None if change.tags is None else list(change.tags),
        "metadata": change.metadata,
        "session": change.session,
        "author": change.author,
        "source": change.source and change.source.value,
        "occurred_at": change.occurred_at,
        "importance": change.importance,
        "classification": change.classification and change.classification.value,
        "trust": change.trust and change.trust.value,
        "status": change.status and change.status.value,
        "echo": change.echo,
        "place": change.place,
        "details": None if change.details is None else details_to_json(change.details),
        "valid_until": change.valid_until,
        "reworded": int(change.reworded),
    }


def line_of(row: Row) -> ContextLine:
    """Return a line from its values in their order."""
    return ContextLine(
        id=row[0],
        kind=Kind(row[1]),
        session=row[2],
        text=row[3],
        occurred_at=row[4],
        number=row[5],
        last=row[6],
        role=row[7],
        speaker=row[8],
        priority=row[9],
        refers_to=row[10],
        place=row[11],
        untrusted=row[12] == Trust.UNTRUSTED,
        personal=personal_data_of(json.loads(row[13])) if row[13] else (),
    )


R = TypeVar("R", bound=Record)
RECORD_COLUMNS: LiteralString = (
    f'scopes.tenant, scopes.project, scopes.agent, scopes."user", {{sources}} AS sources, {WEIGHT} AS weight, '
    + names(RECORD, before="records.")
)
_SELECT: LiteralString = f"SELECT {RECORD_COLUMNS} FROM records JOIN scopes ON scopes.id = records.scope "


class RecordReader:
    """A base of the collections that read records."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(RECORD_READ)

    def _record(self, row: Any) -> Record:
        """Return a record from a row that begins with `RECORD_COLUMNS`."""
        return record_of(self._read(row[: len(RECORD_READ)]))

    async def _many(self, which: LiteralString, values: Values | None = None, *, replan: bool = False) -> list[Record]:
        """Return the records of a condition, in the order that it names."""
        rows = await self._connection.ask(_SELECT + which, values, replan=replan)
        return undamaged(rows, self._record)

    async def _latest(self, condition: LiteralString, by: LiteralString, values: Values, *, limit: int) -> list[Record]:
        """Return the latest visible records of a condition in each scope; at least the `limit` latest of all of them.

        Each scope is read by an index of its own, since one statement for several would sort all their records.

        Args:
            condition: the condition, without that of the scope.
            by: the descending order.
        """
        connection, ending = self._connection, " AND " + condition + " ORDER BY " + by + " LIMIT :limit"
        asked = {**values, "limit": limit}
        if connection.caller.all_scopes:
            return await self._many("WHERE records.tenant = :tenant AND {plus}{seen}" + ending, asked, replan=True)
        found: list[Record] = []
        for scope in connection.visible:
            of_scope = "WHERE records.scope = :of{cleared}" + ending
            found += await self._many(of_scope, {**asked, "of": scope}, replan=True)
        return found

    async def _of(
        self, kind: type[R], which: LiteralString, values: Values | None = None, *, replan: bool = False
    ) -> list[R]:
        """Return the records of a condition that are of a kind."""
        found = await self._many(which, values, replan=replan)
        return [record for record in found if isinstance(record, kind)]

    async def _claims(
        self, which: LiteralString, values: Values | None = None, *, replan: bool = False
    ) -> list[Observation]:
        """Return the records of a condition that are observations or reflections."""
        return await self._of(Observation, which, values, replan=replan)
