"""Replacements among the hits, by newer statements that contradict them.

Nothing of this is stored. It follows from the texts each time, so that it ends if the newer text is erased or edited,
and a caller that may not see the newer one gets the older.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from remembrancer.language.names import named
from remembrancer.language.quoting import own_words
from remembrancer.language.relations import ONE_AT_A_TIME
from remembrancer.language.replacement import replaced
from remembrancer.search.query import Hit, Replacement
from remembrancer.storage.tx import Tx
from remembrancer.transactions.relations import relations_in
from remembrancer.types.record import Message, Observation, Record, Role
from remembrancer.types.scope import Trust

# The best hits with this share of the best score are compared: parsing a text costs 0.2 ms. Of a large result, as for
# a context, all hits are.
COMPARED = 12
MIN_RELATIVE_SCORE = 0.05
LARGE_RESULT = 20
# Characters of a text that states a relation and hardly anything else.
_LONGEST_RELATION = 80


def count_compared(scores: Sequence[float]) -> int:
    """Return the number of the best hits that are compared.

    Args:
        scores: the scores of all hits, best first.
    """
    maximum = len(scores) if len(scores) > LARGE_RESULT else COMPARED
    return sum(score >= MIN_RELATIVE_SCORE * scores[0] for score in scores[:maximum])


async def find_replacements(tx: Tx, records: Sequence[Record]) -> dict[str, Replacement]:
    """Return the replacements among some memories, by the id of the older.

    A person who confirms the older one after the newer one was stored undoes it.
    """
    statements = [_Statement.of(record) for record in records if _is_statement(record)]
    newest_first = sorted(statements, key=lambda one: one.time, reverse=True)
    replacements = [one for older in newest_first if (one := _replacement_of(older, newest_first)) is not None]
    confirmed = await tx.verdicts.confirmed([one.older for one in replacements])
    recorded = {one.record.id: one.record.recorded_at for one in statements}
    return {
        one.older: one
        for one in replacements
        if one.older not in confirmed or confirmed[one.older] < recorded[one.newer]
    }


async def mark_replaced(tx: Tx, hits: Sequence[Hit], *, of_past: bool) -> list[Hit]:
    """Return hits with their replacements; the older one after the newer.

    Args:
        of_past: whether the question is about the past: then the order stays.
    """
    compared = count_compared([hit.score for hit in hits])
    by_older = await find_replacements(tx, [hit.record for hit in hits[:compared]])
    if not by_older:
        return list(hits)
    by_newer = {
        one.newer: tuple(other for other in by_older.values() if other.newer == one.newer) for one in by_older.values()
    }
    result = [replace(hit, replaced=by_older.get(hit.id), replaces=by_newer.get(hit.id, ())) for hit in hits]
    return result if of_past else order_replaced(result)


def order_replaced(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with each replaced one after its replacement.

    The replacement gets the higher score of the two.
    """
    score = {hit.id: hit.score for hit in hits}
    depth = dict.fromkeys(score, 0)
    links = sorted((hit.replaced for hit in hits if hit.replaced), key=lambda one: one.until)
    # A replacement may itself be replaced.
    for one in links:
        score[one.newer] = max(score[one.newer], score[one.older])
    for one in reversed(links):
        depth[one.older] = depth[one.newer] + 1
    best = max(score.values(), default=0.0) or 1.0
    scored = [replace(hit, score=score[hit.id], relative=round(score[hit.id] / best, 6)) for hit in hits]
    return sorted(scored, key=lambda hit: (-hit.score, depth[hit.id]))


@dataclass(frozen=True, slots=True)
class _Statement:
    """A memory, and what each comparison with another one needs of it.

    Args:
        text: without the quotes of a message.
        speaker: the person that "I" means, or `""` for the user.
    """

    record: Record
    text: str
    speaker: str
    time: tuple[float, float]

    @classmethod
    def of(cls, record: Record) -> "_Statement":
        """Return the statement of a memory."""
        is_message = isinstance(record, Message)
        return cls(
            record=record,
            text=own_words(record.text) if is_message else record.text,
            speaker=record.speaker if is_message else "",
            time=(record.occurred_at.timestamp(), record.recorded_at.timestamp()),
        )


def _replacement_of(older: _Statement, newest_first: Sequence[_Statement]) -> Replacement | None:
    """Return the newest replacement of a memory."""
    for newer in newest_first:
        if newer.time <= older.time:
            return None
        one, other = older.record, newer.record
        if (other.scope.project, other.scope.user) != (one.scope.project, one.scope.user):
            continue
        value = replaced(older.text, newer.text, same_speaker=older.speaker == newer.speaker)
        value = value or _related_to_another(one, other)
        if value is not None:
            return Replacement(older=one.id, newer=other.id, value=value, until=other.occurred_at)
    return None


def _related_to_another(older: Record, newer: Record) -> str | None:
    """Return the new object of the only relation of a short text, if it has one object at a time: the new employer."""
    stated = relations_in(older)
    if len(stated) != 1 or len(older.text) > _LONGEST_RELATION or stated[0].ended:
        return None
    (one,) = stated
    if one.predicate not in ONE_AT_A_TIME:
        return None
    subject, object = named(one.subject), named(one.object)
    later = [
        other.object
        for other in relations_in(newer)
        if other.predicate == one.predicate and named(other.subject) == subject and not other.ended
    ]
    return next((other for other in later if named(other) != object), None)


def _is_statement(record: Record) -> bool:
    """Return True for statements of a user, and for saved or noted ones."""
    match record:
        case Message():
            return record.role is Role.USER and record.trust is Trust.TRUSTED
        case Observation():
            return record.trust is Trust.TRUSTED
        case _:
            return False
