"""Checks of legal holds, which prevent the deletion of memories."""

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

_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
# Letters that no Unicode normalisation decomposes.
_LETTERS: Final = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe"}
)
# With the letters into which Korean syllables are decomposed.
_UNSPACED: Final = re.compile(f"[{UNSPACED}\u1100-\u11ff]")


def refuse_if_on_hold(what: str, holds: Sequence[LegalHold]) -> None:
    """Refuse a deletion if there are legal holds.

    Raises:
        NotAllowed: there is one.
    """
    if holds:
        names = " and ".join(f"{hold.name!r} ({hold.reason})" for hold in holds)
        raise NotAllowed(f"{what} is under the legal hold {names}; nothing deletes it until that is released")


def is_on_hold(hold: LegalHold, record: Record, bundle: RecordBundle | None = None) -> bool:
    """Return True if a hold covers a memory of its scope, or of one below it.

    Args:
        bundle: its earlier versions, which a hold on a person covers, too.
    """
    if hold.session is not None and record.session != hold.session:
        return False
    return (
        hold.person is None or bool(fields_that_name(record, hold.person)) or is_named_in_versions(bundle, hold.person)
    )


async def holds_on(tx: Tx, record: Record, holds: Sequence[LegalHold]) -> list[LegalHold]:
    """Select the holds that cover a memory of the exact scope.

    Args:
        tx: a transaction of the engine.
    """
    has_open_question = any(hold.person is not None and not is_on_hold(hold, record) for hold in holds)
    has_versions = has_open_question and record.updated_at > record.recorded_at
    bundle = (await tx.archives.existing([record.id]))[record.id].bundle if has_versions else None
    return [hold for hold in holds if is_on_hold(hold, record, bundle)]


def fields_that_name(record: Record, person: str) -> list[str]:
    """Return the fields of a memory that name a person; see `is_named_in`."""
    fields: Mapping[str, object] = {
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
    return [name for name, value in fields.items() if is_named_in("\n".join(texts_in(value)), person)]


def is_named_in(text: str, person: str) -> bool:
    """Return True if a text contains a name, ignoring case and accents.

    The name matches as whole words. Punctuation may separate its words. In scripts without spaces between words the
    name may be anywhere.
    """
    name = _normalised(person)
    if not name:
        return False
    return name in _normalised(text) if _UNSPACED.search(name) else f" {name} " in f" {_normalised(text)} "


def is_name(person: str) -> bool:
    """Return True if a text can name somebody.

    It contains a letter or a digit.
    """
    return bool(_normalised(person))


def is_named_in_versions(bundle: RecordBundle | None, person: str) -> bool:
    """Return True if an earlier version of a memory names a person."""
    return bundle is not None and any(is_named_in("\n".join(texts_in(row)), person) for row in bundle.versions)


def _normalised(text: str) -> str:
    """Return the words of a text in lower case, without accents."""
    if text.isascii():
        return " ".join(_BETWEEN_WORDS.sub(" ", text.lower()).split())
    decomposed = unicodedata.normalize("NFKD", legible(text).translate(_LETTERS)).casefold()
    letters = (letter for letter in decomposed if not unicodedata.combining(letter))
    return " ".join("".join(letter if _is_of_word(letter) else " " for letter in letters).split())


def _is_of_word(letter: str) -> bool:
    # The vowels of many scripts are marks.
    return letter.isalnum() or unicodedata.category(letter)[0] == "M"
