"""The trace of a search: its candidates, the stage that each reached, and the time of each stage."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from remembrancer.search.candidates import gather, rank_candidates
from remembrancer.search.query import Query, TracedCandidate
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.recall import RecordFilter, records_at, rounded_factors, with_known_by
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Terms
from remembrancer.types.record import Record
from remembrancer.types.text import estimate

MAX_TRACED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCandidates:
    """The candidates of a search by rank, before their stages are known; the fields are those of `SearchTrace`.

    Args:
        hidden: ids of candidates that may not be shown.
    """

    candidates: Sequence[TracedCandidate]
    considered: int
    found: Mapping[str, int]
    weights: Mapping[str, float]
    intent: str
    hidden: Collection[str]
    seconds: Mapping[str, float]


async def trace(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    *,
    past: Sequence[tuple[Record, Terms]] = (),
    allowed: RecordFilter | None = None,
) -> RankedCandidates:
    """Return the candidates of a question with their ranks and factors.

    Args:
        past: records as they read at `query.request.as_of`, if they read differently now.
        allowed: returns those of some records that may be shown; all by default.
    """
    started = perf_counter()
    candidates = await gather(tx, with_known_by(query), semantic, past=past)
    gathered = perf_counter()
    scores = candidates.scores()
    order: list[int] = rank_candidates(candidates.headers, scores).tolist()
    last = float(scores[order[min(query.limit, len(order)) - 1]]) if order else 0.0
    records = await records_at(tx, candidates, order[:MAX_TRACED], None)
    shown = records.values() if allowed is None else await allowed(list(records.values()))
    shown_ids = {record.id for record in shown}
    traced = [
        TracedCandidate(
            record=records[index],
            rank=rank,
            score=round(float(scores[index]), 6),
            stage="limit" if rank > query.limit else "recalled",
            behind=round(max(0.0, last - float(scores[index])), 6) if rank > query.limit else 0.0,
            factors=rounded_factors(candidates, index),
            ranks={retriever.value: place for retriever, place in candidates.ranks(index).items()},
            tokens=estimate(records[index].text),
        )
        for rank, index in enumerate(order[:MAX_TRACED], 1)
        if index in records
    ]
    return RankedCandidates(
        candidates=traced,
        considered=len(order),
        found={retriever.value: len(documents) for retriever, documents in candidates.by_retriever.items()},
        weights={factor.value: round(weight, 4) for factor, weight in candidates.formula.shares.items()},
        intent=candidates.intent.value,
        hidden={record.id for record in records.values()} - shown_ids,
        seconds={"search": gathered - started, "rank": perf_counter() - gathered},
    )
