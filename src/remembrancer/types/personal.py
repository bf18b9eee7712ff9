"""Personal data: the kinds that are told apart, and what a scope wants done with each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, cast


class Datum(StrEnum):
    """A kind of personal data: most can be told by their form and by check digits, names by a model of language."""

    CARD = "card"
    IBAN = "iban"
    IDENTITY = "identity"
    EMAIL = "email"
    PHONE = "phone"
    IP = "ip"
    PERSON = "person"
    PLACE = "place"


class Redaction(StrEnum):
    """What is done with personal data that is found, from the least to the strictest.

    `off`, nothing; `tag`, it stays, the memory is told to hold it, and who may not see it reads a mark in its place;
    `mask`, the mark alone is stored; `refuse`, the text is not taken.
    """

    OFF = "off"
    TAG = "tag"
    MASK = "mask"
    REFUSE = "refuse"


NAMES: Final = (Datum.PERSON, Datum.PLACE)
"""What is told by a model alone, and looked for only where a scope wants something done with it."""
BY_FORM: Final = tuple(datum for datum in Datum if datum not in NAMES)
"""What is told by its form, and always looked for."""
UNLESS_SET: Final = MappingProxyType(
    {datum: Redaction.OFF if datum in (Datum.IP, *NAMES) else Redaction.TAG for datum in Datum}
)
"""What is done with each kind where no scope says otherwise."""
PERSONAL: Final = "personal"
"""Under which metadata entry a memory is told to hold personal data: the kinds, sorted."""

_KNOWN: Final = frozenset(Datum)


def strictest(policies: list[Redaction]) -> Redaction:
    """The strictest of some redactions; there must be one."""
    return max(policies, key=list(Redaction).index)


def data_held(metadata: Mapping[str, object]) -> tuple[Datum, ...]:
    """Of which kinds a memory is told to hold personal data; the entry stands aside where its name was taken."""
    told = [kind for name in (PERSONAL, f"remembrancer.{PERSONAL}") for kind in _kinds(metadata.get(name))]
    return tuple(dict.fromkeys(told))


def _kinds(value: object) -> list[Datum]:
    if not isinstance(value, list | tuple):
        return []
    return [Datum(kind) for kind in cast(Sequence[object], value) if isinstance(kind, str) and kind in _KNOWN]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A piece of personal data: its kind, and where it stands in a text."""

    datum: Datum
    start: int
    end: int
