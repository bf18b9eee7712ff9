"""The search debugger: what a question considers, what fell out and where, and what the agent would get."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from remembrancer import ContextRequest
from remembrancer.errors import NotFound
from remembrancer.language.analysis import share_of, slots_of
from remembrancer.search.profiles import PROFILES
from remembrancer.search.query import Explanation, Hit, RecallRequest, SearchTrace
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.filter import Filter
from remembrancer.types.record import SEARCHED
from remembrancer.types.results import snippet

_LIMIT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorBar:
    """A factor of a hit: its value, and its part of the score."""

    name: str
    value: float
    part: float


async def search(page: ConsoleRequest) -> Response:
    """Return the search debugger."""
    question = page.query("q")
    trace = await page.memory.trace(_request(page, _profile(page))) if question.strip() else None
    block = None
    if trace is not None and page.query("block"):
        asked = ContextRequest(mode="search", question=question, limit=_limit(page), record_access=False)
        block = await page.memory.context(asked) if page.as_of is None else None
    return page.page(
        "search.html",
        question=question,
        elsewhere=await page.other_scopes(),
        profiles=[*PROFILES],
        kinds=SEARCHED,
        trace=trace,
        bars=bars,
        why=await _why(page, question),
        block=block,
        limit=_limit(page),
        slowest=max(trace.seconds.values(), default=0.0) if trace else 0.0,
    )


async def compare(page: ConsoleRequest) -> Response:
    """Return two profiles side by side."""
    question = page.query("q")
    names = page.query("left") or "default", page.query("right") or "search"
    traces: Sequence[SearchTrace] = ()
    if question.strip():
        traces = [await page.memory.trace(_request(page, name)) for name in names]
    places = [{hit.id: rank for rank, hit in enumerate(_shown(trace), 1)} for trace in traces]
    return page.page(
        "compare.html",
        question=question,
        elsewhere=await page.other_scopes(),
        profiles=[*PROFILES],
        names=names,
        traces=traces,
        places=places,
        shown=_shown,
    )


def _shown(trace: SearchTrace) -> Sequence[Hit]:
    return trace.result.hits or trace.result.nearest


def _profile(page: ConsoleRequest) -> str:
    return page.query("profile") or "default"


def _limit(page: ConsoleRequest) -> int:
    return page.whole("limit", _LIMIT, high=100)


def _request(page: ConsoleRequest, profile: str) -> RecallRequest:
    return RecallRequest(
        question=page.query("q"),
        profile=profile,
        limit=_limit(page),
        max_tokens=page.whole("max_tokens", 0, low=0, high=100_000) or None,
        filter=Filter(kinds=page.queries("kinds")),
        as_of=page.as_of,
        record_access=False,
    )


def bars(factors: dict[str, float], weights: dict[str, float]) -> list[FactorBar]:
    """Return the factors of a hit, those with the largest part of its score first."""
    found = [
        FactorBar(name=name, value=value, part=value * weights.get(name, 0.0))
        for name, value in factors.items()
        if value or name in weights
    ]
    return sorted(found, key=lambda one: (-one.part, -one.value, one.name))


async def _why(page: ConsoleRequest, question: str) -> tuple[str, Explanation | None] | None:
    """Return why a memory was found or not: one that is named by its id, or by words that only it has."""
    wanted = page.query("why").strip()
    if not wanted or not question.strip():
        return None
    try:
        record = await page.memory.get(wanted)
    except NotFound:
        found = await page.memory.recall(
            RecallRequest(question=wanted, limit=_LIMIT, profile="lexical", abstain=False, record_access=False)
        )
        slots = slots_of(wanted)
        record = next((hit.record for hit in found.hits if share_of(slots, hit.record.text) == 1), None)
        if record is None:
            return wanted, None
    return snippet(record.text), await page.memory.explain(_request(page, _profile(page)), record.id)
