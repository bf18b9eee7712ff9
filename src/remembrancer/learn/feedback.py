"""What people say of an observation, and what follows: a rule of it, or its end and that of all that rests on it.

What a "wrong" did is kept as the evidence of its counter-signal, so that it can be taken back to the letter.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.ingest.admit import admit
from remembrancer.learn import rules as procedures
from remembrancer.learn.compact import records as compacting
from remembrancer.learn.deletion import back_to
from remembrancer.learn.rules import DISMISSABLE, Room
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.ownership import all_of, own, resting_on
from remembrancer.transactions.rejections import (
    CLAIMING,
    PUT_ASIDE,
    about_as_long,
    name_of_erased,
    rejections,
    repeats,
    words_of,
)
from remembrancer.transactions.write import UPDATED, Writing
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


async def right(writing: Writing, id: str, person: str, room: Room) -> Observation:
    """A person agrees: the observation is surer, its procedures are confirmed, and it may become one at once.

    Said again by the same person, it changes nothing.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: somebody has rejected or dismissed it; that is to be undone first.
    """
    observation = await _observation(writing.tx, id)
    earlier = await _said(writing.tx, observation, person)
    if earlier is not None and earlier.verdict is Verdict.RIGHT:
        return observation
    if observation.status is Status.MERGED:
        raise Conflict(f"memory {id!r} is merged into another; say it of that one")
    if observation.status is not Status.ACTIVE:
        raise Conflict(f"memory {id!r} is {observation.status}; undo that first")
    behind = writing.as_engine()
    await _say(behind, observation, person, Verdict.RIGHT, earlier)
    if observation.learned is not None:
        learned = replace(observation.learned, boosts=observation.learned.boosts + 1)
        observation = await _change(behind, observation, Change(details=learned))
    await procedures.confirm(behind, id)
    await procedures.promote(behind, observation, room)
    return observation


async def wrong(writing: Writing, id: str, person: str) -> Observation:
    """A person disagrees: from now on the observation and what rests on it are in no recall and no context.

    Its procedures are demoted; the episodes that no other observation rests on are contradicted, and the records that
    cover them told anew; what was concluded from it, by whomever, and what says the same is retired. Its words are not
    said again, in no case and spacing, until that is undone; a counter-signal keeps the detector from it.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: it is in a state that nobody can reject.
    """
    observation = await _observation(writing.tx, id)
    behind = writing.as_engine()
    tx = behind.tx
    earlier = await _said(tx, observation, person)
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


async def _is_sayable(writing: Writing, observation: Observation) -> bool:
    """Whether the words of what is rejected may be said all the same: another was undone that says the same."""
    standing = {one.words for one in await writing.tx.rejections.of(observation.id)}
    return any(one.words not in standing for one in rejections(observation, sign=writing.rules.sign))


async def _strike(writing: Writing, observation: Observation) -> list[Record]:
    """See to it that what is rejected is not said again, and take out what rests on it or says the same."""
    await writing.note(*rejections(observation, sign=writing.rules.sign))
    falling = await _falling(writing.tx, observation)
    struck = [await writing.move(record, _STRUCK[type(record)]) for record in falling]
    await compacting.recount(writing, [record for record in struck if isinstance(record, Episode)])
    return struck


async def dismiss(writing: Writing, id: str, person: str) -> Observation:
    """A person does not want to see an observation of the last 48 hours: it never becomes a rule.

    Raises:
        NotFound: no such memory here.
        InvalidInput: it is no observation.
        Conflict: it is older, or somebody has said that it is right.
    """
    observation = await _observation(writing.tx, id)
    if observation.status is Status.DISMISSED:
        if await _is_sayable(writing, observation):
            await writing.note(*rejections(observation, sign=writing.rules.sign))
        return observation
    if writing.now - observation.recorded_at >= DISMISSABLE:
        raise Conflict(f"memory {id!r} is older than 48 hours; say that it is wrong, if it is")
    if Verdict.RIGHT in {said.verdict for said in await writing.tx.verdicts.of(id)}:
        raise Conflict(f"somebody has said that memory {id!r} is right; say that it is wrong, if it is")
    check_transition(observation.status, Status.DISMISSED)
    earlier = await _said(writing.tx, observation, person)
    await _say(writing, observation, person, Verdict.DISMISSED, earlier)
    await writing.note(*rejections(observation, sign=writing.rules.sign))
    return await _change(writing, observation, Change(status=Status.DISMISSED))


async def undo(writing: Writing, id: str) -> Observation | None:
    """An observation that was rejected or dismissed, and all that went with it, as it was before.

    Of one that was erased since, only its words may be said again: `None`.

    Raises:
        NotFound: no such memory here.
        Conflict: it is neither rejected nor dismissed, or something else has its topic key now.
    """
    if await _was_erased(writing, id):
        return None
    observation = await _observation(writing.tx, id)
    if observation.status not in PUT_ASIDE:
        raise Conflict(f"memory {id!r} is {observation.status}, neither rejected nor dismissed")
    await _check_key_free(writing.tx, observation)
    behind = writing.as_engine()
    tx = behind.tx
    said = rejections(observation, sign=writing.rules.sign)
    await behind.note(RevokedRejections(words=tuple(one.words for one in said)))
    withdrawn = WithdrawnVerdicts(record=id, verdicts=(Verdict.WRONG, Verdict.DISMISSED))
    await behind.note(withdrawn, action="undone", kind=kind_of(observation).value, id=id)
    before = await tx.versions.status_before(id, apart_from=(*PUT_ASIDE, Status.DELETED))
    # An archived one is asked for again by this.
    before = Status.ACTIVE if before is Status.ARCHIVED else before
    standing = await _change(behind, observation, await back_to(tx, observation, before))
    counters = await _counters(tx, observation)
    struck = {source for signal in counters for source in signal.evidence}
    found = await all_of(tx, sorted(struck | set(observation.evidence)))
    stands = standing.status is Status.ACTIVE
    back = [await _taken_up(behind, one, stands=stands) for one in found if one.status is _STRUCK.get(type(one))]
    await compacting.recount(behind, [record for record in back if isinstance(record, Episode)])
    for signal in counters:
        if said := _taken_over(signal, id):
            await behind.note(said)
        await behind.move(signal, Status.DELETED)
    return standing


async def _was_erased(writing: Writing, id: str) -> bool:
    """Whether an observation was rejected and then erased; from now on its words may be said again."""
    standing = await writing.tx.rejections.of(name_of_erased(id, sign=writing.rules.sign))
    if standing:
        taken = RevokedRejections(words=tuple(one.words for one in standing), record=standing[0].record)
        await writing.note(taken, action="undone", kind=Kind.OBSERVATION.value)
    return bool(standing)


async def _check_key_free(tx: Tx, observation: Observation) -> None:
    """Nothing, where no other observation that stands has the key of one that is to come back."""
    other = observation.topic_key and await tx.observations.by_topic(observation.topic_key)
    if other and other.id != observation.id and other.status not in PUT_ASIDE:
        raise Conflict(f"memory {other.id!r} has the topic key {observation.topic_key!r} now; delete that one first")


async def _taken_up(writing: Writing, record: Record, *, stands: bool) -> Record:
    """What a "wrong" has struck, as it was before; it stays where another that is rejected keeps it.

    Args:
        stands: whether the observation that was undone is active again: then so is what it rests on.
    """
    tx = writing.tx
    deed = isinstance(record, Episode | Signal)
    if not (deed and stands):
        for source in await (resting_on(tx, record.id) if deed else all_of(tx, record.evidence)):
            if isinstance(source, Observation) and source.status is Status.REJECTED:
                await _hand_over(writing, record, source)
                return record
    words = words_of(record, sign=writing.rules.sign)
    for one in await tx.rejections.standing(words) if words else ():
        if isinstance(other := await tx.records.find(one.record), Observation):
            await _hand_over(writing, record, other)
        return record
    before = await tx.versions.status_before(record.id, apart_from=(record.status, Status.DELETED))
    if isinstance(record, Episode):
        before = await compacting.settled(tx, record, before)
    return await writing.change(record, await back_to(tx, record, before), action=before.value)


async def _hand_over(writing: Writing, record: Record, rejected: Observation) -> None:
    """Let a record come back with another observation than the one that was undone."""
    for signal in (await _counters(writing.tx, rejected))[:1]:
        await writing.change(signal, Change(evidence=(record.id,)))


def _taken_over(signal: Signal, id: str) -> PersonVerdict | None:
    """What the person behind a counter-signal had said before, where it was that the observation is right."""
    told = signal.details.attributes
    if "agreed" not in told:
        return None
    at = datetime.fromisoformat(str(told["agreed_at"]))
    return PersonVerdict(record=id, person=str(told["agreed"]), verdict=Verdict.RIGHT, at=at)


async def _observation(tx: Tx, id: str) -> Observation:
    record = await own(tx, id)
    if not isinstance(record, Observation) or record.status is Status.DELETED:
        raise InvalidInput(f"memory {id!r} is no observation that stands; verdicts are on those")
    return record


async def _said(tx: Tx, observation: Observation, person: str) -> PersonVerdict | None:
    """What a person has said of it; a name counts once, however it is written."""
    said = await tx.verdicts.of(observation.id)
    return next((one for one in said if folded_name(one.person) == folded_name(person)), None)


async def _say(
    writing: Writing, observation: Observation, person: str, verdict: Verdict, earlier: PersonVerdict | None
) -> None:
    """Store a verdict, under the name by which that person spoke before."""
    name = earlier.person if earlier else person
    said = PersonVerdict(record=observation.id, person=name, verdict=verdict, at=writing.now)
    await writing.note(said, action=verdict.value, kind=kind_of(observation).value, id=observation.id)


async def _falling(tx: Tx, observation: Observation) -> list[Record]:
    """What goes with an observation that is rejected: what says the same, what was concluded from either, its sources.

    Whoever concluded it, and whatever was concluded from that in turn.
    """
    falling = {record.id: record for record in await _saying(tx, observation)}
    found = [observation, *falling.values()]
    while found:
        conclusions = [
            record
            for source in found
            if not isinstance(source, Rule)
            for record in await resting_on(tx, source.id)
            if record.scope == tx.scope and _stands(record) and record.id not in falling
        ]
        falling |= {record.id: record for record in conclusions}
        found = conclusions
    return [*falling.values(), *await _sources(tx, observation)]


async def _saying(tx: Tx, observation: Observation) -> list[Record]:
    """What else of the exact scope says the same by its words, and stands."""
    alike = await tx.observations.of_length(*about_as_long(observation.text))
    facts = [fact for fact in await tx.facts.in_status((Status.ACTIVE,)) if fact.scope == tx.scope]
    rules = [rule for rule in await tx.procedures.in_status((Status.ACTIVE, Status.PAUSED)) if rule.scope == tx.scope]
    return [
        record
        for record in (*alike, *facts, *rules)
        if record.id != observation.id and _stands(record) and repeats(record, observation)
    ]


def _stands(record: Record) -> bool:
    """Whether a claim or a rule is read, or waits to be."""
    waiting = Status.PAUSED if isinstance(record, Rule) else Status.BUFFERED
    return isinstance(record, CLAIMING) and record.status in (Status.ACTIVE, waiting)


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
    writing: Writing, observation: Observation, struck: Sequence[Record], earlier: PersonVerdict | None
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
    await admit(writing, [draft])


async def _counters(tx: Tx, observation: Observation) -> list[Signal]:
    return [
        record
        for record in await resting_on(tx, observation.id)
        if isinstance(record, Signal) and record.details.is_counter and record.status is not Status.DELETED
    ]


async def _change(writing: Writing, record: Observation, change: Change) -> Observation:
    return await writing.change(record, change, action=change.status.value if change.status else UPDATED)
