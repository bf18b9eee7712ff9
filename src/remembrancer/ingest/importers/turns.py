"""Turns: the common form of all chat formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_types


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation, in any format.

    Args:
        conversation: the name of the dialogue, the same on every machine. `""` for a dialogue without a unique id; it
            is then recognised by its file and its messages.
        session: the name of a session of the dialogue; unique within it.
        position: the number of the turn in the conversation, from 0.
        occurred_at: aware, or `None` if the format does not contain it.
        written_at: the default for `occurred_at`: the time of the conversation or of the file.
        reference: the id of the turn in its format, or `""`.
        where: the place in the file, such as `line 3`.

    Raises:
        InvalidInput: a field is not of its annotated type, or a time has no zone.
    """

    conversation: str
    session: str
    position: int
    role: str
    text: str
    speaker: str = ""
    occurred_at: datetime | None = None
    written_at: datetime | None = None
    reference: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    where: str = ""

    def __post_init__(self) -> None:
        # Unicode is checked later, where the error can name the line.
        check_types(self)
        for name, when in (("occurred_at", self.occurred_at), ("written_at", self.written_at)):
            if when is not None and when.utcoffset() is None:
                raise InvalidInput(f"{name} {when.isoformat()} has no time zone; add one, such as +00:00")
