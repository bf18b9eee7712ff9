"""The door to finding: by id, by filters, and by what answers a question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import cast

import anyio
import numpy as np
from anyio.to_thread import run_sync
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput, NotFound, ProviderError, quoted
from remembrancer.ingest.admit import clean_name
from remembrancer.privacy.subjects import similar_names
from remembrancer.resources.resource import Door
from remembrancer.search import embedding
from remembrancer.search import explain as explaining
from remembrancer.search import recall as recalling
from remembrancer.search import timeline as looking
from remembrancer.search.background import Background
from remembrancer.search.factor import Factor
from remembrancer.search.profiles import profile_named
from remembrancer.search.query import Arm, Explanation, Hit, Query, Recalled
from remembrancer.search.reranked import explained, recut, widened
from remembrancer.search.reranking import Reranking
from remembrancer.storage.ports.tx import Tx
from remembrancer.storage.ports.wordings import Documents
from remembrancer.transactions.documents import terms_in_index
from remembrancer.transactions.draft import MAX_METADATA_BYTES, utc
from remembrancer.transactions.rejections import unrejected
from remembrancer.transactions.validation import check_json
from remembrancer.types.arguments import check_fields, check_one_name
from remembrancer.types.change import Version
from remembrancer.types.choice import member
from remembrancer.types.classification import Classification, Trust
from remembrancer.types.erasure import Subject
from remembrancer.types.filter import Filter
from remembrancer.types.forms import without_hash
from remembrancer.types.layer import kinds_within
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.observation_types import SUMMARY, check_held_type
from remembrancer.types.page import Page
from remembrancer.types.record import Record, Scalar, Source
from remembrancer.types.scope import check_name
from remembrancer.types.space import Generation, Space
from remembrancer.types.terms import Terms

# Vectors that were kept in half precision are still taken.
UNIT_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of memory; see `Memory.recall` for its parts.

    Args:
        apart: ids that are not meant, such as that of the message in which it is asked.
        patience: seconds that an embedder may take; then the words decide. `None` waits for as long as it takes.
        rerank: whether a reranker is asked, where there is one.
        rerank_until: so many seconds after it was asked no reranker is waited for any more; `None` sets no such bound.
    """

    text: str
    limit: int = 20
    max_tokens: int | None = None
    profile: str = "default"
    kinds: Sequence[str] = ()
    types: Sequence[str] = ()
    layers: Sequence[str] = ()
    tags: Sequence[str] = ()
    sessions: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    classifications: Sequence[str] = ()
    authors: Sequence[str] = ()
    sources: Sequence[str] = ()
    metadata: Mapping[str, Scalar] | None = None
    minimum_trust: str = "untrusted"
    minimum_importance: float = 0.0
    as_of: datetime | None = None
    now: datetime | None = None
    arms: Sequence[str] = ()
    vector: NDArray[np.float32] | None = None
    space: Space | None = None
    abstain: bool = True
    touch: bool = True
    patience: float | None = None
    apart: frozenset[str] = frozenset()
    rerank: bool = True
    rerank_until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question's vector, the generation it is compared with, what an outside index finds, and what is to be said.

    Args:
        probes: the vectors of questions about other things, by which it is judged how near is near.
    """

    vector: NDArray[np.float32] | None = None
    probes: NDArray[np.float32] | None = None
    generation: Generation | None = None
    outside: Documents | None = None
    notes: tuple[str, ...] = ()


class Recalling(Door):
    """Finding what one caller may see."""

    async def find(self, id: str, *, as_of: datetime | None = None) -> Record | None:
        """The memory of that id, or how it read at a time; `None` where there is none."""
        when = None if as_of is None else utc(as_of, what="as_of")

        async def work(tx: Tx) -> Record | None:
            record = await tx.records.find(id)
            if record is None or record.status is Status.DELETED:
                return None
            return record if when is None else await tx.versions.at(id, when)

        found = await self._desk.read(work)
        return None if found is None or found.status is Status.DELETED else found

    async def under(self, topic_key: str) -> str | None:
        """The id of what stands under a topic key, as the nearest scope has it; `None` where nothing does."""
        name = clean_name(check_name(topic_key, what="topic_key"), self._engine.rules)
        found = await self._desk.read(lambda tx: tx.observations.under(name))
        nearest = max(
            found,
            key=lambda one: (one.scope.nearness, one.status is not Status.MERGED, one.updated_at, one.id),
            default=None,
        )
        return nearest.id if nearest else None

    async def named(self, id: str | None, topic_key: str | None) -> str:
        """The id that is meant, said as such or by a topic key.

        Raises:
            InvalidInput: neither is given, or both.
            NotFound: nothing stands under that key.
        """
        check_one_name(id, topic_key)
        if topic_key is None:
            return cast(str, id)
        if found := await self.under(topic_key):
            return found
        raise NotFound("topic key", topic_key)

    async def history(self, id: str) -> Sequence[Version]:
        """How a memory has read, oldest first.

        Raises:
            NotFound: no such memory here.
        """
        return await self._desk.read(lambda tx: looking.history(tx, id))

    async def recall(self, question: Question) -> Recalled:
        """The memories that answer a question, best first; or the nearest misses.

        Raises:
            InvalidInput: something is out of range; the message says what to change.
        """
        recalled = await self.noted(await self.search(question))
        return replace(recalled, hits=_without_hashes(recalled.hits), nearest=_without_hashes(recalled.nearest))

    async def search(self, question: Question) -> Recalled:
        """The same as the store has them, with their hashes: to be told, and not to be handed out."""
        began = anyio.current_time()
        query = await self.checked(self.query(question))
        _, found = await self._found(question, query)
        recalled = found if self._reranking(question) is None else recut(found, query)
        if question.touch and recalled.hits:
            self._engine.sweep.access_log.log_read(self._caller.scope, [hit.record.id for hit in recalled.hits])
        seconds = anyio.current_time() - began
        self._engine.rules.meter.recalled(self._caller.scope, seconds=seconds, abstained=recalled.abstained)
        return recalled

    async def noted(self, recalled: Recalled) -> Recalled:
        """What was recalled, with a note where the memory of the scope holds nothing at all."""
        if not recalled.abstained or recalled.nearest:
            return recalled
        return replace(recalled, notes=(*recalled.notes, *await self._nothing_stored()))

    async def _nothing_stored(self) -> tuple[str, ...]:
        """What to say where the caller's own scope holds nothing: of whom there is nothing, and who is named alike.

        Of names only those that lie within the caller's access key.
        """
        scope, wall = self._caller.scope, self._caller.wall
        known = [one for one in await self._engine.store.scopes() if one.tenant == scope.tenant]
        if scope in known:
            return ()
        open_to = [one for one in known if wall is None or wall.holds(one)]
        notes: list[str] = []
        for subject in (Subject.USER, Subject.AGENT, Subject.PROJECT):
            name: str | None = getattr(scope, subject.value)
            if name is not None and all(getattr(one, subject.value) != name for one in known):
                alike = await run_sync(similar_names, subject, name, open_to)
                meant = f"; there is {' and '.join(quoted(one) for one in alike)}" if alike else ""
                notes.append(f"nothing is stored for {subject.value} {quoted(name)}{meant}")
        return tuple(notes) or ("nothing is stored in this scope",)

    def _reranking(self, question: Question) -> Reranking | None:
        return self._engine.reranking if question.rerank else None

    async def _found(self, question: Question, query: Query) -> tuple[Recalled, Recalled]:
        """What answers a question, as it is ranked and as it is reranked: where it is, nothing is cut off yet."""
        started, reranking = anyio.current_time(), self._reranking(question)
        query = query if reranking is None else widened(query)
        asked = await self._asked(query, question.vector, question.space, patience=question.patience)

        async def work(tx: Tx) -> Recalled:
            held = query.as_of is None and await tx.rejections.stand()
            return await recalling.recall(
                tx,
                query,
                vector=asked.vector,
                generation=asked.generation,
                past=await self._past(tx, query),
                outside=asked.outside,
                background=self._background(asked),
                notes=asked.notes,
                sayable=partial(unrejected, tx, sign=self._engine.rules.sign) if held else None,
            )

        ranked = await self._desk.read(work)
        if reranking is None:
            return ranked, ranked
        until = question.rerank_until
        left = None if until is None else until - (anyio.current_time() - started)
        return ranked, await reranking.rerank(self._caller.scope, query, ranked, seconds=left)

    async def explain(self, question: Question, id: str) -> Explanation:
        """Why a memory is recalled for a question, or at which stage it is lost.

        Raises:
            NotFound: no such memory here; another scope's reads the same.
        """
        query = await self.checked(self.query(question))
        asked = await self._asked(query, None, None)

        async def work(tx: Tx) -> Explanation:
            record = await tx.records.find(id)
            asked_of = [record] if record is not None and query.as_of is None and record.status in LIVE else []
            if asked_of and not await unrejected(tx, asked_of, sign=self._engine.rules.sign):
                return Explanation(id=id, stage="rejected", reason="a person has rejected what it says or rests on")
            return await explaining.explain(
                tx,
                query,
                id,
                vector=asked.vector,
                generation=asked.generation,
                outside=asked.outside,
                background=self._background(asked),
            )

        explanation = await self._desk.read(work)
        if self._reranking(question) is None or explanation.rank is None:
            return explanation
        ranked, reranked = await self._found(question, query)
        return explained(explanation, ranked, reranked, query)

    def query(self, question: Question) -> Query:
        """A question as the engine asks it.

        Raises:
            InvalidInput: something is out of range, or a name is none.
        """
        check_fields(question)
        types, since, until = self._engine.rules.types, question.since, question.until
        if since is not None and until is not None and utc(until, what="until") < utc(since, what="since"):
            raise InvalidInput("until lies before since; exchange them")
        return Query(
            text=question.text,
            now=self._engine.rules.clock.now() if question.now is None else utc(question.now, what="now"),
            zone=self._engine.zone,
            filter=Filter(
                kinds=kinds_within(question.kinds, question.layers),
                types=tuple(question.types),
                tags=tuple(question.tags),
                sessions=tuple(question.sessions),
                since=None if since is None else utc(since, what="since"),
                until=None if until is None else utc(until, what="until"),
                classifications=tuple(
                    member(Classification, name, "classification") for name in question.classifications
                ),
                authors=tuple(question.authors),
                sources=tuple(member(Source, name, "source") for name in question.sources),
                metadata=_metadata(question.metadata or {}),
                minimum_trust=member(Trust, question.minimum_trust, "minimum_trust"),
                minimum_importance=question.minimum_importance,
            ),
            limit=question.limit,
            max_tokens=question.max_tokens,
            profile=profile_named(question.profile),
            weighting=self._engine.injecting.weighting,
            arms=frozenset(member(Arm, arm, "arm") for arm in question.arms) or frozenset(Arm),
            abstain=question.abstain,
            as_of=None if question.as_of is None else utc(question.as_of, what="as_of"),
            types=types,
            apart=question.apart,
        )

    async def checked(self, query: Query) -> Query:
        """The query, if there are its types of memory: the deployment's, and custom ones that the caller sees.

        Raises:
            InvalidInput: a type is none of these.
        """
        for name in set(query.filter.types) - {*query.types, SUMMARY}:
            meant = Filter(types=(name,), statuses=tuple(Status))
            if not (await self._listed(meant, limit=1)).records:
                check_held_type(name, query.types)
        return query

    async def _asked(
        self,
        query: Query,
        given: NDArray[np.float32] | None,
        space: Space | None,
        *,
        patience: float | None = None,
    ) -> _Asked:
        """What a query is asked with."""
        asked = await self._vector(query, given, space, patience)
        mirror = self._engine.sweep.embeddings.mirror
        if mirror is None or asked.vector is None or asked.generation is None:
            return asked
        outside, said = await mirror.nearest(self._caller.scope, asked.vector, generation=asked.generation)
        return replace(asked, outside=outside, notes=(*asked.notes, *said))

    def _background(self, asked: _Asked) -> Background | None:
        if asked.probes is None or asked.generation is None:
            return None
        return partial(self._engine.sweep.embeddings.backgrounds.of, probes=asked.probes, generation=asked.generation)

    async def _vector(
        self, query: Query, given: NDArray[np.float32] | None, space: Space | None, patience: float | None
    ) -> _Asked:
        embedder = self._engine.embedder
        if Arm.SEMANTIC not in query.arms:
            return _Asked()
        if embedder is None and given is None:
            return _Asked(notes=await self._words_only(query))
        wanted = space or (embedder.space if embedder else None)
        if wanted is None:
            raise InvalidInput("a vector needs its space; pass both")
        active = await self._active()
        if active is None:
            return _Asked()
        same = embedding.same_space(active.space, wanted)
        asker = await self._engine.sweep.embeddings.embedder_for(active.space)
        if given is not None and same:
            probes = None if asker is None else await self._engine.sweep.embeddings.probe_vectors(asker)
            return _Asked(vector=_checked(given, active.space), generation=active, probes=probes)
        if asker is None or given is not None:
            return _Asked(notes=(f"the store's vectors are of {active.space.name}, not {wanted.name}: run reembed",))
        notes = () if same else (f"the vectors of {wanted.name} are being made; those of {active.space.name} serve",)
        try:
            vector = probes = None
            with anyio.move_on_after(patience):
                vector = await self._engine.sweep.embeddings.question_vector(self._caller, query.text, asker)
                probes = await self._engine.sweep.embeddings.probe_vectors(asker)
            if vector is not None or not query.text.strip():
                return _Asked(vector=vector, generation=active, probes=probes, notes=notes)
            return _Asked(notes=(f"searched by words alone: the embedder took longer than {patience:g} seconds",))
        except ProviderError as error:
            return _Asked(notes=(f"searched by words alone: {error}",))

    async def _words_only(self, query: Query) -> tuple[str, ...]:
        """What to say where the store has vectors and nothing to make the question's with."""
        active = await self._active()
        if active is None or query.profile.factors.isdisjoint({Factor.SEMANTIC, Factor.MEANING}):
            return ()
        return (f"searched by words alone: the store has vectors of {active.space.name}, and there is no embedder",)

    async def _active(self) -> Generation | None:
        return next((found for found in await self._engine.store.generations() if found.state == "active"), None)

    async def _past(self, tx: Tx, query: Query) -> list[tuple[Record, Terms]]:
        if query.as_of is None:
            return []
        records = await looking.no_longer(tx, query.filter, query.as_of)
        found = [(record, terms_in_index(record, sign=self._engine.rules.sign)) for record in records]
        return [(record, terms) for record, terms in found if terms is not None]

    async def list(self, question: Question, *, statuses: Sequence[str], cursor: str | None) -> Page:
        """Memories that pass every filter of a question, newest first, a page at a time."""
        query = await self.checked(self.query(question))
        chosen = _in_statuses(query.filter, statuses)
        page = await self._listed(chosen, limit=query.limit, cursor=cursor, as_of=query.as_of)
        return replace(page, records=tuple(map(without_hash, page.records)))

    async def filter(self, question: Question, *, statuses: Sequence[str]) -> Filter:
        """The filter of a question, for memories in some statuses; in those that are live, if none is named."""
        return _in_statuses((await self.checked(self.query(question))).filter, statuses)

    async def _listed(
        self, meant: Filter, *, limit: int, cursor: str | None = None, as_of: datetime | None = None
    ) -> Page:
        return await self._desk.read(lambda tx: looking.listed(tx, meant, limit=limit, cursor=cursor, as_of=as_of))


