"""Numbered SQL files, each applied once in its order; an applied file that changed is refused."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import LiteralString

from remembrancer.errors import SchemaMismatch
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind

_NAME = re.compile(r"(\d{4})_\w+\.sql")
# The first files of what was never released, whose tables are others than those of the first release.
UNRELEASED = frozenset(
    {
        "5cb22e021c67edef4891325101a8a4f9c35b2e9e6dde5dd97fbc546cb2f3f8ba",
        "97a6dca4f3b6c59560ed540cfe2fcc4dff73236f8282d8a528785003f4bf6718",
    }
)
"""Hashes of the first files of databases that were made before anything was released."""
WORDS: Mapping[LiteralString, frozenset[str]] = {"kinds": frozenset(Kind), "statuses": frozenset(Status)}
"""Tables of words, which the code fills: a new one rebuilds no table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """A numbered file."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The file's hash, which is stored when it is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations(package: str) -> list[Migration]:
    """Return the files of a package's `migrations` folder, in order."""
    found = [
        Migration(number=int(name[1]), name=file.name, sql=file.read_text(encoding="utf-8"))
        for file in files(package).joinpath("migrations").iterdir()
        if (name := _NAME.fullmatch(file.name))
    ]
    return sorted(found, key=lambda migration: migration.number)


def pending(known: list[Migration], applied: Mapping[int, str]) -> list[Migration]:
    """Return the migrations that are not applied yet.

    Args:
        applied: hash by number.

    Raises:
        SchemaMismatch: the database is newer than this code, an applied file has changed since, or one is missing from
            before another that was applied.
    """
    if applied.get(1) in UNRELEASED:
        raise SchemaMismatch(
            "the database was made before the first release, and its tables are others: keep it with the version that"
            " made it, and begin a new one here (import the chats again)"
        )
    numbers = {migration.number for migration in known}
    if newer := [number for number in applied if number not in numbers]:
        raise SchemaMismatch(f"the database has migration {max(newer)}, which this version does not know; upgrade it")
    for migration in known:
        if applied.get(migration.number, migration.sha256) != migration.sha256:
            raise SchemaMismatch(f"migration {migration.name} changed after it was applied")
    missing = [migration for migration in known if migration.number not in applied]
    if missing and missing[0].number < max(applied, default=0):
        raise SchemaMismatch(
            f"the database has no record of migration {missing[0].name}, but one of a later one: another program"
            " removed that; restore a backup"
        )
    return missing


def unwritten(table: LiteralString, stored: Iterable[str]) -> list[str]:
    """Return the words that a table of `WORDS` lacks, sorted.

    Raises:
        SchemaMismatch: it contains one that this version does not know.
    """
    there = set(stored)
    if unknown := sorted(there - WORDS[table]):
        raise SchemaMismatch(f"the database has {table} that this version does not know ({unknown[0]}); upgrade it")
    return sorted(WORDS[table] - there)
