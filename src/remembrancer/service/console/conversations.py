"""Conversations: their messages, next to the context of the agent at any turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from starlette.responses import Response

from remembrancer import ContextRequest
from remembrancer.errors import InvalidInput
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.record import Message
from remembrancer.types.session import Session

if TYPE_CHECKING:
    from remembrancer.context.report import Context

PAGE_SIZE = 50
_SHOWN_MESSAGES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView:
    """The context of an agent at a turn.

    Args:
        kept: the share of its text that begins the text of the turn before, in [0, 1]; `None` for the first turn.
        slots: the slots with tokens, and their share of all.
    """

    context: "Context"
    kept: float | None
    slots: Sequence[tuple[str, int, float]]


async def conversations(page: ConsoleRequest) -> Response:
    """Return a page of the conversations, latest first."""
    limit = page.whole("limit", PAGE_SIZE, high=400)
    # Those of this page that are as old as the last one of the page before, and were on it.
    skipped = page.whole("skip", 0, low=0, high=500)
    until = page.time("until")
    found = (await page.memory.sessions.list(limit=skipped + limit + 1, until=until, all_scopes=page.everything))[
        skipped:
    ]
    shown = found[:limit]
    return page.page("conversations.html", sessions=shown, older=_older(shown, until, skipped) if found[limit:] else {})


def _older(shown: Sequence[Session], until: datetime | None, skipped: int) -> dict[str, object]:
    """Return the parameters of the next page of conversations."""
    last = shown[-1].last_activity_at
    same = sum(one.last_activity_at == last for one in shown)
    return {"until": last.isoformat(), "skip": same + (skipped if until == last else 0)}


async def conversation(page: ConsoleRequest) -> Response:
    """Return one conversation at a turn.

    Raises:
        NotFound: there is no such session in the scope.
    """
    session = page.query("session")
    if not session:
        raise InvalidInput("the address names no session; open a conversation from the list")
    stats = await page.memory.sessions.stats(session)
    turn = page.whole("turn", max(1, stats.messages), high=max(1, stats.messages))
    first = max(1, turn - _SHOWN_MESSAGES + 1)
    messages = await page.memory.sessions.messages(session, first=first, last=min(stats.messages, turn + 5) or 1)
    at = _at_turn(messages, turn)
    # The last turn shows the present, with rules and notes that are newer than its message.
    moments = [page.as_of or page.now if turn == stats.messages else at.recorded_at] if at else []
    before = _at_turn(messages, turn - 1)
    moments += [before.recorded_at] if before else []
    view = await _agent_view(page, session, moments) if moments else None
    latest = messages[-1] if messages else None
    return page.page(
        "conversation.html",
        session=session,
        stats=stats,
        turn=turn,
        messages=messages,
        first=first,
        view=view,
        chunks=await page.memory.notes.chunks(session),
        injections=(await page.memory.sessions.injections(session, limit=20)),
        is_imported=at is not None and latest is not at and latest is not None and at.recorded_at == latest.recorded_at,
    )


def _at_turn(messages: Sequence[Message], turn: int) -> Message | None:
    """Return the message of a turn, or the last one before it; `None` if all are deleted."""
    return next((one for one in reversed(messages) if one.number <= turn), None)


async def _agent_view(page: ConsoleRequest, session: str, moments: Sequence[datetime]) -> AgentView:
    """Return what an agent reads at a time, and how much of it was the same one message earlier.

    Args:
        moments: the time, then that of the message before, if there is one.
    """

    async def as_of(moment: datetime) -> "Context":
        when = min(moment, page.as_of) if page.as_of else moment
        return await page.memory.context(ContextRequest(session=session, as_of=when, record_access=False))

    now = await as_of(moments[0])
    earlier = [await as_of(one) for one in moments[1:] if one != moments[0]]
    text = now.text
    total = sum(now.report.slots.values()) or 1
    return AgentView(
        context=now,
        kept=_same_beginning(earlier[0].text, text) / max(1, len(text)) if earlier else None,
        slots=[(name, tokens, tokens / total) for name, tokens in now.report.slots.items() if tokens],
    )


def _same_beginning(before: str, after: str) -> int:
    """Return the number of characters at the beginning of a text that another one begins with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
