"""`Client`: the memory of a service, with the methods of `Memory`.

A program changes from a file to a service in one line. The table of operations defines the request of each method.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import wraps
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from remembrancer.client.transport import Transport, http_client, quoted_in_path
from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS, RESOURCES, Operation
from remembrancer.resources.archives import Archives
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.json_values import hints_of
from remembrancer.types.access import FULL, Caller
from remembrancer.types.arguments import member, path_of
from remembrancer.types.scope import LOCAL, Classification, Scope

if TYPE_CHECKING:
    from remembrancer.ingest.file_import import ImportedFile
    from remembrancer.ingest.importers.files import ChatFile
    from remembrancer.types.archive import ArchiveSummary, ImportResult


class ClientOptions(TypedDict, total=False):
    """Further options of a client.

    Args:
        tenant: the tenant; by default that of the access key.
        clearance: memories with a higher classification read as absent.
        reveal: show personal data instead of marks; the key needs the right `reveal`.
        timeout: the longest wait for one answer, in seconds (60); long work has no limit.
        retries: the number of further attempts after a failure that may pass (4).
    """

    tenant: str | None
    clearance: str | None
    reveal: bool
    timeout: float
    retries: int


class Client(Memory):
    """The memory of a service; its methods are those of `Memory`.

    `async with Client("https://memory.example", key="rmb_…") as memory:` opens it. A callback such as `progress` is
    called once, at the end.

    Args:
        url: the address of the service.
        key: the access key; a service of this machine without keys needs none.
        project, agent, user: a narrower scope within that of the key.
        options: see `ClientOptions`.

    Raises:
        InvalidInput: a name or the address is not valid.
        StoreError: the extra `client` is not installed.
    """

    def __init__(  # pyright: ignore[reportMissingSuperCall] -- there is no engine here
        self,
        url: str,
        *,
        key: str = "",
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        if not key.isascii():
            raise InvalidInput("an access key has only ASCII characters; copy the whole key")
        self.transport = _transport(url.rstrip("/"), key, {"project": project, "agent": agent, "user": user}, **options)
        self.caller = Caller(scope=self.transport.scope, clearance=self.transport.clearance or FULL, origin="rest")

    async def __aenter__(self) -> Self:
        """Open the client; no request is sent yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close its connections."""
        await self.transport.http.aclose()

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "Client":
        """Return the memory of another scope within the access key's.

        See `Memory.within`. It closes with this one.
        """
        other = object.__new__(type(self))
        caller = self.caller.within(scope, clearance=clearance, actor=actor)
        own_clearance = self.transport.clearance if clearance is None else caller.clearance
        tenant = self.transport.tenant if scope.tenant == LOCAL else scope.tenant
        other.transport = replace(self.transport, tenant=tenant, scope=scope, clearance=own_clearance)
        other.caller = caller
        return other

    def conversation(self, session: str) -> Conversation:
        """Return one session as an object of its own; see `Memory.conversation`."""
        return Conversation(self, session)


def _transport(
    url: str,
    key: str,
    names: Mapping[str, str | None],
    *,
    tenant: str | None = None,
    clearance: str | None = None,
    reveal: bool = False,
    timeout: float = 60.0,
    retries: int = 4,
) -> Transport:
    return Transport(
        http=http_client(url),
        url=url,
        key=key,
        tenant=tenant,
        scope=Scope(tenant=tenant or LOCAL, **names),
        clearance=None if clearance is None else member(Classification, clearance, "clearance"),
        reveal=reveal,
        timeout=timeout,
        retries=retries,
    )


class _RemoteResource:
    """A resource of a client; its methods send requests."""

    transport: Transport
    has_model = True
    has_embedder = True

    def __init__(self, transport: Transport) -> None:
        self.transport = transport


def _remote_method(operation: Operation) -> Callable[..., Any]:
    """Return the method of a client that sends the request of an operation."""
    signature = inspect.signature(operation.method)

    def arguments(self: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        return dict(list(signature.bind(self, *args, **named).arguments.items())[1:])

    @wraps(operation.method)
    async def send(self: Any, /, *args: Any, **named: Any) -> Any:
        result = await self.transport.call(operation, arguments(self, args, named))
        if callable(report := named.get("progress")) and isinstance(result, int):
            report(result)
        return result

    @wraps(operation.method)
    def stream(self: Any, /, *args: Any, **named: Any) -> Any:
        return self.transport.stream(operation, arguments(self, args, named))

    return stream if operation.streams else send


async def _import_file(
    self: Any, file: "ChatFile", *, skip_bad: bool = False, progress: Callable[[int], None] | None = None
) -> "ImportedFile":
    imported = await self.transport.send_file(file, skip_bad=skip_bad)
    if progress is not None:
        progress(imported.created + imported.deduped)
    return imported


def _export(
    self: Any,
    *,
    form: str = "jsonl",
    kinds: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    all_scopes: bool = False,
) -> AsyncGenerator[str, None]:
    query = {"form": form, "kinds": list(kinds), "since": since, "until": until, "all_scopes": all_scopes}
    return self.transport.texts("/v1/export", query)


def _report(self: Any, user: str, *, person: str | None = None, form: str = "markdown") -> AsyncGenerator[str, None]:
    return self.transport.texts(f"/v1/users/{quoted_in_path(user)}/report", {"person": person, "form": form})


def _stream(
    self: Any, *, passphrase: str, progress: Callable[[int], None] | None = None
) -> AsyncGenerator[bytes, None]:
    return self.transport.pieces("POST", "/v1/archives", {}, body={"passphrase": passphrase})


async def _check(self: Any, path: "str | PathLike[str]", *, passphrase: str) -> "ArchiveSummary":
    hint = hints_of(Archives.check)["return"]
    return await self.transport.send_archive("/v1/archives/check", path_of(path), passphrase, {}, hint)


async def _import_archive(
    self: Any,
    path: "str | PathLike[str]",
    *,
    passphrase: str,
    reason: str,
    progress: Callable[[int], None] | None = None,
) -> "ImportResult":
    hint, query = hints_of(Archives.import_archive)["return"], {"reason": reason}
    return await self.transport.send_archive("/v1/archives/import", path_of(path), passphrase, query, hint)


# The methods whose requests carry a file; `archives.create` is inherited, and writes the stream into a file.
_WITH_FILES: Mapping[str, Callable[..., Any]] = {
    "messages.import_file": _import_file,
    "governance.archives.export": _export,
    "governance.archives.report": _report,
    "governance.archives.stream": _stream,
    "governance.archives.check": _check,
    "governance.archives.import_archive": _import_archive,
}


def _make_remote() -> None:
    """Add the methods and resources of the operations to `Client`."""
    owners: dict[str, type] = {"": Client}
    # A resource comes before those within it.
    for path, near in RESOURCES.items():
        if path:
            owners[path] = type(f"Remote{near.__name__}", (_RemoteResource, near), {"__doc__": near.__doc__})
            parent, _, name = path.rpartition(".")
            setattr(owners[parent], name, property(_resource_of(owners[path]), doc=near.__doc__))
    methods = {name: _remote_method(operation) for name, operation in OPERATIONS.items()}
    for name, method in (*methods.items(), *_WITH_FILES.items()):
        path, _, verb = name.rpartition(".")
        setattr(owners[path], verb, method)


def _resource_of(remote: type) -> Callable[[Any], Any]:
    return lambda owner: remote(owner.transport)


_make_remote()
