"""The daily verbs of a memory, and the way to its doors."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from remembrancer.context.citations import Answer
from remembrancer.context.reply import Executed, Reply
from remembrancer.context.report import Context
from remembrancer.errors import NotFound
from remembrancer.learn.sessions import session_name
from remembrancer.resources.archives import Archives
from remembrancer.resources.ask import Asking
from remembrancer.resources.audit import Audit
from remembrancer.resources.audited import heard
from remembrancer.resources.authentication import Reception
from remembrancer.resources.context import RECALLED_FOR_CONTEXT, Contexts, Occasion
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.engine import Engine
from remembrancer.resources.episodes import Episodes
from remembrancer.resources.erasure import Erasures
from remembrancer.resources.execute import Executing
from remembrancer.resources.facts import Facts
from remembrancer.resources.governance import Governance
from remembrancer.resources.jobs import Jobs
from remembrancer.resources.keys import Keys
from remembrancer.resources.learning import Learning
from remembrancer.resources.messages import Messages
from remembrancer.resources.observations import Observations
from remembrancer.resources.procedures import Procedures
from remembrancer.resources.recall import Question, Recalling
from remembrancer.resources.retention import Retention
from remembrancer.resources.sessions import Sessions
from remembrancer.resources.timeline import Timeline
from remembrancer.resources.transfers import Transfers
from remembrancer.resources.upkeep import Upkeep
from remembrancer.search.query import Explanation, Recalled
from remembrancer.types.arguments import checked
from remembrancer.types.caller import Caller
from remembrancer.types.change import Version
from remembrancer.types.new import NewMessage, NewObservation
from remembrancer.types.page import Page
from remembrancer.types.record import Json, Message, Metadata, Observation, Record, Scalar
from remembrancer.types.saved import Saved
from remembrancer.types.scope import Scope
from remembrancer.types.space import Space


@checked
@heard
class Memory:
    """The memory of one scope, as one caller may see it. Made by `open_memory`; `within` gives another scope's.

    Every method raises `InvalidInput` for an argument that is not of its annotated type. Another scope's memory, and
    what is classified higher than the caller's clearance, reads as absent.
    """

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._opened = engine
        self.caller = caller

    @property
    def _engine(self) -> Engine:
        return self._opened.here()

    def _hear(self, by: str, ids: Sequence[str]) -> None:
        self._engine.sweep.access_log.log_disclosure(self.caller, by, ids)

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self.caller.scope

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "Memory":
        """The memory of another scope in the same store, or of this one for somebody else.

        Args:
            clearance: `public`, `internal`, `confidential` or `restricted`; never above that of this memory.
            actor: who it is; the same, if not given.

        Raises:
            InvalidInput: the scope names no tenant, and this memory is not tenant `local`'s.
            NotAllowed: the clearance is above that of this memory.
        """
        return Memory(self._engine, self.caller.within(scope, clearance=clearance, actor=actor))

    # The doors

    @property
    def messages(self) -> Messages:
        """What was said, in numbers of messages."""
        return Messages(self._engine, self.caller)

    @property
    def observations(self) -> Observations:
        """What was claimed, in numbers of observations."""
        return Observations(self._engine, self.caller)

    @property
    def sessions(self) -> Sessions:
        """Sessions: opening and closing them, observing and reflecting on what was said in them."""
        return Sessions(self._engine, self.caller)

    @property
    def timeline(self) -> Timeline:
        """What stood around a memory, and what changed between two times."""
        return Timeline(self._engine, self.caller)

    @property
    def contexts(self) -> Contexts:
        """The ways in which memories come before an agent, beside `context`."""
        return Contexts(self._engine, self.caller)

    @property
    def episodes(self) -> Episodes:
        """Episodes: what was done."""
        return Episodes(self._engine, self.caller)

    @property
    def facts(self) -> Facts:
        """What holds, by key."""
        return Facts(self._engine, self.caller)

    @property
    def procedures(self) -> Procedures:
        """The rules that an agent reads word for word."""
        return Procedures(self._engine, self.caller)

    @property
    def learning(self) -> Learning:
        """What was observed of all that was done, what people say of it, and how each memory stands."""
        return Learning(self._engine, self.caller)

    @property
    def upkeep(self) -> Upkeep:
        """Numbers, costs, and keeping the store well."""
        return Upkeep(self._engine, self.caller)

    @property
    def governance(self) -> Governance:
        """What an operator says of memories: how freely they may be shown, and what is done with personal data."""
        return Governance(self._engine, self.caller)

    @property
    def audit(self) -> Audit:
        """Who did and who was told what, and whether the log of that is whole."""
        return Audit(self._engine, self.caller)

    @property
    def retention(self) -> Retention:
        """How long memories are kept, what is due, and what was deleted and can still be restored."""
        return Retention(self._engine, self.caller)

    @property
    def erasures(self) -> Erasures:
        """Taking all that is of somebody out of the store for good, and proving it."""
        return Erasures(self._engine, self.caller)

    @property
    def archives(self) -> Archives:
        """What leaves the memory, and comes into it from another store: exports, reports, sealed archives."""
        return Archives(self._engine, self.caller)

    @property
    def transfers(self) -> Transfers:
        """Transfers: what one project of the tenant lends to another."""
        return Transfers(self._engine, self.caller)

    @property
    def keys(self) -> Keys:
        """Access keys: who may come in through the service."""
        return Keys(self._engine, self.caller)

    @property
    def jobs(self) -> Jobs:
        """Jobs: long work in the store that goes on beside."""
        return Jobs(self._engine, self.caller)

    @property
    def reception(self) -> "Reception[Memory]":
        """Whom an access key lets in, for services, before they know who asks."""
        return Reception(self._engine, self.caller, lambda caller: Memory(self._engine, caller))

    # The daily verbs

    async def record(
        self,
        text: str,
        *,
        role: str = "user",
        session: str | None = None,
        speaker: str = "",
        content: Sequence[Mapping[str, Json]] = (),
        tool_calls: Sequence[Mapping[str, Json]] = (),
        occurred_at: datetime | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        author: str = "",
        source: str = "tool",
        trust: str | None = None,
        classification: str | None = None,
        importance: float | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record what was said. It is on disk, and found by its words, when this returns.

        Args:
            role: `user`, `assistant`, `system` or `tool`; what a tool said is untrusted unless `trust` says otherwise.
            session: opened if it is not there; without one, the scope's unnamed active session.
            content: more of it in parts, as chats have them: `{"type": "text", "text": "…"}`; of what is no text, the
                kind, the name and the address are kept. `text` may then be empty.
            tool_calls: the tools that it calls: `{"name": "…", "arguments": {…}}`, or such under `function`.
            occurred_at: when it was said, with its zone; now, if not given.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
        """
        message = NewMessage(
            text=text,
            role=role,
            session=session,
            speaker=speaker,
            content=content,
            tool_calls=tool_calls,
            occurred_at=occurred_at,
            tags=tags,
            metadata=metadata or {},
            author=author,
            source=source,
            trust=trust,
            classification=classification,
            importance=importance,
            key=key,
        )
        return (await self.messages.record_many([message]))[0]

    async def save(
        self,
        text: str,
        *,
        type: str | None = None,
        title: str | None = None,
        topic_key: str | None = None,
        session: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        evidence: Sequence[str] = (),
        occurred_at: datetime | None = None,
        valid_until: datetime | None = None,
        author: str = "",
        source: str = "tool",
        trust: str | None = None,
        classification: str | None = None,
        importance: float | None = None,
        layer: str | None = None,
        custom_type: str | None = None,
        key: str | None = None,
    ) -> Saved[Observation]:
        """Save an observation: a claim. The result says whether it was `created`, `updated` or `deduped`.

        Args:
            type: `profile`, `preference`, `decision`, `pattern` or `discovery`, unless the deployment has others;
                `discovery`, if not given.
            session: opened, or resumed, by its name; without one, the active session of the scope that was used last,
                if there is one. One left alone for 24 hours is closed with a summary, and the next is opened.
            topic_key: a stable name; a later save under it replaces this one's wording and keeps the earlier as a
                revision. What that save does not say stays as it is.
            metadata: what comes to that of an earlier one; a name with `None` is taken away.
            classification: raises what its evidence gives it, `internal` at least, and never lowers it.
            importance: in [0, 1]; .5, if not given.
            layer: `semantic`, if not given; `reflective` saves a reflection.
            custom_type: a type of your own in place of `type`, which the deployment does not have to allow.
            valid_until: until when it is valid, with its zone, exclusive: then it is archived, and in reads of the
                past alone. Saved again after that, it is valid again.
            evidence: ids of the memories it rests on; it inherits their least trust and highest classification.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            InvalidInput: something is not allowed; the message says what to change.
            NotFound: a piece of evidence is not here.
            NotAllowed: it equals a memory that was rejected.
        """
        observation = NewObservation(
            text=text,
            type=type,
            title=title,
            topic_key=topic_key,
            session=session,
            tags=tags,
            metadata=metadata or {},
            evidence=evidence,
            occurred_at=occurred_at,
            valid_until=valid_until,
            author=author,
            source=source,
            trust=trust,
            classification=classification,
            importance=importance,
            layer=layer,
            custom_type=custom_type,
            key=key,
        )
        return (await self.observations.save_many([observation]))[0]

    async def edit(
        self,
        id: str,
        *,
        text: str | None = None,
        title: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        importance: float | None = None,
        classification: str | None = None,
        author: str = "",
        source: str = "tool",
        occurred_at: datetime | None = None,
        valid_until: datetime | None = None,
        revision: int | None = None,
    ) -> Saved[Observation]:
        """Change an observation of this scope; the earlier wording is kept, with who said it, and when.

        Args:
            title: `""` makes it the first line of the text again.
            tags: all that it is to have; an empty list takes them away.
            metadata: what comes to its own; a name with `None` is taken away.
            classification: raises it, and never lowers it.
            author: who says so; whoever works with the memory, if not given.
            occurred_at: when it was said; now, if not given and the text is another.
            valid_until: until when it is valid; as before, if not given.
            revision: at which it must be still; any, if not given.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
            InvalidInput: it is a message, whose wording never changes, or the new wording is not allowed.
            Conflict: another memory has that text already.
            Outdated: it is at another revision.
        """
        return await self.observations.edit(
            id,
            text=text,
            title=title,
            type=type,
            tags=tags,
            metadata=metadata,
            importance=importance,
            classification=classification,
            author=author,
            source=source,
            occurred_at=occurred_at,
            valid_until=valid_until,
            revision=revision,
        )

    async def delete(
        self,
        id: str | None = None,
        *,
        topic_key: str | None = None,
        erase: bool = False,
        revision: int | None = None,
    ) -> None:
        """Take a memory out of every read at once; it can be restored, unless `erase` removes it for good.

        Args:
            topic_key: names it in place of its id.
            revision: at which it must be still; any, if not given.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
            Outdated: it is at another revision.
        """
        named = await self._recalling.named(id, topic_key)
        await self.observations.delete(named, erase=erase, revision=revision)

    async def restore(self, id: str) -> Record:
        """Bring a deleted memory back as it was, or an archived one into recall again.

        Raises:
            NotFound: no such memory here.
            Conflict: it is neither deleted nor archived, or its topic key is taken.
        """
        return await self.observations.restore(id)

    async def get(
        self, id: str | None = None, *, topic_key: str | None = None, as_of: datetime | None = None
    ) -> Record:
        """The memory of that id, or under that topic key, in full; or how it read at a time.

        Args:
            topic_key: of what several scopes hold under one key, what the nearest one holds.
            as_of: what is deleted is in no past, until it is restored.

        Raises:
            NotFound: no such memory here, or not then; another scope's reads the same.
        """
        named = await self._recalling.named(id, topic_key)
        record = await self._recalling.find(named, as_of=as_of)
        if record is None:
            raise NotFound("memory", named)
        return record

    async def find(
        self, id: str | None = None, *, topic_key: str | None = None, as_of: datetime | None = None
    ) -> Record | None:
        """The memory of that id, or under that topic key, or how it read at a time; `None` where there is none."""
        try:
            return await self.get(id, topic_key=topic_key, as_of=as_of)
        except NotFound:
            return None

    async def history(self, id: str | None = None, *, topic_key: str | None = None) -> Sequence[Version]:
        """Every version of a memory, oldest first: how it read since when, who said so, and from where that came.

        Raises:
            NotFound: no such memory here; another scope's reads the same.
        """
        return await self._recalling.history(await self._recalling.named(id, topic_key))

    async def recall(
        self,
        question: str,
        *,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        layers: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        classifications: Sequence[str] = (),
        authors: Sequence[str] = (),
        sources: Sequence[str] = (),
        metadata: Mapping[str, Scalar] | None = None,
        minimum_trust: str = "untrusted",
        minimum_importance: float = 0.0,
        as_of: datetime | None = None,
        now: datetime | None = None,
        arms: Sequence[str] = (),
        vector: NDArray[np.float32] | None = None,
        space: Space | None = None,
        abstain: bool = True,
        touch: bool = True,
        rerank: bool = True,
    ) -> Recalled:
        """Find the memories that answer a question, best first; or abstain, and show the nearest misses.

        Args:
            limit: 1 to 1,000.
            max_tokens: leave out whole hits that would pass this many tokens together.
            profile: the ranking: `default`, `behavioural`, `search`, `session`, or a bare arm, `lexical` or
                `semantic`.
            tags: all of them must be on a hit.
            since, until: bounds of when it was said or done, inclusive.
            classifications: only of these; all that the caller may see, if none is named.
            authors: only what one of these wrote, by the name as it is stored.
            sources: only what came in so: `tool`, `auto-capture`, `user`, `import`, `observer` or `detector`.
            metadata: only what has all of these names with these values at the top of its metadata: texts, numbers
                and truth values.
            as_of: answer with what was known then, as it then read.
            now: when the question is asked; "last week" is counted from here.
            arms: some of `lexical`, `semantic`, `temporal`; all, if none is named.
            vector: the question's own unit vector, with the space it is of.
            abstain: `False` gives the best hits whatever the confidence.
            touch: `False` leaves no trace of the reading.
            rerank: `False` leaves the order as it is ranked, whatever the setting `reranker` names.

        Raises:
            InvalidInput: something is out of range; the message says what to change.
        """
        asked = Question(
            text=question,
            limit=limit,
            max_tokens=max_tokens,
            profile=profile,
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            since=since,
            until=until,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            minimum_trust=minimum_trust,
            minimum_importance=minimum_importance,
            as_of=as_of,
            now=now,
            arms=arms,
            vector=vector,
            space=space,
            abstain=abstain,
            touch=touch,
            rerank=rerank,
        )
        return await self._recalling.recall(asked)

    async def ask(
        self,
        question: str,
        *,
        limit: int = RECALLED_FOR_CONTEXT,
        max_tokens: int = 1_500,
        profile: str = "default",
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        layers: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        classifications: Sequence[str] = (),
        authors: Sequence[str] = (),
        sources: Sequence[str] = (),
        metadata: Mapping[str, Scalar] | None = None,
        minimum_trust: str = "untrusted",
        minimum_importance: float = 0.0,
        as_of: datetime | None = None,
        now: datetime | None = None,
        touch: bool = True,
    ) -> Answer:
        """Answer a question from memory, with citations that were held against what the model had read.

        Where recall abstains, or finds nothing, no model is asked and nothing is paid: it is not known. Without a model
        the answer is what was recalled. An answer that cites nothing of what it was given goes back to the model once;
        then it is not known either.

        Args:
            limit: how many hits at most, 1 to 1,000.
            max_tokens: of the lines that the model reads; what does not fit is left out whole.
            profile, kinds, types, tags, sessions, since, until: as for `recall`.
            classifications, authors, sources, metadata, minimum_trust, minimum_importance: as for `recall`.
            as_of: answer with what was known then, as it then read.
            now: when the question is asked; "last week" is counted from here.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: something is out of range; the message says what to change.
            BudgetExceeded: the answer might cost more than is left; nothing was asked.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model said nothing, twice.
        """
        asked = Question(
            text=question,
            limit=limit,
            profile=profile,
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            since=since,
            until=until,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            minimum_trust=minimum_trust,
            minimum_importance=minimum_importance,
            as_of=as_of,
            now=now,
            touch=touch,
        )
        return await Asking(self._engine, self.caller).ask(asked, max_tokens=max_tokens)

    def ask_stream(
        self,
        question: str,
        *,
        limit: int = RECALLED_FOR_CONTEXT,
        max_tokens: int = 1_500,
        profile: str = "default",
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        layers: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        classifications: Sequence[str] = (),
        authors: Sequence[str] = (),
        sources: Sequence[str] = (),
        metadata: Mapping[str, Scalar] | None = None,
        minimum_trust: str = "untrusted",
        minimum_importance: float = 0.0,
        as_of: datetime | None = None,
        now: datetime | None = None,
        touch: bool = True,
    ) -> AsyncGenerator[str | Answer, None]:
        """The same with the text piece by piece, as the model says it; last comes the `Answer`, which tells what holds.

        A piece may cite what is not there: that is known only at the end, and such an answer does not go back to the
        model. It raises with the first piece at the latest.

        Raises:
            InvalidInput, BudgetExceeded, BadModelOutput: as `ask`.
            ProviderUnavailable: no model answered, or it broke off.
        """
        asked = Question(
            text=question,
            limit=limit,
            profile=profile,
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            since=since,
            until=until,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            minimum_trust=minimum_trust,
            minimum_importance=minimum_importance,
            as_of=as_of,
            now=now,
            touch=touch,
        )
        return Asking(self._engine, self.caller).stream(asked, max_tokens=max_tokens)

    async def explain(
        self,
        question: str,
        id: str,
        *,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        rerank: bool = True,
    ) -> Explanation:
        """Why a memory is recalled for a question, or at which stage it is lost. A reranker that is there is asked.

        Args:
            rerank: `False` explains the order as it is ranked.

        Raises:
            NotFound: no such memory here; another scope's reads the same.
        """
        asked = Question(text=question, limit=limit, max_tokens=max_tokens, profile=profile, rerank=rerank)
        return await self._recalling.explain(asked, id)

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
        as_of: datetime | None = None,
    ) -> Context:
        """What an agent is to read before it answers: within its budget, and from turn to turn the same up to its end.

        With a session it is the conversation: what was noted of its older messages, and the newer ones as they were
        said. Where too many wait, it observes them first. Without one it is what a task needs.

        Args:
            session: whose conversation; what is not there yet is an empty one.
            question: what is asked now, which brings what it recalls; else the last message of a user does. Of a very
                long one the beginning is searched for.
            task: what is to be done; it stands in the block, and is what recalls where nothing is asked. One that is
                longer than its slot leaves room for is told in short, and kept as a message to ask for.
            history: exchanges with tools, oldest first; too many are told in short, and kept as a message to ask for.
            working: the state of the run, such as `WorkingMemory.render()`.
            window: tokens of the model's window, 1,000 or more, and 3,000 for a conversation; the setting
                `context_window`, if not given.
            work_type: for coding: `bug_fix`, `refactor`, `feature`, `chore` or `unknown`, which bounds the memory.
            contact: whom it concerns: what was done is then that with this contact.
            slots: caps in tokens by the names of the setting `slots`, before those that it sets; all are in the report.
            format: `markdown` or `tags`.
            recall: `False` leaves out what the question recalls.
            touch: `False` leaves no trace of the reading.
            as_of: the block as it could have been made then: of what was known, as it then read, and as much of the
                conversation. Nothing is observed for it and no trace left; what was deleted since is in no past.

        Raises:
            InvalidInput: the window cannot hold what must be told; the message names the least that can.
        """
        occasion = Occasion(
            session=session,
            question=question,
            task=task,
            history=history,
            working=working,
            window=window,
            work_type=work_type,
            contact=contact,
            slots=slots,
            format=format,
            recall=recall,
            touch=touch,
            as_of=as_of,
        )
        return await self.contexts.assemble(occasion)

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
        return await self.contexts.reply(session, text, speaker=speaker, instructions=instructions, key=key)

    def reply_stream(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> AsyncGenerator[str | Reply, None]:
        """The same with the text piece by piece, as the model says it; last comes the `Reply`, once it is recorded.

        What breaks off, or is not read to its end, is not recorded as an answer. It raises with the
        first piece at the latest.

        Raises:
            InvalidInput, BudgetExceeded, BadModelOutput: as `reply`.
            ProviderUnavailable: no model answered, or it broke off.
        """
        return self.contexts.reply_stream(session, text, speaker=speaker, instructions=instructions, key=key)

    async def execute(
        self,
        task: str,
        *,
        session: str | None = None,
        speaker: str = "",
        instructions: str = "",
        contact: str | None = None,
        reflect: bool = False,
        key: str | None = None,
    ) -> Executed:
        """Do a task with the configured model and what memory holds; record both sides, and reflect if told to.

        It is `reply` with an account of what was read and paid. Where the model fails, the task stays recorded; with
        the same key it is not recorded again.

        Args:
            session: opened if it is not there; without one, the scope's unnamed active session.
            speaker: who gives the task.
            instructions: what the model is told beside.
            contact: whom it concerns: what was done is then that with this contact.
            reflect: have the model say what the task has taught, if anything, and keep it as a reflection with its
                evidence; where that fails, a note says why.
            key: an idempotency key of the task.

        Raises:
            InvalidInput: there is no model to answer, or something is not allowed; nothing is recorded.
            NotAllowed: the session is one that records nothing.
            BudgetExceeded: the answer might cost more than is left.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model said nothing, twice.
        """
        message = NewMessage(text=task, session=session, speaker=speaker, key=key)
        return await Executing(self._engine, self.caller).execute(
            message, instructions=instructions, contact=contact, reflect=reflect
        )

    def execute_stream(
        self,
        task: str,
        *,
        session: str | None = None,
        speaker: str = "",
        instructions: str = "",
        contact: str | None = None,
        reflect: bool = False,
        key: str | None = None,
    ) -> AsyncGenerator[str | Executed, None]:
        """The same with the text piece by piece, as the model says it; last comes what `execute` gives.

        What breaks off, or is not read to its end, is not recorded as an answer. It raises with the
        first piece at the latest.

        Raises:
            InvalidInput, NotAllowed, BudgetExceeded, BadModelOutput: as `execute`.
            ProviderUnavailable: no model answered, or it broke off.
        """
        message = NewMessage(text=task, session=session, speaker=speaker, key=key)
        return Executing(self._engine, self.caller).stream(
            message, instructions=instructions, contact=contact, reflect=reflect
        )

    def conversation(self, session: str) -> Conversation:
        """One session as an object of its own, for the turns of an agent."""
        return Conversation(self, session_name(session, self._engine.rules))

    def block(self, recalled: Recalled, *, max_tokens: int | None = None) -> str:
        """The texts of some hits as a sealed block for a prompt: recorded with the prompt, it is not learnt again.

        Args:
            max_tokens: the most that the block may have; `contexts.block` names the hits that are left out.

        Raises:
            InvalidInput: `max_tokens` is below 1.
        """
        return self.contexts.block(recalled, max_tokens=max_tokens).text

    @property
    def _recalling(self) -> Recalling:
        return Recalling(self._engine, self.caller)

    async def list(
        self,
        *,
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        layers: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        statuses: Sequence[str] = (),
        classifications: Sequence[str] = (),
        authors: Sequence[str] = (),
        sources: Sequence[str] = (),
        metadata: Mapping[str, Scalar] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 20,
        cursor: str | None = None,
        as_of: datetime | None = None,
        all_scopes: bool = False,
    ) -> Page:
        """Memories that pass every filter, newest first by when they were said or done, a page at a time.

        Args:
            statuses: those that are live, `active` and, of episodes, `raw`, if none is named.
            authors, sources, metadata: as for `recall`.
            since, until: bounds of when it was said or done, inclusive.
            as_of: those of that time, as they then read; the filters are asked of that, too.
            all_scopes: those of this scope and of the scopes under it: from the tenant's own scope, the whole tenant.

        Raises:
            InvalidInput: something is out of range; the message says what to change.
            NotAllowed: `all_scopes`, and the caller is no operator of the whole tenant.
        """
        caller = self.caller.across_scopes() if all_scopes else self.caller
        asked = Question(
            text="",
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            since=since,
            until=until,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            limit=limit,
            as_of=as_of,
        )
        return await Recalling(self._engine, caller).list(asked, statuses=statuses, cursor=cursor)
