"""Files of chats and archives in, exports and archives out: bodies that are no JSON of one operation."""

import io
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from anyio import TemporaryDirectory, open_file
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.memory import Memory
from remembrancer.resources.archives import Archives
from remembrancer.resources.json_values import dump, hints_of
from remembrancer.resources.messages import Messages
from remembrancer.service.rest.once import once
from remembrancer.service.rest.refusals import Refusal
from remembrancer.service.rest.routes import Narrowing, entered, problems
from remembrancer.service.schemas import form
from remembrancer.types.access import Right
from remembrancer.types.job import Job

_BEGUN_WITHIN_SECONDS = 60.0
_LINES = "application/x-ndjson"
_BYTES = "application/octet-stream"
_FORMS = {"jsonl": _LINES, "jsonld": "application/ld+json", "csv": "text/csv", "markdown": "text/markdown"}
# Generators of clients take the first that they know, and read what ends with `+json` as one value.
_TEXTS = {_FORMS[form]: {"schema": {"type": "string"}} for form in ("jsonl", "csv", "markdown", "jsonld")}
_REPORTS = {_FORMS[form]: _TEXTS[_FORMS[form]] for form in ("markdown", "jsonl")}
_BINARY = {"type": "string", "format": "binary"}
_ARCHIVE = {"requestBody": {"required": True, "content": {_BYTES: {"schema": _BINARY}}}}
_CHAT = {
    "requestBody": {
        "required": True,
        "content": {
            # Whatever a request calls it, it is read as what it is.
            _BYTES: {
                "schema": {
                    **_BINARY,
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


class ExportQuery(Narrowing):
    """What is exported, and as what."""

    form: str = Field("jsonl", description="`jsonl`, `jsonld`, `csv` or `markdown`")
    kinds: list[str] = Field(default=[], description="of which memories; of all, where none is named")
    since: datetime | None = Field(None, description="no earlier than this, with its zone")
    until: datetime | None = Field(None, description="no later than this, with its zone")
    all_scopes: bool = Field(
        False, description="those of the scopes under this one, too: from the tenant's own scope, the whole tenant"
    )


class ReportQuery(Narrowing):
    """How a report is made."""

    person: str | None = Field(None, description="a name by which everybody else's memories are looked through, too")
    form: str = Field("markdown", description="`markdown` or `jsonl`")


class TakeQuery(Narrowing):
    """Why an archive is taken in."""

    reason: str = Field(description="why, for the audit log")


class Passphrase(BaseModel):
    """What an archive is sealed under."""

    model_config = ConfigDict(extra="forbid")

    passphrase: str = Field(description="8 characters at least; it is kept nowhere")


def filing() -> APIRouter:
    """The routes of files."""
    router = APIRouter()

    def extra(right: Right, example: dict[str, Any], *errors: int) -> dict[str, Any]:
        has_body = "body" in example or "archive" in example
        return {"x-right": right.value, "x-example": example, **problems(*errors, has_body=has_body)}

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
        responses={202: {"description": "The job, which goes on.", "model": form(Job)}},
        openapi_extra={
            **_CHAT,
            **extra(Right.WRITE, {"body": '{"role": "user", "content": "I moved to Porto"}\n'}, 409),
        },
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
        summary="Everything that the caller sees, as a text to be read or loaded elsewhere",
        description="The newest first, as it is read; as JSON lines, unless another form is asked for. 501 where the"
        " service keeps memories in its process alone.\n\nTakes the right `read`. With `all_scopes`, `operate` too.",
        tags=["archives"],
        response_class=Response,
        responses={200: {"description": "The text, in the form that was asked for.", "content": _TEXTS}},
        openapi_extra=extra(Right.READ, {}, 501),
    )
    async def export(request: Request, query: Annotated[ExportQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "export", Right.READ)
        _need_durable(memory)
        pieces = memory.archives.export(
            form=query.form,
            kinds=query.kinds,
            since=query.since,
            until=query.until,
            all_scopes=query.all_scopes,
        )
        return await _streamed(pieces, _FORMS.get(query.form, _LINES))

    @router.get(
        "/v1/users/{name}/report",
        operation_id="archives.report",
        summary="All that is held about one user, for that user to read",
        description="Every memory with its evidence and earlier wordings, and who was told of it; in Markdown, or as"
        " JSON lines. 501 where the service keeps memories in its process alone.\n\nTakes the right `govern`.",
        tags=["archives"],
        response_class=Response,
        responses={
            200: {"description": "The report.", "content": _REPORTS},
        },
        openapi_extra=extra(Right.GOVERN, {"path": {"name": "ada"}}, 501),
    )
    async def report(request: Request, name: str, query: Annotated[ReportQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "archives.report", Right.GOVERN)
        _need_durable(memory)
        pieces = memory.archives.report(name, person=query.person, form=query.form)
        return await _streamed(pieces, _FORMS.get(query.form, _LINES))

    @router.post(
        "/v1/archives",
        operation_id="archives.make",
        summary="An archive of the scope and of those under it, sealed under a passphrase",
        description="The body of the answer is the file. 501 where the service keeps memories in its process alone."
        "\n\nTakes the right `operate`.",
        tags=["archives"],
        response_class=Response,
        responses={
            200: {"description": "The archive.", "content": {_BYTES: {"schema": _BINARY}}},
        },
        openapi_extra=extra(Right.OPERATE, {"body": {"passphrase": "correct horse battery"}}, 501),
    )
    async def make(request: Request, query: Annotated[Narrowing, Query()], body: Passphrase) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "archives.make", Right.OPERATE)
        _need_durable(memory)
        return await _streamed(memory.archives.stream(passphrase=body.passphrase), _BYTES)

    @router.post(
        "/v1/archives/check",
        operation_id="archives.check",
        summary="What is in an archive, once all of it was read",
        description="The body is the file, and the header `X-Passphrase` says what it is sealed under,"
        " in UTF-8; nothing is taken.\n\nTakes the right `operate`.",
        tags=["archives"],
        response_class=Response,
        responses={
            200: {"description": "What is in it.", "model": form(hints_of(Archives.check)["return"])},
        },
        openapi_extra={**_ARCHIVE, **extra(Right.OPERATE, {"archive": True})},
    )
    async def check(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], x_passphrase: Annotated[str, Header()] = ""
    ) -> Response:
        memory = entered(request, "archives.check", Right.OPERATE)
        async with _kept(request) as file:
            return _answer(await memory.archives.check(file, passphrase=_told(x_passphrase)))

    @router.post(
        "/v1/archives/take",
        operation_id="archives.take",
        summary="Take an archive in, all or nothing",
        description="The body is the file, and the header `X-Passphrase` says what it is sealed under,"
        " in UTF-8.\n\nTakes the right `operate`.",
        tags=["archives"],
        response_class=Response,
        responses={
            200: {"description": "What came of it.", "model": form(hints_of(Archives.take)["return"])},
        },
        openapi_extra={**_ARCHIVE, **extra(Right.OPERATE, {"archive": True, "query": {"reason": "the laptop's"}})},
    )
    async def take(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[TakeQuery, Query()], x_passphrase: Annotated[str, Header()] = ""
    ) -> Response:
        memory = entered(request, "archives.take", Right.OPERATE)
        async with _kept(request) as file:
            return _answer(await memory.archives.take(file, passphrase=_told(x_passphrase), reason=query.reason))

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


def _need_durable(memory: Memory) -> None:
    """Let a request pass where what is exported outlives the process.

    Raises:
        Refusal: it does not.
    """
    if not memory.reception.is_durable:
        raise Refusal("not-kept", "this service keeps its memories in its process alone; serve a database")


async def _streamed(pieces: AsyncGenerator[Any, None], media_type: str) -> Response:
    """A stream whose first piece is there: what is refused is refused before it begins."""
    first = await anext(pieces)

    async def all_of() -> AsyncGenerator[Any, None]:
        async with aclosing(pieces):
            yield first
            async for piece in pieces:
                yield piece

    return StreamingResponse(all_of(), media_type=media_type)


@asynccontextmanager
async def _kept(request: Request) -> AsyncGenerator[Path, None]:
    """The body of a request in a file for nobody else, as long as it is needed: it may be larger than memory."""
    async with TemporaryDirectory(prefix="archive-") as folder:
        path = Path(folder) / "archive"
        async with await open_file(path, "wb") as beside:
            async for piece in request.stream():
                await beside.write(piece)
        yield path


def _told(passphrase: str) -> str:
    """A passphrase as its header meant it: bytes are what it holds.

    Raises:
        InvalidInput: there is none, or it is no UTF-8.
    """
    if not passphrase:
        raise InvalidInput("say what the archive is sealed under in the header X-Passphrase")
    try:
        return passphrase.encode("latin-1").decode()
    except UnicodeError as error:
        raise InvalidInput("the header X-Passphrase holds no UTF-8") from error


def _answer(found: Any) -> Response:
    return Response(json.dumps(dump(found), ensure_ascii=False), media_type="application/json")
