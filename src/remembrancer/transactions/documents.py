"""Indexed documents: the terms and the passages of records.

They contain no sealed blocks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from remembrancer.language import user_statements as statements
from remembrancer.language.analysis import (
    PREFERENCE_TERM,
    PREFERENCE_TYPES,
    RELATION_TERM,
    STATED_TERM,
    alias_term,
    maybe_name_term,
    name_part_term,
    name_term,
    spelling_term,
    terms_of,
)
from remembrancer.language.declarations import states_preference
from remembrancer.language.name_forms import plain_spellings
from remembrancer.language.names import named, names_in
from remembrancer.language.passages import BEFORE_CHARACTERS, heading, passages
from remembrancer.language.quoting import own_words
from remembrancer.language.relations import OF_NAMES, Relation
from remembrancer.language.replacement import rewordings
from remembrancer.transactions.relations import relations_in
from remembrancer.transactions.sealed_blocks import Sign, without_blocks
from remembrancer.types.episode import Attributes
from remembrancer.types.index import Terms
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.policy import MARK
from remembrancer.types.record import (
    HARNESS,
    REFERENCE,
    SEARCHED,
    Episode,
    Message,
    Observation,
    Record,
    Role,
    Source,
    kind_of,
    speaker_of,
    title_of,
)
from remembrancer.types.scope import Trust, most_restrictive
from remembrancer.types.text import is_blank

# Characters of the metadata of one record that are indexed.
_METADATA_CHARACTERS = 2_000
_NOT_INDEXED = frozenset({HARNESS, MARK, REFERENCE})


def terms_in_index(record: Record, *, sign: Sign) -> Terms | None:
    """Return the entry of a record in the text index.

    `None` for one that search must not find.
    """
    if record.status not in LIVE or record.echo or kind_of(record) not in SEARCHED:
        return None
    if isinstance(record, Message) and is_blank(record.text):
        # Such as a bare tool call: only its labels could match.
        return None
    text = body_of(record, sign)
    terms = terms_of(heading_of(record) + text, labels=labels_of(record))
    relations = relations_in(record)
    marks = dict.fromkeys((*_name_terms(record, text), *_alias_terms(relations)), 1)
    marks |= {
        term: 1
        for term, applies in (
            (PREFERENCE_TERM, _states_preference(record, text)),
            (STATED_TERM, statements.stated_in(record)),
            (RELATION_TERM, bool(relations)),
        )
        if applies
    }
    return replace(terms, counts={**terms.counts, **marks}) if marks else terms


def _name_terms(record: Record, text: str) -> Iterable[str]:
    """Yield the terms of the names in a record, and of their words: shown to be parts of names, or perhaps."""
    names = {**names_in(text), **dict.fromkeys(declared_names(record), True)}
    yield from map(name_term, names)
    yield from (spelling_term(one) for name in names if not name.isascii() for one in plain_spellings(name))
    # The name of a speaker is a word of the index by the heading alone.
    speaker = named(record.speaker) if isinstance(record, Message) else ""
    shown = {word for name in (*names, speaker) if names.get(name, True) and " s " not in name for word in name.split()}
    yield from map(name_part_term, shown)
    yield from map(maybe_name_term, {word for name in names for word in name.split()} - shown)


def _alias_terms(relations: Sequence[Relation]) -> Iterable[str]:
    """Yield the terms of the names that are stated to be the same as others, or not."""
    for one in relations:
        if one.predicate in OF_NAMES:
            yield from map(alias_term, (named(one.subject), named(one.object)))


def declared_names(record: Record) -> Iterable[str]:
    """Yield the names of a record's relations, and those of the entities that an episode declares."""
    declared = record.details.entities if isinstance(record, Episode) else ()
    yield from filter(None, (named(entity.name) for entity in declared))
    for relation in relations_in(record):
        yield named(relation.subject)
        if relation.is_name:
            yield named(relation.object)


def _states_preference(record: Record, text: str) -> bool:
    """Return True if a record states a preference of the user."""
    match record:
        case Message():
            by_user = record.role is Role.USER and record.trust is Trust.TRUSTED and states_preference(text)
            return by_user and states_preference(own_words(text))
        case Observation():
            return record.trust is Trust.TRUSTED and (record.type in PREFERENCE_TYPES or states_preference(record.text))
        case _:
            return False


def labels_of(record: Record) -> list[str]:
    """Return further words by which a record is found.

    These are tags, the topic key, metadata and synonyms. An episode has its entities, outcome and attributes. Messages
    and observations have common synonyms of their statements.
    """
    return [*_labels(record), *_metadata_texts(record)]


def _metadata_texts(record: Record) -> list[str]:
    """Return the strings at the top of a caller's metadata.

    They are limited in length. Metadata of engines and imports is not indexed.
    """
    if record.source in (Source.OBSERVER, Source.DETECTOR):
        return []
    texts: list[str] = []
    left = _METADATA_CHARACTERS
    for name, value in record.metadata.items():
        if isinstance(value, str) and name not in _NOT_INDEXED and left > 0:
            texts.append(value[:left])
            left -= len(value)
    return texts


def _labels(record: Record) -> list[str]:
    match record:
        case Observation():
            return [*record.tags, record.topic_key or "", *rewordings(record.text)]
        case Message():
            return [*record.tags, *rewordings(record.text)]
        case Episode():
            details = record.details
            names = [entity.name for entity in details.entities]
            return [*record.tags, *names, details.outcome.value, *_attributes(details.attributes)]
        case _:
            return list(record.tags)


def _attributes(attributes: Attributes) -> list[str]:
    """Return names and values as words.

    A boolean is its name if true, and left out if false.
    """
    present = {name: value for name, value in attributes.items() if value is not False}
    return [*present, *(str(value) for value in present.values() if value is not True)]


def passages_of(record: Record, before: Message | None = None, *, sign: Sign) -> list[str]:
    """Return the texts that are embedded for a record.

    Args:
        before: the message before it in its session; ignored unless `may_precede` allows it.
    """
    text = body_of(record, sign)
    if not isinstance(record, Message):
        return passages(text)
    context = ""
    if before is not None and may_precede(before, record):
        speaker = f"{before.speaker}: " if before.speaker else ""
        context = speaker + body_of(before, sign)[:BEFORE_CHARACTERS]
    return passages(text, name=record.speaker, before=context)


def may_precede(before: Message, message: Message) -> bool:
    """Return True if a message may be embedded with the one after it.

    It must be in use, trusted, and of no higher class, since the vector of the later message reveals it.
    """
    return (
        before.status in LIVE
        and not before.echo
        and before.trust is Trust.TRUSTED
        and most_restrictive([before.classification, message.classification]) is message.classification
    )


def number_ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the ranges of consecutive numbers, ascending."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and number - ranges[-1][1] <= 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return ranges


def heading_of(record: Record) -> str:
    """Return the date and the speaker, as they precede the text."""
    return heading(speaker=speaker_of(record), occurred_at=record.occurred_at)


def body_of(record: Record, sign: Sign) -> str:
    """Return the text of a record after its title, without sealed blocks."""
    text = without_blocks(record.text, sign=sign)
    title = title_of(record)
    return f"{title}. {text}" if title and not text.startswith(title) else text
