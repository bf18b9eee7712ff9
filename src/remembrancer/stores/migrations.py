"""Numbered SQL files, each applied once in its order; an applied file that changed is refused."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from remembrancer.errors import SchemaMismatch

_NAME = re.compile(r"(\d{4})_\w+\.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The file's hash, which is stored when it is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations(package: str) -> list[Migration]:
    """The files of a package's `migrations` folder, in order."""
    found = [
        Migration(number=int(name[1]), name=file.name, sql=file.read_text(encoding="utf-8"))
        for file in files(package).joinpath("migrations").iterdir()
        if (name := _NAME.fullmatch(file.name))
    ]
    return sorted(found, key=lambda migration: migration.number)


def pending(known: list[Migration], applied: Mapping[int, str]) -> list[Migration]:
    """Those not yet applied.

    Args:
        applied: hash by number.

    Raises:
        SchemaMismatch: the database is newer than this code, or an applied file has changed since.
    """
    numbers = {migration.number for migration in known}
    if newer := [number for number in applied if number not in numbers]:
        raise SchemaMismatch(f"the database has migration {max(newer)}, which this version does not know; upgrade it")
    for migration in known:
        if applied.get(migration.number, migration.sha256) != migration.sha256:
            raise SchemaMismatch(f"migration {migration.name} changed after it was applied")
    return [migration for migration in known if migration.number not in applied]
