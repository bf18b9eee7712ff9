"""Governance: retention, legal holds, erasure, the audit log, archives, exports, access keys and tenants."""

import io
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyio import TemporaryDirectory, open_file
from starlette.datastructures import UploadFile
from starlette.responses import JSONResponse, Response, StreamingResponse

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.resources.json_values import dump
from remembrancer.service.console.request import ConsoleRequest, counted, number
from remembrancer.service.rest.problem_responses import RequestRefused
from remembrancer.types.access import AccessKey, CreatedKey, Right
from remembrancer.types.audit import AuditFilter
from remembrancer.types.erasure import Receipt, Subject
from remembrancer.types.new import NewKey
from remembrancer.types.policy import Redaction
from remembrancer.types.record import Kind
from remembrancer.types.scope import Classification

_MOST = 100
_BLOCK = 2**20
_ENDINGS = {"jsonl": "jsonl", "jsonld": "jsonld", "csv": "csv", "markdown": "md"}
RIGHT_MEANINGS = {
    Right.READ: "read the memories of the scope",
    Right.WRITE: "record and change them",
    Right.LEARN: "judge them, and change rules and scores",
    Right.GOVERN: "erase, and read costs",
    Right.OPERATE: "administer the store and its keys",
    Right.REVEAL: "see personal data that is masked otherwise",
}
_SUBJECTS = (Subject.USER, Subject.AGENT, Subject.PROJECT, Subject.TENANT, Subject.SESSION)


async def overview(page: ConsoleRequest) -> Response:
    """Return the overview: usage, the most read memories, budgets, personal data and tenants."""
    memory, counted = page.memory, page.query("count") == "1"
    is_operator = page.may("governance.overview")
    return page.page(
        "governance.html",
        timed=False,
        counts=await memory.governance.overview() if counted and is_operator else None,
        redactions=await memory.governance.redactions.list() if page.may("governance.redactions.list") else (),
        # Transfers and tenants concern no narrower scope.
        transfers=await memory.governance.transfers.list() if page.everything else (),
        tenants=await memory.admin.tenants() if page.caller.operates_store and page.may("admin.tenants") else (),
        is_operator=is_operator,
    )


async def retention(page: ConsoleRequest) -> Response:
    """Return retention policies, what is due, what is deleted, and what the next run would do."""
    own, operates = page.memory.governance.retention, page.may("governance.retention.find_expired")
    return page.page(
        "retention.html",
        timed=False,
        policies=await own.list(),
        expired=await own.find_expired(limit=_MOST) if operates else (),
        # A signal notes a verdict that was undone: no person deleted it.
        deleted=[one for one in await own.list_soft_deleted(limit=_MOST) if one.kind is not Kind.SIGNAL]
        if operates
        else [],
        preview=await own.run(dry_run=True) if page.query("preview") and page.may("governance.retention.run") else None,
        redactions=await page.memory.governance.redactions.list() if operates else (),
        kinds=Kind,
        classifications=Classification,
        choices=Redaction,
        most=_MOST,
    )


