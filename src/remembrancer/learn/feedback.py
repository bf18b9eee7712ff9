"""Feedback of people on an observation, and its effects on rules and derived records.

The effects of a "wrong" are the evidence of its counter-signal, so that all of them can be undone.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.ingest.admission import admit
from remembrancer.learn import rules as procedures
from remembrancer.learn.compact import records as compacting
from remembrancer.learn.deletion import back_to
from remembrancer.learn.rules import DISMISSABLE, Room
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.ownership import dependents_of, find_records, get_own
from remembrancer.transactions.rejections import (
    CLAIMS,
    REJECTED_STATUSES,
    claim_fingerprints,
    erased_name,
    rejections_of,
    repeats_claim,
    similar_lengths,
)
from remembrancer.transactions.write_transaction import UPDATED, WriteTransaction
from remembrancer.types.details import SignalDetails
from remembrancer.types.episode import MAX_SUMMARY_CHARACTERS, SignalType, folded_name
from remembrancer.types.feedback import PersonVerdict, RevokedRejections, Verdict, WithdrawnVerdicts
from remembrancer.types.lifecycle import LIVE, Status, check_transition
from remembrancer.types.record import (
    Episode,
    Fact,
    Kind,
    Observation,
    Record,
    Reflection,
    Rule,
    Signal,
    Source,
    kind_of,
)
from remembrancer.types.results import Change

# In which status each kind is left by a "wrong".
_STRUCK: dict[type[Record], Status] = {
    Observation: Status.RETIRED,
    Reflection: Status.RETIRED,
    Rule: Status.DEMOTED,
    Fact: Status.RETIRED,
    Episode: Status.CONTRADICTED,
    Signal: Status.CONTRADICTED,
}


async def right(writer: WriteTransaction, id: str, person: str, room: Room) -> Observation:
    """Confirm an observation: its confidence rises, and a rule may follow at once.

    Its procedures are confirmed too. Repeating it changes nothing for the same person.

    Raises:
        NotFound: no such memory in this scope.
        InvalidInput: it is not an observation.
        Conflict: it was rejected or dismissed; undo that first.
    """
    observation = await _observation(writer.tx, id)
    earlier = await _verdict_of(writer.tx, observation, person)
    if earlier is not None and earlier.verdict is Verdict.RIGHT:
        return observation
    if observation.status is Status.MERGED:
        raise Conflict(f"memory {id!r} is merged into another; use the id of that one")
    if observation.status is not Status.ACTIVE:
        raise Conflict(f"memory {id!r} is {observation.status}; undo that first")
    behind = writer.as_engine()
    await _say(behind, observation, person, Verdict.RIGHT, earlier)
    if observation.learned is not None:
        learned = replace(observation.learned, boosts=observation.learned.boosts + 1)
        observation = await _change(behind, observation, Change(details=learned))
    await procedures.confirm(behind, id)
    await procedures.promote(behind, observation, room)
    return observation


async def wrong(writer: WriteTransaction, id: str, person: str) -> Observation:
    """Reject an observation: from now on no recall and no context has it or its dependents.

    Its procedures are demoted. Episodes that support no other observation are contradicted, and the records that cover
    them are rebuilt. Conclusions from it, by any author, and records with the same words are retired. The same words
    are refused, regardless of case and spacing, until that is undone; a counter-signal stops the detector.

    Raises:
        NotFound: no such memory in this scope.
        InvalidInput: it is not an observation.
        Conflict: its status does not allow a rejection.
    """
    observation = await _observation(writer.tx, id)
    behind = writer.as_engine()
    tx = behind.tx
    earlier = await _verdict_of(tx, observation, person)
    if observation.status is Status.REJECTED:
        if earlier is None or earlier.verdict is not Verdict.WRONG:
            await _say(behind, observation, person, Verdict.WRONG, earlier)
            await _counter(behind, observation, [], earlier)
        if await _is_sayable(behind, observation):
            await _strike(behind, observation)
        return observation
    check_transition(observation.status, Status.REJECTED)
    await _say(behind, observation, person, Verdict.WRONG, earlier)
    rejected = await _change(behind, observation, Change(status=Status.REJECTED))
    await _counter(behind, observation, await _strike(behind, observation), earlier)
    return rejected


async def _is_sayable(writer: WriteTransaction, observation: Observation) -> bool:
    """Return True if an undone record allows the words of a rejected one."""
    current = {one.words for one in await writer.tx.rejections.of_record(observation.id)}
    return any(one.words not in current for one in rejections_of(observation, sign=writer.rules.sign))


async def _strike(writer: WriteTransaction, observation: Observation) -> list[Record]:
    """Retire what depends on a rejected observation or has the same words, and refuse these words from now on."""
    await writer.put(*rejections_of(observation, sign=writer.rules.sign))
    falling = await _falling(writer.tx, observation)
    struck = [await writer.move(record, _STRUCK[type(record)]) for record in falling]
    await compacting.recount(writer, [record for record in struck if isinstance(record, Episode)])
    return struck


async def dismiss(writer: WriteTransaction, id: str, person: str) -> Observation:
    """Dismiss an observation of the last 48 hours: it never becomes a rule.

    Raises:
        NotFound: no such memory in this scope.
        InvalidInput: it is not an observation.
        Conflict: it is older, or was confirmed.
    """
    observation = await _observation(writer.tx, id)
    if observation.status is Status.DISMISSED:
        if await _is_sayable(writer, observation):
            await writer.put(*rejections_of(observation, sign=writer.rules.sign))
        return observation
    if writer.now - observation.recorded_at >= DISMISSABLE:
        raise Conflict(f"memory {id!r} is older than 48 hours; reject it if it is wrong")
    if Verdict.RIGHT in {one.verdict for one in await writer.tx.verdicts.of_record(id)}:
        raise Conflict(f"memory {id!r} was confirmed; reject it if it is wrong")
    check_transition(observation.status, Status.DISMISSED)
    earlier = await _verdict_of(writer.tx, observation, person)
    await _say(writer, observation, person, Verdict.DISMISSED, earlier)
    await writer.put(*rejections_of(observation, sign=writer.rules.sign))
    return await _change(writer, observation, Change(status=Status.DISMISSED))


async def undo(writer: WriteTransaction, id: str) -> Observation | None:
    """Restore an observation that was rejected or dismissed, with all that was retired with it.

    For one that was erased since, only its words are allowed again, and the result is `None`.

    Raises:
        NotFound: no such memory in this scope.
        Conflict: it is neither rejected nor dismissed, or its topic key is in use.
    """
    if await _was_erased(writer, id):
        return None
    observation = await _observation(writer.tx, id)
    if observation.status not in REJECTED_STATUSES:
        raise Conflict(f"memory {id!r} is {observation.status}, neither rejected nor dismissed")
    await _check_key_free(writer.tx, observation)
    behind = writer.as_engine()
    tx = behind.tx
    found = rejections_of(observation, sign=writer.rules.sign)
    await behind.put(RevokedRejections(words=tuple(one.words for one in found)))
    withdrawn = WithdrawnVerdicts(record=id, verdicts=(Verdict.WRONG, Verdict.DISMISSED))
    await behind.put(withdrawn, action="undone", kind=kind_of(observation).value, id=id)
    before = await tx.versions.status_before(id, apart_from=(*REJECTED_STATUSES, Status.DELETED))
    # An archived one is asked for again by this.
    before = Status.ACTIVE if before is Status.ARCHIVED else before
    restored = await _change(behind, observation, await back_to(tx, observation, before))
    counters = await _counters(tx, observation)
    struck = {source for signal in counters for source in signal.evidence}
    found = await find_records(tx, sorted(struck | set(observation.evidence)))
    active = restored.status is Status.ACTIVE
    back = [await _restored(behind, one, active=active) for one in found if one.status is _STRUCK.get(type(one))]
    await compacting.recount(behind, [record for record in back if isinstance(record, Episode)])
    for signal in counters:
        if earlier := _earlier_verdict(signal, id):
            await behind.put(earlier)
        await behind.move(signal, Status.DELETED)
    return restored


async def _was_erased(writer: WriteTransaction, id: str) -> bool:
    """Return True if an observation was rejected and then erased, and allow its words again."""
    rejected = await writer.tx.rejections.of_record(erased_name(id, sign=writer.rules.sign))
    if rejected:
        revoked = RevokedRejections(words=tuple(one.words for one in rejected), record=rejected[0].record)
        await writer.put(revoked, action="undone", kind=Kind.OBSERVATION.value)
    return bool(rejected)


async def _check_key_free(tx: Tx, observation: Observation) -> None:
    """Check that no other active observation has the key of one to restore."""
    other = observation.topic_key and await tx.observations.by_topic(observation.topic_key)
    if other and other.id != observation.id and other.status not in REJECTED_STATUSES:
        raise Conflict(f"memory {other.id!r} has the topic key {observation.topic_key!r} now; delete that one first")


async def _restored(writer: WriteTransaction, record: Record, *, active: bool) -> Record:
    """Restore a record that a "wrong" retired, unless another rejected observation keeps it so.

    Args:
        active: True if the observation that was undone is active again: then its dependents are too.
    """
    tx = writer.tx
    deed = isinstance(record, Episode | Signal)
    if not (deed and active):
        for source in await (dependents_of(tx, record.id) if deed else find_records(tx, record.evidence)):
            if isinstance(source, Observation) and source.status is Status.REJECTED:
                await _hand_over(writer, record, source)
                return record
    words = claim_fingerprints(record, sign=writer.rules.sign)
    for one in await tx.rejections.matching(words) if words else ():
        if isinstance(other := await tx.records.find(one.record), Observation):
            await _hand_over(writer, record, other)
        return record
    before = await tx.versions.status_before(record.id, apart_from=(record.status, Status.DELETED))
    if isinstance(record, Episode):
        before = await compacting.settled(tx, record, before)
    return await writer.change(record, await back_to(tx, record, before), action=before.value)


async def _hand_over(writer: WriteTransaction, record: Record, rejected: Observation) -> None:
    """Attach a retired record to another rejected observation than the one that was undone."""
    for signal in (await _counters(writer.tx, rejected))[:1]:
        await writer.change(signal, Change(evidence=(record.id,)))


def _earlier_verdict(signal: Signal, id: str) -> PersonVerdict | None:
    """Return the earlier verdict of the person behind a counter-signal, if it was "right"."""
    attributes = signal.details.attributes
    if "agreed" not in attributes:
        return None
    at = datetime.fromisoformat(str(attributes["agreed_at"]))
    return PersonVerdict(record=id, person=str(attributes["agreed"]), verdict=Verdict.RIGHT, at=at)


async def _observation(tx: Tx, id: str) -> Observation:
    record = await get_own(tx, id)
    if not isinstance(record, Observation) or record.status is Status.DELETED:
        raise InvalidInput(f"memory {id!r} is not an active observation; only those have feedback")
    return record


async def _verdict_of(tx: Tx, observation: Observation, person: str) -> PersonVerdict | None:
    """Return a person's verdict on an observation; names are compared in normal form."""
    verdicts = await tx.verdicts.of_record(observation.id)
    return next((one for one in verdicts if folded_name(one.person) == folded_name(person)), None)


