"""Readmission of records of our own exports.

They are cleaned and classified again for the importing scope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from remembrancer.guard.redact import SecretPolicy
from remembrancer.ingest.derived_fields import basis_of, class_of, occurred_at, shown_text, status_of
from remembrancer.ingest.draft_cleaning import check_cleanable, cleaned_drafts
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft, checked_draft
from remembrancer.transactions.ownership import find_records
from remembrancer.transactions.sealed_blocks import without_blocks
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.lifecycle import LIVE_IN, Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.policy import PersonalDataType, Redaction
from remembrancer.types.record import (
    Episode,
    Fact,
    Message,
    Observation,
    Record,
    Rule,
    details_of,
    title_for,
)
from remembrancer.types.scope import Trust
from remembrancer.types.text import hash_of
from remembrancer.types.times import utc


async def readmit(writer: WriteTransaction, records: Sequence[Record]) -> list[Record]:
    """Return exported records as this scope may store them.

    They are cleaned, classified and hashed again.

    Raises:
        InvalidInput: one is not allowed.
        NotAllowed: one contains what a policy refuses.
    """
    rules = writer.rules
    drafts = await cleaned_drafts(writer, [checked_draft(draft_of_record(one), rules.types) for one in records])
    evidence = list(dict.fromkeys(id for record in records for id in record.evidence))
    sources = {source.id: source for source in await find_records(writer.tx, evidence)}
    # Their evidence may be among them.
    sources |= {record.id: record for record in records}
    readmitted: list[Record] = []
    for record, draft in zip(records, drafts, strict=True):
        one = _from_draft(writer, record, draft, [sources[id] for id in record.evidence if id in sources])
        sources[one.id] = one
        readmitted.append(one)
    return readmitted


def check_readmission(record: Record, rules: Dependencies, policies: Mapping[PersonalDataType, Redaction]) -> None:
    """Check that a scope with these redactions may store a record.

    Raises:
        InvalidInput: it is not allowed.
        NotAllowed: it contains what a policy refuses.
    """
    draft = checked_draft(draft_of_record(record), rules.types)
    if rules.secrets is SecretPolicy.REFUSE or any(one is not Redaction.OFF for one in policies.values()):
        check_cleanable(draft, rules, policies)


def draft_of_record(record: Record) -> Draft:
    """Return the draft that would create a record."""
    message = record if isinstance(record, Message) else None
    claim = record if isinstance(record, Observation) else None
    return Draft(
        id=record.id,
        text=record.text,
        session=record.session,
        role=message and message.role,
        speaker=message.speaker if message else "",
        type=claim and claim.type,
        # A stored type was allowed when it was saved.
        custom_type=claim is not None and claim.type != SUMMARY,
        title=claim and claim.title,
        topic_key=claim and claim.topic_key,
        tags=record.tags,
        metadata=record.metadata,
        author=record.author,
        source=record.source,
        occurred_at=record.occurred_at,
        importance=record.importance,
        trust=record.trust,
        classification=record.classification,
        details=details_of(record),
    )


def _from_draft(writer: WriteTransaction, record: Record, draft: Draft, sources: Sequence[Record]) -> Record:
    """Return a record with the fields of its cleaned draft."""
    basis = basis_of(draft, () if isinstance(record, Message) else sources)
    own_text = without_blocks(draft.text, sign=writer.rules.sign)
    heading = draft.speaker if isinstance(record, Message) else draft.title or ""
    status = status_of(
        shown_text(f"{heading}\n{own_text}", draft.tags, draft.topic_key),
        is_untrusted=basis.trust is Trust.UNTRUSTED,
        details=draft.details,
    )
    if status is Status.ACTIVE and isinstance(record, Observation | Fact | Rule):
        status = record.status
    shared: dict[str, Any] = {
        "scope": writer.tx.scope,
        "session": draft.session,
        "text": draft.text,
        "hash": hash_of(draft.text),
        "author": draft.author,
        "tags": tuple(draft.tags or ()),
        "metadata": draft.metadata,
        "occurred_at": occurred_at(draft, writer.now),
        "recorded_at": utc(record.recorded_at, what="recorded_at"),
        "updated_at": utc(record.updated_at, what="updated_at"),
        "classification": class_of(draft, basis.classifications, draft.metadata),
        "trust": basis.trust,
        "status": status,
        "echo": not own_text and bool(draft.text),
    }
    tokens = writer.rules.tokens
    match record:
        case Message():
            counted = {"tokens": tokens.count(draft.text), "tokenizer": tokens.name}
            return replace(record, **shared, **counted, speaker=draft.speaker)
        case Observation():
            counted = {"tokens": tokens.count(draft.text), "tokenizer": tokens.name} if record.tokens else {}
            claimed = {"title": draft.title or title_for(draft.text), "topic_key": draft.topic_key}
            # An export contains no log and no chunks.
            return replace(record, **shared, **counted, **claimed, learned=draft.details, place=None)
        case Episode() if status is Status.ACTIVE:
            return replace(record, **{**shared, "status": LIVE_IN[record.details.tier]}, details=draft.details)
        case _:
            return replace(record, **shared, details=draft.details)
