"""Events of a scope: ids and kinds of new, changed and retired memories, without text."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query, Request, Response

from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.service.rest.routes import Narrowing, entered, problems
from remembrancer.service.rest.streams import CONTENT, EventStream, ServerSentEvent
from remembrancer.types.access import Right
from remembrancer.types.record import Fact, Record, kind_of

# A commit may have a slightly earlier time, so each poll looks back; an event is sent once.
_LOOK_BACK = timedelta(seconds=5)
_MAX_LOOK_BACK = timedelta(hours=1)
_NEVER = datetime.min.replace(tzinfo=UTC)


_ABOUT = """Server-sent events `learnt`, `changed` and `retired`, each with the id and kind of a memory, without text.
A reader that reconnects with `Last-Event-ID` gets all events of the last hour.

Needs the right `read`."""


def add_event_routes(router: APIRouter, options: ServiceOptions) -> None:
    """Add the route of events."""

    @router.get(
        "/v1/events",
        operation_id="events",
        summary="Stream the changes of a scope",
        description=_ABOUT,
        tags=["sessions"],
        response_class=Response,
        responses={
            200: {
                "description": "Events, until the reader disconnects.",
                "content": CONTENT,
            },
        },
        openapi_extra={"x-right": Right.READ.value, "x-example": {}, **problems()},
    )
    async def events(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        last_event_id: Annotated[str | None, Header(description="the id of the last event received")] = None,
    ) -> Response:
        memory = entered(request, "events", Right.READ)
        now = datetime.now(UTC)  # noqa: TID251 -- the time of this process, not of the store
        # Late and concurrent commits may be sent twice, so that none is lost.
        since = _moment(last_event_id, now) - _LOOK_BACK if last_event_id else now
        return EventStream(scope_events(memory, since, options.event_seconds), seconds=options.body_seconds)


def _moment(id: str, now: datetime) -> datetime:
    try:
        return max(datetime.fromisoformat(id), now - _MAX_LOOK_BACK)
    except (ValueError, TypeError) as error:
        raise InvalidInput("Last-Event-ID must be the id of an event") from error


async def scope_events(memory: Memory, since: datetime, seconds: float) -> AsyncGenerator[ServerSentEvent, None]:
    """Stream the events since a time. Each poll starts when the reader has read the earlier events.

    Args:
        seconds: the polling interval.
    """
    sent: dict[str, tuple[str, datetime]] = {}
    start = since
    yield ServerSentEvent(id=since.isoformat())
    while True:
        now = datetime.now(UTC)  # noqa: TID251 -- that of this process
        changes = await memory.timeline.diff(max(start, since - _LOOK_BACK), now)
        live = [*changes.learnt, *(change.after for change in changes.changed)]
        new_ids = {record.id for record in changes.learnt if record.id not in sent}
        current = [
            *((_name(record, now, is_new=record.id in new_ids), record) for record in live),
            *(("retired", record) for record in changes.retired),
        ]
        unsent = [one for one in current if sent.get(one[1].id) != _state(*one)]
        for place, (name, record) in enumerate(unsent, start=1):
            # Only the last event has an id: a reader that is disconnected before it gets all of them again.
            yield ServerSentEvent(name=name, data=_data(record), id=now.isoformat() if place == len(unsent) else "")
        sent = {record.id: _state(name, record) for name, record in current}
        since = now
        await anyio.sleep(seconds)


def _name(record: Record, now: datetime, *, is_new: bool) -> str:
    if isinstance(record, Fact) and not record.details.is_valid_at(max(now, record.details.valid_from)):
        return "retired"
    return "learnt" if is_new else "changed"


def _state(name: str, record: Record) -> tuple[str, datetime]:
    """Return the state of a memory to compare with the sent one; a retirement is sent once."""
    return ("retired", _NEVER) if name == "retired" else ("live", record.updated_at)


def _data(record: Record) -> dict[str, str | None]:
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "session": record.session,
        "at": record.updated_at.isoformat(),
    }