async def _say(
    writer: WriteTransaction, observation: Observation, person: str, verdict: Verdict, earlier: PersonVerdict | None
) -> None:
    """Store a verdict, under the name by which that person spoke before."""
    name = earlier.person if earlier else person
    new_verdict = PersonVerdict(record=observation.id, person=name, verdict=verdict, at=writer.now)
    await writer.put(new_verdict, action=verdict.value, kind=kind_of(observation).value, id=observation.id)


async def _falling(tx: Tx, observation: Observation) -> list[Record]:
    """Return what is retired with a rejected observation.

    These are the records with the same words, all conclusions from either, directly or not and by any author, and the
    sources that nothing else uses.
    """
    falling = {record.id: record for record in await _saying(tx, observation)}
    found = [observation, *falling.values()]
    while found:
        conclusions = [
            record
            for source in found
            if not isinstance(source, Rule)
            for record in await dependents_of(tx, source.id)
            if record.scope == tx.scope and _is_current(record) and record.id not in falling
        ]
        falling |= {record.id: record for record in conclusions}
        found = conclusions
    return [*falling.values(), *await _sources(tx, observation)]


async def _saying(tx: Tx, observation: Observation) -> list[Record]:
    """Return the active records of the exact scope with the same words."""
    alike = await tx.observations.by_length(*similar_lengths(observation.text))
    facts = [fact for fact in await tx.facts.in_status((Status.ACTIVE,)) if fact.scope == tx.scope]
    rules = [rule for rule in await tx.procedures.in_status((Status.ACTIVE, Status.PAUSED)) if rule.scope == tx.scope]
    return [
        record
        for record in (*alike, *facts, *rules)
        if record.id != observation.id and _is_current(record) and repeats_claim(record, observation)
    ]


