"""Copying all that a store contains into another, verified row by row; an interrupted copy continues.

The source is read as of one moment. The target must contain the beginning of a copy of it: the rest is added, table by
table, and at the end both sides are counted and hashed.

A row is a tuple of its table's columns, the same in every database: times are whole microseconds since 1970, metadata
is its JSON text, and a vector its numbers in half precision as little-endian bytes.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from remembrancer.errors import Conflict, InvalidInput, StoreError
from remembrancer.storage.tables import Row, StoreTable


class Snapshot(Protocol):
    """All that a store contains, as of one moment."""

    async def tenants(self) -> list[str]:
        """Return the tenants of the store."""
        ...

    async def count(self, table: StoreTable, tenant: str) -> int:
        """Return the number of rows of a tenant in a table."""
        ...

    async def page(self, table: StoreTable, tenant: str, *, after: Row | None, limit: int) -> list[Row]:
        """Return the next rows of a tenant, in an order that is the same in every store.

        Args:
            tenant: ignored for `generations`, which belong to the whole store.
            after: the last row of the previous page; `None` for the first page.
            limit: the number of rows, 1 or more; fewer are the last.
        """
        ...


class Tables(Protocol):
    """A store's tables, without the rules of its memories."""

    @property
    def identity(self) -> str:
        """Return the identity of this database: the same for two addresses of one."""
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Read every table of the store as of one moment.

        Raises:
            StoreUnavailable: the store is busy for too long, or was closed.
        """
        ...

    async def write(self, table: StoreTable, tenant: str, rows: Sequence[Row]) -> None:
        """Add rows of one tenant unchanged, with their ids and numbers, in one transaction.

        Numbers that the store assigns later follow them.
        """
        ...


PAGE = 500
_SHOWN = 12


class CopyStage(StrEnum):
    """A stage of copying."""

    CHECKED = "checked"
    COPIED = "copied"
    VERIFIED = "verified"


Progress = Callable[[CopyStage, int, int], None]
"""Is given some more rows, of how many in their stage."""


def ignore_progress(_stage: CopyStage, _rows: int, _of: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTable:
    """A table that is the same on both sides.

    Args:
        copied: the number of rows that this run added.
        sha256: of the SHA-256 of each tenant's rows in the order of their keys.
    """

    table: StoreTable
    rows: int
    copied: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The rows of one tenant in one table: the unit in which a copy continues."""

    table: StoreTable
    tenant: str


class _Sum:
    """A running count and hash of rows."""

    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        self.rows += len(rows)
        for row in rows:
            self._hash.update(json.dumps(row, separators=(",", ":"), default=bytes.hex).encode() + b"\n")

    @property
    def digest(self) -> bytes:
        """The hash of all rows so far."""
        return self._hash.digest()


Sums = dict[Place, _Sum]


async def copy(
    source: Tables, target: Tables, *, progress: Progress = ignore_progress, is_written: bool = False
) -> list[ComparedTable]:
    """Copy everything, then compare every table.

    Args:
        is_written: whether the source may be written meanwhile: then the target is as it was when the copy began.

    Raises:
        InvalidInput: source and target are one database.
        Conflict: the target contains other rows, and nothing was changed; or the source was written meanwhile.
        StoreError: the contents of the target differ afterwards from what was copied.
    """
    if source.identity == target.identity:
        raise InvalidInput("the source and the target are the same database; name another target")
    async with source.snapshot() as present:
        places = _places(await present.tenants())
        total = sum([await present.count(place.table, place.tenant) for place in places])
        sums = {place: _Sum() for place in places}
        ends = await _check(present, target, sums, progress)
        rows_before = {place: found.rows for place, found in sums.items()}
        for place in places:
            await _add(
                present,
                target,
                place,
                ends[place],
                sums[place],
                progress=lambda rows: progress(CopyStage.COPIED, rows, total),
            )
    await _verify(None if is_written else source, target, sums, total, progress)
    return [_compared(table, sums, rows_before) for table in StoreTable]


def _places(tenants: Iterable[str]) -> list[Place]:
    names = sorted(tenants)
    return [
        Place(table=table, tenant=tenant)
        for table in StoreTable
        for tenant in ([""] if table is StoreTable.GENERATIONS else names)
    ]


