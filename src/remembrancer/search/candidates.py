"""The union of what the arms find, with every factor that may speak for each candidate."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from remembrancer.search.foreign import Language, language_of_query
from remembrancer.search.fusion import NewerFirst, newer_first, weights_of
from remembrancer.search.lexical import Matched
from remembrancer.search.nearest import nearest
from remembrancer.search.profiles import Profile
from remembrancer.search.query import Query, Retriever
from remembrancer.search.query_vector import QueryVector
from remembrancer.storage.documents import Cosines, Documents, Headers, headers_from
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.index import Generation, Terms
from remembrancer.types.new import priority
from remembrancer.types.record import Episode, Kind, Message, Record, kind_of, speaker_of, type_of

CANDIDATES_AN_ARM = 80
EXPANDED = 25
PREFERENCES = 20
# A memory with so much of what is asked is in its language.
TELLING_COVERAGE = 0.35
REACH = 1
TYPICAL_NEARNESS = 0.5
SPREADS_OF_UNRELATED = 3.0
DATE_HALF_LIFE = timedelta(days=7)
RECENCY_HALF_LIFE = timedelta(days=30)
REVISIONS_THAT_COUNT = 10
# What is no message was distilled from what all sides said.
_OF_ROLE = {"user": 1.0, "": 0.5}
LAMBDA_A_DAY = {Kind.MESSAGE: 0.04, Kind.OBSERVATION: 0.02, Kind.REFLECTION: 0.02, Kind.EPISODE: 0.04}
LAMBDA_OF_TIER = {"raw": 0.04, "weekly": 0.015, "monthly": 0.005}
# What a compact record stands for weighs more than a single episode.
WEIGHT_OF_TIER = {"raw": 1.0, "weekly": 1.2, "monthly": 1.1}
_MOST_WEIGHT = max(WEIGHT_OF_TIER.values())

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Memories that may answer, as parallel arrays in the order of `headers`.

    Args:
        formula: what ranks them: that of the query, with the weights of `fusion` where its profile wants them.
        intent: what the query wants.
        newer_first: how far it prefers the newer.
        of_self: whether whoever asks speaks of themselves.
        language: how its language is to that of the memories; looked at where its words tell little.
        cosine: of the best piece, as the model gave it; NaN where there is no vector.
        background: how near questions about other things come here; NaN where nobody knows.
        coverage: the share of the question's words that stand in it, by their IDF.
        anywhere: the share of them that stands in any memory.
        found: what each arm found, best first.
        past: records in wordings that no longer stand, by the negative number that serves as their wording's.
        notes: what is to be said of how they were found.
    """

    headers: Headers
    factors: dict[Factor, Values]
    formula: Profile
    intent: Intent
    newer_first: NewerFirst
    of_self: bool
    language: Language
    cosine: Values
    background: float
    coverage: Values
    anywhere: float
    found: Mapping[Retriever, Documents]
    past: Mapping[int, Record]
    notes: tuple[str, ...] = ()

    def scores(self, formula: Profile | None = None) -> Values:
        """Return the score of each, in [0, 1].

        Args:
            formula: another one than their own.
        """
        ranking = formula or self.formula
        scores = ranking.score(self.factors)
        return self.newer_first.scores(scores, self.headers.occurred, self._told) if ranking.fused else scores

    @property
    def _told(self) -> NDArray[np.bool_]:
        """Which may gain by being newer: what was written down, and what somebody says who asks about themselves.

        Of talks among others the newest is no likelier to be meant.
        """
        claimed = np.array([kind is not Kind.MESSAGE for kind in self.headers.kinds], dtype=bool)
        return claimed | self.of_self

    def ranks(self, index: int) -> dict[Retriever, int]:
        """The rank of a candidate in each arm that found it, from 1."""
        document = self.headers.documents[index]
        places = {arm: np.flatnonzero(ranked == document) for arm, ranked in self.found.items()}
        return {arm: int(place[0]) + 1 for arm, place in places.items() if len(place)}


