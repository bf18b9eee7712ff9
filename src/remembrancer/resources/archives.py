"""Exports, reports on users, and encrypted archives."""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from anyio import CancelScope
from anyio.to_thread import run_sync

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound, StoreUnavailable
from remembrancer.privacy.archive import user_report
from remembrancer.privacy.archive.container import check_passphrase
from remembrancer.privacy.archive.formats import formatter
from remembrancer.privacy.archives import archive_scopes, check_archive, export_archive, import_archive, narrowest_first
from remembrancer.privacy.subjects import similar_names
from remembrancer.resources.engine import Engine
from remembrancer.resources.resource import Resource
from remembrancer.search.embedding import no_progress
from remembrancer.search.timeline import list_records
from remembrancer.storage.tx import Tx
from remembrancer.transactions.names import checked_reason
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import ARCHIVED
from remembrancer.types.access import Caller, Right
from remembrancer.types.archive import ArchivePart, ArchiveSummary, ExportFormat, ImportResult
from remembrancer.types.arguments import member, path_of
from remembrancer.types.erasure import Subject
from remembrancer.types.feedback import Judgement
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import EXPORTED
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.results import Page
from remembrancer.types.scope import Scope, check_name

_PAGE = 1_000


class Archives(Resource, path="governance.archives"):
    """Archives and exports of one scope. Reached as `memory.governance.archives`."""

    async def export(
        self,
        *,
        form: str = "jsonl",
        kinds: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        all_scopes: bool = False,
    ) -> AsyncGenerator[str, None]:
        """Stream the memories that the caller sees as text, newest first, to read or to import in another store.

        It contains active and paused memories with their ratings, boosts and pins.

        Args:
            form: `jsonl` (a memory per line), `jsonld` (with PROV-O for evidence), `csv` or `markdown`.
            kinds: only these kinds; by default all.
            since, until: bounds of `occurred_at`, inclusive.
            all_scopes: include the memories of all scopes under this one.

        Raises:
            InvalidInput: the format or a kind is unknown, or a time has no time zone.
            NotAllowed: `all_scopes` is set, and the caller does not operate the whole tenant.
        """
        engine = self._engine
        unit = self._unit.of(self._caller.across_scopes()) if all_scopes else self._unit
        filter = Filter(kinds=kinds, since=since, until=until, statuses=EXPORTED)
        output = formatter(
            member(ExportFormat, form, "form"), scope=self._caller.scope, at=engine.rules.clock.now(), zone=engine.zone
        )
        page, judgements = await _page(unit, filter, None)
        yield output.begin()
        while True:
            self._audit_read("governance.archives.export", [record.id for record in page.records])
            rows = ((one, judgements.get(one.id, Judgement()).values) for one in page.records)
            yield "".join(output.add(record, {**engine.dump(record), **values}) for record, values in rows)
            if page.cursor is None:
                break
            page, judgements = await _page(unit, filter, page.cursor)
        yield output.end()

    async def report(
        self, user: str, *, person: str | None = None, form: str = "markdown"
    ) -> AsyncGenerator[str, None]:
        """Stream a report of all memories of a user, with evidence, earlier versions and disclosures.

        Args:
            person: also report memories of others in this scope that mention this name.
            form: `markdown` for the user, or `jsonl` for programs.

        Raises:
            NotFound: the user does not exist here, and `person` is not set.
            InvalidInput: the format is unknown, or a name is blank.
            NotAllowed: the caller may not erase, or lacks the highest clearance or the right `reveal`.
        """
        self._need_all(Right.GOVERN)
        check_name(user, what="user")
        if person is not None and not person.strip():
            raise InvalidInput("person is blank; use a name, or omit it")
        if (chosen := member(ExportFormat, form, "form")) not in (ExportFormat.MARKDOWN, ExportFormat.JSONL):
            raise InvalidInput(f"a report is in markdown or jsonl, not in {form!r}")
        engine = self._engine
        within = narrowest_first(await self._unit.scopes())
        scopes = [scope for scope in within if scope.user == user]
        if not scopes and person is None:
            raise NotFound(Subject.USER.value, user, near=await run_sync(similar_names, Subject.USER, user, within))
        await engine.worker.access_log.flush(self._caller.scope.tenant)
        output = (
            user_report.MarkdownReport(self._engine.zone)
            if chosen is ExportFormat.MARKDOWN
            else user_report.JsonLinesReport()
        )
        units = {scope: self._unit.of(replace(self._caller, scope=scope)) for scope in within}
        homes = [units[scope] for scope in scopes] or [self._unit]
        yield output.begin(
            user_report.ReportHeader(
                user=user,
                person=person or "",
                at=engine.rules.clock.now(),
                scopes=scopes,
                policies={
                    home.scope: await home.read(lambda tx: tx.policies.visible(RetentionPolicy)) for home in homes
                },
                holds=await _holds(homes),
            )
        )
        ids = set[str]()
        for scope in scopes:
            yield output.scope_heading(scope, of_others=False)
            async for page in user_report.memory_pages(units[scope]):
                ids.update(memory.record.id for memory in page)
                yield self._memories(output, page)
        others = [scope for scope in within if scope.user != user] if person is not None else []
        has_mentions = False
        for scope in others:
            has_heading = False
            async for page in user_report.mention_pages(units[scope], person or ""):
                ids.update(memory.record.id for memory in page)
                yield "" if has_heading else output.scope_heading(scope, of_others=True)
                has_heading = has_mentions = True
                yield self._memories(output, page)
        yield "" if has_mentions or person is None else output.no_mentions(person)
        for scope in scopes:
            heading = output.activity_heading(scope)
            async for rows in user_report.session_pages(units[scope]):
                yield heading + output.sessions(rows)
                heading = ""
            async for rows in user_report.injection_pages(units[scope]):
                yield heading + output.injections(rows)
                heading = ""
        entries = [row for scope in scopes for row in await user_report.audit_entries(units[scope])]
        entries += await user_report.disclosures_of(self._unit, ids)
        by_sequence = {row.sequence: row for row in entries}
        yield output.audit_log([by_sequence[sequence] for sequence in sorted(by_sequence, reverse=True)])

    def _memories(
        self,
        output: "user_report.MarkdownReport | user_report.JsonLinesReport",
        page: Sequence[user_report.ReportedMemory],
    ) -> str:
        self._audit_read("governance.archives.report", [memory.record.id for memory in page])
        return "".join(output.memory(memory, self._engine.dump(memory.record)) for memory in page)

    async def stream(
        self, *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Stream an archive of this scope and of scopes under it, encrypted with a passphrase.

        Args:
            passphrase: at least 8 characters; it is not stored, and the archive cannot be opened without it.
            progress: is called with the number of memories after each batch.

        Raises:
            InvalidInput: the passphrase is too short.
            NotFound: the scope is empty.
            NotAllowed: the caller is no operator, or lacks the highest clearance or the right `reveal`.
        """
        self._need_all(Right.OPERATE)
        async for piece in archive_pieces(self._engine, self._unit, passphrase, progress=progress or no_progress):
            yield piece

    async def create(
        self, path: str | PathLike[str], *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> ArchiveSummary:
        """Write an archive of this scope and of scopes under it to a new file, encrypted with a passphrase.

        An interrupted call leaves no file.

        Args:
            path: a path that does not exist.
            passphrase: at least 8 characters; it is not stored, and the archive cannot be opened without it.
            progress: is called with the number of memories after each batch.

        Raises:
            InvalidInput: the passphrase is too short.
            Conflict: the file exists.
            NotFound: the scope is empty.
            NotAllowed: the caller is no operator, or lacks the highest clearance or the right `reveal`.
            StoreUnavailable: the file cannot be written.
        """
        file = path_of(path)
        await run_sync(_check_new, file)
        pieces = self.stream(passphrase=passphrase, progress=progress)
        await write_file(file, pieces)
        return await self.check(file, passphrase=passphrase)

    async def check(self, path: str | PathLike[str], *, passphrase: str) -> ArchiveSummary:
        """Read and verify a whole archive, and return its content in numbers. Nothing is imported.

        Raises:
            InvalidInput: the file does not exist, the passphrase is wrong, or the file is not a valid archive.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        return await check_archive(self._unit, path_of(path), passphrase)

    async def import_archive(
        self,
        path: str | PathLike[str],
        *,
        passphrase: str,
        reason: str,
        progress: Callable[[int], None] | None = None,
    ) -> ImportResult:
        """Import an archive in one transaction. Of memories that exist, the later version becomes current.

        Memories that were erased or rejected here are not imported. Vectors are made again.

        Args:
            reason: for the audit log.
            progress: is called with the number of lines after each batch.

        Raises:
            InvalidInput: the passphrase is wrong, or the file is not a valid archive or contains other scopes.
            NotAllowed: the caller is no operator, or lacks the highest clearance or the right `reveal`.
        """
        self._need_all(Right.OPERATE)
        why = checked_reason(reason, self._engine.rules.secrets)
        result = await import_archive(
            self._unit, path_of(path), passphrase, reason=why, progress=progress or no_progress
        )
        # An import without new memories is logged, too, but must not create the scope.
        unit = self._unit if await self._unit.scopes() else self._at(Scope(tenant=self._caller.scope.tenant))
        async with unit.write() as writer:
            writer.set_reason(why)
            await writer.audit("taken", "archive", "")
        return result

    def _need_all(self, right: Right) -> None:
        """Check that a caller has a right, the highest clearance, and access to personal data."""
        need_all(self._caller, right)


async def _page(unit: UnitOfWork, filter: Filter, cursor: str | None) -> tuple[Page, Mapping[str, Judgement]]:
    """Return a page of memories, and their ratings, boosts and pins by id."""

    async def work(tx: Tx) -> tuple[Page, Mapping[str, Judgement]]:
        page = await list_records(tx, filter, limit=_PAGE, cursor=cursor, as_of=None)
        return page, await tx.scores.ratings([record.id for record in page.records])

    return await unit.read(work)


async def _holds(units: Sequence[UnitOfWork]) -> list[LegalHold]:
    """Return the legal holds on any of some scopes, each once."""
    holds: list[LegalHold] = []
    for unit in units:
        holds += [one for one in await unit.read(lambda tx: tx.policies.visible(LegalHold)) if one not in holds]
    return holds


@contextmanager
def _write_errors(path: Path) -> Generator[None]:
    """Translate the errors of a block that writes a file.

    Raises:
        StoreUnavailable: the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be written: {error.strerror}") from error


def need_all(caller: Caller, right: Right) -> None:
    """Check that a caller has a right, the highest clearance, and access to personal data.

    Raises:
        NotAllowed: the caller has not.
    """
    caller.need(right)
    if not caller.sees_all or not caller.sees_personal_data:
        raise NotAllowed(
            "this contains all memories unmasked; it needs the clearance 'restricted' and the right 'reveal'"
        )


async def archive_pieces(
    engine: Engine,
    unit: UnitOfWork,
    passphrase: str,
    *,
    part: ArchivePart = ArchivePart.ALL,
    progress: Callable[[int], None],
    fingerprint: Callable[[str], None] | None = None,
) -> AsyncGenerator[bytes, None]:
    """Yield an archive of the scope of a caller, or of a part of the scopes under it.

    Args:
        fingerprint: is called at the end with a fingerprint of the content.

    Raises:
        InvalidInput: the passphrase is too short.
        NotFound: the part is empty.
    """
    check_passphrase(passphrase)
    scopes = await archive_scopes(unit, part)
    await engine.worker.access_log.flush(unit.scope.tenant)
    async with unit.write() as writer:
        await writer.audit(ARCHIVED, "archive", "")
    async for piece in export_archive(
        engine.store, unit, scopes, passphrase, progress=progress, fingerprint=fingerprint
    ):
        yield piece


async def write_file(path: Path, pieces: AsyncGenerator[bytes, None]) -> None:
    """Write a file as a whole: an interrupted call leaves none, or the one that was there.

    Raises:
        StoreUnavailable: the file cannot be written.
    """
    temporary = await run_sync(_create_temporary, path)
    try:
        async for piece in pieces:
            await run_sync(_write, temporary, piece, path)
        await run_sync(_rename, temporary, path)
    finally:
        with CancelScope(shield=True):
            await run_sync(_close, temporary)


def _check_new(path: Path) -> None:
    if path.exists():
        raise Conflict(f"{path} exists; use another path")


def _create_temporary(path: Path) -> IO[bytes]:
    """Create a temporary file in the folder of another one, readable by its owner alone.

    Raises:
        StoreUnavailable: the folder does not exist, or cannot be written.
    """
    with _write_errors(path):
        return NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)


def _write(temporary: IO[bytes], piece: bytes, path: Path) -> None:
    with _write_errors(path):
        temporary.write(piece)


def _rename(temporary: IO[bytes], path: Path) -> None:
    """Rename a complete temporary file."""
    with _write_errors(path):
        temporary.flush()
        os.fsync(temporary.fileno())
        Path(temporary.name).replace(path)


def _close(temporary: IO[bytes]) -> None:
    """Close a temporary file, and remove it if it was not renamed."""
    temporary.close()
    Path(temporary.name).unlink(missing_ok=True)