async def _check(present: Snapshot, target: Tables, sums: Sums, progress: Progress) -> dict[Place, Row | None]:
    """Return the target's last row in each place, after checking that all of them are the source's first ones."""
    ends: dict[Place, Row | None] = dict.fromkeys(sums)
    async with target.snapshot() as found:
        if set(await found.tenants()) - {place.tenant for place in sums}:
            raise _foreign(StoreTable.SCOPES)
        total = sum([await found.count(place.table, place.tenant) for place in sums])
        for place in sums:
            async for rows in _pages(found, place):
                if rows != await present.page(place.table, place.tenant, after=ends[place], limit=len(rows)):
                    raise _foreign(place.table)
                sums[place].add(rows)
                ends[place] = rows[-1]
                progress(CopyStage.CHECKED, len(rows), total)
    return ends


def _foreign(table: StoreTable) -> Conflict:
    return Conflict(
        f"the target is neither empty nor the beginning of a copy of this source as it now stands: {table} differ;"
        " nothing was changed: name an empty database"
    )


async def _add(
    present: Snapshot, target: Tables, place: Place, end: Row | None, total: _Sum, *, progress: Callable[[int], None]
) -> None:
    """Copy the rows after the last one of the target."""
    progress(total.rows)
    async for rows in _pages(present, place, after=end):
        await target.write(place.table, place.tenant, rows)
        total.add(rows)
        progress(len(rows))


async def _pages(snapshot: Snapshot, place: Place, *, after: Row | None = None) -> AsyncIterator[list[Row]]:
    while rows := await snapshot.page(place.table, place.tenant, after=after, limit=PAGE):
        yield rows
        if len(rows) < PAGE:
            return
        after = rows[-1]


async def _verify(source: Tables | None, target: Tables, sums: Sums, total: int, progress: Progress) -> None:
    """Read both sides again, or the target alone, and compare them with what was copied."""
    whole = total if source is None else 2 * total
    there = await _sums(target, lambda rows: progress(CopyStage.VERIFIED, rows, whole))
    if differing := _differences(sums, there):
        raise StoreError(
            f"the target differs from what was copied ({differing}); was it written meanwhile? Copy into an empty one"
        )
    if source is None:
        return
    here = await _sums(source, lambda rows: progress(CopyStage.VERIFIED, rows, whole))
    if differing := _differences(here, sums):
        raise Conflict(
            f"the source was written while it was copied ({differing}); the target is whole, as of the beginning of"
            " this run. For the rest stop what writes to the source, and copy it again into an empty database"
        )


async def _sums(tables: Tables, progress: Callable[[int], None]) -> Sums:
    async with tables.snapshot() as snapshot:
        sums = {place: _Sum() for place in _places(await snapshot.tenants())}
        for place, found in sums.items():
            async for rows in _pages(snapshot, place):
                found.add(rows)
                progress(len(rows))
            if found.rows != await snapshot.count(place.table, place.tenant):
                raise StoreError(f"{place.table} has rows of no scope; run `remembrancer admin doctor`")
    return sums


def _differences(expected: Sums, found: Sums) -> str:
    """Return the tables that differ, each with counts and hashes; empty if none does."""
    tables = [table for table in StoreTable if _total(expected, table) != _total(found, table)]
    return "; ".join(
        f"{table}: {_shown(_total(expected, table))}, not {_shown(_total(found, table))}" for table in tables
    )


def _total(sums: Sums, table: StoreTable) -> tuple[int, str]:
    """Return the count and hash of a table, all tenants together."""
    found = [(place.tenant, one) for place, one in sums.items() if place.table is table and one.rows]
    digest = hashlib.sha256(b"".join(one.digest for _, one in sorted(found, key=lambda pair: pair[0])))
    return sum(one.rows for _, one in found), digest.hexdigest()


def _shown(total: tuple[int, str]) -> str:
    return f"{total[0]} rows {total[1][:_SHOWN]}"


def _compared(table: StoreTable, sums: Sums, rows_before: dict[Place, int]) -> ComparedTable:
    rows, sha256 = _total(sums, table)
    before = sum(count for place, count in rows_before.items() if place.table is table)
    return ComparedTable(table=table, rows=rows, copied=rows - before, sha256=sha256)
