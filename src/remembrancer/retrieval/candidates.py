"""The union of what the arms find, with every factor that may speak for each candidate."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from remembrancer.model.observation_types import OBSERVATION_TYPES, priority
from remembrancer.model.record import Kind, Message, Observation, Record, kind_of, speaker_of, title_of
from remembrancer.ports.store import Documents, Filter, Generation, Header, Terms, Tx
from remembrancer.retrieval import lexical
from remembrancer.retrieval.analysis import names_in, slots_of
from remembrancer.retrieval.dates import Span, spans
from remembrancer.retrieval.profiles import Factor
from remembrancer.retrieval.query import Arm, Query

CANDIDATES_AN_ARM = 200
EXPANDED = 60
REACH = 2
BASE_SEMANTIC = 0.71
TYPICAL_NEARNESS = 0.5
DATE_HALF_LIFE = timedelta(days=7)
RECENCY_HALF_LIFE = timedelta(days=30)
REVISIONS_THAT_COUNT = 10
LAMBDA_A_DAY = {Kind.MESSAGE: 0.04, Kind.OBSERVATION: 0.02}
_DAY = timedelta(days=1)

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Memories that may answer, as parallel arrays in the order of `headers`.

    Args:
        cosine: as the model gave it; NaN where there is no vector.
        coverage: the share of the question's words that stand in it, by their IDF.
        places: the rank of each in each arm, from 1; 0 where it does not stand in it.
        slots: how many words the question has.
        past: records in wordings that no longer stand, by the negative number that serves as their wording's.
    """

    headers: tuple[Header, ...]
    factors: dict[Factor, Values]
    cosine: Values
    coverage: Values
    places: dict[Arm, NDArray[np.int64]]
    slots: int
    past: Mapping[int, Record]


async def gather(
    tx: Tx,
    query: Query,
    *,
    vector: Values | None,
    generation: Generation | None,
    past: Sequence[tuple[Record, Terms]] = (),
) -> Candidates:
    """Run the arms and describe the union of what they find.

    Args:
        vector: the question's unit vector in the space of `generation`; `None` leaves the semantic arm out.
        past: records as they once read and no longer do; they are matched by their words alone.
    """
    slots = slots_of(query.text)
    among = await tx.records.documents(query.filter) if query.filter.narrows() else None
    words = await lexical.search(tx, slots if Arm.LEXICAL in query.arms else ())
    asked = spans(query.text, now=query.now, zone=query.zone) if Arm.TEMPORAL in query.arms else ()
    found: dict[Arm, Documents] = {
        Arm.LEXICAL: words.best(CANDIDATES_AN_ARM, among=among),
        Arm.TEMPORAL: await _dated(tx, query, asked),
    }
    if vector is not None and generation is not None and Arm.SEMANTIC in query.arms:
        near = await tx.vectors.nearest(vector, generation=generation.number, limit=CANDIDATES_AN_ARM, among=among)
        found[Arm.SEMANTIC] = near.documents
    union = np.unique(np.concatenate(list(found.values())))
    headers = await tx.records.headers(union.tolist())
    headers += await _beside(tx, headers, words, among)
    documents = np.array([header.document for header in headers], dtype=np.int64)
    cosine = np.full(len(documents), np.nan, dtype=np.float32)
    if Arm.SEMANTIC in found and vector is not None and generation is not None:
        cosine = await tx.vectors.cosines(vector, documents, generation=generation.number)
    relevance, coverage = words.at(documents)
    if past:
        scores = [words.of(terms) for _, terms in past]
        headers += [_past_header(record, -place) for place, (record, _) in enumerate(past, 1)]
        documents = np.array([header.document for header in headers], dtype=np.int64)
        relevance = np.append(relevance, [score[0] for score in scores]).astype(np.float32)
        coverage = np.append(coverage, [score[1] for score in scores]).astype(np.float32)
        cosine = np.append(cosine, np.full(len(past), np.nan)).astype(np.float32)
    return Candidates(
        headers=tuple(headers),
        factors=_factors(query, headers, asked, relevance=relevance, near=_nearness(cosine, generation, relevance)),
        cosine=cosine,
        coverage=coverage,
        places={arm: _places(ranked, documents) for arm, ranked in found.items()},
        slots=len(slots),
        past={-place: record for place, (record, _) in enumerate(past, 1)},
    )


def _past_header(record: Record, document: int) -> Header:
    return Header(
        document=document,
        id=record.id,
        kind=kind_of(record),
        scope=record.scope,
        session=record.session,
        number=record.number if isinstance(record, Message) else 0,
        speaker=speaker_of(record),
        type=record.type if isinstance(record, Observation) else "",
        title=title_of(record),
        topic_key=(record.topic_key or "") if isinstance(record, Observation) else "",
        occurred_at=record.occurred_at,
        updated_at=record.updated_at,
        last_accessed_at=record.last_accessed_at,
        revision=record.revision,
        importance=record.importance,
    )


def _nearness(cosine: Values, generation: Generation | None, relevance: Values) -> Values:
    """Nearness that means the same in every model: 0 for two unrelated texts, 1 for the same text.

    Where there is no vector the words speak for it, as far as a good match usually is near.
    """
    base = generation.space.random_cosine if generation else 0.0
    near = np.clip((cosine - base) / (1 - base), 0, 1)
    return np.where(np.isnan(near), relevance * TYPICAL_NEARNESS, near).astype(np.float32)


