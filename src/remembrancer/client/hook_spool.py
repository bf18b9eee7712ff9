"""The spool of hooks: what coding agents wrote, in files next to the store, until a process has recorded it.

A hook writes a file and ends, so that the agent does not wait for the store. The process that has the store open reads
the files, and removes each after it is recorded. A file is the same if a hook runs twice.
"""

import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

_NAMES: Final = uuid.UUID("0d5f5b34-9f0c-4c0f-9a51-52c1f4f3a0ab")
_SUFFIX: Final = ".json"
_BEING_WRITTEN: Final = ".new"
# A file that is being written for longer was left by a killed process.
_ABANDONED_SECONDS: Final = 3_600


def spool_of(db: str) -> Path:
    """Return the folder of the spool of a store in a file."""
    return Path(f"{os.path.realpath(db)}.hooks")


def spool(folder: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Write an entry; one of the same name is replaced.

    Args:
        name: what the entry is of, such as the session and the event.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{uuid.uuid5(_NAMES, name)}{_SUFFIX}"
    written = path.with_suffix(f".{os.getpid()}{_BEING_WRITTEN}")
    descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(entry, file)
    written.replace(path)


def spooled(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of the spool with their content, oldest first."""
    for path in sorted(_files(folder), key=_modified):
        try:
            yield path, path.read_bytes()
        except FileNotFoundError:
            # Another process has recorded it.
            continue


def remove(path: Path, content: bytes) -> None:
    """Remove a recorded file, unless a hook has replaced it since."""
    try:
        if path.read_bytes() == content:
            path.unlink()
    except FileNotFoundError:
        return


def _files(folder: Path) -> list[Path]:
    try:
        paths = list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for path in paths:
        if path.suffix == _BEING_WRITTEN and time.time() - _modified(path) > _ABANDONED_SECONDS:
            path.unlink(missing_ok=True)
    return [path for path in paths if path.suffix == _SUFFIX]


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
