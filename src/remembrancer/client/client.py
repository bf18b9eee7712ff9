"""`Client`: a memory that is served somewhere, with the methods of `Memory` itself.

A program moves from a file to a service by one line. Every method is one request, by the table `wire.operations`.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from functools import wraps
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from remembrancer.client.line import Line, opened, quoted_in_path
from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS, Operation
from remembrancer.resources.archives import Archives
from remembrancer.resources.context import Occasion
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.json_values import hints_of
from remembrancer.types.caller import FULL, Caller
from remembrancer.types.choice import member
from remembrancer.types.classification import Classification
from remembrancer.types.paths import path_of
from remembrancer.types.scope import LOCAL, Scope

if TYPE_CHECKING:
    from remembrancer.context.report import Context
    from remembrancer.ingest.chats import ImportedFile
    from remembrancer.ingest.importers.files import ChatFile
    from remembrancer.search.query import Recalled
    from remembrancer.types.archive import Archived, Taken
    from remembrancer.types.injection import Injected


class Client(Memory):
    """A memory that is served at an address; its methods are those of `Memory`.

    `async with Client("https://memory.example", key="rmb_…") as memory:` opens it. What is told beside a method here,
    such as `progress`, is told once, at the end. `block` waits for the service without giving way to other tasks.

    Args:
        url: where the service is.
        key: the access key; none is needed for a service of this machine that has none.
        tenant, project, agent, user, clearance: narrow what the key opens.
        reveal: show personal data as it is, in place of marks; the key needs the right `reveal`.
        timeout: seconds for which one answer is waited for; long work is waited for without end.
        retries: how often a request is sent again that was not answered, or is to come again.

    Raises:
        InvalidInput: a name is not allowed, or the address is none.
        StoreError: the extra `client` is not installed.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall] -- there is no engine here
        self,
        url: str,
        *,
        key: str = "",
        tenant: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        clearance: str | None = None,
        reveal: bool = False,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        if not key.isascii():
            raise InvalidInput("an access key holds no such characters; copy it whole from where it was made")
        self.line = Line(
            http=opened(url.rstrip("/")),
            url=url.rstrip("/"),
            key=key,
            tenant=tenant,
            scope=Scope(tenant=tenant or LOCAL, project=project, agent=agent, user=user),
            clearance=None if clearance is None else member(Classification, clearance, "clearance"),
            reveal=reveal,
            timeout=timeout,
            retries=retries,
        )
        self.caller = Caller(scope=self.line.scope, clearance=self.line.clearance or FULL, door="rest")

    async def __aenter__(self) -> Self:
        """Open the client; nothing is asked of the service yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close its connections."""
        await self.line.http.aclose()

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "Client":
        """The memory of another scope within the access key's; see `Memory.within`. It ends with this one."""
        other = object.__new__(type(self))
        caller = self.caller.within(scope, clearance=clearance, actor=actor)
        asked = self.line.clearance if clearance is None else caller.clearance
        tenant = self.line.tenant if scope.tenant == LOCAL else scope.tenant
        other.line = replace(self.line, tenant=tenant, scope=scope, clearance=asked)
        other.caller = caller
        return other

    def conversation(self, session: str) -> Conversation:
        """One session as an object of its own; see `Memory.conversation`."""
        return Conversation(self, session)

    def block(self, recalled: "Recalled", *, max_tokens: int | None = None) -> str:
        """See `Memory.block`; it waits for the service without giving way to other tasks."""
        return self.contexts.block(recalled, max_tokens=max_tokens).text


class _FarDoor:
    """A door of a client: its methods ask the service."""

    line: Line
    client: Client


