"""What every chat format is read into: turns of named conversations, in the order they were said."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.model.arguments import check_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said, wherever it was written down.

    Args:
        conversation: names the dialogue within its format; the same dialogue has the same name on every machine.
        session: names one sitting of that dialogue; unique within the conversation.
        position: counts the turns of the conversation from 0; a line that was left out keeps its own.
        occurred_at: when it was said (aware), or `None` where the format does not tell.
        written_at: when the file was last written, which stands in where no turn says when.
        reference: the format's own id of the turn, or `""`.

    Raises:
        InvalidInput: a field is not of its annotated type.
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

    def __post_init__(self) -> None:
        check_fields(self)


def fingerprint(text: str) -> str:
    """Eight hex digits of a text: tells two dialogues of one name apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