def _in_statuses(filter: Filter, statuses: Sequence[str]) -> Filter:
    """A filter for memories in some statuses; in those that are live, if none is named."""
    return replace(filter, statuses=tuple(member(Status, name, "status") for name in statuses) or LIVE)


def _metadata(asked: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """The names and values of metadata that a filter asks for.

    Raises:
        InvalidInput: one cannot be written as JSON, or is neither a text nor a number nor a truth value.
    """
    check_json(asked, what="metadata", most=MAX_METADATA_BYTES)
    for name, value in asked.items():
        if not isinstance(value, str | int | float):  # pyright: ignore[reportUnnecessaryIsInstance] -- of a caller
            raise InvalidInput(f"metadata {quoted(name)} must be a text, a number or a truth value to be compared")
    return tuple(asked.items())


def _without_hashes(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, record=without_hash(hit.record)) for hit in hits)


def _checked(vector: NDArray[np.float32], space: Space) -> NDArray[np.float32]:
    if vector.shape != (space.dimension,):
        raise InvalidInput(f"the vector has shape {vector.shape}; {space.name} takes ({space.dimension},)")
    if vector.dtype.kind != "f" or not math.isclose(math.hypot(*vector.tolist()), 1, abs_tol=UNIT_TOLERANCE):
        raise InvalidInput("the vector must hold floats and be of length 1; divide it by its norm")
    return vector.astype(np.float32)
