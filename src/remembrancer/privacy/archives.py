"""Encrypted archives of scopes: export, check and import."""

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from typing import Final, cast

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.learn import deletion
from remembrancer.privacy.archive.container import ArchiveEncryptor, decrypt, new_header
from remembrancer.privacy.archive.formats import scope_title
from remembrancer.privacy.archive.importer import BATCH, ImportTally, ScopeImporter
from remembrancer.privacy.archive.lines import (
    ArchiveCounts,
    ArchiveHeading,
    ArchiveItem,
    end_line,
    heading_line,
    item_line,
    read_lines,
)
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.archive import ArchivedLog, ArchivePart, ArchiveSummary, ConflictReason, ImportResult, SideRows
from remembrancer.types.episode import Tier
from remembrancer.types.policy import ENGINE as TRANSFER
from remembrancer.types.record import Kind
from remembrancer.types.scope import Scope

ProgressCallback = Callable[[int], None]
"""A callback that receives the number of items done since the last call."""

_MAX_SCOPES: Final = 2_000
# As far as kinds allow, evidence comes before what is derived from it.
_ORDER: Final[tuple[tuple[Kind, str], ...]] = (
    (Kind.MESSAGE, ""),
    *((Kind.EPISODE, tier.value) for tier in (Tier.RAW, Tier.WEEKLY, Tier.MONTHLY)),
    (Kind.OBSERVATION, ""),
    (Kind.REFLECTION, ""),
    (Kind.FACT, ""),
    (Kind.PROCEDURE, ""),
    (Kind.SIGNAL, ""),
)
_PAGE: Final = 100


def narrowest_first(scopes: Iterable[Scope]) -> list[Scope]:
    """Return scopes sorted so that each comes before those that it sees, as in `Scope.visible`."""
    return sorted(
        scopes,
        key=lambda one: (
            (one.project is None, one.agent is None, one.user is None),
            (one.project or "", one.agent or "", one.user or ""),
        ),
    )


async def archive_scopes(unit: UnitOfWork, part: ArchivePart = ArchivePart.ALL) -> list[Scope]:
    """Return the scopes for an archive of a caller's scope, or of a part of it, narrowest first.

    Raises:
        NotFound: none of them was ever written to.
        InvalidInput: there are too many for one archive.
    """
    scopes = [one for one in narrowest_first(await unit.scopes()) if _is_in(one, part, unit.scope)]
    if not scopes:
        raise NotFound("memory", scope_title(unit.scope))
    if len(scopes) > _MAX_SCOPES:
        raise InvalidInput(
            f"an archive contains at most {_MAX_SCOPES} scopes, and there are {len(scopes)}; create one for each"
            " project or agent, or copy the store"
        )
    return scopes


def _is_in(scope: Scope, part: ArchivePart, own: Scope) -> bool:
    match part:
        case ArchivePart.SYSTEM:
            return scope == own
        case ArchivePart.SHARED:
            return scope != own and scope.agent is None
        case ArchivePart.ALL:
            return True


async def export_archive(
    store: Store,
    unit: UnitOfWork,
    scopes: Sequence[Scope],
    passphrase: str,
    *,
    progress: ProgressCallback,
    fingerprint: Callable[[str], None] | None = None,
) -> AsyncGenerator[bytes, None]:
    """Yield an archive of all memories of some scopes, as of one moment.

    Args:
        unit: of a caller with access to every classification.
        scopes: as `archive_scopes` returns them.
        fingerprint: is called at the end with a fingerprint of the content, the same for the same content.
    """
    header = new_header()
    encryptor = await run_sync(ArchiveEncryptor, header, passphrase)
    yield header.packed
    counts, print = ArchiveCounts(), ""
    async with store.snapshot(unit.caller.within(scopes[0]), streaming=True) as tx:
        heading = ArchiveHeading(created_at=unit.rules.clock.now(), scopes=scopes)
        for chunk in encryptor.add(heading_line(heading)):
            yield chunk
        for index, scope in enumerate(scopes):
            scope_tx = await tx.at(unit.caller.within(scope))
            async for items in _items(scope_tx):
                for item in items:
                    counts.add(item)
                text = b"".join(item_line(index, item) for item in items)
                if fingerprint is not None:
                    print = unit.rules.sign(f"archived {print} {text.decode()}")
                for chunk in encryptor.add(text):
                    yield chunk
                progress(sum(1 for item in items if not isinstance(item, ArchivedLog | SideRows)))
    for chunk in encryptor.add(end_line(counts)):
        yield chunk
    yield encryptor.end()
    if fingerprint is not None:
        fingerprint(print)


async def _items(tx: Tx) -> AsyncGenerator[list[ArchiveItem], None]:
    """Iterate over the data of one exact scope in pages, memories before the rows that refer to them."""
    archiving = tx.archives
    if logs := await archiving.logs():
        yield [ArchivedLog(log=log) for log in logs]
    for kind, tier in _ORDER:
        after: tuple[str, str] | None = None
        while page := await archiving.bundles(kind, tier, after=after, limit=_PAGE):
            # Copies from other projects are not this scope's to export.
            yield [bundle for bundle in page if bundle.record.get("engine") != TRANSFER]
            last = page[-1].record
            after = last["occurred_at"], last["id"]
    last_session = ""
    while sessions := await archiving.session_bundles(after=last_session, limit=_PAGE):
        yield cast("list[ArchiveItem]", sessions)
        last_session = sessions[-1].session["id"]
    for table, key in (("injections", ("id", "record")), ("weights", ("session", "record"))):
        after = None
        while rows := await archiving.side_rows(table, after=after, limit=_PAGE):
            yield [SideRows(table=table, rows=rows)]
            after = rows[-1][key[0]], rows[-1][key[1]]


