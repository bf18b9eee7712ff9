"""The checks of every request to the console before its page: host, session, scope and rate."""

from collections.abc import Mapping
from dataclasses import replace

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remembrancer.errors import NotFound, RemembrancerError, Unauthenticated
from remembrancer.memory import Memory
from remembrancer.problems import SERVICE_PROBLEMS, error_type
from remembrancer.service.console.options import ConsoleOptions
from remembrancer.service.console.rendering import error_page
from remembrancer.service.rest.gate import Gate
from remembrancer.service.rest.problem_responses import RequestRefused
from remembrancer.types.access import Caller, Right
from remembrancer.types.arguments import is_loopback
from remembrancer.types.scope import DIMENSIONS, LOCAL
from remembrancer.types.scope import Scope as MemoryScope

ROOT = "/console"
SIGN_IN = f"{ROOT}/sign-in"
SIGN_OUT = f"{ROOT}/sign-out"
ASSETS = f"{ROOT}/assets/"
SESSION_COOKIE = "remembrancer_session"
LOCAL_PERSON = "a person at this machine"
"""The actor of a console without a sign-in."""
_IMPORTS = frozenset({f"{ROOT}/governance/archives", f"{ROOT}/governance/import"})
_UNMASKED = frozenset({f"{ROOT}/governance/archives", f"{ROOT}/governance/report"})
# Texts of memories are never run: no inline script, style or event handler has an effect.
SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Without a referrer browsers send the origin `null` with forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SessionRequired(Unauthenticated):
    """A page that needs a person to sign in first."""


class ConsoleGate(Gate):
    """The ASGI app that checks each request before the pages of the console."""

    files = _IMPORTS

    def __init__(self, app: ASGIApp, memory: Memory, options: ConsoleOptions) -> None:
        super().__init__(app, memory, options.service)
        self._console = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to its page with the headers of security, or refuse it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await super().__call__(scope, receive, send_with_headers)

    def error_response(self, scope: Scope, error: Exception) -> ASGIApp:
        """Return a page for a request that failed; without a session, the way to the page of the sign-in."""
        if isinstance(error, SessionRequired):
            # A form of an ended session is not sent again: its page is opened.
            target = scope["path"] if scope["method"] == "GET" else ROOT
            query = scope["query_string"].decode("latin-1") if scope["method"] == "GET" else ""
            parameters = {"next": f"{target}?{query}" if query else target}
            if _cookie(scope):
                parameters["ended"] = "1"
            return RedirectResponse(f"{SIGN_IN}?{QueryParams(parameters)}", 303)
        return error_page(Request(scope), *fault(error))

    async def _admit(self, scope: Scope) -> None:
        """Find the session of a request, and set its caller and memory.

        Raises:
            RequestRefused: the host, the origin or the rate is not allowed.
            SessionRequired: a person has to sign in first.
        """
        headers, path, state = Headers(scope=scope), scope["path"], scope["state"]
        state["origin"] = "console"
        state["options"] = self._console
        self._check_origin(headers)
        # A picture or a script of another site opens no page; a link to it does.
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode", "navigate") != "navigate":
            raise RequestRefused("wrong-origin", "another site asked for this page; open the console itself")
        signs_in = self._console.sign_in and (self._options.keys_only or await self._memory.authenticator.needs_keys())
        if not signs_in:
            self._check_host(headers)
        state["signs_in"] = signs_in
        client = (scope.get("client") or ("", 0))[0]
        if not self._rate.allows(client):
            raise RequestRefused("too-many-requests", "too many requests; wait a second, then load the page again")
        if path.startswith(ASSETS):
            return
        if path == SIGN_IN:
            state["admit_key"] = self._key_admitted
            return
        query = QueryParams(scope["query_string"])
        caller = await self._signed_in(scope, query) if signs_in else self._anonymous(query)
        authenticator = self._memory.authenticator
        state["view"] = authenticator.narrow(caller, scope_named(caller, query))
        own = QueryParams(query["at"]) if query.get("at") else query
        caller = authenticator.narrow(caller, scope_named(caller, own), clearance=query.get("clearance") or None)
        # Archives and reports contain personal data by their purpose; their own rights protect them.
        if path not in _UNMASKED:
            reveal = query.get("reveal") == "1" and Right.REVEAL in caller.rights
            caller = authenticator.masked(caller, reveal=reveal)
        state["caller"], state["memory"] = caller, authenticator.memory_of(caller)

    async def _signed_in(self, scope: Scope, query: QueryParams) -> Caller:
        session = _cookie(scope)
        if not session:
            raise SessionRequired("sign in first")
        try:
            return await self._memory.authenticator.resume_session(
                session, origin="console", tenant=query.get("tenant") or None
            )
        except Unauthenticated as error:
            raise SessionRequired(str(error)) from error

    def _anonymous(self, query: QueryParams) -> Caller:
        authenticator, own = self._memory.authenticator, self._memory.scope
        tenant = query.get("tenant") or own.tenant
        if tenant != own.tenant and own.tenant != LOCAL:
            raise NotFound("tenant", tenant)
        scope = own if tenant == own.tenant else MemoryScope(tenant=tenant)
        caller = authenticator.anonymous_caller(scope, origin="console")
        return replace(caller, actor=caller.actor or LOCAL_PERSON)

    async def _key_admitted(self, client: str, token: str) -> str:
        """Return a new session for an access key.

        Raises:
            Unauthenticated: the key is not valid.
            RequestRefused: too many invalid keys were sent from this address.
        """
        try:
            return await self._memory.authenticator.start_session(token, lifetime=self._console.lifetime)
        except Unauthenticated:
            if not self._failed_keys.allows(client):
                raise RequestRefused(
                    "too-many-requests", "too many invalid access keys; wait a minute, then try again"
                ) from None
            raise

    def _check_origin(self, headers: Headers) -> None:
        """Refuse forms of other sites. A link from anywhere opens a page."""
        origin = headers.get("origin")
        if origin is None or origin in self._options.origins:
            return
        if origin.partition("://")[2] != headers.get("host", ""):
            raise RequestRefused(
                "wrong-origin",
                "the form was sent from another site; open the console itself."
                " Behind a proxy set `service_origins` to the address in the browser",
            )


def is_secure(request: Request) -> bool:
    """Return True if the cookies of a request must not be sent without encryption: everywhere but on this machine."""
    return request.url.scheme == "https" or not is_loopback(request.url.hostname or "")


def _cookie(scope: Scope) -> str:
    return Request(scope).cookies.get(SESSION_COOKIE, "")


def scope_named(caller: Caller, query: QueryParams) -> MemoryScope:
    """Return the scope that parameters name within the tenant of a caller."""
    return MemoryScope(tenant=caller.scope.tenant, **{name: query.get(name) or None for name in DIMENSIONS})


def own_address(address: str, default: str = ROOT) -> str:
    """Return an address if it is one of the console, else the default."""
    is_own = address.startswith((f"{ROOT}/", f"{ROOT}?")) or address == ROOT
    return address if is_own and "\\" not in address and address.isprintable() else default


def fault(error: Exception) -> tuple[int, str, str]:
    """Return the status of an error, its title and what to change."""
    match error:
        case RequestRefused():
            return error.status_code, error.problem.title, error.detail
        case RemembrancerError():
            problem = error_type(error)
            return problem.status, problem.title, str(error)
        case _:
            problem, _ = SERVICE_PROBLEMS["unexpected"]
            return problem.status, problem.title, "see the log of the service for the id of this request"
