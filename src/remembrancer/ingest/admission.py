"""Admission: the only way in for memories of every kind.

A draft is stripped of private regions and secrets, classified, hashed, then deduplicated or stored as a new version of
an earlier record. It is written with its index entry and its audit entry in the transaction of the caller.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.ingest.classification import classified
from remembrancer.ingest.derived_fields import (
    Basis,
    basis_of,
    class_of,
    importance_of,
    occurred_at,
    shown_text,
    status_of,
    valid_until,
)
from remembrancer.ingest.draft_cleaning import cleaned_drafts, text_class, without_private_regions
from remembrancer.ingest.readmission import draft_of_record
from remembrancer.language.quoting import is_by_harness
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Derived, Draft, checked_draft
from remembrancer.transactions.ownership import check_not_transferred, find_records
from remembrancer.transactions.redaction import check_marks
from remembrancer.transactions.rejections import REJECTED_STATUSES, check_sources_not_rejected
from remembrancer.transactions.sealed_blocks import without_blocks
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.details import PatternDetails, details_to_json
from remembrancer.types.lifecycle import LIVE_IN, Status
from remembrancer.types.new import SUMMARY, default_type
from remembrancer.types.record import (
    HARNESS,
    Episode,
    Message,
    Metadata,
    Observation,
    Record,
    Reflection,
    Role,
    Signal,
    Source,
    details_of,
    kind_of,
    title_for,
    title_of,
    with_details,
)
from remembrancer.types.results import Change, IdempotentWrite, Outcome, Saved
from remembrancer.types.scope import Classification, Trust, least_trust, most_restrictive
from remembrancer.types.session import Session, SessionStatus
from remembrancer.types.text import Tokens, hash_of, hashes_of, same_text

INACTIVE_WHEN_REPEATED = (Status.BUFFERED, Status.PAUSED, Status.RETIRED, Status.MERGED)
"""Statuses that a repeated statement does not change: a buffered note stays buffered, a removed one stays removed."""
# If an engine derives a claim again whose record has one of these, it gets a record of its own.
_REMOVED = (Status.MERGED, Status.RETIRED, Status.ARCHIVED, Status.QUARANTINED)
_REMEDIES = {Status.PAUSED: "resume", Status.RETIRED: "resume", Status.REJECTED: "undo", Status.DISMISSED: "undo"}
R = TypeVar("R", bound=Record)
_Admit = Callable[[WriteTransaction, Sequence[Draft]], Awaitable[list[Saved[Record]]]]


async def admit(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Record drafts in their order, in the exact scope of the transaction.

    Return the outcome of each.

    Raises:
        InvalidInput: a draft is not allowed; nothing of the batch is recorded.
        NotAllowed: it equals a rejected memory, contains a secret that policy refuses, or its session records nothing.
        NotFound: its evidence does not exist in this scope.
        Conflict: its idempotency key was used for something else.
    """
    saved: list[Saved[Record]] = []
    checked = without_private_regions([checked_draft(draft, writer.rules.types) for draft in drafts])
    cleaned = await cleaned_drafts(writer, checked)
    for admit_batch, batch in groupby(cleaned, key=_batching):
        saved += await admit_batch(writer, list(batch))
    return saved


async def admit_one(writer: WriteTransaction, draft: Draft, kind: type[R]) -> Saved[R]:
    """Record one draft of a known kind; see `admit`.

    Raises:
        Conflict: a record of another kind exists under its key or id.
    """
    (saved,) = await admit(writer, [draft])
    if not isinstance(saved.record, kind):
        raise Conflict(f"memory {saved.record.id!r} is a {kind_of(saved.record)} already; use another key")
    return Saved(outcome=saved.outcome, record=saved.record)


async def revise(writer: WriteTransaction, record: R, draft: Draft) -> Saved[R]:
    """Store a draft as the next revision of a record of the exact scope.

    The earlier wording is a version.

    Raises:
        InvalidInput: the draft is not allowed, or has a mark in place of personal data.
        Conflict: the record is not active, or it has no key and another record without one has the same text.
        NotAllowed: it was transferred from another project.
    """
    check_not_transferred(record)
    if record.status is not Status.ACTIVE:
        remedy = _REMEDIES.get(record.status, "restore")
        raise Conflict(f"memory {record.id!r} is {record.status}; {remedy} it before changing it")
    check_marks(writer.tx.caller, record, draft.text)
    (cleaned,) = await cleaned_drafts(writer, [checked_draft(draft, writer.rules.types)])
    if isinstance(record, Observation) and record.topic_key is None and cleaned.text != record.text:
        other = await writer.tx.observations.by_hash(*hashes_of(cleaned.text))
        # A text that was damaged on disk has the hash of the original: the record itself may be the match.
        if other is not None and other.id != record.id and other.status not in REJECTED_STATUSES:
            raise Conflict(f"memory {other.id!r} ({other.status}) has that text already; delete one of the two")
    (placed,) = await _in_current_session(writer, [cleaned])
    return await _update(writer, record, placed, is_correction=True)


