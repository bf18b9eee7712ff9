"""Relations that callers declare, as observations."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.language.names import named
from remembrancer.language.relations import DIFFERENT_FROM, MEANT_BY, OF_NAMES, Predicate, Relation
from remembrancer.types.graph import RELATIONS
from remembrancer.types.new import NewObservation
from remembrancer.types.record import Json
from remembrancer.types.scope import check_name

_TAG = "relation"
# Characters of each name in a topic key, which has at most 200.
_HALF = 95


def relation(
    subject: str,
    predicate: str,
    object: str,
    *,
    is_value: bool = False,
    ended: bool = False,
    memories: Sequence[str] = (),
) -> Relation:
    """Return a checked relation.

    Raises:
        InvalidInput: a part is blank or too long, or both ends are the same.
    """
    ends = check_name(subject, what="subject").strip(), check_name(object, what="object").strip()
    kind = "_".join(check_name(predicate, what="predicate").casefold().split())
    if not named(ends[0]) or not (is_value or named(ends[1])):
        raise InvalidInput("a name needs a letter or a digit")
    if named(ends[0]) == named(ends[1]):
        raise InvalidInput(f"{ends[0]!r} and {ends[1]!r} are the same name")
    return Relation(
        subject=ends[0], predicate=kind, object=ends[1], is_name=not is_value, ended=ended, memories=tuple(memories)
    )


def observation(
    relation: Relation, *, text: str = "", reason: str = "", at: datetime | None = None, evidence: Sequence[str] = ()
) -> NewObservation:
    """Return the observation that declares a relation. A later one that merges or splits the same names replaces it."""
    entry: dict[str, Json] = {
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        **({} if relation.is_name else {"is_value": True}),
        **({"ended": True} if relation.ended else {}),
        **({"memories": list(relation.memories)} if relation.memories else {}),
    }
    words = text.strip() or _in_words(relation)
    return NewObservation(
        text=f"{words} Reason: {reason.strip()}" if reason.strip() else words,
        topic_key=_topic(relation),
        tags=[_TAG],
        occurred_at=at,
        evidence=evidence,
        metadata={RELATIONS: [entry]},
    )


def _topic(relation: Relation) -> str | None:
    """Return the topic key of a relation of names, the same for a merge and a split of two names."""
    if relation.predicate not in OF_NAMES or relation.memories:
        return None
    first, second = sorted((named(relation.subject), named(relation.object)))
    return f"names/{first[:_HALF]}={second[:_HALF]}"


def _in_words(relation: Relation) -> str:
    match relation.predicate:
        case Predicate.SAME_AS:
            return f"{relation.subject} and {relation.object} are the same."
        case _ if relation.predicate == DIFFERENT_FROM:
            return f"{relation.subject} and {relation.object} are not the same."
        case _ if relation.predicate == MEANT_BY:
            return f"{len(relation.memories)} memories with the name {relation.object} mean {relation.subject}."
        case _:
            words = f"{relation.subject} {relation.predicate.replace('_', ' ')} {relation.object}"
            return f"{words}: no longer." if relation.ended else f"{words}."
