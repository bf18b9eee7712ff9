"""HTTP transport of the client.

Requests are for one scope; they are retried, and each write has an idempotency key.
"""

import json
import random
import secrets
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_origin

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, RemembrancerError, StoreError, StoreUnavailable
from remembrancer.operations import LONG, Operation, nested_class
from remembrancer.problems import error_from
from remembrancer.resources.json_values import dump, hints_of, load, names_of
from remembrancer.resources.messages import Messages
from remembrancer.types.arguments import check_one_name
from remembrancer.types.scope import Classification, Scope
from remembrancer.types.times import backoff

if TYPE_CHECKING:
    import ssl

    import httpx2

    from remembrancer.ingest.importers.files import ChatFile

_RETRIED = frozenset({408, 429, 502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
_ID_OF_TOPIC = "-"
_PIECE = 65_536
_UNQUOTED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_EXTRA = "this needs the extra 'client' (httpx2 is missing): pip install 'remembrancer[client]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """HTTP transport for one scope.

    Args:
        tenant: `None` for that of the access key.
        scope, clearance: narrow the access of the key.
        reveal: request personal data instead of marks.
        timeout: seconds to wait for an answer; long operations have no limit.
        retries: number of further attempts.
    """

    http: "httpx2.AsyncClient"
    url: str
    key: str
    tenant: str | None
    scope: Scope
    clearance: Classification | None
    reveal: bool
    timeout: float
    retries: int

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Send the request of an operation and return its result.

        Raises:
            RemembrancerError: an error of the method of a memory.
            StoreUnavailable: there was no answer.
        """
        path, request = self._request(operation, arguments)
        seconds = None if operation.name in LONG else self.timeout
        answer = await self._send(operation.verb, path, seconds, lambda: request)
        return _returned(hints_of(operation.method)["return"], answer.json()) if answer.content else None

    async def stream(self, operation: Operation, arguments: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        """Yield the pieces of a result, and the whole result last.

        Raises:
            RemembrancerError: an error of the method of a memory.
            StoreUnavailable: there was no answer, or it ended early.
        """
        path, request = self._request(operation, arguments)
        async with self._streamed(operation.verb, path, self.timeout, request) as answer:
            event = ""
            async for line in answer.aiter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    event = value
                elif field == "data" and event == "piece":
                    yield json.loads(value)["text"]
                elif field == "data" and event == "problem":
                    raise error_from(json.loads(value), status=500)
                elif field == "data":
                    yield load(operation.returns, json.loads(value))

    async def send_file(self, file: "ChatFile", *, skip_bad: bool) -> Any:
        """Send a file of chats and return the result of its import.

        Raises:
            InvalidInput: the time zone of the file has no name, which the service needs, or its fields are mapped.
        """
        if file.mapping:
            raise InvalidInput(f"{file.title}: a service maps no fields; import the file into its database")

        def read() -> bytes:
            with file.open() as stream:
                return stream.read()

        options: dict[str, Any] = {"name": file.title, "skip_bad": _in_query(skip_bad), "form": file.form}
        if file.zone is not None:
            options["time_zone"] = _zone_name(file.zone)
        request = {
            "content": await run_sync(read),
            "params": {**self._narrowing(), **options},
            "headers": self._headers(),
        }
        answer = await self._send("POST", "/v1/messages/import", None, lambda: request)
        return load(hints_of(Messages.import_file)["return"], answer.json())

    async def pieces(
        self, verb: str, path: str, query: Mapping[str, Any], *, body: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of an answer as they arrive.

        Raises:
            RemembrancerError: an error of the method of a memory.
            StoreUnavailable: there was no answer, or it ended early.
        """
        params = {name: _in_query(_as_json(name, value)) for name, value in query.items() if value is not None}
        request: dict[str, Any] = {"params": {**self._narrowing(), **params}, "headers": self._headers()}
        if body is not None:
            request["json"] = body
        async with self._streamed(verb, path, None, request) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def texts(self, path: str, query: Mapping[str, Any]) -> AsyncGenerator[str, None]:
        """Yield the text of an answer as it arrives."""
        decoder = getincrementaldecoder("utf-8")()
        async with aclosing(self.pieces("GET", path, query)) as pieces:
            async for piece in pieces:
                yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)

    async def send_archive(self, path: str, file: Path, passphrase: str, query: Mapping[str, Any], hint: Any) -> Any:
        """Send an archive and return the result.

        Raises:
            InvalidInput: there is no such file.
        """
        if not await run_sync(file.is_file):
            raise InvalidInput(f"{file} is not a file")

        async def read() -> AsyncGenerator[bytes, None]:
            stream = await run_sync(file.open, "rb")
            try:
                while piece := await run_sync(stream.read, _PIECE):
                    yield piece
            finally:
                await run_sync(stream.close)

        headers = {**self._headers(), "X-Passphrase": passphrase.encode()}
        params = {**self._narrowing(), **query}
        answer = await self._send("POST", path, None, lambda: {"content": read(), "params": params, "headers": headers})
        return load(hint, answer.json())

    @asynccontextmanager
    async def _streamed(
        self, verb: str, path: str, seconds: float | None, request: Mapping[str, Any]
    ) -> AsyncGenerator["httpx2.Response", None]:
        """Yield an answer whose body is read as it arrives.

        Raises:
            RemembrancerError: an error of the method of a memory.
            StoreUnavailable: there was no answer, or it ended early.
        """
        import httpx2

        built = self.http.build_request(verb, path, timeout=seconds, **request)
        try:
            answer = await self.http.send(built, stream=True)
            async with aclosing(answer):
                if answer.is_error:
                    raise _error(answer.status_code, await answer.aread())
                yield answer
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    async def _send(
        self, verb: str, path: str, seconds: float | None, request: Callable[[], Mapping[str, Any]]
    ) -> "httpx2.Response":
        """Send a request, with retries, and return the answer."""
        import httpx2

        for attempt in range(self.retries + 1):
            is_last = attempt == self.retries
            try:
                answer = await self.http.request(verb, path, timeout=seconds, **request())
            except httpx2.TransportError as error:
                if is_last:
                    raise self._unreachable(error) from error
                await _pause(attempt, None)
                continue
            if answer.status_code in _RETRIED and not is_last:
                await _pause(attempt, answer.headers.get("retry-after"))
                continue
            if answer.is_error:
                raise _error(answer.status_code, answer.content)
            return answer
        raise AssertionError("a loop that ends by returning or raising")

    def _request(self, operation: Operation, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the path of a request, and its parameters, headers and body."""
        values = _values(operation, arguments)
        path = operation.path
        may_be_topic = "id" in operation.in_path and "topic_key" in operation.values
        if may_be_topic:
            check_one_name(values.get("id"), values.get("topic_key"))
        for name in operation.in_path:
            value = values.get(name)
            by_topic = may_be_topic and name == "id" and value is None
            path = path.replace(f"{{{name}}}", quoted_in_path(_ID_OF_TOPIC if by_topic else str(value)))
        rest = {
            name: values[name]
            for name, argument in operation.outside_path.items()
            if name in values and (values[name] is not None or argument.is_required)
        }
        request: dict[str, Any] = {"params": self._narrowing(), "headers": self._headers(once=operation.writes)}
        if operation.has_body:
            request["json"] = rest
        else:
            request["params"] |= {name: _in_query(value) for name, value in rest.items()}
        return path, request

    def _narrowing(self) -> dict[str, str]:
        scope = self.scope
        params = {
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
            "clearance": self.clearance,
            "reveal": "true" if self.reveal else None,
        }
        return {name: str(value) for name, value in params.items() if value is not None}

    def _headers(self, *, once: bool = False) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.key}" if self.key else "",
            "X-Tenant-ID": self.tenant or "",
            "Idempotency-Key": secrets.token_hex(16) if once else "",
        }
        return {name: value for name, value in headers.items() if value}

    def _unreachable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f"the service at {self.url} cannot be reached: {type(error).__name__}")


def http_client(url: str) -> "httpx2.AsyncClient":
    """Return an HTTP client for a service.

    Raises:
        InvalidInput: the address is not valid.
        StoreError: the extra `client` is not installed.
    """
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise StoreError(_EXTRA) from error
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("the url must begin with http:// or https://, such as http://localhost:8077")
    if url.endswith(("/v1", "/mcp")):
        raise InvalidInput("the url is that of the service, without /v1 or /mcp, such as http://localhost:8077")
    return httpx2.AsyncClient(base_url=url, verify=_certificates())


@cache
def _certificates() -> "ssl.SSLContext":
    """Load the trusted certificates, once: that costs 20 ms."""
    import httpx2

    return httpx2.create_ssl_context()


async def _pause(attempt: int, retry_after: str | None) -> None:
    wait = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    chance = random.random()  # noqa: S311 -- clients must not retry all at once
    await anyio.sleep(backoff(attempt + 1, wait=wait, chance=chance, first=_FIRST_PAUSE, longest=_LONGEST_PAUSE))


def _error(status: int, body: bytes) -> RemembrancerError:
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    return error_from(cast(dict[str, Any], problem) if isinstance(problem, dict) else {}, status=status)


def _values(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a request as JSON.

    Of a filter or a budget only what differs from the default.
    """
    values: dict[str, Any] = {}
    for name, value in operation.request_values(arguments).items():
        kind = nested_class(operation.values[name].hint)
        if kind is None or not isinstance(value, kind):
            values[name] = _as_json(name, value)
            continue
        default = kind()
        parts = {part: getattr(value, part) for part in names_of(kind)}
        changed = {part: _as_json(part, one) for part, one in parts.items() if one != getattr(default, part)}
        values |= {name: changed} if operation.has_body else changed
    return values


def _as_json(name: str, value: Any) -> Any:
    """Return a value as JSON.

    Raises:
        InvalidInput: it cannot be written as JSON.
    """
    try:
        dumped = dump(value)
        json.dumps(dumped, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} contains half of a surrogate pair, which is not valid Unicode") from error
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} cannot be sent: {error}") from error
    return dumped


def quoted_in_path(value: str) -> str:
    """Return a value as a percent-encoded segment of a path."""
    return "".join(chr(byte) if byte in _UNQUOTED else f"%{byte:02X}" for byte in value.encode())


def _zone_name(zone: tzinfo) -> str:
    """Return the name of a time zone.

    Raises:
        InvalidInput: it has none, such as a fixed offset.
    """
    name = "UTC" if zone is UTC else getattr(zone, "key", None)
    if not name:
        raise InvalidInput(f"the time zone {zone} has no name; use one such as ZoneInfo('Europe/Berlin')")
    return name


def _in_query(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value


def _returned(hint: Any, answer: Any) -> Any:
    """Return the result of a method from JSON; a sequence is a list."""
    result = load(hint, answer)
    return list(result) if get_origin(hint) is Sequence else result
