"""Rejections: the rule for texts that repeat a rejected one.

It applies to writes and to reads, since a text that one scope rejects may be stored in another. It concerns claims and
rules. Messages and episodes remain as they were recorded.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from remembrancer.errors import NotAllowed
from remembrancer.language.lookalikes import plain
from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import find_records
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.feedback import Rejection
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Json, Observation, Record, Rule, title_for

R = TypeVar("R", bound=Record)
CLAIMS = (Observation, Fact, Rule)
REJECTED_STATUSES = (Status.REJECTED, Status.DISMISSED)
"""The statuses of a memory that a person has rejected."""
# The largest difference in length of two texts that are equal when normalised.
_SPARE_CHARACTERS = 64
_SPACE = re.compile(r"\s+")
_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』"
_OPENS = " ([{¿¡…"
_ENDS = " .,;:!?…。，；：！？、)]}-–—"
# Markup: the beginnings of list items, headings and quotes, and emphasis.
_LEAD = re.compile(r"^[^\S\r\n]*(?:[-*+•>#]+[^\S\r\n]+)+", re.MULTILINE)
# Begins a list item, or a German date: "3. Mai".
_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s+")
_EMPHASIS = re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
# Categories of symbols without meaning, and of accents of letters that were made plain.
_IGNORED = ("So", "Sk", "Cf")
_PART = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|[\r\n\u2028\u2029]+")
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）][\s.!?]*$")
_LABEL = re.compile(r"^\s*(?:[\w.'’-][\w.'’ -]{0,40}:\s+){1,3}")
_KEYED = re.compile(r"\s*([\w.-][\w .-]{0,60}?)\s*[:=]\s*(.+)", re.DOTALL)
# A shorter text means nothing without its key. The second limit is for scripts without blanks.
_STATEMENT_WORDS = 3
_STATEMENT_CHARACTERS = 8


def normalised(text: str) -> str:
    """Return a text without case, spacing, markup and punctuation.

    Quotes are removed, too, and lookalike letters replaced.
    """
    plain_text = plain(unicodedata.normalize("NFKC", text)).text.casefold()
    bare = _EMPHASIS.sub("", _LEAD.sub("", plain_text))
    letters = "".join(one for one in bare if one not in _QUOTES and unicodedata.category(one) not in _IGNORED)
    spaced = "".join(" " if letter.isspace() else letter for letter in letters)
    return _SPACE.sub(" ", spaced).lstrip(_OPENS).rstrip(_ENDS) or plain_text


def claim_fingerprints(record: Record, *, sign: Sign) -> tuple[str, ...]:
    """Return fingerprints of all that a memory claims.

    None for a kind that claims nothing.
    """
    if not isinstance(record, CLAIMS):
        return ()
    return tuple(dict.fromkeys(_fingerprint(text, sign) for text in _claims(record)))


def whole_claim_fingerprints(record: Record, *, sign: Sign) -> tuple[str, ...]:
    """Return fingerprints of a memory as a whole, without its sentences."""
    return tuple(dict.fromkeys(_fingerprint(text, sign) for text in _whole(record)))


def text_fingerprints(text: str, *, sign: Sign) -> tuple[str, ...]:
    """Return fingerprints of a text as a whole and of each of its statements."""
    return tuple(dict.fromkeys(_fingerprint(part, sign) for part in (text, *_statements(text))))


async def without_rejected(tx: Tx, records: Sequence[R], *, sign: Sign) -> list[R]:
    """Return the memories that no rejection concerns.

    They neither repeat nor derive from what a person has rejected in a visible scope.
    """
    # Most scopes have no rejections; then no further statement runs.
    if not records or not await tx.rejections.exist():
        return list(records)
    claims = [record for record in records if isinstance(record, CLAIMS)]
    repeating = await find_rejected_claims(tx, claims, sign=sign)
    sources = await _rejected_sources(tx, {id for record in claims for id in record.evidence}, sign=sign)
    out = {record.id for record in claims if record.id in repeating or not sources.isdisjoint(record.evidence)}
    return [record for record in records if record.id not in out]


async def find_rejected_claims(tx: Tx, claims: Sequence[Record], *, sign: Sign) -> set[str]:
    """Return the ids of memories that repeat a rejected text.

    Rejections of all visible scopes count.
    """
    fingerprints = {record.id: claim_fingerprints(record, sign=sign) for record in claims}
    rejected = await _rejected_among(tx, chain(*fingerprints.values()))
    return {id for id, of_record in fingerprints.items() if not rejected.isdisjoint(of_record)}


async def _rejected_among(tx: Tx, fingerprints: Iterable[str]) -> set[str]:
    return {one.words for one in await tx.rejections.matching(sorted({*fingerprints}))}


async def _rejected_sources(tx: Tx, ids: Collection[str], *, sign: Sign) -> set[str]:
    """Return the sources that are rejected, or derive from a rejected one.

    A rejected source counts after its deletion or erasure, and if it is closed to the caller.
    """
    if not ids:
        return set()
    engine = tx.engine()
    sources, pending, visited = dict[str, Record](), set(ids), set(ids)
    while pending:
        records = await find_records(engine, sorted(pending))
        sources |= {source.id: source for source in records}
        pending = {id for source in records if isinstance(source, CLAIMS) for id in source.evidence} - visited
        visited |= pending
    named = await engine.rejections.rejected_records(sorted(visited))
    claims = [source for source in sources.values() if isinstance(source, CLAIMS)]
    rejected = {source.id for source in sources.values() if source.status in REJECTED_STATUSES}
    rejected |= {id for id in named if id not in sources or sources[id].status is Status.DELETED}
    rejected |= await find_rejected_claims(engine, claims, sign=sign)
    while more := {one.id for one in claims if one.id not in rejected and not rejected.isdisjoint(one.evidence)}:
        rejected |= more
    return rejected


def rejections_of(record: Observation, *, sign: Sign) -> list[Rejection]:
    """Return the rejections of an observation.

    They are of its text, and of its text under its topic key.
    """
    return [Rejection(words=_fingerprint(text, sign), record=record.id) for text in _texts(record)]


def erased_name(id: str, *, sign: Sign) -> str:
    """Return the replacement of an erased id in rejections."""
    return sign(f"erased\0{id}")


async def texts_without_rejected(tx: Tx, texts: Sequence[str], *, sign: Sign) -> list[str]:
    """Return the texts that do not repeat a rejected one.

    Rejections of all visible scopes count.
    """
    if not texts or not await tx.rejections.exist():
        return list(texts)
    fingerprints = {text: text_fingerprints(text, sign=sign) for text in texts}
    rejected = await _rejected_among(tx, chain(*fingerprints.values()))
    return [text for text in texts if rejected.isdisjoint(fingerprints[text])]


async def check_sources_not_rejected(tx: Tx, sources: Sequence[Record], *, sign: Sign) -> None:
    """Check that evidence neither is nor derives from a rejected memory.

    Raises:
        NotAllowed: somebody has, even if the rejected memory was deleted since.
    """
    if not sources or not await tx.rejections.exist():
        return
    rejected = await _rejected_sources(tx, {source.id for source in sources}, sign=sign)
    for source in sources:
        if source.id in rejected:
            is_closed = await tx.records.find(source.id) is None
            name = "a memory that is closed to this caller" if is_closed else f"memory {source.id!r}"
            raise NotAllowed(f"its evidence {name} was rejected, or derives from a rejected memory; undo that first")


def repeats_claim(record: Record, rejected: Observation) -> bool:
    """Return True if a memory repeats a claim of another one."""
    return isinstance(record, CLAIMS) and not {*map(normalised, _texts(rejected))}.isdisjoint(
        map(normalised, _claims(record))
    )


def similar_lengths(text: str) -> tuple[int, int]:
    """Return the range of lengths of texts that may be equal.

    They are equal when normalised. Both ends are inclusive.
    """
    return max(1, len(text) - _SPARE_CHARACTERS), len(text) + _SPARE_CHARACTERS


def _claims(record: Record) -> Iterator[str]:
    """Yield each text that a memory claims.

    These are the whole, its statements, its title, and values with their keys.
    """
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
    """Yield the text of a memory, and its text or value under its key."""
    match record:
        case Observation():
            yield from _texts(record)
        case Fact():
            yield record.text
            if isinstance(value := record.details.value, str | int | float):
                yield _under(record.details.key, _in_words(value))
        case _:
            yield record.text


def _values(keys: tuple[str, ...], value: Json) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the scalars in a value as texts, with the keys to them."""
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
    """Yield the sentences and lines that are statements of their own.

    Each comes also without its list number, its speaker label, and a final remark in brackets.
    """
    for part in filter(None, _PART.split(text)):
        unnumbered = _NUMBER.sub("", part)
        bare = _LABEL.sub("", unnumbered)
        yield from filter(_is_statement, dict.fromkeys((part, unnumbered, bare, _IN_BRACKETS.sub("", bare))))


def _is_statement(text: str) -> bool:
    return len(text.split()) >= _STATEMENT_WORDS or (not text.isascii() and len(text) >= _STATEMENT_CHARACTERS)


def _texts(record: Observation) -> list[str]:
    return [record.text, *([_under(record.topic_key, record.text)] if record.topic_key else [])]


def _under(key: str, value: str) -> str:
    return f"{key}\0{value}"


def _fingerprint(text: str, sign: Sign) -> str:
    return sign(f"rejected\0{normalised(text)}")
