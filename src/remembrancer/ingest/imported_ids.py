"""Ids that are derived from what they are given to: the same whenever it comes again."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from remembrancer.storage.tx import Tx
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.write import mark_of

# Of an id, for the place of what was said at one time: a million, and so much room for the rest that none is met twice.
_PLACE_BITS = 20


async def there(tx: Tx, ids: Sequence[str], *, sign: Sign) -> set[str]:
    """Those of the ids that are given, or were given to what is erased: no import brings it back."""
    marks = {mark_of(id, sign=sign): id for id in ids}
    return {*await tx.records.existing(ids), *(marks[mark] for mark in await tx.readings.buried(list(marks)))}


def made_id(millis: int, signed: str, *, place: int | None = None) -> str:
    """A UUID (version 8, RFC 9562) of a time in milliseconds, then of a fingerprint.

    Only the store can make it: who computed it could learn by it what others have imported, or be in their way.

    Args:
        place: goes before the fingerprint: of what was said at one time, the earlier has the smaller id.
    """
    free = 74 if place is None else 74 - _PLACE_BITS
    before = min(max(place or 0, 0), (1 << _PLACE_BITS) - 1)
    tail = before << free | int(signed[:32], 16) & (1 << free) - 1
    return str(uuid.UUID(int=millis << 80 | 0x8 << 76 | tail >> 62 << 64 | 0b10 << 62 | tail & (1 << 62) - 1))


def millis(when: datetime | None) -> int:
    """A time as an id begins with it; 0 for none."""
    return 0 if when is None else max(0, int(when.timestamp() * 1000)) & (1 << 48) - 1