async def check_archive(unit: UnitOfWork, file: Path, passphrase: str) -> ArchiveSummary:
    """Read a whole archive and return a description of it.

    Raises:
        InvalidInput: it cannot be decrypted, or its content is invalid.
    """
    return await run_sync(_describe, file, passphrase, unit.scope.tenant)


def _describe(file: Path, passphrase: str, tenant: str) -> ArchiveSummary:
    if not file.is_file():
        raise InvalidInput(f"{file} is not a file")
    heading: ArchiveHeading | None = None
    counts = ArchiveCounts()
    with file.open("rb") as stream:
        for line in read_lines(decrypt(stream.read, passphrase), tenant=tenant):
            match line:
                case ArchiveHeading():
                    heading = line
                case ArchiveCounts():
                    counts = line
                case _:
                    pass
        size = stream.tell()
    if heading is None:
        raise InvalidInput(f"{file} is not an archive of memories: it has no heading")
    return ArchiveSummary(
        created_at=heading.created_at,
        scopes=tuple(heading.scopes),
        memories=dict(sorted(counts.memories.items())),
        sessions=counts.sessions,
        bytes=size,
    )


async def import_archive(
    unit: UnitOfWork, file: Path, passphrase: str, *, reason: str, progress: ProgressCallback
) -> ImportResult:
    """Import an archive in one transaction, after reading and checking all of it.

    Raises:
        InvalidInput: it cannot be decrypted, its content is invalid, or a scope lies outside of the caller's.
    """
    archive = await check_archive(unit, file, passphrase)
    for scope in archive.scopes:
        if not unit.scope.contains(scope):
            raise InvalidInput(
                f"the archive contains memories of {scope_title(scope)}, which is outside of"
                f" {scope_title(unit.scope)}; nothing was imported; use the memory of a wider scope"
            )
    tally = ImportTally()
    stream = await run_sync(file.open, "rb")
    try:
        lines = read_lines(decrypt(stream.read, passphrase), tenant=unit.scope.tenant)
        async with AsyncExitStack() as stack:
            writers = await _writers(unit, stack, archive.scopes)
            await _import_lines(lines, writers, tally, reason=reason, progress=progress)
    finally:
        stream.close()
    return ImportResult(
        archive=archive,
        created=tally.created,
        updated=tally.updated,
        same=tally.same,
        older=tally.older,
        sessions=tally.sessions,
        conflicts=tuple(tally.conflicts),
        conflict_counts=tally.conflict_counts,
    )


async def _writers(unit: UnitOfWork, stack: AsyncExitStack, scopes: Sequence[Scope]) -> dict[Scope, WriteTransaction]:
    """Open one transaction and return its writer for each scope."""
    first = await stack.enter_async_context(unit.of(unit.caller.within(scopes[0])).write(streaming=True))
    writers = {scopes[0]: first}
    for scope in scopes[1:]:
        writers[scope] = await stack.enter_async_context(first.at(scope))
    return writers


async def _import_lines(
    lines: Generator[ArchiveHeading | tuple[int, ArchiveItem] | ArchiveCounts],
    writers: Mapping[Scope, WriteTransaction],
    tally: ImportTally,
    *,
    reason: str,
    progress: ProgressCallback,
) -> None:
    scopes: Sequence[Scope] = ()
    current: tuple[int, ScopeImporter] | None = None
    while batch := await run_sync(lambda: list(islice(lines, BATCH))):
        for line in batch:
            match line:
                case ArchiveHeading():
                    scopes = line.scopes
                    if set(scopes) != set(writers):
                        raise InvalidInput("the archive was changed while it was read; nothing was imported")
                case ArchiveCounts():
                    pass
                case (index, item):
                    if current is None or current[0] != index:
                        if current is not None:
                            await current[1].end()
                        writer = writers[scopes[index]]
                        writer.set_reason(reason)
                        current = index, ScopeImporter(writer.as_engine(), tally)
                        await current[1].begin()
                    await current[1].add(item)
        progress(len(batch))
    if current is not None:
        await current[1].end()
    await _resolve_missing_evidence(writers, tally)


async def _resolve_missing_evidence(writers: Mapping[Scope, WriteTransaction], tally: ImportTally) -> None:
    """Remove links to evidence that was not imported; erase the memories whose evidence was refused."""
    incomplete = tally.incomplete
    for evidence, dependents in tally.pending.items():
        for id, scope in dependents:
            engine = writers[scope].as_engine()
            if evidence not in tally.refused:
                incomplete.setdefault(scope, set()).add(id)
            elif (record := await engine.tx.records.find(id)) is not None:
                tally.created -= 1
                tally.clash(record, ConflictReason.ERASED)
                await deletion.delete(engine, id, erase=True)
    for scope, ids in incomplete.items():
        await writers[scope].as_engine().drop_missing_evidence(sorted(ids))
