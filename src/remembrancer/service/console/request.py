"""One request of a browser to the console: its memory, its place in scope and time, its answers."""

import hmac
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, tzinfo
from typing import Any, cast

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.formparsers import MultiPartException
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
# A browser keeps cookies of 4,096 bytes.
_MAX_NOTICE = 3_500
_MOST_SCOPES = 12


@asynccontextmanager
async def form_of(request: Request, *, files: int, fields: int) -> AsyncGenerator[FormData]:
    """Yield the form of a request.

    Raises:
        InvalidInput: it is not a form, or has too many files or fields.
    """
    try:
        form = await request.form(max_files=files, max_fields=fields)
    except MultiPartException as error:
        raise InvalidInput(f"the form cannot be read: {error.message}") from error
    except KeyError:
        raise InvalidInput("the form cannot be read: its content type names no boundary") from None
    try:
        yield form
    finally:
        await form.close()


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
        """Return a whole number of the address.

        Raises:
            InvalidInput: it is not a whole number, or out of range.
        """
        return int(number(self.query(name) or str(default), name, low=low, high=high, whole=True))

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
            return (moment if moment.tzinfo else moment.replace(tzinfo=self.zone)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise InvalidInput(f"{what} is not a time; write it as 2026-01-31T09:00") from None

    def within(self, scope: Scope) -> Memory:
        """Return the memory of another scope that the caller may open, with the same checks.

        Raises:
            NotFound: the scope is not within that of the access key.
        """
        authenticator = self._open.authenticator
        caller = self.caller.within(scope)
        return checked(authenticator.memory_of(caller), read_only=self.options.read_only)

    def memory_at(self, at: str) -> Memory:
        """Return the memory of the scope that a form names; that of the page for `""`.

        Raises:
            NotFound: the scope is not within that of the access key.
        """
        return self.within(scope_named(self.caller, QueryParams(at))) if at else self.memory

    def reaches(self, scope: Scope) -> bool:
        """Return True if the caller may open a scope; one with a narrower key only reads what wider scopes share."""
        return self.caller.wall is None or self.caller.wall.contains(scope)

    async def other_scopes(self) -> list[tuple[str, str]]:
        """Return names of scopes with this page in them, where it shows shared memories only."""
        if not self.everything:
            return []
        shared = Scope(tenant=self.caller.scope.tenant)
        found = [one for one in await self.memory.admin.scopes(limit=_MOST_SCOPES) if one != shared]
        return [(self.name_of(one), self.here(**_names(one))) for one in found]

    @property
    def is_own_visit(self) -> bool:
        """True unless another site led to this page."""
        return self.request.headers.get("sec-fetch-site", "none") in ("none", "same-origin")

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

    @property
    def own_address(self) -> str:
        """The address that shows this page again; of a form, that of the page it was on."""
        return self.here() if self.request.method == "GET" else self.back(self.url(""))

    def memory_url(self, record: Record, **parameters: Any) -> str:
        """Return the address of a memory, in its own scope."""
        return self.url(f"/memories/{record.id}", at=self.at(record.scope), **parameters)

    def at(self, scope: Scope) -> str | None:
        """Return the parameter that opens another scope; `None` for the own one, or one that the caller cannot open."""
        if scope == self.view.scope or not self.reaches(scope):
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
            value = self._packed(notice[:500], undo)
            if len(value) > _MAX_NOTICE:
                value = self._packed(f"{notice[:500]} There are too many for one Undo.", None)
            response.set_cookie(
                NOTICE_COOKIE, value, path=ROOT, httponly=True, samesite="lax", secure=is_secure(self.request),
                max_age=60,
            )  # fmt: skip
        return response

    def _packed(self, notice: str, undo: Mapping[str, Any] | None) -> str:
        packed = zlib.compress(json.dumps({"text": notice, "undo": undo}).encode())
        body = urlsafe_b64encode(packed).decode()
        return f"{body}.{self._signature(body)}"

    def _signature(self, body: str) -> str:
        # Another program on this machine could write a cookie, and with it a form that this console sends.
        return self._open.authenticator.sign(f"console notice {self.form_token} {body}")

    def back(self, default: str) -> str:
        """Return the address that a form names to return to, if it is one of the console."""
        return own_address(self.field("back"), default)

    def _notice(self) -> Mapping[str, Any] | None:
        body, _, signature = self.request.cookies.get(NOTICE_COOKIE, "").partition(".")
        if not body or not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return None
        found: Mapping[str, Any] = json.loads(zlib.decompress(urlsafe_b64decode(body)))
        return found

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


def number(text: str, name: str, *, low: float, high: float, whole: bool = False) -> float:
    """Return a number that a person wrote.

    Raises:
        InvalidInput: it is not a number, or out of range.
    """
    try:
        value = float(int(text) if whole else text)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a {'whole ' if whole else ''}number") from None
    if not low <= value <= high:
        raise InvalidInput(f"{name} must be from {low:,g} to {high:,g}")
    return value


def counted(number: int, one: str, several: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else several}"


def _names(scope: Scope) -> dict[str, str]:
    """Return the dimensions that a scope sets."""
    return {name: value for name in DIMENSIONS if (value := getattr(scope, name)) is not None}
