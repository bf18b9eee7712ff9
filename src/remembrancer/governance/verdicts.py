"""What people say of an observation, and what follows: a rule of it, or its end and that of all that rests on it.

What a "wrong" did is kept as the evidence of its counter-signal, so that it can be taken back to the letter.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.governance import compacting, procedures
from remembrancer.governance.admit import Rules, admit
from remembrancer.governance.draft import Draft
from remembrancer.governance.moving import move
from remembrancer.governance.owning import all_of, own, resting_on
from remembrancer.governance.procedures import DISMISSABLE, Room
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.audit import AuditEntry
from remembrancer.model.change import Change
from remembrancer.model.details import SignalDetails
from remembrancer.model.episode import MAX_SUMMARY_CHARACTERS, SignalType, same_name
from remembrancer.model.lifecycle import LIVE, Status, check_transition
from remembrancer.model.record import Episode, Observation, Procedure, Record, Reflection, Signal, Source, kind_of
from remembrancer.model.verdict import Said, Verdict
from remembrancer.ports.tx import Tx

_PUT_ASIDE = (Status.REJECTED, Status.DISMISSED)
# In which status each kind is left by a "wrong".
_STRUCK: dict[type[Record], Status] = {
    Observation: Status.RETIRED,
    Reflection: Status.RETIRED,
    Procedure: Status.DEMOTED,
    Episode: Status.CONTRADICTED,
    Signal: Status.CONTRADICTED,
}


async def right(tx: Tx, id: str, person: str, rules: Rules, room: Room) -> Observation:
    """A person agrees: the observation is surer, its procedures are confirmed, and it may become one at once.

    Said again by the same person, it changes nothing.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: somebody has rejected or dismissed it; that is to be undone first.
    """
    observation = await _observation(tx, id)
    earlier = await _said(tx, observation, person)
    if earlier is not None and earlier.verdict is Verdict.RIGHT:
        return observation
    if observation.status is Status.MERGED:
        raise Conflict(f"memory {id!r} is merged into another; say it of that one")
    if observation.status is not Status.ACTIVE:
        raise Conflict(f"memory {id!r} is {observation.status}; undo that first")
    await _say(tx, observation, person, Verdict.RIGHT, rules, earlier)
    if observation.learned is not None:
        learned = replace(observation.learned, boosts=observation.learned.boosts + 1)
        observation = await _change(tx, observation, Change(details=learned), rules)
    await procedures.confirm(tx, id, rules)
    await procedures.promote(tx, observation, rules, room)
    return observation


async def wrong(tx: Tx, id: str, person: str, rules: Rules) -> Observation:
    """A person disagrees: from now on the observation and what rests on it are in no recall and no context.

    Its procedures are demoted; the episodes that no other observation rests on are contradicted, and the records that
    cover them told anew; what was concluded from it is retired. A counter-signal keeps the detector from it.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: it is in a state that nobody can reject.
    """
    observation = await _observation(tx, id)
    earlier = await _said(tx, observation, person)
    if observation.status is Status.REJECTED:
        if earlier is None or earlier.verdict is not Verdict.WRONG:
            await _say(tx, observation, person, Verdict.WRONG, rules, earlier)
            await _counter(tx, observation, [], earlier, rules)
        return observation
    check_transition(observation.status, Status.REJECTED)
    await _say(tx, observation, person, Verdict.WRONG, rules, earlier)
    rejected = await _change(tx, observation, Change(status=Status.REJECTED), rules)
    falling = [*await _conclusions(tx, observation), *await _sources(tx, observation)]
    struck = [await move(tx, record, _STRUCK[type(record)], rules) for record in falling]
    await compacting.recount(tx, [record for record in struck if isinstance(record, Episode)], rules)
    await _counter(tx, observation, struck, earlier, rules)
    return rejected


async def dismiss(tx: Tx, id: str, person: str, rules: Rules) -> Observation:
    """A person does not want to see an observation of the last 48 hours: it never becomes a rule.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: it is older, or somebody has said that it is right.
    """
    observation = await _observation(tx, id)
    if observation.status is Status.DISMISSED:
        return observation
    if rules.clock.now() - observation.recorded_at >= DISMISSABLE:
        raise Conflict(f"memory {id!r} is older than 48 hours; say that it is wrong, if it is")
    if Verdict.RIGHT in {said.verdict for said in await tx.verdicts.of(id)}:
        raise Conflict(f"somebody has said that memory {id!r} is right; say that it is wrong, if it is")
    check_transition(observation.status, Status.DISMISSED)
    await _say(tx, observation, person, Verdict.DISMISSED, rules, await _said(tx, observation, person))
    return await _change(tx, observation, Change(status=Status.DISMISSED), rules)


async def undo(tx: Tx, id: str, rules: Rules) -> Observation:
    """An observation that was rejected or dismissed, and all that went with it, as it was before.

    Raises:
        NotFound: no such memory here.
        Conflict: it is neither rejected nor dismissed.
    """
    observation = await _observation(tx, id)
    if observation.status not in _PUT_ASIDE:
        raise Conflict(f"memory {id!r} is {observation.status}, neither rejected nor dismissed")
    await tx.verdicts.withdraw(id, (Verdict.WRONG, Verdict.DISMISSED))
    before = await tx.versions.status_before(id, apart_from=(*_PUT_ASIDE, Status.DELETED))
    # An archived one is asked for again by this.
    before = Status.ACTIVE if before is Status.ARCHIVED else before
    standing = await _change(tx, observation, Change(status=before), rules)
    counters = await _counters(tx, observation)
    struck = {source for signal in counters for source in signal.evidence}
    found = await all_of(tx, sorted(struck | set(observation.evidence)))
    stands = standing.status is Status.ACTIVE
    back = [await _taken_up(tx, one, rules, stands=stands) for one in found if one.status is _STRUCK.get(type(one))]
    await compacting.recount(tx, [record for record in back if isinstance(record, Episode)], rules)
    for signal in counters:
        if said := _taken_over(signal, id):
            await tx.verdicts.put(said)
        await move(tx, signal, Status.DELETED, rules)
    await tx.audit.add([_entry("undone", observation, rules.clock.now(), rules)])
    return standing


async def _taken_up(tx: Tx, record: Record, rules: Rules, *, stands: bool) -> Record:
    """What a "wrong" has struck, as it was before; it stays where another that is rejected keeps it.

    Args:
        stands: whether the observation that was undone is active again: then so is what it rests on.
    """
    deed = isinstance(record, Episode | Signal)
    if not (deed and stands):
        for source in await (resting_on(tx, record.id) if deed else all_of(tx, record.evidence)):
            if isinstance(source, Observation) and source.status is Status.REJECTED:
                await _hand_over(tx, record, source, rules)
                return record
    before = await tx.versions.status_before(record.id, apart_from=(record.status, Status.DELETED))
    if isinstance(record, Episode):
        before = await compacting.settled(tx, record, before)
    return await move(tx, record, before, rules)


async def _hand_over(tx: Tx, record: Record, rejected: Observation, rules: Rules) -> None:
    """Let a record come back with another observation than the one that was undone."""
    for signal in (await _counters(tx, rejected))[:1]:
        change = Change(evidence=(record.id,))
        await tx.records.change(signal.id, change, at=rules.clock.now(), terms=None)


def _taken_over(signal: Signal, id: str) -> Said | None:
    """What the person behind a counter-signal had said before, where it was that the observation is right."""
    told = signal.details.attributes
    if "agreed" not in told:
        return None
    at = datetime.fromisoformat(str(told["agreed_at"]))
    return Said(record=id, person=str(told["agreed"]), verdict=Verdict.RIGHT, at=at)


async def _observation(tx: Tx, id: str) -> Observation:
    record = await own(tx, id)
    if not isinstance(record, Observation) or record.status is Status.DELETED:
        raise InvalidInput(f"memory {id!r} is no observation that stands; verdicts are on those")
    return record


async def _said(tx: Tx, observation: Observation, person: str) -> Said | None:
    """What a person has said of it; a name counts once, however it is written."""
    said = await tx.verdicts.of(observation.id)
    return next((one for one in said if same_name(one.person) == same_name(person)), None)


async def _say(
    tx: Tx, observation: Observation, person: str, verdict: Verdict, rules: Rules, earlier: Said | None
) -> None:
    """Store a verdict, under the name by which that person spoke before."""
    now, name = rules.clock.now(), earlier.person if earlier else person
    await tx.verdicts.put(Said(record=observation.id, person=name, verdict=verdict, at=now))
    await tx.audit.add([_entry(verdict.value, observation, now, rules)])


async def _conclusions(tx: Tx, observation: Observation) -> list[Record]:
    """What was concluded from an observation: its procedures, and the insights over it."""
    return [
        record
        for record in await resting_on(tx, observation.id)
        if record.scope == tx.scope
        and (
            (isinstance(record, Procedure) and record.status in (Status.ACTIVE, Status.PAUSED))
            or (isinstance(record, Observation) and record.engine and record.status in (Status.ACTIVE, Status.BUFFERED))
        )
    ]


async def _sources(tx: Tx, observation: Observation) -> list[Record]:
    """The episodes and signals that no other observation that stands rests on."""
    alone: list[Record] = []
    for record in await all_of(tx, observation.evidence):
        if not isinstance(record, Episode | Signal) or record.status not in (*LIVE, Status.SUPERSEDED_RAW):
            continue
        others = await resting_on(tx, record.id)
        if not [one for one in others if isinstance(one, Observation) and one.status is Status.ACTIVE]:
            alone.append(record)
    return alone


async def _counter(
    tx: Tx, observation: Observation, struck: Sequence[Record], earlier: Said | None, rules: Rules
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
    await admit(tx, [draft], rules)


async def _counters(tx: Tx, observation: Observation) -> list[Signal]:
    return [
        record
        for record in await resting_on(tx, observation.id)
        if isinstance(record, Signal) and record.details.is_counter and record.status is not Status.DELETED
    ]


async def _change(tx: Tx, record: Observation, change: Change, rules: Rules) -> Observation:
    stands = replace(record, status=change.status or record.status)
    terms = terms_in_index(stands, sign=rules.sign)
    result = await tx.records.change(record.id, change, at=rules.clock.now(), terms=terms)
    assert isinstance(result, Observation)
    return result


def _entry(action: str, record: Record, at: datetime, rules: Rules) -> AuditEntry:
    return AuditEntry(action=action, kind=kind_of(record).value, record=record.id, count=1, at=at)
