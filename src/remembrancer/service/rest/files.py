"""Uploads of chats and archives, downloads of exports, reports and archives."""

import io
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from anyio import TemporaryDirectory, open_file
from anyio.to_thread import run_sync
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile, zone_named
from remembrancer.ingest.importers.forms import AUTO, NAMES
from remembrancer.memory import Memory
from remembrancer.resources.archives import Archives
from remembrancer.resources.json_values import dump, hints_of
from remembrancer.resources.messages import Messages
from remembrancer.service.rest.idempotency import answer_once
from remembrancer.service.rest.problem_responses import RequestRefused
from remembrancer.service.rest.routes import Narrowing, entered, problems
from remembrancer.service.schemas import form
from remembrancer.types.access import Right
from remembrancer.types.jobs import Job

_STARTED_WITHIN_SECONDS = 60.0
_LINES = "application/x-ndjson"
_BYTES = "application/octet-stream"
_FORMS = {"jsonl": _LINES, "jsonld": "application/ld+json", "csv": "text/csv", "markdown": "text/markdown"}
# Generated clients use the first known type, and parse a type that ends with `+json` as one value.
_TEXTS = {_FORMS[form]: {"schema": {"type": "string"}} for form in ("jsonl", "csv", "markdown", "jsonld")}
_REPORTS = {_FORMS[form]: _TEXTS[_FORMS[form]] for form in ("markdown", "jsonl")}
_BINARY = {"type": "string", "format": "binary"}
_ARCHIVE = {"requestBody": {"required": True, "content": {_BYTES: {"schema": _BINARY}}}}
_CHAT = {
    "requestBody": {
        "required": True,
        "content": {
            # The format is detected from the content, and not from the content type.
            _BYTES: {
                "schema": {
                    **_BINARY,
                    "description": "One message a line: `role`, `content`, and further fields.",
                },
                "example": '{"role": "user", "content": "I moved to Lisbon"}\n',
            },
        },
    }
}


class ChatQuery(Narrowing):
    """Options of the import of a file of chats."""

    name: str = Field(
        "",
        description="the name of the file; the import of a file that has grown continues where the last one ended",
        max_length=200,
    )
    skip_bad: bool = Field(
        default=False, description="skip messages that cannot be imported, instead of refusing the file"
    )
    form: str = Field(
        AUTO, description=f"the form of the file, recognised by default: {', '.join(f'`{form}`' for form in NAMES)}"
    )
    time_zone: str | None = Field(None, description="the zone of times without one, such as `Europe/Berlin`")


class ExportQuery(Narrowing):
    """Options of an export."""

    form: str = Field("jsonl", description="`jsonl`, `jsonld`, `csv` or `markdown`")
    kinds: list[str] = Field(default=[], description="the kinds of memories; all by default")
    since: datetime | None = Field(None, description="no earlier than this, with its zone")
    until: datetime | None = Field(None, description="no later than this, with its zone")
    all_scopes: bool = Field(
        False, description="with the scopes under this one: from the tenant's own scope, the whole tenant"
    )


class ReportQuery(Narrowing):
    """Options of a report."""

    person: str | None = Field(None, description="a name to search for in the memories of all other users")
    form: str = Field("markdown", description="`markdown` or `jsonl`")


class ImportArchiveQuery(Narrowing):
    """The reason of an import."""

    reason: str = Field(description="the reason, for the audit log")


class Passphrase(BaseModel):
    """The passphrase of an archive."""

    model_config = ConfigDict(extra="forbid")

    passphrase: str = Field(description="at least 8 characters; it is not stored")


