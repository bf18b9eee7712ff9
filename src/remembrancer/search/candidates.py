"""The candidates of a search: the union of the retrievers' results."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.analysis import (
    PREFERENCE_TERM,
    PREFERENCE_TYPES,
    names_in,
    names_of_code,
    parts_of,
    slots_of,
)
from remembrancer.language.dates.questions import Span, spans
from remembrancer.language.intent import Intent, intent_of, speaks_of_self
from remembrancer.search import lexical
from remembrancer.search.background import Background
from remembrancer.search.factor import Factor
from remembrancer.search.fusion import RecencyBonus, factor_weights, recency_bonus
from remembrancer.search.lexical import LexicalMatch
from remembrancer.search.linked import RANK_OFFSET, SEEDS, links
from remembrancer.search.nearest import nearest
from remembrancer.search.profiles import Profile
from remembrancer.search.query import Query, Retriever
from remembrancer.search.query_language import LanguageMatch, match_language
from remembrancer.search.query_vector import QueryVector
from remembrancer.storage.documents import Cosines, DocumentNumbers, Headers, headers_from
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.index import Generation, Terms
from remembrancer.types.new import priority
from remembrancer.types.record import Episode, Kind, Message, Record, kind_of, speaker_of, type_of

CANDIDATES_PER_RETRIEVER = 80
EXPANDED_MESSAGES = 25
MAX_PREFERENCES = 20
# A memory that covers this much of the question is in its language.
SAME_LANGUAGE_COVERAGE = 0.35
NEIGHBOUR_DISTANCE = 1
TYPICAL_NEARNESS = 0.5
SPREADS_OF_UNRELATED = 3.0
DATE_HALF_LIFE = timedelta(days=7)
RECENCY_HALF_LIFE = timedelta(days=30)
MAX_REVISIONS = 10
# Memories other than messages summarise all speakers.
_ROLE_VALUES = {"user": 1.0, "": 0.5}
LAMBDA_A_DAY = {Kind.MESSAGE: 0.04, Kind.OBSERVATION: 0.02, Kind.REFLECTION: 0.02, Kind.EPISODE: 0.04}
LAMBDA_OF_TIER = {"raw": 0.04, "weekly": 0.015, "monthly": 0.005}
# A summary represents many episodes, so it weighs more than one.
WEIGHT_OF_TIER = {"raw": 1.0, "weekly": 1.2, "monthly": 1.1}
# The share of a score between two places whose memories are ordered by their links.
_STEP = 1e-6
_MAX_TIER_WEIGHT = max(WEIGHT_OF_TIER.values())

FactorValues = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Memories that may answer, as parallel arrays in the order of `headers`.

    Args:
        factors: the values of each ranking factor.
        formula: the ranking: that of the query, with the weights of `fusion` if its profile uses them.
        intent: the intent of the query.
        recency_bonus: the preference for newer memories.
        of_self: whether the users ask about themselves.
        language: the match of the query's language with the memories'; determined only if words match little.
        cosine: the raw cosine of the best passage; NaN without a vector.
        background: the cosine of unrelated questions in this scope; NaN if unknown.
        coverage: the IDF-weighted share of the question's words in the memory.
        anywhere: the IDF-weighted share of the question's words in any memory.
        found: the documents of each retriever, best first.
        past: records as they once read, by the negative number that serves as their document.
        linked: the value of each memory that is linked to the best ones, in [0, 1]; 0 for others, empty without any.
        notes: deviations from the usual.
    """

    headers: Headers
    factors: dict[Factor, FactorValues]
    formula: Profile
    intent: Intent
    recency_bonus: RecencyBonus
    of_self: bool
    language: LanguageMatch
    cosine: FactorValues
    background: float
    coverage: FactorValues
    anywhere: float
    by_retriever: Mapping[Retriever, DocumentNumbers]
    past: Mapping[int, Record]
    linked: FactorValues = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    notes: tuple[str, ...] = ()

    def scores(self, formula: Profile | None = None) -> FactorValues:
        """Return the score of each candidate, in [0, 1].

        Linked memories move up: the order is that of the reciprocal ranks by score and by link, and each place keeps
        the score that it had.

        Args:
            formula: another formula than their own.
        """
        ranking = formula or self.formula
        scores = ranking.score(self.factors)
        if not ranking.fused:
            return scores
        scores = self.recency_bonus.scores(scores, self.headers.occurred, self._may_gain)
        if not self.linked.any():
            return scores
        by_score, by_link = _places(self.headers, scores), _places(self.headers, self.linked)
        reciprocal = 1 / (RANK_OFFSET + by_score) + np.where(self.linked > 0, 1 / (RANK_OFFSET + by_link), 0)
        moved = np.empty_like(scores)
        # Equal scores would be ordered by id again.
        steps = 1 - _STEP * np.arange(len(scores), dtype=np.float32)
        moved[np.lexsort((by_score, -reciprocal))] = -np.sort(-scores) * steps
        return moved

    @property
    def _may_gain(self) -> NDArray[np.bool_]:
        """The candidates that may gain by being newer.

        These are all but messages, and messages too if users ask about themselves: in conversations between others the
        newest is no likelier to be meant.
        """
        return _are_no_messages(self.headers) | self.of_self

    def ranks(self, index: int) -> dict[Retriever, int]:
        """Return the rank of a candidate in each retriever, from 1."""
        document = self.headers.documents[index]
        positions = {retriever: np.flatnonzero(ranked == document) for retriever, ranked in self.by_retriever.items()}
        return {retriever: int(position[0]) + 1 for retriever, position in positions.items() if len(position)}


