"""Outcomes of sessions, and the feedback weights of the memories that were shown in them."""

from remembrancer.errors import Conflict, NotFound, quoted
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.feedback import SessionOutcome, WeightChange
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


async def learn(writer: WriteTransaction, session: str, outcome: SessionOutcome) -> list[WeightChange]:
    """Change the weight of each memory that was shown in a session of the exact scope, once a session.

    A memory of a wider scope gets another weight for this scope alone, since one user's outcomes do not concern others.
    Memories that the caller may not see change too, but are not returned.

    Raises:
        NotFound: no such session in this scope, and no memory was shown in it.
        Conflict: the session has another outcome.
    """
    tx = writer.as_engine().tx
    if known := await tx.weights.changes_by_session(session):
        if known[0].outcome is not outcome:
            raise Conflict(
                f"session {quoted(session)} has the outcome {known[0].outcome} already; it cannot be changed"
            )
        return await _open(writer, known)
    injections = await tx.injections.list(session, limit=_MOST)
    if not injections and await tx.sessions.find(session) is None:
        raise NotFound("session", session)
    moves: list[WeightChange] = []
    for id in dict.fromkeys(record for injection in injections for record in injection.records):
        record = await tx.records.find(id)
        if record is None or record.status is Status.DELETED:
            continue
        earlier = await tx.weights.changes(id)
        weight = await tx.weights.current(id)
        after, alpha = moved(weight, outcome, misleading=_misleads(earlier, outcome))
        move = WeightChange(
            session=session, record=id, outcome=outcome, alpha=alpha, before=weight, after=after, at=writer.now
        )
        moves.append(move)
    await writer.put(*moves, action="outcome", kind="session", id=session)
    return await _open(writer, moves)


async def _open(writer: WriteTransaction, moves: list[WeightChange]) -> list[WeightChange]:
    """Return the changes of memories that the caller may see."""
    seen = {record.id for record in await writer.tx.records.find_all([move.record for move in moves])}
    return [move for move in moves if move.record in seen]


def _misleads(earlier: list[WeightChange], outcome: SessionOutcome) -> bool:
    """Return True if a memory was shown in three or more failed sessions, and in no accepted one."""
    outcomes = [move.outcome for move in earlier] + [outcome]
    failed = sum(one is not SessionOutcome.ACCEPTED for one in outcomes)
    return failed >= MISLEADING and failed == len(outcomes)