async def gather(
    tx: Tx,
    query: Query,
    semantic: QueryVector,
    *,
    past: Sequence[tuple[Record, Terms]] = (),
) -> Candidates:
    """Run the arms and describe the union of what they find.

    Args:
        past: records as they once read and no longer do; they are matched by their words alone.
    """
    vector, generation = semantic.vector, semantic.generation
    slots = slots_of(query.request.question)
    among = await tx.wordings.passing(query.request.filter) if query.request.filter.narrows() else None
    parts = lexical.Parts(
        of=parts_of(query.request.question),
        names=names_of_code(query.request.question),
        past=frozenset(term for _, terms in past for term in terms.counts),
    )
    words = await lexical.search(tx, slots if Retriever.LEXICAL in query.request.retrievers else (), parts)
    asked = (
        spans(query.request.question, now=query.now, zone=query.zone)
        if Retriever.TEMPORAL in query.request.retrievers
        else ()
    )
    found: dict[Retriever, Documents] = {
        Retriever.LEXICAL: words.best(CANDIDATES_AN_ARM, among=among),
        Retriever.TEMPORAL: await _dated(tx, query, asked),
    }
    notes = _inside(words.parts)
    intent = intent_of(query.request.question)
    preferences = await _preferences(tx, query, intent, among)
    if vector is not None and generation is not None and Retriever.SEMANTIC in query.request.retrievers:
        near, said = await nearest(
            tx, vector, generation=generation.number, limit=CANDIDATES_AN_ARM, among=among, outside=semantic.outside
        )
        notes += said
        found[Retriever.SEMANTIC] = near.documents
        if len(preferences):
            heeded, _ = await nearest(
                tx, vector, generation=generation.number, limit=PREFERENCES, among=preferences, outside=None
            )
            found[Retriever.SEMANTIC] = np.union1d(near.documents, heeded.documents)
    headers = await tx.wordings.headers(np.unique(np.concatenate(list(found.values()))).tolist())
    headers += await _beside(tx, headers, words, among)
    if query.excluded:
        headers = _only(headers, np.array([id not in query.excluded for id in headers.ids], dtype=bool))
    cosines = _unknown(len(headers))
    if vector is not None and generation is not None and Retriever.SEMANTIC in found:
        cosines = await tx.vectors.cosines(vector, headers.documents, generation=generation.number)
    matched = words.at(headers.documents)
    if past:
        headers += _past_headers([(record, terms.length) for record, terms in past])
        matched = Matched(*map(_appended, matched, zip(*(words.of(terms) for _, terms in past), strict=True)))
        none = _unknown(len(past))
        cosines = Cosines(best=_appended(cosines.best, none.best), mean=_appended(cosines.mean, none.mean))
    described = _Described(
        headers=headers,
        matched=matched,
        cosines=cosines,
        generation=generation,
        asked=asked,
        preferences=preferences,
    )
    formula = _formula(query, intent, described)
    tells = matched.coverage.max(initial=0.0) >= TELLING_COVERAGE or not described.has_vectors
    return Candidates(
        headers=headers,
        # With that of feedback also where it does not count: its ranks are told all the same.
        factors=_factors(query, described, replace(query.profile, sums=formula.sums)),
        formula=formula,
        intent=intent,
        newer_first=newer_first(intent, query.request.question),
        of_self=speaks_of_self(query.request.question),
        language=Language.SAME if tells else await language_of_query(tx, query.request.question),
        cosine=cosines.best,
        background=await _background(tx, semantic.background, cosines),
        anywhere=words.anywhere,
        coverage=matched.coverage,
        found=found,
        past={-place: record for place, (record, _) in enumerate(past, 1)},
        notes=notes,
    )


def _inside(parts: Sequence[str]) -> tuple[str, ...]:
    """What is said of words that were found as parts of others only."""
    return (
        (f"no memory has these words, so they were looked for inside of others: {', '.join(parts)}",) if parts else ()
    )


def _unknown(count: int) -> Cosines:
    none = np.full(count, np.nan, dtype=np.float32)
    return Cosines(best=none, mean=none)


