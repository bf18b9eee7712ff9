"""What a good memory has no answer to: questions of real words that mean nothing, and small talk.

`small_talk.txt` holds 200 messages in five languages, written by somebody who had not seen what tells small talk apart.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from bench.asking import filled
from bench.sets import Dialogue
from remembrancer import RecallRequest
from remembrancer.llm.embedder import Embedder
from remembrancer.search.query import RecallResult

NOUNS = """
abbey anvil asphalt axle barnacle basalt beacon bellows bishop bobbin bronze caldera canyon carburettor cavalry
chisel cobalt comet compost copper coral crater crystal cyclone dynamo eclipse elbow enamel falcon ferry fjord
flint foundry fresco galaxy gasket geyser glacier granite gravel gyroscope hammock harpoon helium herring hinge
icicle iguana isotope ivory jetty kelp kiln lacquer lantern lava lever limestone lobster locomotive lozenge
magnet mammoth marmalade meridian meteor microbe monsoon mortar moth nebula nickel obelisk obsidian orbit osprey
oxygen paddock parapet parchment pendulum periscope phosphorus pigment piston plankton plinth porcelain prism
propeller pulley pyramid quarry quartz radar rafter reservoir rivet rudder sapphire scaffold sediment semaphore
sextant shrapnel silo sphinx spindle sulphur syrup tapestry tectonics thistle thorax tractor trellis tungsten
turbine turret umpire vault viaduct volcano vulture walrus warehouse whirlpool windmill zenith zinc
"""
VERBS = """
abdicate abolish adjourn annex besiege calibrate colonise corrode crystallise decode demolish dilute dredge
evaporate excavate ferment galvanise germinate hibernate ignite incubate inflate irrigate legislate magnetise
migrate mutate navigate oxidise patrol pivot pollinate quarantine ratify refract rotate sterilise submerge
tranquillise vaporise veto weld
"""
SHAPES = (
    "How does the {noun} {verb} a {noun} near the {noun}?",
    "When did the {noun} {verb} the {noun}?",
    "Why would a {noun} {verb} {noun} and {noun}?",
    "Which {noun} did the {noun} {verb}?",
    "Where do {noun} and {noun} {verb}?",
    "What {noun} can {verb} the {noun} of the {noun}?",
)


def question(chance: random.Random) -> str:
    """One question, grammatical and about nothing that was ever said."""
    words = chance.choice(SHAPES)
    while "{noun}" in words:
        words = words.replace("{noun}", chance.choice(NOUNS.split()), 1)
    while "{verb}" in words:
        words = words.replace("{verb}", chance.choice(VERBS.split()), 1)
    return words


async def nonsense_questions(
    dialogues: Sequence[Dialogue], embedder: Embedder | None, *, count: int
) -> list[RecallResult]:
    """What so many nonsense questions recall, spread over the dialogues."""
    chance = random.Random(11)
    return await _recalled(dialogues, embedder, [question(chance) for _ in range(count)])


async def small_talk(dialogues: Sequence[Dialogue], embedder: Embedder | None) -> list[RecallResult]:
    """What small talk recalls, spread over the dialogues."""
    lines = Path(__file__).with_name("small_talk.txt").read_text(encoding="utf-8").splitlines()
    return await _recalled(dialogues, embedder, [line.partition("\t")[2] for line in lines])


async def _recalled(
    dialogues: Sequence[Dialogue], embedder: Embedder | None, texts: Sequence[str]
) -> list[RecallResult]:
    found: list[RecallResult] = []
    for number, dialogue in enumerate(dialogues):
        async with filled(dialogue, embedder) as memory:
            found += [
                await memory.recall(RecallRequest(question=text, record_access=False))
                for text in texts[number :: len(dialogues)]
            ]
    return found
