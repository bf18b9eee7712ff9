"""What every chat format is read into: turns of named conversations, in the order they were said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_types


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said, wherever it was written down.

    Args:
        conversation: names the dialogue within its format; the same dialogue has the same name on every machine. `""`
            in a file that gives it no id which no other has: the file and what was said tell it apart.
        session: names one sitting of that dialogue; unique within the conversation.
        position: counts the turns of the conversation from 0.
        occurred_at: when it was said (aware), or `None` where the format does not tell.
        written_at: what stands in where no turn says when: the conversation's own time, or the file's.
        reference: the format's own id of the turn, or `""`.
        where: its place in its file, such as `line 3`.

    Raises:
        InvalidInput: a field is not of its annotated type, or a time names no zone.
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
        # Unicode is checked where a turn is recorded: there the error names its line.
        check_types(self)
        for name, when in (("occurred_at", self.occurred_at), ("written_at", self.written_at)):
            if when is not None and when.utcoffset() is None:
                raise InvalidInput(f"{name} {when.isoformat()} names no time zone; add one, such as +00:00")
