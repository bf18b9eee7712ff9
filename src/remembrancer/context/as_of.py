"""A conversation at an earlier time: its messages and notes as shown then."""

from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.context.conversations import ConversationState, load_state, uncovered_messages
from remembrancer.search.timeline import records_at
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
class ConversationAsOf:
    """A conversation as of a time.

    Args:
        log: the notes in the block, in their order.
        messages: the messages shown verbatim, in order.
    """

    state: ConversationState
    log: tuple[ContextLine, ...]
    messages: tuple[ContextLine, ...]


async def conversation_as_of(tx: Tx, session: str, at: datetime, *, by_scope: bool) -> ConversationAsOf:
    """Return a conversation as shown at a time, without deleted records.

    Args:
        session: any of its sessions.
        by_scope: whether all sessions of the exact scope are one conversation.
    """
    now = await load_state(tx, session, by_scope=by_scope)
    chunks = tuple(chunk for chunk in now.chunks if chunk.activated_at is not None and chunk.activated_at <= at)
    log = await _log_at(tx, None if by_scope else session, at)
    messages = [message for one in now.sessions for message in await _messages_at(tx, one, at)]
    sessions = tuple(_session_at(one, messages) for one in now.sessions)
    state = ConversationState(
        sessions=sessions,
        chunks=chunks,
        log=Log(session=now.log.session, tokens=sum(note.tokens for note in log)),
        uncovered=tuple(
            [message for one in sessions for message in await uncovered_messages(tx, one.id, chunks, known_by=at)]
        ),
    )
    spans = {one.id: state.raw_spans(one) for one in sessions}
    raw = [
        message
        for message in messages
        if any(first <= message.number <= last for first, last in spans[message.session or ""])
    ]
    if by_scope:
        raw.sort(key=lambda message: (message.occurred_at, message.session, message.number))
    return ConversationAsOf(state=state, log=tuple(map(_line, log)), messages=tuple(map(_line, raw)))


async def _log_at(tx: Tx, session: str | None, at: datetime) -> list[Observation]:
    filter = Filter(kinds=_NOTES, sessions=() if session is None else (session,), statuses=(Status.ACTIVE,))
    records = await records_at(tx, Observation, await tx.observations.in_log(session), filter, at)
    notes = [note for note in records if note.scope == tx.scope and note.place]
    return sorted(notes, key=lambda note: note.place or 0)


async def _messages_at(tx: Tx, session: Session, at: datetime) -> list[Message]:
    """Return the messages of a session that were active at a time, in order."""
    active = [
        message
        for message in await tx.messages.by_number(session.id, 1, session.messages)
        if message.status is Status.ACTIVE
    ]
    filter = Filter(kinds=(Kind.MESSAGE,), sessions=(session.id,), statuses=(Status.ACTIVE,))
    records = await records_at(tx, Message, active, filter, at)
    messages = [one for one in records if one.scope == tx.scope]
    return sorted(messages, key=lambda message: message.number)


def _session_at(session: Session, messages: list[Message]) -> Session:
    """Return a session with the length that it had with these messages."""
    own = [message for message in messages if message.session == session.id]
    last = max((message.number for message in own), default=0)
    return replace(session, messages=last, tokens=sum(message.tokens for message in own))


def _line(record: Message | Observation) -> ContextLine:
    """Return a record as a line of the block."""
    is_message = isinstance(record, Message)
    return ContextLine(
        id=record.id,
        kind=kind_of(record),
        session=record.session or "",
        text=record.text,
        occurred_at=record.occurred_at,
        number=record.number if is_message else record.first,
        last=record.number if is_message else record.last,
        role=record.role.value if is_message else "",
        speaker=record.speaker if is_message else "",
        priority=0 if is_message else record.priority,
        refers_to="" if is_message else record.refers_to,
        place=0 if is_message else record.place or 0,
        untrusted=record.trust is Trust.UNTRUSTED,
    )
