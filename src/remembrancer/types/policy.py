"""Policies of operators: redaction, retention, legal holds, erasures and transfers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias, cast

from remembrancer.types.record import Kind, Observation, Record
from remembrancer.types.scope import Classification, Scope


class PersonalDataType(StrEnum):
    """Types of personal data. Names are detected by a language model, all others by format and checksum."""

    CARD = "card"
    IBAN = "iban"
    IDENTITY = "identity"
    EMAIL = "email"
    PHONE = "phone"
    IP = "ip"
    PERSON = "person"
    PLACE = "place"


class Redaction(StrEnum):
    """Ways of handling detected personal data, from the least to the most strict.

    `off`: ignore it. `tag`: store it, and mask it for callers without the right `reveal`. `mask`: store a mark in its
    place. `refuse`: reject the text.
    """

    OFF = "off"
    TAG = "tag"
    MASK = "mask"
    REFUSE = "refuse"


NAME_TYPES: Final = (PersonalDataType.PERSON, PersonalDataType.PLACE)
"""Types detected by a model, and only where a redaction is set for them."""
PATTERN_TYPES: Final = tuple(data_type for data_type in PersonalDataType if data_type not in NAME_TYPES)
"""Types detected by format, always."""
DEFAULT_REDACTIONS: Final = MappingProxyType(
    {
        data_type: Redaction.OFF if data_type in (PersonalDataType.IP, *NAME_TYPES) else Redaction.TAG
        for data_type in PersonalDataType
    }
)
"""The redaction of each type without a policy."""
PERSONAL: Final = "personal"
"""The metadata entry with the sorted types of personal data in a memory."""

_KNOWN: Final = frozenset(PersonalDataType)


def strictest(policies: list[Redaction]) -> Redaction:
    """Return the strictest of some redactions; at least one is required."""
    return max(policies, key=list(Redaction).index)


def personal_data_of(metadata: Mapping[str, object]) -> tuple[PersonalDataType, ...]:
    """Return the types of personal data in a memory; its entry has a prefix where a caller used the name itself."""
    types = [kind for name in (PERSONAL, f"remembrancer.{PERSONAL}") for kind in _kinds(metadata.get(name))]
    return tuple(dict.fromkeys(types))


def _kinds(value: object) -> list[PersonalDataType]:
    if not isinstance(value, list | tuple):
        return []
    return [
        PersonalDataType(kind) for kind in cast(Sequence[object], value) if isinstance(kind, str) and kind in _KNOWN
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataSpan:
    """Personal data in a text: its type and position."""

    data_type: PersonalDataType
    start: int
    end: int


ENGINE = "transfer 1"
"""The engine of a transferred observation."""
MARK = "transferred_from"
"""The metadata entry of a transferred observation with its project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A grant that copies shared observations of one project to another.

    Args:
        number: identifies the grant; each grant has its own copies.
        lender: the project that is copied from.
        reader: the project that is copied to.
        revoked: whether its copies are being deleted; the policy exists until all are.
    """

    number: str
    lender: str
    reader: str
    reason: str
    set_at: datetime
    revoked: bool = False

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"transfer {self.reader}"


def transferred_from(record: Record) -> str | None:
    """Return the project that an observation was transferred from, or `None`."""
    if not isinstance(record, Observation) or record.engine != ENGINE:
        return None
    return str(record.metadata.get(MARK, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionPolicy:
    """The redaction of a type of personal data in texts of a scope and of scopes under it."""

    data_type: PersonalDataType
    redaction: Redaction
    set_at: datetime

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"redaction {self.data_type}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """The retention time of memories of a scope and of scopes under it. Of several policies, the shortest applies.

    Args:
        name: unique within its scope.
        keep_days: days after the recording until a memory is deleted; it can then be restored for 30 days.
        kinds, classifications: only these memories; empty for all.
        scope: the scope of the policy; `None` before it is stored.
    """

    name: str
    keep_days: int
    set_at: datetime
    kinds: Sequence[Kind] = ()
    classifications: Sequence[Classification] = ()
    scope: Scope | None = None

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"retention {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHold:
    """A legal hold, which forbids all deletion in a scope and in scopes under it.

    Args:
        name: such as the number of a case.
        reason: is shown to refused callers.
        scope: the scope of the hold; `None` before it is stored.
        session: only this session.
        person: only memories that mention this person, in any case of letters.
    """

    name: str
    reason: str
    set_at: datetime
    scope: Scope | None = None
    session: str | None = None
    person: str | None = None

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"hold {self.name}"

    @property
    def on(self) -> str:
        """The memories that it protects, in words."""
        parts = (f"session {self.session}" if self.session else "", f"mentions of {self.person}" if self.person else "")
        return " and ".join(filter(None, parts)) or "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The progress of an erasure and, at its end, its receipt.

    Args:
        number: the id of the erasure.
        subject: the kind of the subject.
        name: the subject, as a keyed hash.
        targets: the scopes that are not empty yet.
        rows: the number of deleted rows so far, by table.
        scopes: the number of emptied scopes so far.
        counted: the number of rows of the first target before it is emptied.
        receipt: the signed receipt; `None` until the end.
        set_at: the start.
        asked: the scope of the request, as a keyed hash; `""` if unknown.
    """

    number: str
    subject: str
    name: str
    targets: Sequence[Scope]
    rows: Mapping[str, int]
    scopes: int
    set_at: datetime
    receipt: Mapping[str, object] | None = None
    counted: Mapping[str, int] = field(default_factory=dict[str, int])
    asked: str = ""

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"erasure {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedRuns:
    """Hashes of erased words, stored until the search for remains is done.

    Args:
        number: the id of the erasure.
        part: the number of the part.
        runs: the encoded hashes; see `privacy.remains`.
        set_at: the time of the part.
    """

    number: str
    part: str
    runs: str
    set_at: datetime

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"runs {self.number} {self.part}"


Policy: TypeAlias = RedactionPolicy | RetentionPolicy | LegalHold | Erasure | ErasedRuns | Transfer
"""Any policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPolicy:
    """A removed policy of the exact scope, by its id."""

    id: str
