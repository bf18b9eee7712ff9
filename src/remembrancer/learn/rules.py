"""Rules of behaviour, promoted from observations or added by people.

They can be paused, retired and resumed.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.ingest.admission import admit, admit_one, revise
from remembrancer.learn.detect.keys import contradict
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft, check_rule
from remembrancer.transactions.ownership import dependents_of, find_records, get_own
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.details import RuleDetails
from remembrancer.types.episode import folded_name
from remembrancer.types.feedback import Verdict
from remembrancer.types.lifecycle import Status
from remembrancer.types.pattern import Confidence
from remembrancer.types.record import Observation, Rule, Source
from remembrancer.types.results import Change
from remembrancer.types.scope import Trust

MOST_PROCEDURES = 20
# So long a person has to dismiss an observation before a rule is made of it.
DISMISSABLE = timedelta(hours=48)
_LEFT_OUT = (Status.PAUSED, Status.DEMOTED, Status.RETIRED)
_FROM_IT = (Status.ACTIVE, Status.PAUSED, Status.DEMOTED, Status.RETIRED, Status.QUARANTINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The limits on an agent's rules.

    Args:
        count: of active rules.
        tokens: of all active rules together.
    """

    count: int = MOST_PROCEDURES
    tokens: int = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An observation that would be a procedure, were there room."""

    observation: str
    reason: str


async def add(writer: WriteTransaction, rule: Draft, room: Room) -> Rule:
    """Add a rule that a person wrote.

    Args:
        rule: its text, author, class, time, metadata and idempotency key.

    Raises:
        InvalidInput: it is empty, has more than 40 words, or exceeds the limits.
        Conflict: a rule with the same words exists, which may be paused or retired.
    """
    draft = replace(rule, text=check_rule(rule.text), source=Source.USER, details=RuleDetails())
    if draft.key is not None and await writer.tx.keys.find(draft.key):
        return (await admit_one(writer, draft, Rule)).record
    await _check_unsaid(writer.tx, draft.text)
    if reason := await _full(writer.as_engine().tx, draft.text, writer.rules, room):
        raise InvalidInput(f"{reason}; pause or retire one first")
    return await _admitted(writer, draft)


async def edit(writer: WriteTransaction, id: str, rule: str, room: Room, *, revision: int | None = None) -> Rule:
    """Change the words of a rule; the earlier ones are kept as versions.

    Raises:
        NotFound: no such procedure in this scope.
        Conflict: it is not active, or another has the same words.
        RevisionConflict: its revision is not `revision`.
        InvalidInput: it is empty, has more than 40 words, or exceeds the limits.
    """
    procedure = await _own(writer.tx, id, revision=revision)
    if procedure.status is not Status.ACTIVE:
        raise Conflict(f"procedure {id!r} is {procedure.status}; resume it before changing it")
    if reason := await _full(writer.as_engine().tx, rule, writer.rules, room, instead_of=id):
        raise InvalidInput(f"{reason}; shorten it, or pause or retire one first")
    await _check_unsaid(writer.tx, rule, instead_of=id)
    draft = Draft(text=check_rule(rule), trust=procedure.trust, details=procedure.details)
    return (await revise(writer, procedure, draft)).record


async def move(writer: WriteTransaction, id: str, status: Status, room: Room) -> Rule:
    """Pause, retire or resume a rule.

    Raises:
        NotFound: no such procedure in this scope.
        Conflict: its status does not allow the change, or its observation was rejected.
        InvalidInput: there is no room for one more active rule.
    """
    procedure = await _own(writer.tx, id)
    if procedure.status is status:
        return procedure
    if status is Status.ACTIVE:
        for source in await find_records(writer.as_engine().tx, procedure.evidence):
            if source.status in (Status.REJECTED, Status.DISMISSED, Status.DELETED):
                raise Conflict(f"what the rule was made of was {source.status}; undo that first")
        if reason := await _full(writer.as_engine().tx, procedure.text, writer.rules, room):
            raise InvalidInput(f"{reason}; pause or retire one first")
    return await moved(writer, procedure, status)


async def moved(writer: WriteTransaction, procedure: Rule, status: Status) -> Rule:
    """Change the status of a rule, with an audit entry.

    Raises:
        Conflict: its status does not allow the change.
    """
    return await writer.move(procedure, status)


async def wanting(tx: Tx, observation: Observation, rules: Dependencies, room: Room) -> Draft | Refused | None:
    """Return the draft that `promote` would make of an observation.

    The result is a refusal if the rule cannot be added, and `None` if it is not due. It is due if the observation is
    confident, trusted and not disputed, has a rule, and is older than the 48 hours in which it can be dismissed, or was
    confirmed.
    """
    learned = observation.learned
    if observation.status is not Status.ACTIVE or learned is None or not _is_sure(observation):
        return None
    if observation.trust is Trust.UNTRUSTED:
        return None
    feedback = await tx.verdicts.of_record(observation.id)
    verdicts = {one.verdict for one in feedback}
    if verdicts & {Verdict.WRONG, Verdict.DISMISSED}:
        return None
    if Verdict.RIGHT not in verdicts and rules.clock.now() - observation.recorded_at < DISMISSABLE:
        return None
    if [one for one in await of(tx, observation.id) if one.status in _FROM_IT]:
        return None
    if await _saying(tx, learned.rule):
        return None
    if other := await _contradicting(tx, observation):
        return Refused(observation=observation.id, reason=f"it contradicts procedure {other.id}, which still holds")
    if reason := await _full(tx, learned.rule, rules, room):
        return Refused(observation=observation.id, reason=reason)
    return Draft(
        text=learned.rule,
        author="remembrancer",
        source=Source.DETECTOR,
        evidence=[observation.id],
        details=RuleDetails(confirmations=learned.boosts),
    )


async def promote(writer: WriteTransaction, observation: Observation, room: Room) -> Rule | Refused | None:
    """Make a procedure of a due observation, or resume the one that was demoted.

    The result is `None` if none is due, and a refusal if there is no room or an active rule contradicts it.
    """
    for before in await of(writer.tx, observation.id):
        if before.status is Status.DEMOTED and before.details.reason and _is_sure(observation):
            return await _resumed(writer, before, observation, room)
    wanted = await wanting(writer.tx, observation, writer.rules, room)
    if not isinstance(wanted, Draft):
        return wanted
    try:
        (saved,) = await admit(writer, [wanted])
    except NotAllowed:
        return Refused(observation=observation.id, reason="a person has rejected what it says")
    if isinstance(saved.record, Rule) and saved.record.status is Status.ACTIVE:
        return saved.record
    return Refused(observation=observation.id, reason="it reads as an order from outside, and waits for an operator")


async def demote(writer: WriteTransaction, observation: Observation, reason: str) -> int:
    """Demote the active procedures of an observation for a reason; how many those were."""
    active = [one for one in await of(writer.tx, observation.id) if one.status is Status.ACTIVE]
    for one in active:
        await writer.move(one, Status.DEMOTED, details=replace(one.details, reason=reason))
    return len(active)


async def _resumed(
    writer: WriteTransaction, procedure: Rule, observation: Observation, room: Room
) -> Rule | Refused | None:
    other = await _contradicting(writer.tx, observation)
    reason = f"it contradicts procedure {other.id}, which still holds" if other else ""
    reason = reason or await _full(writer.as_engine().tx, procedure.text, writer.rules, room)
    if reason:
        return Refused(observation=observation.id, reason=reason)
    return await writer.move(procedure, Status.ACTIVE, details=replace(procedure.details, reason=""))


def _is_sure(observation: Observation) -> bool:
    learned = observation.learned
    return learned is not None and bool(learned.rule) and learned.rule_confidence.rank >= Confidence.HIGH.rank


async def _contradicting(tx: Tx, observation: Observation) -> Rule | None:
    """Return an active rule of another habit with a different order for the same occasion."""
    learned = observation.learned
    if learned is None:
        return None
    for other in await active(tx):
        for source in await find_records(tx, other.evidence):
            counted = source.learned if isinstance(source, Observation) and source.id != observation.id else None
            if counted and contradict(learned.key, counted.key):
                return other
    return None


async def confirm(writer: WriteTransaction, observation: str) -> None:
    """Count a confirmation on the procedures of an observation."""
    for procedure in await of(writer.tx, observation):
        details = replace(procedure.details, confirmations=procedure.details.confirmations + 1)
        await writer.change(procedure, Change(details=details), action="confirmed")


async def of(tx: Tx, observation: str) -> list[Rule]:
    """Return the procedures made from an observation, in any status but deleted."""
    found = await dependents_of(tx, observation)
    return [record for record in found if isinstance(record, Rule) and record.status is not Status.DELETED]


async def active(tx: Tx) -> list[Rule]:
    """All active rules that the scope sees, oldest first; nothing untrusted is a rule."""
    return [one for one in await tx.procedures.in_status((Status.ACTIVE,)) if one.trust is Trust.TRUSTED]


async def _check_unsaid(tx: Tx, rule: str, *, instead_of: str = "") -> None:
    """Check that no other rule has the same words.

    Raises:
        Conflict: one has.
    """
    if other := await _saying(tx, rule, instead_of=instead_of):
        status = "" if other.status is Status.ACTIVE else f", and is {other.status}; resume it instead"
        raise Conflict(f"procedure {other.id!r} has the same text already{status}")


async def _saying(tx: Tx, rule: str, *, instead_of: str = "") -> Rule | None:
    """Another rule of the same words that is read here, or that was left out of this very scope."""
    for other in await tx.procedures.in_status((Status.ACTIVE, *_LEFT_OUT)):
        here = other.status is Status.ACTIVE or other.scope == tx.scope
        if here and other.id != instead_of and folded_name(other.text) == folded_name(rule):
            return other
    return None


async def _full(tx: Tx, rule: str, rules: Dependencies, room: Room, *, instead_of: str = "") -> str:
    """Return why there is no room for a further or replacing rule; `""` if there is."""
    others = [one for one in await active(tx) if one.id != instead_of]
    if len(others) >= room.count:
        return f"there are {len(others)} active procedures, and {room.count} are allowed"
    tokens = sum(rules.tokens.count(f"- {text}\n") for text in (rule, *(one.text for one in others)))
    if tokens > room.tokens:
        return f"the procedures would take {tokens} tokens, and their slot has {room.tokens}"
    return ""


async def _admitted(writer: WriteTransaction, draft: Draft) -> Rule:
    made = (await admit_one(writer, draft, Rule)).record
    if made.status is not Status.ACTIVE:
        raise Conflict(f"procedure {made.id!r} is {made.status}: it reads as an order from outside")
    return made


async def _own(tx: Tx, id: str, *, revision: int | None = None) -> Rule:
    record = await get_own(tx, id, revision=revision)
    if record.status is Status.DELETED:
        raise NotFound("procedure", id)
    if not isinstance(record, Rule):
        raise InvalidInput(f"memory {id!r} is no procedure")
    return record
