"""What the detector has counted, as observations that grow from night to night and are never replaced."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations

from remembrancer.errors import Conflict, InvalidInput, NotAllowed
from remembrancer.ingest.admission import admit_one
from remembrancer.learn import rules as procedures
from remembrancer.learn.agreement import TextRelation, agreement
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.ownership import dependents_of, find_records, get_own
from remembrancer.transactions.write_transaction import WriteTransaction
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
# Statuses by which a person has rejected an observation; it is not observed again.
PUT_AWAY = (*_REJECTED, Status.PAUSED, Status.RETIRED, Status.DELETED)


async def take(
    writer: WriteTransaction,
    patterns: Sequence[Pattern],
    *,
    engine: str,
    day: date,
    model: str = "",
    limit: int = PATTERNS_PER_RUN,
) -> list[Observation]:
    """Store patterns as observations: grow those that exist and add new ones, except rejected ones.

    Args:
        engine: the detector, with its version.
        day: the last local day that was counted; counting it again changes nothing.
        limit: the largest number of new ones.
    """
    tx = writer.tx
    known = {one.learned.key: one for one in await tx.observations.patterns((Status.ACTIVE,)) if one.learned}
    rejected = await tx.observations.patterns(PUT_AWAY)
    merged = {one.learned.key: one for one in await tx.observations.patterns((Status.MERGED,)) if one.learned}
    stored: list[Observation] = []
    new = 0
    for pattern in patterns:
        if existing := known.get(pattern.key):
            stored.append(await _grown(writer, existing, pattern, day=day))
        elif (earlier := merged.get(pattern.key)) and await _covered_by_another(tx, earlier):
            continue
        elif new < limit and not any(same_as_rejected(pattern, one) for one in rejected):
            made = await _new(writer, pattern, engine=engine, day=day, model=model)
            stored += [made] if made else []
            new += made is not None
    return stored


def same_as_rejected(pattern: Pattern, rejected: Observation) -> bool:
    """Return True if a pattern equals a rejected observation by key, words or evidence."""
    if rejected.learned is not None and rejected.learned.key == pattern.key:
        return True
    if agreement(pattern.quote, rejected.text) is TextRelation.SAME:
        return True
    shared = len(set(pattern.episodes) & set(rejected.evidence))
    return shared > MOST_SHARED * len(pattern.episodes)


async def _covered_by_another(tx: Tx, merged: Observation) -> bool:
    """Return True if the observation that one was merged into is active, or a person has rejected it."""
    return any(
        isinstance(one, Observation)
        and one.id != merged.id
        and one.status in (Status.ACTIVE, *_REJECTED)
        and set(one.evidence) >= set(merged.evidence)
        for one in await dependents_of(tx, merged.evidence[0])
    )


async def consolidate(writer: WriteTransaction, *, before: MaintenanceRun | None = None) -> int:
    """Merge observations of a category with the same meaning, and return how many were merged.

    The one with more evidence remains, and gets the evidence of the other.

    Args:
        before: an earlier run that was completed: two observations that are unchanged since it began are not compared
            again.
    """
    found = await writer.tx.observations.patterns((Status.ACTIVE,))
    existing = {one.id: one for one in found}
    fresh = {one.id for one in found if before is None or one.updated_at >= before.started_at}
    for one, other in combinations(existing.copy(), 2):
        if (
            not fresh.isdisjoint((one, other))
            and {one, other} <= existing.keys()
            and _alike(existing[one], existing[other])
        ):
            winner, loser = _richer(existing[one], existing[other])
            existing[winner.id] = await merge(writer, winner.id, loser.id)
            del existing[loser.id]
    return len(found) - len(existing)


async def is_valid_without(tx: Tx, observation: Observation, erased: Record) -> bool:
    """Return True if an observation is valid without a source.

    It needs three others, and no word that only that source had.
    """
    sources = await find_records(tx, observation.evidence)
    if observation.learned is None or len(sources) < LEAST_EPISODES:
        return False
    words = _words(observation.text, observation.learned.rule, observation.learned.key)
    return not words & (_words_of(erased) - frozenset[str]().union(*map(_words_of, sources)))


def _words_of(record: Record) -> frozenset[str]:
    """Return all words that a text about an episode may use."""
    if not isinstance(record, Episode | Signal):
        return _words(record.text)
    details = record.details
    named = [part for entity in details.entities for part in (entity.type, entity.name)]
    return _words(record.text, *named, *(f"{name} {value}" for name, value in details.attributes.items()))


def _words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(texts).casefold()))


async def lost(writer: WriteTransaction, observation: Observation) -> Observation:
    """Update an observation of which a source was erased, by the evidence that is left."""
    learned, left = observation.learned, len(observation.evidence)
    if learned is None:
        return observation
    evidence = f"in {left} episodes that are still here"
    fewer = replace(learned, evidence=evidence, occurrences=left, supporting=min(learned.supporting, left))
    return await writer.change(observation, Change(details=fewer))


async def merge(writer: WriteTransaction, into: str, other: str) -> Observation:
    """One observation with the evidence of another, which is merged: kept, and out of recall.

    Raises:
        NotFound: one of them is not here.
        InvalidInput: they are one, or one is no observation.
        Conflict: one of them is not active.
    """
    winner, loser = await get_own(writer.tx, into), await get_own(writer.tx, other)
    if not isinstance(winner, Observation) or not isinstance(loser, Observation) or into == other:
        raise InvalidInput("two different observations can be merged, and nothing else")
    for one in (winner, loser):
        if one.status is not Status.ACTIVE:
            raise Conflict(f"memory {one.id!r} is {one.status}; only what is active is merged")
    behind = writer.as_engine()
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
    writer: WriteTransaction, observation: Observation, change: Change, sources: Sequence[Record]
) -> Observation:
    """Add evidence to an observation: it and its rules get the lowest trust and highest class of all."""
    trust = least_trust([observation.trust, *(source.trust for source in sources)])
    classification = most_restrictive([observation.classification, *(source.classification for source in sources)])
    result = await writer.change(observation, replace(change, trust=trust, classification=classification))
    if (trust, classification) != (observation.trust, observation.classification):
        for procedure in await procedures.of(writer.tx, observation.id):
            inherited = Change(
                trust=least_trust([procedure.trust, trust]),
                classification=most_restrictive([procedure.classification, classification]),
            )
            await writer.change(procedure, inherited)
    return result


async def _rules_over(writer: WriteTransaction, winner: Observation, loser: Observation) -> None:
    """Move the rules of one observation to another; retire them if that has an active one."""
    in_force = any(one.status is Status.ACTIVE for one in await procedures.of(writer.tx, winner.id))
    for procedure in await procedures.of(writer.tx, loser.id):
        await writer.change(procedure, Change(evidence=(winner.id,)))
        if in_force and procedure.status in (Status.ACTIVE, Status.PAUSED):
            await procedures.moved(writer, procedure, Status.RETIRED)


async def _new(writer: WriteTransaction, pattern: Pattern, *, engine: str, day: date, model: str) -> Observation | None:
    learned = PatternDetails(
        key=pattern.key,
        category=pattern.category,
        evidence=pattern.evidence,
        occurrences=pattern.occurrences,
        supporting=pattern.occurrences,
        against=len(pattern.against),
        cases=pattern.cases,
        rule=pattern.rule,
        counted_on=day,
    )
    draft = Draft(
        text=pattern.quote,
        type=PATTERN if PATTERN in writer.rules.types else next(iter(writer.rules.types)),
        author="remembrancer",
        source=Source.DETECTOR,
        evidence=pattern.episodes,
        derived=Derived(engine=engine, model=model, priority=3),
        details=learned,
    )
    try:
        return (await admit_one(writer, draft, Observation)).record
    except NotAllowed:
        # It equals what a person has rejected.
        return None


async def _grown(writer: WriteTransaction, existing: Observation, pattern: Pattern, *, day: date) -> Observation:
    """Update the counts of an observation, and the numbers in its evidence; its words are unchanged."""
    before = existing.learned
    if before is None or before.counted_on >= day:
        return existing
    fresh = tuple(sorted(set(pattern.episodes) - set(existing.evidence)))
    learned = replace(
        before,
        evidence=pattern.evidence,
        occurrences=len(existing.evidence) + len(fresh),
        supporting=pattern.occurrences,
        against=len(pattern.against),
        cases=pattern.cases,
        ended=pattern.ended,
        # The new counts decide if a rule follows; a pattern that a model proposed was counted only once.
        rule=pattern.rule or (before.rule if existing.model else ""),
        counted_on=day,
    )
    if replace(learned, counted_on=before.counted_on) == before:
        return existing
    sources = await find_records(writer.tx, fresh)
    return await _with_evidence(writer, existing, Change(details=learned, evidence=fresh), sources)


def _alike(one: Observation, other: Observation) -> bool:
    """Return True if two counted observations of one category have the same meaning."""
    if one.learned is None or other.learned is None:
        return False
    return one.learned.category is other.learned.category and agreement(one.text, other.text) is TextRelation.SAME


def _richer(one: Observation, other: Observation) -> tuple[Observation, Observation]:
    """Return the observation with more evidence, the older if equal, and the other one."""
    if (len(other.evidence), other.recorded_at, other.id) > (len(one.evidence), one.recorded_at, one.id):
        return (other, one) if len(other.evidence) > len(one.evidence) else (one, other)
    return one, other
