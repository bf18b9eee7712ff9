"""Noise: things done in which nothing depends on anything, and the plain days between the habits."""

from collections.abc import Mapping
from random import Random

from bench.behaviour.templates import APPROVED as WELL
from bench.behaviour.templates import COMPLETED, CORRECTED, EXCEPTION, MODIFIED, OUTCOMES, REJECTED, Act, Value
from bench.behaviour.wordings import (
    APPROVED,
    DONE,
    NOISE_DETAILS,
    NOISE_OBJECTS,
    NOISE_REASONS,
    NOISE_VERBS,
    ORDINALS,
)
from bench.behaviour.world import CHANGES, ERRORS, PARTS, POOLS, World
from remembrancer.types.episode import MAX_SUMMARY_CHARACTERS

KEPT = 0.8
_EVENTS: Mapping[str, float] = {
    COMPLETED: 34,
    WELL: 20,
    MODIFIED: 9,
    REJECTED: 8,
    EXCEPTION: 7,
    CORRECTED: 6,
    "draft_modified": 5,
    "approval_rejected/": 3,
    "routed_differently": 3,
    "exception_surfaced": 2,
    "correction": 3,
}


def worded(line: str, words: Mapping[str, object], rng: Random) -> str:
    """A wording with its blanks filled in."""
    return line.format_map({"ordinal": rng.choice(ORDINALS), **words})[:MAX_SUMMARY_CHARACTERS].strip()


def ordinary_text(agent: str, event: str, words: Mapping[str, object], rng: Random) -> str:
    """How something usual is told."""
    return worded(rng.choice((APPROVED if event.startswith("approval") else DONE)[agent]), words, rng)


def noise(world: World, agent: str, rng: Random) -> tuple[Act, str, dict[str, Value], str]:
    """Something of no meaning: act, contact, attributes and text, each drawn by itself."""
    event = rng.choices(tuple(_EVENTS), tuple(_EVENTS.values()))[0]
    act = Act(event=event.rstrip("/"), signal=event.endswith("/") or event not in OUTCOMES)
    contact, topic = rng.choice(world.contacts), world.topic(agent, rng)
    logged = world.attributes(agent, topic, rng)
    attributes = {name: value for name, value in logged.items() if rng.random() < KEPT} | _extras(act.event, world, rng)
    line = f"{rng.choice(NOISE_VERBS)} {rng.choice(NOISE_OBJECTS)} {rng.choice(NOISE_DETAILS)}"
    return act, contact, attributes, worded(line, {"contact": contact, "topic": topic}, rng)


def _extras(event: str, world: World, rng: Random) -> dict[str, Value]:
    extras: dict[str, Value] = {}
    if event in ("draft_modified", MODIFIED):
        extras = {"part": rng.choice(PARTS), "change": rng.choice(CHANGES)}
    elif event == REJECTED:
        extras = {"reason": rng.choice(NOISE_REASONS)}
    elif event == "routed_differently":
        places = (*world.colleagues, *(str(folder) for folder in POOLS["folder"]), "inbox")
        extras = dict(zip(("from", "to"), rng.sample(places, 2), strict=True))
    elif event in ("correction", CORRECTED):
        extras = {"did": rng.choice(NOISE_OBJECTS), "changed_to": rng.choice(NOISE_OBJECTS)}
    elif event in (EXCEPTION, "exception_surfaced"):
        extras = {"error": rng.choice(ERRORS)}
    return {name: value for name, value in extras.items() if rng.random() < KEPT}
