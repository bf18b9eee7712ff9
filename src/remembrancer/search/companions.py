"""Companion turns: the answer to a message, or the question before it."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.types.record import Message, Record, speaker_of

# The number of recalled records, the best ones, that get companion turns.
_BEST_RECORDS = 8
# The longest companion turn.
SHORT_CHARACTERS = 240
_ASKS = re.compile(r"[?？¿]")


async def companion_turns(
    tx: Tx, records: Sequence[Record], *, as_of: datetime | None = None
) -> Mapping[str, Sequence[Record]]:
    """Return the companion turns of the best messages, by message id.

    Args:
        records: the recalled records, best first.
        as_of: leaves out messages that were not known then.
    """
    messages = [
        record for record in records[:_BEST_RECORDS] if isinstance(record, Message) and record.session and record.number
    ]
    keys = {(one.session or "", one.number + step) for one in messages for step in (-1, 1)}
    headers = await tx.documents.messages_at(sorted(key for key in keys if key[1] > 0))
    neighbours = await tx.documents.records(headers.documents.tolist())
    by_key = {
        (one.session, one.number): one
        for one in (*neighbours.values(), *messages)
        if isinstance(one, Message) and (as_of is None or one.recorded_at <= as_of)
    }
    companions_by_id: dict[str, Sequence[Record]] = {}
    for message in messages:
        before, after = (by_key.get((message.session, message.number + step)) for step in (-1, 1))
        companions = [
            other
            for other, is_needed in (
                (before, before is not None and answers(message, before)),
                (after, after is not None and answers(after, message)),
            )
            if other is not None and is_needed and 0 < len(other.text.strip()) <= SHORT_CHARACTERS
        ]
        if companions:
            companions_by_id[message.id] = companions
    return companions_by_id


def answers(message: Message, before: Message) -> bool:
    """Return True if a turn answers the one before it.

    That one asks a question, and another speaker follows.
    """
    return bool(_ASKS.search(before.text[-SHORT_CHARACTERS:])) and speaker_of(message) != speaker_of(before)
