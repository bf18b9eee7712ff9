"""The search: retrievers, union, ranking and cut.

It reads one snapshot of the store and writes nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.analysis import STATED_TERM
from remembrancer.language.intent import asks_of_past
from remembrancer.language.replacement import states_more
from remembrancer.language.smalltalk import Talk, small_talk
from remembrancer.search.candidates import (
    MAX_REVISIONS,
    Candidates,
    documents_with,
    gather,
    query_independent_factors,
    rank_candidates,
)
from remembrancer.search.confidence import ABSTAIN_BELOW, confidence
from remembrancer.search.query import Hit, Query, RecallResult
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.replacements import COMPARED, find_replacements, mark_replaced
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Generation, Terms
from remembrancer.types.record import Record
from remembrancer.types.session import Ranks
from remembrancer.types.text import estimate

# The documents of a scope that are considered for a brief, of those that state something.
_MOST_STATED: Final = 50_000

MAX_NEAREST_MISSES = 5
# The spare records that are read if a filter may remove some.
SPARE_RECORDS = 50
RecordFilter: TypeAlias = Callable[[Sequence[Record]], Awaitable[Sequence[Record]]]


async def recall(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    *,
    past: Sequence[tuple[Record, Terms]] = (),
    allowed: RecordFilter | None = None,
) -> RecallResult:
    """Return the answer to a question from what the transaction sees.

    Args:
        past: records as they read at `query.request.as_of`, if they read differently now.
        allowed: returns those of some records that may be shown; all by default.
    """
    query = with_known_by(query)
    candidates = await gather(tx, query, semantic, past=past)
    scores = candidates.scores()
    best = float(scores.max(initial=0.0)) or 1.0
    order = rank_candidates(candidates.headers, scores)
    ranks = _ranks(query, candidates, order)
    hits: list[Hit] = []
    # The memory that replaces a hit may rank lower than it.
    page_size = max(query.limit, COMPARED)
    for start in range(0, len(order), page_size):
        indices = [int(index) for index in order[start : start + page_size]]
        records = await records_at(tx, candidates, indices, allowed)
        hits += [
            _hit(records[index], candidates, index, score=scores[index], best=best, ranks=ranks[index])
            for index in indices
            if index in records
        ]
        if len(hits) >= page_size or allowed is None:
            break
    if query.formula.fused:
        hits = await mark_replaced(tx, hits, of_past=asks_of_past(query.request.question))
    hits = hits[: query.limit]
    probability = answer_probability(query, candidates, semantic.generation)
    return cut(hits, query, probability=probability, notes=(*semantic.notes, *candidates.notes))


async def records_at(
    tx: Tx, candidates: Candidates, places: Sequence[int], allowed: RecordFilter | None
) -> dict[int, Record]:
    """Return the memories at some indices, without deleted and hidden ones."""
    documents = {place: int(candidates.headers.documents[place]) for place in places}
    by_document = {
        **await tx.documents.records([number for number in documents.values() if number > 0]),
        **{number: candidates.past[number] for number in documents.values() if number < 0},
    }
    records = {place: by_document[number] for place, number in documents.items() if number in by_document}
    if allowed is None:
        return records
    allowed_ids = {record.id for record in await allowed(list(records.values()))}
    return {place: record for place, record in records.items() if record.id in allowed_ids}


def answer_probability(query: Query, candidates: Candidates, generation: Generation | None) -> float:
    """Return the probability that a candidate answers the question.

    It is 0 for small talk, which asks nothing.
    """
    talk = small_talk(query.request.question)
    if talk is Talk.ALL:
        return 0.0
    return confidence(candidates, generation.space if generation else None, reacts=talk is Talk.PARTLY)


def cut(hits: list[Hit], query: Query, *, probability: float, notes: tuple[str, ...] = ()) -> RecallResult:
    """Return the hits within the limits of confidence and tokens."""
    if query.request.abstain and probability < ABSTAIN_BELOW:
        nearest = tuple(hit for hit in hits[:MAX_NEAREST_MISSES] if hit.score > 0)
        return RecallResult(hits=(), abstained=True, confidence=probability, nearest=nearest, notes=notes)
    fitting_ids = ids_within_tokens([(hit.record.id, hit.record.text) for hit in hits], query.request.max_tokens)
    shown = tuple(hit for hit in hits if hit.record.id in fitting_ids)
    return RecallResult(
        hits=shown, abstained=False, confidence=probability, dropped=len(hits) - len(shown), notes=notes
    )


def ids_within_tokens(texts: Sequence[tuple[str, str]], max_tokens: int | None) -> set[str]:
    """Return the ids of the best texts that fit whole.

    A smaller one further down may still fit.

    Args:
        texts: id and text, best first.
    """
    if max_tokens is None:
        return {id for id, _ in texts}
    remaining = max_tokens
    ids: set[str] = set()
    for id, text in texts:
        if (size := estimate(text)) <= remaining:
            ids.add(id)
            remaining -= size
    return ids


def rounded_factors(candidates: Candidates, index: int) -> dict[str, float]:
    """Return the factors of a candidate by name, rounded.

    Coverage and cosine are the raw values.
    """
    factors = {factor.value: round(float(values[index]), 4) for factor, values in candidates.factors.items()}
    factors["coverage"] = round(float(candidates.coverage[index]), 4)
    if not np.isnan(candidates.cosine[index]):
        factors["cosine"] = round(float(candidates.cosine[index]), 4)
    return factors


def _ranks(query: Query, candidates: Candidates, order: NDArray[np.intp]) -> Mapping[int, Ranks]:
    """Return the ranks of all candidates with feedback and without it.

    Args:
        order: the order that is served.
    """
    formula = candidates.formula
    other_formula = replace(
        replace(query, weighting=not query.weighting).formula, sums=formula.sums, scale=formula.scale
    )
    other_order = (
        order if other_formula == formula else rank_candidates(candidates.headers, candidates.scores(other_formula))
    )
    ranks = {int(index): place for place, index in enumerate(order, 1)}
    other_ranks = {int(index): place for place, index in enumerate(other_order, 1)}
    weighted, unweighted = (ranks, other_ranks) if query.weighting else (other_ranks, ranks)
    return {index: Ranks(weighted=weighted[index], unweighted=unweighted[index]) for index in ranks}


def _hit(record: Record, candidates: Candidates, index: int, *, score: np.float32, best: float, ranks: Ranks) -> Hit:
    return Hit(
        record=record,
        score=round(float(score), 6),
        relative=round(float(score) / best, 6),
        factors=rounded_factors(candidates, index),
        ranks=ranks,
    )


def with_known_by(query: Query) -> Query:
    """Return the query with its filter set to what was known at `as_of`."""
    request = query.request
    if request.as_of is None:
        return query
    return replace(query, request=replace(request, filter=replace(request.filter, known_by=request.as_of)))


async def load_statements(tx: Tx, *, limit: int, allowed: RecordFilter | None = None) -> list[Record]:
    """Return the newest memories that may state what a brief shows; of very many, those that were recorded last.

    Args:
        allowed: returns those of some records that may be shown; all by default.
    """
    stated = await documents_with(tx, STATED_TERM, most=_MOST_STATED)
    records = list((await tx.documents.records(await tx.documents.newest(stated, limit=limit))).values())
    return records if allowed is None else list(await allowed(records))


async def top_observations(
    tx: Tx,
    query: Query,
    *,
    excluded_types: Sequence[str] = (),
    allowed: RecordFilter | None = None,
    spare: int = SPARE_RECORDS,
) -> tuple[Record, ...]:
    """Return the observations that rank highest at the start of a session.

    Replaced ones are left out. Of two with the same type and number of revisions, the one updated later ranks higher;
    so only the latest of each are read.

    Args:
        query: a query with the profile `session`.
        excluded_types: types that are left out.
        allowed: returns those of some records that may be shown; all by default.
        spare: how many more are read if `allowed` may remove some.
    """
    limit = query.limit if allowed is None else query.limit + spare
    documents = await tx.documents.updated_last(apart=excluded_types, revisions=MAX_REVISIONS, limit=limit)
    headers = await tx.documents.headers(documents.tolist())
    if not len(headers):
        return ()
    scores = query.formula.score(query_independent_factors(query, headers, query.profile.factors))
    # Notes of one chunk are updated together: the newest comes first.
    order = np.lexsort((np.array(headers.ids), headers.occurred, scores))[::-1]
    return await _allowed_records(tx, headers.documents[order[:limit]].tolist(), query.limit, allowed)


async def _allowed_records(
    tx: Tx, documents: Sequence[int], limit: int, allowed: RecordFilter | None
) -> tuple[Record, ...]:
    """Return the records that may be shown, in order, without replaced ones."""
    records = await tx.documents.records(documents)
    ordered = [records[document] for document in documents if document in records]
    shown = list(ordered if allowed is None else await allowed(ordered))[:limit]
    replaced = await find_replacements(tx, shown)
    return tuple(record for record in shown if record.id not in replaced or states_more(record.text))
