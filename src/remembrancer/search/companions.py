"""The turns without which a message is not understood: the answer to what it asks, the question that it answers."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.types.record import Message, Record, speaker_of

# So many of what was recalled, the best, are told with the turns that they need.
_BEST = 8
# A turn that answers, or speaks of what stands before it, is short; and only a short one is told beside another.
SHORT_CHARACTERS = 240
_ASKS = re.compile(r"[?？¿]")


async def needed(tx: Tx, records: Sequence[Record], *, as_of: datetime | None = None) -> Mapping[str, Sequence[Record]]:
    """By the id of each message that needs any, the turns beside it that it needs; of the best that were recalled.

    Args:
        records: what was recalled, best first.
        as_of: leaves out what was not known yet then.
    """
    messages = [
        record for record in records[:_BEST] if isinstance(record, Message) and record.session and record.number
    ]
    wanted = {(one.session or "", one.number + step) for one in messages for step in (-1, 1)}
    headers = await tx.wordings.beside(sorted(place for place in wanted if place[1] > 0))
    found = await tx.wordings.records(headers.documents.tolist())
    beside = {
        (one.session, one.number): one
        for one in (*found.values(), *messages)
        if isinstance(one, Message) and (as_of is None or one.recorded_at <= as_of)
    }
    needs: dict[str, Sequence[Record]] = {}
    for message in messages:
        before, after = (beside.get((message.session, message.number + step)) for step in (-1, 1))
        some = [
            other
            for other, is_needed in (
                (before, before is not None and answers(message, before)),
                (after, after is not None and answers(after, message)),
            )
            if other is not None and is_needed and 0 < len(other.text.strip()) <= SHORT_CHARACTERS
        ]
        if some:
            needs[message.id] = some
    return needs


def answers(message: Message, before: Message) -> bool:
    """Whether a turn answers the one before it: that one asks, and somebody else speaks."""
    return bool(_ASKS.search(before.text[-SHORT_CHARACTERS:])) and speaker_of(message) != speaker_of(before)