async def change_retention(page: ConsoleRequest) -> Response:
    """Set or remove a policy, or delete and restore memories.

    Raises:
        InvalidInput: the form names no known action, or a value is not valid.
    """
    governance, action = page.memory.governance, page.field("action")
    own, back = governance.retention, page.url("/governance/retention")
    match action:
        case "set":
            days = number(page.field("keep_days"), "keep_days", low=1, high=36_500, whole=True)
            kinds, classes = page.fields("kinds"), page.fields("classifications")
            await own.set(page.field("name"), keep_days=int(days), kinds=kinds, classifications=classes)
            return page.redirect(f"{back}#policies", "The policy is set. The next night deletes what is due.")
        case "unset":
            await own.unset(page.field("name"))
            return page.redirect(f"{back}#policies", "The policy is removed.")
        case "restore":
            picked = _picked(page)
            refused: list[str] = []
            for id, at in picked:
                try:
                    await page.memory_at(at).restore(id)
                except (Conflict, NotAllowed, NotFound) as error:
                    refused.append(str(error))
            done = f"Restored: {counted(len(picked) - len(refused), 'memory', 'memories')}."
            return page.redirect(back, f"{done} {len(refused)} were refused: {refused[0]}." if refused else done)
        case "purge":
            count = 0
            for at, ids in _by_scope(_picked(page)).items():
                of_scope = page.memory_at(at).governance.retention
                count += await of_scope.hard_delete(ids, reason=page.field("reason"))
            return page.redirect(back, f"{counted(count, 'memory is', 'memories are')} removed permanently.")
        case "redact":
            await governance.redactions.set(page.field("data_type"), page.field("redaction"))
            return page.redirect(back, "The redaction applies to what is recorded from now on.")
        case "unredact":
            await governance.redactions.unset(page.field("data_type"))
            return page.redirect(back, "The redaction of this scope is removed.")
        case _:
            raise InvalidInput(f"no action {action!r}; load the page again")


def _picked(page: ConsoleRequest) -> list[tuple[str, str]]:
    """Return the ids and scopes of the selected memories.

    Raises:
        InvalidInput: none is selected.
    """
    picked = [(id, at) for id, _, at in (value.partition(" ") for value in page.fields("id"))]
    if not picked:
        raise InvalidInput("select at least one memory first")
    return picked


