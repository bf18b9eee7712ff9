"""The one way to search: arms, union, ranking, cut. Reads one snapshot; writes nothing."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.analysis import STATED_TERM
from remembrancer.language.intent import asks_of_past
from remembrancer.language.replacement import states_more
from remembrancer.language.smalltalk import Talk, small_talk
from remembrancer.search.candidates import REVISIONS_THAT_COUNT, Candidates, gather, having, standing_factors
from remembrancer.search.confidence import ABSTAIN_BELOW, confidence
from remembrancer.search.query import Hit, Query, Recalled
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.replacing import LOOKED_AT, marked, replacements
from remembrancer.storage.documents import Headers
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Generation, Terms
from remembrancer.types.record import Record
from remembrancer.types.session import Ranks
from remembrancer.types.text import estimate

NEAREST_MISSES = 5
# So many more are looked at where some may not be told.
SPARE = 50
Sayable: TypeAlias = Callable[[Sequence[Record]], Awaitable[Sequence[Record]]]


async def recall(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    *,
    past: Sequence[tuple[Record, Terms]] = (),
    sayable: Sayable | None = None,
) -> Recalled:
    """Answer a question from what the transaction sees.

    Args:
        past: records in wordings that stood at `query.request.as_of` and no longer do.
        sayable: those of some memories that may be told; all of them, if not given.
    """
    query = as_known(query)
    candidates = await gather(tx, query, semantic, past=past)
    scores = candidates.scores()
    best = float(scores.max(initial=0.0)) or 1.0
    order = ranked(candidates.headers, scores)
    ranks = _ranks(query, candidates, order)
    hits: list[Hit] = []
    # What replaces a hit may itself stand lower.
    wanted = max(query.limit, LOOKED_AT)
    for start in range(0, len(order), wanted):
        chosen = [int(index) for index in order[start : start + wanted]]
        records = await _records(tx, candidates, chosen, sayable)
        hits += [
            _hit(records[index], candidates, index, score=scores[index], best=best, ranks=ranks[index])
            for index in chosen
            if index in records
        ]
        if len(hits) >= wanted or sayable is None:
            break
    hits = (await marked(tx, hits, of_past=asks_of_past(query.request.question)) if query.formula.fused else hits)[
        : query.limit
    ]
    chance = chance_of(query, candidates, semantic.generation)
    return cut(hits, query, chance=chance, notes=(*semantic.notes, *candidates.notes))


async def _records(tx: Tx, candidates: Candidates, places: Sequence[int], sayable: Sayable | None) -> dict[int, Record]:
    """The memories at some places among the candidates, those apart that are gone or not to be told."""
    documents = {place: int(candidates.headers.documents[place]) for place in places}
    found = {
        **await tx.documents.records([number for number in documents.values() if number > 0]),
        **{number: candidates.past[number] for number in documents.values() if number < 0},
    }
    records = {place: found[number] for place, number in documents.items() if number in found}
    if sayable is None:
        return records
    told = {record.id for record in await sayable(list(records.values()))}
    return {place: record for place, record in records.items() if record.id in told}


def chance_of(query: Query, candidates: Candidates, generation: Generation | None) -> float:
    """The chance, in [0, 1], that a candidate answers the question; small talk asks for nothing."""
    talk = small_talk(query.request.question)
    if talk is Talk.ALL:
        return 0.0
    return confidence(candidates, generation.space if generation else None, reacts=talk is Talk.PARTLY)


def ranked(headers: Headers, scores: NDArray[np.float32]) -> NDArray[np.intp]:
    """Places of the candidates, best first; ties by id."""
    return np.lexsort((np.array(headers.ids), -scores)) if len(headers) else np.empty(0, dtype=np.intp)


def cut(hits: list[Hit], query: Query, *, chance: float, notes: tuple[str, ...] = ()) -> Recalled:
    """The hits that are served: none below the bound of confidence, and whole ones within the tokens."""
    if query.request.abstain and chance < ABSTAIN_BELOW:
        nearest = tuple(hit for hit in hits[:NEAREST_MISSES] if hit.score > 0)
        return Recalled(hits=(), abstained=True, confidence=chance, nearest=nearest, notes=notes)
    fit = fitting([(hit.record.id, hit.record.text) for hit in hits], query.request.max_tokens)
    served = tuple(hit for hit in hits if hit.record.id in fit)
    return Recalled(hits=served, abstained=False, confidence=chance, dropped=len(hits) - len(served), notes=notes)


def fitting(texts: Sequence[tuple[str, str]], max_tokens: int | None) -> set[str]:
    """Ids of the best texts that fit whole; a smaller one further down may still find room.

    Args:
        texts: id and text, best first.
    """
    if max_tokens is None:
        return {id for id, _ in texts}
    left = max_tokens
    fit: set[str] = set()
    for id, text in texts:
        if (size := estimate(text)) <= left:
            fit.add(id)
            left -= size
    return fit


def factors_of(candidates: Candidates, index: int) -> dict[str, float]:
    """What was weighed of a candidate, by name, rounded for people; with coverage and cosine as they were."""
    found = {factor.value: round(float(values[index]), 4) for factor, values in candidates.factors.items()}
    found["coverage"] = round(float(candidates.coverage[index]), 4)
    if not np.isnan(candidates.cosine[index]):
        found["cosine"] = round(float(candidates.cosine[index]), 4)
    return found


def _ranks(query: Query, candidates: Candidates, order: NDArray[np.intp]) -> Mapping[int, Ranks]:
    """The places of all candidates with feedback and without it; `order` is the one that serves."""
    serving = candidates.formula
    other = replace(replace(query, weighting=not query.weighting).formula, sums=serving.sums, scale=serving.scale)
    without = order if other == serving else ranked(candidates.headers, candidates.scores(other))
    served = {int(index): place for place, index in enumerate(order, 1)}
    unserved = {int(index): place for place, index in enumerate(without, 1)}
    weighted, unweighted = (served, unserved) if query.weighting else (unserved, served)
    return {index: Ranks(weighted=weighted[index], unweighted=unweighted[index]) for index in served}


def _hit(record: Record, candidates: Candidates, index: int, *, score: np.float32, best: float, ranks: Ranks) -> Hit:
    return Hit(
        record=record,
        score=round(float(score), 6),
        relative=round(float(score) / best, 6),
        factors=factors_of(candidates, index),
        ranks=ranks,
    )


def as_known(query: Query) -> Query:
    """The question with its filter set to what was known at its `as_of`."""
    request = query.request
    if request.as_of is None:
        return query
    return replace(query, request=replace(request, filter=replace(request.filter, known_by=request.as_of)))


async def stated(tx: Tx, *, limit: int, sayable: Sayable | None = None) -> list[Record]:
    """The newest memories that may state what a brief tells, of all that the transaction sees.

    Args:
        sayable: those of some memories that may be told; all of them, if not given.
    """
    headers = await tx.documents.headers((await having(tx, STATED_TERM)).tolist())
    order = np.argsort(-headers.occurred, kind="stable")[:limit]
    records = list((await tx.documents.records(headers.documents[order].tolist())).values())
    return records if sayable is None else list(await sayable(records))


async def foremost(
    tx: Tx, query: Query, *, apart: Sequence[str] = (), sayable: Sayable | None = None, spare: int = SPARE
) -> tuple[Record, ...]:
    """Of all active observations that the transaction sees, those that rank highest at the start of a session.

    What another of them replaced is left out.

    Of two with one type and as many revisions the one ranks higher that was updated later, or else made later: all
    others need no look.

    Args:
        query: by the profile `session`.
        apart: types that are left out.
        sayable: those of some memories that may be told; all of them, if not given.
        spare: how many more are looked at where some may not be told.
    """
    limit = query.limit if sayable is None else query.limit + spare
    documents = await tx.documents.updated_last(apart=apart, revisions=REVISIONS_THAT_COUNT, limit=limit)
    headers = await tx.documents.headers(documents.tolist())
    if not len(headers):
        return ()
    scores = query.formula.score(standing_factors(query, headers, query.profile.factors))
    # What was noted together was updated together: the newest of it comes first.
    order = np.lexsort((np.array(headers.ids), headers.occurred, scores))[::-1]
    return await _told(tx, headers.documents[order[:limit]].tolist(), query.limit, sayable)


async def _told(tx: Tx, chosen: Sequence[int], limit: int, sayable: Sayable | None) -> tuple[Record, ...]:
    """The records of wordings that may be told, in their order, without what another of them replaced."""
    records = await tx.documents.records(chosen)
    found = [records[document] for document in chosen if document in records]
    told = list(found if sayable is None else await sayable(found))[:limit]
    gone = await replacements(tx, told)
    return tuple(record for record in told if record.id not in gone or states_more(record.text))
