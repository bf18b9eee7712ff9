"""Search for personal data in a text, and replacing it by marks."""

import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Final

from remembrancer.guard.personal.contacts import addresses, telephones
from remembrancer.guard.personal.names import names
from remembrancer.guard.personal.numbers import LONG, numbers
from remembrancer.guard.threads import off_loop
from remembrancer.language.lookalikes import plain
from remembrancer.language.marking import marked
from remembrancer.types.policy import NAME_TYPES, PATTERN_TYPES, PersonalDataSpan, PersonalDataType, personal_data_of
from remembrancer.types.record import Record

# The surest first.
_RANK: Final = {
    data_type: rank
    for rank, data_type in enumerate(
        (
            PersonalDataType.IBAN,
            PersonalDataType.CARD,
            PersonalDataType.IDENTITY,
            PersonalDataType.EMAIL,
            PersonalDataType.IP,
            PersonalDataType.PHONE,
            *NAME_TYPES,
        )
    )
}
# All data with a form contains one of these.
_OF_FORMS: Final = re.compile(r"[\d@]")
# A closer look begins with this or with `LONG`: digits and capitals in a row, however grouped.
_NUMBER: Final = re.compile(r"\d(?:[ ./()–—-]{0,3}[\dA-Z]){5}")
# How Python writes a line break and other separators.
_ESCAPED: Final = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
# One of each kind, so that everything that verifies them is loaded with its tables.
_EACH: Final = (
    "4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, 123-45-6789, 912-70-1234, ssn 123456789, nhs 943 476 5919,"
    " SIN 046 454 286, 1234567T, tfn 123 456 782, 36 574 261 809, svnr 1237 010180, 756.9217.0769.85, 54362315K,"
    " X2482300W, 2 95 10 99 126 111 93, RCCMNL83S18D969H, bsn 111222333, +44 20 7946 0958"
)
_loaded: list[bool] = []


def find_personal(text: str, among: Collection[PersonalDataType] = PATTERN_TYPES) -> tuple[PersonalDataSpan, ...]:
    """Return the personal data of some kinds in a text, in order and without overlap.

    The text is searched as it looks to a reader, and positions are those in the text as it is. Names are searched only
    if they are among the kinds, which may be slow.

    Raises:
        StoreError: names are among the kinds, and the model that detects them is missing.
    """
    looks = plain(text)
    # All forms are searched, also those of other kinds: a card is no telephone number.
    named = names(looks.text) if any(data_type in among for data_type in NAME_TYPES) else ()
    searches = (numbers, addresses, telephones) if _OF_FORMS.search(looks.text) else ()
    found = _without_overlap([*(one for search in searches for one in search(looks.text)), *named])
    wanted = [one for one in found if one.data_type in among]
    if not looks.removed:
        return tuple(wanted)
    placed = ((one.data_type, looks.span(one.start, one.end)) for one in wanted)
    return tuple(PersonalDataSpan(data_type=data_type, start=start, end=end) for data_type, (start, end) in placed)


def masker(among: Collection[PersonalDataType]) -> Callable[[str], str]:
    """Return a function that replaces the personal data of some kinds in a text by marks, such as `[CARD]`."""
    return lambda text: marked(
        text, ((one.start, one.end, f"[{one.data_type.upper()}]") for one in find_personal(text, among))
    )


async def ready(*values: object) -> None:
    """Load everything that a search of the texts of these values needs, outside of the event loop."""
    if not _loaded and any(has_number(value) for value in values):
        await load()
    kinds = (personal_data_of(value.metadata) for value in values if isinstance(value, Record))
    if any(not set(NAME_TYPES).isdisjoint(found) for found in kinds):
        await off_loop(partial(names, ""))


def has_number(value: object) -> bool:
    """Return True if a text, or a value that contains texts, may contain a number of personal data."""
    try:
        text = _ESCAPED.sub(" ", repr(value))
        return _NUMBER.search(text) is not None or LONG.search(text) is not None
    except (ValueError, RecursionError):
        # More digits or levels than Python writes. It is refused later.
        return True


async def load() -> None:
    """Load everything that a search of any text needs, outside of the event loop."""
    if not _loaded:
        await off_loop(partial(find_personal, _EACH))
        _loaded.append(True)


def _without_overlap(found: Iterable[PersonalDataSpan]) -> list[PersonalDataSpan]:
    """Return the surest kind of what overlaps: those with check digits come first."""
    kept: list[PersonalDataSpan] = []
    for one in sorted(found, key=lambda one: (_RANK[one.data_type], one.start, -one.end)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)
