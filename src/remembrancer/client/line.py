"""How requests reach a service: narrowed to a scope, sent again where no answer came, and each write once."""

import json
import random
import secrets
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
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

_AGAIN = frozenset({408, 429, 502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
_BY_TOPIC = "-"
_PIECE = 65_536
_UNQUOTED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_EXTRA = "this needs the extra 'client' (httpx2 is missing): pip install 'remembrancer[client]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The way to a service, for one scope.

    Args:
        tenant: named in each request, or `None` for that of the access key.
        scope, clearance: what the access key opens is narrowed to them.
        reveal: whether personal data is asked for as it is.
        timeout: seconds for which one answer is waited for; long work is waited for without end.
        retries: how often a request is sent again.
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

    async def ask(self, operation: Operation, given: Mapping[str, Any]) -> Any:
        """What the service answers to one operation.

        Raises:
            RemembrancerError: as the method of a memory would.
            StoreUnavailable: no answer came.
        """
        path, sent = self._sent(operation, given)
        seconds = None if operation.name in LONG else self.timeout
        answer = await self._answer(operation.verb, path, seconds, lambda: sent)
        return _returned(hints_of(operation.method)["return"], answer.json()) if answer.content else None

    async def stream(self, operation: Operation, given: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        """The pieces of one operation, as they come; last the whole.

        Raises:
            RemembrancerError: as the method of a memory would.
            StoreUnavailable: no answer came, or it broke off.
        """
        path, sent = self._sent(operation, given)
        async with self._opened(operation.verb, path, self.timeout, sent) as answer:
            name = ""
            async for line in answer.aiter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name == "piece":
                    yield json.loads(value)["text"]
                elif field == "data" and name == "problem":
                    raise error_from(json.loads(value), status=500)
                elif field == "data":
                    yield load(operation.returns, json.loads(value))

    async def send_file(self, file: "ChatFile", *, skip_bad: bool) -> Any:
        """What the service makes of a file of chats."""

        def read() -> bytes:
            with file.open() as stream:
                return stream.read()

        sent = {
            "content": await run_sync(read),
            "params": {**self._narrowing(), "name": file.title, "skip_bad": _in_query(skip_bad)},
            "headers": self._headers(),
        }
        answer = await self._answer("POST", "/v1/messages/import", None, lambda: sent)
        return load(hints_of(Messages.import_file)["return"], answer.json())

    async def pieces(
        self, verb: str, path: str, said: Mapping[str, Any], *, body: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[bytes, None]:
        """What the service answers, as it comes.

        Raises:
            RemembrancerError: as the method of a memory would.
            StoreUnavailable: no answer came, or it broke off.
        """
        asked = {name: _in_query(_as_json(name, value)) for name, value in said.items() if value is not None}
        sent: dict[str, Any] = {"params": {**self._narrowing(), **asked}, "headers": self._headers()}
        if body is not None:
            sent["json"] = body
        async with self._opened(verb, path, None, sent) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def texts(self, path: str, said: Mapping[str, Any]) -> AsyncGenerator[str, None]:
        """The same as a text."""
        decoder = getincrementaldecoder("utf-8")()
        async with aclosing(self.pieces("GET", path, said)) as pieces:
            async for piece in pieces:
                yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)

    async def send_archive(self, path: str, file: Path, passphrase: str, said: Mapping[str, Any], hint: Any) -> Any:
        """What the service makes of an archive.

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
        answer = await self._answer(
            "POST", path, None, lambda: {"content": read(), "params": {**self._narrowing(), **said}, "headers": headers}
        )
        return load(hint, answer.json())

    @asynccontextmanager
    async def _opened(
        self, verb: str, path: str, seconds: float | None, sent: Mapping[str, Any]
    ) -> AsyncGenerator["httpx2.Response", None]:
        """An answer that is read as it comes.

        Raises:
            RemembrancerError: as the method of a memory would.
            StoreUnavailable: no answer came, or it broke off.
        """
        import httpx2

        request = self.http.build_request(verb, path, timeout=seconds, **sent)
        try:
            answer = await self.http.send(request, stream=True)
            async with aclosing(answer):
                if answer.is_error:
                    raise _error(answer.status_code, await answer.aread())
                yield answer
        except httpx2.TransportError as error:
            raise self._unreached(error) from error

    async def _answer(
        self, verb: str, path: str, seconds: float | None, sent: Callable[[], Mapping[str, Any]]
    ) -> "httpx2.Response":
        import httpx2

        for attempt in range(self.retries + 1):
            is_last = attempt == self.retries
            try:
                answer = await self.http.request(verb, path, timeout=seconds, **sent())
            except httpx2.TransportError as error:
                if is_last:
                    raise self._unreached(error) from error
                await _pause(attempt, None)
                continue
            if answer.status_code in _AGAIN and not is_last:
                await _pause(attempt, answer.headers.get("retry-after"))
                continue
            if answer.is_error:
                raise _error(answer.status_code, answer.content)
            return answer
        raise AssertionError("a loop that ends by returning or raising")

    def _sent(self, operation: Operation, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the path of a request, and its parameters, headers and body."""
        values = _values(operation, given)
        path = operation.path
        may_be_topic = "id" in operation.in_path and "topic_key" in operation.values
        if may_be_topic:
            check_one_name(values.get("id"), values.get("topic_key"))
        for name in operation.in_path:
            value = values.get(name)
            by_topic = may_be_topic and name == "id" and value is None
            path = path.replace(f"{{{name}}}", quoted_in_path(_BY_TOPIC if by_topic else str(value)))
        rest = {
            name: values[name]
            for name, argument in operation.outside_path.items()
            if name in values and (values[name] is not None or argument.is_required)
        }
        sent: dict[str, Any] = {"params": self._narrowing(), "headers": self._headers(once=operation.writes)}
        if operation.has_body:
            sent["json"] = rest
        else:
            sent["params"] |= {name: _in_query(value) for name, value in rest.items()}
        return path, sent

    def _narrowing(self) -> dict[str, str]:
        scope = self.scope
        said = {
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
            "clearance": self.clearance,
            "reveal": "true" if self.reveal else None,
        }
        return {name: str(value) for name, value in said.items() if value is not None}

    def _headers(self, *, once: bool = False) -> dict[str, str]:
        said = {
            "Authorization": f"Bearer {self.key}" if self.key else "",
            "X-Tenant-ID": self.tenant or "",
            "Idempotency-Key": secrets.token_hex(16) if once else "",
        }
        return {name: value for name, value in said.items() if value}

    def _unreached(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f"the service at {self.url} cannot be reached: {type(error).__name__}")


def opened(url: str) -> "httpx2.AsyncClient":
    """Connections to a service.

    Raises:
        InvalidInput: the address is none.
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
    """Whom this process trusts; read once, which takes 20 ms."""
    import httpx2

    return httpx2.create_ssl_context()


async def _pause(attempt: int, asked: str | None) -> None:
    wait = float(asked) if asked and asked.isdigit() else 0.0
    chance = random.random()  # noqa: S311 -- so that not all come at once
    await anyio.sleep(backoff(attempt + 1, wait=wait, chance=chance, first=_FIRST_PAUSE, longest=_LONGEST_PAUSE))


def _error(status: int, body: bytes) -> RemembrancerError:
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    return error_from(cast(dict[str, Any], told) if isinstance(told, dict) else {}, status=status)


def _values(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a request as JSON; of a filter or a budget only what differs from the default."""
    values: dict[str, Any] = {}
    for name, value in operation.request_values(given).items():
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
        found = dump(value)
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} contains half of a surrogate pair, which is not valid Unicode") from error
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} cannot be sent: {error}") from error
    return found


def quoted_in_path(value: str) -> str:
    """A value as a part of a path."""
    kept = (chr(byte) if byte in _UNQUOTED else f"%{byte:02X}" for byte in value.encode())
    return "".join(kept)


def _in_query(value: Any) -> Any:
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else value


def _returned(hint: Any, answer: Any) -> Any:
    """What a method of a memory returns: a list, where it says that it returns a sequence."""
    found = load(hint, answer)
    return list(found) if get_origin(hint) is Sequence else found
