"""A memory for pages: only operations that REST has, each with the right that REST requires."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from remembrancer.errors import NotAllowed
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS, RESOURCES, RIGHT_FOR
from remembrancer.types.access import Caller, Right

FILE_RIGHTS: Mapping[str, Right] = {
    "messages.import_file": Right.WRITE,
    "governance.archives.export": Right.READ,
    "governance.archives.report": Right.GOVERN,
    "governance.archives.stream": Right.OPERATE,
    "governance.archives.check": Right.OPERATE,
    "governance.archives.import_archive": Right.OPERATE,
}
"""Methods whose routes are written by hand, since they read or write files."""
_READING_FILES = frozenset(
    {"governance.archives.export", "governance.archives.report", "governance.archives.stream"}
    | {"governance.archives.check"}
)
# They are sent as POST for the length of their arguments, and change nothing.
_READING = frozenset({"governance.erasure.plan", "governance.erasure.find_mentions"})
READ_ONLY = "this console only reads; start it without --read-only, or unset `console_read_only`, to change something"


def right_of(operation: str) -> Right:
    """Return the right that an operation requires."""
    return FILE_RIGHTS[operation] if operation in FILE_RIGHTS else OPERATIONS[operation].right


def changes(operation: str) -> bool:
    """Return True if an operation changes what is stored."""
    if operation in FILE_RIGHTS:
        return operation not in _READING_FILES
    return OPERATIONS[operation].writes and operation not in _READING


def allows(caller: Caller, operation: str, *, read_only: bool) -> bool:
    """Return True if a caller may use an operation."""
    return right_of(operation) in caller.rights and not (read_only and changes(operation))


def checked(memory: Memory, *, read_only: bool) -> Memory:
    """Return a memory whose operations check the right of its caller first.

    It has no operation without a route.
    """
    return cast(Memory, _Checked(memory, memory, "", read_only=read_only))


class _Checked:
    """A memory, or a resource of it."""

    def __init__(self, memory: Memory, resource: Any, path: str, *, read_only: bool) -> None:
        self._memory = memory
        self._resource = resource
        self._path = path
        self._read_only = read_only

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}" if self._path else name
        if path in RESOURCES:
            return _Checked(self._memory, getattr(self._resource, name), path, read_only=self._read_only)
        if path not in OPERATIONS and path not in FILE_RIGHTS:
            raise AttributeError(f"{path} is no operation with a route")
        return self._operation(path, getattr(self._resource, name))

    def _operation(self, path: str, method: Callable[..., Any]) -> Callable[..., Any]:
        caller = self._memory.caller

        def call(*args: Any, **arguments: Any) -> Any:
            caller.need(right_of(path))
            if path in RIGHT_FOR and arguments.get(RIGHT_FOR[path][0]):
                caller.need(RIGHT_FOR[path][1])
            if self._read_only and changes(path):
                raise NotAllowed(READ_ONLY)
            return method(*args, **arguments)

        return call
