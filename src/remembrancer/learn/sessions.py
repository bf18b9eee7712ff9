"""Sessions: starting, resuming, summarising, ending; an abandoned one is closed with a summary of our own."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from remembrancer.errors import InvalidInput, NotAllowed, NotFound
from remembrancer.ingest.admission import admit_one
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.language.quoting import own_words
from remembrancer.learn.closing import closing
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import MAX_TITLE_CHARACTERS, Draft
from remembrancer.transactions.rejections import texts_without_rejected
from remembrancer.transactions.transitions import retire_notes
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Kind, Message, Observation, Record, Role, Source
from remembrancer.types.results import Compact, to_compact
from remembrancer.types.scope import Classification, Trust, check_name
from remembrancer.types.session import STALE_AFTER, Session, SessionStatus
from remembrancer.types.text import is_blank

# The number of latest messages and saves that are read of a session without an end.
_LOOKED_AT = 200
# The latest messages among which the last one of a user is searched.
_LOOKED_BACK = 20
_OURS = "auto_generated"
_NONE: Mapping[str, "Summed"] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A session that was opened or resumed, with what is worth knowing at its start.

    Args:
        is_new: whether it was opened just now.
        summaries: of earlier sessions, latest first, 5 at most.
        memories: the memories that rank highest by ContextScore, 10 at most.
        text: both as a sealed block for a prompt.
        tokens: of the very text, `start_tokens` at most.
        dropped: ids of those for which it has no room; they are in neither list.
    """

    session: Session
    is_new: bool
    summaries: tuple[Observation, ...]
    memories: tuple[Record, ...]
    text: str
    tokens: int
    dropped: tuple[str, ...]

    @property
    def compact(self) -> tuple[Compact, ...]:
        """The memories in short, about 100 tokens each."""
        return tuple(to_compact(record) for record in self.memories)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summed:
    """A model's summary of a session.

    Args:
        quoted: its evidence.
        messages: the number of messages at that time; a session with more has changed.
        model: as `provider:name`.
        prompt: the version of the prompt.
        refused: the number of dropped sentences, by reason.
    """

    text: str
    quoted: tuple[Record, ...]
    messages: int
    model: str
    prompt: str
    refused: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsummed:
    """The messages and saves of a session since its last summary.

    Args:
        since: the time of that summary; `None` without one.
        messages: the last active ones with text, in their order.
        saved: the other records, latest first.
    """

    session: Session
    since: datetime | None
    messages: tuple[Message, ...]
    saved: tuple[Observation, ...]

    def dialogue(self) -> tuple[Message, ...]:
        """Return the messages of trusted people and assistants, without tools, pages and quotations."""
        spoken = (one for one in self.messages if one.role in (Role.USER, Role.ASSISTANT))
        own = (replace(one, text=own_words(one.text)) for one in spoken if one.trust is Trust.TRUSTED)
        return tuple(one for one in own if one.text.strip())


async def open_session(writer: WriteTransaction, id: str | None, *, record: bool) -> tuple[Session, bool]:
    """Return the caller's session by id, or the unnamed active one; open it if there is none.

    Returns:
        the session, and True if it is new.
    """
    tx, now = writer.tx, writer.now
    name = None if id is None else session_name(id, writer.rules)
    found = await tx.sessions.unnamed() if name is None else await tx.sessions.find(name)
    session = found or Session(
        id=name or writer.rules.ids.new(),
        scope=tx.scope,
        status=SessionStatus.ACTIVE,
        named=id is not None,
        record=record,
        messages=0,
        started_at=now,
        last_activity_at=now,
    )
    session = replace(session, status=SessionStatus.ACTIVE, ended_at=None, last_activity_at=now, record=record)
    await writer.put(session, action="started" if found is None else "resumed", kind="session", id=session.id)
    return session, found is None


def session_name(id: str, rules: Dependencies) -> str:
    """Return the stored form of a session's id.

    Raises:
        InvalidInput: it is empty, too long, or has control characters.
    """
    return clean_name(check_name(id, what="session"), rules)


async def end_session(writer: WriteTransaction, id: str, *, summed: Summed | None = None) -> Session:
    """Complete a session and summarise it, unless it has a summary; repeating it changes nothing.

    Args:
        summed: the summary of a model; else the rules write one.

    Raises:
        NotFound: no such session in this scope.
    """
    session = await writer.tx.sessions.find(session_name(id, writer.rules))
    if session is None:
        raise NotFound("session", id)
    if session.status is SessionStatus.COMPLETED:
        return session
    if session.record:
        await _summed_up(writer.as_engine(), session, summed)
    ended = replace(session, status=SessionStatus.COMPLETED, ended_at=writer.now)
    await writer.put(ended, action="ended", kind="session", id=session.id)
    return ended