def _is_current(record: Record) -> bool:
    """Return True if a claim or rule is read now or waits for its activation."""
    waiting = Status.PAUSED if isinstance(record, Rule) else Status.BUFFERED
    return isinstance(record, CLAIMS) and record.status in (Status.ACTIVE, waiting)


async def _sources(tx: Tx, observation: Observation) -> list[Record]:
    """Return the episodes and signals that no other active observation is based on."""
    alone: list[Record] = []
    for record in await find_records(tx, observation.evidence):
        if not isinstance(record, Episode | Signal) or record.status not in (*LIVE, Status.SUPERSEDED_RAW):
            continue
        others = await dependents_of(tx, record.id)
        if not [one for one in others if isinstance(one, Observation) and one.status is Status.ACTIVE]:
            alone.append(record)
    return alone


async def _counter(
    writer: WriteTransaction, observation: Observation, struck: Sequence[Record], earlier: PersonVerdict | None
) -> None:
    key = observation.learned.key if observation.learned else ""
    attributes = {"quote": observation.text[:400], **({"key": key[:400]} if key else {})}
    if earlier is not None and earlier.verdict is Verdict.RIGHT:
        attributes |= {"agreed": earlier.person, "agreed_at": earlier.at.isoformat()}
    draft = Draft(
        text=observation.text.strip()[:MAX_SUMMARY_CHARACTERS],
        author="remembrancer",
        source=Source.USER,
        evidence=[observation.id, *(record.id for record in struck)],
        details=SignalDetails(signal=SignalType.OBSERVATION_REJECTED, attributes=attributes),
    )
    await admit(writer, [draft])


async def _counters(tx: Tx, observation: Observation) -> list[Signal]:
    return [
        record
        for record in await dependents_of(tx, observation.id)
        if isinstance(record, Signal) and record.details.is_counter and record.status is not Status.DELETED
    ]


async def _change(writer: WriteTransaction, record: Observation, change: Change) -> Observation:
    return await writer.change(record, change, action=change.status.value if change.status else UPDATED)
