"""Legal holds: what must not be deleted, whoever asks."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from remembrancer.errors import NotAllowed
from remembrancer.guard.personal.texts import texts_in
from remembrancer.language.lookalikes import legible
from remembrancer.language.spelling import UNSPACED
from remembrancer.storage.tx import Tx
from remembrancer.types.archive import RecordBundle
from remembrancer.types.policy import LegalHold
from remembrancer.types.record import Episode, Message, Observation, Record, title_of

_BETWEEN: Final = re.compile(r"[\W_]+")
# Letters that no normalisation takes apart.
_LETTERS: Final = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe"}
)
# With the letters that Korean syllables are taken apart into.
_UNSPACED: Final = re.compile(f"[{UNSPACED}\u1100-\u11ff]")


def refuse_held(what: str, held: Sequence[LegalHold]) -> None:
    """Nothing, where there is no legal hold.

    Raises:
        NotAllowed: there is one.
    """
    if held:
        raise NotAllowed(_refusal(what, held))


def holds(hold: LegalHold, record: Record, bundle: RecordBundle | None = None) -> bool:
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
    """In what of a memory a person is named; see `names_in`."""
    told: Mapping[str, object] = {
        "text": record.text,
        "title": title_of(record),
        "author": record.author,
        "speaker": record.speaker if isinstance(record, Message) else "",
        "contact": record.details.contact if isinstance(record, Episode) else "",
        "session": record.session,
        "topic key": record.topic_key if isinstance(record, Observation) else "",
        "tags": record.tags,
        "metadata": record.metadata,
        "details": (getattr(record, "details", None), getattr(record, "learned", None)),
    }
    return [place for place, said in told.items() if names_in("\n".join(texts_in(said)), person)]


def names_in(text: str, person: str) -> bool:
    """Whether a text names a person: by the whole words of the name, in any case of letters, with or without accents.

    Whatever is no letter and no digit may stand between two words of it. Scripts that leave no room between words have
    the name anywhere.
    """
    name = _folded(person)
    if not name:
        return False
    return name in _folded(text) if _UNSPACED.search(name) else f" {name} " in f" {_folded(text)} "


def is_name(person: str) -> bool:
    """Whether a text can name anybody: it has a letter or a digit."""
    return bool(_folded(person))


def named_earlier(bundle: RecordBundle | None, person: str) -> bool:
    """Whether a person is named in how a memory read before."""
    return bundle is not None and any(names_in("\n".join(texts_in(row)), person) for row in bundle.versions)


def _folded(text: str) -> str:
    """The words of a text as names are compared: in small letters without accents, a blank between two."""
    if text.isascii():
        return " ".join(_BETWEEN.sub(" ", text.lower()).split())
    apart = unicodedata.normalize("NFKD", legible(text).translate(_LETTERS)).casefold()
    kept = (letter for letter in apart if not unicodedata.combining(letter))
    return " ".join("".join(letter if _is_of_word(letter) else " " for letter in kept).split())


def _is_of_word(letter: str) -> bool:
    # The vowels of many scripts are marks.
    return letter.isalnum() or unicodedata.category(letter)[0] == "M"


def _refusal(what: str, held: Sequence[LegalHold]) -> str:
    named = " and ".join(f"{hold.name!r} ({hold.reason})" for hold in held)
    return f"{what} is under the legal hold {named}; nothing deletes it until that is lifted"
