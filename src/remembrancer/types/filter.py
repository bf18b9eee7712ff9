"""Which memories are meant."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.characters import same_name, same_value
from remembrancer.types.classification import Classification, Trust
from remembrancer.types.episode import Tier
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.record import Kind, Scalar, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are meant; every part that is given must hold. Dates are inclusive.

    Args:
        tags: all of them must be on the record.
        since, until: bounds of `occurred_at`, inclusive.
        known_by: only what the store knew at that time, in the wording that still stands.
        authors, sources: one of them must be the record's, however it is encoded.
        metadata: names with values; all of them must be in the record's metadata, however they are encoded.
        tiers: of episodes.
        contact: whom episodes concern first, as names are compared; `""` for nobody.
    """

    kinds: tuple[Kind, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = LIVE
    since: datetime | None = None
    until: datetime | None = None
    classifications: tuple[Classification, ...] = ()
    authors: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    metadata: tuple[tuple[str, Scalar], ...] = ()
    minimum_trust: Trust = Trust.UNTRUSTED
    minimum_importance: float = 0.0
    known_by: datetime | None = None
    tiers: tuple[Tier, ...] = ()
    contact: str | None = None

    def __post_init__(self) -> None:
        for field in ("tags", "sessions", "authors"):
            object.__setattr__(self, field, tuple(map(same_name, getattr(self, field))))
        asked = tuple((same_name(name), same_value(value)) for name, value in self.metadata)
        object.__setattr__(self, "metadata", asked)

    def narrows(self) -> bool:
        """Whether the filter leaves out memories that stand in the indexes."""
        return self != Filter()