async def gather(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    *,
    past: Sequence[tuple[Record, Terms]] = (),
) -> Candidates:
    """Run the retrievers, and return the union of their results.

    Args:
        past: records as they once read, if they read differently now; only their words are compared.
    """
    retrieved = await _retrieve(tx, query, semantic, past)
    candidates = await _described(tx, query, semantic, retrieved, past)
    if Retriever.LINKED not in query.request.retrievers or not candidates.formula.fused:
        return candidates
    linked = await _linked(tx, query, candidates, retrieved.among)
    if not linked:
        return candidates
    known = set(candidates.headers.documents.tolist())
    more = await tx.documents.headers([document for document in linked if document not in known])
    more = _select(more, _are_no_messages(more))
    if query.excluded or query.excluded_session is not None:
        more = _select(more, _is_searched(more, query))
    known |= set(more.documents.tolist())
    linked = {document: value for document, value in linked.items() if document in known}
    by_retriever = {**retrieved.by_retriever, Retriever.LINKED: np.array(list(linked), dtype=np.int64)}
    wider = replace(retrieved, headers=retrieved.headers + more, by_retriever=by_retriever)
    return await _described(tx, query, semantic, wider, past, linked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Retrieved:
    """The results of the retrievers.

    Args:
        headers: of the documents that they found.
        among: the documents that match the filter of the question; `None` for all.
    """

    headers: Headers
    words: lexical.LexicalResult
    time_spans: Sequence[Span]
    preferences: DocumentNumbers
    among: DocumentNumbers | None
    by_retriever: Mapping[Retriever, DocumentNumbers]
    notes: tuple[str, ...]


async def _retrieve(tx: Tx, query: Query, semantic: QueryVector, past: Sequence[tuple[Record, Terms]]) -> _Retrieved:
    """Run the retrievers that need only the question."""
    vector, generation = semantic.vector, semantic.generation
    slots = slots_of(query.request.question)
    among = await tx.documents.matching(query.request.filter) if query.request.filter.narrows() else None
    parts = lexical.WordParts(
        of=parts_of(query.request.question),
        names=names_of_code(query.request.question),
        past=frozenset(term for _, terms in past for term in terms.counts),
    )
    words = await lexical.search(tx, slots if Retriever.LEXICAL in query.request.retrievers else (), parts)
    time_spans = (
        spans(query.request.question, now=query.now, zone=query.zone)
        if Retriever.TEMPORAL in query.request.retrievers
        else ()
    )
    by_retriever: dict[Retriever, DocumentNumbers] = {
        Retriever.LEXICAL: words.best(CANDIDATES_PER_RETRIEVER, among=among),
        Retriever.TEMPORAL: await _dated_documents(tx, query, time_spans),
    }
    notes = _part_notes(words.parts)
    preferences = await _preferences(tx, query, intent_of(query.request.question), among)
    # Few preferences are all candidates, so that one counts before its vector is made.
    preferred = preferences[-MAX_PREFERENCES:]
    if vector is not None and generation is not None and Retriever.SEMANTIC in query.request.retrievers:
        near, index_notes = await nearest(
            tx,
            vector,
            generation=generation.number,
            limit=CANDIDATES_PER_RETRIEVER,
            among=among,
            outside=semantic.outside,
        )
        notes += index_notes
        if len(preferences) > MAX_PREFERENCES:
            found, _ = await nearest(
                tx, vector, generation=generation.number, limit=MAX_PREFERENCES, among=preferences, outside=None
            )
            preferred = found.documents
        by_retriever[Retriever.SEMANTIC] = np.union1d(near.documents, preferred)
    elif Retriever.SEMANTIC in query.request.retrievers:
        by_retriever[Retriever.SEMANTIC] = preferred
    headers = await tx.documents.headers(np.unique(np.concatenate(list(by_retriever.values()))).tolist())
    headers += await _message_neighbours(tx, headers, words, among)
    if query.excluded or query.excluded_session is not None:
        headers = _select(headers, _is_searched(headers, query))
    return _Retrieved(
        headers=headers,
        words=words,
        time_spans=time_spans,
        preferences=preferences,
        among=among,
        by_retriever=by_retriever,
        notes=notes,
    )


async def _linked(tx: Tx, query: Query, candidates: Candidates, among: DocumentNumbers | None) -> Mapping[int, float]:
    """Return the documents that names link to the best candidates, best first, with their values.

    Messages link nothing and are not linked: in a talk the same names are in many turns. Empty if the best is one.
    """
    scores = candidates.scores()
    documents, may_link = candidates.headers.documents, _are_no_messages(candidates.headers)
    first = rank_candidates(candidates.headers, scores)[:SEEDS]
    if not len(first) or not may_link[first[0]]:
        return {}
    best = [index for index in first if documents[index] > 0 and may_link[index]]
    seeds = {int(documents[index]): float(scores[index]) for index in best if scores[index] > 0}
    total = sum(one.documents for one in await tx.text_index.statistics())
    found: Mapping[int, float] = {}
    if seeds:
        found = await links(tx, query.request.question, seeds, total=total)
    allowed = None if among is None else set(among.tolist())
    messages = set(documents[~may_link].tolist())
    kept = [
        (value, document)
        for document, value in found.items()
        if document not in messages and (allowed is None or document in allowed)
    ]
    return {document: value for value, document in sorted(kept, key=lambda one: (-one[0], one[1]))}


def _are_no_messages(headers: Headers) -> NDArray[np.bool_]:
    return np.array([kind is not Kind.MESSAGE for kind in headers.kinds], dtype=bool)


async def _described(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    retrieved: _Retrieved,
    past: Sequence[tuple[Record, Terms]],
    linked: Mapping[int, float] | None = None,
) -> Candidates:
    """Return the candidates with the values of their factors."""
    vector, generation = semantic.vector, semantic.generation
    headers, words, intent = retrieved.headers, retrieved.words, intent_of(query.request.question)
    cosines = _no_cosines(len(headers))
    if vector is not None and generation is not None and Retriever.SEMANTIC in retrieved.by_retriever:
        cosines = await tx.vectors.cosines(vector, headers.documents, generation=generation.number)
    matched = words.match(headers.documents)
    if past:
        headers += _headers_of_past([(record, terms.length) for record, terms in past])
        matched = LexicalMatch(
            *map(_append, matched, zip(*(words.score_terms(terms) for _, terms in past), strict=True))
        )
        unknown = _no_cosines(len(past))
        cosines = Cosines(best=_append(cosines.best, unknown.best), mean=_append(cosines.mean, unknown.mean))
    described = _CandidateData(
        headers=headers,
        matched=matched,
        cosines=cosines,
        generation=generation,
        time_spans=retrieved.time_spans,
        preferences=retrieved.preferences,
    )
    formula = _formula(query, intent, described)
    same_language = matched.coverage.max(initial=0.0) >= SAME_LANGUAGE_COVERAGE or not described.has_vectors
    link_values = _link_values(headers, linked or {})
    # With feedback even if it does not count, since a hit reports its ranks with and without it.
    factors = _factors(query, described, replace(query.profile, sums=formula.sums))
    return Candidates(
        headers=headers,
        factors={**factors, Factor.LINKED: link_values} if linked else factors,
        formula=formula,
        intent=intent,
        recency_bonus=recency_bonus(intent, query.request.question),
        of_self=speaks_of_self(query.request.question),
        language=LanguageMatch.SAME if same_language else await match_language(tx, query.request.question),
        cosine=cosines.best,
        background=await _background(tx, semantic.background, cosines),
        anywhere=words.anywhere,
        coverage=matched.coverage,
        by_retriever=retrieved.by_retriever,
        past={-place: record for place, (record, _) in enumerate(past, 1)},
        linked=link_values,
        notes=retrieved.notes,
    )


def _link_values(headers: Headers, linked: Mapping[int, float]) -> FactorValues:
    """Return the value of each candidate's links, the best with 1."""
    values = np.array([linked.get(document, 0.0) for document in headers.documents.tolist()], dtype=np.float32)
    return _divide_by_max(values)


def rank_candidates(headers: Headers, scores: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the indices of the candidates, best first; ties by id."""
    return np.lexsort((np.array(headers.ids), -scores)) if len(headers) else np.empty(0, dtype=np.intp)


def _places(headers: Headers, values: FactorValues) -> NDArray[np.int64]:
    """Return the place of each candidate by a value, from 0 for the highest; ties by id."""
    order = rank_candidates(headers, values)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _part_notes(parts: Sequence[str]) -> tuple[str, ...]:
    """Return a note if words were only found inside of other words."""
    return (
        (f"no memory has these words, so they were searched inside of other words: {', '.join(parts)}",)
        if parts
        else ()
    )


def _no_cosines(count: int) -> Cosines:
    none = np.full(count, np.nan, dtype=np.float32)
    return Cosines(best=none, mean=none)


def _append(values: FactorValues, more: Sequence[float] | FactorValues) -> FactorValues:
    return np.append(values, more).astype(np.float32)


def _formula(query: Query, intent: Intent, data: "_CandidateData") -> Profile:
    """Return the ranking formula, with the weights of `fusion` if used.

    The scores are scaled by how well words and vectors match at all, so that a nonsense question scores near 0.
    """
    if not query.formula.fused:
        return query.formula
    share = float(data.matched.coverage.max(initial=0.0))
    weights = factor_weights(intent, share, of_self=speaks_of_self(query.request.question), meaning=data.has_vectors)
    nearest = float(data.near.max(initial=0.0)) if data.has_vectors else 0.0
    scale = weights[Factor.WORDS] * share + weights.get(Factor.MEANING, 0.0) * nearest
    return replace(query.formula, sums=weights, scale=scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CandidateData:
    """The data of the candidates as parallel arrays, and the time spans."""

    headers: Headers
    matched: LexicalMatch
    cosines: Cosines
    generation: Generation | None

    time_spans: Sequence[Span]
    preferences: DocumentNumbers

    @property
    def has_vectors(self) -> bool:
        """True if any candidate has a vector."""
        return not np.all(np.isnan(self.cosines.best))

    @property
    def near(self) -> FactorValues:
        """The nearness in [0, 1], comparable between embedders.

        0 is the distance of unrelated texts, 1 that of equal texts. For a text of several passages it is the mean of
        the best passage and of all of them, since the best alone favours long texts. Without a vector the words
        determine it, up to the nearness of a typical match.
        """
        space = self.generation.space if self.generation else None
        base = max(0.0, space.random_cosine - SPREADS_OF_UNRELATED * space.random_spread) if space else 0.0
        cosine = (self.cosines.best + self.cosines.mean) / 2
        near = np.clip((cosine - base) / (1 - base), 0, 1)
        return np.where(np.isnan(near), self.matched.relevance * TYPICAL_NEARNESS, near).astype(np.float32)


async def _preferences(tx: Tx, query: Query, intent: Intent, among: DocumentNumbers | None) -> DocumentNumbers:
    """Return the documents that state a preference, if the query is a request."""
    if intent is not Intent.REQUEST or not query.formula.fused:
        return np.empty(0, dtype=np.int64)
    documents = await documents_with(tx, PREFERENCE_TERM)
    return documents if among is None else documents[np.isin(documents, among)]


async def documents_with(tx: Tx, term: str, *, most: int = 0) -> DocumentNumbers:
    """Return the visible documents that contain a term; of each scope the `most` last, unless it is 0."""
    statistics = await tx.text_index.statistics()
    postings = await tx.text_index.postings([(scope_statistics.scope, term) for scope_statistics in statistics])
    return np.concatenate([np.empty(0, dtype=np.int64), *(part.documents[-most:] for part in postings.values())])


async def _background(tx: Tx, background: Background | None, cosines: Cosines) -> float:
    """Return the cosine of unrelated questions in this scope; NaN if unknown."""
    missing = np.isnan(cosines.best)
    return math.nan if background is None or missing.all() else await background(tx, keep=not missing.any())


async def _dated_documents(tx: Tx, query: Query, time_spans: Sequence[Span]) -> DocumentNumbers:
    """Return the newest documents of the times that the question names."""
    if not time_spans:
        return np.empty(0, dtype=np.int64)
    limit = max(1, CANDIDATES_PER_RETRIEVER // len(time_spans))
    parts = [await tx.documents.matching(_narrow(query.request.filter, span), limit=limit) for span in time_spans]
    return np.unique(np.concatenate(parts))


def _narrow(filter: Filter, span: Span) -> Filter:
    """Return a filter narrowed to a time span."""
    last = span.end - timedelta(microseconds=1)
    since = span.start if filter.since is None else max(filter.since, span.start)
    return replace(filter, since=since, until=last if filter.until is None else min(filter.until, last))


async def _message_neighbours(
    tx: Tx, headers: Headers, words: lexical.LexicalResult, among: DocumentNumbers | None
) -> Headers:
    """Return the neighbours of the best messages.

    They may contain the answer to a question in these.
    """
    message_keys = list(zip(headers.sessions, headers.numbers.tolist(), strict=True))
    known_keys = set(message_keys)
    relevance = words.match(headers.documents).relevance
    best = [message_keys[int(index)] for index in np.argsort(-relevance, kind="stable")[:EXPANDED_MESSAGES]]
    keys = {
        (session, number + step)
        for session, number in best
        if number > 0
        for step in range(-NEIGHBOUR_DISTANCE, NEIGHBOUR_DISTANCE + 1)
    }
    neighbours = await tx.documents.messages_at(sorted(key for key in keys - known_keys if key[1] > 0))
    return neighbours if among is None else _select(neighbours, np.isin(neighbours.documents, among))


def _is_searched(headers: Headers, query: Query) -> NDArray[np.bool_]:
    """Return which candidates the query does not exclude."""
    places = zip(headers.ids, headers.kinds, headers.sessions, strict=True)
    return np.array(
        [
            id not in query.excluded and not (kind is Kind.MESSAGE and session == query.excluded_session)
            for id, kind, session in places
        ],
        dtype=bool,
    )


def _select(headers: Headers, mask: NDArray[np.bool_]) -> Headers:
    indices = np.flatnonzero(mask).tolist()
    return Headers(
        documents=headers.documents[mask],
        ids=tuple(headers.ids[index] for index in indices),
        kinds=tuple(headers.kinds[index] for index in indices),
        sessions=tuple(headers.sessions[index] for index in indices),
        numbers=headers.numbers[mask],
        speakers=tuple(headers.speakers[index] for index in indices),
        roles=tuple(headers.roles[index] for index in indices),
        types=tuple(headers.types[index] for index in indices),
        lengths=headers.lengths[mask],
        occurred=headers.occurred[mask],
        updated=headers.updated[mask],
        accessed=headers.accessed[mask],
        revisions=headers.revisions[mask],
        importance=headers.importance[mask],
        tiers=tuple(headers.tiers[index] for index in indices),
        weights=headers.weights[mask],
    )


def _headers_of_past(past: Sequence[tuple[Record, int]]) -> Headers:
    """Return headers of records as they once read, with negative documents.

    Args:
        past: each record with the length of its text.
    """
    return headers_from(
        [
            (
                -place,
                record.id,
                kind_of(record).value,
                record.session or "",
                record.number if isinstance(record, Message) else 0,
                speaker_of(record),
                record.role.value if isinstance(record, Message) else "",
                type_of(record) or "",
                length,
                record.occurred_at.timestamp(),
                record.updated_at.timestamp(),
                record.last_accessed_at.timestamp() if record.last_accessed_at else None,
                record.revision,
                record.importance,
                record.details.tier.value if isinstance(record, Episode) else "",
                1.0,
            )
            for place, (record, length) in enumerate(past, 1)
        ]
    )


def _factors(query: Query, data: _CandidateData, formula: Profile) -> dict[Factor, FactorValues]:
    """Return the factors of the formula that depend on the question.

    Each is in [0, 1].
    """
    headers, near, used = data.headers, data.near, formula.factors
    if formula.fused:
        # The absolute values of the relative factors, for the report of a hit.
        used |= {Factor.SEMANTIC, Factor.LEXICAL} if data.has_vectors else {Factor.LEXICAL}
    word_values, missing = data.matched.score, np.isnan(data.cosines.best)
    # A memory that was just saved has no vector yet; its words determine its rank until then.
    meaning_values = np.where(missing, word_values, _divide_by_max(np.where(missing, 0, near).astype(np.float32)))
    sums = formula.sums
    base = (sums.get(Factor.WORDS, 0.0) * word_values + sums.get(Factor.MEANING, 0.0) * meaning_values).astype(
        np.float32
    )
    makers: dict[Factor, Callable[[], FactorValues]] = {
        Factor.SEMANTIC: lambda: near,
        Factor.LEXICAL: lambda: data.matched.relevance,
        Factor.WORDS: lambda: word_values,
        Factor.MEANING: lambda: meaning_values,
        Factor.NEIGHBOURS: lambda: _neighbour_values(headers, base),
        Factor.SESSION: lambda: _session_values(headers, base),
        Factor.SPEAKER: lambda: _speaker_values(headers, names_in(query.request.question)),
        Factor.DATE: lambda: _date_values(headers, data.time_spans),
        Factor.PREFERENCE: lambda: _preference_values(headers, data.preferences),
        Factor.USER: lambda: _values_by_name(headers.roles, lambda role: _ROLE_VALUES.get(role, 0.0)),
    }
    return {
        **{factor: make() for factor, make in makers.items() if factor in used},
        **query_independent_factors(query, headers, used),
    }


def _preference_values(headers: Headers, preferences: DocumentNumbers) -> FactorValues:
    """Return 1 for saved preferences, 0.5 for texts that state one."""
    typed = _values_by_name(headers.types, lambda type: 1.0 if type in PREFERENCE_TYPES else 0.5)
    return np.where(np.isin(headers.documents, preferences), typed, 0.0).astype(np.float32)


def _divide_by_max(values: FactorValues) -> FactorValues:
    """Return the values divided by the largest of them."""
    largest = values.max(initial=0.0)
    return values / largest if largest > 0 else values


def query_independent_factors(query: Query, headers: Headers, used: frozenset[Factor]) -> dict[Factor, FactorValues]:
    """Return the factors that do not depend on the question."""
    seconds = query.now.timestamp()
    makers: dict[Factor, Callable[[], FactorValues]] = {
        Factor.RECENCY: lambda: _decay(seconds - headers.occurred, RECENCY_HALF_LIFE),
        Factor.UPDATED: lambda: _decay(seconds - headers.updated, RECENCY_HALF_LIFE),
        Factor.IMPORTANCE: lambda: headers.importance,
        Factor.REVISION: lambda: np.minimum(headers.revisions / MAX_REVISIONS, 1).astype(np.float32),
        Factor.TYPE: lambda: _values_by_name(headers.types, lambda name: priority(name, query.types)),
        Factor.FRESHNESS: lambda: _freshness_values(seconds, headers),
        Factor.TIER: lambda: _values_by_name(
            headers.tiers, lambda tier: WEIGHT_OF_TIER.get(tier, 1.0) / _MAX_TIER_WEIGHT
        ),
        Factor.FEEDBACK: lambda: headers.weights,
    }
    return {factor: make() for factor, make in makers.items() if factor in used}


def _values_by_name(names: Sequence[str], value: Callable[[str], float]) -> FactorValues:
    """Return a value per name, computed once for equal names."""
    by_name = {name: value(name) for name in set(names)}
    return np.fromiter((by_name[name] for name in names), dtype=np.float32, count=len(names))


def _neighbour_values(headers: Headers, base: FactorValues) -> FactorValues:
    """Return the values of the better neighbour of each message.

    Other memories have their own value.
    """
    keys = (_number_names(headers.sessions) << 32) + headers.numbers
    messages = np.flatnonzero(headers.numbers > 0)
    order = messages[np.argsort(keys[messages])]
    known_keys, known_values = np.append(keys[order], -1), np.append(base[order], np.float32(0))

    def at(step: int) -> FactorValues:
        neighbour_keys = keys + step
        positions = np.searchsorted(known_keys[:-1], neighbour_keys)
        return np.where(known_keys[positions] == neighbour_keys, known_values[positions], 0)

    return np.where(headers.numbers > 0, np.maximum(at(-1), at(1)), base).astype(np.float32)


def _session_values(headers: Headers, base: FactorValues) -> FactorValues:
    """Return the mean of the three best values of each session.

    Memories without a session have their own value.
    """
    codes = _number_names(headers.sessions)
    order = np.lexsort((-base, codes))
    first = np.searchsorted(codes[order], codes[order])
    best = order[np.arange(len(order)) - first < 3]
    means = np.bincount(codes[best], weights=base[best]) / 3
    values = means[codes].astype(np.float32) if len(codes) else base
    return np.where(np.array([bool(session) for session in headers.sessions], dtype=bool), values, base)


def _number_names(names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each name, equal for equal names, from 0."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def _speaker_values(headers: Headers, names: frozenset[str]) -> FactorValues:
    return _values_by_name(headers.speakers, lambda speaker: float(bool(names & names_in(speaker))))


def _date_values(headers: Headers, time_spans: Sequence[Span]) -> FactorValues:
    """Return the nearness to a time in the question; 1 inside it."""
    best = np.zeros(len(headers), dtype=np.float32)
    for span in time_spans:
        early = span.start.timestamp() - headers.occurred
        late = headers.occurred - span.end.timestamp()
        best = np.maximum(best, _decay(np.maximum(early, late), DATE_HALF_LIFE))
    return best


def _decay(seconds: NDArray[np.float64], half_life: timedelta) -> FactorValues:
    """Return the rest after an age: 1 at once, 0.5 after one half-life."""
    return (0.5 ** (np.maximum(seconds, 0) / half_life.total_seconds())).astype(np.float32)


def _freshness_values(now: float, headers: Headers) -> FactorValues:
    """Return `exp(-lambda * days)` since the last access or the event."""
    since = np.where(np.isnan(headers.accessed), headers.occurred, headers.accessed)
    rates = np.array(
        [LAMBDA_OF_TIER.get(tier, LAMBDA_A_DAY[kind]) for kind, tier in zip(headers.kinds, headers.tiers, strict=True)]
    )
    return np.exp(-rates * np.maximum(now - since, 0) / 86_400).astype(np.float32)
