"""The routes of the console."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from remembrancer.errors import NotFound, RemembrancerError, Unauthenticated
from remembrancer.memory import Memory
from remembrancer.service.console import (
    ask,
    conversations,
    governance,
    graph,
    home,
    learning,
    memories,
    operations,
    scopes,
    search,
    timeline,
)
from remembrancer.service.console.gate import (
    ASSETS,
    ROOT,
    SESSION_COOKIE,
    SIGN_IN,
    SIGN_OUT,
    ConsoleGate,
    fault,
    is_secure,
    own_address,
)
from remembrancer.service.console.options import ConsoleOptions
from remembrancer.service.console.rendering import THEME_COOKIE, asset, environment, error_page, heading_of, plain_page
from remembrancer.service.console.request import ConsoleRequest, form_of
from remembrancer.service.rest.problem_responses import RequestRefused

Page = Callable[[ConsoleRequest], Awaitable[Response]]
_HASHED = re.compile(r"[0-9a-f]{8}")
PAGES: dict[str, Page] = {
    "": home.home,
    "/scopes": scopes.choose,
    "/search": search.search,
    "/search/compare": search.compare,
    "/conversations": conversations.conversations,
    "/conversation": conversations.conversation,
    "/memories": memories.memories,
    "/memories/{id}": memories.memory,
    "/learning": learning.learning,
    "/timeline": timeline.timeline,
    "/graph": graph.graph,
    "/diff": timeline.diff,
    "/ask": ask.ask,
    "/operations": operations.operations,
    "/costs": operations.costs,
    "/governance": governance.overview,
    "/governance/retention": governance.retention,
    "/governance/holds": governance.holds,
    "/governance/erasure": governance.erasure,
    "/governance/audit": governance.audit,
    "/governance/archives": governance.archives,
    "/governance/keys": governance.keys,
    "/governance/export": governance.export,
    "/governance/report": governance.report,
}
"""The pages that a browser reads, by path."""
ACTIONS: dict[str, Page] = {
    "/memories/bulk": memories.change_many,
    "/memories/{id}": memories.change,
    "/learning/rules": learning.change_rule,
    "/learning/review": learning.review,
    "/graph": graph.change_names,
    "/operations": operations.act,
    "/governance/retention": governance.change_retention,
    "/governance/holds": governance.change_hold,
    "/governance/erasure": governance.erase,
    "/governance/audit": governance.verify,
    "/governance/archives": governance.archive,
    "/governance/import": governance.import_file,
    "/governance/keys": governance.change_key,
}
"""The forms that change something, by path."""


async def make_console(memory: Memory, options: ConsoleOptions) -> ASGIApp:
    """Return the console of an open memory, for paths under `/console`."""
    await run_sync(environment)
    routes = [
        Route(SIGN_IN, _sign_in, methods=["GET", "POST"]),
        Route(SIGN_OUT, _sign_out, methods=["POST"]),
        Route(f"{ASSETS}{{hash}}/{{name}}", _asset),
        Route(f"{ROOT}/theme", _theme, methods=["POST"]),
        *(Route(f"{ROOT}{path}", _changing(page), methods=["POST"]) for path, page in ACTIONS.items()),
        *(Route(f"{ROOT}{path}", _reading(page)) for path, page in PAGES.items()),
        # The address of a form, or a method that a page has not, is no page.
        Route("/{path:path}", _absent, methods=["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
    ]
    gate = ConsoleGate(Router(routes, redirect_slashes=False), memory, options)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        # `/console/` is `/console`.
        path = scope["path"].rstrip("/")
        await gate({**scope, "path": path, "raw_path": path.encode()}, receive, send)

    return dispatch


def _reading(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await _answer(request, page, ConsoleRequest(request))

    return endpoint


def _changing(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async with form_of(request, files=1, fields=2_000) as form:
            asked = ConsoleRequest(request, form)
            asked.check_form()
            return await _answer(request, page, asked, changes=True)

    return endpoint


async def _answer(request: Request, page: Page, asked: ConsoleRequest, *, changes: bool = False) -> Response:
    request.scope["state"]["route"] = f"console {page.__name__}"
    seconds = asked.options.service.seconds
    try:
        if not changes:
            with anyio.move_on_after(seconds):
                return await page(asked)
            raise RequestRefused("too-slow", f"the page exceeded {seconds:g} seconds; choose a narrower scope")
        if asked.as_of is not None:
            raise RequestRefused("no-such-method", "nothing can be changed in the past; go back to now first")
        return await page(asked)
    except (RequestRefused, RemembrancerError) as error:
        # With the menu, so that a person finds on.
        status, title, detail = fault(error)
        return asked.page("fault.html", status=status, heading=heading_of(status, title), detail=detail, code=status)


async def _absent(request: Request) -> Response:
    return error_page(request, 404, "", "there is no such page; the menu has all pages")


async def _asset(request: Request) -> Response:
    found = asset(request.path_params["name"])
    if found is None or not _HASHED.fullmatch(request.path_params["hash"]):
        raise NotFound("file", request.path_params["name"])
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(found[0], headers=headers, media_type=found[1])


async def _sign_in(request: Request) -> Response:
    state = request.scope["state"]
    target = own_address(request.query_params.get("next", ""))
    if not state["signs_in"]:
        return RedirectResponse(target, 303)
    values: dict[str, Any] = {"next": target, "ended": request.query_params.get("ended") == "1", "error": ""}
    if request.method == "GET":
        return plain_page(request, "sign_in.html", **values)
    async with form_of(request, files=0, fields=4) as form:
        token = str(form.get("key", "")).strip()
    client = request.client.host if request.client else ""
    try:
        session = await state["admit_key"](client, token)
    except Unauthenticated:
        text = "This access key is not valid. It begins with rmb_, and was shown once when it was created."
        return plain_page(request, "sign_in.html", 401, **{**values, "ended": False, "error": text})
    response = RedirectResponse(target, 303)
    options: ConsoleOptions = state["options"]
    response.set_cookie(
        SESSION_COOKIE, session, path=ROOT, httponly=True, samesite="lax", secure=is_secure(request),
        max_age=int(options.lifetime.total_seconds()),
    )  # fmt: skip
    return response


async def _sign_out(request: Request) -> Response:
    async with form_of(request, files=0, fields=4) as form:
        ConsoleRequest(request, form).check_form()
    response = RedirectResponse(SIGN_IN, 303)
    response.delete_cookie(SESSION_COOKIE, path=ROOT, httponly=True, samesite="lax", secure=is_secure(request))
    return response


async def _theme(request: Request) -> Response:
    async with form_of(request, files=0, fields=4) as form:
        asked = ConsoleRequest(request, form)
        asked.check_form()
    response = RedirectResponse(asked.back(ROOT), 303)
    chosen = asked.field("theme")
    if chosen in ("light", "dark"):
        response.set_cookie(
            THEME_COOKIE, chosen, path=ROOT, httponly=True, samesite="lax", max_age=31_536_000,
            secure=is_secure(request),
        )  # fmt: skip
    else:
        response.delete_cookie(THEME_COOKIE, path=ROOT)
    return response