def _by_scope(picked: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the selected ids by their scope."""
    found: dict[str, list[str]] = {}
    for id, at in picked:
        found.setdefault(at, []).append(id)
    return found


async def holds(page: ConsoleRequest) -> Response:
    """Return the legal holds."""
    return page.page("holds.html", timed=False, holds=await page.memory.governance.holds.list())


async def change_hold(page: ConsoleRequest) -> Response:
    """Place or release a legal hold."""
    own, name, reason = page.memory.governance.holds, page.field("name"), page.field("reason")
    if page.field("action") == "release":
        await own.release(name, reason=reason)
        return page.redirect(page.url("/governance/holds"), "The hold is released.")
    session, person = page.field("session") or None, page.field("person") or None
    await own.place(name, reason=reason, session=session, person=person)
    return page.redirect(page.url("/governance/holds"), "The hold is placed: nothing under it is deleted.")


# Erasure


async def erasure(page: ConsoleRequest) -> Response:
    """Return the steps of an erasure: mentions of a person, the plan, and the receipts."""
    if page.query("receipt"):
        return await _receipt(page, page.query("receipt"))
    picked = [value.partition(" ") for value in page.queries("memories")]
    if len({at for _, _, at in picked if at}) > 1:
        raise InvalidInput("the selected memories are of several scopes; erase those of one scope at a time")
    at = next((at for _, _, at in picked if at), page.query("at"))
    own = page.memory_at(at if picked else "").governance.erasure
    subject = _subject([id for id, _, _ in picked], page.query("subject"), page.query("name"))
    if page.query("selected") and not subject:
        raise InvalidInput("select at least one memory first")
    person = page.query("person")
    return page.page(
        "erasure.html",
        timed=False,
        subjects=_SUBJECTS,
        subject=subject,
        at=at,
        plan=await own.plan(**subject) if subject else None,
        chosen=[await page.memory_at(at).get(id) for id, _, _ in picked],
        person=person,
        mentions=await own.find_mentions(person, limit=_MOST) if person else (),
        receipts=await own.receipts(limit=_MOST),
        shown=None,
    )


def _subject(memories: Sequence[str], kind: str, name: str) -> dict[str, Any]:
    """Return the subject of an erasure as arguments; empty for none.

    Raises:
        InvalidInput: there is no such kind of subject.
    """
    if memories:
        return {"memories": list(memories)}
    if name and kind not in _SUBJECTS:
        raise InvalidInput(f"no subject {kind!r}; choose one of {', '.join(_SUBJECTS)}")
    return {kind: name} if name else {}


async def erase(page: ConsoleRequest) -> Response:
    """Erase a subject, and show the receipt.

    Raises:
        InvalidInput: the form names no subject, or its name was not typed again.
    """
    subject = _subject(page.fields("memories"), page.field("subject"), page.field("name"))
    if not subject:
        raise InvalidInput("name the subject of the erasure first")
    name = next(iter(subject.values()))
    expected = name if isinstance(name, str) else "erase"
    if page.field("typed").strip() != expected:
        raise InvalidInput(f"type {expected!r} exactly to confirm the erasure; nothing was erased")
    own = page.memory_at(page.field("at")).governance.erasure
    receipt = await own.erase(**subject, reason=page.field("reason"))
    return page.redirect(page.url("/governance/erasure", receipt=receipt.id), "Erased. This is the signed receipt.")


async def _receipt(page: ConsoleRequest, id: str) -> Response:
    found: Sequence[Receipt] = await page.memory.governance.erasure.receipts(limit=1_000)
    receipt = next((one for one in found if one.id == id), None)
    if receipt is None:
        raise NotFound("receipt", id)
    if page.query("download"):
        name = f"attachment; filename=receipt-{receipt.id}.json"
        return JSONResponse(dump(receipt), headers={"content-disposition": name})
    return page.page(
        "erasure.html", timed=False, subjects=_SUBJECTS, subject={}, at="", plan=None, chosen=(), person="",
        mentions=(), receipts=found, shown=receipt,
    )  # fmt: skip


# The audit log


async def audit(page: ConsoleRequest, verified: object = None) -> Response:
    """Return entries of the audit log, latest first."""
    names = ("action", "kind", "origin", "actor", "memory")
    values = {name: page.query(name) for name in names}
    filter = AuditFilter(
        **{name: value or None for name, value in values.items() if name != "actor"},
        # As the list writes the actor of an entry without one.
        actor="" if values["actor"] == "unknown" else values["actor"] or None,
        since=page.time("since"),
        until=page.time("until"),
        before=page.whole("before", 0, low=0, high=2**53) or None,
        without_reads=bool(page.query("changes")),
    )
    if page.query("download"):
        checkpoint = await page.memory.governance.audit.checkpoint()
        return JSONResponse(
            dump(checkpoint), headers={"content-disposition": "attachment; filename=audit-checkpoint.json"}
        )
    return page.page(
        "audit.html",
        timed=False,
        rows=await page.memory.governance.audit.list(filter, limit=_MOST),
        values=values,
        verified=verified,
        most=_MOST,
        memory_kinds={kind.value for kind in Kind},
    )


async def verify(page: ConsoleRequest) -> Response:
    """Verify the audit log, and show the result."""
    return await audit(page, await page.memory.governance.audit.verify())


# Archives, exports and imports


async def export(page: ConsoleRequest) -> Response:
    """Return the page of exports, or an export as a file."""
    form = page.query("form")
    if not form:
        return page.page("export.html", timed=False, forms=_ENDINGS, kinds=Kind)
    _need_durable(page)
    pieces = page.memory.governance.archives.export(
        form=form, kinds=page.queries("kinds"), since=page.time("since"), until=page.time("until"),
        all_scopes=page.everything,
    )  # fmt: skip
    return await _file(pieces, f"memories.{_ENDINGS.get(form, 'txt')}")


async def report(page: ConsoleRequest) -> Response:
    """Return everything about one user as a file, for that user."""
    _need_durable(page)
    name, form = page.query("name"), page.query("form") or "markdown"
    if not name:
        raise InvalidInput("name the user of the report")
    pieces = page.memory.governance.archives.report(name, form=form)
    return await _file(pieces, f"report.{_ENDINGS.get(form, 'txt')}")


async def archives(page: ConsoleRequest, **values: Any) -> Response:
    """Return the page of archives and imports."""
    outcome: dict[str, Any] = {"summary": None, "result": None, "imported": None, **values}
    return page.page("archives.html", timed=False, outcome=outcome)


async def archive(page: ConsoleRequest) -> Response:
    """Create, check or import an archive.

    Raises:
        InvalidInput: the form names no known action, or no file was chosen.
    """
    own, action, passphrase = page.memory.governance.archives, page.field("action"), page.field("passphrase")
    if action == "create":
        _need_durable(page)
        day = f"{page.now.astimezone(page.zone):%Y-%m-%d}"
        return await _file(own.stream(passphrase=passphrase), f"remembrancer-{day}.rmb")
    if action not in ("check", "import"):
        raise InvalidInput(f"no action {action!r}; load the page again")
    async with TemporaryDirectory(prefix="archive-") as folder:
        path = Path(folder) / "archive"
        await _store(page.file("file"), path)
        if action == "check":
            return await archives(page, summary=await own.check(path, passphrase=passphrase))
        result = await own.import_archive(path, passphrase=passphrase, reason=page.field("reason"))
        return await archives(page, result=result)


async def import_file(page: ConsoleRequest) -> Response:
    """Import a file of chats or memories into the scope."""
    file = page.file("file")
    chats = ChatFile.of(
        io.BytesIO(await file.read()), name=file.filename or "the file", place=f"upload {file.filename}"
    )
    imported = await page.memory.messages.import_file(
        replace(chats, zone=page.zone), skip_bad=page.field("skip_bad") == "1"
    )
    return await archives(page, imported=imported)


async def _store(file: UploadFile, path: Path) -> None:
    async with await open_file(path, "wb") as stream:
        while piece := await file.read(_BLOCK):
            await stream.write(piece)


async def _file(pieces: AsyncGenerator[Any, None], name: str) -> Response:
    """Return a file to download once its first piece is there, so that an error is a page."""
    first = await anext(pieces, "")

    async def all_of() -> AsyncGenerator[Any, None]:
        async with aclosing(pieces):
            yield first
            async for piece in pieces:
                yield piece

    headers = {"content-disposition": f"attachment; filename={name}"}
    return StreamingResponse(all_of(), media_type="application/octet-stream", headers=headers)


def _need_durable(page: ConsoleRequest) -> None:
    if not page.is_durable:
        raise RequestRefused("not-kept", "this service stores its memories only in its process; serve a database")


# Access keys


async def keys(page: ConsoleRequest, created: CreatedKey | None = None) -> Response:
    """Return the access keys, and the token of a new one, once."""
    found: Sequence[AccessKey] = await page.memory.admin.keys.list()
    return page.page(
        "keys.html",
        timed=False,
        keys=sorted(found, key=lambda one: one.created_at, reverse=True),
        created=created,
        rights=[one for one in Right if one in page.caller.rights],
        meanings=RIGHT_MEANINGS,
        classifications=Classification,
        is_first=not found,
    )


async def change_key(page: ConsoleRequest) -> Response:
    """Create, rotate or revoke an access key.

    Raises:
        InvalidInput: the form names no known action, or a value is not valid.
    """
    own, action = page.memory.admin.keys, page.field("action")
    match action:
        case "create":
            days = page.field("days")
            limit = number(days, "days", low=0, high=36_500) if days else None
            new = NewKey(
                name=page.field("name"),
                project=page.field("project") or None,
                agent=page.field("agent") or None,
                user=page.field("user") or None,
                clearance=page.field("clearance") or None,
                rights=page.fields("rights"),
                days=limit,
            )
            return await keys(page, await own.create(new))
        case "rotate":
            return await keys(page, await own.rotate(page.field("id")))
        case "revoke":
            await own.revoke(page.field("id"))
            return page.redirect(page.url("/governance/keys"), "The key is revoked. Its sessions end within a second.")
        case _:
            raise InvalidInput(f"no action {action!r}; load the page again")
