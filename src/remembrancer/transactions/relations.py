"""Relations that a memory states."""

from collections.abc import Sequence

from remembrancer.language.relations import Relation, relations_of
from remembrancer.types.record import Message, Observation, Record, Role


def relations_in(record: Record) -> Sequence[Relation]:
    """Return the relations that a memory states; messages of assistants, programs and tools state none.

    "I" is the speaker of a message, or the user of its scope.
    """
    match record:
        case Message() if record.role is Role.USER:
            return relations_of(record.text, speaker=record.speaker or record.scope.user or "")
        case Observation():
            return relations_of(record.text, speaker=record.scope.user or "")
        case _:
            return ()
