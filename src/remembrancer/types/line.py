"""What an agent reads of a memory, without the rest of its record."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.personal import Datum
from remembrancer.types.record import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What an agent reads of a message, or of an observation in its log.

    Args:
        number, last: of the message; or of the first and the last message that an observation was drawn from, else 0.
        role, speaker: of a message, else `""`.
        priority: of an observation, 1 to 5, else 0.
        place: in the log; 0 for a message.
        untrusted: whether a page or a tool said it, or what it was concluded from.
        personal: the kinds of personal data that it is told to hold.
    """

    id: str
    kind: Kind
    session: str
    text: str
    occurred_at: datetime
    number: int
    last: int
    role: str
    speaker: str
    priority: int
    refers_to: str
    place: int
    untrusted: bool = False
    personal: tuple[Datum, ...] = ()
