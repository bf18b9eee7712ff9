"""Sessions: starting, resuming, summarising, ending; an abandoned one is closed with a summary of our own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.governance.admit import admit, clean_name
from remembrancer.governance.draft import MAX_TITLE_CHARACTERS, Draft
from remembrancer.governance.rules import Rules
from remembrancer.governance.writing import Writing
from remembrancer.model.classification import Classification
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import Status
from remembrancer.model.observation_types import SUMMARY
from remembrancer.model.record import Kind, Message, Observation, Record, Source, speaker_of
from remembrancer.model.scope import check_name
from remembrancer.model.session import STALE_AFTER, Session, SessionStatus
from remembrancer.ports.tx import Tx

SUMMARIES_AT_START = 5
MEMORIES_AT_START = 10
_QUOTED_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A session that was opened or resumed, with what is worth knowing at its start.

    Args:
        is_new: whether it was opened just now.
        summaries: of earlier sessions, latest first, 5 at most.
        memories: the memories that rank highest by ContextScore, about 10.
    """

    session: Session
    is_new: bool
    summaries: tuple[Observation, ...]
    memories: tuple[Record, ...]


async def open_session(writing: Writing, id: str | None, *, record: bool) -> tuple[Session, bool]:
    """The caller's session of that id, or the scope's unnamed active one; opened where it is not there.

    Returns:
        the session, and whether it is new.
    """
    tx, now = writing.tx, writing.now
    await close_stale(writing)
    name = None if id is None else session_name(id, writing.rules)
    found = await tx.sessions.unnamed() if name is None else await tx.sessions.find(name)
    session = found or Session(
        id=name or writing.rules.ids.new(),
        scope=tx.scope,
        status=SessionStatus.ACTIVE,
        named=id is not None,
        record=record,
        messages=0,
        started_at=now,
        last_activity_at=now,
    )
    session = replace(session, status=SessionStatus.ACTIVE, ended_at=None, last_activity_at=now, record=record)
    await writing.note(session, action="started" if found is None else "resumed", kind="session", id=session.id)
    return session, found is None


def session_name(id: str, rules: Rules) -> str:
    """A session's id as it is stored.

    Raises:
        InvalidInput: it is empty, too long, or holds control characters.
    """
    return clean_name(check_name(id, what="session"), rules)


async def end_session(writing: Writing, id: str) -> Session:
    """The session, completed; ending it again changes nothing.

    Raises:
        NotFound: no such session in this scope.
    """
    session = await writing.tx.sessions.find(session_name(id, writing.rules))
    if session is None:
        raise NotFound("session", id)
    if session.status is SessionStatus.COMPLETED:
        return session
    now = writing.now
    ended = replace(session, status=SessionStatus.COMPLETED, ended_at=now, last_activity_at=now)
    await writing.note(ended, action="ended", kind="session", id=session.id)
    return ended


async def summarise(
    writing: Writing, id: str, text: str, *, title: str = "", quoted: Sequence[Record] | None = None
) -> Observation:
    """A summary of a session, stored as an observation of the reserved type; it is as closed as what was said there.

    Args:
        quoted: given for a summary of our own making: what it quotes, which is its evidence.

    Raises:
        NotFound: no such session in this scope.
        InvalidInput: the text is empty or too long.
    """
    if not text.strip():
        raise InvalidInput("a summary must not be empty")
    name = session_name(id, writing.rules)
    if await writing.tx.sessions.find(name) is None:
        raise NotFound("session", id)
    automatic = quoted is not None
    said = None if automatic else await _highest(writing.as_engine().tx, name)
    draft = Draft(
        classification=said,
        text=text,
        title=title or f"Summary of session {name}"[:MAX_TITLE_CHARACTERS],
        type=SUMMARY,
        session=name,
        evidence=[record.id for record in quoted or ()],
        source=Source.OBSERVER if automatic else Source.TOOL,
        author="remembrancer" if automatic else "",
        metadata={"auto_generated": True} if automatic else {},
    )
    (saved,) = await admit(writing, [draft])
    assert isinstance(saved.record, Observation)
    return saved.record


async def _highest(tx: Tx, session: str) -> Classification | None:
    """The highest classification of what was said in a session; `None` where nothing was."""
    for classification in (Classification.RESTRICTED, Classification.CONFIDENTIAL):
        told = Filter(
            kinds=(Kind.MESSAGE,), sessions=(session,), statuses=tuple(Status), classifications=(classification,)
        )
        if (await tx.records.list(told, limit=1, cursor=None)).records:
            return classification
    return None


async def close_stale(writing: Writing) -> list[str]:
    """End the sessions that nobody has used for 24 hours, each with a summary marked as made by us."""
    behind = writing.as_engine()
    stale = await behind.tx.sessions.stale(before=writing.now - STALE_AFTER)
    for session in stale:
        if session.record:
            quoted = await _ends(behind.tx, session)
            await summarise(behind, session.id, _rudiment(session, quoted), quoted=quoted)
        over = replace(session, status=SessionStatus.COMPLETED, ended_at=session.last_activity_at)
        await behind.note(over, action="ended", kind="session", id=session.id)
    return [session.id for session in stale]


async def summaries(tx: Tx) -> tuple[Observation, ...]:
    """The latest summaries that the scope sees."""
    page = await tx.records.list(
        Filter(kinds=(Kind.OBSERVATION,), types=(SUMMARY,)), limit=SUMMARIES_AT_START, cursor=None
    )
    return tuple(record for record in page.records if isinstance(record, Observation))


async def _ends(tx: Tx, session: Session) -> list[Message]:
    """The first and the last message of a session that stand and say something."""
    said = [
        message
        for message in await tx.messages.by_number(session.id, 1, session.messages)
        if message.status is Status.ACTIVE and not message.echo and message.text.strip()
    ]
    return said[:1] + said[1:][-1:]


def _rudiment(session: Session, quoted: Sequence[Record]) -> str:
    """What can be said of a session without understanding it: its length, its time, how it began and ended."""
    times = f"from {_day(session.started_at)} to {_day(session.last_activity_at)}"
    return " ".join([f"Session of {session.messages} messages, {times}.", *_quotes(quoted)])


def _quotes(messages: Sequence[Record]) -> list[str]:
    words = ("It began with", "It ended with")
    return [
        f"{word} {speaker_of(message)}: “{_clipped(message.text)}”"
        for word, message in zip(words, messages, strict=False)
    ]


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARACTERS else line[:_QUOTED_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B %Y}"
