"""Import of turns of chats: each turn once, however often the import runs."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from remembrancer.errors import InvalidInput
from remembrancer.guard.redact import redact
from remembrancer.ingest.admission import admit, clean_name
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

# Of an id, for the place of what was said at one time: a million, and so much room for the rest that none is met twice.
_PLACE_BITS = 20


async def there(tx: Tx, ids: Sequence[str], *, sign: Sign) -> set[str]:
    """Those of the ids that are given, or were given to what is erased: no import brings it back."""
    marks = {tombstone_of_id(id, sign=sign): id for id in ids}
    return {*await tx.records.hashes(ids), *(marks[mark] for mark in await tx.imports.tombstones(list(marks)))}


def made_id(millis: int, signed: str, *, place: int | None = None) -> str:
    """A UUID (version 8, RFC 9562) of a time in milliseconds, then of a fingerprint.

    Only the store can make it: who computed it could learn by it what others have imported, or be in their way.

    Args:
        place: goes before the fingerprint: of what was said at one time, the earlier has the smaller id.
    """
    free = 74 if place is None else 74 - _PLACE_BITS
    before = min(max(place or 0, 0), (1 << _PLACE_BITS) - 1)
    tail = before << free | int(signed[:32], 16) & (1 << free) - 1
    return str(uuid.UUID(int=millis << 80 | 0x8 << 76 | tail >> 62 << 64 | 0b10 << 62 | tail & (1 << 62) - 1))


def millis(when: datetime | None) -> int:
    """A time as an id begins with it; 0 for none."""
    return 0 if when is None else max(0, int(when.timestamp() * 1000)) & (1 << 48) - 1


BATCH = 500
_APART = timedelta(microseconds=1)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How many turns were created, and how many were there already."""

    created: int = 0
    deduped: int = 0

    def __add__(self, other: "Imported") -> "Imported":
        return Imported(created=self.created + other.created, deduped=self.deduped + other.deduped)


def import_batches(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    """The turns in the pieces in which they are written: the same pieces every time."""
    return batches(turns, BATCH)


async def import_batch(unit: UnitOfWork, turns: list[Turn]) -> Imported:
    """Record a batch of turns in one transaction; those that are there already are left as they are.

    Raises:
        InvalidInput: a turn cannot be recorded, such as one above 1 MiB; nothing of the batch is.
    """
    drafts = {draft.id or "": draft for draft in (_draft(turn, unit) for turn in turns)}
    async with unit.write(list(drafts.values())) as writer:
        known = await there(writer.tx, list(drafts), sign=unit.rules.sign)
        known |= await ours(writer.tx, drafts) | await erased(unit, writer.tx, drafts)
        fresh = [draft for id, draft in drafts.items() if id not in known]
        await note_sessions(writer, fresh)
        await admit(writer, fresh)
    return Imported(created=len(fresh), deduped=len(drafts) - len(fresh))


async def ours(tx: Tx, drafts: Mapping[str, Draft]) -> set[str]:
    """Those that an export of this scope has brought back, and that are here, by the id that it says."""
    there = await tx.records.hashes([_named(draft) for draft in drafts.values()])
    return {id for id, draft in drafts.items() if _named(draft) in there}


async def erased(unit: UnitOfWork, tx: Tx, drafts: Mapping[str, Draft]) -> set[str]:
    """Those that were erased here, by the id that an export says, or by what was said in the same second."""
    sign, found = unit.rules.sign, dict[str, list[str]]()
    for id, draft in drafts.items():
        found.setdefault(tombstone_of_id(_named(draft), sign=sign), []).append(id)
        if draft.occurred_at is not None:
            for hash in hashes_of(draft.text):
                words = tombstone_of_text(unit.scope, hash, draft.occurred_at, sign=sign)
                found.setdefault(words, []).append(id)
    return {id for mark in await tx.imports.tombstones(list(found)) for id in found[mark]}


def _named(draft: Draft) -> str:
    return str(draft.metadata.get(REFERENCE, ""))


def imported_id(scope: Scope, turn: Turn, *, sign: Sign) -> str:
    """The id of an imported turn: of its time, then of its position, then of scope and source."""
    parts = (scope.tenant, scope.project, scope.agent, scope.user, turn.conversation, turn.position)
    return made_id(millis(turn.occurred_at), sign(f"turn {parts!r}"), place=turn.position)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of a size, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _draft(turn: Turn, unit: UnitOfWork) -> Draft:
    if not turn.conversation:
        raise InvalidInput("conversation is empty; name the dialogue that the turn is of")
    session = session_name(f"{turn.conversation}/{turn.session}", unit.rules)
    at = turn.occurred_at or (turn.written_at or unit.rules.clock.now()) + max(turn.position, 0) * _APART
    return draft_of(turn, unit, session=session, id=imported_id(unit.scope, turn, sign=unit.rules.sign), at=at)


def draft_of(turn: Turn, unit: UnitOfWork, *, session: str, id: str | None, at: datetime | None) -> Draft:
    """A turn as it is to be recorded."""
    reference = storable(turn.reference)[:MAX_NAME_CHARACTERS]
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


def session_name(whole: str, rules: Dependencies) -> str:
    """The name of a session of imported turns: cut where it would be too long."""
    whole = storable(whole)
    name = _printable(clean_name(whole, rules))
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    return f"{name[: MAX_NAME_CHARACTERS - 17]}-{rules.sign(f'name {whole}')[:16]}"


def _redacted(text: str, rules: Dependencies) -> str:
    """A text without what is private or secret: before anything is cut, lest half a secret be left."""
    cleaned = redact(storable(text), policy=rules.secrets).text if text else ""
    return _printable(cleaned)


def _printable(name: str) -> str:
    """A name with a blank for each character that cannot be printed."""
    if name.isprintable():
        return name
    return "".join(character if character.isprintable() else " " for character in name)


def storable(text: str) -> str:
    """A text without what no store can keep: NULs and halves of surrogate pairs become the replacement character."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if not _plain(text) else text


def _plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


async def note_sessions(writer: WriteTransaction, drafts: Sequence[Draft | Message]) -> None:
    """Imported sessions are over; they stand in the times in which they were held."""
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
