"""What a reranker makes of a ranking: the best of it in another order, each place with the score that it had."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from remembrancer.search.query import Explanation, Hit, Query, Recalled
from remembrancer.search.recall import cut, fitting
from remembrancer.search.replacing import behind

RERANKED = 50
"""So many of the best are reranked at most; the others follow them as they stood."""
_RANKED = ("recalled", "limit", "tokens")


def widened(query: Query) -> Query:
    """A question whose answer holds all that is reranked; what it is cut by comes after."""
    wider = replace(query.request, limit=max(query.limit, RERANKED), max_tokens=None)
    return replace(query, request=wider)


def recut(recalled: Recalled, query: Query) -> Recalled:
    """The answer to the widened question, cut as the question itself says."""
    if recalled.abstained:
        return recalled
    return cut(list(recalled.hits[: query.limit]), query, chance=recalled.confidence, notes=recalled.notes)


def reordered(hits: Sequence[Hit], scores: Mapping[int, float]) -> tuple[Hit, ...]:
    """Hits of which some were judged: these are in the order of their scores, in the places that they had together.

    A hit takes over the score and the odds of its new place, so that these fall as before and bounds on them mean what
    they did; its own score is the factor `unreranked`, and the reranker's the factor `rerank`. Those that it likes as
    much stand as they stood, and who was not judged stays where it was.

    Args:
        scores: by the place in `hits`.
    """
    places = sorted(scores)
    order = list(range(len(hits)))
    for place, taken in zip(places, sorted(places, key=lambda place: -scores[place]), strict=True):
        order[place] = taken
    moved = [
        _moved(hits[taken], at=hits[place], rerank=scores[taken]) if taken in scores else hits[taken]
        for place, taken in enumerate(order)
    ]
    return tuple(behind(moved)) if any(hit.replaced for hit in moved) else tuple(moved)


def _moved(hit: Hit, *, at: Hit, rerank: float) -> Hit:
    factors = {**hit.factors, "rerank": round(rerank, 4), "unreranked": hit.score}
    return replace(hit, score=at.score, relative=at.relative, factors=factors)


def explained(before: Explanation, ranked: Recalled, reranked: Recalled, query: Query) -> Explanation:
    """What became of a memory, where a reranker was asked after the ranking.

    Args:
        before: what the ranking alone made of it.
        ranked, reranked: the answer to the widened question, before and after the reranker.
    """
    ids = [hit.id for hit in reranked.hits]
    if before.stage not in _RANKED or before.id not in ids:
        return before
    place = ids.index(before.id)
    hit, rank = reranked.hits[place], place + 1
    was = 1 + [hit.id for hit in ranked.hits].index(before.id)
    moved = f"the reranker put it from {was} to {rank}" if "rerank" in hit.factors else "it was not reranked"
    stage, reason = _fate(rank, hit, reranked, query)
    return replace(
        before,
        stage=stage,
        reason="; ".join((reason, moved, *reranked.notes)),
        rank=rank,
        score=hit.score,
        factors={**before.factors, **hit.factors},
    )


def _fate(rank: int, hit: Hit, recalled: Recalled, query: Query) -> tuple[str, str]:
    if rank > query.limit:
        return "limit", f"it ranks {rank}, and {query.limit} were asked for"
    texts = [(other.record.id, other.record.text) for other in recalled.hits[: query.limit]]
    if hit.id not in fitting(texts, query.request.max_tokens):
        return "tokens", f"it did not fit whole into the {query.request.max_tokens} tokens that were left"
    return "recalled", f"it was recalled at rank {rank}"
