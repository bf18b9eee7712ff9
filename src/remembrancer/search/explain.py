"""Why a memory was recalled, or at which stage it was lost. Says nothing of what the caller may not see."""

from remembrancer.errors import NotFound
from remembrancer.search.candidates import Candidates, Values, gather
from remembrancer.search.confidence import ABSTAIN_BELOW
from remembrancer.search.query import Explanation, Query
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.recall import as_known, chance_of, factors_of, fitting, ranked
from remembrancer.search.replacing import LOOKED_AT, near, replacements
from remembrancer.storage.tx import Tx
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import SEARCHED, Record, kind_of


async def explain(
    tx: Tx,
    query: Query,
    id: str,
    semantic: QueryVector,
) -> Explanation:
    """What became of one memory when a question was asked.

    Raises:
        NotFound: no such memory here; another scope's reads the same.
    """
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if lost := await _never_considered(tx, as_known(query), record):
        return lost
    candidates = await gather(tx, as_known(query), semantic)
    scores = candidates.scores()
    chance = chance_of(query, candidates, semantic.generation)
    return await _among(tx, query, candidates, scores, id, chance=chance)


async def _never_considered(tx: Tx, query: Query, record: Record) -> Explanation | None:
    """The stages before any arm: what was known, status, echo, filters."""
    if query.request.as_of is not None and record.recorded_at > query.request.as_of:
        return Explanation(id=record.id, stage="time", reason="it was not known yet at that time")
    if record.status not in LIVE:
        return Explanation(
            id=record.id, stage="status", reason=f"it is {record.status}; only active memories are recalled"
        )
    if kind_of(record) not in SEARCHED:
        return Explanation(id=record.id, stage="kind", reason=f"a {kind_of(record)} is read in full, and not searched")
    if record.echo:
        return Explanation(id=record.id, stage="echo", reason="it only repeats what memory had put into a prompt")
    among = await tx.wordings.passing(query.request.filter) if query.request.filter.narrows() else None
    if among is not None and not any(
        found.id == record.id for found in (await tx.wordings.records(among.tolist())).values()
    ):
        return Explanation(id=record.id, stage="filter", reason="a filter of the question leaves it out")
    return None


async def _among(
    tx: Tx, query: Query, candidates: Candidates, scores: Values, id: str, *, chance: float
) -> Explanation:
    if id not in candidates.headers.ids:
        reason = "no arm found it among its best, nor does it stand beside one that did"
        return Explanation(id=id, stage="candidates", reason="; ".join((reason, *candidates.notes)))
    place = candidates.headers.ids.index(id)
    order: list[int] = ranked(candidates.headers, scores).tolist()
    rank = order.index(place) + 1
    stage, reason = await _fate(tx, query, candidates, order, rank, chance=chance)
    best = order[: max(query.limit, LOOKED_AT)]
    looked_at = best[: near(scores[best].tolist())] if query.formula.fused else []
    gone = await _replaced(tx, candidates, looked_at, id)
    return Explanation(
        id=id,
        stage=stage,
        reason="; ".join((reason, *gone, *candidates.notes)),
        rank=rank,
        score=round(float(scores[place]), 6),
        factors=factors_of(candidates, place),
        weights={factor.value: round(weight, 4) for factor, weight in candidates.formula.shares.items()},
        ranks={arm.value: rank for arm, rank in candidates.ranks(place).items()},
    )


async def _fate(
    tx: Tx, query: Query, candidates: Candidates, order: list[int], rank: int, *, chance: float
) -> tuple[str, str]:
    """The stage at which a ranked candidate ended, and why, in words."""
    if rank > query.limit:
        return "limit", f"it ranks {rank}, and {query.limit} were asked for"
    if query.request.abstain and chance < ABSTAIN_BELOW:
        return "abstained", f"recall abstained: its confidence was {chance:.2f}, below {ABSTAIN_BELOW}"
    if query.request.max_tokens is not None:
        served = await _served(tx, query, candidates, order)
        if candidates.headers.ids[order[rank - 1]] not in served:
            return "tokens", f"it did not fit whole into the {query.request.max_tokens} tokens that were left"
    return "recalled", f"it was recalled at rank {rank}"


async def _replaced(tx: Tx, candidates: Candidates, places: list[int], id: str) -> tuple[str, ...]:
    """That one of the memories at some places replaced it and is served before it, in words."""
    documents = candidates.headers.documents[places].tolist()
    records = await tx.wordings.records(documents)
    best = [records[document] for document in documents if document in records]
    found = (await replacements(tx, best)).get(id)
    if found is None:
        return ()
    return (f"memory {found.newer} of {found.until:%Y-%m-%d} replaced what it states, and is served before it",)


async def _served(tx: Tx, query: Query, candidates: Candidates, order: list[int]) -> set[str]:
    """Ids of the hits that fit into the tokens."""
    documents = candidates.headers.documents[order[: query.limit]].tolist()
    records = await tx.wordings.records(documents)
    texts = [(records[document].id, records[document].text) for document in documents if document in records]
    return fitting(texts, query.request.max_tokens)
