"""How a record is worded for the text index and for an encoder, without what memory itself had put into it."""

from collections.abc import Iterable
from dataclasses import replace

from remembrancer.language import user_statements as statements
from remembrancer.language.analysis import PREFERENCE_TERM, PREFERENCE_TYPES, STATED_TERM, terms_of
from remembrancer.language.passages import BEFORE_CHARACTERS, heading, passages
from remembrancer.language.preferences import states_preference
from remembrancer.language.quoting import own_words
from remembrancer.language.statements import said_otherwise
from remembrancer.transactions.sealed_blocks import Sign, without_echo
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

# What is looked at of the texts in the metadata of one record.
_METADATA_CHARACTERS = 2_000
_NOT_SEARCHED = frozenset({HARNESS, MARK, REFERENCE})


def terms_in_index(record: Record, *, sign: Sign) -> Terms | None:
    """How a record stands in the text index; `None` for one that is not to be found."""
    if record.status not in LIVE or record.echo or kind_of(record) not in SEARCHED:
        return None
    if isinstance(record, Message) and is_blank(record.text):
        # Such as a call of a tool alone: it would be found by what stands beside it.
        return None
    text = body_of(record, sign)
    terms = terms_of(heading_of(record) + text, labels=labels_of(record))
    marks = {
        term: 1
        for term, has in (
            (PREFERENCE_TERM, _states_preference(record, text)),
            (STATED_TERM, statements.stated_in(record)),
        )
        if has
    }
    return replace(terms, counts={**terms.counts, **marks}) if marks else terms


def _states_preference(record: Record, text: str) -> bool:
    """Whether it is to be heeded where something is asked for: what a user said of themselves, or was saved as such."""
    match record:
        case Message():
            by_user = record.role is Role.USER and record.trust is Trust.TRUSTED and states_preference(text)
            return by_user and states_preference(own_words(text))
        case Observation():
            return record.trust is Trust.TRUSTED and (record.type in PREFERENCE_TYPES or states_preference(record.text))
        case _:
            return False


def labels_of(record: Record) -> list[str]:
    """What a record is found by beside its text: its tags, its topic key and the texts in its metadata.

    An episode is found by who and what it names. What was said or noted is found by the usual words for what it says in
    others, too.
    """
    return [*_labels(record), *_metadata_texts(record)]


def _metadata_texts(record: Record) -> list[str]:
    """The texts at the top of metadata, up to a length; not what an engine or an import writes there."""
    if record.source in (Source.OBSERVER, Source.DETECTOR):
        return []
    found: list[str] = []
    left = _METADATA_CHARACTERS
    for name, value in record.metadata.items():
        if isinstance(value, str) and name not in _NOT_SEARCHED and left > 0:
            found.append(value[:left])
            left -= len(value)
    return found


def _labels(record: Record) -> list[str]:
    match record:
        case Observation():
            return [*record.tags, record.topic_key or "", *said_otherwise(record.text)]
        case Message():
            return [*record.tags, *said_otherwise(record.text)]
        case Episode():
            told = record.details
            named = [entity.name for entity in told.entities]
            return [*record.tags, *named, told.outcome.value, *_attributes(told.attributes)]
        case _:
            return list(record.tags)


def _attributes(attributes: Attributes) -> list[str]:
    """Names and values as words; of what is true the name, of what is not nothing."""
    told = {name: value for name, value in attributes.items() if value is not False}
    return [*told, *(str(value) for value in told.values() if value is not True)]


def passages_of(record: Record, before: Message | None = None, *, sign: Sign) -> list[str]:
    """Return the texts that are embedded for a record.

    Args:
        before: the message before it in its session; left out where `may_precede` says so.
    """
    text = body_of(record, sign)
    if not isinstance(record, Message):
        return passages(text)
    context = ""
    if before is not None and may_precede(before, record):
        named = f"{before.speaker}: " if before.speaker else ""
        context = named + body_of(before, sign)[:BEFORE_CHARACTERS]
    return passages(text, name=record.speaker, before=context)


def may_precede(before: Message, message: Message) -> bool:
    """Return whether a message may be embedded with the one after it.

    Not where it is out of use, untrusted, or classified higher: whoever sees the later one would be told of it.
    """
    return (
        before.status in LIVE
        and not before.echo
        and before.trust is Trust.TRUSTED
        and most_restrictive([before.classification, message.classification]) is message.classification
    )


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of numbers that follow one another, ascending."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and number - runs[-1][1] <= 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def heading_of(record: Record) -> str:
    """Date and speaker, as they stand before the text."""
    return heading(speaker=speaker_of(record), occurred_at=record.occurred_at)


def body_of(record: Record, sign: Sign) -> str:
    """The text of a record under its title, without what memory itself had put into it."""
    text = without_echo(record.text, sign=sign)
    title = title_of(record)
    return f"{title}. {text}" if title and not text.startswith(title) else text
