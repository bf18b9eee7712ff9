"""What the outcome of a session says of the memories that were put before the agent in it."""

from remembrancer.errors import Conflict, NotFound, quoted
from remembrancer.transactions.write import Writing
from remembrancer.types.feedback import SessionOutcome, WeightChange
from remembrancer.types.lifecycle import Status

ACCEPTED_ALPHA = 0.1
FAILED_ALPHA = 0.15
# Put before the agent in so many sessions that failed, and in none that was accepted, a memory misleads.
MISLEADING = 3
_MOST = 10_000


def moved(weight: float, outcome: SessionOutcome, *, misleading: bool) -> tuple[float, float]:
    """A weight in [0, 1] after an outcome, and the share by which it moved: `w (1 - a) + s a`.

    `s` is 1 for what was accepted, else 0; `a` is .1 then, else .15, and twice that for what misleads.
    """
    accepted = outcome is SessionOutcome.ACCEPTED
    alpha = (ACCEPTED_ALPHA if accepted else FAILED_ALPHA) * (2 if misleading else 1)
    return weight * (1 - alpha) + (alpha if accepted else 0.0), alpha


async def learn(writing: Writing, session: str, outcome: SessionOutcome) -> list[WeightChange]:
    """Move the weight of each memory that was put before the agent in a session of the exact scope; once a session.

    What is shared by a wider scope weighs otherwise from then on for this one alone: what one user's work came to is no
    other user's business. What is closed to the caller moves too, and is not told.

    Raises:
        NotFound: no such session here, and nothing was put before an agent in it.
        Conflict: another outcome was told of it before.
    """
    tx = writing.as_engine().tx
    if known := await tx.weights.within(session):
        if known[0].outcome is not outcome:
            raise Conflict(f"session {quoted(session)} was {known[0].outcome} before, and an outcome is told once")
        return await _open(writing, known)
    told = await tx.injections.list(session, limit=_MOST)
    if not told and await tx.sessions.find(session) is None:
        raise NotFound("session", session)
    moves: list[WeightChange] = []
    for id in dict.fromkeys(record for injection in told for record in injection.records):
        record = await tx.records.find(id)
        if record is None or record.status is Status.DELETED:
            continue
        earlier = await tx.weights.of(id)
        weight = await tx.weights.now(id)
        after, alpha = moved(weight, outcome, misleading=_misleads(earlier, outcome))
        move = WeightChange(
            session=session, record=id, outcome=outcome, alpha=alpha, before=weight, after=after, at=writing.now
        )
        moves.append(move)
    await writing.note(*moves, action="outcome", kind="session", id=session)
    return await _open(writing, moves)


async def _open(writing: Writing, moves: list[WeightChange]) -> list[WeightChange]:
    """The moves of memories that the caller may see."""
    seen = {record.id for record in await writing.tx.records.find_all([move.record for move in moves])}
    return [move for move in moves if move.record in seen]


def _misleads(earlier: list[WeightChange], outcome: SessionOutcome) -> bool:
    """Whether a memory has been in three failed sessions or more, and in no accepted one, this one counted."""
    outcomes = [move.outcome for move in earlier] + [outcome]
    failed = sum(one is not SessionOutcome.ACCEPTED for one in outcomes)
    return failed >= MISLEADING and failed == len(outcomes)
