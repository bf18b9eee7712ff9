"""The explanation why a memory was or was not recalled.

It contains nothing that the caller may not see.
"""

from remembrancer.errors import NotFound
from remembrancer.search.candidates import Candidates, FactorValues, gather, rank_candidates
from remembrancer.search.confidence import ABSTAIN_BELOW
from remembrancer.search.query import Explanation, Query
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.recall import (
    answer_probability,
    ids_within_tokens,
    rounded_factors,
    with_known_by,
)
from remembrancer.search.replacements import COMPARED, count_compared, find_replacements
from remembrancer.storage.tx import Tx
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import SEARCHED, Record, kind_of


async def explain(
    tx: Tx,
    query: Query,
    id: str,
    semantic: QueryVector,
) -> Explanation:
    """Return why a memory was or was not recalled for a question.

    Raises:
        NotFound: there is no such memory in a visible scope.
    """
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if lost := await _lost_before_search(tx, with_known_by(query), record):
        return lost
    candidates = await gather(tx, with_known_by(query), semantic)
    scores = candidates.scores()
    probability = answer_probability(query, candidates, semantic.generation)
    return await _explain_candidate(tx, query, candidates, scores, id, probability=probability)


async def _lost_before_search(tx: Tx, query: Query, record: Record) -> Explanation | None:
    """Return the explanation of a memory that no retriever considers."""
    if query.request.as_of is not None and record.recorded_at > query.request.as_of:
        return Explanation(id=record.id, stage="time", reason="it was not known at that time")
    if record.status not in LIVE:
        return Explanation(
            id=record.id, stage="status", reason=f"it is {record.status}; only active memories are recalled"
        )
    if kind_of(record) not in SEARCHED:
        return Explanation(
            id=record.id,
            stage="kind",
            reason=f"memories of kind {kind_of(record)} are included in full and not searched",
        )
    if record.echo:
        return Explanation(id=record.id, stage="echo", reason="it only repeats text that memory added to a prompt")
    among = await tx.documents.matching(query.request.filter) if query.request.filter.narrows() else None
    if among is not None and not any(
        matching.id == record.id for matching in (await tx.documents.records(among.tolist())).values()
    ):
        return Explanation(id=record.id, stage="filter", reason="the filter of the question excludes it")
    return None


async def _explain_candidate(
    tx: Tx, query: Query, candidates: Candidates, scores: FactorValues, id: str, *, probability: float
) -> Explanation:
    if id not in candidates.headers.ids:
        reason = (
            "no retriever found it or a message next to it: its words and its meaning are not those of the question"
        )
        return Explanation(id=id, stage="candidates", reason="; ".join((reason, *candidates.notes)))
    index = candidates.headers.ids.index(id)
    order: list[int] = rank_candidates(candidates.headers, scores).tolist()
    rank_of_candidate = order.index(index) + 1
    stage, reason = await _stage_of(tx, query, candidates, order, rank_of_candidate, probability=probability)
    top = order[: max(query.limit, COMPARED)]
    compared = top[: count_compared(scores[top].tolist())] if query.formula.fused else []
    replacement_notes = await _replacement_note(tx, candidates, compared, id)
    return Explanation(
        id=id,
        stage=stage,
        reason="; ".join((reason, *replacement_notes, *candidates.notes)),
        rank=rank_of_candidate,
        score=round(float(scores[index]), 6),
        factors=rounded_factors(candidates, index),
        weights={factor.value: round(weight, 4) for factor, weight in candidates.formula.shares.items()},
        ranks={retriever.value: rank for retriever, rank in candidates.ranks(index).items()},
    )


async def _stage_of(
    tx: Tx, query: Query, candidates: Candidates, order: list[int], rank: int, *, probability: float
) -> tuple[str, str]:
    """Return the stage where a ranked candidate ended, and the reason."""
    if rank > query.limit:
        return "limit", f"it ranks {rank}, and the limit is {query.limit}"
    if query.request.abstain and probability < ABSTAIN_BELOW:
        return "abstained", f"recall abstained: its confidence was {probability:.2f}, below {ABSTAIN_BELOW}"
    if query.request.max_tokens is not None:
        served = await _served_ids(tx, query, candidates, order)
        if candidates.headers.ids[order[rank - 1]] not in served:
            return "tokens", f"it did not fit into the remaining tokens of {query.request.max_tokens}"
    return "recalled", f"it was recalled at rank {rank}"


async def _replacement_note(tx: Tx, candidates: Candidates, indices: list[int], id: str) -> tuple[str, ...]:
    """Return a note if another memory replaced it and ranks before it."""
    documents = candidates.headers.documents[indices].tolist()
    records = await tx.documents.records(documents)
    ranked = [records[document] for document in documents if document in records]
    replacement = (await find_replacements(tx, ranked)).get(id)
    if replacement is None:
        return ()
    return (f"memory {replacement.newer} of {replacement.until:%Y-%m-%d} replaced its statement and ranks before it",)


async def _served_ids(tx: Tx, query: Query, candidates: Candidates, order: list[int]) -> set[str]:
    """Return the ids of the hits within the token limit."""
    documents = candidates.headers.documents[order[: query.limit]].tolist()
    records = await tx.documents.records(documents)
    texts = [(records[document].id, records[document].text) for document in documents if document in records]
    return ids_within_tokens(texts, query.request.max_tokens)
