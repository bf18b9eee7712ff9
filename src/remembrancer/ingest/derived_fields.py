"""Fields of a record that its draft and its evidence determine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.guard.injection import looks_like_injection
from remembrancer.ingest.classification import classified
from remembrancer.transactions.draft import Draft
from remembrancer.types.details import Details, RuleDetails
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import DEFAULT_IMPORTANCE, Metadata, Record
from remembrancer.types.scope import Classification, Trust, least_trust, most_restrictive
from remembrancer.types.times import utc

_YEARS = range(2, 9_999)
_WORD_SEPARATORS = re.compile(r"[-_/.]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The trust and the classes that a claim inherits."""

    trust: Trust
    classifications: tuple[Classification, ...]


def basis_of(draft: Draft, sources: Sequence[Record]) -> Basis:
    """Return the least trust and all classes of a draft and its evidence."""
    own = () if draft.classification is None else (draft.classification,)
    return Basis(
        trust=least_trust([draft.trust or Trust.TRUSTED, *(source.trust for source in sources)]),
        classifications=(*own, *(source.classification for source in sources)),
    )


def class_of(draft: Draft, basis: Sequence[Classification], metadata: Metadata) -> Classification:
    """Return the class of a memory.

    It is the highest of its own, of its evidence, and of its content and paths.
    """
    own = [] if draft.classification is None else [draft.classification]
    return most_restrictive([classified(draft.text_class, metadata), *own, *basis])


def status_of(text: str, *, is_untrusted: bool, details: Details | None = None) -> Status:
    """Return `active`, or `quarantined` for an unsafe text.

    An untrusted rule is unsafe, and an untrusted text that looks like an injection.
    """
    is_unsafe = is_untrusted and (isinstance(details, RuleDetails) or looks_like_injection(text))
    return Status.QUARANTINED if is_unsafe else Status.ACTIVE


def shown_text(text: str, tags: Sequence[str] | None, key: str | None = None) -> str:
    """Return all that an agent reads of a record.

    After the text come its tags and its topic key as words, one a line.
    """
    return "\n".join([text, *(_WORD_SEPARATORS.sub(" ", name) for name in (*(tags or ()), key or ""))])


def importance_of(draft: Draft) -> float:
    """Return the importance of a draft, or the default."""
    return DEFAULT_IMPORTANCE if draft.importance is None else draft.importance


def occurred_at(draft: Draft, now: datetime) -> datetime:
    """Return the time at which a draft occurred; now by default.

    Raises:
        InvalidInput: it is out of range.
    """
    when = now if draft.occurred_at is None else utc(draft.occurred_at, what="occurred_at")
    if when.year not in _YEARS:
        raise InvalidInput(
            f"occurred_at {when.isoformat()} is out of range; use a year from {_YEARS[0]} to {_YEARS[-1]}"
        )
    return when


def valid_until(draft: Draft, now: datetime) -> datetime | None:
    """Return the end of validity of a draft.

    Raises:
        InvalidInput: it has no time zone, or is in the past.
    """
    if draft.valid_until is None:
        return None
    end = utc(draft.valid_until, what="valid_until")
    if end <= now:
        raise InvalidInput(f"valid_until {end.isoformat()} is in the past; use a later time, or none")
    return end
