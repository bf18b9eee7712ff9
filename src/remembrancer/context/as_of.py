"""A conversation as it stood at a time: which messages were told raw, and which by what was noted of them."""

from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.context.conversations import Held, held, untold
from remembrancer.search.timeline import stood
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Log
from remembrancer.types.record import Kind, Message, Observation, kind_of
from remembrancer.types.results import ContextLine
from remembrancer.types.scope import Trust
from remembrancer.types.session import Session

_NOTES = (Kind.OBSERVATION, Kind.REFLECTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A conversation as of a time.

    Args:
        log: what was noted and stood in the block, in the order of its places.
        messages: those that were told raw, in order.
    """

    state: Held
    log: tuple[ContextLine, ...]
    messages: tuple[ContextLine, ...]


async def past(tx: Tx, session: str, at: datetime, *, by_scope: bool) -> Past:
    """What a conversation showed at a time, without what was deleted since.

    Args:
        session: any of its sessions.
        by_scope: whether all sessions of the exact scope are one conversation.
    """
    now = await held(tx, session, by_scope=by_scope)
    chunks = tuple(chunk for chunk in now.chunks if chunk.activated_at is not None and chunk.activated_at <= at)
    log = await _log(tx, None if by_scope else session, at)
    said = [message for found in now.sessions for message in await _said(tx, found, at)]
    sessions = tuple(_up_to(found, said) for found in now.sessions)
    state = Held(
        sessions=sessions,
        chunks=chunks,
        log=Log(session=now.log.session, tokens=sum(note.tokens for note in log)),
        untold=tuple([one for found in sessions for one in await untold(tx, found.id, chunks, known_by=at)]),
    )
    spans = {found.id: state.raw_spans(found) for found in sessions}
    raw = [
        message
        for message in said
        if any(first <= message.number <= last for first, last in spans[message.session or ""])
    ]
    if by_scope:
        raw.sort(key=lambda message: (message.occurred_at, message.session, message.number))
    return Past(state=state, log=tuple(map(_line, log)), messages=tuple(map(_line, raw)))


async def _log(tx: Tx, session: str | None, at: datetime) -> list[Observation]:
    which = Filter(kinds=_NOTES, sessions=() if session is None else (session,), statuses=(Status.ACTIVE,))
    found = await stood(tx, Observation, await tx.observations.in_log(session), which, at)
    notes = [note for note in found if note.scope == tx.scope and note.place]
    return sorted(notes, key=lambda note: note.place or 0)


async def _said(tx: Tx, session: Session, at: datetime) -> list[Message]:
    """The messages of a session that stood at a time, in order."""
    standing = [
        message
        for message in await tx.messages.by_number(session.id, 1, session.messages)
        if message.status is Status.ACTIVE
    ]
    which = Filter(kinds=(Kind.MESSAGE,), sessions=(session.id,), statuses=(Status.ACTIVE,))
    found = await stood(tx, Message, standing, which, at)
    messages = [one for one in found if one.scope == tx.scope]
    return sorted(messages, key=lambda message: message.number)


def _up_to(session: Session, said: list[Message]) -> Session:
    """A session as long as it was when these were all that had been said."""
    own = [message for message in said if message.session == session.id]
    last = max((message.number for message in own), default=0)
    return replace(session, messages=last, tokens=sum(message.tokens for message in own))


def _line(record: Message | Observation) -> ContextLine:
    """What an agent reads of it."""
    said = isinstance(record, Message)
    return ContextLine(
        id=record.id,
        kind=kind_of(record),
        session=record.session or "",
        text=record.text,
        occurred_at=record.occurred_at,
        number=record.number if said else record.first,
        last=record.number if said else record.last,
        role=record.role.value if said else "",
        speaker=record.speaker if said else "",
        priority=0 if said else record.priority,
        refers_to="" if said else record.refers_to,
        place=0 if said else record.place or 0,
        untrusted=record.trust is Trust.UNTRUSTED,
    )
