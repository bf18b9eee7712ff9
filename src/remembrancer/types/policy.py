"""Policies of operators: redactions, retention, holds, transfers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias, cast

from remembrancer.types.record import Kind, Observation, Record
from remembrancer.types.scope import Classification, Scope


class PersonalDataType(StrEnum):
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


NAME_TYPES: Final = (PersonalDataType.PERSON, PersonalDataType.PLACE)
"""What is told by a model alone, and looked for only where a scope wants something done with it."""
PATTERN_TYPES: Final = tuple(datum for datum in PersonalDataType if datum not in NAME_TYPES)
"""What is told by its form, and always looked for."""
DEFAULT_REDACTIONS: Final = MappingProxyType(
    {
        datum: Redaction.OFF if datum in (PersonalDataType.IP, *NAME_TYPES) else Redaction.TAG
        for datum in PersonalDataType
    }
)
"""What is done with each kind where no scope says otherwise."""
PERSONAL: Final = "personal"
"""Under which metadata entry a memory is told to hold personal data: the kinds, sorted."""

_KNOWN: Final = frozenset(PersonalDataType)


def strictest(policies: list[Redaction]) -> Redaction:
    """The strictest of some redactions; there must be one."""
    return max(policies, key=list(Redaction).index)


def personal_data_of(metadata: Mapping[str, object]) -> tuple[PersonalDataType, ...]:
    """Of which kinds a memory is told to hold personal data; the entry stands aside where its name was taken."""
    told = [kind for name in (PERSONAL, f"remembrancer.{PERSONAL}") for kind in _kinds(metadata.get(name))]
    return tuple(dict.fromkeys(told))


def _kinds(value: object) -> list[PersonalDataType]:
    if not isinstance(value, list | tuple):
        return []
    return [
        PersonalDataType(kind) for kind in cast(Sequence[object], value) if isinstance(kind, str) and kind in _KNOWN
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataSpan:
    """A piece of personal data: its kind, and where it stands in a text."""

    datum: PersonalDataType
    start: int
    end: int


ENGINE = "transfer 1"
"""What an observation names as its engine that was transferred."""
MARK = "transferred_from"
"""Under which name its metadata says from which project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A policy of a project: what all of it sees is copied to another one, as far as it is open to all.

    Args:
        number: of this grant: what was transferred by another one is another copy.
        lender, reader: the projects.
        reason: why, for whoever meets it.
        revoked: whether its copies are to go; it stands until none is left.
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
    """The project that an observation was transferred from; `None` for one of its own."""
    if not isinstance(record, Observation) or record.engine != ENGINE:
        return None
    return str(record.metadata.get(MARK, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionPolicy:
    """What is done with a kind of personal data that is written in a scope, or in one under it."""

    datum: PersonalDataType
    redaction: Redaction
    set_at: datetime

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"redaction {self.datum}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """How long memories of a scope, and of those under it, are kept; of what several are on, the shortest time holds.

    Args:
        name: what it is called in its scope.
        keep_days: after so many days since the store knew it a memory is deleted, and can be restored for `GRACE`.
        kinds, classifications: of which memories; of all, where none is named.
        scope: in which it was set; `None` before that.
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
    """What must not be deleted, whoever asks: a scope with all under it, or in it one session or a person.

    Args:
        name: such as the number of a case.
        session: of which session alone.
        person: whom memories must name to be held, in any case of letters.
        reason: why, for whoever meets it.
        scope: in which it was set; `None` before that.
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
        """What it is on in its scope, in words."""
        parts = (f"session {self.session}" if self.session else "", f"what names {self.person}" if self.person else "")
        return " and ".join(filter(None, parts)) or "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """An erasure that was begun, and how far it is; once it is done, its receipt.

    Args:
        number: its id.
        subject: what kind.
        name: whose memory, as a fingerprint.
        targets: the scopes that are still to be emptied; none once that is done.
        rows: how many rows are gone by now, by table.
        scopes: how many scopes were emptied by now.
        counted: how many rows the first of the targets had when it was about to be emptied.
        receipt: as it was signed; `None` while it goes on.
        set_at: when it was begun.
        asked: in which scope it was asked for, as a fingerprint; `""` where that is not known.
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
    """Words that an erasure takes, kept until it was looked whether anything still tells them.

    Args:
        number: the id of the erasure.
        part: of it.
        runs: see `governance.looking.kept_runs`.
        set_at: when they were taken.
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
"""Whatever an operator can set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPolicy:
    """A policy of the exact scope, by its name, that holds no longer."""

    id: str
