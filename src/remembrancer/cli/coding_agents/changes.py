"""Changes to the configuration files of coding agents, which can be shown, written and undone."""

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from remembrancer.cli.target import CommandRefused, refused

NAME: Final = "remembrancer"
"""The name of the MCP server in the agents."""
_BEGIN: Final = "# >>> remembrancer"
_END: Final = "# <<< remembrancer"
_FAILED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file before and after a change; `None` where there is no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def is_change(self) -> bool:
        """Return True if the file would differ."""
        return self.before != self.after

    def difference(self) -> str:
        """Return the change as a unified diff, with secrets masked."""
        from remembrancer.ingest.preview import masked

        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        there, then = (str(self.path) if text is not None else "/dev/null" for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, there, then)
        text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
        # The file may have the keys of other servers.
        return masked(text)

    def write(self) -> None:
        """Write the change; a file is replaced as a whole, and keeps its rights.

        Raises:
            CommandRefused: it cannot be written, or was changed since it was read.
        """
        # A link stays a link.
        path = self.path.resolve()
        try:
            if read(path) != self.before:
                raise refused(f"{path} was changed meanwhile; run the command again")
            if self.after is None:
                path.unlink(missing_ok=True)
                if path.parent.name == NAME:
                    # A folder of ours, if it is empty now.
                    with suppress(OSError):
                        path.parent.rmdir()
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f"{path.name}.{os.getpid()}.new")
            try:
                new.write_text(self.after, "utf-8")
                if self.before is not None:
                    new.chmod(path.stat().st_mode & 0o7777)
                new.replace(path)
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            raise CommandRefused(f"{self.path} cannot be written: {error.strerror}", _FAILED) from error


def read(path: Path) -> str | None:
    """Return the text of a file; `None` without one.

    Raises:
        CommandRefused: it cannot be read, or is not text.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CommandRefused(f"{path} cannot be read: {error.strerror}", _FAILED) from error
    except UnicodeDecodeError:
        raise refused(f"{path} is not UTF-8 text; correct it first") from None


class JsonFile:
    """A configuration file in JSON, with the values that are set or removed.

    What else is in it stays, in its order and with its indent.

    Raises:
        CommandRefused: it is no JSON object.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._before = read(path)
        self.fields: dict[str, Any] = {}
        if self._before is not None and self._before.strip():
            with suppress(ValueError, RecursionError):
                value: object = json.loads(self._before.removeprefix("\ufeff"))
                if isinstance(value, dict):
                    self.fields = cast("dict[str, Any]", value)
                    return
            raise refused(
                f"{path} is no JSON object; correct it first, or remove its comments if it has some: they would be lost"
            )

    def table(self, *names: str) -> dict[str, Any]:
        """Return a table in the file, which is made if it is not there.

        Raises:
            CommandRefused: something else has its name.
        """
        table = self.fields
        for name in names:
            inner: object = table.setdefault(name, {})
            if not isinstance(inner, dict):
                raise refused(f"{self.path}: {'.'.join(names)} is not an object; correct it first")
            table = cast("dict[str, Any]", inner)
        return table

    def listed(self, table: str, name: str) -> list[Any]:
        """Return a list in a table, or an empty one.

        Raises:
            CommandRefused: something else has its name.
        """
        found: object = self.table(table).get(name, [])
        if not isinstance(found, list):
            raise refused(f"{self.path}: {table}.{name} is no list; correct it first")
        return cast("list[Any]", found)

    def prune(self, *names: str) -> None:
        """Remove a table, and the tables around it, as far as they are empty."""
        for depth in range(len(names), 0, -1):
            table = self.fields
            for name in names[: depth - 1]:
                table = cast("dict[str, Any]", table.get(name, {}))
            if table.get(names[depth - 1]) in ({}, []):
                del table[names[depth - 1]]

    def change(self) -> FileChange:
        """Return the change; a file without content is removed."""
        if not self.fields:
            return FileChange(path=self.path, before=self._before, after=None)
        if (
            self._before is not None
            and self._before.strip()
            and json.loads(self._before.removeprefix("\ufeff")) == self.fields
        ):
            return FileChange(path=self.path, before=self._before, after=self._before)
        text = json.dumps(self.fields, ensure_ascii=False, indent=_indent(self._before))
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"{self.path} has half of a surrogate pair, which cannot be written; correct it first"
            raise refused(message) from None
        return FileChange(path=self.path, before=self._before, after=f"{text}\n")


def _indent(text: str | None) -> int | str:
    """Return the indent of JSON, by its first line with one."""
    line = next((one for one in (text or "").splitlines()[1:] if one[:1] in (" ", "\t") and one.strip()), "  ")
    white = line[: len(line) - len(line.lstrip())]
    return "\t" if white.startswith("\t") else len(white)


def whole_file(path: Path, text: str | None, *, mark: str) -> FileChange:
    """Return the change of a file that is ours as a whole.

    Args:
        text: `None` to remove it.
        mark: what each version of ours contains.

    Raises:
        CommandRefused: another file has its name.
    """
    before = read(path)
    if before is not None and mark not in before:
        if text is None:
            return FileChange(path=path, before=before, after=before)
        raise refused(f"{path} is not ours; rename it first")
    return FileChange(path=path, before=before, after=text)


def toml_block(path: Path, table: str, block: str | None) -> FileChange:
    """Return the change of a TOML file in which a block between two comments is ours.

    Args:
        table: the table of the block; another one of its name is not replaced.
        block: `None` to remove it.

    Raises:
        CommandRefused: the file is no TOML, or has that table outside of the block.
    """
    before = read(path)
    head, marked, rest = (before or "").partition(_BEGIN)
    if marked:
        _, ended, tail = rest.partition(_END)
        if not ended:
            raise refused(f"{path}: {_BEGIN!r} has no {_END!r}; correct it first")
        # The block and the blank line before it.
        others = (
            head.removesuffix("\n") + tail.removeprefix("\n") if head.endswith("\n\n") else head + tail.lstrip("\n")
        )
    else:
        others = head
    fields = _toml(others, path)
    for name in table.split("."):
        fields = fields.get(name, {})
    if fields and block is not None:
        raise refused(f"{path} has a table [{table}] that is not ours; remove it first")
    if block is None:
        after = others or None
    else:
        before_block = f"{others.rstrip()}\n\n" if others.strip() else ""
        after = f"{before_block}{_BEGIN}\n{block.rstrip()}\n{_END}\n"
        _toml(after, path)
    return FileChange(path=path, before=before, after=after)


def _toml(text: str, path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise refused(f"{path} is no TOML: {error}; correct it first") from None
