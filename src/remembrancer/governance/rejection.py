"""What counts as saying again what a person has rejected: the one rule, asked wherever a memory comes to be read.

It is about what memory claims and tells agents to do. What was said and done stays as it was said and done.
"""

import re
import unicodedata
from collections.abc import Iterable

from remembrancer.errors import NotAllowed
from remembrancer.governance.echo import Sign
from remembrancer.model.lifecycle import Status
from remembrancer.model.record import Fact, Observation, Procedure, Record, title_for
from remembrancer.model.rejection import Rejection

CLAIMING = (Observation, Fact, Procedure)
PUT_ASIDE = (Status.REJECTED, Status.DISMISSED)
"""In what status a memory is that a person has rejected, while it is there."""
# How much longer or shorter a text may be that is the same when it is folded.
_SPARE_CHARACTERS = 64
_SPACE = re.compile(r"\s+")
_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』"
_ENDS = ".,;:!?…。，；：！？、"
# A value of fewer words says nothing without its key.
_STATEMENT_WORDS = 3


def folded(text: str) -> str:
    """A text by its words: however it is cased, spaced and ended, whatever forms its letters have."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(" " if letter.isspace() else letter for letter in plain if unicodedata.category(letter) != "Cf")
    return _SPACE.sub(" ", spaced).strip(f" {_QUOTES}").rstrip(f" {_QUOTES}{_ENDS}") or plain


def words_of(record: Record, *, sign: Sign) -> tuple[str, ...]:
    """Fingerprints of all that a memory claims, for one that claims anything."""
    if not isinstance(record, CLAIMING):
        return ()
    return tuple(dict.fromkeys(_fingerprint(text, sign) for text in _claims(record)))


def rejections(record: Observation, *, sign: Sign) -> list[Rejection]:
    """What is not to be said again once a person has rejected an observation: its text, and that under its key."""
    return [Rejection(words=_fingerprint(text, sign), record=record.id) for text in _said(record)]


def name_of_erased(id: str, *, sign: Sign) -> str:
    """Under what the rejections of an erased memory stand."""
    return sign(f"erased\0{id}")


def check_standing(sources: Iterable[Record]) -> None:
    """Nothing, where no person has rejected what a claim is to rest on.

    Raises:
        NotAllowed: somebody has.
    """
    for source in sources:
        if source.status in PUT_ASIDE:
            raise NotAllowed(f"memory {source.id!r}, on which this would rest, was rejected; undo that first")


def repeats(record: Record, rejected: Observation) -> bool:
    """Whether a memory claims what another one says."""
    return isinstance(record, CLAIMING) and not {*map(folded, _said(rejected))}.isdisjoint(map(folded, _claims(record)))


def about_as_long(text: str) -> tuple[int, int]:
    """Between how many characters a text has that could be the same by its words, both inclusive."""
    return max(1, len(text) - _SPARE_CHARACTERS), len(text) + _SPARE_CHARACTERS


def _claims(record: Record) -> list[str]:
    """Each text that a memory claims: what it says, its title where that says more, a value with its key."""
    if isinstance(record, Fact):
        value = record.details.value
        if not isinstance(value, str):
            return [record.text]
        whole = [value] if len(value.split()) >= _STATEMENT_WORDS else []
        return [record.text, *whole, _under(record.details.key, value)]
    if not isinstance(record, Observation):
        return [record.text]
    titled = [record.title] if record.title not in ("", title_for(record.text)) else []
    return [*_said(record), *titled]


def _said(record: Observation) -> list[str]:
    return [record.text, *([_under(record.topic_key, record.text)] if record.topic_key else [])]


def _under(key: str, value: str) -> str:
    return f"{key}\0{value}"


def _fingerprint(text: str, sign: Sign) -> str:
    return sign(f"rejected\0{folded(text)}")
