"""Policies: what an operator has set for a scope, and what is under it; each by a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from remembrancer.types.classification import Classification
from remembrancer.types.personal import Datum, Redaction
from remembrancer.types.record import Kind
from remembrancer.types.scope import Scope
from remembrancer.types.transfer import Transfer


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionPolicy:
    """What is done with a kind of personal data that is written in a scope, or in one under it."""

    datum: Datum
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
class Unset:
    """A policy of the exact scope, by its name, that holds no longer."""

    id: str
