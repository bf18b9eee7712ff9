"""The door to what leaves a store and comes into another: exports for people, reports for a user, sealed archives."""

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
from remembrancer.resources.resource import Resource
from remembrancer.search.embedding import no_progress
from remembrancer.search.timeline import list_records
from remembrancer.storage.tx import Tx
from remembrancer.transactions.names import checked_reason
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import ARCHIVED
from remembrancer.types.access import Right
from remembrancer.types.archive import ArchiveSummary, ExportFormat, ImportResult
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
        """Stream the memories that the caller sees, the newest first, as a text to read or import elsewhere.

        It contains active and paused memories with their ratings, boosts and pins; no form contains others.

        Args:
            form: `jsonl`, a memory a line; `jsonld`, with PROV-O for what rests on what; `csv`; or `markdown`.
            kinds: of which memories; of all, where none is named.
            since, until: bounds of when it was said or done, inclusive.
            all_scopes: those of this scope and of the scopes under it: from the tenant's own scope, the whole tenant.

        Raises:
            InvalidInput: there is no such form or kind, or a time has no zone.
            NotAllowed: `all_scopes`, and the caller is no operator of the whole tenant.
        """
        engine = self._engine
        unit = self._unit.of(self._caller.across_scopes()) if all_scopes else self._unit
        meant = Filter(kinds=kinds, since=since, until=until, statuses=EXPORTED)
        made = formatter(
            member(ExportFormat, form, "form"), scope=self._caller.scope, at=engine.rules.clock.now(), zone=engine.zone
        )
        page, judged = await _page(unit, meant, None)
        yield made.begin()
        while True:
            self._audit_read("governance.archives.export", [record.id for record in page.records])
            told = ((one, judged.get(one.id, Judgement()).values) for one in page.records)
            yield "".join(made.add(record, {**engine.dump(record), **set_for_it}) for record, set_for_it in told)
            if page.cursor is None:
                break
            page, judged = await _page(unit, meant, page.cursor)
        yield made.end()

    async def report(
        self, user: str, *, person: str | None = None, form: str = "markdown"
    ) -> AsyncGenerator[str, None]:
        """Stream a report of every memory about one user, with evidence, earlier wordings, and disclosures.

        Args:
            person: a name by which the memories of everybody else in this scope are looked through, too.
            form: `markdown`, for the user to read, or `jsonl`, for programs.

        Raises:
            NotFound: nothing is held under that user here, and no name is given to look for.
            InvalidInput: there is no such form, or a name is blank.
            NotAllowed: the caller may not erase, or something is closed to it.
        """
        self._need_all(Right.GOVERN)
        check_name(user, what="user")
        if person is not None and not person.strip():
            raise InvalidInput("person is blank; give a name, or leave it out")
        if (chosen := member(ExportFormat, form, "form")) not in (ExportFormat.MARKDOWN, ExportFormat.JSONL):
            raise InvalidInput(f"a report is in markdown or jsonl, not in {form}")
        engine = self._engine
        within = narrowest_first(await self._unit.scopes())
        scopes = [scope for scope in within if scope.user == user]
        if not scopes and person is None:
            raise NotFound(Subject.USER.value, user, near=await run_sync(similar_names, Subject.USER, user, within))
        await engine.worker.access_log.flush()
        made = (
            user_report.MarkdownReport(self._engine.zone)
            if chosen is ExportFormat.MARKDOWN
            else user_report.JsonLinesReport()
        )
        units = {scope: self._unit.of(replace(self._caller, scope=scope)) for scope in within}
        homes = [units[scope] for scope in scopes] or [self._unit]
        yield made.begin(
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
            yield made.scope_heading(scope, of_others=False)
            async for page in user_report.memory_pages(units[scope]):
                ids.update(held.record.id for held in page)
                yield self._told(made, page)
        others = [scope for scope in within if scope.user != user] if person is not None else []
        named = False
        for scope in others:
            begun = False
            async for page in user_report.mention_pages(units[scope], person or ""):
                ids.update(held.record.id for held in page)
                yield "" if begun else made.scope_heading(scope, of_others=True)
                begun = named = True
                yield self._told(made, page)
        yield "" if named or person is None else made.no_mentions(person)
        for scope in scopes:
            heading = made.activity_heading(scope)
            async for rows in user_report.session_pages(units[scope]):
                yield heading + made.sessions(rows)
                heading = ""
            async for rows in user_report.injection_pages(units[scope]):
                yield heading + made.injections(rows)
                heading = ""
        told = [row for scope in scopes for row in await user_report.audit_entries(units[scope])]
        told += await user_report.disclosures_of(self._unit, ids)
        each = {row.sequence: row for row in told}
        yield made.audit_log([each[sequence] for sequence in sorted(each, reverse=True)])

    def _told(
        self,
        made: "user_report.MarkdownReport | user_report.JsonLinesReport",
        page: Sequence[user_report.ReportedMemory],
    ) -> str:
        self._audit_read("governance.archives.report", [held.record.id for held in page])
        return "".join(made.memory(held, self._engine.dump(held.record)) for held in page)

    async def stream(
        self, *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Stream an archive of this scope and of those under it, encrypted with a passphrase.

        Args:
            passphrase: 8 characters at least; without it nobody opens the archive, and it is kept nowhere.
            progress: is called with the number of memories each time some were read.

        Raises:
            InvalidInput: the passphrase is too short.
            NotFound: nothing was ever written here.
            NotAllowed: the caller is no operator, or something is closed to it.
        """
        self._need_all(Right.OPERATE)
        check_passphrase(passphrase)
        scopes = await archive_scopes(self._unit)
        await self._engine.worker.access_log.flush()
        async with self._unit.write() as writer:
            await writer.audit(ARCHIVED, "archive", "")
        async for piece in export_archive(
            self._engine.store, self._unit, scopes, passphrase, progress=progress or no_progress
        ):
            yield piece

    async def create(
        self, path: str | PathLike[str], *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> ArchiveSummary:
        """Write an archive of this scope and of those under it to a new file, encrypted with a passphrase.

        An interrupted call leaves no file.

        Args:
            path: of a file that is not there yet.
            passphrase: 8 characters at least; it is kept nowhere.
            progress: is called with the number of memories each time some were read.

        Raises:
            InvalidInput: the passphrase is too short.
            Conflict: the file is there already.
            NotFound: nothing was ever written here.
            NotAllowed: the caller is no operator, or something is closed to it.
            StoreUnavailable: the file cannot be written.
        """
        file = path_of(path)
        beside = await run_sync(_beside, file)
        try:
            async for piece in self.stream(passphrase=passphrase, progress=progress):
                await run_sync(_written, beside, piece, file)
            await run_sync(_settled, beside, file)
        finally:
            with CancelScope(shield=True):
                await run_sync(_put_away, beside)
        return await self.check(file, passphrase=passphrase)

    async def check(self, path: str | PathLike[str], *, passphrase: str) -> ArchiveSummary:
        """Read a whole archive, verify it, and return its content in numbers; nothing is imported.

        Raises:
            InvalidInput: there is no such file, it does not open, or is not what it must be.
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
        """Import an archive, all or nothing: missing memories are added, and of others the later wording is kept.

        Memories that were erased or rejected here are not imported. Vectors are made again.

        Args:
            reason: why, for the audit log.
            progress: is called with the number of lines each time some were taken.

        Raises:
            InvalidInput: the file does not open, is not what it must be, or holds scopes outside of this one.
            NotAllowed: the caller is no operator, or something is closed to it.
        """
        self._need_all(Right.OPERATE)
        said = checked_reason(reason, self._engine.rules.secrets)
        taken = await import_archive(
            self._unit, path_of(path), passphrase, reason=said, progress=progress or no_progress
        )
        # That it was tried is said where nothing came, too; but no name that the store lacks comes by saying it.
        unit = self._unit if await self._unit.scopes() else self._at(Scope(tenant=self._caller.scope.tenant))
        async with unit.write() as writer:
            writer.set_reason(said)
            await writer.audit("taken", "archive", "")
        return taken

    def _need_all(self, right: Right) -> None:
        """Let the caller pass where nothing is closed to it: what leaves so holds everything."""
        self._caller.need(right)
        if not self._caller.sees_all or not self._caller.sees_personal_data:
            raise NotAllowed(
                "this holds everything as it is; it takes a caller to whom no class and no personal data is closed"
            )


async def _page(unit: UnitOfWork, meant: Filter, cursor: str | None) -> tuple[Page, Mapping[str, Judgement]]:
    """Return some memories, and the ratings of people, by id."""

    async def work(tx: Tx) -> tuple[Page, Mapping[str, Judgement]]:
        page = await list_records(tx, meant, limit=_PAGE, cursor=cursor, as_of=None)
        return page, await tx.scores.ratings([record.id for record in page.records])

    return await unit.read(work)


async def _holds(units: Sequence[UnitOfWork]) -> list[LegalHold]:
    """Return the legal holds on any of some scopes, each once."""
    found: list[LegalHold] = []
    for unit in units:
        found += [one for one in await unit.read(lambda tx: tx.policies.visible(LegalHold)) if one not in found]
    return found


@contextmanager
def _writing(path: Path) -> Generator[None]:
    """Translate the errors of a block that writes a file.

    Raises:
        StoreUnavailable: it cannot be.
    """
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be written: {error.strerror}") from error


def _beside(path: Path) -> IO[bytes]:
    """Create a temporary file next to another, readable by its owner alone.

    Raises:
        Conflict: the other one is there already.
        StoreUnavailable: there is no such folder, or it cannot be written.
    """
    if path.exists():
        raise Conflict(f"{path} is there already; name another file")
    with _writing(path):
        return NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)


def _written(beside: IO[bytes], piece: bytes, path: Path) -> None:
    """Write a piece."""
    with _writing(path):
        beside.write(piece)


def _settled(beside: IO[bytes], path: Path) -> None:
    """Rename a complete temporary file."""
    with _writing(path):
        beside.flush()
        os.fsync(beside.fileno())
        Path(beside.name).rename(path)


def _put_away(beside: IO[bytes]) -> None:
    """Close a temporary file, and remove it where it was not renamed."""
    beside.close()
    Path(beside.name).unlink(missing_ok=True)