async def _dated(tx: Tx, query: Query, asked: Sequence[Span]) -> Documents:
    """The newest wordings of the time that the question names."""
    if not asked:
        return np.empty(0, dtype=np.int64)
    limit = max(1, CANDIDATES_AN_ARM // len(asked))
    parts = [await tx.records.documents(_within(query.filter, span), limit=limit) for span in asked]
    return np.unique(np.concatenate(parts))


def _within(filter: Filter, span: Span) -> Filter:
    """A filter narrowed to a stretch of time; its own bounds stay."""
    last = span.end - timedelta(microseconds=1)
    since = span.start if filter.since is None else max(filter.since, span.start)
    return replace(filter, since=since, until=last if filter.until is None else min(filter.until, last))


async def _beside(tx: Tx, headers: Sequence[Header], words: lexical.Lexical, among: Documents | None) -> list[Header]:
    """The neighbours of the best messages, which may hold the answer to what these ask."""
    known: set[tuple[str | None, int]] = {(header.session, header.number) for header in headers}
    relevance, _ = words.at(np.array([header.document for header in headers], dtype=np.int64))
    order = np.argsort(-relevance, kind="stable")[:EXPANDED]
    best = [headers[int(index)] for index in order]
    wanted = {
        (header.session, header.number + step)
        for header in best
        if header.session is not None and header.kind is Kind.MESSAGE
        for step in range(-REACH, REACH + 1)
    }
    missing = sorted((session, number) for session, number in wanted if number > 0 and (session, number) not in known)
    found = await tx.records.beside(missing) if missing else []
    return found if among is None else [header for header in found if np.isin(header.document, among)]


def _factors(
    query: Query, headers: Sequence[Header], asked: Sequence[Span], *, relevance: Values, near: Values
) -> dict[Factor, Values]:
    """Every factor of every candidate, each in [0, 1]."""
    base = (BASE_SEMANTIC * near + (1 - BASE_SEMANTIC) * relevance).astype(np.float32)
    named = names_in(query.text)
    return {
        Factor.SEMANTIC: near,
        Factor.LEXICAL: relevance,
        Factor.NEIGHBOURS: _neighbours(headers, base),
        Factor.SESSION: _sessions(headers, base),
        Factor.SPEAKER: _each(headers, lambda header: float(bool(named & names_in(header.speaker)))),
        Factor.DATE: _each(headers, lambda header: max((_closeness(span, header) for span in asked), default=0.0)),
        **standing_factors(query.now, headers),
    }


def standing_factors(now: datetime, headers: Sequence[Header]) -> dict[Factor, Values]:
    """The factors that do not depend on what was asked."""
    return {
        Factor.RECENCY: _each(headers, lambda header: _half(now - header.occurred_at, RECENCY_HALF_LIFE)),
        Factor.UPDATED: _each(headers, lambda header: _half(now - header.updated_at, RECENCY_HALF_LIFE)),
        Factor.IMPORTANCE: _each(headers, lambda header: header.importance),
        Factor.REVISION: _each(headers, lambda header: min(header.revision / REVISIONS_THAT_COUNT, 1.0)),
        Factor.TYPE: _each(headers, lambda header: priority(header.type, OBSERVATION_TYPES)),
        Factor.FRESHNESS: _each(headers, lambda header: _freshness(now, header)),
    }


def _each(headers: Sequence[Header], value: Callable[[Header], float]) -> Values:
    return np.fromiter((value(header) for header in headers), dtype=np.float32, count=len(headers))


def _neighbours(headers: Sequence[Header], base: Values) -> Values:
    """How well the turns beside a message fit: the better of those next to it, half of those one further."""
    places = {(header.session, header.number): index for index, header in enumerate(headers) if header.number}

    def fit(header: Header, step: int) -> float:
        found = [places.get((header.session, header.number + way)) for way in (-step, step)]
        return max((float(base[index]) for index in found if index is not None), default=0.0)

    return _each(headers, lambda header: max(fit(header, 1), fit(header, 2) / 2) if header.number else 0.0)


def _sessions(headers: Sequence[Header], base: Values) -> Values:
    """How well a candidate's session fits: the mean of its three best."""
    members: defaultdict[str, list[float]] = defaultdict(list)
    for header, value in zip(headers, base.tolist(), strict=True):
        if header.session is not None:
            members[header.session].append(value)
    means = {session: sum(sorted(values)[-3:]) / 3 for session, values in members.items()}
    return _each(headers, lambda header: means.get(header.session or "", 0.0))


def _closeness(span: Span, header: Header) -> float:
    return _half(span.distance(header.occurred_at), DATE_HALF_LIFE)


def _half(age: timedelta, half_life: timedelta) -> float:
    """What is left after an age: 1 at once, 0.5 after one half-life."""
    return 0.5 ** (max(age, timedelta(0)) / half_life)


def _freshness(now: datetime, header: Header) -> float:
    """Source 001's decay: `exp(-lambda * days)` since the last access, or since it happened."""
    days = max(now - (header.last_accessed_at or header.occurred_at), timedelta(0)) / _DAY
    return math.exp(-LAMBDA_A_DAY[header.kind] * days)


def _places(ranked: Documents, documents: Documents) -> NDArray[np.int64]:
    rank = {document: place for place, document in enumerate(ranked.tolist(), 1)}
    return np.array([rank.get(document, 0) for document in documents.tolist()], dtype=np.int64)
