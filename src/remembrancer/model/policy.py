"""Policies: what an operator has set for a scope, and what is under it; each by a name."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from remembrancer.model.personal import Datum, Redaction


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


Policy: TypeAlias = RedactionPolicy
"""Whatever an operator can set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unset:
    """A policy of the exact scope, by its name, that holds no longer."""

    id: str
