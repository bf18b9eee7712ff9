"""Legal holds: what must not be deleted, whoever asks."""

import re
from collections.abc import Sequence

from remembrancer.errors import NotAllowed
from remembrancer.model.archive import Bundle
from remembrancer.model.policy import LegalHold
from remembrancer.model.record import Episode, Message, Record, title_of
from remembrancer.ports.tx import Tx


def refuse_held(what: str, held: Sequence[LegalHold]) -> None:
    """Nothing, where there is no legal hold.

    Raises:
        NotAllowed: there is one.
    """
    if held:
        raise NotAllowed(_refusal(what, held))


def holds(hold: LegalHold, record: Record, bundle: Bundle | None = None) -> bool:
    """Whether a hold is on a memory of its scope, or of one under it.

    Args:
        bundle: with how it read before, which a hold on a person is on, too.
    """
    if hold.session is not None and record.session != hold.session:
        return False
    return hold.person is None or bool(places_named(record, hold.person)) or named_earlier(bundle, hold.person)


async def held_by(tx: Tx, record: Record, kept: Sequence[LegalHold]) -> list[LegalHold]:
    """Those of some holds that are on a memory of the exact scope.

    Args:
        tx: to which no classification is closed.
        kept: the holds that are seen from the scope.
    """
    of_persons = any(hold.person is not None and not holds(hold, record) for hold in kept)
    earlier = of_persons and record.updated_at > record.recorded_at
    bundle = (await tx.archiving.present([record.id]))[record.id].bundle if earlier else None
    return [hold for hold in kept if holds(hold, record, bundle)]


def places_named(record: Record, person: str) -> list[str]:
    """In what of a memory a person is named: as a whole word or words, in any case of letters."""
    told = {
        "text": record.text,
        "title": title_of(record),
        "author": record.author,
        "speaker": record.speaker if isinstance(record, Message) else "",
        "contact": (record.details.contact or "") if isinstance(record, Episode) else "",
        "tags": " ".join(record.tags),
        "metadata": repr(record.metadata) if record.metadata else "",
        "details": repr(getattr(record, "details", "") or getattr(record, "learned", "") or ""),
    }
    return [place for place, said in told.items() if said and names_in(said, person)]


def names_in(text: str, person: str) -> bool:
    """Whether a text names a person: as a whole word or words, in any case of letters."""
    return re.search(rf"(?<!\w){re.escape(person.strip())}(?!\w)", text, re.IGNORECASE) is not None


def named_earlier(bundle: Bundle | None, person: str) -> bool:
    """Whether a person is named in how a memory read before."""
    return bundle is not None and any(names_in(repr(dict(row)), person) for row in bundle.versions)


def _refusal(what: str, held: Sequence[LegalHold]) -> str:
    named = " and ".join(f"{hold.name!r} ({hold.reason})" for hold in held)
    return f"{what} is under the legal hold {named}; nothing deletes it until that is lifted"
