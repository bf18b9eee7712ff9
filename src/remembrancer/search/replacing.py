"""Among the hits: what a newer one says no longer holds stands behind it, and is marked.

Nothing of this is stored. It follows from the texts each time, so that it ends with an erasure or an edit of the newer
one, and whoever may not see the newer one is told the older.
"""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.language.quoting import own_words
from remembrancer.language.replacement import replaced
from remembrancer.search.query import Hit, Replacement
from remembrancer.storage.tx import Tx
from remembrancer.types.record import Message, Observation, Record, Role
from remembrancer.types.scope import Trust

# Looked at are so many of the best that have so large a share of the score of the first: to read a text takes .2 ms.
# Where more than `MANY` are asked for, as by a context, all of them are.
LOOKED_AT = 12
NEAR = 0.05
MANY = 20


def near(scores: Sequence[float]) -> int:
    """How many of the best are looked at.

    Args:
        scores: of all hits, best first.
    """
    looked_at = len(scores) if len(scores) > MANY else LOOKED_AT
    return sum(score >= NEAR * scores[0] for score in scores[:looked_at])


async def replacements(tx: Tx, records: Sequence[Record]) -> dict[str, Replacement]:
    """By the id of each memory that another one of them replaced: by which, the newest that says so.

    A person who says that the older one is right, after the newer one was stored, undoes it.
    """
    newest_first = sorted(filter(_states, records), key=_time, reverse=True)
    found = [one for older in newest_first if (one := _by_newest(older, newest_first)) is not None]
    confirmed = await tx.verdicts.confirmed([one.older for one in found])
    recorded = {record.id: record.recorded_at for record in newest_first}
    return {one.older: one for one in found if one.older not in confirmed or confirmed[one.older] < recorded[one.newer]}


async def marked(tx: Tx, hits: Sequence[Hit], *, of_past: bool) -> list[Hit]:
    """Hits, best first, with what replaced which; the older behind the newer.

    Args:
        of_past: whether the past is asked for: then each stays where it is.
    """
    looked_at = near([hit.score for hit in hits])
    found = await replacements(tx, [hit.record for hit in hits[:looked_at]])
    if not found:
        return list(hits)
    of_newer = {
        one.newer: tuple(other for other in found.values() if other.newer == one.newer) for one in found.values()
    }
    told = [replace(hit, replaced=found.get(hit.id), replaces=of_newer.get(hit.id, ())) for hit in hits]
    return told if of_past else behind(told)


def behind(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in their order, but each that was replaced behind the one that replaced it, which takes its score."""
    score = {hit.id: hit.score for hit in hits}
    depth = dict.fromkeys(score, 0)
    links = sorted((hit.replaced for hit in hits if hit.replaced), key=lambda one: one.until)
    # What replaced another may itself be replaced.
    for one in links:
        score[one.newer] = max(score[one.newer], score[one.older])
    for one in reversed(links):
        depth[one.older] = depth[one.newer] + 1
    best = max(score.values(), default=0.0) or 1.0
    scored = [replace(hit, score=score[hit.id], relative=round(score[hit.id] / best, 6)) for hit in hits]
    return sorted(scored, key=lambda hit: (-hit.score, depth[hit.id]))


def _by_newest(older: Record, newest_first: Sequence[Record]) -> Replacement | None:
    """How a memory was replaced, by the newest that says so."""
    for newer in newest_first:
        if _time(newer) <= _time(older):
            return None
        if (newer.scope.project, newer.scope.user) != (older.scope.project, older.scope.user):
            continue
        value = replaced(_stated(older), _stated(newer), same_speaker=_speaker(older) == _speaker(newer))
        if value is not None:
            return Replacement(older=older.id, newer=newer.id, value=value, until=newer.occurred_at)
    return None


def _states(record: Record) -> bool:
    """Whether it is a statement of somebody: of a user, or one that was saved or noted."""
    match record:
        case Message():
            return record.role is Role.USER and record.trust is Trust.TRUSTED
        case Observation():
            return record.trust is Trust.TRUSTED
        case _:
            return False


def _stated(record: Record) -> str:
    """The words of a memory, without what somebody quotes in a message."""
    return own_words(record.text) if isinstance(record, Message) else record.text


def _speaker(record: Record) -> str:
    """Whom "I" means: a speaker by name, or `""` for the user, of whom observations tell."""
    return record.speaker if isinstance(record, Message) else ""


def _time(record: Record) -> tuple[float, float]:
    return record.occurred_at.timestamp(), record.recorded_at.timestamp()
