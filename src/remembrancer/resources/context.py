"""The door to remembering aloud: the block that an agent reads, and the other ways in which memories come before it."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import anyio
from anyio.to_thread import run_sync

from remembrancer.context import brief as beginning
from remembrancer.context import overflow
from remembrancer.context.assemble import MOST_EPISODES
from remembrancer.context.behaviour import Behaviour, known_behaviour, past_behaviour
from remembrancer.context.builder import Told, Wanted
from remembrancer.context.cache import Made
from remembrancer.context.formats import Format
from remembrancer.context.lines import state, task_line
from remembrancer.context.overflow import History
from remembrancer.context.reply import Reply
from remembrancer.context.report import Context
from remembrancer.context.slots import Slots, memory_for
from remembrancer.errors import InvalidInput, quoted
from remembrancer.language.intent import asks_of_past
from remembrancer.language.statements import states_more
from remembrancer.learn import sessions
from remembrancer.learn.observe.in_short import in_short
from remembrancer.resources.exchange import Exchange
from remembrancer.resources.messages import Messages
from remembrancer.resources.recall import Question, Recalling
from remembrancer.resources.resource import Door
from remembrancer.search.companions import needed
from remembrancer.search.profiles import BEHAVIOURAL, SESSION
from remembrancer.search.query import MAX_LIMIT, MAX_QUESTION_CHARACTERS, Hit, Recalled
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.draft import utc
from remembrancer.types.arguments import checked, within
from remembrancer.types.call import CallPurpose
from remembrancer.types.caller import FULL, Caller
from remembrancer.types.choice import member
from remembrancer.types.injection import Injected, Injection, Ranks, Way
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Kind, Message, Record

# More than are told: some stand in the block already, and some say the same.
RECALLED_FOR_CONTEXT = 60
# What is less likely to hold the answer, beside the likeliest, is not told, unless it has so much of what was asked:
# docs/context.md says what that costs.
BELONGS = 0.4
COVERS = 0.5
# Episodes have a slot of their own.
RECALLED_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.EPISODE)
# Of the time that a prompt may be looked into; the rest is for looking.
_FOR_THE_VECTOR = 0.7
# Among which those with one contact are looked for.
_EPISODES_LOOKED_AT = 50
# By then a reranker is waited for no more: what is told must be in time.
_FOR_ALL_RANKING = 0.85
# Where exchanges with tools are kept word for word that were too long to be told.
HISTORY_SESSION = "tool history"
_NOTHING_RECALLED = Recalled(hits=(), abstained=False, confidence=0.0)
_NOTHING_TOLD = Told(text="", tokens=0, ids=(), left_out=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a context is for; see `Memory.context` for its parts."""

    session: str | None = None
    question: str = ""
    task: str = ""
    history: Sequence[str] = ()
    working: str = ""
    window: int | None = None
    work_type: str | None = None
    contact: str | None = None
    slots: Mapping[str, int] | None = None
    format: str = "markdown"
    recall: bool = True
    touch: bool = True
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What stands before anything is asked.

    Args:
        last: what a user of the session said last.
        known: whether there is such a session.
        records: whether anything may be stored of what is done in the session.
    """

    last: Message | None
    known: bool
    records: bool
    behaviour: Behaviour


@checked
class Contexts(Door):
    """What is put before an agent. Reached as `memory.contexts`."""

    @property
    def has_model(self) -> bool:
        """Whether a language model is there to answer with."""
        return self._engine.models.available(CallPurpose.ANSWER)

    async def assemble(self, occasion: Occasion) -> Context:
        """The block for an occasion; see `Memory.context`.

        Raises:
            InvalidInput: the window cannot hold what must be told; the message names the least that can.
        """
        engine, scope = self._engine, self._caller.scope
        name = None if occasion.session is None else sessions.session_name(occasion.session, engine.rules)
        size = engine.window if occasion.window is None else occasion.window
        within(size, 1_000, 100_000_000, what="window")
        caps = self._caps(occasion, size)
        at = None if occasion.as_of is None else utc(occasion.as_of, what="as_of")
        if name is not None and at is None:
            await engine.distilling.settle(scope, name, window=size, fixed=caps.fixed(size), beside=caps.recalled)
        # What the past looked like is asked seldom, and looking back is no use that counts.
        keeps = at is None and engine.caching.keeps_contexts
        key = await self._key(occasion, name, size, caps) if keeps else None
        made = None
        if key is not None:
            made = await engine.caching.context(key)
            engine.rules.meter.cached(hit=made is not None)
        if made is None:
            made, usual = await self._made(occasion, name, size, caps, at)
            if key is not None and usual:
                await engine.caching.keep_context(key, made)
        if occasion.touch and at is None and made.leaves:
            self._note_served(name, made)
        return made.context

    async def _key(self, occasion: Occasion, name: str | None, size: int, caps: Slots) -> str:
        """Under what a context is kept: the occasion, the state of all that the caller sees, and the day that it is."""
        engine, state = self._engine, await self._desk.read(lambda tx: tx.changes.mark())
        today = engine.rules.clock.now().astimezone(engine.zone).date()
        return engine.caching.key(self._caller, "context", state, today, occasion, name, size, caps)

    async def _made(
        self, occasion: Occasion, name: str | None, size: int, caps: Slots, at: datetime | None
    ) -> tuple[Made, bool]:
        """The block for an occasion, and whether all was as usual when it was made."""
        engine = self._engine
        before = await self._desk.read(lambda tx: self._before(tx, name, occasion.contact, at))
        asked = occasion.question or occasion.task or (before.last.text if before.last else "")
        recalled, behaviour = await self._known(occasion, before, asked, at=at, facts_room=caps.facts)
        touch = occasion.touch and at is None and before.records
        history = await self._history(occasion.history, caps, keep=touch)
        task = await self._task(occasion, caps, keep=touch)
        notes = (*await self._notes(name, before, at), *_unknown_contact(occasion.contact, before.behaviour))
        context = await engine.remembering.context(
            self._caller,
            Wanted(
                session=name or "",
                window=size,
                slots=caps,
                history=history,
                task=task,
                untold=("task",) if occasion.task and not task else (),
                working=occasion.working,
                notes=notes,
                behaviour=behaviour,
                as_of=at,
                format=member(Format, occasion.format, "format"),
            ),
            recalled,
        )
        told = [record.id for record in (*context.recalled(recalled), *behaviour.told(context.ids()))]
        made = Made(
            context=context,
            told=tuple(told),
            ranks=_ranks(recalled, told),
            leaves=before.records,
            at=engine.rules.clock.now(),
        )
        return made, not notes and not (recalled and recalled.notes)

    async def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record what was said, have the configured model answer it, and record that too; see `Memory.reply`."""
        return await self._exchange(session, text, speaker=speaker, instructions=instructions, key=key).whole()

    def reply_stream(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> AsyncGenerator[str | Reply, None]:
        """See `Memory.reply_stream`."""
        return self._exchange(session, text, speaker=speaker, instructions=instructions, key=key).pieces()

    def _exchange(self, session: str, text: str, *, speaker: str, instructions: str, key: str | None) -> Exchange:
        """A turn of a conversation.

        Raises:
            InvalidInput: there is no model to answer, or something is not allowed; nothing is recorded.
        """
        message = NewMessage(text=text, session=session, speaker=speaker, key=key)

        async def read(_: str) -> Context:
            return await self.assemble(Occasion(session=session, question=text))

        return Exchange(self._engine, self._caller, message, read, instructions=instructions)

    def block(self, recalled: Recalled, *, max_tokens: int | None = None) -> Injected:
        """Some hits as a sealed block for a prompt, in the order of time; recorded with it, it is not learnt again.

        Args:
            max_tokens: the most that the block may have; whole hits are left out, and named.

        Raises:
            InvalidInput: `max_tokens` is below 1.
        """
        room = None if max_tokens is None else room_of(max_tokens)
        return _injected(self._engine.remembering.told(recalled, {}, max_tokens=room), notes=recalled.notes)

    async def brief(self, session: str | None = None, *, max_tokens: int | None = None, touch: bool = True) -> Injected:
        """What is worth knowing at the start of a session: one left open, the latest summaries, and what ranks highest.

        The setting `inject_brief` switches it off; what it would have told is written down all the same.

        Args:
            max_tokens: the most that the block may have; the setting `start_tokens`, if not given.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: `max_tokens` is below 1.
        """
        room = room_of(self._engine.start_tokens if max_tokens is None else max_tokens)
        query = self._recalling.query(at_start(beginning.MEMORIES_IN_BRIEF))
        rules = self._engine.rules
        name = None if session is None else sessions.session_name(session, rules)
        zone = self._engine.zone
        found = await self._desk.read(lambda tx: beginning.foremost(tx, query, rules, session=name, zone=zone))
        listing = self._engine.remembering.told_at_start(found, max_tokens=room)
        # Of one memory a brief may tell several things.
        records = found.records
        shown = dict.fromkeys(records[place].id for place in listing.told)
        dropped = dict.fromkeys(records[place].id for place in listing.left_out)
        told = Injected(
            text=listing.text,
            tokens=listing.tokens,
            records=tuple(shown),
            dropped=tuple(id for id in dropped if id not in shown),
        )
        return await self._inject(Way.BRIEF, session, records, told, touch=touch)

    async def inject(
        self, prompt: str, session: str | None = None, *, max_tokens: int = 600, touch: bool = True
    ) -> Injected:
        """What a prompt recalls, if anything surely does and is found in time; else nothing.

        The setting `inject_prompt` switches it off, `inject_prompt_seconds` says how long it may take: where the
        embedder is slower, the words alone decide, and a note says so.

        Args:
            max_tokens: the most that the block may have.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: `max_tokens` is below 1.
        """
        room, seconds = room_of(max_tokens), self._engine.injecting.prompt_seconds
        question = Question(
            text=prompt[:MAX_QUESTION_CHARACTERS],
            limit=5,
            touch=False,
            patience=_FOR_THE_VECTOR * seconds,
            rerank_until=_FOR_ALL_RANKING * seconds,
        )
        recalled, told = _NOTHING_RECALLED, _NOTHING_TOLD
        with anyio.move_on_after(seconds) as looking:
            recalled, told = await self._told(question, room)
        if looking.cancelled_caught:
            late = f"nothing was found within {seconds:g} seconds"
            recalled, told = replace(recalled, hits=(), notes=(*recalled.notes, late)), _NOTHING_TOLD
        return await self._brought(Way.PROMPT, session, recalled, told, touch=touch)

    async def remind(
        self,
        question: str,
        session: str | None = None,
        *,
        limit: int = 5,
        max_tokens: int = 600,
        touch: bool = True,
    ) -> Injected:
        """What a question recalls, for an agent that asks by itself. The setting `inject_recall` switches it off.

        Args:
            limit: how many memories at most, 1 to 1,000.
            max_tokens: the most that the block may have.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: `limit` or `max_tokens` is out of range.
        """
        room = room_of(max_tokens)
        recalled, told = await self._told(Question(text=question, limit=limit, touch=False), room)
        return await self._brought(Way.RECALL, session, recalled, told, touch=touch)

    async def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """What was put before an agent in a session, or would have been, the latest first.

        Args:
            limit: how many memories, 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        await self._engine.sweep.access_log.flush()
        name = sessions.session_name(session, self._engine.rules)
        return await self._desk.read(lambda tx: tx.injections.list(name, limit=limit))

    @property
    def _recalling(self) -> Recalling:
        return Recalling(self._engine, self._caller)

    def _caps(self, occasion: Occasion, window: int) -> Slots:
        """What the window is divided into, on this occasion.

        Raises:
            InvalidInput: the state of the run is longer than its slot.
        """
        by_work = {} if occasion.work_type is None else {"recalled": memory_for(occasion.work_type)}
        standing = self._engine.slots(self._caller.scope).within(window)
        caps = standing.having({**by_work, **(occasion.slots or {})})
        if (taken := self._engine.rules.tokens.count(state(occasion.working))) > caps.working_memory:
            raise InvalidInput(
                f"working takes {taken} tokens and its slot has {caps.working_memory};"
                " keep the run in a WorkingMemory, which shortens itself"
            )
        return caps

    async def _notes(self, session: str | None, before: _Before, at: datetime | None) -> tuple[str, ...]:
        """What is not as usual with a conversation."""
        if session is None:
            return ()
        unknown = () if before.known else (f"nothing was recorded in session {quoted(session)} here yet",)
        return (*unknown, *(await self._engine.models.degraded(self._caller.scope) if at is None else ()))

    async def _before(self, tx: Tx, session: str | None, contact: str | None, at: datetime | None) -> _Before:
        """What holds whatever is asked, and what was said last; now or as of a time."""
        now, sign = self._engine.rules.clock.now(), self._engine.rules.sign
        found = None if session is None else await tx.sessions.find(session)
        return _Before(
            last=None if found is None else await sessions.last_said(tx, found, at),
            known=found is not None,
            records=found is None or found.record,
            behaviour=await known_behaviour(tx, contact, now=now, sign=sign)
            if at is None
            else await past_behaviour(tx, contact, at=at),
        )

    async def _known(
        self, occasion: Occasion, before: _Before, asked: str, *, at: datetime | None, facts_room: int
    ) -> tuple[Recalled | None, Behaviour]:
        """What a question recalls, and what of the behaviour is told; now or as of a time."""
        behaviour = before.behaviour.within(
            facts_room, contact=occasion.contact, asked=asked, count=self._engine.rules.tokens.count
        )
        if not occasion.recall or not asked:
            return None, behaviour
        text, last = asked[:MAX_QUESTION_CHARACTERS], before.last
        recalled = await self._recalling.search(
            Question(
                text=text,
                limit=RECALLED_FOR_CONTEXT,
                kinds=RECALLED_KINDS if behaviour.has_episodes else (),
                as_of=at,
                now=at,
                # What is asked is no answer to itself.
                apart=frozenset({last.id}) if last is not None and last.text == asked else frozenset(),
                touch=False,
            )
        )
        recalled = belonging(recalled, text)
        if (contact := occasion.contact) is not None:
            hits = [
                hit
                for hit in recalled.hits
                if not behaviour.tells_of_another(hit.record.text, contact=contact, asked=text)
            ]
            recalled = replace(recalled, hits=tuple(hits))
        if behaviour.has_episodes:
            # A block waits for one reranker at most; episodes have an order of their own.
            of_episodes = Question(
                text=text,
                limit=MOST_EPISODES if occasion.contact is None else _EPISODES_LOOKED_AT,
                kinds=[Kind.EPISODE],
                profile=BEHAVIOURAL.name,
                as_of=at,
                now=at,
                touch=False,
                rerank=False,
            )
            found = await self._recalling.search(of_episodes)
            behaviour = behaviour.recalling([hit.record for hit in found.hits], contact=occasion.contact)
        return recalled, behaviour

    def _note_served(self, session: str | None, made: Made) -> None:
        """Write down what a block held, and what it spared."""
        sweep, scope, context = self._engine.sweep, self._caller.scope, made.context
        if ids := dict.fromkeys([*context.noted(), *made.told]):
            sweep.access_log.log_read(scope, list(ids))
            self._note_injected(Way.CONTEXT, session or "", made.told, made.ranks)
        if session is not None:
            sweep.access_log.log_served(scope, self._engine.remembering.served(scope, session, context))

    async def _records(self, session: str | None) -> bool:
        """Whether anything may be stored of what is done in a session; not where it was started with `record=False`."""
        if session is None:
            return True
        found = await self._desk.read(lambda tx: tx.sessions.find(session))
        return found is None or found.record

    async def _history(self, exchanges: Sequence[str], slots: Slots, *, keep: bool) -> History:
        """Exchanges as they are told: all, or the last ones with the others in short.

        Args:
            keep: whether those that are too long are kept as a message to ask for.
        """
        count, room = self._engine.rules.tokens.count, slots.tool_history
        if overflow.fits(exchanges, room, count):
            return overflow.whole(exchanges)
        saved = await self._kept(exchanges) if keep else None
        return overflow.shortened(exchanges, room, count, id=saved and saved.id, short=self._in_short)

    async def _task(self, occasion: Occasion, slots: Slots, *, keep: bool) -> str:
        """What is to be done as it is told beside the state of the run: whole, or in short; `""` for no room.

        Args:
            keep: whether a task that is too long is kept as a message to ask for.
        """
        count = self._engine.rules.tokens.count
        room = slots.working_memory - count(state(occasion.working)) - 1
        whole = task_line(occasion.task)
        if not occasion.task or count(whole) <= room:
            return whole
        saved = await self._kept([occasion.task]) if keep else None
        short = task_line(overflow.task_in_short(occasion.task, saved and saved.id, self._in_short), in_short=True)
        return short if count(short) <= room else ""

    def _in_short(self, texts: Sequence[str]) -> str:
        return in_short(texts, now=self._engine.rules.clock.now(), zone=self._engine.zone)

    async def _kept(self, exchanges: Sequence[str]) -> Record:
        """Exchanges as a message, which has them word for word."""
        whole = "\n\n".join(exchanges)
        key = f"history {self._engine.rules.sign(whole)}"
        # Kept by the engine, which finds it again, whatever the caller may see of it.
        return await self._record(
            NewMessage(text=whole, role="tool", session=HISTORY_SESSION, author="remembrancer", key=key),
            by=replace(self._caller, clearance=FULL),
        )

    async def _record(self, message: NewMessage, *, by: Caller | None = None) -> Record:
        (saved,) = await Messages(self._engine, by or self._caller).record_many([message])
        return saved.record

    async def _told(self, question: Question, room: int) -> tuple[Recalled, Told]:
        """What a question recalls, and how that is told within so many tokens."""
        recalled = belonging(await self._recalling.noted(await self._recalling.search(question)), question.text)
        needs = await self._desk.read(lambda tx: needed(tx, [hit.record for hit in recalled.hits]))
        # In a thread: what counts tokens is loaded with the first text.
        return recalled, await run_sync(
            lambda: self._engine.remembering.told(recalled, needs, max_tokens=room), abandon_on_cancel=True
        )

    async def _brought(self, way: Way, session: str | None, recalled: Recalled, told: Told, *, touch: bool) -> Injected:
        """Put what was recalled before an agent."""
        records = [hit.record for hit in recalled.hits]
        found = _injected(told, notes=recalled.notes)
        return await self._inject(way, session, records, found, recalled, touch=touch)

    async def _inject(
        self,
        way: Way,
        session: str | None,
        records: Sequence[Record],
        found: Injected,
        recalled: Recalled | None = None,
        *,
        touch: bool,
    ) -> Injected:
        """Write down what is put before an agent, and that it was read; the text of it, where the way is on."""
        name = None if session is None else sessions.session_name(session, self._engine.rules)
        shown = self._engine.injecting.allows(way)
        if touch and await self._records(name):
            told = [one.id for one in records if one.id in found.records]
            self._note_injected(way, name or "", told, _ranks(recalled, told))
            if shown and told:
                self._engine.sweep.access_log.log_read(self._caller.scope, list(found.records))
        if not shown:
            found = replace(found, text="", tokens=0)
        return found

    def _note_injected(self, way: Way, session: str, ids: Sequence[str], ranks: Mapping[str, Ranks]) -> None:
        injection = Injection(
            id=self._engine.rules.ids.new(),
            session=session,
            way=way,
            shown=self._engine.injecting.allows(way),
            at=self._engine.rules.clock.now(),
            records=tuple(ids),
            ranks=ranks,
        )
        self._engine.sweep.access_log.log_injection(self._caller.scope, injection)


def _unknown_contact(contact: str | None, behaviour: Behaviour) -> tuple[str, ...]:
    """What to say where nothing is known of whom an occasion concerns."""
    if contact is None or behaviour.contacts or behaviour.knows(contact):
        return ()
    return (f"nothing is known of a contact {quoted(contact)}",)


def _ranks(recalled: Recalled | None, ids: Collection[str]) -> dict[str, Ranks]:
    """How some memories ranked that were recalled, by id."""
    return {hit.record.id: hit.ranks for hit in recalled.hits if hit.record.id in ids} if recalled else {}


def belonging(recalled: Recalled, question: str) -> Recalled:
    """What was recalled, without what is far less likely to hold the answer than the best and shares little with it.

    What was replaced is left out too, unless the question asks for the past or more is lost with it.
    """
    past = asks_of_past(question)
    hits = [hit for hit in recalled.hits if hit.relative >= BELONGS or _covers(hit)]
    return replace(
        recalled, hits=tuple(hit for hit in hits if hit.replaced is None or past or states_more(hit.record.text))
    )


def _covers(hit: Hit) -> bool:
    return hit.factors.get("coverage", 0.0) >= COVERS


def room_of(max_tokens: int) -> int:
    """How many tokens a block may have.

    Raises:
        InvalidInput: none at all.
    """
    within(max_tokens, 1, what="max_tokens")
    return max_tokens


def _injected(told: Told, *, notes: tuple[str, ...] = ()) -> Injected:
    return Injected(text=told.text, tokens=told.tokens, records=told.ids, dropped=told.left_out, notes=notes)


def at_start(limit: int = beginning.MEMORIES_AT_START) -> Question:
    """What is asked at the start of a session: the observations that stand highest, whatever is said."""
    return Question(text="", profile=SESSION.name, limit=limit, kinds=(Kind.OBSERVATION,))
