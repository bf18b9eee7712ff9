"""One request of a browser to the console: its memory, its place in scope and time, its answers."""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, cast

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.service.console.checked_memory import allows, changes, checked
from remembrancer.service.console.gate import ROOT, SESSION_COOKIE, is_secure, own_address, scope_named
from remembrancer.service.console.options import ConsoleOptions
from remembrancer.service.console.rendering import render, theme_of
from remembrancer.service.rest.problem_responses import RequestRefused
from remembrancer.types.access import Caller, Right
from remembrancer.types.record import Record
from remembrancer.types.scope import DIMENSIONS, Scope

NOTICE_COOKIE = "remembrancer_notice"
FORM_TOKEN = "form_token"  # noqa: S105 -- the name of a field
# Parameters that every link of a page keeps.
_KEPT = ("tenant", *DIMENSIONS, "as_of", "reveal")
# Pages that belong to another entry of the menu.
_SECTION_OF = {"/conversation": "/conversations", "/costs": "/operations", "/diff": "/timeline", "/scopes": "/"}
_LOCAL_TIME = "%Y-%m-%dT%H:%M"
_MAX_NOTICE = 2_000
_MOST_SCOPES = 12


class ConsoleRequest:
    """One request of a browser to the console.

    Attributes:
        memory: the memory of the scope, whose operations check their rights; of one record's scope where the address
            names it with `at`.
        form: the fields of a form, or empty.
        view: the caller in the scope that a person chose, which every link keeps.
    """

    def __init__(self, request: Request, form: FormData | None = None) -> None:
        state = request.scope["state"]
        self.request = request
        self.form = form if form is not None else FormData()
        self.options: ConsoleOptions = state["options"]
        self.caller: Caller = state["caller"]
        self.signs_in: bool = state["signs_in"]
        self.view: Caller = state["view"]
        self._open: Memory = state["memory"]
        self.memory = checked(self._open, read_only=self.options.read_only)
        self.zone: tzinfo = self._open.authenticator.zone(self.caller.scope.tenant)
        self.now: datetime = self._open.authenticator.now()
        self.as_of = self.moment_of(self.query("as_of"))

    # What the address and the form contain

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        return self.request.query_params.get(name, default)

    def queries(self, name: str) -> list[str]:
        """Return all values of a parameter of the address that are not blank."""
        return [value for value in self.request.query_params.getlist(name) if value]

    def field(self, name: str, default: str = "") -> str:
        """Return a field of the form."""
        value = self.form.get(name, default)
        return value if isinstance(value, str) else default

    def fields(self, name: str) -> list[str]:
        """Return all values of a field of the form that are not blank."""
        return [value for value in self.form.getlist(name) if isinstance(value, str) and value]

    def file(self, name: str) -> UploadFile:
        """Return a file of the form.

        Raises:
            InvalidInput: no file was chosen.
        """
        value = self.form.get(name)
        if not isinstance(value, UploadFile) or not value.filename:
            raise InvalidInput("choose a file first")
        return value

    def whole(self, name: str, default: int, *, low: int = 1, high: int = 1_000) -> int:
        """Return a whole number of the address, within bounds.

        Raises:
            InvalidInput: it is not a whole number.
        """
        text = self.query(name) or str(default)
        if not text.lstrip("-").isdecimal():
            raise InvalidInput(f"{name} must be a whole number")
        return min(high, max(low, int(text[:10])))

    def time(self, name: str) -> datetime | None:
        """Return a time of the address, in the zone of the scope where it names none; `None` without one.

        Raises:
            InvalidInput: it is not a time.
        """
        return self.moment_of(self.query(name), what=name)

    def moment_of(self, text: str, *, what: str = "as_of") -> datetime | None:
        """Return a time that was written by a person, or by this console; `None` for none.

        Raises:
            InvalidInput: it is not a time.
        """
        if not text:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(f"{what} is not a time; write it as 2026-01-31T09:00") from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=self.zone)).astimezone(UTC)

    def within(self, scope: Scope) -> Memory:
        """Return the memory of another scope that the caller may open, with the same checks.

        Raises:
            NotFound: the scope is not within that of the access key.
        """
        authenticator = self._open.authenticator
        caller = self.caller.within(scope)
        return checked(authenticator.memory_of(caller), read_only=self.options.read_only)

    def memory_at(self, at: str) -> Memory:
        """Return the memory of the scope that a form names; that of the page for `""`."""
        return self.within(scope_named(self.caller, QueryParams(at))) if at else self.memory

    async def other_scopes(self) -> list[tuple[str, str]]:
        """Return names of scopes with this page in them, where it shows shared memories only."""
        if not self.everything:
            return []
        shared = Scope(tenant=self.caller.scope.tenant)
        found = [one for one in await self.memory.admin.scopes(limit=_MOST_SCOPES) if one != shared]
        return [(self.name_of(one), self.here(**_names(one))) for one in found]

    # What the caller may do

    def may(self, *operations: str) -> bool:
        """Return True if the caller may use all these operations now; nothing is changed in the past."""
        return all(
            allows(self.caller, one, read_only=self.options.read_only) and not (self.as_of and changes(one))
            for one in operations
        )

    def has(self, right: str) -> bool:
        """Return True if the caller has a right."""
        return Right(right) in self.caller.rights

    @property
    def everything(self) -> bool:
        """True if lists contain all scopes of the tenant: for its operators, until they choose a scope."""
        return self._is_whole(self.caller)

    def _is_whole(self, caller: Caller) -> bool:
        whole = Scope(tenant=caller.scope.tenant)
        return caller.scope == whole and caller.wall in (None, whole) and Right.OPERATE in caller.rights

    @property
    def is_durable(self) -> bool:
        """True if the memories outlive the process of the service."""
        return self._open.authenticator.is_durable

    # Times and addresses

    def local(self, moment: datetime) -> str:
        """Return a time in the zone of the scope."""
        return moment.astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    def exact(self, moment: datetime) -> str:
        """Return a time to the second, with its zone."""
        return moment.astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S %Z")

    def iso(self, moment: datetime) -> str:
        """Return a time for a field of a form, in the zone of the scope."""
        return moment.astimezone(self.zone).strftime(_LOCAL_TIME)

    def url(self, path: str, **parameters: Any) -> str:
        """Return the address of a page, in the same scope and time unless parameters name others.

        A parameter of `None` or `""` is left out.
        """
        kept = {name: self.query(name) for name in _KEPT}
        pairs = [
            (name, str(one))
            for name, value in {**kept, **parameters}.items()
            for one in (cast(list[Any], value) if isinstance(value, list) else [value])
            if one not in (None, "")
        ]
        return f"{ROOT}{path}{f'?{QueryParams(pairs)}' if pairs else ''}"

    def here(self, **parameters: Any) -> str:
        """Return the address of this page with other parameters."""
        path = self.request.url.path.removeprefix(ROOT)
        own = {name: self.request.query_params.getlist(name) for name in self.request.query_params}
        return self.url(path, **{**own, **parameters})

    def memory_url(self, record: Record, **parameters: Any) -> str:
        """Return the address of a memory, in its own scope."""
        return self.url(f"/memories/{record.id}", at=self.at(record.scope), **parameters)

    def at(self, scope: Scope) -> str | None:
        """Return the parameter that opens another scope; `None` for the own one."""
        if scope == self.view.scope:
            return None
        return str(QueryParams(_names(scope))) or "-"

    # Answers

    @property
    def form_token(self) -> str:
        """The token that a form of this person has to contain."""
        return self._open.authenticator.sign(f"console form {self.request.cookies.get(SESSION_COOKIE, '')}")

    def check_form(self) -> None:
        """Check that the form is one of this console, for this person.

        Raises:
            RequestRefused: it is not.
        """
        if not hmac.compare_digest(self.field(FORM_TOKEN).encode(), self.form_token.encode()):
            raise RequestRefused("wrong-origin", "the form is too old or of another site; load the page again")

    def page(self, name: str, *, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        notice = self._notice()
        section = "/" + self.request.url.path.removeprefix(ROOT).strip("/").partition("/")[0]
        current = _SECTION_OF.get(section, section).rstrip("/")
        response = HTMLResponse(
            render(name, page=self, theme=theme_of(self.request), notice=notice, current=current, **values), status
        )
        if notice:
            response.delete_cookie(NOTICE_COOKIE, path=ROOT)
        return response

    def redirect(self, address: str, notice: str = "", *, undo: Mapping[str, Any] | None = None) -> Response:
        """Return the way to another page after a change.

        Args:
            notice: what was done, for the next page; without texts of memories.
            undo: the form that undoes it: `action`, its address, and its fields.
        """
        response = RedirectResponse(address, 303)
        if notice:
            value = urlsafe_b64encode(json.dumps({"text": notice[:500], "undo": undo}).encode()).decode()
            if len(value) <= _MAX_NOTICE:
                response.set_cookie(
                    NOTICE_COOKIE, value, path=ROOT, httponly=True, samesite="lax", secure=is_secure(self.request),
                    max_age=60,
                )  # fmt: skip
        return response

    def back(self, default: str) -> str:
        """Return the address that a form names to return to, if it is one of the console."""
        return own_address(self.field("back"), default)

    def _notice(self) -> Mapping[str, Any] | None:
        try:
            value: Any = json.loads(urlsafe_b64decode(self.request.cookies.get(NOTICE_COOKIE, "")))
        except ValueError:
            return None
        return value if _is_notice(value) else None

    @property
    def scope_name(self) -> str:
        """The scope that a person chose, in words."""
        return self.name_of(self.view.scope, everything=self._is_whole(self.view))

    def name_of(self, scope: Scope, *, everything: bool = False) -> str:
        """Return a scope in words."""
        names = [f"{name} {value}" for name, value in _names(scope).items()]
        tenant = "" if scope.tenant == "local" else f"tenant {scope.tenant}"
        shared = "all scopes" if everything else "shared memories"
        return " · ".join(filter(None, (tenant, *names))) if names else " · ".join(filter(None, (tenant, shared)))


def counted(number: int, one: str, several: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else several}"


def _names(scope: Scope) -> dict[str, str]:
    """Return the dimensions that a scope sets."""
    return {name: value for name in DIMENSIONS if (value := getattr(scope, name)) is not None}


def _is_notice(value: Any) -> bool:
    """Return True if a value of a cookie is a notice that this console wrote."""
    match value:
        case {"text": str(), "undo": None} | {"text": str(), "undo": {"action": str(), "fields": dict()}}:
            return True
        case _:
            return False
