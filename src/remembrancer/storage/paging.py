"""Cursors of pages: the place of the last record that was shown, opaque to callers, alike in every store."""

import base64
import binascii
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.storage.moments import from_micros, to_micros
from remembrancer.types.record import Record


def cursor_at(record: Record) -> str:
    """Where the page after this record goes on."""
    return base64.urlsafe_b64encode(f"{to_micros(record.occurred_at)}:{record.id}".encode()).decode()


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """What `cursor_at` wrote: a time, and an id.

    Raises:
        InvalidInput: it is no cursor.
    """
    try:
        micros, id = base64.urlsafe_b64decode(cursor.encode()).decode().split(":", 1)
        return from_micros(int(micros)), id
    except (ValueError, OverflowError, binascii.Error) as error:
        raise InvalidInput(f"no such cursor: {cursor!r}; pass the one that the page before gave") from error
