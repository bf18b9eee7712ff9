"""Contexts for a turn, the start of a session, a prompt, or a question."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import anyio
from anyio.to_thread import run_sync

from remembrancer.context import brief, overflow
from remembrancer.context.assemble import MAX_EPISODES, Block, Item
from remembrancer.context.behaviour import Behaviour, load_behaviour, load_past_behaviour
from remembrancer.context.builder import BlockInputs, RenderedBlock
from remembrancer.context.cache import CachedContext
from remembrancer.context.lines import run_state, task_line
from remembrancer.context.overflow import History
from remembrancer.context.report import Context, Report
from remembrancer.context.request import ContextMode, ContextRequest
from remembrancer.context.slots import Slot, Slots, memory_tokens
from remembrancer.errors import InvalidInput, quoted
from remembrancer.language.intent import asks_of_past
from remembrancer.language.replacement import states_more
from remembrancer.learn import sessions
from remembrancer.learn.observe.observe import in_short
from remembrancer.resources.messages import Messages
from remembrancer.resources.resource import UseCase
from remembrancer.resources.retrieval import Retrieval
from remembrancer.search.companions import companion_turns
from remembrancer.search.profiles import BEHAVIOURAL, SESSION
from remembrancer.search.query import MAX_QUESTION_CHARACTERS, Hit, RecallRequest, RecallResult
from remembrancer.storage.tx import Tx
from remembrancer.types.access import FULL, Caller
from remembrancer.types.filter import Filter
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Kind, Message, Record
from remembrancer.types.session import Injection, InjectionMode, Ranks

# More than are shown: some are in the block already, and some repeat others.
RECALLED_FOR_CONTEXT = 60
# A hit below the first share of the best one is dropped, unless it covers the second share of the question; see
# docs/how-it-works/context.md for the measured effect.
BELONGS = 0.4
COVERS = 0.5
# Episodes have a slot of their own.
RECALLED_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.EPISODE)
# The share of the embedder in the time limit of a prompt; the rest is for the search.
_EMBEDDER_SHARE = 0.7
# The candidates among which those with one contact are selected.
_EPISODE_CANDIDATES = 50
# The share of the time limit after which the reranker times out.
_RERANKER_SHARE = 0.85
# The session of tool exchanges that are too long for a context.
HISTORY_SESSION = "tool history"
SEARCH_TOKENS = 600
"""The default token limit of the modes `prompt` and `search`."""
_PROMPT_HITS = 5
_NOTHING_RECALLED = RecallResult(hits=(), abstained=False, confidence=0.0)
_EMPTY = RenderedBlock(text="", tokens=0, ids=(), left_out=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversation:
    """The state of a conversation before a question.

    Args:
        last: the last message of a user in the session.
        known: whether the session exists.
        records: whether the session records messages.
    """

    last: Message | None
    known: bool
    records: bool
    behaviour: Behaviour


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """The window of a context and its slots."""

    window: int
    slots: Slots


class ContextAssembly(UseCase):
    """The contexts of one caller."""

    async def assemble(self, request: ContextRequest) -> Context:
        """Return the context of a request; see `Memory.context`.

        Raises:
            InvalidInput: the window is too small for the required parts; the message names the minimum.
        """
        if request.session is not None:
            request = replace(request, session=sessions.session_name(request.session, self._engine.rules))
        match ContextMode(request.mode):
            case ContextMode.TURN:
                return await self._turn(request)
            case ContextMode.BRIEF:
                return await self._brief(request)
            case ContextMode.PROMPT:
                return await self._prompt(request)
            case ContextMode.SEARCH:
                return await self._search(request)

    async def _turn(self, request: ContextRequest) -> Context:
        """Return the context of a turn of a conversation, or of a task."""
        engine, scope = self._engine, self._caller.scope
        frame = self._frame(request)
        if request.session is not None and request.as_of is None:
            await engine.conversations.enforce_limits(
                scope,
                request.session,
                window=frame.window,
                fixed=frame.slots.fixed(frame.window),
                recalled=frame.slots.recalled,
            )
        # Contexts of the past are rare, and are not recorded as reads.
        is_cacheable = request.as_of is None and engine.context_cache.keeps_contexts
        key = await self._key(request, frame) if is_cacheable else None
        cached = None
        if key is not None:
            cached = await engine.context_cache.get_context(key)
            engine.rules.meter.cached(hit=cached is not None)
        if cached is None:
            cached, usual = await self._made(request, frame)
            if key is not None and usual:
                await engine.context_cache.put_context(key, cached)
        if request.record_access and request.as_of is None and cached.records_access:
            self._log_served(request.session, cached)
        return cached.context

    async def _key(self, request: ContextRequest, frame: _Frame) -> str:
        """Return the cache key: the request, the state of the visible memories, and the day."""
        engine, seen = self._engine, await self._unit.read(lambda tx: tx.changes.mark())
        today = engine.rules.clock.now().astimezone(engine.zone).date()
        return engine.context_cache.key(self._caller, "context", seen, today, request, frame)

    async def _made(self, request: ContextRequest, frame: _Frame) -> tuple[CachedContext, bool]:
        """Return the context of a request, and whether it may be cached."""
        engine = self._engine
        before = await self._unit.read(lambda tx: self._before(tx, request))
        question = request.question or request.task or (before.last.text if before.last else "")
        recalled, behaviour = await self._known(request, before, question, facts_room=frame.slots.facts)
        keep = request.record_access and request.as_of is None and before.records
        task = await self._task(request, frame.slots, keep=keep)
        notes = (*await self._notes(request, before), *_unknown_contact(request.contact, before.behaviour))
        inputs = BlockInputs(
            window=frame.window,
            slots=frame.slots,
            history=await self._history(request.history, frame.slots, keep=keep),
            task=task,
            left_out=("task",) if request.task and not task else (),
            notes=notes,
            behaviour=behaviour,
        )
        context = await engine.context_builder.build(self._caller, request, inputs, recalled)
        shown = [record.id for record in (*context.recalled_records(recalled), *behaviour.shown(context.ids()))]
        entry = CachedContext(
            context=context,
            shown=tuple(shown),
            ranks=_ranks(recalled, shown),
            records_access=before.records,
            at=engine.rules.clock.now(),
        )
        return entry, not notes and not (recalled and recalled.notes)

    async def _brief(self, request: ContextRequest) -> Context:
        """Return the session brief: open sessions, the latest summaries, and the highest ranked observations.

        The setting `inject_brief` switches it off; the injection is recorded in any case.
        """
        room = request.budget.tokens or self._engine.start_tokens
        query = self._retrieval.query(at_start(brief.MAX_MEMORIES))
        rules, name, zone = self._engine.rules, request.session, self._engine.zone
        contents = await self._unit.read(lambda tx: brief.load_brief(tx, query, rules, session=name, zone=zone))
        listing = self._engine.context_builder.render_brief(contents, max_tokens=room)
        # A brief may contain several parts of one memory.
        records = contents.records
        shown = dict.fromkeys(records[place].id for place in listing.shown)
        dropped = dict.fromkeys(records[place].id for place in listing.left_out)
        block = RenderedBlock(
            text=listing.text,
            tokens=listing.tokens,
            ids=tuple(shown),
            left_out=tuple(id for id in dropped if id not in shown),
        )
        return await self._inject(InjectionMode.BRIEF, request, self._rendered(block, room), records)

    async def _prompt(self, request: ContextRequest) -> Context:
        """Return memories that a prompt recalls with high confidence; an empty text if there are none.

        The messages of the request's own session are left out: the agent has them in its window.

        The setting `inject_prompt` switches it off, and `inject_prompt_seconds` limits its time. If the embedder is
        slower, the search uses words alone, and a note reports it.
        """
        room, seconds = request.budget.tokens or SEARCH_TOKENS, self._engine.injection.prompt_seconds
        question = RecallRequest(
            question=request.question[:MAX_QUESTION_CHARACTERS], limit=_PROMPT_HITS, record_access=False
        )
        recalled, block = _NOTHING_RECALLED, _EMPTY
        with anyio.move_on_after(seconds) as scope:
            recalled, block = await self._block(question, room, excluded_session=request.session, seconds=seconds)
        if scope.cancelled_caught:
            late = f"nothing was found within {seconds:g} seconds"
            recalled, block = replace(recalled, hits=(), notes=(*recalled.notes, late)), _EMPTY
        return await self._injected(
            InjectionMode.PROMPT, request, recalled, self._rendered(block, room, recalled.notes)
        )

    async def _search(self, request: ContextRequest) -> Context:
        """Return the memories that a question recalls. The setting `inject_recall` switches it off."""
        room = request.budget.tokens or SEARCH_TOKENS
        question = RecallRequest(question=request.question, limit=request.limit, record_access=False)
        recalled, block = await self._block(question, room)
        return await self._injected(
            InjectionMode.RECALL, request, recalled, self._rendered(block, room, recalled.notes)
        )

    def _rendered(self, block: RenderedBlock, room: int, notes: tuple[str, ...] = ()) -> Context:
        """Return a context of one sealed text."""
        counter = self._engine.rules.tokens
        item = Item(slot=Slot.RECALLED, text=block.text, tokens=block.tokens, ids=block.ids)
        return Context(
            block=Block(items=(item,) if block.text or block.ids else ()),
            report=Report(
                budget=room,
                tokens=block.tokens,
                tokenizer=counter.name,
                exact=counter.exact,
                margin=counter.margin,
                slots={Slot.RECALLED.value: block.tokens} if block.tokens else {},
                caps={Slot.RECALLED.value: room},
                dropped={Slot.RECALLED.value: block.left_out} if block.left_out else {},
                notes=notes,
            ),
        )

    @property
    def _retrieval(self) -> Retrieval:
        return Retrieval(self._engine, self._caller)

    def _frame(self, request: ContextRequest) -> _Frame:
        """Return the window of a request and its slots.

        Raises:
            InvalidInput: the state of the run exceeds its slot.
        """
        window = self._engine.window if request.budget.window is None else request.budget.window
        by_work = {} if request.work_type is None else {"recalled": memory_tokens(request.work_type)}
        slots = self._engine.slots(self._caller.scope).within(window)
        slots = slots.with_caps({**by_work, **(request.budget.slots or {})})
        if (size := self._engine.rules.tokens.count(run_state(request.working))) > slots.working_memory:
            raise InvalidInput(
                f"working has {size} tokens and its slot has {slots.working_memory};"
                " use a WorkingMemory, which shortens itself"
            )
        return _Frame(window=window, slots=slots)

    async def _notes(self, request: ContextRequest, before: _Conversation) -> tuple[str, ...]:
        """Return notes on an unknown session and on degraded models."""
        if request.session is None:
            return ()
        unknown = () if before.known else (f"the session {quoted(request.session)} has no messages yet",)
        degraded = await self._engine.models.degraded(self._caller.scope) if request.as_of is None else ()
        return (*unknown, *degraded)

    async def _before(self, tx: Tx, request: ContextRequest) -> _Conversation:
        """Return the state of the conversation and the known behaviour, now or as of a time."""
        session, contact, at = request.session, request.contact, request.as_of
        now, sign = self._engine.rules.clock.now(), self._engine.rules.sign
        existing = None if session is None else await tx.sessions.find(session)
        return _Conversation(
            last=None if existing is None else await sessions.last_user_message(tx, existing, at),
            known=existing is not None,
            records=existing is None or existing.record,
            behaviour=await load_behaviour(tx, contact, now=now, sign=sign)
            if at is None
            else await load_past_behaviour(tx, contact, at=at),
        )

    async def _known(
        self, request: ContextRequest, before: _Conversation, asked: str, *, facts_room: int
    ) -> tuple[RecallResult | None, Behaviour]:
        """Return the recalled memories of a question and the behaviour to show, now or as of a time."""
        contact, at = request.contact, request.as_of
        behaviour = before.behaviour.within(
            facts_room, contact=contact, question=asked, count=self._engine.rules.tokens.count
        )
        if not request.recall or not asked:
            return None, behaviour
        question, last = asked[:MAX_QUESTION_CHARACTERS], before.last
        recalled = await self._retrieval.search(
            RecallRequest(
                question=question,
                limit=RECALLED_FOR_CONTEXT,
                filter=Filter(kinds=RECALLED_KINDS if behaviour.has_episodes else ()),
                as_of=at,
                now=at,
                record_access=False,
            ),
            # The question itself is not an answer.
            excluded=frozenset({last.id}) if last is not None and last.text == asked else frozenset(),
        )
        recalled = belonging(recalled, question)
        if contact is not None:
            hits = [
                hit
                for hit in recalled.hits
                if not behaviour.names_other_contact(hit.text, contact=contact, question=question)
            ]
            recalled = replace(recalled, hits=tuple(hits))
        if behaviour.has_episodes:
            # A context waits for one reranker call at most, and episodes have their own order.
            of_episodes = RecallRequest(
                question=question,
                limit=MAX_EPISODES if contact is None else _EPISODE_CANDIDATES,
                filter=Filter(kinds=(Kind.EPISODE,)),
                profile=BEHAVIOURAL.name,
                as_of=at,
                now=at,
                record_access=False,
                rerank=False,
            )
            episodes = await self._retrieval.search(of_episodes)
            behaviour = behaviour.with_episodes([hit.record for hit in episodes.hits], contact=contact)
        return recalled, behaviour

    def _log_served(self, session: str | None, made: CachedContext) -> None:
        """Record which memories a block contained, and the tokens that it saved."""
        worker, scope, context = self._engine.worker, self._caller.scope, made.context
        if ids := dict.fromkeys([*context.memory_ids(), *made.shown]):
            worker.access_log.log_read(scope, list(ids))
            self._log_injection(InjectionMode.CONTEXT, session or "", made.shown, made.ranks)
        if session is not None:
            worker.access_log.log_served(scope, self._engine.context_builder.describe_served(scope, session, context))

    async def _records(self, session: str | None) -> bool:
        """Return False for a session that was started with `record=False`."""
        if session is None:
            return True
        existing = await self._unit.read(lambda tx: tx.sessions.find(session))
        return existing is None or existing.record

    async def _history(self, exchanges: Sequence[str], slots: Slots, *, keep: bool) -> History:
        """Return the tool exchanges for a context; if they are too long, the older ones are shortened.

        Args:
            keep: whether to save exchanges that are too long as a message.
        """
        count, room = self._engine.rules.tokens.count, slots.tool_history
        if overflow.fits(exchanges, room, count):
            return overflow.whole_history(exchanges)
        saved = await self._kept(exchanges) if keep else None
        return overflow.shorten_history(exchanges, room, count, id=saved and saved.id, shorten=self._in_short)

    async def _task(self, request: ContextRequest, slots: Slots, *, keep: bool) -> str:
        """Return the line of the task, shortened if necessary; `""` if it does not fit.

        Args:
            keep: whether to save a task that is too long as a message.
        """
        count = self._engine.rules.tokens.count
        room = slots.working_memory - count(run_state(request.working)) - 1
        whole = task_line(request.task)
        if not request.task or count(whole) <= room:
            return whole
        saved = await self._kept([request.task]) if keep else None
        short = task_line(overflow.short_task(request.task, saved and saved.id, self._in_short), in_short=True)
        return short if count(short) <= room else ""

    def _in_short(self, texts: Sequence[str]) -> str:
        return in_short(texts, now=self._engine.rules.clock.now(), zone=self._engine.zone)

    async def _kept(self, exchanges: Sequence[str]) -> Record:
        """Save exchanges verbatim as a message, and return it."""
        whole = "\n\n".join(exchanges)
        key = f"history {self._engine.rules.sign(whole)}"
        # With full clearance, so that the same exchanges are found again for any caller.
        return await self._record(
            NewMessage(text=whole, role="tool", session=HISTORY_SESSION, author="remembrancer", key=key),
            by=replace(self._caller, clearance=FULL),
        )

    async def _record(self, message: NewMessage, *, by: Caller) -> Record:
        (saved,) = await Messages(self._engine, by).record_many([message])
        return saved.record

    async def _block(
        self, request: RecallRequest, room: int, *, excluded_session: str | None = None, seconds: float | None = None
    ) -> tuple[RecallResult, RenderedBlock]:
        """Return the recalled memories of a question, and their block within a token limit.

        Args:
            excluded_session: a session whose messages are left out.
            seconds: the time limit; `None` for none.
        """
        result = await self._retrieval.search(
            request,
            excluded_session=excluded_session,
            patience=None if seconds is None else _EMBEDDER_SHARE * seconds,
            rerank_until=None if seconds is None else _RERANKER_SHARE * seconds,
        )
        recalled = belonging(await self._retrieval.with_notes(result), request.question)
        needs = await self._unit.read(lambda tx: companion_turns(tx, [hit.record for hit in recalled.hits]))
        # In a thread, as the first count loads the tokenizer.
        return recalled, await run_sync(
            lambda: self._engine.context_builder.render_block(recalled, needs, max_tokens=room), abandon_on_cancel=True
        )

    async def _injected(
        self, mode: InjectionMode, request: ContextRequest, recalled: RecallResult, context: Context
    ) -> Context:
        """Record the injection of recalled memories, and return the context."""
        return await self._inject(mode, request, context, [hit.record for hit in recalled.hits], recalled)

    async def _inject(
        self,
        mode: InjectionMode,
        request: ContextRequest,
        context: Context,
        records: Sequence[Record],
        recalled: RecallResult | None = None,
    ) -> Context:
        """Record an injection, and return the context; without its text if the mode is switched off."""
        shown, included = self._engine.injection.allows(mode), set(context.ids())
        if request.record_access and await self._records(request.session):
            ids = [one.id for one in records if one.id in included]
            self._log_injection(mode, request.session or "", ids, _ranks(recalled, ids))
            if shown and ids:
                self._engine.worker.access_log.log_read(self._caller.scope, list(context.ids()))
        return context if shown else context.without_text()

    def _log_injection(self, mode: InjectionMode, session: str, ids: Sequence[str], ranks: Mapping[str, Ranks]) -> None:
        injection = Injection(
            id=self._engine.rules.ids.new(),
            session=session,
            mode=mode,
            shown=self._engine.injection.allows(mode),
            at=self._engine.rules.clock.now(),
            records=tuple(ids),
            ranks=ranks,
        )
        self._engine.worker.access_log.log_injection(self._caller.scope, injection)


def _unknown_contact(contact: str | None, behaviour: Behaviour) -> tuple[str, ...]:
    """Return a note if nothing is known about the contact."""
    if contact is None or behaviour.contacts or behaviour.knows(contact):
        return ()
    return (f"nothing is known about the contact {quoted(contact)}",)


def _ranks(recalled: RecallResult | None, ids: Collection[str]) -> dict[str, Ranks]:
    """Return the ranks of recalled memories by id."""
    return {hit.record.id: hit.ranks for hit in recalled.hits if hit.record.id in ids} if recalled else {}


def belonging(recalled: RecallResult, question: str) -> RecallResult:
    """Return recalled memories without those far below the best that share little with the question.

    Replaced memories are dropped too, unless the question is about the past or they contain more than the replaced
    value.
    """
    past = asks_of_past(question)
    hits = [hit for hit in recalled.hits if hit.relative >= BELONGS or _covers(hit)]
    return replace(
        recalled, hits=tuple(hit for hit in hits if hit.replaced is None or past or states_more(hit.record.text))
    )


def _covers(hit: Hit) -> bool:
    return hit.factors.get("coverage", 0.0) >= COVERS


def at_start(limit: int = brief.DEFAULT_MEMORIES) -> RecallRequest:
    """Return the request for the highest ranked observations without a question."""
    return RecallRequest(question="", profile=SESSION.name, limit=limit, filter=Filter(kinds=(Kind.OBSERVATION,)))
