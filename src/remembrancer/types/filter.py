"""The filter of lists and searches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.arguments import check_fields, member, members, within
from remembrancer.types.episode import Tier, folded_name
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.record import Scalar, Source, kinds_within
from remembrancer.types.scope import Classification, Trust
from remembrancer.types.text import check_json, same_name, same_value
from remembrancer.types.times import optional_utc

MAX_CONDITION_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Conditions on memories; all that are set must match. Dates are inclusive.

    The constructor converts names to enum members, sequences to tuples, and times to UTC.

    Args:
        layers: `episodic`, `semantic` or `reflective`: each covers several kinds.
        tags: a record must have all of them.
        statuses: `active` and, for episodes, `raw` by default.
        since, until: bounds of `occurred_at`, inclusive.
        classifications: by default every class that the caller may see.
        authors: names of authors, as they are stored.
        sources: `tool`, `auto-capture`, `user`, `import`, `observer` or `detector`.
        metadata: top-level names and values of the record's metadata; all of them must match.
        minimum_importance: in [0, 1].
        tiers: of episodes: `raw`, `weekly` or `monthly`.
        contact: the first contact of episodes, compared without case; `""` for episodes without one.
        ids: only these memories; for programs that have ids without their scopes.
        known_by: only memories that the store contained then and that were not changed since; set by the engine.

    Raises:
        InvalidInput: a value has the wrong type, or is unknown; the message lists the known ones.
    """

    kinds: Sequence[str] = ()
    types: Sequence[str] = ()
    layers: Sequence[str] = ()
    tags: Sequence[str] = ()
    sessions: Sequence[str] = ()
    statuses: Sequence[str] = LIVE
    since: datetime | None = None
    until: datetime | None = None
    classifications: Sequence[str] = ()
    authors: Sequence[str] = ()
    sources: Sequence[str] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    minimum_trust: str = Trust.UNTRUSTED
    minimum_importance: float = 0.0
    tiers: Sequence[str] = ()
    contact: str | None = None
    ids: Sequence[str] = field(default=(), metadata={"internal": True})
    known_by: datetime | None = field(default=None, metadata={"internal": True})

    def __post_init__(self) -> None:
        check_fields(self)
        since, until = optional_utc(self.since, what="since"), optional_utc(self.until, what="until")
        if since is not None and until is not None and until < since:
            raise InvalidInput("until is before since; swap them")
        within(self.minimum_importance, 0, 1, what="minimum_importance")
        names = {name: tuple(map(same_name, getattr(self, name))) for name in ("tags", "sessions", "authors")}
        converted: dict[str, object] = {
            **names,
            "kinds": kinds_within(self.kinds, self.layers),
            "types": tuple(self.types),
            "layers": tuple(self.layers),
            "statuses": members(Status, self.statuses, "status") or LIVE,
            "since": since,
            "until": until,
            "classifications": members(Classification, self.classifications, "classification"),
            "sources": members(Source, self.sources, "source"),
            "metadata": _metadata(self.metadata),
            "minimum_trust": member(Trust, self.minimum_trust, "minimum_trust"),
            "tiers": members(Tier, self.tiers, "tier"),
            "contact": None if self.contact is None else folded_name(self.contact),
            "ids": tuple(self.ids),
            "known_by": optional_utc(self.known_by, what="known_by"),
        }
        for name, value in converted.items():
            object.__setattr__(self, name, value)

    def narrows(self) -> bool:
        """Return True if the filter excludes memories that are in the indexes."""
        return self != Filter()


def _metadata(conditions: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
    """Return conditions on metadata in normalised form.

    Raises:
        InvalidInput: a value is not a string, a number or a boolean.
    """
    if not conditions:
        return {}
    check_json(conditions, what="metadata", most=MAX_CONDITION_BYTES)
    for name, value in conditions.items():
        if not isinstance(value, str | int | float):  # pyright: ignore[reportUnnecessaryIsInstance] -- of a caller
            raise InvalidInput(f"metadata {quoted(name)} must be a string, a number or a boolean")
    return {same_name(name): same_value(value) for name, value in conditions.items()}
