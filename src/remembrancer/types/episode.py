"""The vocabulary of episodes and signals: events, outcomes, entities and contacts."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Attributes: TypeAlias = Mapping[str, "str | int | float | bool"]
"""Values of an action that can be counted, by name. The caller chooses the names; times are ISO strings."""

MAX_SUMMARY_CHARACTERS = 100
MAX_COMPACT_CHARACTERS = 600
_NAME_PART = re.compile(r"[^\W_]+")
# Entities of these types are contacts; all others are things.
CONTACT_TYPES = ("contact", "person", "organisation")


class Event(StrEnum):
    """Types of episodes. A `compact` record summarises several episodes."""

    ACTION_COMPLETED = "action_completed"
    APPROVAL_APPROVED = "approval_approved"
    APPROVAL_REJECTED = "approval_rejected"
    APPROVAL_MODIFIED = "approval_modified"
    EXCEPTION_RAISED = "exception_raised"
    USER_CORRECTION = "user_correction"
    COMPACT = "compact"


class EpisodeOutcome(StrEnum):
    """Outcomes of an episode."""

    DONE = "done"
    APPROVED = "approved"
    REJECTED = "rejected"
    MODIFIED = "modified"
    EXCEPTION = "exception"


class Tier(StrEnum):
    """Levels of compaction: one episode, or the episodes of a week or month with one contact."""

    RAW = "raw"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


class SignalType(StrEnum):
    """Types of signals. `observation_rejected` records a person's verdict on an observation."""

    DRAFT_MODIFIED = "draft_modified"
    APPROVAL_REJECTED = "approval_rejected"
    ROUTED_DIFFERENTLY = "routed_differently"
    EXCEPTION_SURFACED = "exception_surfaced"
    CORRECTION = "correction"
    OBSERVATION_REJECTED = "observation_rejected"


OUTCOME_OF: Mapping[Event, EpisodeOutcome] = {
    Event.ACTION_COMPLETED: EpisodeOutcome.DONE,
    Event.APPROVAL_APPROVED: EpisodeOutcome.APPROVED,
    Event.APPROVAL_REJECTED: EpisodeOutcome.REJECTED,
    Event.APPROVAL_MODIFIED: EpisodeOutcome.MODIFIED,
    Event.EXCEPTION_RAISED: EpisodeOutcome.EXCEPTION,
    Event.USER_CORRECTION: EpisodeOutcome.MODIFIED,
    Event.COMPACT: EpisodeOutcome.DONE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person or thing that an episode concerns.

    Args:
        type: in lower case, such as `contact`, `person`, `organisation`, `project`, `file` or `product`.
        name: the name as written.
    """

    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The counts of a compact record.

    Args:
        interactions: the number of episodes.
        outcomes: the number of episodes by outcome, without zeros.
        asked: the number of episodes that asked a person for approval.
    """

    interactions: int
    outcomes: Mapping[str, int]
    asked: int

    @property
    def exceptions(self) -> int:
        """The number of episodes that ended in an exception."""
        return self.outcomes.get(EpisodeOutcome.EXCEPTION, 0)

    @property
    def approval_rate(self) -> float | None:
        """The share of approved episodes among those that asked for approval, in [0, 1]; `None` for none."""
        return min(1.0, self.outcomes.get(EpisodeOutcome.APPROVED, 0) / self.asked) if self.asked else None


def asks_approval(event: Event, outcome: EpisodeOutcome) -> bool:
    """Return True if an episode asked a person for approval. A correction by the person alone did not."""
    return event in _APPROVALS or outcome in (EpisodeOutcome.APPROVED, EpisodeOutcome.REJECTED)


_APPROVALS = (Event.APPROVAL_APPROVED, Event.APPROVAL_MODIFIED, Event.APPROVAL_REJECTED)


def folded_name(name: str) -> str:
    """Return a name for comparison: without differences of case, width and spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def named_alike(name: str, known: Iterable[str]) -> list[str]:
    """Return the contacts that a name may mean: one of the two names has all parts of the other.

    `Marco Bertelli`, `Bertelli` and `marco.bertelli@example.org` match each other.

    Args:
        known: contacts as `folded_name` returns them.
    """
    parts = _parts_of_name(folded_name(name))
    return [one for one in known if parts and (parts <= _parts_of_name(one) or parts >= _parts_of_name(one))]


def _parts_of_name(name: str) -> frozenset[str]:
    return frozenset(_NAME_PART.findall(name.partition("@")[0]))


def contact_of(entities: Sequence[Entity]) -> str:
    """Return the first contact of an episode, folded for comparison; `""` if it has no contact."""
    return folded_name(contact_as_written(entities))


def contact_as_written(entities: Sequence[Entity]) -> str:
    """Return the first contact of an episode as written; `""` if it has no contact."""
    return next((entity.name for entity in entities if entity.type in CONTACT_TYPES), "")
