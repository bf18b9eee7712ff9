"""Sessions: conversations and runs, with turns of the configured model."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime

from remembrancer.context import brief
from remembrancer.context.conversations import ConversationStats
from remembrancer.context.reply import Reply, TaskResult
from remembrancer.errors import NotFound
from remembrancer.learn import outcomes, sessions
from remembrancer.learn.sessions import Started
from remembrancer.resources.context import at_start
from remembrancer.resources.resource import Resource
from remembrancer.resources.retrieval import Retrieval
from remembrancer.resources.tasks import TaskExecution
from remembrancer.search.query import MAX_LIMIT
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.types.arguments import member, within
from remembrancer.types.calls import CallPurpose
from remembrancer.types.feedback import SessionOutcome, WeightChange
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewMessage
from remembrancer.types.notes import MOST_MESSAGES
from remembrancer.types.record import Message, Metadata, Observation
from remembrancer.types.results import without_hash
from remembrancer.types.session import Injection, Session
from remembrancer.types.times import optional_utc

# The number of messages that a read returns by default.
_PAGE = 100


class Sessions(Resource, path="sessions"):
    """The conversations and runs of one scope. Reached as `memory.sessions`."""

    async def start(
        self, id: str | None = None, *, record: bool = True, max_tokens: int | None = None, record_access: bool = True
    ) -> Started:
        """Open a session, or resume an existing one.

        Without an id, it is the scope's unnamed active session.

        Args:
            id: the name of the session.
            record: `False` opens a session that stores nothing; recording in it is refused.
            max_tokens: the limit of the text about earlier sessions; by default the setting `start_tokens`.
            record_access: `False` does not record the read.

        Raises:
            InvalidInput: the id is not a valid name, or `max_tokens` is below 1.
        """
        room = self._engine.start_tokens if max_tokens is None else max_tokens
        within(room, 1, what="max_tokens")
        query = Retrieval(self._engine, self._caller).query(at_start())
        async with self._unit.write() as writer:
            stale = await sessions.close_stale(writer)
        for name in stale:
            # The start of a session does not wait for a model.
            await self._engine.conversations.observe_ended(self._unit.scope, name, asking=False)
        async with self._unit.write() as writer:
            session, is_new = await sessions.open_session(writer, id, record=record)
        rules = self._engine.rules
        contents = await self._unit.read(lambda tx: brief.load_brief(tx, query, rules, session=session.id))
        listing = self._engine.context_builder.render_brief(contents, max_tokens=room)
        shown = {contents.records[place].id for place in listing.shown}
        if record_access and record and shown:
            self._engine.worker.access_log.log_read(self._caller.scope, sorted(shown))
        return Started(
            session=session,
            is_new=is_new,
            summaries=tuple(without_hash(summary) for summary in contents.summaries if summary.id in shown),
            memories=tuple(without_hash(memory) for memory in contents.memories if memory.id in shown),
            text=listing.text,
            tokens=listing.tokens,
            dropped=tuple(contents.records[place].id for place in listing.left_out),
        )

    async def end(self, session: str) -> Session:
        """Close a session, and observe its last messages. A closed session is not changed.

        Raises:
            NotFound: there is no such session in this scope.
        """
        scope, name = self._unit.scope, self._name(session)
        summary = await self._engine.summariser.of(scope, name)
        async with self._unit.write() as writer:
            ended = await sessions.end_session(writer, session, summed=summary)
        await self._engine.conversations.observe_ended(scope, ended.id)
        return ended

    async def summarise(
        self,
        session: str,
        text: str,
        *,
        title: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Observation:
        """Store a summary of a session.

        Args:
            occurred_at: the time of the summary, with a time zone; by default the current time.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            NotFound: there is no such session in this scope.
        """
        summary = Draft(text=text, title=title, occurred_at=occurred_at, metadata=metadata or {}, key=key)
        async with self._unit.write() as writer:
            return await sessions.summarise(writer, session, summary)

    async def stats(self, session: str) -> ConversationStats:
        """Return statistics of a conversation: verbatim messages, notes, and unobserved messages.

        Raises:
            NotFound: there is no such session in this scope.
        """
        return await self._engine.conversations.stats(self._caller, self._name(session))

    async def messages(self, session: str, *, first: int = 1, last: int | None = None) -> Sequence[Message]:
        """Return messages of a session by number, oldest first. Deleted messages are left out.

        Args:
            first, last: the numbers of the first and the last message, inclusive, at most 1,000; by default 100.

        Raises:
            NotFound: there is no such session in this scope.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        end = first + _PAGE - 1 if last is None else last
        within(end, first, first + MAX_LIMIT - 1, what="last")
        name = self._name(session)

        async def work(tx: Tx) -> Sequence[Message] | None:
            if await tx.sessions.find(name) is None:
                return None
            messages = await tx.messages.by_number(name, first, end)
            return [without_hash(one) for one in messages if one.status is not Status.DELETED]

        found = await self._unit.read(work)
        if found is None:
            raise NotFound("session", session)
        return found

    async def set_outcome(self, session: str, outcome: str) -> Sequence[WeightChange]:
        """Set the outcome of a session, which changes the feedback weights of the memories that the agent read in it.

        The same outcome again changes nothing.

        Args:
            outcome: `accepted`, `rejected` or `rework`.

        Raises:
            NotFound: there is no such session in this scope, and no memories were read in it.
            Conflict: the session has another outcome.
        """
        chosen, name = member(SessionOutcome, outcome, "outcome"), self._name(session)
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        async with self._unit.write() as writer:
            return await outcomes.learn(writer, name, chosen)

    async def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """Return the injections of memories into the prompts of a session, latest first.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        name = self._name(session)
        return await self._unit.read(lambda tx: tx.injections.list(name, limit=limit))

    @property
    def has_model(self) -> bool:
        """True if a language model is configured for answers."""
        return self._engine.models.available(CallPurpose.ANSWER)

    async def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record a message, and return and record the answer of the configured model.

        If the model fails, the message stays recorded; with the same key it is not recorded again.

        Args:
            session: the session; a new one is opened.
            instructions: for the model, the same in each turn.
            key: an idempotency key of the message.

        Raises:
            InvalidInput: no model is configured, or an argument is not valid; nothing is recorded.
            BudgetExceeded: the answer may cost more than the rest of a budget.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model returned nothing, twice.
        """
        message = NewMessage(text=text, session=session, speaker=speaker, key=key)
        return await self._tasks.exchange(message, instructions=instructions).whole()

    def reply_stream(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> AsyncGenerator[str | Reply, None]:
        """Stream a reply in pieces of text; the recorded `Reply` is the last item.

        An interrupted answer is not recorded. Errors are those of `reply`, and are raised before the first piece.
        """
        message = NewMessage(text=text, session=session, speaker=speaker, key=key)
        return self._tasks.exchange(message, instructions=instructions).pieces()

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
    ) -> TaskResult:
        """Execute a task with the configured model and memory, and record task and answer.

        It is `reply` with the used memories and the costs. If the model fails, the task stays recorded; with the same
        key it is not recorded again.

        Args:
            session: the session; a new one is opened. By default the scope's unnamed active session.
            speaker: the author of the task.
            instructions: for the model.
            contact: the person concerned; only episodes with this contact are included.
            reflect: have the model derive a lesson from the task, and save it as a reflection with its evidence; if it
                fails, a note has the reason.
            key: an idempotency key of the task.

        Raises:
            InvalidInput: no model is configured, or an argument is not valid; nothing is recorded.
            NotAllowed: the session does not record.
            BudgetExceeded: the answer may cost more than the rest of a budget.
            ProviderUnavailable: no model answered.
            BadModelOutput: the model returned nothing, twice.
        """
        message = NewMessage(text=task, session=session, speaker=speaker, key=key)
        return await self._tasks.execute(message, instructions=instructions, contact=contact, reflect=reflect)

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
    ) -> AsyncGenerator[str | TaskResult, None]:
        """Stream the answer to a task in pieces of text; the result of `execute` is the last item.

        An interrupted answer is not recorded. Errors are those of `execute`, and are raised before the first piece.
        """
        message = NewMessage(text=task, session=session, speaker=speaker, key=key)
        return self._tasks.stream(message, instructions=instructions, contact=contact, reflect=reflect)

    @property
    def _tasks(self) -> TaskExecution:
        return TaskExecution(self._engine, self._caller)

    def _name(self, session: str) -> str:
        return sessions.session_name(session, self._engine.rules)

    async def list(
        self, *, limit: int = 20, until: datetime | None = None, all_scopes: bool = False
    ) -> Sequence[Session]:
        """Return the sessions of the scope, by their last activity, latest first.

        Args:
            limit: 1 to 1,000.
            until: only sessions whose last activity is not later; a list continues with that of its last session.
            all_scopes: include the sessions of all scopes under this one.

        Raises:
            NotAllowed: `all_scopes` is set, and the caller does not operate the whole tenant.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        unit = self._unit.of(self._caller.across_scopes()) if all_scopes else self._unit
        last = optional_utc(until, what="until")
        return await unit.read(lambda tx: tx.sessions.list(limit=limit, until=last))
