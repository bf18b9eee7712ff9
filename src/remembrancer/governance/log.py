"""The log that an agent reads: what was noted takes its place in it, and what something else covers leaves it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.governance.admit import Rules
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.audit import AuditEntry
from remembrancer.model.change import Change
from remembrancer.model.chunk import Chunk, ChunkState
from remembrancer.model.lifecycle import Status, check_transition
from remembrancer.model.record import Record
from remembrancer.ports.tx import Tx

_UNSHOWN = (Status.BUFFERED, Status.ACTIVE)


async def show(tx: Tx, chunks: Sequence[Chunk], rules: Rules, *, by_scope: bool) -> None:
    """Show what was noted of chunks in place of their messages: their notes take the next places of the log.

    Args:
        by_scope: whether all sessions of the exact scope have one log.
    """
    now = rules.clock.now()
    for chunk in chunks:
        await _show(tx, chunk, rules, by_scope=by_scope, now=now)
    if chunks:
        await tx.audit.add([_entry("activated", "chunk", len(chunks), rules, now)])


async def retire(tx: Tx, records: Iterable[Record], rules: Rules) -> None:
    """Take observations out of the log and out of recall: something else covers them. They are kept."""
    ids: list[str] = []
    for record in records:
        check_transition(record.status, Status.RETIRED)
        ids.append(record.id)
    if ids:
        now = rules.clock.now()
        await tx.records.set_aside(ids, Status.RETIRED, at=now)
        await tx.audit.add([_entry("retired", "observation", len(ids), rules, now)])


async def _show(tx: Tx, chunk: Chunk, rules: Rules, *, by_scope: bool, now: datetime) -> None:
    log = await tx.logs.find("" if by_scope else chunk.session)
    places, tokens = log.places, 0
    for record in await tx.observations.noted(chunk.session, chunk.first, chunk.last):
        # One that a person has saved too is active already.
        if record.status not in _UNSHOWN or record.place is not None:
            continue
        places += 1
        tokens += record.tokens
        shown = replace(record, status=Status.ACTIVE)
        await tx.records.change(
            record.id,
            Change(status=Status.ACTIVE, place=places),
            at=now,
            terms=terms_in_index(shown, sign=rules.sign),
        )
    places += 1
    await tx.chunks.put(replace(chunk, state=ChunkState.ACTIVE, noted=tokens, place=places, activated_at=now))
    await tx.logs.put(replace(log, places=places, tokens=log.tokens + tokens, fresh=log.fresh + tokens))


def _entry(action: str, kind: str, count: int, rules: Rules, now: datetime) -> AuditEntry:
    return AuditEntry(action=action, kind=kind, record=None, count=count, at=now)
