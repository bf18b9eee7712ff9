"""The checks of every request before its route: id, host, access key, size and rate."""

import re
import secrets
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import monotonic

import anyio
from starlette.datastructures import URL, Headers, QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remembrancer.errors import InvalidInput, RemembrancerError, StoreError, Unauthenticated
from remembrancer.memory import Memory
from remembrancer.service.rest.options import HandledRequest, ServiceOptions
from remembrancer.service.rest.problem_responses import (
    RequestRefused,
    error_response,
    log_unexpected,
    refusal_response,
    unexpected_response,
)
from remembrancer.service.rest.rate_limits import RateLimiter
from remembrancer.types.access import Caller
from remembrancer.types.arguments import is_loopback
from remembrancer.types.scope import LOCAL, REQUEST
from remembrancer.types.scope import Scope as MemoryScope

# Answered without the store.
WITHOUT_STORE = frozenset({"/health", "/openapi.json"})
OPEN_TO_ALL = frozenset({"/ready", "/metrics"}) | WITHOUT_STORE
FILES = frozenset({"/v1/messages/import", "/v1/jobs/import", "/v1/archives/check", "/v1/archives/import"})
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_UNMASKED = re.compile(r"/v1/archives(?:/check|/import)?|/v1/users/[^/]+/report")
_DISCONNECTED = 499
_SHARE_OF_A_TENANT = 0.75
# Replaces an escaped slash within a part of a path; a private-use character.
SLASH = "\uf02f"
_ESCAPED = re.compile(rb"%([0-9a-fA-F]{2})")


