"""How a record is worded for the text index and for an encoder: with its date, its speaker, and without echoes."""

from remembrancer.governance.echo import Sign, without_echo
from remembrancer.model.episode import Attributes
from remembrancer.model.lifecycle import LIVE
from remembrancer.model.record import SEARCHED, Episode, Observation, Record, kind_of, speaker_of, title_of
from remembrancer.model.terms import Terms
from remembrancer.retrieval.analysis import terms_of
from remembrancer.retrieval.passages import heading, passages


def terms_in_index(record: Record, *, sign: Sign) -> Terms | None:
    """How a record stands in the text index; `None` for one that is not to be found."""
    if record.status not in LIVE or record.echo or kind_of(record) not in SEARCHED:
        return None
    return terms_of(heading_of(record) + body_of(record, sign), labels=labels_of(record))


def labels_of(record: Record) -> list[str]:
    """What a record is found by beside its text: its tags and its topic key; of an episode, who and what it names."""
    match record:
        case Observation():
            return [*record.tags, record.topic_key or ""]
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


def passages_of(record: Record, *, sign: Sign) -> list[str]:
    """The texts that are embedded for a record."""
    return passages(body_of(record, sign), before=heading_of(record))


def heading_of(record: Record) -> str:
    """Date and speaker, as they stand before the text."""
    return heading(speaker=speaker_of(record), occurred_at=record.occurred_at)


def body_of(record: Record, sign: Sign) -> str:
    """The text of a record under its title, without what memory itself had put into it."""
    text = without_echo(record.text, sign=sign)
    title = title_of(record)
    return f"{title}. {text}" if title and not text.startswith(title) else text
