"""A conversation within windows of any size: each message told once, raw or noted, and nothing dropped needlessly."""

import os
import random
from typing import Any

import pytest

from bench.invariant import Watch
from bench.replaying import caught_up
from remembrancer import ContextRequest
from remembrancer.context import builder as remembering
from remembrancer.context import conversations as distilling
from remembrancer.context.slots import Slot
from remembrancer.types.new import NewMessage

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
SEEDS = range(60 if SOAK else 2)
TURNS = 60 if SOAK else 15
LONGEST = 50_000 if SOAK else 6_000
SENTENCES = (
    "The shed roof leaks again, and Otto wants it mended before 3 May 2026.",
    "Die Hütte braucht ein neues Dach, weil es im Oktober hineinregnet, sagt Frau Müßig.",
    "El señor Ibáñez enviará la factura número doce a la oficina de Málaga.",
    "L'été dernier, les élèves préféraient écrire à l'encre bleue.",
    "Bertelli dice che il caffè è più buono di lunedì, e ne ordiniamo tre chili.",
    "屋根は十月までに直さなければならない。",
)
WORDS = ("ok", "ja", "sí", "oui", "va bene", "はい")
# What a window may leave out before anything of a conversation.
NAMED = {Slot.RECALLED, Slot.EPISODES, Slot.HISTORY, Slot.WORKING}


def text_of(chance: random.Random) -> str:
    """A message of one word, of a few sentences, or of many pages, in one of the languages."""
    sentence = chance.choice(SENTENCES)
    kind = chance.random()
    if kind < 0.3:
        return chance.choice(WORDS)
    if kind < 0.93:
        return " ".join(f"{number} {sentence}" for number in range(chance.randint(1, 12)))
    # About twenty tokens a sentence.
    return " ".join(f"{number} {sentence}" for number in range(chance.randint(100, LONGEST // 20)))


@requirement("observing.told-once", "observing.within-budget", "blocks.needless")
@pytest.mark.parametrize("seed", SEEDS)
async def test_within_any_window_each_message_is_told_once_and_nothing_else_is_dropped(
    opener: Opener, seed: int
) -> None:
    chance = random.Random(seed)
    window = chance.choice([8_000, 11_000, 16_000, 32_000, 64_000, 200_000])
    settings: dict[str, Any] = {"context_window": window, "share_token_budget": chance.random() < 0.3}
    memory = await opener(**settings)
    watch = Watch("talk")
    for _ in range(TURNS):
        role = chance.choice(("user", "user", "assistant", "tool"))
        saved = await memory.record(text_of(chance), session="talk", role=role)
        watch.heard(saved.record)
        if chance.random() < 0.3:
            await caught_up(memory)
        context = await memory.context(ContextRequest(session="talk", record_access=False))
        assert await watch.look(memory, context) == []
        dropped = {Slot(name) for name in context.report.dropped}
        assert dropped <= NAMED, f"a window of {window}: {context.report}"


@requirement("observing.told-once", "observing.within-budget", "blocks.needless")
@pytest.mark.parametrize("window", [6_000, pytest.param(16_000, marks=pytest.mark.slow)])
async def test_many_short_messages_are_counted_as_the_block_writes_them(opener: Opener, window: int) -> None:
    memory = await opener(context_window=window)
    watch = Watch("talk")
    saved = await memory.messages.record_many(
        [NewMessage(text=f"{WORDS[place % len(WORDS)]} {place}", session="talk", speaker="Ana") for place in range(250)]
    )
    for one in saved:
        watch.heard(one.record)
    context = await memory.context(ContextRequest(session="talk", record_access=False))
    assert await watch.look(memory, context) == []
    assert {Slot(name) for name in context.report.dropped} <= NAMED, str(context.report)


@requirement("observing.far-behind", "observing.within-budget")
async def test_far_behind_the_newest_are_told_raw_and_the_rest_is_named_until_it_is_observed(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distilling, "_FAR_BEHIND_TOKENS", 1_000)
    monkeypatch.setattr(distilling, "_CATCHING_UP_SECONDS", 0.0)
    monkeypatch.setattr(remembering, "_MIN_MESSAGE_TOKENS", 40)
    memory = await opener(context_window=6_000)
    said = [
        one.record
        for one in await memory.messages.record_many(
            [NewMessage(text=f"Otto mends roof number {place}.", session="talk") for place in range(200)]
        )
    ]
    context = await memory.context(
        ContextRequest(session="talk", question="Which roof is number 7?", record_access=False)
    )
    raw = [id for item in context.block.items if item.slot is Slot.MESSAGES for id in item.ids]
    assert raw == [one.id for one in said[-len(raw) :]]
    assert len(raw) > 20
    assert any(item.slot is Slot.RECALLED for item in context.block.items)
    assert context.report.tokens <= context.report.budget
    unread, *named = context.report.dropped["messages"]
    assert unread == "talk: messages 1–50"
    assert named == [one.id for one in said[50 : -len(raw)]]
    assert any("until they are observed" in note for note in context.report.notes)

    await caught_up(memory)
    monkeypatch.undo()
    context = await memory.context(ContextRequest(session="talk", record_access=False))
    assert "messages" not in context.report.dropped
    assert context.report.covered + sum(item.slot is Slot.MESSAGES for item in context.block.items) == len(said)
