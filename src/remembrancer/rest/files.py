"""Files of chats in, memories out: bodies that are no JSON of one operation."""

import io
import json
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from remembrancer.doors.messages import Messages
from remembrancer.errors import InvalidInput
from remembrancer.importers.files import ChatFile
from remembrancer.model.access import Right
from remembrancer.model.job import Job
from remembrancer.rest.once import once
from remembrancer.rest.refusals import Refusal
from remembrancer.rest.routes import PROBLEMS, Narrowing, entered
from remembrancer.wire.forms import form
from remembrancer.wire.values import dump, hints_of

_PAGE = 200
_BEGUN_WITHIN_SECONDS = 60.0
_LINES = "application/x-ndjson"
_CHAT = {
    "requestBody": {
        "required": True,
        "content": {
            # Whatever a request calls it, it is read as what it is.
            "text/plain": {
                "schema": {
                    "type": "string",
                    "description": "One message a line: `role`, `content`, and what else is told.",
                },
                "example": '{"role": "user", "content": "I moved to Lisbon"}\n',
            },
        },
    }
}


class ChatQuery(Narrowing):
    """How a file of chats is taken."""

    name: str = Field(
        "",
        description="what the file is called; a file of the same name that has grown is taken up where it ended",
        max_length=200,
    )
    skip_bad: bool = Field(default=False, description="leave out what cannot be taken, instead of refusing the file")


def filing() -> APIRouter:
    """The routes of files."""
    router = APIRouter()

    def extra(right: Right, example: dict[str, Any]) -> dict[str, Any]:
        return {"x-right": right.value, "x-example": example}

    @router.post(
        "/v1/messages/import",
        operation_id="messages.import_file",
        summary="Record what is new of the conversations in a file of chats",
        description="The body is the file: JSON lines or JSON, in any of the shapes that the command `import` takes."
        " All of it is read and checked before any is recorded.\n\nTakes the right `write`.",
        tags=["messages"],
        response_class=Response,
        responses={
            200: {"description": "What came of it.", "model": form(hints_of(Messages.import_file)["return"])},
            **PROBLEMS,
        },
        openapi_extra={**_CHAT, **extra(Right.WRITE, {"body": '{"role": "user", "content": "I moved to Lisbon"}\n'})},
    )
    async def import_file(request: Request, query: Annotated[ChatQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "messages.import_file", Right.WRITE)
        found = await memory.messages.import_file(await _file(request, query.name), skip_bad=query.skip_bad)
        return Response(json.dumps(dump(found), ensure_ascii=False), media_type="application/json")

    @router.post(
        "/v1/jobs/import",
        operation_id="jobs.import",
        summary="Begin a job that imports a file of chats",
        description="As `messages.import_file`, without waiting for the end.\n\nTakes the right `write`.",
        tags=["jobs"],
        status_code=202,
        response_class=Response,
        responses={202: {"description": "The job, which goes on.", "model": form(Job)}, **PROBLEMS},
        openapi_extra={**_CHAT, **extra(Right.WRITE, {"body": '{"role": "user", "content": "I moved to Porto"}\n'})},
    )
    async def begin_import(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[ChatQuery, Query()],
        idempotency_key: Annotated[str | None, Header(description="the same key again begins no second job")] = None,
    ) -> Response:
        memory = entered(request, "jobs.import", Right.WRITE)
        file = await _file(request, query.name)

        async def work() -> Response:
            job = await memory.jobs.start("import", file=file, skip_bad=query.skip_bad)
            return Response(json.dumps(dump(job)), 202, media_type="application/json")

        if not idempotency_key:
            return await work()
        # Of all of it a fingerprint is kept.
        asked = f"jobs.import {query.model_dump_json()} {(await request.body()).decode('latin-1')}"
        return await once(memory, idempotency_key, asked, work, seconds=_BEGUN_WITHIN_SECONDS, secret=False)

    @router.get(
        "/v1/export",
        operation_id="export",
        summary="Everything that the caller sees, one memory a line",
        description="JSON lines, the newest first, as `list` pages them. 501 where the service keeps them in its"
        " process alone.\n\nTakes the right `read`.",
        tags=["memories"],
        response_class=Response,
        responses={
            200: {"description": "One memory a line.", "content": {_LINES: {"schema": {"type": "string"}}}},
            **PROBLEMS,
        },
        openapi_extra=extra(Right.READ, {}),
    )
    async def export(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "export", Right.READ)
        if not memory.reception.is_durable:
            raise Refusal("not-kept", "this service keeps its memories in its process alone; serve a database")
        first = await memory.list(limit=_PAGE)

        async def lines() -> AsyncGenerator[str, None]:
            page = first
            while True:
                yield "".join(json.dumps(dump(record), ensure_ascii=False) + "\n" for record in page.records)
                if page.cursor is None:
                    return
                page = await memory.list(limit=_PAGE, cursor=page.cursor)

        return StreamingResponse(lines(), media_type=_LINES)

    return router


async def _file(request: Request, name: str) -> ChatFile:
    """What a request brought.

    Raises:
        InvalidInput: it is a form, and no file.
    """
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise InvalidInput("the body is a form; send the file itself as the body")
    place = f"upload {name}" if name else ""
    return ChatFile.of(io.BytesIO(await request.body()), name=name or "the body", place=place)
