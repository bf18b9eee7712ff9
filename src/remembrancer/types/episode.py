"""What was done, and raw feedback on it: the words for what happened, how it ended, and who it concerned."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Attributes: TypeAlias = Mapping[str, "str | int | float | bool"]
"""What can be counted of something done: flat names to values; a time is ISO text. The names are the caller's."""

MAX_SUMMARY_CHARACTERS = 100
MAX_COMPACT_CHARACTERS = 600
_NAME_PART = re.compile(r"[^\W_]+")
# The types of those whom something concerns; an entity of another type is a thing.
CONTACT_TYPES = ("contact", "person", "organisation")


class Event(StrEnum):
    """What kind of thing happened; `compact` stands for many episodes."""

    ACTION_COMPLETED = "action_completed"
    APPROVAL_APPROVED = "approval_approved"
    APPROVAL_REJECTED = "approval_rejected"
    APPROVAL_MODIFIED = "approval_modified"
    EXCEPTION_RAISED = "exception_raised"
    USER_CORRECTION = "user_correction"
    COMPACT = "compact"


class EpisodeOutcome(StrEnum):
    """How an episode ended."""

    DONE = "done"
    APPROVED = "approved"
    REJECTED = "rejected"
    MODIFIED = "modified"
    EXCEPTION = "exception"


class Tier(StrEnum):
    """How much one episode stands for: itself, a week, or a month with one contact."""

    RAW = "raw"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


class SignalType(StrEnum):
    """What feedback says; the last one is that of a person on an observation: the counter-signal."""

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
    """Somebody or something that an episode concerns.

    Args:
        type: such as `contact`, `person`, `organisation`, `project`, `file`, `product`; lower case.
        name: as it is written.
    """

    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a compact record stands for, counted by the engine; all 0 or more.

    Args:
        interactions: raw episodes.
        outcomes: how many of them ended how, by name; those that are 0 are left out.
        asked: in how many a person was asked for approval.
    """

    interactions: int
    outcomes: Mapping[str, int]
    asked: int

    @property
    def exceptions(self) -> int:
        """How many episodes ended in an exception."""
        return self.outcomes.get(EpisodeOutcome.EXCEPTION, 0)

    @property
    def approval_rate(self) -> float | None:
        """The share of the episodes that asked for approval and were approved, in [0, 1]; `None` where none asked."""
        return min(1.0, self.outcomes.get(EpisodeOutcome.APPROVED, 0) / self.asked) if self.asked else None


def asks_approval(event: Event, outcome: EpisodeOutcome) -> bool:
    """Whether an episode asked a person for approval: what they put right by themselves was never put before them."""
    return event in _APPROVALS or outcome in (EpisodeOutcome.APPROVED, EpisodeOutcome.REJECTED)


_APPROVALS = (Event.APPROVAL_APPROVED, Event.APPROVAL_MODIFIED, Event.APPROVAL_REJECTED)


def folded_name(name: str) -> str:
    """A name as it is compared: case, width and spaces do not matter."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def named_alike(name: str, known: Iterable[str]) -> list[str]:
    """Return the contacts of episodes that a name may mean: it has all parts of theirs, or they have all of its.

    Full name, surname and address name the same: `Marco Bertelli`, `Bertelli`, `marco.bertelli@example.org`.

    Args:
        known: contacts, as names are compared.
    """
    asked = _parts_of_name(folded_name(name))
    return [one for one in known if asked and (asked <= _parts_of_name(one) or asked >= _parts_of_name(one))]


def _parts_of_name(name: str) -> frozenset[str]:
    return frozenset(_NAME_PART.findall(name.partition("@")[0]))


def contact_of(entities: Sequence[Entity]) -> str:
    """The first one whom an episode concerns, as names are compared; `""` for nobody, who is a contact of its own."""
    return folded_name(contact_as_written(entities))


def contact_as_written(entities: Sequence[Entity]) -> str:
    """The first one whom an episode concerns, as the name was given; `""` for nobody."""
    return next((entity.name for entity in entities if entity.type in CONTACT_TYPES), "")
