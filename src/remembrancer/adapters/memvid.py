"""Files of Memvid (`.mv2`), for exchange with its programs.

Each memory is a frame: its text for the search of other readers, and the whole memory, a line of an export in JSON
lines, in the metadata of the frame. `memvid-sdk` 2.0 returns the metadata unchanged, and a text only in part.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from remembrancer.errors import InvalidInput, StoreError

MAX_BYTES: Final = 30_000_000
"""The most JSON of a file: without an account of Memvid it may have 50 MB, with the indexes that the package adds."""
_MAGIC: Final = b"MV2\0"
_FIELD: Final = "remembrancer"
_BATCH: Final = 50
_MAX_TEXT: Final = 4_000
_MAX_LISTED: Final = 10_000_000


def is_memvid(head: bytes) -> bool:
    """Return True for the first bytes of a file of Memvid."""
    return head.startswith(_MAGIC)


def write_file(path: Path, lines: Sequence[str], *, progress: Callable[[int], None]) -> None:
    """Write lines of an export into a new file, and verify that each comes back.

    Args:
        progress: is called with the number of lines after each batch.

    Raises:
        InvalidInput: the file exists.
        StoreError: the package is not installed, or a line did not come back; the file is removed.
    """
    sdk = _sdk()
    if path.exists():
        raise InvalidInput(f"{path} exists; name another folder")
    new = path.with_name(f".{path.name}")
    new.unlink(missing_ok=True)
    try:
        memory = sdk.create(str(new))
        try:
            rest = iter(lines)
            while batch := list(islice(rest, _BATCH)):
                memory.put_many([_frame(line) for line in batch])
                progress(len(batch))
            memory.commit()
        finally:
            memory.close()
        if sorted(read_file(new)) != sorted(lines):
            raise StoreError(f"{path}: a memory was not returned as it was written; nothing was exported")
        new.replace(path)
    except sdk.MemvidError as error:
        raise StoreError(f"{path} cannot be written: {error}") from error
    finally:
        new.unlink(missing_ok=True)


def read_file(path: Path) -> Iterator[str]:
    """Yield the lines of an export in a file.

    Raises:
        StoreError: the package is not installed.
        InvalidInput: the file cannot be read, or contains no memory of an export.
    """
    sdk = _sdk()
    try:
        memory = sdk.use("basic", str(path))
        try:
            count = 0
            for entry in memory.timeline(limit=_MAX_LISTED):
                line = _line(memory.frame(entry["uri"]))
                if line is not None:
                    count += 1
                    yield line
        finally:
            memory.close()
    except sdk.MemvidError as error:
        raise InvalidInput(f"{path} cannot be read as a file of Memvid: {error}") from error
    if not count:
        raise InvalidInput(
            f"{path.name} contains no memory of Remembrancer; of others the package returns only beginnings of texts"
        )


def _frame(line: str) -> dict[str, Any]:
    memory = json.loads(line)
    text, id = str(memory.get("text", "")), str(memory.get("id", ""))
    return {
        "title": str(memory.get("title") or id),
        "label": str(memory.get("kind", "memory")),
        "text": text[:_MAX_TEXT].strip() or id,
        "uri": f"mv2://remembrancer/{id}",
        "metadata": {_FIELD: line},
    }


def _line(frame: dict[str, Any]) -> str | None:
    """Return the line in the metadata of a frame, which the package writes as JSON once more."""
    value = frame.get("extra_metadata", {}).get(_FIELD)
    if not isinstance(value, str):
        return None
    inner = json.loads(value)
    return inner if isinstance(inner, str) else value


def _sdk() -> Any:
    # Otherwise the package reports each call to its maker. It reads these when it is imported.
    os.environ["MEMVID_TELEMETRY"] = "0"  # noqa: TID251 -- before the import
    os.environ["MEMVID_OFFLINE"] = "1"  # noqa: TID251 -- before the import
    try:
        return import_module("memvid_sdk")
    except ModuleNotFoundError as error:
        raise StoreError(
            f"this needs the extra 'memvid' ({error.name} is missing): pip install 'remembrancer[memvid]'"
        ) from error