def add_file_routes(router: APIRouter) -> None:
    """Add the routes of files."""

    def extra(right: Right, example: dict[str, Any], *errors: int) -> dict[str, Any]:
        has_body = "body" in example or "archive" in example
        return {"x-right": right.value, "x-example": example, **problems(*errors, has_body=has_body)}

    @router.post(
        "/v1/messages/import",
        operation_id="messages.import_file",
        summary="Import the new messages of a file of chats",
        description="The body is the file: JSON lines or JSON, in any of the formats of the command `import`."
        " The whole file is read and checked before a message is recorded.\n\nNeeds the right `write`.",
        tags=["messages"],
        response_class=Response,
        responses={
            200: {"description": "The result.", "model": form(hints_of(Messages.import_file)["return"])},
        },
        openapi_extra={**_CHAT, **extra(Right.WRITE, {"body": '{"role": "user", "content": "I moved to Lisbon"}\n'})},
    )
    async def import_file(request: Request, query: Annotated[ChatQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "messages.import_file", Right.WRITE)
        imported = await memory.messages.import_file(await _file(request, query), skip_bad=query.skip_bad)
        return Response(json.dumps(dump(imported), ensure_ascii=False), media_type="application/json")

    @router.post(
        "/v1/jobs/import",
        operation_id="admin.jobs.import",
        summary="Start a job that imports a file of chats",
        description="As `messages.import_file`, without waiting for the end.\n\nNeeds the right `write`.",
        tags=["admin"],
        status_code=202,
        response_class=Response,
        responses={202: {"description": "The job, which continues.", "model": form(Job)}},
        openapi_extra={
            **_CHAT,
            **extra(Right.WRITE, {"body": '{"role": "user", "content": "I moved to Porto"}\n'}, 409),
        },
    )
    async def start_import(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[ChatQuery, Query()],
        idempotency_key: Annotated[str | None, Header(description="the same key again starts no second job")] = None,
    ) -> Response:
        memory = entered(request, "admin.jobs.import", Right.WRITE)
        file = await _file(request, query)

        async def work() -> Response:
            job = await memory.admin.jobs.start("import", file=file, skip_bad=query.skip_bad)
            return Response(json.dumps(dump(job)), 202, media_type="application/json")

        if not idempotency_key:
            return await work()
        # Only a fingerprint of it is stored.
        identity = f"admin.jobs.import {query.model_dump_json()} {(await request.body()).decode('latin-1')}"
        return await answer_once(memory, idempotency_key, identity, work, seconds=_STARTED_WITHIN_SECONDS, secret=False)

    @router.get(
        "/v1/export",
        operation_id="governance.archives.export",
        summary="Export every memory that the caller may see, as text",
        description="Newest first; as JSON lines by default. 501 if the service stores memories only in its"
        " process.\n\nNeeds the right `read`. With `all_scopes`, `operate` too.",
        tags=["governance"],
        response_class=Response,
        responses={200: {"description": "The text in the requested form.", "content": _TEXTS}},
        openapi_extra=extra(Right.READ, {}, 501),
    )
    async def export(request: Request, query: Annotated[ExportQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "governance.archives.export", Right.READ)
        _need_durable(memory)
        pieces = memory.governance.archives.export(
            form=query.form,
            kinds=query.kinds,
            since=query.since,
            until=query.until,
            all_scopes=query.all_scopes,
        )
        return await _streamed(pieces, _FORMS.get(query.form, _LINES))

    @router.get(
        "/v1/users/{name}/report",
        operation_id="governance.archives.report",
        summary="Report everything that is stored about one user, for that user to read",
        description="Every memory with its evidence, its earlier versions and its disclosures; in Markdown, or as"
        " JSON lines. 501 if the service stores memories only in its process.\n\nNeeds the right `govern`.",
        tags=["governance"],
        response_class=Response,
        responses={
            200: {"description": "The report.", "content": _REPORTS},
        },
        openapi_extra=extra(Right.GOVERN, {"path": {"name": "ada"}}, 501),
    )
    async def report(request: Request, name: str, query: Annotated[ReportQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "governance.archives.report", Right.GOVERN)
        _need_durable(memory)
        pieces = memory.governance.archives.report(name, person=query.person, form=query.form)
        return await _streamed(pieces, _FORMS.get(query.form, _LINES))

    @router.post(
        "/v1/archives",
        operation_id="governance.archives.create",
        summary="Create an archive of the scope and of the scopes under it, encrypted with a passphrase",
        description="The body of the answer is the file. 501 if the service stores memories only in its process."
        "\n\nNeeds the right `operate`.",
        tags=["governance"],
        response_class=Response,
        responses={
            200: {"description": "The archive.", "content": {_BYTES: {"schema": _BINARY}}},
        },
        openapi_extra=extra(Right.OPERATE, {"body": {"passphrase": "correct horse battery"}}, 501),
    )
    async def create(request: Request, query: Annotated[Narrowing, Query()], body: Passphrase) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        memory = entered(request, "governance.archives.create", Right.OPERATE)
        _need_durable(memory)
        return await _streamed(memory.governance.archives.stream(passphrase=body.passphrase), _BYTES)

    @router.post(
        "/v1/archives/check",
        operation_id="governance.archives.check",
        summary="Read an archive to its end and describe its content",
        description="The body is the file, the header `X-Passphrase` its passphrase in UTF-8; nothing is imported."
        "\n\nNeeds the right `operate`.",
        tags=["governance"],
        response_class=Response,
        responses={
            200: {"description": "The content of the archive.", "model": form(hints_of(Archives.check)["return"])},
        },
        openapi_extra={**_ARCHIVE, **extra(Right.OPERATE, {"archive": True})},
    )
    async def check(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], x_passphrase: Annotated[str, Header()] = ""
    ) -> Response:
        memory = entered(request, "governance.archives.check", Right.OPERATE)
        async with _body_file(request) as file:
            return _answer(await memory.governance.archives.check(file, passphrase=_passphrase(x_passphrase)))

    @router.post(
        "/v1/archives/import",
        operation_id="governance.archives.import_archive",
        summary="Import an archive, all or nothing",
        description="The body is the file, the header `X-Passphrase` its passphrase in UTF-8."
        "\n\nNeeds the right `operate`.",
        tags=["governance"],
        response_class=Response,
        responses={
            200: {"description": "The result.", "model": form(hints_of(Archives.import_archive)["return"])},
        },
        openapi_extra={**_ARCHIVE, **extra(Right.OPERATE, {"archive": True, "query": {"reason": "the laptop's"}})},
    )
    async def import_archive(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[ImportArchiveQuery, Query()], x_passphrase: Annotated[str, Header()] = ""
    ) -> Response:
        memory = entered(request, "governance.archives.import_archive", Right.OPERATE)
        async with _body_file(request) as file:
            return _answer(
                await memory.governance.archives.import_archive(
                    file, passphrase=_passphrase(x_passphrase), reason=query.reason
                )
            )


async def _file(request: Request, query: ChatQuery) -> ChatFile:
    """Return the file in the body of a request.

    Raises:
        InvalidInput: the body is a form, or there is no such time zone.
    """
    if request.headers.get("content-type", "").startswith("multipart/"):
        raise InvalidInput("the body is a form; send the file itself as the body")
    zone = await run_sync(zone_named, query.time_zone) if query.time_zone else None
    place = f"upload {query.name}" if query.name else ""
    file = ChatFile.of(io.BytesIO(await request.body()), name=query.name or "the body", place=place)
    return replace(file, form=query.form, zone=zone)


def _need_durable(memory: Memory) -> None:
    """Check that the memories of the service outlive its process.

    Raises:
        Refusal: they do not.
    """
    if not memory.authenticator.is_durable:
        raise RequestRefused("not-kept", "this service stores its memories only in its process; serve a database")


async def _streamed(pieces: AsyncGenerator[Any, None], media_type: str) -> Response:
    """Return a stream once its first piece is there, so that an error comes before the answer begins."""
    first = await anext(pieces)

    async def all_of() -> AsyncGenerator[Any, None]:
        async with aclosing(pieces):
            yield first
            async for piece in pieces:
                yield piece

    return StreamingResponse(all_of(), media_type=media_type)


@asynccontextmanager
async def _body_file(request: Request) -> AsyncGenerator[Path, None]:
    """Store the body of a request in a private file for the time of a block; it may be larger than memory."""
    async with TemporaryDirectory(prefix="archive-") as folder:
        path = Path(folder) / "archive"
        async with await open_file(path, "wb") as stream:
            async for piece in request.stream():
                await stream.write(piece)
        yield path


def _passphrase(passphrase: str) -> str:
    """Return the passphrase of a header, which contains bytes.

    Raises:
        InvalidInput: it is missing, or not UTF-8.
    """
    if not passphrase:
        raise InvalidInput("send the passphrase of the archive in the header X-Passphrase")
    try:
        return passphrase.encode("latin-1").decode()
    except UnicodeError as error:
        raise InvalidInput("the header X-Passphrase is not UTF-8") from error


def _answer(found: Any) -> Response:
    return Response(json.dumps(dump(found), ensure_ascii=False), media_type="application/json")
