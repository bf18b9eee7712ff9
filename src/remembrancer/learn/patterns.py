"""What the detector has counted, as observations that grow from night to night and are never replaced."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations

from remembrancer.errors import Conflict, InvalidInput, NotAllowed
from remembrancer.ingest.admit import admit_one
from remembrancer.learn import rules as procedures
from remembrancer.learn.agreement import Relation, agreement
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.ownership import all_of, own, resting_on
from remembrancer.transactions.write import Writing
from remembrancer.types.details import PatternDetails
from remembrancer.types.jobs import MaintenanceRun
from remembrancer.types.lifecycle import Status
from remembrancer.types.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, Pattern
from remembrancer.types.record import Episode, Observation, Record, Signal, Source
from remembrancer.types.results import Change
from remembrancer.types.scope import least_trust, most_restrictive

PATTERN = "pattern"
# Of the episodes of a new pattern, so many may be those that a rejected observation rested on.
MOST_SHARED = 0.5
_REJECTED = (Status.REJECTED, Status.DISMISSED)
# What a person has put away in any manner is not observed anew.
PUT_AWAY = (*_REJECTED, Status.PAUSED, Status.RETIRED, Status.DELETED)


async def take(
    writing: Writing,
    patterns: Sequence[Pattern],
    *,
    engine: str,
    day: date,
    model: str = "",
    limit: int = PATTERNS_PER_RUN,
) -> list[Observation]:
    """Patterns as observations: those that stand grow, new ones are added, and what a person has rejected stays out.

    Args:
        engine: what counted them, with its version.
        day: the local day up to which they were counted; counting it again changes nothing.
        limit: how many new ones at most.
    """
    tx = writing.tx
    known = {one.learned.key: one for one in await tx.observations.learned((Status.ACTIVE,)) if one.learned}
    rejected = await tx.observations.learned(PUT_AWAY)
    merged = {one.learned.key: one for one in await tx.observations.learned((Status.MERGED,)) if one.learned}
    taken: list[Observation] = []
    new = 0
    for pattern in patterns:
        if standing := known.get(pattern.key):
            taken.append(await _grown(writing, standing, pattern, day=day))
        elif (gone := merged.get(pattern.key)) and await _told_by_another(tx, gone):
            continue
        elif new < limit and not any(same_as_rejected(pattern, one) for one in rejected):
            made = await _new(writing, pattern, engine=engine, day=day, model=model)
            taken += [made] if made else []
            new += made is not None
    return taken


def same_as_rejected(pattern: Pattern, rejected: Observation) -> bool:
    """Whether a pattern says in whatever words what a person has rejected: by key, by words, or by what it rests on."""
    if rejected.learned is not None and rejected.learned.key == pattern.key:
        return True
    if agreement(pattern.quote, rejected.text) is Relation.SAME:
        return True
    shared = len(set(pattern.episodes) & set(rejected.evidence))
    return shared > MOST_SHARED * len(pattern.episodes)


async def _told_by_another(tx: Tx, merged: Observation) -> bool:
    """Whether the observation that one was merged into still stands, or a person has put it aside."""
    return any(
        isinstance(one, Observation)
        and one.id != merged.id
        and one.status in (Status.ACTIVE, *_REJECTED)
        and set(one.evidence) >= set(merged.evidence)
        for one in await resting_on(tx, merged.evidence[0])
    )


async def consolidate(writing: Writing, *, before: MaintenanceRun | None = None) -> int:
    """Merge what says the same within a category: the richer evidence wins, and grows by the other; how many went.

    Args:
        before: a night that was run to its end: two that both stood before it began, as they stand now, are not
            compared again.
    """
    found = await writing.tx.observations.learned((Status.ACTIVE,))
    standing = {one.id: one for one in found}
    fresh = {one.id for one in found if before is None or one.updated_at >= before.started_at}
    for one, other in combinations(standing.copy(), 2):
        if (
            not fresh.isdisjoint((one, other))
            and {one, other} <= standing.keys()
            and _alike(standing[one], standing[other])
        ):
            winner, loser = _richer(standing[one], standing[other])
            standing[winner.id] = await merge(writing, winner.id, loser.id)
            del standing[loser.id]
    return len(found) - len(standing)


async def stands_without(tx: Tx, observation: Observation, erased: Record) -> bool:
    """Whether an observation still stands without a source: on three others, and with no word that only it had."""
    sources = await all_of(tx, observation.evidence)
    if observation.learned is None or len(sources) < LEAST_EPISODES:
        return False
    said = _words(observation.text, observation.learned.rule, observation.learned.key)
    return not said & (_words_of(erased) - frozenset[str]().union(*map(_words_of, sources)))


def _words_of(record: Record) -> frozenset[str]:
    """All words by which a deed may be told."""
    if not isinstance(record, Episode | Signal):
        return _words(record.text)
    told = record.details
    named = [part for entity in told.entities for part in (entity.type, entity.name)]
    return _words(record.text, *named, *(f"{name} {value}" for name, value in told.attributes.items()))


def _words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(texts).casefold()))


async def lost(writing: Writing, observation: Observation) -> Observation:
    """An observation of which a source was erased, with what is left to it."""
    learned, left = observation.learned, len(observation.evidence)
    if learned is None:
        return observation
    told = f"in {left} episodes that are still here"
    fewer = replace(learned, evidence=told, occurrences=left, held=min(learned.held, left))
    return await writing.change(observation, Change(details=fewer))


async def merge(writing: Writing, into: str, other: str) -> Observation:
    """One observation with the evidence of another, which is merged: kept, and out of recall.

    Raises:
        NotFound: one of them is not here.
        InvalidInput: they are one, or one is no observation.
        Conflict: one of them is not active.
    """
    winner, loser = await own(writing.tx, into), await own(writing.tx, other)
    if not isinstance(winner, Observation) or not isinstance(loser, Observation) or into == other:
        raise InvalidInput("two different observations can be merged, and nothing else")
    for one in (winner, loser):
        if one.status is not Status.ACTIVE:
            raise Conflict(f"memory {one.id!r} is {one.status}; only what is active is merged")
    behind = writing.as_engine()
    evidence = tuple(sorted(set(loser.evidence) - set(winner.evidence)))
    learned = winner.learned
    if learned is not None:
        learned = replace(
            learned,
            occurrences=len({*winner.evidence, *evidence}),
            boosts=max(learned.boosts, loser.learned.boosts if loser.learned else 0),
        )
    result = await _with_evidence(behind, winner, Change(details=learned, evidence=evidence), [loser])
    await behind.move(loser, Status.MERGED)
    await _rules_over(behind, winner, loser)
    return result


async def _with_evidence(
    writing: Writing, observation: Observation, change: Change, sources: Sequence[Record]
) -> Observation:
    """An observation with more to rest on: it and its rules are trusted as little, and kept as close, as that is."""
    trust = least_trust([observation.trust, *(source.trust for source in sources)])
    classification = most_restrictive([observation.classification, *(source.classification for source in sources)])
    result = await writing.change(observation, replace(change, trust=trust, classification=classification))
    if (trust, classification) != (observation.trust, observation.classification):
        for procedure in await procedures.of(writing.tx, observation.id):
            inherited = Change(
                trust=least_trust([procedure.trust, trust]),
                classification=most_restrictive([procedure.classification, classification]),
            )
            await writing.change(procedure, inherited)
    return result


async def _rules_over(writing: Writing, winner: Observation, loser: Observation) -> None:
    """The rules of one observation become those of another; where that has one in force, they are retired."""
    in_force = any(one.status is Status.ACTIVE for one in await procedures.of(writing.tx, winner.id))
    for procedure in await procedures.of(writing.tx, loser.id):
        await writing.change(procedure, Change(evidence=(winner.id,)))
        if in_force and procedure.status in (Status.ACTIVE, Status.PAUSED):
            await procedures.moved(writing, procedure, Status.RETIRED)


async def _new(writing: Writing, pattern: Pattern, *, engine: str, day: date, model: str) -> Observation | None:
    learned = PatternDetails(
        key=pattern.key,
        category=pattern.category,
        evidence=pattern.evidence,
        occurrences=pattern.occurrences,
        held=pattern.occurrences,
        against=len(pattern.against),
        cases=pattern.cases,
        rule=pattern.rule,
        counted_on=day,
    )
    draft = Draft(
        text=pattern.quote,
        type=PATTERN if PATTERN in writing.rules.types else next(iter(writing.rules.types)),
        author="remembrancer",
        source=Source.DETECTOR,
        evidence=pattern.episodes,
        derived=Derived(engine=engine, model=model, priority=3),
        details=learned,
    )
    try:
        return (await admit_one(writing, draft, Observation)).record
    except NotAllowed:
        # It equals what a person has rejected.
        return None


async def _grown(writing: Writing, standing: Observation, pattern: Pattern, *, day: date) -> Observation:
    """An observation with what was counted since; the numbers of its evidence are told anew, its words stay."""
    before = standing.learned
    if before is None or before.counted_on >= day:
        return standing
    fresh = tuple(sorted(set(pattern.episodes) - set(standing.evidence)))
    learned = replace(
        before,
        evidence=pattern.evidence,
        occurrences=len(standing.evidence) + len(fresh),
        held=pattern.occurrences,
        against=len(pattern.against),
        cases=pattern.cases,
        ended=pattern.ended,
        # What was counted says tonight whether a rule still follows of it; a model's words were counted once.
        rule=pattern.rule or (before.rule if standing.model else ""),
        counted_on=day,
    )
    if replace(learned, counted_on=before.counted_on) == before:
        return standing
    sources = await all_of(writing.tx, fresh)
    return await _with_evidence(writing, standing, Change(details=learned, evidence=fresh), sources)


def _alike(one: Observation, other: Observation) -> bool:
    """Whether both were counted, are of one category, and say the same."""
    if one.learned is None or other.learned is None:
        return False
    return one.learned.category is other.learned.category and agreement(one.text, other.text) is Relation.SAME


def _richer(one: Observation, other: Observation) -> tuple[Observation, Observation]:
    """The one with more evidence, the older of two with as much; and the other one."""
    if (len(other.evidence), other.recorded_at, other.id) > (len(one.evidence), one.recorded_at, one.id):
        return (other, one) if len(other.evidence) > len(one.evidence) else (one, other)
    return one, other
