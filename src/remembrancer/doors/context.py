"""The door to remembering aloud: the block that an agent reads, and the other ways in which memories come before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from remembrancer.context import overflow
from remembrancer.context.formats import Format
from remembrancer.context.lines import indented
from remembrancer.context.report import Context
from remembrancer.context.slots import Slots, memory_for
from remembrancer.doors.door import Door
from remembrancer.doors.messages import Messages
from remembrancer.doors.recalling import Question, Recalling
from remembrancer.errors import InvalidInput
from remembrancer.governance import sessions
from remembrancer.governance.echo import sealed
from remembrancer.model.arguments import checked, within
from remembrancer.model.call import CallPurpose
from remembrancer.model.caller import FULL, Caller
from remembrancer.model.choice import member
from remembrancer.model.injection import Injected, Injection, Way
from remembrancer.model.lifecycle import Status
from remembrancer.model.new import NewMessage
from remembrancer.model.record import Kind, Record, Role
from remembrancer.ports.tx import Tx
from remembrancer.retrieval import recall as recalling
from remembrancer.retrieval.profiles import BEHAVIOURAL, SESSION
from remembrancer.retrieval.query import MAX_LIMIT, MAX_QUESTION_CHARACTERS, Recalled
from remembrancer.workers.behaving import MOST_EPISODES, Behaviour, known_behaviour
from remembrancer.workers.remembering import Wanted
from remembrancer.workers.replying import Reply, reply_prompt, system_prompt

# More than are told: some stand in the block already.
RECALLED_FOR_CONTEXT = 12
# Episodes have a slot of their own.
RECALLED_KINDS = tuple(kind.value for kind in Kind if kind is not Kind.EPISODE)
LOOKED_BACK = 20
# Where exchanges with tools are kept word for word that were too long to be told.
HISTORY_SESSION = "tool history"
NO_MODEL = "there is no model to answer; set REMEMBRANCER_MODEL to one, such as openai:gpt-5-nano"


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
        caps = self._caps(occasion)
        if name is not None:
            await engine.distilling.settle(scope, name, window=size - caps.fixed)
        asked = occasion.question or occasion.task or (await self._last_said(name) if name is not None else "")
        recalled, behaviour = await self._brought(occasion, asked)
        parts, unfit = await self._history(occasion.history, caps)
        context = await engine.remembering.context(
            self._caller,
            Wanted(
                session=name or "",
                window=size,
                slots=caps,
                history=parts,
                working=occasion.working,
                unfit=unfit,
                notes=() if name is None else await engine.models.degraded(scope),
                behaviour=behaviour,
                format=member(Format, occasion.format, "format"),
            ),
            recalled,
        )
        if occasion.touch:
            self._note_served(name, context, recalled, behaviour)
        return context

    async def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record what was said, have the configured model answer it, and record that too; see `Memory.reply`."""
        if not self.has_model:
            raise InvalidInput(NO_MODEL)
        engine, scope = self._engine, self._caller.scope
        slots = engine.slots(scope)
        system = system_prompt(instructions, slots=slots, count=engine.rules.tokens.count)
        said = await self._record(NewMessage(text=text, session=session, speaker=speaker, key=key))
        context = await self.assemble(Occasion(session=session, question=text))
        answered = await engine.models.answer(
            scope, said.session, reply_prompt(context, system), max_tokens=slots.response
        )
        await self._record(NewMessage(text=answered.value, role="assistant", session=session, author=answered.model))
        return Reply(text=answered.value, model=answered.model, context=context)

    def block(self, recalled: Recalled) -> str:
        """The texts of some hits as a sealed block for a prompt: recorded with the prompt, it is not learnt again."""
        lines = [f"- {indented(hit.record.text)}" for hit in recalled.hits]
        rules = self._engine.rules
        return sealed("\n".join(lines), nonce=rules.ids.new(), sign=rules.sign)

    async def brief(self, session: str | None = None) -> Injected:
        """What is worth knowing at the start of a session: the latest summaries, and what ranks highest.

        The setting `inject_brief` switches it off; what it would have told is written down all the same.
        """
        query = self._recalling.query(at_start())

        async def work(tx: Tx) -> list[Record]:
            found = (*await sessions.summaries(tx), *await recalling.foremost(tx, query))
            return list({record.id: record for record in found}.values())

        return self._inject(Way.BRIEF, session, await self._desk.read(work))

    async def inject(self, prompt: str, session: str | None = None, *, max_tokens: int = 600) -> Injected:
        """What a prompt recalls, if anything surely does and is found in time; else nothing.

        The setting `inject_prompt` switches it off, `inject_prompt_seconds` says how long it may take.
        """
        started = monotonic()
        recalled = await self._recalling.recall(Question(text=prompt, limit=5, max_tokens=max_tokens, touch=False))
        late = monotonic() - started > self._engine.injecting.prompt_seconds
        return self._inject(Way.PROMPT, session, [] if late else [hit.record for hit in recalled.hits], recalled)

    async def remind(
        self, question: str, session: str | None = None, *, limit: int = 5, max_tokens: int = 600
    ) -> Injected:
        """What a question recalls, for an agent that asks by itself. The setting `inject_recall` switches it off."""
        recalled = await self._recalling.recall(Question(text=question, limit=limit, max_tokens=max_tokens))
        return self._inject(Way.RECALL, session, [hit.record for hit in recalled.hits], recalled)

    async def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """What was put before an agent in a session, or would have been, the latest first.

        Args:
            limit: how many memories, 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        await self._engine.sweep.flush()
        name = sessions.session_name(session, self._engine.rules)
        return await self._desk.read(lambda tx: tx.injections.list(name, limit=limit))

    @property
    def _recalling(self) -> Recalling:
        return Recalling(self._engine, self._caller)

    def _caps(self, occasion: Occasion) -> Slots:
        """What the window is divided into, on this occasion.

        Raises:
            InvalidInput: the state of the run is longer than its slot.
        """
        by_work = {} if occasion.work_type is None else {"recalled": memory_for(occasion.work_type)}
        caps = self._engine.slots(self._caller.scope).having({**by_work, **(occasion.slots or {})})
        if (taken := self._engine.rules.tokens.count(occasion.working)) > caps.working_memory:
            raise InvalidInput(
                f"working takes {taken} tokens and its slot has {caps.working_memory};"
                " keep the run in a WorkingMemory, which shortens itself"
            )
        return caps

    async def _brought(self, occasion: Occasion, asked: str) -> tuple[Recalled | None, Behaviour]:
        """What a question recalls, and what holds whatever is asked."""
        now = self._engine.rules.clock.now()
        behaviour = await self._desk.read(lambda tx: known_behaviour(tx, occasion.contact, now=now))
        if not occasion.recall or not asked:
            return None, behaviour
        text = asked[:MAX_QUESTION_CHARACTERS]
        recalled = await self._recalling.recall(
            Question(
                text=text,
                limit=RECALLED_FOR_CONTEXT,
                kinds=RECALLED_KINDS if behaviour.has_episodes else (),
                touch=False,
            )
        )
        if behaviour.has_episodes and occasion.contact is None:
            of_episodes = Question(
                text=text, limit=MOST_EPISODES, kinds=[Kind.EPISODE], profile=BEHAVIOURAL.name, touch=False
            )
            found = await self._recalling.recall(of_episodes)
            behaviour = behaviour.recalling([hit.record for hit in found.hits])
        return recalled, behaviour

    def _note_served(
        self, session: str | None, context: Context, recalled: Recalled | None, behaviour: Behaviour
    ) -> None:
        """Write down what a block held, and what it spared."""
        sweep, scope = self._engine.sweep, self._caller.scope
        told = [*context.recalled(recalled), *behaviour.told(context.ids())]
        if ids := dict.fromkeys([*context.noted(), *(record.id for record in told)]):
            sweep.note_read(scope, list(ids))
            self._note_injected(Way.CONTEXT, session or "", told, recalled)
        if session is not None:
            sweep.note_served(scope, self._engine.remembering.served(scope, session, context))

    async def _last_said(self, session: str) -> str:
        """The last message of a user in a session, or `""`."""

        async def work(tx: Tx) -> str:
            found = await tx.sessions.find(session)
            last = found.messages if found else 0
            said = await tx.messages.by_number(session, max(1, last - LOOKED_BACK), last) if last else []
            by_users = [one for one in said if one.role is Role.USER]
            texts = [one.text for one in by_users if one.status is Status.ACTIVE and not one.echo]
            return texts[-1] if texts else ""

        return await self._desk.read(work)

    async def _history(self, history: Sequence[str], slots: Slots) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Exchanges as they are told: all, or the last ones with the others in short and kept as a message.

        Where there is no room for that either, the id of the message.
        """
        count = self._engine.rules.tokens.count
        if sum(map(count, history)) <= slots.tool_history:
            return tuple(history), ()
        kept, older = overflow.parted(history)
        whole = "\n\n".join(history)
        key = f"history {self._engine.rules.sign(whole)}"
        # Kept by the engine, which finds it again, whatever the caller may see of it.
        saved = await self._record(
            NewMessage(text=whole, role="tool", session=HISTORY_SESSION, author="remembrancer", key=key),
            by=replace(self._caller, clearance=FULL),
        )
        told = overflow.told(kept, older, saved.id, slots.tool_history, count)
        return told, () if told else (saved.id,)

    async def _record(self, message: NewMessage, *, by: Caller | None = None) -> Record:
        (saved,) = await Messages(self._engine, by or self._caller).record_many([message])
        return saved.record

    def _inject(
        self, way: Way, session: str | None, records: Sequence[Record], recalled: Recalled | None = None
    ) -> Injected:
        """Write down what is put before an agent; the text of it, where the way is on."""
        name = "" if session is None else sessions.session_name(session, self._engine.rules)
        ids = self._note_injected(way, name, records, recalled)
        shown = self._engine.injecting.allows(way) and records
        return Injected(text=self._engine.remembering.told(records) if shown else "", records=ids)

    def _note_injected(
        self, way: Way, session: str, records: Sequence[Record], recalled: Recalled | None
    ) -> tuple[str, ...]:
        ranks = {hit.record.id: hit.ranks for hit in recalled.hits} if recalled else {}
        injection = Injection(
            id=self._engine.rules.ids.new(),
            session=session,
            way=way,
            shown=self._engine.injecting.allows(way),
            at=self._engine.rules.clock.now(),
            records=tuple(record.id for record in records),
            ranks={record.id: ranks[record.id] for record in records if record.id in ranks},
        )
        self._engine.sweep.note_injected(self._caller.scope, injection)
        return injection.records


def at_start() -> Question:
    """What is asked at the start of a session: the observations that stand highest, whatever is said."""
    return Question(text="", profile=SESSION.name, limit=sessions.MEMORIES_AT_START, kinds=(Kind.OBSERVATION,))
