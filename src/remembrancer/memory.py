"""The daily verbs of a memory, and its resources."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Literal, overload

from remembrancer.context.citations import Answer
from remembrancer.context.report import Context
from remembrancer.context.request import ContextMode, ContextRequest
from remembrancer.learn.sessions import session_name
from remembrancer.resources.admin import Admin
from remembrancer.resources.answers import ANSWER_HITS, ANSWER_TOKENS, QuestionAnswering
from remembrancer.resources.authentication import Authenticator
from remembrancer.resources.context import ContextAssembly
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.engine import Engine
from remembrancer.resources.episodes import Episodes
from remembrancer.resources.facts import Facts
from remembrancer.resources.folder_sync import FolderSync
from remembrancer.resources.governance import Governance
from remembrancer.resources.graph import Graph
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
from remembrancer.search.query import Explanation, RecallRequest, RecallResult, SearchTrace
from remembrancer.types.access import Caller
from remembrancer.types.budget import Budget
from remembrancer.types.filter import Filter
from remembrancer.types.new import Changes, NewMessage, NewObservation
from remembrancer.types.record import Message, Metadata, Observation, Record
from remembrancer.types.results import Page, Saved
from remembrancer.types.scope import Scope


class Memory(Resource, path=""):
    """The memory of one scope, as one caller may see it.

    `open_memory` opens one; `within` returns another scope's.

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
    graph = SubResource(Graph)
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
    def authenticator(self) -> "Authenticator[Memory]":
        """The authentication of requests of a service."""
        return Authenticator(self._engine, self.caller, lambda caller: Memory(self._engine, caller))

    @property
    def folder_sync(self) -> FolderSync:
        """The exchange of memories between machines through a folder."""
        return FolderSync(self._engine, self.caller)

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "Memory":
        """Return the memory of another scope or caller in the same store.

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
        self, message: str | NewMessage, *, role: str = "user", session: str | None = None, speaker: str = "",
        occurred_at: datetime | None = None, metadata: Metadata | None = None, trust: str | None = None,
        key: str | None = None
    ) -> Saved[Message]:  # fmt: skip
        """Record a message.

        When this returns, the message is on disk, and can be found by its words.

        The arguments are fields of `NewMessage`, which describes them.
        """
        new = request_of(self.record, NewMessage, "text", message, role=role, session=session, speaker=speaker,
                         occurred_at=occurred_at, metadata=metadata, trust=trust, key=key)  # fmt: skip
        return (await self.messages.record_many([new]))[0]

    async def save(
        self, observation: str | NewObservation, *, type: str | None = None, title: str | None = None,
        topic_key: str | None = None, session: str | None = None, tags: Sequence[str] | None = None,
        importance: float | None = None, evidence: Sequence[str] = ()
    ) -> Saved[Observation]:  # fmt: skip
        """Save an observation: a claim.

        The result is `created`, `updated` or `deduped`.

        The arguments are fields of `NewObservation`, which describes them.

        Raises:
            NotFound: a piece of evidence does not exist.
            NotAllowed: it equals a memory that was rejected.
        """
        new = request_of(self.save, NewObservation, "text", observation, type=type, title=title, topic_key=topic_key,
                         session=session, tags=tags, importance=importance, evidence=evidence)  # fmt: skip
        return (await self.observations.save_many([new]))[0]

    async def edit(
        self, id: str, changes: str | Changes | None = None, *, title: str | None = None, type: str | None = None,
        tags: Sequence[str] | None = None, metadata: Metadata | None = None, importance: float | None = None,
        revision: int | None = None
    ) -> Saved[Observation]:  # fmt: skip
        """Change an observation of this scope.

        The earlier wording is kept, with its author and time.

        Args:
            changes: the new text, or all changes; the other arguments are fields of `Changes`.
            revision: the revision that it must have; any by default.

        Raises:
            NotFound: there is no such memory in this scope.
            NotAllowed: it belongs to a wider scope.
            Conflict: another memory has that text already.
            RevisionConflict: it has another revision.
        """
        asked = request_of(self.edit, Changes, "text", changes, title=title, type=type, tags=tags, metadata=metadata,
                           importance=importance)  # fmt: skip
        return await Memories(self._engine, self.caller).edit(id, asked, revision=revision)

    async def delete(self, id: str | None = None, *, topic_key: str | None = None, revision: int | None = None) -> None:
        """Remove a memory from every read at once; `restore` restores it.

        Raises:
            NotFound: there is no such memory in this scope.
            NotAllowed: it belongs to a wider scope.
            RevisionConflict: it has another revision than `revision`.
        """
        await Memories(self._engine, self.caller).delete(id, topic_key=topic_key, revision=revision)

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
        """Return a memory by its id or topic key, in full, or as of a time.

        Args:
            topic_key: of several memories under one key, that of the nearest scope is returned.
            as_of: deleted memories are absent from the past, too, until they are restored.

        Raises:
            NotFound: there is no such memory here, or was none then.
        """
        return await Retrieval(self._engine, self.caller).get(id, topic_key=topic_key, as_of=as_of)

    async def list(
        self, filter: Filter | None = None, *, limit: int = 20, cursor: str | None = None,
        as_of: datetime | None = None, all_scopes: bool = False
    ) -> Page:  # fmt: skip
        """Return a page of memories that match a filter, newest first.

        They are sorted by the time they occurred.

        Args:
            limit: 1 to 1,000.
            as_of: the memories of that time, as they then read; the filter applies to these.
            all_scopes: with the scopes under this one: from the tenant's own scope, the whole tenant.

        Raises:
            NotAllowed: `all_scopes`, and the caller is no operator of the whole tenant.
        """
        caller = self.caller.across_scopes() if all_scopes else self._reader.caller
        reading = Retrieval(self._engine, caller)
        return await reading.list(filter or Filter(), limit=limit, cursor=cursor, as_of=as_of)

    async def recall(
        self, question: str | RecallRequest, *, filter: Filter | None = None, limit: int = 20,
        max_tokens: int | None = None, profile: str = "default", as_of: datetime | None = None,
        now: datetime | None = None, abstain: bool = True
    ) -> RecallResult:  # fmt: skip
        """Find the memories that answer a question, best first.

        If none does, recall abstains, and returns the nearest misses.

        The arguments are the fields of `RecallRequest`, which describes them.
        """
        request = request_of(self.recall, RecallRequest, "question", question, filter=filter, limit=limit,
                             max_tokens=max_tokens, profile=profile, as_of=as_of, now=now, abstain=abstain)  # fmt: skip
        return await Retrieval(self._engine, self._reader.caller).recall(request)

    async def explain(
        self, question: str | RecallRequest, id: str, *, filter: Filter | None = None, limit: int = 20,
        profile: str = "default"
    ) -> Explanation:  # fmt: skip
        """Explain why a question recalls a memory, or at which stage it is lost.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        request = request_of(self.explain, RecallRequest, "question", question, filter=filter, limit=limit,
                             profile=profile)  # fmt: skip
        return await Retrieval(self._engine, self._reader.caller).explain(request, id)

    async def trace(
        self, question: str | RecallRequest, *, filter: Filter | None = None, limit: int = 20,
        max_tokens: int | None = None, profile: str = "default", as_of: datetime | None = None
    ) -> SearchTrace:  # fmt: skip
        """Search as `recall` does, and return all candidates with the stage that each reached.

        The search does not count as a recall. The arguments are fields of `RecallRequest`, which describes them.
        """
        request = request_of(self.trace, RecallRequest, "question", question, filter=filter, limit=limit,
                             max_tokens=max_tokens, profile=profile, as_of=as_of)  # fmt: skip
        return await Retrieval(self._engine, self._reader.caller).trace(request)

    async def ask(
        self, question: str | RecallRequest, *, filter: Filter | None = None, limit: int = ANSWER_HITS,
        max_tokens: int = ANSWER_TOKENS, profile: str = "default", as_of: datetime | None = None,
        now: datetime | None = None
    ) -> Answer:  # fmt: skip
        """Answer a question from memory, with checked citations.

        Citations are checked against what the model read.

        Where recall abstains, or finds nothing, no model is called: the answer is unknown. Without a model the answer
        is what was recalled. An answer without citations is returned to the model once; then the answer is unknown.
        The arguments are fields of `RecallRequest`; `max_tokens` bounds the lines that the model reads.

        Raises:
            BudgetExceeded: the answer might cost more than is left; no model was called.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model returned nothing, twice.
        """
        request = request_of(self.ask, RecallRequest, "question", question, filter=filter, limit=limit,
                             max_tokens=max_tokens, profile=profile, as_of=as_of, now=now)  # fmt: skip
        return await QuestionAnswering(self._engine, self._reader.caller).ask(request)

    def ask_stream(
        self, question: str | RecallRequest, *, filter: Filter | None = None, limit: int = ANSWER_HITS,
        max_tokens: int = ANSWER_TOKENS, profile: str = "default", as_of: datetime | None = None,
        now: datetime | None = None
    ) -> AsyncGenerator[str | Answer, None]:  # fmt: skip
        """Stream an answer in pieces of text as the model writes it.

        The checked `Answer` comes last.

        A piece may cite a memory that does not exist: citations are checked at the end, and such an answer is not
        returned to the model. Errors are raised with the first piece at the latest, and are those of `ask`.
        """
        request = request_of(self.ask_stream, RecallRequest, "question", question, filter=filter, limit=limit,
                             max_tokens=max_tokens, profile=profile, as_of=as_of, now=now)  # fmt: skip
        return QuestionAnswering(self._engine, self._reader.caller).stream(request)

    async def context(
        self, session: str | ContextRequest | None = None, *, question: str = "", task: str = "",
        mode: str = ContextMode.TURN, budget: Budget | None = None, contact: str | None = None,
        format: str = "markdown", as_of: datetime | None = None
    ) -> Context:  # fmt: skip
        """Return what an agent reads before it answers, within a budget of tokens.

        The arguments are fields of `ContextRequest`, which describes them and the modes.

        Raises:
            InvalidInput: the window is too small for what must be included; the message names the least that is not.
        """
        request = request_of(self.context, ContextRequest, "session", session, question=question, task=task, mode=mode,
                             budget=budget, contact=contact, format=format, as_of=as_of)  # fmt: skip
        return await ContextAssembly(self._engine, self._reader.caller).assemble(request)

    @overload
    async def feedback(
        self, id: str, verdict: Literal["right", "wrong", "dismiss"], *, person: str = ""
    ) -> Observation: ...
    @overload
    async def feedback(self, id: str, verdict: str, *, person: str = "") -> Observation | None: ...
    async def feedback(self, id: str, verdict: str, *, person: str = "") -> Observation | None:
        """Record a person's verdict on an observation, and return it.

        The result is the observation after the verdict; `None` if it was erased since.

        Args:
            verdict: `right` raises its confidence by one level, up to high, and may make it a rule. `wrong` removes it,
                and what was derived from it, from every recall and context. `dismiss` is for an observation of the last
                48 hours, which then never becomes a rule. `undo` withdraws `wrong` or `dismiss`, with its consequences.
            person: each counts once; by default the caller's actor or the scope's user.

        Raises:
            NotFound: there is no such memory in this scope.
            Conflict: the state of the observation does not allow the verdict.
        """
        return await Memories(self._engine, self.caller).feedback(id, verdict, person=person)

    async def dependents(self, id: str) -> Sequence[Record]:
        """Return the memories that have a memory as evidence, in any status, by id.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        return await Memories(self._engine, self.caller).dependents(id)

    async def evidence(self, id: str) -> Evidence:
        """Return a memory with the whole chain of its evidence.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        return await Memories(self._engine, self.caller).evidence(id)
