"""What an observer makes of a run of messages, before it is admitted as observations."""

from dataclasses import dataclass
from datetime import datetime

LOWEST_PRIORITY = 1
HIGHEST_PRIORITY = 5
MAX_OBSERVATION_BYTES = 32 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One claim, with the messages that it was drawn from.

    Args:
        text: whole sentences that name who said it; dates in it are absolute, never "yesterday".
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 is what must not be forgotten.
        observed_at: when it was said (aware, UTC): within the time of its messages.
        refers_to: the day, month or year that it speaks of, as ISO text (`2026-05-03`, `2026-05`, `2026`), or `""`. It
            may lie in the future.
        first, last: numbers of the first and the last of its messages in their session, both inclusive.
        messages: the numbers of those between them that it rests on; none where it rests on all.
        quoted: whether it tells what somebody else wrote than who sent its messages.
    """

    text: str
    type: str
    priority: int
    observed_at: datetime
    refers_to: str = ""
    first: int
    last: int
    messages: tuple[int, ...] = ()
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkNotes:
    """All that was noted of one run of messages, in the order it was said.

    Args:
        task: what is being worked on at its end, and how far it is; or `""`.
        suggestion: what the agent should keep in mind next; or `""`.
        again: what was noted before and is said again, by its place among what was given as noted, and the number of
            the message that says it.
        uncovered: the numbers of messages of which a claim was dropped, so that it may be lost.
    """

    notes: tuple[Note, ...]
    task: str = ""
    suggestion: str = ""
    again: tuple[tuple[int, int], ...] = ()
    uncovered: tuple[int, ...] = ()