def _far(operation: Operation) -> Callable[..., Any]:
    """A method that asks the service."""
    signature = inspect.signature(operation.method)

    def given(self: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        return dict(list(signature.bind(self, *args, **named).arguments.items())[1:])

    @wraps(operation.method)
    async def asked(self: Any, /, *args: Any, **named: Any) -> Any:
        found = await self.line.ask(operation, given(self, args, named))
        for watcher in ("progress", "told"):
            if callable(tell := named.get(watcher)) and isinstance(found, int):
                tell(found)
        return found

    @wraps(operation.method)
    def streamed(self: Any, /, *args: Any, **named: Any) -> Any:
        return self.line.stream(operation, given(self, args, named))

    return streamed if operation.streams else asked


def _of_client(name: str) -> Callable[..., Any]:
    """A method of a door that the client itself has."""

    def same(self: Any, /, *args: Any, **named: Any) -> Any:
        return getattr(self.client, name)(*args, **named)

    return same


async def _assemble(self: Any, occasion: Occasion) -> "Context":
    said = {one.name: getattr(occasion, one.name) for one in fields(occasion)}
    return await self.client.context(said.pop("session"), **said)


def _block(self: Any, recalled: "Recalled", *, max_tokens: int | None = None) -> "Injected":
    return self.line.ask_now(OPERATIONS["contexts.block"], {"recalled": recalled, "max_tokens": max_tokens})


async def _import_file(
    self: Any, file: "ChatFile", *, skip_bad: bool = False, progress: Callable[[int], None] | None = None
) -> "ImportedFile":
    found = await self.line.send_file(file, skip_bad=skip_bad)
    if progress is not None:
        progress(found.created + found.deduped)
    return found


def _export(
    self: Any,
    *,
    form: str = "jsonl",
    kinds: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    all_scopes: bool = False,
) -> AsyncGenerator[str, None]:
    said = {"form": form, "kinds": list(kinds), "since": since, "until": until, "all_scopes": all_scopes}
    return self.line.texts("/v1/export", said)


def _report(self: Any, user: str, *, person: str | None = None, form: str = "markdown") -> AsyncGenerator[str, None]:
    return self.line.texts(f"/v1/users/{quoted_in_path(user)}/report", {"person": person, "form": form})


def _stream(
    self: Any, *, passphrase: str, progress: Callable[[int], None] | None = None
) -> AsyncGenerator[bytes, None]:
    return self.line.pieces("POST", "/v1/archives", {}, body={"passphrase": passphrase})


async def _check(self: Any, path: "str | PathLike[str]", *, passphrase: str) -> "Archived":
    hint = hints_of(Archives.check)["return"]
    return await self.line.send_archive("/v1/archives/check", path_of(path), passphrase, {}, hint)


async def _take(
    self: Any,
    path: "str | PathLike[str]",
    *,
    passphrase: str,
    reason: str,
    progress: Callable[[int], None] | None = None,
) -> "Taken":
    hint, said = hints_of(Archives.take)["return"], {"reason": reason}
    return await self.line.send_archive("/v1/archives/take", path_of(path), passphrase, said, hint)


# What is a client's own beside the operations, by door.
_OWN: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "observations": {name: _of_client(name) for name in ("edit", "delete", "restore")},
    "contexts": {
        "assemble": _assemble,
        "block": _block,
        "reply": _of_client("reply"),
        "reply_stream": _of_client("reply_stream"),
    },
    "messages": {"import_file": _import_file},
    # `make` is as it is: it writes what is streamed, and checks the file.
    "archives": {"export": _export, "report": _report, "stream": _stream, "check": _check, "take": _take},
}


def _make_far() -> None:
    """Give `Client` its methods and its doors, by the table of operations."""
    doors: dict[str, dict[str, Any]] = {}
    for name, operation in OPERATIONS.items():
        door, _, verb = name.rpartition(".")
        if door:
            doors.setdefault(door, {})[verb] = _far(operation)
        else:
            setattr(Client, verb, _far(operation))
    for name in (*doors, *(name for name in _OWN if name not in doors)):
        methods = doors.get(name, {})
        near: type = hints_of(cast(property, getattr(Memory, name)).fget)["return"]
        own = {"__init__": _nothing, "__doc__": near.__doc__, "has_model": True, "has_embedder": True}
        far = type(f"Far{near.__name__}", (_FarDoor, near), {**own, **methods, **_OWN.get(name, {})})
        setattr(Client, name, property(_door_of(far), doc=getattr(Memory, name).__doc__))


def _nothing(_self: Any) -> None:
    """A far door has no engine."""


def _door_of(far: type) -> Callable[[Client], Any]:
    def door(self: Client) -> Any:
        made = far()
        made.line, made.client = self.line, self
        return made

    return door


_make_far()
