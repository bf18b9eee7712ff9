"""What happens in a scope, as it happens: ids and kinds of what came, changed and went, and no text."""

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

# What is committed may bear the time of a moment ago; it is looked for so far back, and told once.
_BACK = timedelta(seconds=5)
_FURTHEST_BACK = timedelta(hours=1)
_NEVER = datetime.min.replace(tzinfo=UTC)


_ABOUT = """Server-sent events `learnt`, `changed` and `retired`, each with the id and kind of a memory, and no text.
A reader who comes again with `Last-Event-ID` misses nothing of the last hour.

Needs the right `read`."""


def event_routes(serving: ServiceOptions) -> APIRouter:
    """The route of events."""
    router = APIRouter()

    @router.get(
        "/v1/events",
        operation_id="events",
        summary="What happens in a scope, as it happens",
        description=_ABOUT,
        tags=["sessions"],
        response_class=Response,
        responses={
            200: {
                "description": "Events, until the reader goes.",
                "content": CONTENT,
            },
        },
        openapi_extra={"x-right": Right.READ.value, "x-example": {}, **problems()},
    )
    async def events(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        last_event_id: Annotated[str | None, Header(description="the id of the last event that was read")] = None,
    ) -> Response:
        memory = entered(request, "events", Right.READ)
        now = datetime.now(UTC)  # noqa: TID251 -- that of this process; the store's rows have their own
        # What was committed late, or beside the event that was read last, may come twice and never not at all.
        since = _moment(last_event_id, now) - _BACK if last_event_id else now
        return EventStream(scope_events(memory, since, serving.paced), seconds=serving.body_seconds)

    return router


def _moment(id: str, now: datetime) -> datetime:
    try:
        told = datetime.fromisoformat(id)
        return max(told, now - _FURTHEST_BACK)
    except (ValueError, TypeError) as error:
        raise InvalidInput("Last-Event-ID must be the id of an event, as it was sent") from error


async def scope_events(memory: Memory, since: datetime, paced: float) -> AsyncGenerator[ServerSentEvent, None]:
    """What happens from a moment on; nothing is held for who reads slowly: it is looked for when it is read."""
    told: dict[str, tuple[str, datetime]] = {}
    begun = since
    yield ServerSentEvent(id=since.isoformat())
    while True:
        now = datetime.now(UTC)  # noqa: TID251 -- that of this process
        found = await memory.timeline.diff(max(begun, since - _BACK), now)
        there = [*found.learnt, *(change.after for change in found.changed)]
        known = {record.id for record in found.learnt if record.id not in told}
        fresh = [
            *((_name(record, now, is_new=record.id in known), record) for record in there),
            *(("retired", record) for record in found.retired),
        ]
        untold = [one for one in fresh if told.get(one[1].id) != _state(*one)]
        for place, (name, record) in enumerate(untold, start=1):
            # Who is cut off amid them comes again to all of them.
            yield ServerSentEvent(name=name, data=_told(record), id=now.isoformat() if place == len(untold) else "")
        told = {record.id: _state(name, record) for name, record in fresh}
        since = now
        await anyio.sleep(paced)


def _name(record: Record, now: datetime, *, is_new: bool) -> str:
    if isinstance(record, Fact) and not record.details.is_valid_at(max(now, record.details.valid_from)):
        return "retired"
    return "learnt" if is_new else "changed"


def _state(name: str, record: Record) -> tuple[str, datetime]:
    """What was told of a memory; that it is gone is told once, however it read before."""
    return ("gone", _NEVER) if name == "retired" else ("there", record.updated_at)


def _told(record: Record) -> dict[str, str | None]:
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "session": record.session,
        "at": record.updated_at.isoformat(),
    }
