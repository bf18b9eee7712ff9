"""The order of hits after a reranker, and its explanation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from remembrancer.search.query import Explanation, Hit, Query, RecallResult
from remembrancer.search.recall import cut, ids_within_tokens
from remembrancer.search.replacements import order_replaced

MAX_RERANKED = 50
"""The maximum number of hits that are reranked; the others follow in their order."""
_RANKED_STAGES = ("recalled", "limit", "tokens")


def widen_query(query: Query) -> Query:
    """Return a query for all hits that are reranked; the cut comes later."""
    wider = replace(query.request, limit=max(query.limit, MAX_RERANKED), max_tokens=None)
    return replace(query, request=wider)


def cut_to_query(recalled: RecallResult, query: Query) -> RecallResult:
    """Return the result of the widened query, cut to the limits of the query."""
    if recalled.abstained:
        return recalled
    return cut(list(recalled.hits[: query.limit]), query, probability=recalled.confidence, notes=recalled.notes)


def reorder_hits(hits: Sequence[Hit], scores: Mapping[int, float]) -> tuple[Hit, ...]:
    """Return hits with the judged ones sorted by their scores.

    The judged hits share their former places. A hit gets the score of its new place, so that scores still descend and
    limits on them keep their meaning; its own score is the factor `unreranked`, the reranker's the factor `rerank`.
    Equal ones keep their order, and hits that were not judged keep their place.

    Args:
        scores: scores of the reranker, by the index in `hits`.
    """
    places = sorted(scores)
    order = list(range(len(hits)))
    for place, index in zip(places, sorted(places, key=lambda place: -scores[place]), strict=True):
        order[place] = index
    moved = [
        _moved(hits[index], at=hits[place], rerank=scores[index]) if index in scores else hits[index]
        for place, index in enumerate(order)
    ]
    return tuple(order_replaced(moved)) if any(hit.replaced for hit in moved) else tuple(moved)


def _moved(hit: Hit, *, at: Hit, rerank: float) -> Hit:
    factors = {**hit.factors, "rerank": round(rerank, 4), "unreranked": hit.score}
    return replace(hit, score=at.score, relative=at.relative, factors=factors)


def explain_reranked(before: Explanation, ranked: RecallResult, reranked: RecallResult, query: Query) -> Explanation:
    """Return the explanation of a memory after a reranker.

    Args:
        before: the explanation of the ranking alone.
        ranked, reranked: the result of the widened query, before and after the reranker.
    """
    ids = [hit.id for hit in reranked.hits]
    if before.stage not in _RANKED_STAGES or before.id not in ids:
        return before
    index = ids.index(before.id)
    hit, rank = reranked.hits[index], index + 1
    former_rank = 1 + [hit.id for hit in ranked.hits].index(before.id)
    change = (
        f"the reranker moved it from rank {former_rank} to {rank}" if "rerank" in hit.factors else "it was not reranked"
    )
    stage, reason = _stage_of(rank, hit, reranked, query)
    return replace(
        before,
        stage=stage,
        reason="; ".join((reason, change, *reranked.notes)),
        rank=rank,
        score=hit.score,
        factors={**before.factors, **hit.factors},
    )


def _stage_of(rank: int, hit: Hit, recalled: RecallResult, query: Query) -> tuple[str, str]:
    if rank > query.limit:
        return "limit", f"it ranks {rank}, and the limit is {query.limit}"
    texts = [(other.record.id, other.record.text) for other in recalled.hits[: query.limit]]
    if hit.id not in ids_within_tokens(texts, query.request.max_tokens):
        return "tokens", f"it did not fit into the remaining tokens of {query.request.max_tokens}"
    return "recalled", f"it was recalled at rank {rank}"
