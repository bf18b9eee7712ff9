"""`RemembrancerMemoryTool`: the files of Anthropic's memory tool as memories.

Each file under `/memories` is an observation: versioned, corrected, recalled and erased as any memory is. There are no
files on disk, so a path cannot leave `/memories`.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

from anyio.to_thread import run_sync

from remembrancer.errors import RemembrancerError
from remembrancer.integrations import missing_extra
from remembrancer.integrations.documents import Document, Documents, NewDocument, Path
from remembrancer.sync import SyncMemory
from remembrancer.types.notes import MAX_OBSERVATION_BYTES
from remembrancer.types.text import is_blank

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ModuleNotFoundError as error:
    raise missing_extra("anthropic", error) from error

_ROOT = "memories"
_LINE_NUMBER_WIDTH = 6
_LISTED_LEVELS = 2
# Lines of a snippet around a change.
_AROUND = 2
_UNITS = "BKMG"
# The runner does not check what a model passes.
_REQUIRED = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
T = TypeVar("T")


class RemembrancerMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.tool_runner(tools=[…])`.

    Its answers have the wording of the SDK's own tool. A failed command is a `ToolError`, which the model reads.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service; its scope owns the files. The caller closes it.
    """

    def __init__(self, memory: SyncMemory, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._files = Documents(memory, "file")

    def execute(self, command: Any) -> Any:
        """Execute a command, and turn what memory refuses into an answer for the model."""
        for name in _REQUIRED.get(command.command, ()):
            if getattr(command, name, None) is None:
                raise ToolError(f"The command {command.command} needs the parameter `{name}`.")
        try:
            return super().execute(command)
        except RemembrancerError as error:
            raise ToolError(str(error)) from error

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """List a directory, or show a file with line numbers."""
        path = _parsed(command.path)
        if (file := self._find(path)) is None:
            return self._listing(path, command.path)
        lines = _content(file).split("\n")
        first, last = _range(getattr(command, "view_range", None), len(lines))
        numbered = _numbered(lines, first, last)
        return f"Here's the content of {command.path} with line numbers:\n{numbered}"

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        path = _parsed(command.path)
        self._check_free(path, f"File {command.path} already exists")
        self._save(path, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once in a file."""
        path, old = _parsed(command.path), command.old_str
        content = self._read(path, command.path)
        places = list(_places(content, old))
        if not places:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
        if len(places) > 1:
            lines = ", ".join(str(content[:place].count("\n") + 1) for place in places)
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}."
                " Please ensure it is unique"
            )
        changed = content.replace(old, command.new_str)
        self._save(path, changed)
        line, lines = content[: places[0]].count("\n") + 1, changed.split("\n")
        snippet = _numbered(lines, max(1, line - _AROUND), min(len(lines), line + _AROUND))
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file."""
        path = _parsed(command.path)
        lines = self._read(path, command.path).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range"
                f" [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._save(path, "\n".join(lines) + "\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all its files."""
        path = _parsed(command.path)
        if path == (_ROOT,):
            raise ToolError("Cannot delete the /memories directory itself")
        if not self._delete_all(path):
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename or move a file or a directory."""
        old, new = _parsed(command.old_path), _parsed(command.new_path)
        if old == (_ROOT,):
            raise ToolError("Cannot rename the /memories directory itself")
        if not (moved := self._under(old)):
            raise ToolError(f"The path {command.old_path} does not exist")
        if new[: len(old)] == old and new != old:
            raise ToolError(f"Cannot move {command.old_path} into itself")
        self._check_free(new, f"The destination {command.new_path} already exists")
        self._files.save_many([_new(new + file.path[len(old) :], _content(file)) for file in moved])
        for file in moved:
            self._files.delete(file.path)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Delete every file."""
        self._delete_all((_ROOT,))
        return "All memory cleared"

    def _find(self, path: Path) -> Document | None:
        return None if path == (_ROOT,) else self._files.find(path)

    def _read(self, path: Path, shown: str) -> str:
        if (file := self._find(path)) is not None:
            return _content(file)
        if path == (_ROOT,) or self._under(path):
            raise ToolError(f"The path {shown} is not a file.")
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")

    def _save(self, path: Path, content: str) -> None:
        self._files.save_many([_new(path, content)])

    def _under(self, path: Path) -> list[Document]:
        """Return the file of a path, or the files of a directory."""
        file = self._find(path)
        return [file] if file is not None else list(self._files.iterate(path))

    def _delete_all(self, path: Path) -> int:
        return sum(self._files.delete(file.path) for file in self._under(path))

    def _check_free(self, path: Path, message: str) -> None:
        """Check that a file may be created.

        Raises:
            ToolError: something has its name, or a file has the name of one of its directories.
        """
        if path == (_ROOT,) or self._under(path):
            raise ToolError(message)
        for length in range(2, len(path)):
            if self._find(path[:length]) is not None:
                raise ToolError(f"The path {_shown(path[:length])} is not a directory.")

    def _listing(self, path: Path, shown: str) -> str:
        files = list(self._files.iterate(path))
        if not files and path != (_ROOT,):
            raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")
        sizes: dict[Path, int] = {}
        for file in files:
            names = file.path[len(path) :]
            for level in range(1, min(len(names), _LISTED_LEVELS) + 1):
                if any(name.startswith(".") for name in names[:level]):
                    break
                entry = names[:level] if level == len(names) else (*names[:level], "")
                sizes[entry] = sizes.get(entry, 0) + len(_content(file).encode())
        lines = [f"{_size(sum(len(_content(file).encode()) for file in files))}\t{shown}"]
        lines += [f"{_size(size)}\t{shown}/{'/'.join(entry)}" for entry, size in sorted(sizes.items())]
        header = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
        return "\n".join([header, *lines])


class RemembrancerAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for the asynchronous client; see `RemembrancerMemoryTool`."""

    def __init__(self, memory: SyncMemory, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = RemembrancerMemoryTool(memory)

    async def execute(self, command: Any) -> Any:
        """Execute a command in another thread."""
        return await run_sync(self._tool.execute, command)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> Any:
        """List a directory, or show a file with line numbers."""
        return await self.execute(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> Any:
        """Create a file."""
        return await self.execute(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Any:
        """Replace a text that occurs once in a file."""
        return await self.execute(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Any:
        """Insert lines after a line of a file."""
        return await self.execute(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Any:
        """Delete a file, or a directory with all its files."""
        return await self.execute(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Any:
        """Rename or move a file or a directory."""
        return await self.execute(command)

    async def clear_all_memory(self) -> Any:
        """Delete every file."""
        return await run_sync(self._tool.clear_all_memory)


def _parsed(path: str) -> Path:
    """Return the names in a path, beginning with `memories`.

    Raises:
        ToolError: it is not under `/memories`.
    """
    if path != f"/{_ROOT}" and not path.startswith(f"/{_ROOT}/"):
        raise ToolError(f"Path must start with /memories, got: {path}")
    names: list[str] = []
    for name in path.split("/")[2:]:
        if name == ".." and not names:
            raise ToolError(f"Path {path} would escape /memories directory")
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return (_ROOT, *names)


def _shown(path: Path) -> str:
    return "/" + "/".join(path)


def _new(path: Path, content: str) -> NewDocument:
    is_text = not is_blank(content) and len(content.encode()) <= MAX_OBSERVATION_BYTES
    return NewDocument(path=path, text=content, value={"content": None if is_text else content})


def _content(file: Document) -> str:
    """Return the content of a file; a correction of a person has replaced it."""
    content = file.value.get("content") if isinstance(file.value, dict) else None
    return content if isinstance(content, str) and not file.is_corrected else file.text


def _range(view_range: list[int] | None, lines: int) -> tuple[int, int]:
    """Return the first and the last line to show, from 1."""
    if not view_range or len(view_range) != 2:
        return 1, lines
    first, last = view_range
    return max(1, first), lines if last == -1 else min(last, lines)


def _numbered(lines: list[str], first: int, last: int) -> str:
    return "\n".join(f"{number:>{_LINE_NUMBER_WIDTH}}\t{lines[number - 1]}" for number in range(first, last + 1))


def _places(content: str, text: str) -> Iterator[int]:
    place = content.find(text)
    while place != -1 and text:
        yield place
        place = content.find(text, place + 1)


def _size(size: int) -> str:
    """Return a size as the SDK's tool shows it: 0B, 512B, 1.5K, 4K."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{f'{size / 1024**power:.1f}'.removesuffix('.0')}{_UNITS[power]}"
