"""What counts as saying again what a person has rejected: the one rule, asked wherever a memory comes to be read.

It is asked of what is written, and of what is about to be told: what was rejected in one scope may stand in another.
It is about what memory claims and tells agents to do. What was said and done stays as it was said and done.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from remembrancer.errors import NotAllowed
from remembrancer.language.lookalikes import plain
from remembrancer.storage.tx import Tx
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.ownership import all_of
from remembrancer.types.feedback import Rejection
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Json, Observation, Record, Rule, title_for

R = TypeVar("R", bound=Record)
CLAIMING = (Observation, Fact, Rule)
PUT_ASIDE = (Status.REJECTED, Status.DISMISSED)
"""In what status a memory is that a person has rejected, while it is there."""
# How much longer or shorter a text may be that is the same when it is folded.
_SPARE_CHARACTERS = 64
_SPACE = re.compile(r"\s+")
_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』"
_OPENS = " ([{¿¡…"
_ENDS = " .,;:!?…。，；：！？、)]}-–—"
# How lists, headings and quotes begin a line, and how words are stressed.
_LEAD = re.compile(r"^[^\S\r\n]*(?:[-*+•>#]+[^\S\r\n]+)+", re.MULTILINE)
# Of a line in a list, or of a German date: "3. Mai".
_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s+")
_STRESS = re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
# Signs that say nothing, and marks that stand upon letters which have been made plain.
_SILENT = ("So", "Sk", "Cf")
_PART = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|[\r\n\u2028\u2029]+")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）][\s.!?]*$")
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


def whole_words_of(record: Record, *, sign: Sign) -> tuple[str, ...]:
    """Fingerprints of what a memory claims as a whole, and not of each of its sentences."""
    return tuple(dict.fromkeys(_fingerprint(text, sign) for text in _whole(record)))


def words_of_text(text: str, *, sign: Sign) -> tuple[str, ...]:
    """Fingerprints of what a text says: the whole of it, and each statement."""
    return tuple(dict.fromkeys(_fingerprint(part, sign) for part in (text, *_statements(text))))


async def unrejected(tx: Tx, records: Sequence[R], *, sign: Sign) -> list[R]:
    """Those of some memories that say nothing, and rest on nothing, that a person has rejected in a scope that is seen.

    Most scopes have no rejections, and then nothing is looked at.
    """
    if not records or not await tx.rejections.stand():
        return list(records)
    claims = [record for record in records if isinstance(record, CLAIMING)]
    said = await saying_rejected(tx, claims, sign=sign)
    fallen = await _fallen(tx, {id for record in claims for id in record.evidence}, sign=sign)
    out = {record.id for record in claims if record.id in said or not fallen.isdisjoint(record.evidence)}
    return [record for record in records if record.id not in out]


async def saying_rejected(tx: Tx, claims: Sequence[Record], *, sign: Sign) -> set[str]:
    """The ids of those of some memories that say what a person has rejected in a scope that is seen."""
    words = {record.id: words_of(record, sign=sign) for record in claims}
    standing = {one.words for one in await tx.rejections.standing(sorted({*chain(*words.values())}))}
    return {id for id, said in words.items() if not standing.isdisjoint(said)}


async def _fallen(tx: Tx, ids: Collection[str], *, sign: Sign) -> set[str]:
    """Those of some sources that a person has rejected, and what of them rests on such a one, however far down.

    A source that was deleted or erased since is as rejected as before, and so is one that is closed to the caller.
    """
    if not ids:
        return set()
    behind = tx.engine()
    sources, waiting, asked = dict[str, Record](), set(ids), set(ids)
    while waiting:
        found = await all_of(behind, sorted(waiting))
        sources |= {source.id: source for source in found}
        waiting = {id for source in found if isinstance(source, CLAIMING) for id in source.evidence} - asked
        asked |= waiting
    named = await behind.rejections.naming(sorted(asked))
    claims = [source for source in sources.values() if isinstance(source, CLAIMING)]
    fallen = {source.id for source in sources.values() if source.status in PUT_ASIDE}
    fallen |= {id for id in named if id not in sources or sources[id].status is Status.DELETED}
    fallen |= await saying_rejected(behind, claims, sign=sign)
    while more := {one.id for one in claims if one.id not in fallen and not fallen.isdisjoint(one.evidence)}:
        fallen |= more
    return fallen


def rejections(record: Observation, *, sign: Sign) -> list[Rejection]:
    """What is not to be said again once a person has rejected an observation: its text, and that under its key."""
    return [Rejection(words=_fingerprint(text, sign), record=record.id) for text in _said(record)]


def name_of_erased(id: str, *, sign: Sign) -> str:
    """Under what the rejections of an erased memory stand."""
    return sign(f"erased\0{id}")


async def sayable(tx: Tx, texts: Sequence[str], *, sign: Sign) -> list[str]:
    """Those of some texts that say nothing that a person has rejected in a scope that is seen."""
    if not texts or not await tx.rejections.stand():
        return list(texts)
    words = {text: words_of_text(text, sign=sign) for text in texts}
    standing = {one.words for one in await tx.rejections.standing(sorted({*chain(*words.values())}))}
    return [text for text in texts if standing.isdisjoint(words[text])]


async def check_standing(tx: Tx, sources: Sequence[Record], *, sign: Sign) -> None:
    """Nothing, where no person has rejected what a claim is to rest on, or what that rests on in turn.

    Raises:
        NotAllowed: somebody has; that the memory was deleted since changes nothing.
    """
    if not sources or not await tx.rejections.stand():
        return
    fallen = await _fallen(tx, {source.id for source in sources}, sign=sign)
    for source in sources:
        if source.id in fallen:
            is_closed = await tx.records.find(source.id) is None
            told = "a memory that is closed to this caller" if is_closed else f"memory {source.id!r}"
            raise NotAllowed(f"{told}, on which this would rest, was rejected, or rests on what was; undo that first")


def repeats(record: Record, rejected: Observation) -> bool:
    """Whether a memory claims what another one says."""
    return isinstance(record, CLAIMING) and not {*map(folded, _said(rejected))}.isdisjoint(map(folded, _claims(record)))


def about_as_long(text: str) -> tuple[int, int]:
    """Between how many characters a text has that could be the same by its words, both inclusive."""
    return max(1, len(text) - _SPARE_CHARACTERS), len(text) + _SPARE_CHARACTERS


def _claims(record: Record) -> Iterator[str]:
    """Each text that a memory claims: what it says, statement by statement, its title, a value with its key."""
    if isinstance(record, Fact):
        yield from _whole(record)
        for keys, value in _values((record.details.key,), record.details.value):
            yield from (_under(key, value) for key in keys)
            yield from filter(_is_statement, (*keys, value, *_statements(value)))
        return
    yield from _whole(record)
    yield from _statements(record.text)
    for line in dict.fromkeys((record.text, *record.text.splitlines())):
        if keyed := _KEYED.fullmatch(line):
            yield _under(keyed[1], keyed[2])
    if isinstance(record, Observation) and record.title not in ("", title_for(record.text)):
        yield record.title
        yield from _statements(record.title)


def _whole(record: Record) -> Iterator[str]:
    """What a memory claims taken as a whole, and that under its key."""
    match record:
        case Observation():
            yield from _said(record)
        case Fact():
            yield record.text
            if isinstance(value := record.details.value, str | int | float):
                yield _under(record.details.key, _in_words(value))
        case _:
            yield record.text


def _values(keys: tuple[str, ...], value: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string, number and truth of a value as text, each with the keys under which it stands."""
    match value:
        case None:
            return
        case str() | bool() | int() | float():
            yield keys, _in_words(value)
        case Mapping():
            for name, inner in value.items():
                yield from _values((*keys, name), inner)
        case _:
            for inner in value:
                yield from _values(keys, inner)


def _in_words(value: str | float) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _statements(text: str) -> Iterator[str]:
    """The sentences and lines of a text that say something alone.

    Each also without its number in a list, who says it before it, and what stands in brackets behind it.
    """
    for part in filter(None, _PART.split(text)):
        unnumbered = _NUMBER.sub("", part)
        bare = _LABEL.sub("", unnumbered)
        yield from filter(_is_statement, dict.fromkeys((part, unnumbered, bare, _ASIDE.sub("", bare))))


def _is_statement(text: str) -> bool:
    return len(text.split()) >= _STATEMENT_WORDS or (not text.isascii() and len(text) >= _STATEMENT_CHARACTERS)


def _said(record: Observation) -> list[str]:
    return [record.text, *([_under(record.topic_key, record.text)] if record.topic_key else [])]


def _under(key: str, value: str) -> str:
    return f"{key}\0{value}"


def _fingerprint(text: str, sign: Sign) -> str:
    return sign(f"rejected\0{folded(text)}")
