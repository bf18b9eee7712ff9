"""What counts as saying again what a person has rejected: the one rule, asked wherever a memory comes to be read.

It is asked of what is written, and of what is about to be told: what was rejected in one scope may stand in another.
It is about what memory claims and tells agents to do. What was said and done stays as it was said and done.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from remembrancer.errors import NotAllowed
from remembrancer.governance.echo import Sign
from remembrancer.governance.owning import all_of
from remembrancer.language.lookalikes import plain
from remembrancer.model.lifecycle import Status
from remembrancer.model.record import Fact, Json, Observation, Procedure, Record, title_for
from remembrancer.model.rejection import Rejection
from remembrancer.ports.tx import Tx

R = TypeVar("R", bound=Record)
CLAIMING = (Observation, Fact, Procedure)
PUT_ASIDE = (Status.REJECTED, Status.DISMISSED)
"""In what status a memory is that a person has rejected, while it is there."""
# How much longer or shorter a text may be that is the same when it is folded.
_SPARE_CHARACTERS = 64
_SPACE = re.compile(r"\s+")
_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』"
_OPENS = " ([{¿¡…"
_ENDS = " .,;:!?…。，；：！？、)]}-–—"
# How lists, headings and quotes begin a line, and how words are stressed.
_LEAD = re.compile(r"^\s*(?:(?:[-*+•>#]+|\d{1,3}[.)])\s+)+", re.MULTILINE)
_STRESS = re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
# Signs that say nothing, and marks that stand upon letters which have been made plain.
_SILENT = ("So", "Sk", "Cf")
_PART = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|[\r\n\u2028\u2029]+")
_LABEL = re.compile(r"^\s*(?:[\w.'’-][\w.'’ -]{0,40}:\s+){1,3}")
_KEYED = re.compile(r"\s*([\w.-][\w .-]{0,60}?)\s*[:=]\s*(.+)", re.DOTALL)
# A value of fewer words says nothing without its key; without blanks, one of fewer characters.
_STATEMENT_WORDS = 3
_STATEMENT_CHARACTERS = 8


def folded(text: str) -> str:
    """A text by its words: however it is cased, spaced, stressed, listed, quoted and ended, whatever its letters."""
    looks = plain(unicodedata.normalize("NFKC", text)).text.casefold()
    bare = _STRESS.sub("", _LEAD.sub("", looks))
    said = "".join(letter for letter in bare if letter not in _QUOTES and unicodedata.category(letter) not in _SILENT)
    spaced = "".join(" " if letter.isspace() else letter for letter in said)
    return _SPACE.sub(" ", spaced).lstrip(_OPENS).rstrip(_ENDS) or looks


def words_of(record: Record, *, sign: Sign) -> tuple[str, ...]:
    """Fingerprints of all that a memory claims, for one that claims anything."""
    if not isinstance(record, CLAIMING):
        return ()
    return tuple(dict.fromkeys(_fingerprint(text, sign) for text in _claims(record)))


def words_of_text(text: str, *, sign: Sign) -> tuple[str, ...]:
    """Fingerprints of what a text says: the whole of it, and each statement."""
    return tuple(dict.fromkeys(_fingerprint(part, sign) for part in (text, *_statements(text))))


async def unrejected(tx: Tx, records: Sequence[R], *, sign: Sign) -> list[R]:
    """Those of some memories that say nothing, and rest on nothing, that a person has rejected in a scope that is seen.

    Most scopes have no rejections, and then nothing is looked at.
    """
    if not records or not (await tx.rejections.mark())[0]:
        return list(records)
    words = {record.id: words_of(record, sign=sign) for record in records}
    standing = {one.words for one in await tx.rejections.standing(sorted({*chain(*words.values())}))}
    claims = [record for record in records if isinstance(record, CLAIMING)]
    sources = await all_of(tx, sorted({id for record in claims for id in record.evidence}))
    fallen = {source.id for source in sources if source.status in PUT_ASIDE}
    out = {
        record.id
        for record in claims
        if not (standing.isdisjoint(words[record.id]) and fallen.isdisjoint(record.evidence))
    }
    return [record for record in records if record.id not in out]


def rejections(record: Observation, *, sign: Sign) -> list[Rejection]:
    """What is not to be said again once a person has rejected an observation: its text, and that under its key."""
    return [Rejection(words=_fingerprint(text, sign), record=record.id) for text in _said(record)]


def name_of_erased(id: str, *, sign: Sign) -> str:
    """Under what the rejections of an erased memory stand."""
    return sign(f"erased\0{id}")


async def sayable(tx: Tx, texts: Sequence[str], *, sign: Sign) -> list[str]:
    """Those of some texts that say nothing that a person has rejected in a scope that is seen."""
    if not texts or not (await tx.rejections.mark())[0]:
        return list(texts)
    words = {text: words_of_text(text, sign=sign) for text in texts}
    standing = {one.words for one in await tx.rejections.standing(sorted({*chain(*words.values())}))}
    return [text for text in texts if standing.isdisjoint(words[text])]


async def check_standing(tx: Tx, sources: Sequence[Record]) -> None:
    """Nothing, where no person has rejected what a claim is to rest on, or what that rests on in turn.

    Raises:
        NotAllowed: somebody has; that the memory was deleted since changes nothing.
    """
    seen: set[str] = set()
    while sources:
        for source in sources:
            deleted = source.status is Status.DELETED and isinstance(source, Observation)
            if source.status in PUT_ASIDE or (deleted and await tx.rejections.of(source.id)):
                raise NotAllowed(f"memory {source.id!r}, on which this would rest, was rejected; undo that first")
        seen.update(source.id for source in sources)
        further = {id for source in sources if isinstance(source, CLAIMING) for id in source.evidence}
        sources = await all_of(tx, sorted(further - seen))


def repeats(record: Record, rejected: Observation) -> bool:
    """Whether a memory claims what another one says."""
    return isinstance(record, CLAIMING) and not {*map(folded, _said(rejected))}.isdisjoint(map(folded, _claims(record)))


def about_as_long(text: str) -> tuple[int, int]:
    """Between how many characters a text has that could be the same by its words, both inclusive."""
    return max(1, len(text) - _SPARE_CHARACTERS), len(text) + _SPARE_CHARACTERS


def _claims(record: Record) -> Iterator[str]:
    """Each text that a memory claims: what it says, statement by statement, its title, a value with its key."""
    if isinstance(record, Fact):
        yield record.text
        for value in _values(record.details.value):
            yield _under(record.details.key, value)
            yield from filter(_is_statement, (value, *_statements(value)))
        return
    yield from _said(record) if isinstance(record, Observation) else (record.text,)
    yield from _statements(record.text)
    if keyed := _KEYED.fullmatch(record.text):
        yield _under(keyed[1], keyed[2])
    if isinstance(record, Observation) and record.title not in ("", title_for(record.text)):
        yield record.title


def _values(value: Json) -> Iterator[str]:
    """Every string, number and truth of a value, as text."""
    match value:
        case str():
            yield value
        case None:
            return
        case bool() | int() | float():
            yield json.dumps(value)
        case Mapping():
            for inner in value.values():
                yield from _values(inner)
        case _:
            for inner in value:
                yield from _values(inner)


def _statements(text: str) -> Iterator[str]:
    """The sentences and lines of a text that say something alone, each also without who says it before it."""
    for part in filter(None, _PART.split(text)):
        yield from filter(_is_statement, (part, _LABEL.sub("", part)))


def _is_statement(text: str) -> bool:
    return len(text.split()) >= _STATEMENT_WORDS or (not text.isascii() and len(text) >= _STATEMENT_CHARACTERS)


def _said(record: Observation) -> list[str]:
    return [record.text, *([_under(record.topic_key, record.text)] if record.topic_key else [])]


def _under(key: str, value: str) -> str:
    return f"{key}\0{value}"


def _fingerprint(text: str, sign: Sign) -> str:
    return sign(f"rejected\0{folded(text)}")
