"""Loading what checks numbers, beside the event loop, with the first text that needs it."""

import re
from functools import partial
from typing import Final

from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.personal.naming import names
from remembrancer.guard.personal.numbers import LONG
from remembrancer.guard.threads import off_loop
from remembrancer.types.personal import NAMES, data_held
from remembrancer.types.record import Record

# What a closer look begins with beside that: digits and capitals in a row, however grouped.
_NUMBER: Final = re.compile(r"\d(?:[ ./()–—-]{0,3}[\dA-Z]){5}")
# How Python writes a line break, and other signs that part what stands beside them.
_ESCAPED: Final = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
# Of each kind one, so that all that checks them is loaded with its tables.
_EACH: Final = (
    "4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, 123-45-6789, 912-70-1234, ssn 123456789, nhs 943 476 5919,"
    " SIN 046 454 286, 1234567T, tfn 123 456 782, 36 574 261 809, svnr 1237 010180, 756.9217.0769.85, 54362315K,"
    " X2482300W, 2 95 10 99 126 111 93, RCCMNL83S18D969H, bsn 111222333, +44 20 7946 0958"
)
_NAMED: Final = frozenset(NAMES)
_loaded: list[bool] = []


async def ready(*told: object) -> None:
    """Nothing, once whatever is needed to look at the texts of these is loaded."""
    if not _loaded and any(has_number(one) for one in told):
        await load()
    if any(isinstance(one, Record) and not _NAMED.isdisjoint(data_held(one.metadata)) for one in told):
        await off_loop(partial(names, ""))


def has_number(told: object) -> bool:
    """Whether a text, or what holds texts, may hold a number of personal data."""
    try:
        text = _ESCAPED.sub(" ", repr(told))
        return _NUMBER.search(text) is not None or LONG.search(text) is not None
    except (ValueError, RecursionError):
        # More digits, or deeper, than Python writes: it is refused later.
        return True


async def load() -> None:
    """Nothing, once whatever is needed to look at any text is loaded."""
    if not _loaded:
        await off_loop(partial(find_personal, _EACH))
        _loaded.append(True)
