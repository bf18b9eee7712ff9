"""Outcomes of sessions, and the feedback weights of the memories that were shown in them."""

from remembrancer.errors import Conflict, NotFound, quoted
from remembrancer.transactions.write import Writing
from remembrancer.types.feedback import Move, SessionOutcome
from remembrancer.types.lifecycle import Status

ACCEPTED_ALPHA = 0.1
FAILED_ALPHA = 0.15
# A memory that was shown in this many failed sessions, and in no accepted one, is misleading.
MISLEADING = 3
_MOST = 10_000


def moved(weight: float, outcome: SessionOutcome, *, misleading: bool) -> tuple[float, float]:
    """Return a weight in [0, 1] after an outcome, `w (1 - a) + s a`, and the share `a`.

    `s` is 1 for an accepted outcome, else 0; `a` is .1 then, else .15, and twice that for a misleading memory.
    """
    accepted = outcome is SessionOutcome.ACCEPTED
    alpha = (ACCEPTED_ALPHA if accepted else FAILED_ALPHA) * (2 if misleading else 1)
    return weight * (1 - alpha) + (alpha if accepted else 0.0), alpha


async def learn(writing: Writing, session: str, outcome: SessionOutcome) -> list[Move]:
    """Change the weight of each memory that was shown in a session of the exact scope, once a session.

    A memory of a wider scope gets another weight for this scope alone, since one user's outcomes do not concern others.
    Memories that the caller may not see change too, but are not returned.

    Raises:
        NotFound: no such session in this scope, and no memory was shown in it.
        Conflict: the session has another outcome.
    """
    tx = writing.as_engine().tx
    if known := await tx.weights.within(session):
        if known[0].outcome is not outcome:
            raise Conflict(
                f"session {quoted(session)} has the outcome {known[0].outcome} already; it cannot be changed"
            )
        return await _open(writing, known)
    injections = await tx.injections.list(session, limit=_MOST)
    if not injections and await tx.sessions.find(session) is None:
        raise NotFound("session", session)
    moves: list[Move] = []
    for id in dict.fromkeys(record for injection in injections for record in injection.records):
        record = await tx.records.find(id)
        if record is None or record.status is Status.DELETED:
            continue
        earlier = await tx.weights.of(id)
        weight = await tx.weights.now(id)
        after, alpha = moved(weight, outcome, misleading=_misleads(earlier, outcome))
        move = Move(
            session=session, record=id, outcome=outcome, alpha=alpha, before=weight, after=after, at=writing.now
        )
        moves.append(move)
    await writing.note(*moves, action="outcome", kind="session", id=session)
    return await _open(writing, moves)


async def _open(writing: Writing, moves: list[Move]) -> list[Move]:
    """Return the changes of memories that the caller may see."""
    seen = {record.id for record in await writing.tx.records.find_all([move.record for move in moves])}
    return [move for move in moves if move.record in seen]


def _misleads(earlier: list[Move], outcome: SessionOutcome) -> bool:
    """Return True if a memory was shown in three or more failed sessions, and in no accepted one."""
    outcomes = [move.outcome for move in earlier] + [outcome]
    failed = sum(one is not SessionOutcome.ACCEPTED for one in outcomes)
    return failed >= MISLEADING and failed == len(outcomes)
