"""Import of turns of chats: each turn once, however often the import runs."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from remembrancer.errors import InvalidInput
from remembrancer.guard.redact import redact
from remembrancer.ingest.admission import admit
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.ingest.importers.turns import Turn
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.tombstones import tombstone_of_id, tombstone_of_text
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.arguments import member
from remembrancer.types.record import REFERENCE, Message, Metadata, Role, Source
from remembrancer.types.scope import MAX_NAME_CHARACTERS, Scope
from remembrancer.types.session import Session, SessionStatus
from remembrancer.types.text import hashes_of

BATCH = 500
# Bits of an id for the position of a turn: a million turns with one time.
_POSITION_BITS = 20
# Between turns without a time, so that they stay in their order.
_STEP = timedelta(microseconds=1)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Numbers of turns that were created, and that existed already."""

    created: int = 0
    deduped: int = 0

    def __add__(self, other: "Imported") -> "Imported":
        return Imported(created=self.created + other.created, deduped=self.deduped + other.deduped)


def import_batches(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    """Yield turns in the batches in which they are written."""
    return batches(turns, BATCH)


async def import_batch(unit: UnitOfWork, turns: list[Turn]) -> Imported:
    """Record a batch of turns in one transaction.

    Existing ones are not changed.

    Raises:
        InvalidInput: a turn cannot be recorded, such as one above 1 MiB; nothing of the batch is.
    """
    drafts = {draft.id or "": draft for draft in (_draft(turn, unit) for turn in turns)}
    async with unit.write(list(drafts.values())) as writer:
        known = await existing_or_erased(writer.tx, list(drafts), sign=unit.rules.sign)
        known |= await restored_by_export(writer.tx, drafts) | await erased_drafts(unit, writer.tx, drafts)
        fresh = [draft for id, draft in drafts.items() if id not in known]
        await put_sessions(writer, fresh)
        await admit(writer, fresh)
    return Imported(created=len(fresh), deduped=len(drafts) - len(fresh))


async def existing_or_erased(tx: Tx, ids: Sequence[str], *, sign: Sign) -> set[str]:
    """Return the ids of records that exist or were erased.

    No import restores the latter.
    """
    ids_by_mark = {tombstone_of_id(id, sign=sign): id for id in ids}
    erased = await tx.imports.tombstones(list(ids_by_mark))
    return {*await tx.records.hashes(ids), *(ids_by_mark[mark] for mark in erased)}


async def restored_by_export(tx: Tx, drafts: Mapping[str, Draft]) -> set[str]:
    """Return the ids of drafts that an export has restored.

    The metadata of a draft contains the id of the restored record.
    """
    existing = await tx.records.hashes([_reference(draft) for draft in drafts.values()])
    return {id for id, draft in drafts.items() if _reference(draft) in existing}


async def erased_drafts(unit: UnitOfWork, tx: Tx, drafts: Mapping[str, Draft]) -> set[str]:
    """Return the ids of drafts that were erased here.

    They match by the id in their metadata, or by text and second.
    """
    sign, ids_by_mark = unit.rules.sign, dict[str, list[str]]()
    for id, draft in drafts.items():
        ids_by_mark.setdefault(tombstone_of_id(_reference(draft), sign=sign), []).append(id)
        if draft.occurred_at is not None:
            for hash in hashes_of(draft.text):
                mark = tombstone_of_text(unit.scope, hash, draft.occurred_at, sign=sign)
                ids_by_mark.setdefault(mark, []).append(id)
    return {id for mark in await tx.imports.tombstones(list(ids_by_mark)) for id in ids_by_mark[mark]}


def _reference(draft: Draft) -> str:
    return str(draft.metadata.get(REFERENCE, ""))


def imported_id(scope: Scope, turn: Turn, *, sign: Sign) -> str:
    """Return the id of an imported turn.

    It is derived from its time, its position, its scope and its source.
    """
    parts = (scope.tenant, scope.project, scope.agent, scope.user, turn.conversation, turn.position)
    return derived_id(id_time(turn.occurred_at), sign(f"turn {parts!r}"), position=turn.position)


def derived_id(milliseconds: int, fingerprint: str, *, position: int | None = None) -> str:
    """Return a UUID (version 8, RFC 9562) of a time and a fingerprint.

    Only the store can make the fingerprint: a computable id would reveal what others have imported.

    Args:
        position: precedes the fingerprint, so that ids of turns with one time sort by it.
    """
    free = 74 if position is None else 74 - _POSITION_BITS
    prefix = min(max(position or 0, 0), (1 << _POSITION_BITS) - 1)
    tail = prefix << free | int(fingerprint[:32], 16) & (1 << free) - 1
    return str(uuid.UUID(int=milliseconds << 80 | 0x8 << 76 | tail >> 62 << 64 | 0b10 << 62 | tail & (1 << 62) - 1))


def id_time(when: datetime | None) -> int:
    """Return the milliseconds with which the id of a time begins; 0 for none."""
    return 0 if when is None else max(0, int(when.timestamp() * 1000)) & (1 << 48) - 1


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of a size; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _draft(turn: Turn, unit: UnitOfWork) -> Draft:
    if not turn.conversation:
        raise InvalidInput("conversation is empty; name the dialogue that the turn belongs to")
    session = session_name(f"{turn.conversation}/{turn.session}", unit.rules)
    at = turn.occurred_at or (turn.written_at or unit.rules.clock.now()) + max(turn.position, 0) * _STEP
    return draft_of_turn(turn, unit, session=session, id=imported_id(unit.scope, turn, sign=unit.rules.sign), at=at)


def draft_of_turn(turn: Turn, unit: UnitOfWork, *, session: str, id: str | None, at: datetime | None) -> Draft:
    """Return the draft of a turn."""
    reference = storable_text(turn.reference)[:MAX_NAME_CHARACTERS]
    metadata: Metadata = {**turn.metadata, **({REFERENCE: reference} if reference else {})}
    return Draft(
        id=id,
        text=turn.text,
        session=session,
        role=member(Role, turn.role, "role"),
        speaker=_redacted(turn.speaker, unit.rules)[:MAX_NAME_CHARACTERS],
        occurred_at=at,
        source=Source.IMPORT,
        author="import",
        metadata=metadata,
    )


def session_name(name: str, rules: Dependencies) -> str:
    """Return the name of a session of imported turns.

    A long name is shortened, with a fingerprint.
    """
    name = storable_text(name)
    cleaned = _printable(clean_name(name, rules))
    if len(cleaned) <= MAX_NAME_CHARACTERS:
        return cleaned
    return f"{cleaned[: MAX_NAME_CHARACTERS - 17]}-{rules.sign(f'name {name}')[:16]}"


def _redacted(text: str, rules: Dependencies) -> str:
    """Return a text without private regions and secrets.

    A text is redacted before it is cut, for a whole match.
    """
    cleaned = redact(storable_text(text), policy=rules.secrets).text if text else ""
    return _printable(cleaned)


def _printable(name: str) -> str:
    """Replace unprintable characters by blanks."""
    if name.isprintable():
        return name
    return "".join(character if character.isprintable() else " " for character in name)


def storable_text(text: str) -> str:
    """Replace NULs and lone surrogates, which no store accepts."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


async def put_sessions(writer: WriteTransaction, drafts: Sequence[Draft | Message]) -> None:
    """Store the sessions of imported messages as ended."""
    times: dict[str, tuple[datetime, datetime]] = {}
    for draft in drafts:
        when = draft.occurred_at or writer.now
        first, last = times.get(draft.session or "", (when, when))
        times[draft.session or ""] = (min(first, when), max(last, when))
    for id, (first, last) in times.items():
        session = await writer.tx.sessions.find(id) or Session(
            id=id,
            scope=writer.tx.scope,
            status=SessionStatus.COMPLETED,
            named=True,
            record=True,
            messages=0,
            started_at=first,
            last_activity_at=last,
            ended_at=last,
        )
        await writer.put(replace(session, last_activity_at=max(last, session.last_activity_at)))