def _appended(values: Values, more: Sequence[float] | Values) -> Values:
    return np.append(values, more).astype(np.float32)


def _formula(query: Query, intent: Intent, found: "_Described") -> Profile:
    """What ranks: with the weights of `fusion` for such a query, where the profile wants them.

    The scores are scaled to how well words and meaning fit at all, so that those of nonsense are near 0.
    """
    if not query.formula.fused:
        return query.formula
    share = float(found.matched.coverage.max(initial=0.0))
    weights = weights_of(intent, share, of_self=speaks_of_self(query.request.question), meaning=found.has_vectors)
    nearest = float(found.near.max(initial=0.0)) if found.has_vectors else 0.0
    scale = weights[Factor.WORDS] * share + weights.get(Factor.MEANING, 0.0) * nearest
    return replace(query.formula, sums=weights, scale=scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Described:
    """What is known of the candidates, as parallel arrays, and the times that the question names."""

    headers: Headers
    matched: Matched
    cosines: Cosines
    generation: Generation | None
    asked: Sequence[Span]
    preferences: Documents

    @property
    def has_vectors(self) -> bool:
        """Whether any candidate was compared by meaning."""
        return not np.all(np.isnan(self.cosines.best))

    @property
    def near(self) -> Values:
        """Nearness that means the same in every model: 0 for texts as far apart as unrelated ones are, 1 for the same.

        Of a text in several passages the mean of the nearest one's and of all of theirs: the nearest alone favours what
        is long. Where there is no vector the words speak for it, as far as a good match usually is near.
        """
        space = self.generation.space if self.generation else None
        base = max(0.0, space.random_cosine - SPREADS_OF_UNRELATED * space.random_spread) if space else 0.0
        cosine = (self.cosines.best + self.cosines.mean) / 2
        near = np.clip((cosine - base) / (1 - base), 0, 1)
        return np.where(np.isnan(near), self.matched.relevance * TYPICAL_NEARNESS, near).astype(np.float32)


async def _preferences(tx: Tx, query: Query, intent: Intent, among: Documents | None) -> Documents:
    """The wordings that state a preference or a standing instruction, where the query wants something done."""
    if intent is not Intent.REQUEST or not query.formula.fused:
        return np.empty(0, dtype=np.int64)
    found = await having(tx, PREFERENCE_TERM)
    return found if among is None else found[np.isin(found, among)]


async def having(tx: Tx, term: str) -> Documents:
    """The wordings that have a term in the index, of all that the transaction sees."""
    statistics = await tx.texts.statistics()
    postings = await tx.texts.postings([(shard.scope, term) for shard in statistics])
    return np.concatenate([np.empty(0, dtype=np.int64), *(part.documents for part in postings.values())])


async def _background(tx: Tx, background: Background | None, cosines: Cosines) -> float:
    """How near questions about other things come; NaN where nobody knows, or nothing has vectors."""
    missing = np.isnan(cosines.best)
    return math.nan if background is None or missing.all() else await background(tx, keep=not missing.any())


async def _dated(tx: Tx, query: Query, asked: Sequence[Span]) -> Documents:
    """The newest wordings of the time that the question names."""
    if not asked:
        return np.empty(0, dtype=np.int64)
    limit = max(1, CANDIDATES_AN_ARM // len(asked))
    parts = [await tx.wordings.passing(_within(query.request.filter, span), limit=limit) for span in asked]
    return np.unique(np.concatenate(parts))


def _within(filter: Filter, span: Span) -> Filter:
    """A filter narrowed to a stretch of time; its own bounds stay."""
    last = span.end - timedelta(microseconds=1)
    since = span.start if filter.since is None else max(filter.since, span.start)
    return replace(filter, since=since, until=last if filter.until is None else min(filter.until, last))


async def _beside(tx: Tx, headers: Headers, words: lexical.Lexical, among: Documents | None) -> Headers:
    """The neighbours of the best messages, which may hold the answer to what these ask."""
    places = list(zip(headers.sessions, headers.numbers.tolist(), strict=True))
    known = set(places)
    relevance = words.at(headers.documents).relevance
    best = [places[int(index)] for index in np.argsort(-relevance, kind="stable")[:EXPANDED]]
    wanted = {(session, number + step) for session, number in best if number > 0 for step in range(-REACH, REACH + 1)}
    found = await tx.wordings.beside(sorted(place for place in wanted - known if place[1] > 0))
    return found if among is None else _only(found, np.isin(found.documents, among))


def _only(headers: Headers, kept: NDArray[np.bool_]) -> Headers:
    places = np.flatnonzero(kept).tolist()
    return Headers(
        documents=headers.documents[kept],
        ids=tuple(headers.ids[place] for place in places),
        kinds=tuple(headers.kinds[place] for place in places),
        sessions=tuple(headers.sessions[place] for place in places),
        numbers=headers.numbers[kept],
        speakers=tuple(headers.speakers[place] for place in places),
        roles=tuple(headers.roles[place] for place in places),
        types=tuple(headers.types[place] for place in places),
        lengths=headers.lengths[kept],
        occurred=headers.occurred[kept],
        updated=headers.updated[kept],
        accessed=headers.accessed[kept],
        revisions=headers.revisions[kept],
        importance=headers.importance[kept],
        tiers=tuple(headers.tiers[place] for place in places),
        weights=headers.weights[kept],
    )


def _past_headers(past: Sequence[tuple[Record, int]]) -> Headers:
    """Records in a wording that is gone, as the index would tell of them; their wordings' numbers are negative.

    Args:
        past: each with the length of its wording.
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


def _factors(query: Query, found: _Described, formula: Profile) -> dict[Factor, Values]:
    """Those of the formula's factors that are of every candidate, each in [0, 1]."""
    headers, near, weighed = found.headers, found.near, formula.factors
    if formula.fused:
        # What its relative ones are made of, to look at.
        weighed |= {Factor.SEMANTIC, Factor.LEXICAL} if found.has_vectors else {Factor.LEXICAL}
    words, unknown = found.matched.score, np.isnan(found.cosines.best)
    # What was saved a moment ago has no vector yet, and stands as the words have it until it has one.
    meaning = np.where(unknown, words, _relative(np.where(unknown, 0, near).astype(np.float32)))
    sums = formula.sums
    mixed = (sums.get(Factor.WORDS, 0.0) * words + sums.get(Factor.MEANING, 0.0) * meaning).astype(np.float32)
    makers: dict[Factor, Callable[[], Values]] = {
        Factor.SEMANTIC: lambda: near,
        Factor.LEXICAL: lambda: found.matched.relevance,
        Factor.WORDS: lambda: words,
        Factor.MEANING: lambda: meaning,
        Factor.NEIGHBOURS: lambda: _neighbours(headers, mixed),
        Factor.SESSION: lambda: _sessions(headers, mixed),
        Factor.SPEAKER: lambda: _speakers(headers, names_in(query.request.question)),
        Factor.DATE: lambda: _dates(headers, found.asked),
        Factor.PREFERENCE: lambda: _preferring(headers, found.preferences),
        Factor.USER: lambda: _each(headers.roles, lambda role: _OF_ROLE.get(role, 0.0)),
    }
    return {
        **{factor: make() for factor, make in makers.items() if factor in weighed},
        **standing_factors(query, headers, weighed),
    }


def _preferring(headers: Headers, preferences: Documents) -> Values:
    """1 for what was saved as a preference, half for what states one by its words."""
    typed = _each(headers.types, lambda type: 1.0 if type in PREFERENCE_TYPES else 0.5)
    return np.where(np.isin(headers.documents, preferences), typed, 0.0).astype(np.float32)


def _relative(values: Values) -> Values:
    """Values over the largest of them."""
    most = values.max(initial=0.0)
    return values / most if most > 0 else values


def standing_factors(query: Query, headers: Headers, weighed: frozenset[Factor]) -> dict[Factor, Values]:
    """Those of the weighed factors that do not depend on what was asked."""
    seconds = query.now.timestamp()
    makers: dict[Factor, Callable[[], Values]] = {
        Factor.RECENCY: lambda: _half(seconds - headers.occurred, RECENCY_HALF_LIFE),
        Factor.UPDATED: lambda: _half(seconds - headers.updated, RECENCY_HALF_LIFE),
        Factor.IMPORTANCE: lambda: headers.importance,
        Factor.REVISION: lambda: np.minimum(headers.revisions / REVISIONS_THAT_COUNT, 1).astype(np.float32),
        Factor.TYPE: lambda: _each(headers.types, lambda name: priority(name, query.types)),
        Factor.FRESHNESS: lambda: _freshness(seconds, headers),
        Factor.TIER: lambda: _each(headers.tiers, lambda tier: WEIGHT_OF_TIER.get(tier, 1.0) / _MOST_WEIGHT),
        Factor.FEEDBACK: lambda: headers.weights,
    }
    return {factor: make() for factor, make in makers.items() if factor in weighed}


def _each(names: Sequence[str], value: Callable[[str], float]) -> Values:
    """A value of each name, worked out once for those that are the same."""
    known = {name: value(name) for name in set(names)}
    return np.fromiter((known[name] for name in names), dtype=np.float32, count=len(names))


def _neighbours(headers: Headers, base: Values) -> Values:
    """How well the turns next to a message fit: the better of the two; what is no message stands for itself."""
    places = (_codes(headers.sessions) << 32) + headers.numbers
    turns = np.flatnonzero(headers.numbers > 0)
    order = turns[np.argsort(places[turns])]
    known, fits = np.append(places[order], -1), np.append(base[order], np.float32(0))

    def at(step: int) -> Values:
        wanted = places + step
        found = np.searchsorted(known[:-1], wanted)
        return np.where(known[found] == wanted, fits[found], 0)

    return np.where(headers.numbers > 0, np.maximum(at(-1), at(1)), base).astype(np.float32)


def _sessions(headers: Headers, base: Values) -> Values:
    """How well a candidate's session fits: the mean of its three best; what belongs to none stands for itself."""
    codes = _codes(headers.sessions)
    order = np.lexsort((-base, codes))
    first = np.searchsorted(codes[order], codes[order])
    best = order[np.arange(len(order)) - first < 3]
    means = np.bincount(codes[best], weights=base[best]) / 3
    fits = means[codes].astype(np.float32) if len(codes) else base
    return np.where(np.array([bool(session) for session in headers.sessions], dtype=bool), fits, base)


def _codes(names: Sequence[str]) -> NDArray[np.int64]:
    """A number for each name, the same for the same, from 0."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def _speakers(headers: Headers, named: frozenset[str]) -> Values:
    return _each(headers.speakers, lambda speaker: float(bool(named & names_in(speaker))))


def _dates(headers: Headers, asked: Sequence[Span]) -> Values:
    """How near each candidate is to a time that the question names: 1 inside it."""
    best = np.zeros(len(headers), dtype=np.float32)
    for span in asked:
        early = span.start.timestamp() - headers.occurred
        late = headers.occurred - span.end.timestamp()
        best = np.maximum(best, _half(np.maximum(early, late), DATE_HALF_LIFE))
    return best


def _half(seconds: NDArray[np.float64], half_life: timedelta) -> Values:
    """What is left after an age: 1 at once, 0.5 after one half-life."""
    return (0.5 ** (np.maximum(seconds, 0) / half_life.total_seconds())).astype(np.float32)


def _freshness(now: float, headers: Headers) -> Values:
    """Source 001's decay: `exp(-lambda * days)` since the last access, or since it happened."""
    since = np.where(np.isnan(headers.accessed), headers.occurred, headers.accessed)
    rates = np.array(
        [LAMBDA_OF_TIER.get(tier, LAMBDA_A_DAY[kind]) for kind, tier in zip(headers.kinds, headers.tiers, strict=True)]
    )
    return np.exp(-rates * np.maximum(now - since, 0) / 86_400).astype(np.float32)
