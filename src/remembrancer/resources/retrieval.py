"""Reads of memories by id, filter or question."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import cast

import anyio
import numpy as np
from anyio.to_thread import run_sync
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput, NotFound, ProviderError, quoted
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.privacy.subjects import similar_names
from remembrancer.resources.resource import UseCase
from remembrancer.search import embedding, timeline
from remembrancer.search import explain as explaining
from remembrancer.search import recall as recalling
from remembrancer.search import trace as tracing
from remembrancer.search.background import Background
from remembrancer.search.confidence import ABSTAIN_BELOW
from remembrancer.search.factor import Factor
from remembrancer.search.query import (
    MAX_LIMIT,
    Explanation,
    Hit,
    Query,
    RecallRequest,
    RecallResult,
    Retriever,
    SearchTrace,
    TracedCandidate,
)
from remembrancer.search.query_vector import QueryVector
from remembrancer.search.rerank_result import cut_to_query, explain_reranked, widen_query
from remembrancer.search.rerank_stage import RerankStage
from remembrancer.search.trace import RankedCandidates
from remembrancer.storage.tx import Tx
from remembrancer.transactions.documents import terms_in_index
from remembrancer.transactions.rejections import without_rejected
from remembrancer.types.arguments import check_one_name, within
from remembrancer.types.erasure import Subject
from remembrancer.types.filter import Filter
from remembrancer.types.index import Generation, Space, Terms
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.new import SUMMARY, check_stored_type
from remembrancer.types.record import Record
from remembrancer.types.results import Page, without_hash
from remembrancer.types.scope import DIMENSIONS, Scope, check_name
from remembrancer.types.times import optional_utc

# A note names so many scopes.
_NAMED_SCOPES = 3
# Vectors that are stored in half precision are accepted, too.
UNIT_TOLERANCE = 0.01


class Retrieval(UseCase):
    """Reads of one caller."""

    async def get(self, id: str | None, *, topic_key: str | None, as_of: datetime | None) -> Record:
        """Return a memory, or its version at a time; see `Memory.get`."""
        when, record_id = optional_utc(as_of, what="as_of"), await self.resolve_id(id, topic_key)

        async def work(tx: Tx) -> Record | None:
            record = await tx.records.find(record_id)
            if record is None or record.status is Status.DELETED:
                return None
            return record if when is None else await tx.versions.at(record_id, when)

        version = await self._unit.read(work)
        if version is None or version.status is Status.DELETED:
            raise NotFound("memory", record_id)
        return version

    async def resolve_id(self, id: str | None, topic_key: str | None) -> str:
        """Return the id of a memory from its id or its topic key.

        Raises:
            InvalidInput: both are set, or neither.
            NotFound: no memory has the topic key.
        """
        check_one_name(id, topic_key)
        if topic_key is None:
            return cast(str, id)
        if record_id := await self._find_topic(topic_key):
            return record_id
        raise NotFound("topic key", topic_key)

    async def _find_topic(self, topic_key: str) -> str | None:
        """Return the id of the memory with a topic key in the nearest scope, or `None`."""
        name = clean_name(check_name(topic_key, what="topic_key"), self._engine.rules)
        records = await self._unit.read(lambda tx: tx.observations.visible_by_topic(name))
        nearest = max(
            records,
            key=lambda one: (one.scope.nearness, one.status is not Status.MERGED, one.updated_at, one.id),
            default=None,
        )
        return nearest.id if nearest else None

    async def list(self, filter: Filter, *, limit: int, cursor: str | None, as_of: datetime | None) -> Page:
        """Return the memories that match a filter, newest first, a page at a time."""
        within(limit, 1, MAX_LIMIT, what="limit")
        await self.check_types(filter)
        page = await self._listed(filter, limit=limit, cursor=cursor, as_of=optional_utc(as_of, what="as_of"))
        return replace(page, records=tuple(map(without_hash, page.records)))

    async def recall(self, request: RecallRequest) -> RecallResult:
        """Return the memories that answer a question, best first; or the nearest misses."""
        recalled = await self.with_notes(await self.search(request))
        return replace(recalled, hits=_without_hashes(recalled.hits), nearest=_without_hashes(recalled.nearest))

    async def search(
        self,
        request: RecallRequest,
        *,
        excluded: frozenset[str] = frozenset(),
        excluded_session: str | None = None,
        patience: float | None = None,
        rerank_until: float | None = None,
    ) -> RecallResult:
        """Return the recalled memories with the hashes of their records, for the engine.

        Args:
            excluded: ids to exclude, such as that of the message with the question.
            excluded_session: a session whose messages are excluded.
            patience: the timeout of the embedder in seconds; after it, the search uses words alone. `None` for none.
            rerank_until: the timeout of the reranker in seconds after the start; `None` for none.
        """
        began = anyio.current_time()
        query = replace(self.query(request), excluded=excluded, excluded_session=excluded_session)
        await self.check_types(request.filter)
        _, result = await self._found(query, patience=patience, rerank_until=rerank_until)
        recalled = result if self._reranking(request) is None else cut_to_query(result, query)
        if request.record_access and recalled.hits:
            self._engine.worker.access_log.log_read(self._caller.scope, [hit.record.id for hit in recalled.hits])
        seconds = anyio.current_time() - began
        self._engine.rules.meter.recalled(self._caller.scope, seconds=seconds, abstained=recalled.abstained)
        return recalled

    async def with_notes(self, recalled: RecallResult) -> RecallResult:
        """Return recalled memories, with a note if the scope is empty."""
        if not recalled.abstained or recalled.nearest:
            return recalled
        return replace(recalled, notes=(*recalled.notes, *await self._empty_scope_notes()))

    async def _empty_scope_notes(self) -> tuple[str, ...]:
        """Return notes on an empty scope, with names of other scopes within the access key of the caller."""
        scope, wall = self._caller.scope, self._caller.wall
        existing = await self._engine.store.scopes(scope.tenant)
        if scope in existing and (await self._listed(Filter(), limit=1, cursor=None, as_of=None)).records:
            return ()
        visible = [one for one in existing if one != scope and (wall is None or wall.contains(one))]
        notes: list[str] = []
        for subject in (Subject.USER, Subject.AGENT, Subject.PROJECT):
            name: str | None = getattr(scope, subject.value)
            if name is not None and all(getattr(one, subject.value) != name for one in existing):
                similar = await run_sync(similar_names, subject, name, visible)
                hint = f"; there is {' and '.join(quoted(one) for one in similar)}" if similar else ""
                notes.append(f"nothing is stored for {subject.value} {quoted(name)}{hint}")
        return tuple(notes) or (f"nothing is stored in this scope{_other_scopes(visible)}",)

    def _reranking(self, request: RecallRequest) -> RerankStage | None:
        return self._engine.reranker if request.rerank else None

    async def _found(
        self, query: Query, *, patience: float | None = None, rerank_until: float | None = None
    ) -> tuple[RecallResult, RecallResult]:
        """Return the ranked and the reranked result; with a reranker, neither is cut to the limit yet."""
        started, reranking = anyio.current_time(), self._reranking(query.request)
        query = query if reranking is None else widen_query(query)
        semantic = await self._query_vector(query, patience=patience)
        now = query.request.as_of is None

        async def work(tx: Tx) -> RecallResult:
            rejected = now and await tx.rejections.exist()
            return await recalling.recall(
                tx,
                query,
                semantic,
                past=await self._past(tx, query),
                allowed=partial(without_rejected, tx, sign=self._engine.rules.sign) if rejected else None,
            )

        ranked = await self._unit.read(work)
        if reranking is None:
            return ranked, ranked
        left = None if rerank_until is None else rerank_until - (anyio.current_time() - started)
        return ranked, await reranking.rerank(self._caller.scope, query, ranked, seconds=left)

    async def explain(self, request: RecallRequest, id: str) -> Explanation:
        """Explain why a memory is recalled for a question, or at which stage it is excluded.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        query = self.query(request)
        await self.check_types(request.filter)
        semantic = await self._query_vector(query)

        async def work(tx: Tx) -> Explanation:
            record = await tx.records.find(id)
            live = [record] if record is not None and request.as_of is None and record.status in LIVE else []
            if live and not await without_rejected(tx, live, sign=self._engine.rules.sign):
                return Explanation(id=id, stage="rejected", reason="a person has rejected its text or its evidence")
            return await explaining.explain(tx, query, id, semantic)

        explanation = await self._unit.read(work)
        if self._reranking(request) is None or explanation.rank is None:
            return explanation
        ranked, reranked = await self._found(query)
        return explain_reranked(explanation, ranked, reranked, query)

    async def trace(self, request: RecallRequest) -> SearchTrace:
        """Return a search with all its candidates; see `Memory.trace`."""
        query, reranking = self.query(request), self._reranking(request)
        await self.check_types(request.filter)
        started = perf_counter()
        semantic = await self._query_vector(query)
        seconds = {"embed": perf_counter() - started}
        wide = query if reranking is None else widen_query(query)

        async def work(tx: Tx) -> tuple[RecallResult, RankedCandidates]:
            past = await self._past(tx, query)
            rejected = request.as_of is None and await tx.rejections.exist()
            allowed = partial(without_rejected, tx, sign=self._engine.rules.sign) if rejected else None
            result = await recalling.recall(tx, wide, semantic, past=past, allowed=allowed)
            return result, await tracing.trace(tx, query, semantic, past=past, allowed=allowed)

        result, ranked = await self._unit.read(work)
        seconds |= ranked.seconds
        if reranking is not None:
            started = perf_counter()
            result = cut_to_query(await reranking.rerank(self._caller.scope, wide, result), query)
            seconds["rerank"] = perf_counter() - started
        result = await self.with_notes(result)
        return SearchTrace(
            result=replace(result, hits=_without_hashes(result.hits), nearest=_without_hashes(result.nearest)),
            candidates=[
                replace(one, record=without_hash(one.record), stage=_stage(one, result, ranked.hidden))
                for one in ranked.candidates
            ],
            considered=ranked.considered,
            found=ranked.found,
            weights=ranked.weights,
            intent=ranked.intent,
            abstain_below=ABSTAIN_BELOW,
            seconds={name: round(value, 6) for name, value in seconds.items()},
        )

    def query(self, request: RecallRequest) -> Query:
        """Return a request with the settings of the deployment."""
        rules = self._engine.rules
        return Query(
            request=request,
            now=request.now or rules.clock.now(),
            zone=self._engine.zone,
            weighting=self._engine.injection.weighting,
            types=rules.types,
        )

    async def check_types(self, filter: Filter) -> None:
        """Check that the types of a filter exist: in the deployment, or as visible custom types.

        Raises:
            InvalidInput: a type does not exist.
        """
        types = self._engine.rules.types
        for name in set(filter.types) - {*types, SUMMARY}:
            used = Filter(types=(name,), statuses=tuple(Status))
            if not (await self._listed(used, limit=1)).records:
                check_stored_type(name, types)

    async def _query_vector(self, query: Query, *, patience: float | None = None) -> QueryVector:
        """Return the input of the semantic retriever, with the hits of an external index."""
        semantic = await self._vector(query, patience)
        index_sync = self._engine.worker.embeddings.index_sync
        if index_sync is None or semantic.vector is None or semantic.generation is None:
            return semantic
        outside, notes = await index_sync.nearest(self._caller.scope, semantic.vector, generation=semantic.generation)
        return replace(semantic, outside=outside, notes=(*semantic.notes, *notes))

    def _background(self, probes: NDArray[np.float32] | None, generation: Generation) -> Background | None:
        """Return the background similarities for the vectors of unrelated questions."""
        return (
            None
            if probes is None
            else partial(self._engine.worker.embeddings.backgrounds.measure, probes=probes, generation=generation)
        )

    async def _vector(self, query: Query, patience: float | None) -> QueryVector:
        embedder, request = self._engine.embedder, query.request
        if Retriever.SEMANTIC not in request.retrievers:
            return QueryVector()
        if embedder is None and request.vector is None:
            return QueryVector(notes=await self._words_only(query))
        space = request.space or (embedder.space if embedder else None)
        if space is None:
            raise InvalidInput("a vector needs its space; pass both")
        active = await self._active()
        if active is None:
            return QueryVector()
        is_same = embedding.same_space(active.space, space)
        asker = await self._engine.worker.embeddings.embedder_for(active.space)
        if request.vector is not None and is_same:
            probes = None if asker is None else await self._engine.worker.embeddings.probe_vectors(asker)
            vector = _checked(request.vector, active.space)
            return QueryVector(vector=vector, generation=active, background=self._background(probes, active))
        if asker is None or request.vector is not None:
            return QueryVector(
                notes=(f"the store's vectors are of {active.space.name}, not {space.name}: run reembed",)
            )
        notes = () if is_same else (f"vectors of {space.name} are being made; those of {active.space.name} are used",)
        try:
            vector = probes = None
            with anyio.move_on_after(patience):
                vector = await self._engine.worker.embeddings.question_vector(self._caller, request.question, asker)
                probes = await self._engine.worker.embeddings.probe_vectors(asker)
            if vector is not None or not request.question.strip():
                background = self._background(probes, active)
                return QueryVector(vector=vector, generation=active, background=background, notes=notes)
            return QueryVector(notes=(f"searched by words alone: the embedder took longer than {patience:g} seconds",))
        except ProviderError as error:
            return QueryVector(notes=(f"searched by words alone: {error}",))

    async def _words_only(self, query: Query) -> tuple[str, ...]:
        """Return a note if the store has vectors, and no embedder is configured."""
        active = await self._active()
        if active is None or query.profile.factors.isdisjoint({Factor.SEMANTIC, Factor.MEANING}):
            return ()
        name = active.space.name
        return (f"searched by words alone: the store has vectors of {name}, and no embedder is configured",)

    async def _active(self) -> Generation | None:
        return next((one for one in await self._engine.store.generations() if one.state == "active"), None)

    async def _past(self, tx: Tx, query: Query) -> Sequence[tuple[Record, Terms]]:
        if query.request.as_of is None:
            return []
        records = await timeline.former_versions(tx, query.request.filter, query.request.as_of)
        indexed = [(record, terms_in_index(record, sign=self._engine.rules.sign)) for record in records]
        return [(record, terms) for record, terms in indexed if terms is not None]

    async def _listed(
        self, filter: Filter, *, limit: int, cursor: str | None = None, as_of: datetime | None = None
    ) -> Page:
        return await self._unit.read(
            lambda tx: timeline.list_records(tx, filter, limit=limit, cursor=cursor, as_of=as_of)
        )