async def summarise(
    writer: WriteTransaction,
    id: str,
    summary: Draft,
    *,
    quoted: Sequence[Record] | None = None,
    summed: Summed | None = None,
) -> Observation:
    """Store a summary of a session as an observation of the reserved type.

    Its class is the highest of the session's messages. A summary by a participant replaces ours.

    Args:
        summary: its text, title, time, metadata and idempotency key; the rest is the same for all summaries.
        quoted: the evidence of a summary that the engine made.
        summed: the summary, if a model made it.

    Raises:
        NotFound: no such session in this scope.
        InvalidInput: the text is empty or too long, or its metadata has a reserved name.
    """
    if is_blank(summary.text):
        raise InvalidInput("a summary must not be empty")
    if _OURS in summary.metadata:
        raise InvalidInput(f"metadata {_OURS!r} is what summaries of the engine have; choose another name")
    name = session_name(id, writer.rules)
    if await writer.tx.sessions.find(name) is None:
        raise NotFound("session", id)
    automatic = quoted is not None
    if not automatic:
        behind = writer.as_engine()
        await retire_notes(behind, [one for one in await _saved(behind.tx, name) if one.metadata.get(_OURS)])
    highest = None if automatic else await _highest(writer.as_engine().tx, name)
    draft = replace(
        summary,
        classification=highest,
        title=summary.title or f"Summary of session {name}"[:MAX_TITLE_CHARACTERS],
        type=SUMMARY,
        session=name,
        evidence=[record.id for record in quoted or ()],
        source=Source.OBSERVER if automatic else Source.TOOL,
        author="remembrancer" if automatic else "",
        metadata={**summary.metadata}
        | ({_OURS: True} if automatic else {})
        | ({"model": summed.model, "prompt": summed.prompt} if summed else {}),
    )
    return (await admit_one(writer, draft, Observation)).record


async def _highest(tx: Tx, session: str) -> Classification | None:
    """Return the highest classification of a session's messages; `None` without any."""
    for classification in (Classification.RESTRICTED, Classification.CONFIDENTIAL):
        by_session = Filter(
            kinds=(Kind.MESSAGE,), sessions=(session,), statuses=tuple(Status), classifications=(classification,)
        )
        if (await tx.records.list(by_session, limit=1, cursor=None)).records:
            return classification
    return None


def is_own_summary(record: Record) -> bool:
    """Return True for a summary that the engine made and no person has edited."""
    is_ours = isinstance(record, Observation) and record.type == SUMMARY and record.metadata.get(_OURS) is True
    return is_ours and record.revision == 1


async def is_summed_up(tx: Tx, id: str | None) -> bool:
    """Return True if a session has an active summary."""
    return id is not None and bool(await _summaries(tx, id))


async def sum_up_with(writer: WriteTransaction, deleted: Record) -> None:
    """Rebuild a session's summary that was made while the restored record was deleted.

    Args:
        deleted: the record before it was restored.
    """
    is_summary = isinstance(deleted, Observation) and deleted.type == SUMMARY
    if deleted.session is None or is_summary:
        return
    behind = writer.as_engine()
    summaries = await _summaries(behind.tx, deleted.session)
    if summaries and all(is_own_summary(one) and one.recorded_at >= deleted.updated_at for one in summaries):
        await sum_up_again(writer, [deleted.session])


async def sum_up_again(writer: WriteTransaction, ids: Iterable[str]) -> None:
    """Rebuild the summaries of sessions that were deleted with their sources, from what is left."""
    behind = writer.as_engine()
    for id in ids:
        session = await behind.tx.sessions.find(id)
        summaries = await _summaries(behind.tx, id)
        if session is None or not all(is_own_summary(one) for one in summaries):
            continue
        # One for all of the session, in place of those of its parts.
        await retire_notes(behind, summaries)
        if session.status is SessionStatus.COMPLETED and session.record:
            await _summed_up(behind, session, None)
            # The session was not used meanwhile.
            await behind.put(session)


async def close_stale(writer: WriteTransaction, *, summed: Mapping[str, Summed] = _NONE) -> list[str]:
    """End the sessions that were not used for 24 hours, each with a summary marked as the engine's.

    A session without messages and saves gets no summary.

    Args:
        summed: summaries of a model, by session.
    """
    behind = writer.as_engine()
    stale = await behind.tx.sessions.stale(before=writer.now - STALE_AFTER)
    for session in stale:
        if session.record:
            await _summed_up(behind, session, summed.get(session.id))
        over = replace(session, status=SessionStatus.COMPLETED, ended_at=session.last_activity_at)
        await behind.put(over, action="ended", kind="session", id=session.id)
    return [session.id for session in stale]


