"""A dialogue held again, turn by turn, through the real product: what an agent reads, and whether it holds."""

import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from bench.invariant import Watch
from bench.places import SECRET, Place
from remembrancer import ContextRequest
from remembrancer.context.report import Context
from remembrancer.ingest.importers.turns import Turn
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.memory import Memory
from remembrancer.open import open_memory
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Message, Role, Source

SESSION = "replayed"


@dataclass(kw_only=True)
class Outcome:
    """What came of a dialogue that was held again."""

    name: str
    turns: int = 0
    activations: int = 0
    reflections: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list[str])

    def note(self, faults: Sequence[str]) -> None:
        """What was found wrong at this turn; the first few are kept."""
        self.faults += [f"turn {self.turns}: {fault}" for fault in faults][: max(0, 5 - len(self.faults))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One turn: what was recorded since the last one, and what the agent reads now."""

    messages: tuple[Message, ...]
    context: Context


def settings_of(place: Place, **settings: object) -> dict[str, object]:
    """The settings of a memory in a place."""
    secret = {"secret_key": SECRET} if place.admin else {}
    return {"db": place.db, "background": False, **secret, **settings}


async def caught_up(memory: Memory) -> None:
    """What the background does between two turns: observe what waits, give way, reflect."""
    distilling = memory._engine.conversations  # pyright: ignore[reportPrivateUsage] -- the sweep would come by at its own time
    await distilling.observe_waiting(memory.scope)
    await distilling.reflect(memory.scope)


async def held(
    memory: Memory, turns: Sequence[Turn], *, ahead: bool = True, recall: bool = True
) -> AsyncGenerator[Heard]:
    """Record the turns in their order; after each that a user says, a context is made.

    Args:
        ahead: whether what waits is observed as the background would, between two turns.
    """
    waiting: list[Message] = []
    for turn in turns:
        role = Role(turn.role)
        message = NewMessage(
            text=turn.text,
            role=role,
            session=SESSION,
            speaker=turn.speaker,
            occurred_at=turn.occurred_at,
            source=Source.IMPORT,
        )
        waiting.append((await memory.messages.record_many([message]))[0].record)
        if ahead:
            await caught_up(memory)
        if role is not Role.USER:
            continue
        context = await memory.context(ContextRequest(session=SESSION, recall=recall, record_access=False))
        yield Heard(messages=tuple(waiting), context=context)
        waiting = []


async def replayed(
    name: str,
    turns: Sequence[Turn],
    place: Place,
    *,
    recall: bool = False,
    within: int = 20,
    **settings: object,
) -> Outcome:
    """Hold a dialogue again, and look at every turn; every so many turns at what lies behind it too.

    Args:
        within: after how many turns the notes themselves are looked at.
    """
    outcome, watch = Outcome(name=name), Watch(SESSION)
    counter = tokenizer_named("auto", model="")
    started = time.perf_counter()
    chosen = {"embedder": "none", **settings_of(place, **settings)}
    async with open_memory(**chosen) as memory:  # pyright: ignore[reportArgumentType] -- settings by name
        async for turn in held(memory, turns, recall=recall):
            outcome.turns += 1
            for message in turn.messages:
                watch.heard(message)
            outcome.note(await watch.look(memory, turn.context))
            if outcome.turns % within == 0:
                outcome.note(await watch.look_within(memory, turn.context, counter))
    outcome.activations, outcome.reflections = len(watch.activations), watch.reflections
    outcome.seconds = round(time.perf_counter() - started, 1)
    return outcome