def _other_scopes(scopes: Sequence[Scope]) -> str:
    """Return the names of other scopes, as the end of a note."""
    names = [
        " and ".join(f"{name} {quoted(value)}" for name in DIMENSIONS if (value := getattr(one, name)) is not None)
        for one in scopes
    ]
    named = [one for one in names if one]
    more = f" and {len(named) - _NAMED_SCOPES:,} more" if len(named) > _NAMED_SCOPES else ""
    return f"; other scopes are {', '.join(named[:_NAMED_SCOPES])}{more}" if named else ""


def _stage(candidate: TracedCandidate, result: RecallResult, hidden: Collection[str]) -> str:
    """Return the stage that a candidate reached in a search with this result."""
    if candidate.record.id in hidden:
        return "rejected"
    if any(hit.id == candidate.record.id for hit in result.hits):
        return "recalled"
    if result.abstained:
        return "abstained"
    # With a reranker, one within the limit may have lost its place.
    return "tokens" if candidate.stage == "recalled" and result.dropped else "limit"


def _without_hashes(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, record=without_hash(hit.record)) for hit in hits)


def _checked(vector: NDArray[np.float32], space: Space) -> NDArray[np.float32]:
    if vector.shape != (space.dimension,):
        raise InvalidInput(f"the vector has shape {vector.shape}; {space.name} needs ({space.dimension},)")
    if vector.dtype.kind != "f" or not math.isclose(math.hypot(*vector.tolist()), 1, abs_tol=UNIT_TOLERANCE):
        raise InvalidInput("the vector must be of floats and of length 1; divide it by its norm")
    return vector.astype(np.float32)
