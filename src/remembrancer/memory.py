"""The daily verbs of a memory, and its resources."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime

from remembrancer.context.citations import Answer
from remembrancer.context.report import Context
from remembrancer.context.request import ContextMode, ContextRequest
from remembrancer.learn.sessions import session_name
from remembrancer.resources.admin import Admin
from remembrancer.resources.answers import ANSWER_HITS, ANSWER_TOKENS, QuestionAnswering
from remembrancer.resources.authentication import Reception
from remembrancer.resources.context import ContextAssembly
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.engine import Engine
from remembrancer.resources.episodes import Episodes
from remembrancer.resources.facts import Facts
from remembrancer.resources.governance import Governance
from remembrancer.resources.memories import Evidence, Memories
from remembrancer.resources.messages import Messages
from remembrancer.resources.notes import Notes
from remembrancer.resources.observations import Observations
from remembrancer.resources.patterns import Patterns
from remembrancer.resources.requests import request_of
from remembrancer.resources.resource import Resource, SubResource
from remembrancer.resources.retrieval import Retrieval
from remembrancer.resources.rules import Rules
from remembrancer.resources.scores import Scores
from remembrancer.resources.sessions import Sessions
from remembrancer.resources.timeline import Timeline
from remembrancer.search.query import Explanation, Recalled, RecallRequest
from remembrancer.types.budget import Budget
from remembrancer.types.caller import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.new import Changes, NewMessage, NewObservation
from remembrancer.types.page import Page
from remembrancer.types.record import Message, Metadata, Observation, Record
from remembrancer.types.saved import Saved
from remembrancer.types.scope import Scope


class Memory(Resource, path=""):
    """The memory of one scope, as one caller may see it. `open_memory` opens one; `within` returns another scope's.

    A first argument of `str | X` is the short form, or a whole request X without further arguments. Every method
    raises `InvalidInput` for an argument that is not of its annotated type. Memories of other scopes, and those
    classified above the caller's clearance, read as absent.
    """

    messages = SubResource(Messages)
    observations = SubResource(Observations)
    sessions = SubResource(Sessions)
    notes = SubResource(Notes)
    episodes = SubResource(Episodes)
    facts = SubResource(Facts)
    rules = SubResource(Rules)
    patterns = SubResource(Patterns)
    scores = SubResource(Scores)
    timeline = SubResource(Timeline)
    governance = SubResource(Governance)
    admin = SubResource(Admin)

    def __init__(self, engine: Engine, caller: Caller) -> None:
        super().__init__(engine, caller)
        self.caller = caller

    @property
    def scope(self) -> Scope:
        """The scope of this memory."""
        return self.caller.scope

    @property
    def reception(self) -> "Reception[Memory]":
        """The authentication of requests, for services, before their caller is known."""
        return Reception(self._engine, self.caller, lambda caller: Memory(self._engine, caller))

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "Memory":
        """Return the memory of another scope in the same store, or of this one for another caller.

        Args:
            clearance: `public`, `internal`, `confidential` or `restricted`; never above that of this memory.
            actor: the name of the caller; by default the same.

        Raises:
            InvalidInput: the scope names no tenant, and this memory is not tenant `local`'s.
            NotAllowed: the clearance is above that of this memory.
        """
        return Memory(self._engine, self.caller.within(scope, clearance=clearance, actor=actor))

    def conversation(self, session: str) -> Conversation:
        """Return one session as an object of its own, for the turns of an agent."""
        return Conversation(self, session_name(session, self._engine.rules))

    async def record(
        self,
        message: str | NewMessage,
        *,
        role: str = "user",
        session: str | None = None,
        speaker: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        trust: str | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record a message. It is on disk, and can be found by its words, when this returns.

        Args:
            role: `user`, `assistant`, `system` or `tool`; messages of tools are untrusted unless `trust` differs.
            session: opened if it is new; by default the scope's unnamed active session.
            occurred_at: with its zone; by default the current time.
            key: an idempotency key: the same key again returns the first result and writes nothing.
        """
        options = {"role": role, "session": session, "speaker": speaker, "occurred_at": occurred_at}
        options |= {"metadata": metadata, "trust": trust, "key": key}
        return (await self.messages.record_many([request_of(self.record, NewMessage, "text", message, **options)]))[0]

    async def save(
        self,
        observation: str | NewObservation,
        *,
        type: str | None = None,
        title: str | None = None,
        topic_key: str | None = None,
        session: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        evidence: Sequence[str] = (),
    ) -> Saved[Observation]:
        """Save an observation: a claim. The result is `created`, `updated` or `deduped`.

        Args:
            type: `profile`, `preference`, `decision`, `pattern` or `discovery`, or another of the deployment;
                `discovery` by default.
            topic_key: a stable name; a later save under it replaces the wording and keeps the earlier one as a
                revision. Fields that are left out stay as they are.
            session: opened, or resumed, by its name; by default the scope's latest active session, if there is one.
            importance: in [0, 1]; .5 by default.
            evidence: ids of the memories that support it; it inherits their least trust and highest classification.

        Raises:
            NotFound: a piece of evidence does not exist.
            NotAllowed: it equals a memory that was rejected.
        """
        options = {"type": type, "title": title, "topic_key": topic_key, "session": session, "tags": tags}
        options |= {"importance": importance, "evidence": evidence}
        new = request_of(self.save, NewObservation, "text", observation, **options)
        return (await self.observations.save_many([new]))[0]

    async def edit(
        self,
        id: str,
        changes: str | Changes | None = None,
        *,
        title: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        importance: float | None = None,
        revision: int | None = None,
    ) -> Saved[Observation]:
        """Change an observation of this scope; the earlier wording is kept, with its author and time.

        Args:
            changes: the new text, or all changes.
            revision: the revision that it must have; any by default.

        Raises:
            NotFound: there is no such memory in this scope.
            NotAllowed: it belongs to a wider scope.
            Conflict: another memory has that text already.
            Outdated: it has another revision.
        """
        options = {"title": title, "type": type, "tags": tags, "metadata": metadata, "importance": importance}
        asked = request_of(self.edit, Changes, "text", changes, **options)
        return await Memories(self._engine, self.caller).edit(id, asked, revision=revision)

    async def delete(self, id: str | None = None, *, topic_key: str | None = None, revision: int | None = None) -> None:
        """Remove a memory from every read at once; `restore` restores it.

        Args:
            topic_key: names the memory instead of its id.
            revision: the revision that it must have; any by default.

        Raises:
            NotFound: there is no such memory in this scope.
            NotAllowed: it belongs to a wider scope.
            Outdated: it has another revision.
        """
        named = await self._retrieval.named(id, topic_key)
        await Memories(self._engine, self.caller).delete(named, revision=revision)

    async def restore(self, id: str) -> Record:
        """Restore a deleted memory as it was, or an archived one.

        Raises:
            NotFound: there is no such memory in this scope.
            Conflict: it is neither deleted nor archived, or its topic key is in use.
        """
        return await Memories(self._engine, self.caller).restore(id)

    async def get(
        self, id: str | None = None, *, topic_key: str | None = None, as_of: datetime | None = None
    ) -> Record:
        """Return a memory by its id or topic key, in full; or how it read at a time.

        Args:
            topic_key: where several scopes have a memory under one key, that of the nearest is returned.
            as_of: deleted memories are absent from the past, too, until they are restored.

        Raises:
            NotFound: there is no such memory here, or was none then.
        """
        return await self._retrieval.get(await self._retrieval.named(id, topic_key), as_of=as_of)

    async def list(
        self,
        filter: Filter | None = None,
        *,
        limit: int = 20,
        cursor: str | None = None,
        as_of: datetime | None = None,
        all_scopes: bool = False,
    ) -> Page:
        """Return memories that match a filter, newest first by the time they occurred, a page at a time.

        Args:
            limit: 1 to 1,000.
            as_of: the memories of that time, as they then read; the filter applies to these.
            all_scopes: with the scopes under this one: from the tenant's own scope, the whole tenant.

        Raises:
            NotAllowed: `all_scopes`, and the caller is no operator of the whole tenant.
        """
        caller = self.caller.across_scopes() if all_scopes else self.caller
        page = Retrieval(self._engine, caller).list(filter or Filter(), limit=limit, cursor=cursor, as_of=as_of)
        return await page

    async def recall(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
        abstain: bool = True,
    ) -> Recalled:
        """Find the memories that answer a question, best first; or abstain, and return the nearest misses.

        The arguments are the fields of `RecallRequest`, which describes them.
        """
        options = {"filter": filter, "limit": limit, "max_tokens": max_tokens, "profile": profile}
        options |= {"as_of": as_of, "now": now, "abstain": abstain}
        return await self._retrieval.recall(request_of(self.recall, RecallRequest, "question", question, **options))

    async def explain(
        self,
        question: str | RecallRequest,
        id: str,
        *,
        filter: Filter | None = None,
        limit: int = 20,
        profile: str = "default",
    ) -> Explanation:
        """Explain why a memory is recalled for a question, or at which stage it is lost.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        options = {"filter": filter, "limit": limit, "profile": profile}
        request = request_of(self.explain, RecallRequest, "question", question, **options)
        return await self._retrieval.explain(request, id)

    async def ask(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = ANSWER_HITS,
        max_tokens: int = ANSWER_TOKENS,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
    ) -> Answer:
        """Answer a question from memory, with citations that are checked against what the model read.

        Where recall abstains, or finds nothing, no model is called: the answer is unknown. Without a model the answer
        is what was recalled. An answer without citations is returned to the model once; then the answer is unknown.

        Args:
            max_tokens: of the lines that the model reads; whole memories that do not fit are left out.

        Raises:
            BudgetExceeded: the answer might cost more than is left; no model was called.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model returned nothing, twice.
        """
        options = {"filter": filter, "limit": limit, "max_tokens": max_tokens, "profile": profile}
        request = request_of(self.ask, RecallRequest, "question", question, **options, as_of=as_of, now=now)
        return await QuestionAnswering(self._engine, self.caller).ask(request)

    def ask_stream(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = ANSWER_HITS,
        max_tokens: int = ANSWER_TOKENS,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
    ) -> AsyncGenerator[str | Answer, None]:
        """Stream an answer in pieces of text as the model writes it; the checked `Answer` comes last.

        A piece may cite a memory that does not exist: citations are checked at the end, and such an answer is not
        returned to the model. Errors are raised with the first piece at the latest, and are those of `ask`.
        """
        options = {"filter": filter, "limit": limit, "max_tokens": max_tokens, "profile": profile}
        request = request_of(self.ask_stream, RecallRequest, "question", question, **options, as_of=as_of, now=now)
        return QuestionAnswering(self._engine, self.caller).stream(request)

    async def context(
        self,
        session: str | ContextRequest | None = None,
        *,
        question: str = "",
        task: str = "",
        mode: str = ContextMode.TURN,
        budget: Budget | None = None,
        contact: str | None = None,
        format: str = "markdown",
        as_of: datetime | None = None,
    ) -> Context:
        """Return what an agent reads before it answers, within a budget of tokens.

        In the mode `turn` it is the conversation of the session: notes on its older messages, the newer ones verbatim,
        and what the question recalls; from turn to turn its beginning stays the same. Without a session it is what a
        task needs. Where too many messages wait, they are observed first.

        Args:
            mode: `turn`; `brief` for the start of a session: its last state, summaries, and what ranks highest;
                `prompt` for what a prompt recalls with high confidence and in time; `search` for what a question
                recalls. The settings `inject_brief`, `inject_prompt` and `inject_recall` switch these three off.
            format: `markdown` or `tags`.

        Raises:
            InvalidInput: the window is too small for what must be included; the message names the least that is not.
        """
        options = {"question": question, "task": task, "mode": mode, "budget": budget, "contact": contact}
        request = request_of(self.context, ContextRequest, "session", session, **options, format=format, as_of=as_of)
        return await ContextAssembly(self._engine, self.caller).assemble(request)

    async def feedback(self, id: str, verdict: str, *, person: str = "") -> Observation | None:
        """Record a person's verdict on an observation, and return it as it is then.

        Args:
            verdict: `right` raises its confidence by one level, up to high, and may make it a rule. `wrong` removes it,
                and what was derived from it, from every recall and context. `dismiss` is for an observation of the last
                48 hours, which then never becomes a rule. `undo` withdraws `wrong` or `dismiss`, with its consequences.
            person: each counts once; by default the caller's actor or the scope's user.

        Returns:
            `None` where `undo` concerns an observation that was erased since.

        Raises:
            NotFound: there is no such memory in this scope.
            Conflict: the state of the observation does not allow the verdict.
        """
        return await Memories(self._engine, self.caller).feedback(id, verdict, person=person)

    async def evidence(self, id: str) -> Evidence:
        """Return a memory with the whole chain of its evidence.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        return await Memories(self._engine, self.caller).evidence(id)

    @property
    def _retrieval(self) -> Retrieval:
        return Retrieval(self._engine, self.caller)
