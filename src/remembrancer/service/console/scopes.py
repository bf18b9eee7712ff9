"""The choice of a scope."""

from collections.abc import Sequence

from starlette.datastructures import URL, QueryParams
from starlette.responses import Response

from remembrancer.service.console.gate import ROOT, own_address
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.scope import DIMENSIONS, Scope

_MOST = 100


async def choose(page: ConsoleRequest) -> Response:
    """Return the page that chooses whose memories the other pages show."""
    part = page.query("part")
    operates = page.may("admin.scopes")
    found: Sequence[Scope] = await page.memory.admin.scopes(part=part, limit=_MOST) if operates else ()
    path, kept = _target(page)

    def address(scope: Scope | None) -> str:
        names = {name: getattr(scope, name) if scope else None for name in DIMENSIONS}
        return page.url(path.removeprefix(ROOT), **{**kept, **names})

    return page.page(
        "scopes.html",
        timed=False,
        part=part,
        operates=operates,
        # That of the shared memories shows all scopes to an operator, as the link to all of them does.
        options=[(one, address(one)) for one in found if one != Scope(tenant=one.tenant)],
        is_cut=len(found) == _MOST,
        whole=address(None),
        names=DIMENSIONS,
        path=path,
        kept=kept,
    )


def _target(page: ConsoleRequest) -> tuple[str, dict[str, str]]:
    """Return the page to return to, and its parameters but for the scope."""
    target = URL(own_address(page.query("next")))
    path = target.path
    dropped = {*DIMENSIONS, "at", "cursor", "session", "turn", "memories", "receipt", "before", "next"}
    own = QueryParams(target.query)
    # A memory or a conversation belongs to the scope that is left.
    if path.startswith((f"{ROOT}/memories/", f"{ROOT}/conversation")):
        path = f"{ROOT}/memories" if "/memories/" in path else f"{ROOT}/conversations"
    return path, {name: own[name] for name in own if name not in dropped}