class Gate:
    """The ASGI app that checks each request before the routes.

    Attributes:
        files: the paths whose bodies are files.
    """

    files = FILES

    def __init__(self, app: ASGIApp, memory: Memory, options: ServiceOptions) -> None:
        self._app = app
        self._memory = memory
        self._options = options
        self._rate = RateLimiter(options.rate)
        self._failed_keys = RateLimiter(5.0)
        self._arrived = 0
        self._running_of = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to its route, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        sent_id = headers.get("x-request-id", "")
        id = sent_id if _ID.fullmatch(sent_id) else secrets.token_hex(8)
        token = REQUEST.set(id)
        began, status = monotonic(), [_DISCONNECTED]

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", id.encode())]
            await send(message)

        scope.setdefault("state", {})
        if b"%2f" in scope.get("raw_path", b"").lower():
            scope["path"] = _unescaped_path(scope["raw_path"])
        with self._options.trace(headers) as end_trace:
            try:
                await self._answer(scope, self._limited(scope, headers, receive), send_with_id, status)
            finally:
                REQUEST.reset(token)
                caller: Caller | None = scope["state"].get("caller")
                handled = HandledRequest(
                    id=id,
                    origin=scope["state"].get("origin", "rest"),
                    route=scope["state"].get("route", "none"),
                    status=status[0],
                    seconds=monotonic() - began,
                    tenant=caller.scope.tenant if caller else "",
                    agent=(caller.scope.agent or "") if caller else "",
                    key=caller.actor if caller else "",
                )
                end_trace(handled)
                self._options.on_request(handled)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, status: list[int]) -> None:
        # As many again may be at their checks.
        if self._arrived >= 2 * self._options.at_once:
            await self.error_response(scope, self._too_many())(scope, receive, send)
            return
        self._arrived += 1
        try:
            await self._admit(scope)
            with self._counted(scope["state"].get("caller")):
                await self._app(scope, receive, send)
        except Exception as error:
            if not isinstance(error, RequestRefused | RemembrancerError):
                log_unexpected(error)
            if status[0] == _DISCONNECTED:
                await self.error_response(scope, error)(scope, receive, send)
        finally:
            self._arrived -= 1

    def _too_many(self) -> RequestRefused:
        return RequestRefused("too-many-requests", f"{self._options.at_once} requests are running; try again later")

    @contextmanager
    def _counted(self, caller: Caller | None) -> Generator[None, None]:
        """Count a running request of a tenant; a part of all is left to other tenants.

        Raises:
            RequestRefused: too many are running, of all tenants or of this one.
        """
        if self._running_of.total() >= self._options.at_once:
            raise self._too_many()
        tenant = caller.scope.tenant if caller else ""
        most = max(1, int(_SHARE_OF_A_TENANT * self._options.at_once))
        if tenant and self._running_of[tenant] >= most:
            raise RequestRefused("too-many-requests", f"{most} requests of this tenant are running; try again later")
        self._running_of[tenant] += 1
        try:
            yield
        finally:
            self._running_of[tenant] -= 1
            if not self._running_of[tenant]:
                del self._running_of[tenant]

    def error_response(self, scope: Scope, error: Exception) -> ASGIApp:
        """Return the response to a request that failed."""
        match error:
            case RequestRefused():
                return refusal_response(error)
            case RemembrancerError():
                return error_response(error)
            case _:
                return unexpected_response()

    async def _admit(self, scope: Scope) -> None:
        """Authenticate a request, and set its caller and memory.

        Raises:
            RequestRefused: the host, the origin or the rate is not allowed.
            Unauthenticated: a valid access key is required.
        """
        headers, path = Headers(scope=scope), scope["path"]
        state = scope["state"]
        state["origin"] = "mcp" if path == "/mcp" or path.startswith("/mcp/") else "rest"
        self._check_origin(headers)
        if path in WITHOUT_STORE:
            return
        token = access_token(headers)
        needs_keys = self._options.keys_only or bool(token) or await self._needs_keys(path)
        if not needs_keys:
            self._check_host(headers)
        if path in OPEN_TO_ALL:
            state["open"] = not needs_keys
            return
        client = scope.get("client") or ("", 0)
        caller = await self._caller(headers, token, needs_keys, state["origin"], client[0])
        query = QueryParams(scope["query_string"])
        caller = self._memory.authenticator.narrow(
            caller,
            MemoryScope(tenant=caller.scope.tenant, **{name: query.get(name) for name in ("project", "agent", "user")}),
            clearance=query.get("clearance"),
        )
        # Archives and reports contain personal data by their purpose; their own rights protect them.
        if not _UNMASKED.fullmatch(path):
            caller = self._memory.authenticator.masked(caller, reveal=_wants_reveal(query))
        state["caller"], state["memory"] = caller, self._memory.authenticator.memory_of(caller)
        if not self._rate.allows(caller.actor + caller.scope.tenant if needs_keys else client[0]):
            raise RequestRefused(
                "too-many-requests", f"more than {self._options.rate:g} requests per second; try again later"
            )

    async def _needs_keys(self, path: str) -> bool:
        """Return True if an access key exists. If the store is unavailable, the open routes need a token."""
        try:
            return await self._memory.authenticator.needs_keys()
        except StoreError:
            if path in OPEN_TO_ALL:
                return True
            raise

    async def _caller(self, headers: Headers, token: str, needs_keys: bool, origin: str, client: str) -> Caller:
        authenticator, tenant = self._memory.authenticator, headers.get("x-tenant-id")
        if not needs_keys:
            own = self._memory.scope
            requested = MemoryScope(tenant=tenant) if tenant and tenant != own.tenant else own
            if own.tenant != LOCAL and requested != own:
                return authenticator.narrow(authenticator.anonymous_caller(own, origin=origin), requested)
            return authenticator.anonymous_caller(requested, origin=origin)
        try:
            return await authenticator.authenticate(token, origin=origin, tenant=tenant or None)
        except Unauthenticated:
            if not self._failed_keys.allows(client):
                raise RequestRefused("too-many-requests", "too many invalid access keys; try again later") from None
            raise

    def _check_host(self, headers: Headers) -> None:
        """Refuse host names that resolve to loopback (DNS rebinding)."""
        host = _host(headers)
        if not (is_loopback(host) or host in self._options.hosts):
            raise RequestRefused(
                "wrong-host", "without an access key the service answers only to localhost; set `service_hosts`"
            )

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin in self._options.origins:
            return
        if not (is_loopback(_host_name(origin)) and is_loopback(_host(headers))):
            raise RequestRefused("wrong-origin", "this origin is not allowed; set `service_origins`")

    def _limited(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Return the source of the body of a request with limits of size and time."""
        most = self._options.file_bytes if scope["path"] in self.files else self._options.bytes
        announced = headers.get("content-length", "0")
        size, is_complete = 0, False

        async def receive_limited() -> Message:
            nonlocal size, is_complete
            if announced.isdigit() and int(announced) > most:
                raise RequestRefused("too-large", f"the body has {announced} bytes; at most {most} are allowed")
            if is_complete:
                return await receive()
            with anyio.move_on_after(self._options.body_seconds):
                message = await receive()
                size += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if size > most:
                    raise RequestRefused("too-large", f"the body has more than {most} bytes")
                return message
            raise RequestRefused(
                "body-too-slow", f"no data of the body was received for {self._options.body_seconds:g} seconds"
            )

        return receive_limited


def _wants_reveal(query: QueryParams) -> bool:
    """Return True if a request asks for unmasked personal data.

    Raises:
        InvalidInput: `reveal` is neither `true` nor `false`.
    """
    value = query.get("reveal", "false")
    if value not in ("true", "false"):
        raise InvalidInput("reveal must be true or false")
    return value == "true"


def access_token(headers: Mapping[str, str]) -> str:
    """Return the access key of a request, or `""`."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()


def _unescaped_path(raw: bytes) -> str:
    """Return a path with escaped slashes replaced by `SLASH`."""
    escaped = raw.replace(b"%2F", SLASH.encode()).replace(b"%2f", SLASH.encode())
    return _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), escaped).decode("utf-8", "replace")


def _host(headers: Headers) -> str:
    """Return the host name of a request."""
    return _host_name(f"http://{headers.get('host', '')}")


def _host_name(url: str) -> str:
    """Return the host name of a URL; `""` for none or an invalid URL."""
    try:
        return URL(url).hostname or ""
    except ValueError:
        return ""
