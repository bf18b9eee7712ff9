"""Relations that a memory states or declares."""

from collections.abc import Iterator, Sequence

from remembrancer.language.relations import Relation, relations_of
from remembrancer.types.graph import RELATIONS
from remembrancer.types.record import Message, Metadata, Observation, Record, Role, Source


def relations_in(record: Record) -> Sequence[Relation]:
    """Return the relations that a memory declares or states; messages of assistants, programs and tools state none.

    "I" is the speaker of a message, or the user of its scope.
    """
    match record:
        case Message() if record.role is Role.USER:
            return relations_of(record.text, speaker=record.speaker or record.scope.user or "")
        case Observation():
            declared = tuple(_declared(record.metadata, by_caller=record.source is not Source.OBSERVER))
            ends = {(one.subject.casefold(), one.predicate, one.object.casefold()) for one in declared}
            stated = relations_of(record.text, speaker=record.scope.user or "")
            return (
                *declared,
                *(one for one in stated if (one.subject.casefold(), one.predicate, one.object.casefold()) not in ends),
            )
        case _:
            return ()


def _declared(metadata: Metadata, *, by_caller: bool) -> Iterator[Relation]:
    """Yield the relations in the entry `relations` of metadata, without incomplete ones."""
    entry = metadata.get(RELATIONS)
    for one in entry if isinstance(entry, list | tuple) else ():
        if not isinstance(one, dict):
            continue
        ends = [one.get(name) for name in ("subject", "predicate", "object")]
        subject, predicate, object = (end.strip() if isinstance(end, str) else "" for end in ends)
        if subject and predicate and object:
            since, memories = one.get("since"), one.get("memories")
            yield Relation(
                subject=subject,
                predicate=predicate,
                object=object,
                is_name=one.get("is_value") is not True,
                ended=one.get("ended") is True,
                since=since if isinstance(since, str) else "",
                declared=by_caller,
                memories=tuple(map(str, memories)) if isinstance(memories, list | tuple) else (),
            )