async def before_saving(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[str]:
    """Close the stale sessions of a scope before a save without a session; return their names.

    If the session that claims would have belonged to is one of them, a new one is opened for these.
    """
    nameless = [draft for draft in drafts if draft.session is None and draft.source is not Source.IMPORT]
    stale = await close_stale(writer) if nameless else []
    if stale and any(draft.role is None for draft in nameless):
        current = await writer.tx.sessions.current()
        if current is None or current.status is not SessionStatus.ACTIVE:
            await open_session(writer, None, record=True)
    return stale


async def unsummed(tx: Tx, id: str) -> Unsummed | None:
    """Return the part of a session that needs a summary; `None` if there is none or a person has written one."""
    session = await tx.sessions.find(id)
    if session is None or not session.record:
        return None
    saved = await _saved(tx, session.id)
    since = max((one.recorded_at for one in saved if one.type == SUMMARY), default=None)
    if since is not None and since >= session.last_activity_at:
        return None
    return Unsummed(
        session=session,
        since=since,
        messages=tuple(one for one in await _active_messages(tx, session) if since is None or one.recorded_at > since),
        saved=tuple(one for one in saved if one.type != SUMMARY and (since is None or one.updated_at > since)),
    )


async def _summed_up(behind: WriteTransaction, session: Session, summed: Summed | None) -> None:
    """Summarise a session with messages or saves since the last summary."""
    found = await unsummed(behind.tx, session.id)
    if found is None:
        return
    came_to = closing(found.messages, found.saved)
    lines, quoted = came_to.lines, came_to.quoted
    if summed is not None and summed.messages == session.messages:
        lines, quoted = (summed.text,), summed.quoted
        behind.audit_dropped("sentence", summed.refused)
    else:
        summed = None
    allowed = await texts_without_rejected(behind.tx, lines, sign=behind.rules.sign)
    if quoted and allowed:
        # A person may have rejected this very summary, or what it would rest on: then there is none.
        with suppress(NotAllowed):
            text = "\n".join([_length(found), *allowed])
            await summarise(behind, session.id, Draft(text=text), quoted=quoted, summed=summed)


async def _saved(tx: Tx, session: str) -> list[Observation]:
    """Return the active records saved in a session of the exact scope, the latest first; without notes."""
    found = await tx.records.list(Filter(kinds=(Kind.OBSERVATION,), sessions=(session,)), limit=_LOOKED_AT, cursor=None)
    return [one for one in found.records if isinstance(one, Observation) and one.scope == tx.scope and not one.engine]


async def _summaries(tx: Tx, session: str) -> list[Observation]:
    """Return the summaries of a session of the exact scope, the latest first."""
    return [one for one in await _saved(tx, session) if one.type == SUMMARY]


async def _active_messages(tx: Tx, session: Session) -> list[Message]:
    """Return the last active messages of a session that have text."""
    return [
        message
        for message in await tx.messages.by_number(
            session.id, max(1, session.messages - _LOOKED_AT + 1), session.messages
        )
        if message.status is Status.ACTIVE and not message.echo and message.text.strip()
    ]


def _length(of: Unsummed) -> str:
    """Return how long a session lasted, or went on after its last summary."""
    session = of.session
    if of.since is None:
        begun, messages, name = session.started_at, session.messages, "Session"
    else:
        begun = min(one.occurred_at for one in (*of.messages, *of.saved))
        messages = session.messages - of.messages[0].number + 1 if of.messages else 0
        name = "Resumed session"
    count = f"of {messages} message{'' if messages == 1 else 's'}" if messages else "without messages"
    first, last = _day(begun), _day(session.last_activity_at)
    return f"{name} {count}, {f'on {first}' if first == last else f'from {first} to {last}'}."


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B %Y}"


async def last_user_message(tx: Tx, session: Session, at: datetime | None = None) -> Message | None:
    """Return the last trusted message of a user in a session, up to a time."""
    last = session.messages
    first = max(1, last - _LOOKED_BACK) if at is None else 1
    messages = await tx.messages.by_number(session.id, first, last) if last else []
    trusted = [one for one in messages if one.role is Role.USER and one.trust is Trust.TRUSTED]
    by_users = [one for one in trusted if at is None or one.recorded_at <= at]
    current = [one for one in by_users if one.status is Status.ACTIVE and not one.echo]
    return current[-1] if current else None
