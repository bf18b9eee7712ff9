"""What every request passes before any route: its id, the host's name, the access key, its size, its rate."""

import re
import secrets
from collections.abc import Mapping
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
from remembrancer.types.scope import Scope as Whose

# Answered without a look at the store: it may be away, and they tell nothing of what it holds.
ALWAYS_THERE = frozenset({"/health", "/openapi.json"})
OPEN_TO_ALL = frozenset({"/ready", "/metrics"}) | ALWAYS_THERE
FILES = frozenset({"/v1/messages/import", "/v1/jobs/import", "/v1/archives/check", "/v1/archives/import"})
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_WHOLE = re.compile(r"/v1/archives(?:/check|/import)?|/v1/users/[^/]+/report")
_GONE = 499
# Stands for a slash within a part of a path, which would else be cut there; a character of nobody's.
SLASH = "\uf02f"
_ESCAPED = re.compile(rb"%([0-9a-fA-F]{2})")


class Gate:
    """The outermost part of the service (ASGI)."""

    def __init__(self, app: ASGIApp, memory: Memory, serving: ServiceOptions) -> None:
        self._app = app
        self._memory = memory
        self._serving = serving
        self._pace = RateLimiter(serving.rate)
        self._refused = RateLimiter(5.0)
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        asked = headers.get("x-request-id", "")
        id = asked if _ID.fullmatch(asked) else secrets.token_hex(8)
        token = REQUEST.set(id)
        began, status = monotonic(), [_GONE]

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", id.encode())]
            await send(message)

        scope.setdefault("state", {})
        if b"%2f" in scope.get("raw_path", b"").lower():
            scope["path"] = _whole_parts(scope["raw_path"])
        with self._serving.traced(headers) as traced:
            try:
                await self._passed(scope, self._measured(scope, headers, receive), told, status)
            finally:
                REQUEST.reset(token)
                caller: Caller | None = scope["state"].get("caller")
                handled = HandledRequest(
                    id=id,
                    door=scope["state"].get("door", "rest"),
                    route=scope["state"].get("route", "none"),
                    status=status[0],
                    seconds=monotonic() - began,
                    tenant=caller.scope.tenant if caller else "",
                    agent=(caller.scope.agent or "") if caller else "",
                    key=caller.actor if caller else "",
                )
                traced(handled)
                self._serving.told(handled)

    async def _passed(self, scope: Scope, receive: Receive, send: Send, status: list[int]) -> None:
        if self._at_work >= self._serving.at_once:
            refusal = RequestRefused("too-many-requests", f"{self._serving.at_once} requests are at work; come again")
            await refusal_response(refusal)(scope, receive, send)
            return
        self._at_work += 1
        try:
            await self._admit(scope)
            await self._app(scope, receive, send)
        except RequestRefused as refusal:
            if status[0] == _GONE:
                await refusal_response(refusal)(scope, receive, send)
        except RemembrancerError as error:
            if status[0] == _GONE:
                await error_response(error)(scope, receive, send)
        except Exception as error:
            log_unexpected(error)
            if status[0] == _GONE:
                await unexpected_response()(scope, receive, send)
        finally:
            self._at_work -= 1

    async def _admit(self, scope: Scope) -> None:
        """Find out who asks.

        Raises:
            Refusal: the host's name, the page or the rate is not allowed.
            Unauthenticated: a key is needed, and there is none that opens.
        """
        headers, path = Headers(scope=scope), scope["path"]
        state = scope["state"]
        state["door"] = "mcp" if path == "/mcp" or path.startswith("/mcp/") else "rest"
        self._check_origin(headers)
        if path in ALWAYS_THERE:
            return
        token = shown(headers)
        needs_keys = self._serving.keys_only or bool(token) or await self._needs_keys(path)
        if not needs_keys:
            self._check_host(headers)
        if path in OPEN_TO_ALL:
            state["open"] = not needs_keys
            return
        client = scope.get("client") or ("", 0)
        caller = await self._caller(headers, token, needs_keys, state["door"], client[0])
        query = QueryParams(scope["query_string"])
        caller = self._memory.authenticator.narrowed(
            caller,
            Whose(tenant=caller.scope.tenant, **{name: query.get(name) for name in ("project", "agent", "user")}),
            clearance=query.get("clearance"),
        )
        # An archive and a report hold all by their purpose; their own rights guard them.
        if not _WHOLE.fullmatch(path):
            caller = self._memory.authenticator.masked(caller, reveal=_asks_to_reveal(query))
        state["caller"], state["memory"] = caller, self._memory.authenticator.memory_of(caller)
        if not self._pace.takes(caller.actor + caller.scope.tenant if needs_keys else client[0]):
            raise RequestRefused(
                "too-many-requests", f"more than {self._serving.rate:g} requests a second; come again later"
            )

    async def _needs_keys(self, path: str) -> bool:
        """Whether an access key was ever made; where the store is away, whoever watches it shows what opens metrics."""
        try:
            return await self._memory.authenticator.needs_keys()
        except StoreError:
            if path in OPEN_TO_ALL:
                return True
            raise

    async def _caller(self, headers: Headers, token: str, needs_keys: bool, door: str, client: str) -> Caller:
        authenticator, tenant = self._memory.authenticator, headers.get("x-tenant-id")
        if not needs_keys:
            own = self._memory.scope
            asked = Whose(tenant=tenant) if tenant and tenant != own.tenant else own
            if own.tenant != LOCAL and asked != own:
                return authenticator.narrowed(authenticator.anonymous_caller(own, origin=door), asked)
            return authenticator.anonymous_caller(asked, origin=door)
        try:
            return await authenticator.admit(token, origin=door, tenant=tenant or None)
        except Unauthenticated:
            if not self._refused.takes(client):
                raise RequestRefused("too-many-requests", "too many refused access keys; come again later") from None
            raise

    def _check_host(self, headers: Headers) -> None:
        """Refuse a page that has a name of its own resolve to loopback (DNS rebinding)."""
        host = _host(headers)
        if not (is_loopback(host) or host in self._serving.hosts):
            raise RequestRefused(
                "wrong-host", "without an access key the service answers to localhost alone; set `service_hosts`"
            )

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin in self._serving.origins:
            return
        if not (is_loopback(_named(origin)) and is_loopback(_host(headers))):
            raise RequestRefused("wrong-origin", "pages of that origin may not come in; set `service_origins`")

    def _measured(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """What gives the body of a request, as long as it comes and is not too large."""
        most = self._serving.file_bytes if scope["path"] in FILES else self._serving.bytes
        announced = headers.get("content-length", "0")
        had, is_whole = 0, False

        async def measured() -> Message:
            nonlocal had, is_whole
            if announced.isdigit() and int(announced) > most:
                raise RequestRefused("too-large", f"the body has {announced} bytes; at most {most} are allowed")
            if is_whole:
                return await receive()
            with anyio.move_on_after(self._serving.body_seconds):
                message = await receive()
                had += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if had > most:
                    raise RequestRefused("too-large", f"the body has more than the {most} bytes that are allowed")
                return message
            raise RequestRefused(
                "body-too-slow", f"no more of the body came for {self._serving.body_seconds:g} seconds"
            )

        return measured


def _asks_to_reveal(query: QueryParams) -> bool:
    """Return True if a request asks for personal data as it is.

    Raises:
        InvalidInput: `reveal` is neither `true` nor `false`.
    """
    asked = query.get("reveal", "false")
    if asked not in ("true", "false"):
        raise InvalidInput("reveal must be true or false")
    return asked == "true"


def shown(headers: Mapping[str, str]) -> str:
    """The access key that a request shows, or `""`."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()


def _whole_parts(raw: bytes) -> str:
    """A path whose parts stay whole where they hold a slash."""
    kept = raw.replace(b"%2F", SLASH.encode()).replace(b"%2f", SLASH.encode())
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), kept).decode("utf-8", "replace")


def _host(headers: Headers) -> str:
    """The name by which a request reaches the service."""
    return _named(f"http://{headers.get('host', '')}")


def _named(url: str) -> str:
    """The host that an address names; `""` for none, and for what is no address."""
    try:
        return URL(url).hostname or ""
    except ValueError:
        return ""
