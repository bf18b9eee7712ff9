"""What becomes of a record, and how it read before."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.classification import Classification, Trust
from remembrancer.types.details import Details, EpisodeDetails
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Metadata, Record, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A new state of a record; `None` leaves a part as it is.

    Args:
        evidence: sources that come to those it has.
        place: its place in the log.
        details: what its kind has beyond the others.
        author, source, occurred_at: who says what it says from now on, where that came from, and when it was said.
        valid_until: until when it is valid; what becomes active after its end has no end, if none is given.
        reworded: whether the change counts as a revision of the wording.
    """

    text: str | None = None
    hash: str | None = None
    title: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata | None = None
    session: str | None = None
    author: str | None = None
    source: Source | None = None
    occurred_at: datetime | None = None
    importance: float | None = None
    classification: Classification | None = None
    trust: Trust | None = None
    status: Status | None = None
    echo: bool | None = None
    place: int | None = None
    details: Details | None = None
    valid_until: datetime | None = None
    evidence: tuple[str, ...] = ()
    reworded: bool = False

    @property
    def leaves_words(self) -> bool:
        """Whether what is embedded of the record stays as it reads."""
        return (self.text, self.title, self.echo, self.occurred_at) == (None,) * 4

    @property
    def leaves_labels(self) -> bool:
        """Whether what the record is found by beside its words, and not embedded, stays as it is."""
        return self.tags is None and self.metadata is None and not isinstance(self.details, EpisodeDetails)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """How a record read during a stretch of time; `until` is `None` for the present wording."""

    record: Record
    since: datetime
    until: datetime | None
