"""Bringing in chats that somebody else wrote down: each turn once, however often and however far it was run before."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from remembrancer.governance.admit import admit, clean_name
from remembrancer.governance.desk import Desk
from remembrancer.governance.draft import Draft
from remembrancer.governance.echo import Sign
from remembrancer.governance.redact import redact
from remembrancer.governance.rules import Rules
from remembrancer.governance.writing import Writing
from remembrancer.importers.turns import Turn
from remembrancer.model.choice import member
from remembrancer.model.record import Metadata, Role, Source
from remembrancer.model.scope import MAX_NAME_CHARACTERS, Scope
from remembrancer.model.session import Session, SessionStatus

BATCH = 500
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


async def import_batch(desk: Desk, turns: list[Turn]) -> Imported:
    """Record a batch of turns in one transaction; those that are there already are left as they are.

    Raises:
        InvalidInput: a turn cannot be recorded, such as one above 1 MiB; nothing of the batch is.
    """
    drafts = list({draft.id: draft for draft in (_draft(turn, desk) for turn in turns)}.values())
    async with desk.write() as writing:
        known = await writing.tx.records.existing([draft.id for draft in drafts if draft.id])
        fresh = [draft for draft in drafts if draft.id not in known]
        await _sessions(writing, fresh)
        await admit(writing, fresh)
    return Imported(created=len(fresh), deduped=len(drafts) - len(fresh))


def imported_id(scope: Scope, turn: Turn, *, sign: Sign) -> str:
    """The id of an imported turn: a UUID (version 8, RFC 9562) of its time, then of scope, source and position.

    Only the store can make it: who computed it could learn by it what others have imported, or be in their way.
    """
    parts = (scope.tenant, scope.project, scope.agent, scope.user, turn.conversation, turn.position)
    digest = bytes.fromhex(sign(f"turn {parts!r}"))
    when = turn.occurred_at or datetime.fromtimestamp(0, UTC)
    millis = max(0, int(when.timestamp() * 1000)) & (1 << 48) - 1
    tail = int.from_bytes(digest[:10]) & ~(0xF << 76) & ~(0b11 << 62)
    return str(uuid.UUID(int=millis << 80 | tail | 0x8 << 76 | 0b10 << 62))


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of a size, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _draft(turn: Turn, desk: Desk) -> Draft:
    rules = desk.rules
    metadata: Metadata = {**turn.metadata, **({"reference": turn.reference} if turn.reference else {})}
    return Draft(
        id=imported_id(desk.scope, turn, sign=rules.sign),
        text=_storable(turn.text),
        session=session_name(turn, rules),
        role=member(Role, turn.role, "role"),
        speaker=_redacted(turn.speaker, rules)[:MAX_NAME_CHARACTERS],
        occurred_at=turn.occurred_at or turn.written_at,
        source=Source.IMPORT,
        author="import",
        metadata=metadata,
    )


def session_name(turn: Turn, rules: Rules) -> str:
    """The session of an imported turn: its conversation and its sitting, cut where it would be too long."""
    whole = _storable(f"{turn.conversation}/{turn.session}")
    name = "".join(character if character.isprintable() else " " for character in clean_name(whole, rules))
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    return f"{name[: MAX_NAME_CHARACTERS - 17]}-{rules.sign(f'name {whole}')[:16]}"


def _redacted(text: str, rules: Rules) -> str:
    """A text without what is private or secret: before anything is cut, lest half a secret be left."""
    cleaned = redact(_storable(text), policy=rules.secrets).text
    return "".join(character if character.isprintable() else " " for character in cleaned)


def _storable(text: str) -> str:
    """A text without what no store can keep: NULs and halves of surrogate pairs become the replacement character."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if not _plain(text) else text


def _plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


async def _sessions(writing: Writing, drafts: list[Draft]) -> None:
    """Imported sessions are over; they stand in the times in which they were held."""
    times: dict[str, tuple[datetime, datetime]] = {}
    for draft in drafts:
        when = draft.occurred_at or writing.now
        first, last = times.get(draft.session or "", (when, when))
        times[draft.session or ""] = (min(first, when), max(last, when))
    for id, (first, last) in times.items():
        session = await writing.tx.sessions.find(id) or Session(
            id=id,
            scope=writing.tx.scope,
            status=SessionStatus.COMPLETED,
            named=True,
            record=True,
            messages=0,
            started_at=first,
            last_activity_at=last,
            ended_at=last,
        )
        await writing.note(replace(session, last_activity_at=max(last, session.last_activity_at)))