def _batching(draft: Draft) -> _Admit:
    """Return the function that writes drafts of a kind.

    Drafts that do not depend on one another are written together.
    """
    if draft.key is None and draft.role is not None:
        return _admit_messages
    if draft.key is None and draft.id is None and draft.session is None and not _is_claim(draft):
        return _admit_with_details
    return _admit_claims if _is_plain_claim(draft) else _admit_singly


def _is_claim(draft: Draft) -> bool:
    return draft.details is None or isinstance(draft.details, PatternDetails)


def _is_plain_claim(draft: Draft) -> bool:
    """Return True for a claim that only a stored one with its text affects."""
    has_name = draft.key or draft.id or draft.topic_key is not None or draft.type == SUMMARY
    return not (has_name or draft.details or draft.derived or draft.insight or draft.evidence)


async def _admit_singly(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    return [await _admit_once(writer, draft) for draft in drafts]


async def _admit_with_details(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Create a record for each draft, without deduplication."""
    evidence = list(dict.fromkeys(id for draft in drafts for id in draft.evidence))
    sources = {source.id: source for source in await _sources(writer.tx, evidence)}
    records = [_record_with_details(writer, draft, [sources[id] for id in draft.evidence]) for draft in drafts]
    return [Saved(outcome=Outcome.CREATED, record=record) for record in await writer.add(records)]


async def _admit_once(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """Admit a draft, or return the first result of its idempotency key."""
    tx, request = writer.tx, _request_fingerprint(draft)
    if draft.key is not None and (earlier := await tx.keys.find(draft.key)):
        if earlier.request != request:
            raise Conflict(f"idempotency key {draft.key!r} was used for other work; use a fresh one")
        record = await tx.records.find(earlier.record)
        if record is None:
            raise NotAllowed(f"the memory of idempotency key {draft.key!r} is closed to this caller")
        return Saved(outcome=earlier.outcome, record=record)
    saved = (await _admit_messages(writer, [draft]))[0] if draft.role else await _admit_other(writer, draft)
    if draft.key is not None:
        await writer.put(IdempotentWrite(key=draft.key, request=request, outcome=saved.outcome, record=saved.record.id))
    return saved


async def _admit_other(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """Admit a draft that is no message."""
    if _is_claim(draft):
        return await _admit_observation(writer, draft)
    if draft.id and await writer.tx.records.hashes([draft.id]):
        return await _deduplicated(writer.tx, draft.id)
    if draft.session is not None:
        await _note_activity(writer, [draft])
    return (await _admit_with_details(writer, [draft]))[0]


def _record_with_details(writer: WriteTransaction, draft: Draft, sources: Sequence[Record]) -> Record:
    """Return a record of the kind that the details of a draft determine."""
    shared = _shared_fields(writer, draft, basis_of(draft, sources), text=draft.text)
    assert draft.details is not None  # noqa: S101 -- a draft without details is a claim: see `_batching`
    record = with_details(draft.details, **shared)
    if isinstance(record, Episode) and record.status is Status.ACTIVE:
        return replace(record, status=LIVE_IN[record.details.tier])
    if isinstance(record, Signal) and record.details.is_counter:
        # It quotes a statement that was withdrawn, and exists for `undo`.
        return replace(record, status=Status.RETIRED)
    return record


async def _admit_messages(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Record messages with consecutive numbers of their sessions.

    Those already imported are not changed.
    """
    if not drafts:
        return []
    tx = writer.tx
    existing = await tx.records.hashes([draft.id for draft in drafts if draft.id])
    fresh = await _with_sessions(writer, [draft for draft in drafts if draft.id not in existing])
    await _note_activity(writer, fresh)
    counts = writer.rules.tokens.counts([draft.text for draft in fresh])
    messages = [_message(writer, draft, tokens) for draft, tokens in zip(fresh, counts, strict=True)]
    created = iter([Saved(outcome=Outcome.CREATED, record=record) for record in await writer.add(messages)])
    return [
        await _deduplicated(tx, draft.id) if draft.id in existing and draft.id else next(created) for draft in drafts
    ]


async def _deduplicated(tx: Tx, id: str) -> Saved[Record]:
    record = await tx.records.find(id)
    if record is None:
        raise NotAllowed(f"memory {id!r} exists already, and is closed to this caller")
    return Saved(outcome=Outcome.DEDUPED, record=record)


async def _with_sessions(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Draft]:
    """Return drafts with a session each.

    Without a name it is the unnamed session of the scope.
    """
    if all(draft.session is not None for draft in drafts):
        return list(drafts)
    session = await writer.tx.sessions.unnamed() or await _start_session(writer, writer.rules.ids.new(), named=False)
    return [replace(draft, session=draft.session or session.id) for draft in drafts]


async def _in_current_session(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Draft]:
    """Return claims with their sessions.

    Without a name it is the active session of the scope, if there is one. An imported claim is older than the active
    session and joins none.
    """
    if any(_joins_current(draft) for draft in drafts):
        current = await writer.tx.sessions.current()
        if current is not None and current.abandoned(writer.now) and not current.named:
            current = await _start_session(writer, writer.rules.ids.new(), named=False)
        if current is not None and current.status is SessionStatus.ACTIVE:
            drafts = [replace(draft, session=current.id) if _joins_current(draft) else draft for draft in drafts]
    await _note_activity(writer, [draft for draft in drafts if draft.session is not None])
    return list(drafts)


def _joins_current(draft: Draft) -> bool:
    return draft.session is None and draft.source is not Source.IMPORT


async def _note_activity(writer: WriteTransaction, drafts: Sequence[Draft]) -> None:
    """Update the last activity of the sessions of drafts.

    Start those that do not exist.
    """
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.session or "", []).append(draft)
    for id, group in groups.items():
        session = await _recording_session(writer, id) or await _start_session(writer, id, named=True)
        await _update_activity(writer, session, group)


async def _start_session(writer: WriteTransaction, id: str, *, named: bool) -> Session:
    session = Session(
        id=id,
        scope=writer.tx.scope,
        status=SessionStatus.ACTIVE,
        named=named,
        record=True,
        messages=0,
        started_at=writer.now,
        last_activity_at=writer.now,
    )
    await writer.put(session)
    return session


async def _recording_session(writer: WriteTransaction, id: str | None) -> Session | None:
    """Return the session of an id, or `None`.

    Raises:
        NotAllowed: it was started with `record=False`.
    """
    session = None if id is None else await writer.tx.sessions.find(id)
    if session is not None and not session.record:
        raise NotAllowed(f"session {id!r} was started with record=False; use another to store anything")
    return session


async def _update_activity(writer: WriteTransaction, session: Session, drafts: Sequence[Draft]) -> None:
    """Set the last activity of a session, which resumes one that has ended.

    An import resumes none.
    """
    before = session
    if all(draft.source is Source.IMPORT for draft in drafts):
        at = max(occurred_at(draft, writer.now) for draft in drafts)
    else:
        at = writer.now
        # A summary of an ended session does not resume it.
        if any(draft.type != SUMMARY for draft in drafts):
            session = replace(session, status=SessionStatus.ACTIVE, ended_at=None)
    active = replace(session, last_activity_at=max(at, session.last_activity_at))
    # An import has set it before, and a session costs as much to store as several messages.
    if active != before:
        await writer.put(active)


def _message(writer: WriteTransaction, draft: Draft, tokens: Tokens) -> Message:
    """Return the message of a draft, without a number."""
    assert draft.role is not None  # noqa: S101 -- a draft without a role is no message: see `_batching`
    by_harness = HARNESS in draft.metadata or is_by_harness(draft.text)
    is_untrusted = by_harness or draft.role is Role.TOOL if draft.trust is None else draft.trust is Trust.UNTRUSTED
    own_text = without_blocks(draft.text, sign=writer.rules.sign)
    return Message(
        id=draft.id or writer.rules.ids.new(),
        scope=writer.tx.scope,
        session=draft.session,
        text=draft.text,
        hash=hash_of(draft.text),
        author=draft.author,
        source=draft.source,
        tags=tuple(draft.tags or ()),
        metadata=draft.metadata,
        occurred_at=occurred_at(draft, writer.now),
        recorded_at=writer.now,
        updated_at=writer.now,
        status=status_of(shown_text(f"{draft.speaker}\n{own_text}", draft.tags), is_untrusted=is_untrusted),
        classification=class_of(draft, (), draft.metadata),
        trust=Trust.UNTRUSTED if is_untrusted else Trust.TRUSTED,
        importance=importance_of(draft),
        echo=not own_text and bool(draft.text),
        number=0,
        role=Role.SYSTEM if by_harness and draft.role is not Role.TOOL else draft.role,
        speaker=draft.speaker,
        tokens=tokens,
        tokenizer=writer.rules.tokens.name,
    )


async def _admit_claims(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Create the records of new claims at once, and admit those whose text is stored one by one."""
    placed = await _in_current_session(writer, drafts)
    hashes = [hashes_of(draft.text) for draft in placed]
    known = await writer.tx.observations.known_hashes([one for pair in hashes for one in pair])
    fresh: dict[int, Draft] = {}
    for place, draft in enumerate(placed):
        if known.isdisjoint(hashes[place]):
            fresh[place] = draft
            known.update(hashes[place])
    created = iter(await writer.add([_new_claim(writer, draft, ()) for draft in fresh.values()]))
    return [
        Saved(outcome=Outcome.CREATED, record=next(created)) if place in fresh else await _admit_claim(writer, draft)
        for place, draft in enumerate(placed)
    ]


async def _admit_observation(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """Deduplicate a claim, or update or create its record."""
    # A claim that an engine derives is no activity of its session.
    if draft.derived is None:
        (draft,) = await _in_current_session(writer, [draft])
    else:
        await _recording_session(writer, draft.session)
    return await _admit_claim(writer, draft)


async def _admit_claim(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    stored = await _stored_claim(writer.tx, draft)
    if stored is not None and same_text(draft.text) == same_text(stored.text):
        draft = replace(draft, text=stored.text)
    if (
        stored is None
        or stored.status in REJECTED_STATUSES
        or (draft.insight and not isinstance(stored, Reflection))
        or draft.details
        or (draft.derived and _is_separate(stored, draft))
    ):
        return await _create(writer, draft)
    if _is_older(draft, stored, writer.now):
        earlier = await _update(writer, stored, replace(draft, valid_until=None))
        return await _restore_wording(writer, stored, earlier)
    return await _update(writer, stored, _only_evidence(stored, draft) if draft.derived else draft)


def _is_older(draft: Draft, stored: Record, now: datetime) -> bool:
    """Return True if a draft is older than the stored wording."""
    is_dated = draft.occurred_at is not None and draft.derived is None and draft.text != stored.text
    return is_dated and occurred_at(draft, now) < stored.occurred_at


async def _restore_wording(writer: WriteTransaction, stored: Record, earlier: Saved[Record]) -> Saved[Record]:
    """Make the newer wording the current one again.

    The older one, which was stored over it, is a version then.
    """
    claim = stored if isinstance(stored, Observation) else None
    change = Change(
        text=stored.text,
        hash=stored.hash,
        title=claim and claim.title,
        type=claim and claim.type,
        tags=stored.tags,
        metadata=stored.metadata,
        session=stored.session,
        author=stored.author,
        source=stored.source,
        occurred_at=stored.occurred_at,
        importance=stored.importance,
        trust=stored.trust,
        status=stored.status,
        echo=stored.echo,
        reworded=True,
    )
    return Saved(outcome=earlier.outcome, record=await writer.change(earlier.record, change))


def _is_separate(stored: Record, draft: Draft) -> bool:
    """Return True if a derived claim gets a record of its own.

    This is for a text that is already stored. The log of a session contains all its notes, so a note of another
    session, or of later messages, is separate: a repeated statement may be the newest. A lesson of a task is in no log;
    it is one record.
    """
    derived = draft.derived
    if derived is not None and derived.insight and derived.place is None:
        return stored.status in _REMOVED
    is_insight = derived is not None and derived.insight
    is_later = derived is not None and isinstance(stored, Observation) and 0 < stored.last < derived.first
    return is_insight or is_later or stored.status in _REMOVED or stored.session != draft.session


def _only_evidence(record: Record, draft: Draft) -> Draft:
    """Return a draft that changes nothing of a record but its evidence."""
    return Draft(
        text=record.text,
        author=record.author,
        source=record.source,
        trust=record.trust,
        evidence=draft.evidence,
        session=record.session,
        derived=draft.derived,
    )


async def _stored_claim(tx: Tx, draft: Draft) -> Record | None:
    """Return the record that a draft updates or equals, or `None`.

    It is found by its topic key, or else by its text among those without one.
    """
    if draft.type == SUMMARY:
        return None
    if draft.topic_key is not None:
        return await tx.observations.by_topic(draft.topic_key)
    return await tx.observations.by_hash(*hashes_of(draft.text))


def _shared_fields(writer: WriteTransaction, draft: Draft, basis: Basis, *, text: str) -> dict[str, Any]:
    """Return the fields that all records but messages derive from a draft.

    Args:
        text: all that an agent reads of the record.
    """
    rules = writer.rules
    own_text = without_blocks(draft.text, sign=rules.sign)
    return {
        "id": draft.id or rules.ids.new(),
        "scope": writer.tx.scope,
        "session": draft.session,
        "text": draft.text,
        "hash": hash_of(draft.text),
        "author": draft.author,
        "source": draft.source,
        "tags": tuple(draft.tags or ()),
        "metadata": draft.metadata,
        "occurred_at": occurred_at(draft, writer.now),
        "recorded_at": writer.now,
        "updated_at": writer.now,
        "status": status_of(
            shown_text(without_blocks(text, sign=rules.sign), draft.tags, draft.topic_key),
            is_untrusted=basis.trust is Trust.UNTRUSTED,
            details=draft.details,
        ),
        "classification": class_of(draft, basis.classifications, draft.metadata),
        "trust": basis.trust,
        "importance": importance_of(draft),
        "echo": not own_text and bool(draft.text),
        "evidence": tuple(sorted(set(draft.evidence))),
    }


async def _create(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    sources = await _sources(writer.tx, draft.evidence)
    await check_sources_not_rejected(writer.caller_tx, sources, sign=writer.rules.sign)
    (created,) = await writer.add([_new_claim(writer, draft, sources)])
    return Saved(outcome=Outcome.CREATED, record=created)


def _new_claim(writer: WriteTransaction, draft: Draft, sources: Sequence[Record]) -> Observation:
    rules = writer.rules
    basis = basis_of(draft, sources)
    derived = draft.derived or Derived(engine="", priority=0)
    shared = _shared_fields(writer, draft, basis, text=f"{draft.title}\n{draft.text}")
    if not derived.shown and shared["status"] is Status.ACTIVE:
        shared["status"] = Status.BUFFERED
    return (Reflection if derived.insight or draft.insight else Observation)(
        **shared,
        type=draft.type or default_type(rules.types),
        title=draft.title or title_for(draft.text),
        topic_key=draft.topic_key,
        priority=derived.priority,
        refers_to=derived.refers_to,
        first=derived.first,
        last=derived.last,
        place=derived.place,
        tokens=rules.tokens.count(draft.text) if draft.derived else 0,
        tokenizer=rules.tokens.name if draft.derived else "",
        engine=derived.engine,
        model=derived.model,
        learned=draft.details if isinstance(draft.details, PatternDetails) else None,
        valid_until=valid_until(draft, writer.now),
    )


async def _update(writer: WriteTransaction, record: R, draft: Draft, *, is_correction: bool = False) -> Saved[R]:
    """Store a draft as the next revision of a record.

    A draft without a difference is deduplicated.

    Args:
        is_correction: another author or time alone is a difference, too.
    """
    sources = await _sources(writer.tx, draft.evidence)
    await check_sources_not_rejected(writer.caller_tx, sources, sign=writer.rules.sign)
    # The class of the record accounts for its earlier evidence.
    added = [source for source in sources if source.id not in record.evidence]
    basis = replace(basis_of(draft, sources), classifications=basis_of(draft, added).classifications)
    change = _change_of(record, draft, basis, writer.rules)
    end = valid_until(draft, writer.now)
    if isinstance(record, Observation) and end != record.valid_until:
        change = replace(change, valid_until=end)
    if change == Change() and not (is_correction and _differs_in_origin(record, draft, writer.now)):
        return Saved(outcome=Outcome.DEDUPED, record=record)
    attributed = _attributed(change, record, draft, actor=writer.tx.caller.actor, now=writer.now)
    return Saved(outcome=Outcome.UPDATED, record=await writer.change(record, attributed))


def _differs_in_origin(record: Record, draft: Draft, now: datetime) -> bool:
    """Return True if a draft has another author or time than a record."""
    has_other_author = draft.author not in ("", record.author)
    return has_other_author or (draft.occurred_at is not None and occurred_at(draft, now) != record.occurred_at)


def _attributed(change: Change, record: Record, draft: Draft, *, actor: str, now: datetime) -> Change:
    """Return a change with its author, source, session and time."""
    is_new_time = change.text is not None or draft.occurred_at is not None
    # The message numbers of a note are those of its session.
    is_note = isinstance(record, Observation) and record.first
    return replace(
        change,
        session=record.session if is_note else draft.session,
        author=draft.author or actor,
        source=draft.source,
        occurred_at=occurred_at(draft, now) if is_new_time else None,
        reworded=True,
    )


def _change_of(record: Record, draft: Draft, basis: Basis, rules: Dependencies) -> Change:
    """Return the fields of a record that a draft changes."""
    is_rewritten = draft.text != record.text
    claim = record if isinstance(record, Observation) else None
    title = _new_title(draft, claim)
    own_text = without_blocks(draft.text, sign=rules.sign)
    trust = basis.trust if is_rewritten else least_trust([record.trust, basis.trust])
    tags = record.tags if draft.tags is None else draft.tags
    text = shown_text(f"{title or title_of(record)}\n{own_text}", tags, claim and claim.topic_key)
    status = status_of(text, is_untrusted=trust is Trust.UNTRUSTED, details=details_of(record))
    if status is Status.ACTIVE and record.status in INACTIVE_WHEN_REPEATED:
        status = record.status
    metadata = {name: value for name, value in {**record.metadata, **draft.metadata}.items() if value is not None}
    classification = _new_class(record, draft, basis.classifications, metadata, rules)
    is_echo = not own_text
    return Change(
        text=draft.text if is_rewritten else None,
        hash=hash_of(draft.text) if is_rewritten else None,
        title=title if claim and title not in ("", claim.title) else None,
        type=draft.type if claim and draft.type != claim.type else None,
        tags=tuple(draft.tags) if draft.tags is not None and tuple(draft.tags) != record.tags else None,
        metadata=metadata if metadata != record.metadata else None,
        importance=draft.importance if draft.importance != record.importance else None,
        classification=classification if classification != record.classification else None,
        trust=trust if trust != record.trust else None,
        status=status if status != record.status else None,
        echo=is_echo if is_echo != record.echo else None,
        details=draft.details if draft.details not in (None, details_of(record)) else None,
        evidence=tuple(sorted(set(draft.evidence) - set(record.evidence))),
    )


def _new_title(draft: Draft, claim: Observation | None) -> str:
    """Return the title that a draft sets; `""` for none."""
    if claim is None:
        return ""
    is_derived = draft.title == "" or (draft.title is None and claim.title == title_for(claim.text))
    return title_for(draft.text) if is_derived else draft.title or ""


def _new_class(
    record: Record, draft: Draft, basis: Sequence[Classification], metadata: Metadata, rules: Dependencies
) -> Classification:
    """Return the class of a record after a draft; never a lower one.

    If an operator has lowered it, it stays so unless the draft requires more than the text that the operator saw.
    """
    current, required = record.classification, classified(draft.text_class, metadata)
    if most_restrictive([required, current]) is not current:
        before = classified(text_class(draft_of_record(record), rules), record.metadata)
        required = current if most_restrictive([required, before]) is before else required
    return most_restrictive([current, required, *basis])


async def _sources(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """Return the records that evidence names.

    Raises:
        NotFound: one of them does not exist in this scope.
    """
    sources = {record.id: record for record in await find_records(tx, ids) if record.status is not Status.DELETED}
    for id in ids:
        if id not in sources:
            raise NotFound("memory", id)
    return list(sources.values())


def _request_fingerprint(draft: Draft) -> str:
    """Return a fingerprint of a draft without its idempotency key."""
    parts = [
        draft.text, draft.session, draft.role, draft.speaker, draft.type, draft.title, draft.topic_key,
        list(draft.tags or ()), draft.metadata, draft.author, draft.source, str(draft.occurred_at), draft.importance,
        draft.trust, draft.classification, list(draft.evidence),
        *([] if draft.valid_until is None else [str(draft.valid_until)]),
    ]  # fmt: skip
    if draft.details is not None:
        parts.append(details_to_json(draft.details))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
