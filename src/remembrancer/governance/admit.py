"""The one way in: every memory of every kind is admitted here, whatever door it came through.

In order: private regions stripped, secrets masked, classified, hashed, deduplicated or put over an earlier one,
guarded against echo, and written with its index rows and its audit entry in the transaction of the caller.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.governance.draft import Draft, check, utc
from remembrancer.governance.echo import Sign, without_echo
from remembrancer.governance.quarantine import reads_as_order
from remembrancer.governance.redact import SecretPolicy, redact, redact_value
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.classification import Classification, Trust, least_trust, most_restrictive
from remembrancer.model.lifecycle import Status
from remembrancer.model.observation_types import OBSERVATION_TYPES, SUMMARY
from remembrancer.model.record import Message, Metadata, Observation, Record, Role, kind_of
from remembrancer.model.saved import Outcome, Saved
from remembrancer.model.session import Session, SessionStatus
from remembrancer.model.tokens import estimate
from remembrancer.ports.clock import Clock, Ids
from remembrancer.ports.store import AuditEntry, Change, Remembered, Tx

TITLE_CHARACTERS = 80
_FUTURE_ALLOWED = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What admission needs to know of its surroundings.

    Args:
        door: through which the caller came; goes to the audit log.
        types: the observation types of this deployment, with their priority.
    """

    clock: Clock
    ids: Ids
    sign: Sign
    secrets: SecretPolicy = SecretPolicy.MASK
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    door: str = "library"


async def admit(tx: Tx, drafts: Sequence[Draft], rules: Rules) -> list[Saved[Record]]:
    """Record drafts in their order, in the exact scope of the transaction; say of each what was done.

    Raises:
        InvalidInput: a draft is not allowed; nothing of the batch is recorded.
        NotAllowed: it equals a rejected memory, holds a secret that policy refuses, or its session records nothing.
        NotFound: its evidence is not here.
        Conflict: its idempotency key was used for something else.
    """
    now = rules.clock.now()
    cleaned = [_cleaned(check(draft, rules.types), rules) for draft in drafts]
    saved: list[Saved[Record]] = []
    batch: list[Draft] = []
    for draft in cleaned:
        if draft.role is not None and draft.key is None:
            batch.append(draft)
            continue
        saved += await _messages(tx, batch, rules, now)
        batch = []
        saved.append(await _once(tx, draft, rules, now))
    saved += await _messages(tx, batch, rules, now)
    await _audit(tx, saved, rules, now)
    return saved


async def revise(tx: Tx, record: Record, draft: Draft, rules: Rules) -> Saved[Record]:
    """Put a new wording over a record of the exact scope: revision +1, the earlier wording kept.

    Raises:
        InvalidInput: the draft is not allowed.
        Conflict: the record is not active.
    """
    if record.status is not Status.ACTIVE:
        raise Conflict(f"memory {record.id!r} is {record.status}; restore it before changing it")
    now = rules.clock.now()
    saved = await _over(tx, record, _cleaned(check(draft, rules.types), rules), rules, now)
    await _audit(tx, [saved], rules, now)
    return saved


def _cleaned(draft: Draft, rules: Rules) -> Draft:
    """The draft without private regions and secrets, in every string that it has."""
    found: set[str] = set()

    def clean(text: str) -> str:
        masked = redact(text, policy=rules.secrets)
        found.update(masked.kinds)
        return masked.text

    metadata, kinds = redact_value(draft.metadata, policy=rules.secrets)
    found.update(kinds)
    cleaned = replace(
        draft,
        text=clean(draft.text),
        title=clean(draft.title),
        speaker=clean(draft.speaker),
        author=clean(draft.author),
        session=draft.session and clean(draft.session),
        topic_key=draft.topic_key and clean(draft.topic_key),
        key=draft.key and clean(draft.key),
        tags=tuple(dict.fromkeys(clean(tag) for tag in draft.tags)),
        metadata=cast(Metadata, metadata),
    )
    if not found:
        return cleaned
    return replace(cleaned, metadata={**cleaned.metadata, "secrets": sorted(found)})


async def _once(tx: Tx, draft: Draft, rules: Rules, now: datetime) -> Saved[Record]:
    """Admit a draft unless its idempotency key has been seen; then say again what was said the first time."""
    request = _request(draft)
    if draft.key is not None and (seen := await tx.keys.find(draft.key)):
        if seen.request != request:
            raise Conflict(f"idempotency key {draft.key!r} was used for other work; use a fresh one")
        if record := await tx.records.find(seen.record):
            return Saved(outcome=seen.outcome, record=record)
    saved = (await _messages(tx, [draft], rules, now))[0] if draft.role else await _observation(tx, draft, rules, now)
    if draft.key is not None:
        remembered = Remembered(request=request, outcome=saved.outcome, record=saved.record.id)
        await tx.keys.add(draft.key, remembered, at=now)
    return saved


async def _messages(tx: Tx, drafts: Sequence[Draft], rules: Rules, now: datetime) -> list[Saved[Record]]:
    """Messages in their order, each with the next number of its session; those already imported stay as they are."""
    if not drafts:
        return []
    known = await tx.records.existing([draft.id for draft in drafts if draft.id])
    fresh = [draft for draft in drafts if draft.id not in known]
    numbers = await _numbers(tx, fresh, now)
    made = [_message(tx, draft, rules, now, number=number) for draft, number in zip(fresh, numbers, strict=True)]
    await tx.records.add(made, [terms_in_index(record, sign=rules.sign) for record in made])
    records = {record.id: record for record in made}
    fresh_ids = iter(record.id for record in made)
    saved: list[Saved[Record]] = []
    for draft in drafts:
        if draft.id in known:
            saved.append(await _again(tx, draft))
        else:
            saved.append(Saved(outcome=Outcome.CREATED, record=records[next(fresh_ids)]))
    return saved


async def _again(tx: Tx, draft: Draft) -> Saved[Record]:
    record = await tx.records.find(draft.id or "")
    assert record is not None
    return Saved(outcome=Outcome.DEDUPED, record=record)


async def _numbers(tx: Tx, drafts: Sequence[Draft], now: datetime) -> list[int]:
    """A number for each message, in the order of their sessions."""
    counts: dict[str, int] = {}
    for draft in drafts:
        if draft.session is None:
            raise InvalidInput("a message needs a session")
        counts[draft.session] = counts.get(draft.session, 0) + 1
    first: dict[str, int] = {}
    for session, count in counts.items():
        await _open(tx, session, now)
        first[session] = await tx.sessions.take_numbers(session, count)
    numbers: list[int] = []
    for draft in drafts:
        session = draft.session or ""
        numbers.append(first[session])
        first[session] += 1
    return numbers


async def _open(tx: Tx, id: str, now: datetime) -> None:
    """Make sure that a session is there to take messages, and note that it is in use."""
    session = await tx.sessions.find(id)
    if session is not None and not session.record:
        raise NotAllowed(f"session {id!r} was started with record=False; start another to record messages")
    if session is None:
        session = Session(
            id=id,
            scope=tx.scope,
            status=SessionStatus.ACTIVE,
            named=True,
            record=True,
            messages=0,
            started_at=now,
            last_activity_at=now,
        )
    await tx.sessions.put(replace(session, last_activity_at=max(now, session.last_activity_at)))


def _message(tx: Tx, draft: Draft, rules: Rules, now: datetime, *, number: int) -> Message:
    assert draft.role is not None
    untrusted = draft.role is Role.TOOL if draft.trust is None else draft.trust is Trust.UNTRUSTED
    left = without_echo(draft.text, sign=rules.sign)
    return Message(
        id=draft.id or rules.ids.new(),
        scope=tx.scope,
        session=draft.session,
        text=draft.text,
        hash=hash_of(draft.text),
        author=draft.author,
        source=draft.source,
        tags=tuple(draft.tags),
        metadata=draft.metadata,
        occurred_at=_occurred(draft, now),
        recorded_at=_recorded(draft, now),
        updated_at=_recorded(draft, now),
        status=_status(left, untrusted),
        classification=draft.classification or Classification.INTERNAL,
        trust=Trust.UNTRUSTED if untrusted else Trust.TRUSTED,
        importance=draft.importance,
        echo=not left and bool(draft.text),
        number=number,
        role=draft.role,
        speaker=draft.speaker,
        tokens=estimate(draft.text),
    )


async def _observation(tx: Tx, draft: Draft, rules: Rules, now: datetime) -> Saved[Record]:
    """Deduplicate, put over the earlier one, or create."""
    standing = await _standing(tx, draft)
    if standing is None:
        return await _create(tx, draft, rules, now)
    if standing.status is Status.REJECTED:
        raise NotAllowed(f"this equals memory {standing.id!r}, which was rejected; undo that first")
    if standing.status is Status.ARCHIVED:
        revived = Change(status=Status.ACTIVE)
        terms = terms_in_index(replace(standing, status=Status.ACTIVE), sign=rules.sign)
        standing = await tx.records.change(standing.id, revived, at=now, terms=terms)
    return await _over(tx, standing, draft, rules, now)


async def _standing(tx: Tx, draft: Draft) -> Record | None:
    """The row that a save would change or equal: by topic key, else by content among those without a key."""
    if draft.type == SUMMARY:
        return None
    if draft.topic_key is not None:
        return await tx.records.by_topic(draft.topic_key)
    return await tx.records.by_hash(hash_of(draft.text))


async def _create(tx: Tx, draft: Draft, rules: Rules, now: datetime) -> Saved[Record]:
    sources = await _sources(tx, draft.evidence)
    trust = least_trust([draft.trust or Trust.TRUSTED, *(source.trust for source in sources)])
    left = without_echo(draft.text, sign=rules.sign)
    record = Observation(
        id=draft.id or rules.ids.new(),
        scope=tx.scope,
        session=draft.session,
        text=draft.text,
        hash=hash_of(draft.text),
        author=draft.author,
        source=draft.source,
        tags=tuple(draft.tags),
        metadata=draft.metadata,
        occurred_at=_occurred(draft, now),
        recorded_at=_recorded(draft, now),
        updated_at=_recorded(draft, now),
        status=_status(left, trust is Trust.UNTRUSTED),
        classification=_class_of(draft, sources),
        trust=trust,
        importance=draft.importance,
        echo=not left,
        evidence=tuple(sorted(set(draft.evidence))),
        type=draft.type,
        title=draft.title or title_for(draft.text),
        topic_key=draft.topic_key,
    )
    await tx.records.add([record], [terms_in_index(record, sign=rules.sign)])
    await _touch(tx, draft.session, now)
    return Saved(outcome=Outcome.CREATED, record=record)


async def _over(tx: Tx, record: Record, draft: Draft, rules: Rules, now: datetime) -> Saved[Record]:
    """The draft over a record that stands; nothing is written where nothing differs."""
    await _touch(tx, draft.session, now)
    changed = _changed(record, draft)
    if changed is None:
        return Saved(outcome=Outcome.DEDUPED, record=record)
    if changed.classification is None and draft.classification is not None:
        raised = most_restrictive([record.classification, draft.classification])
        changed = replace(changed, classification=raised)
    terms = terms_in_index(_as_changed(record, changed), sign=rules.sign)
    return Saved(outcome=Outcome.UPDATED, record=await tx.records.change(record.id, changed, at=now, terms=terms))


def _changed(record: Record, draft: Draft) -> Change | None:
    """What of a record a draft changes, or `None` where it says the same."""
    rewritten = draft.text != record.text
    title = draft.title or (title_for(draft.text) if rewritten else "")
    metadata = {**record.metadata, **draft.metadata}
    claim = record if isinstance(record, Observation) else None
    change = Change(
        text=draft.text if rewritten else None,
        hash=hash_of(draft.text) if rewritten else None,
        title=title if claim and title not in ("", claim.title) else None,
        type=draft.type if claim and draft.type not in ("", claim.type) else None,
        tags=tuple(draft.tags) if draft.tags and tuple(draft.tags) != record.tags else None,
        metadata=metadata if metadata != record.metadata else None,
    )
    return None if change == Change() else replace(change, session=draft.session, reworded=True)


def _as_changed(record: Record, change: Change) -> Record:
    """How a record will read, for its index row."""
    reads = replace(record, text=change.text if change.text is not None else record.text)
    if isinstance(reads, Observation) and change.title is not None:
        return replace(reads, title=change.title)
    return reads


async def _sources(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """The records that evidence names.

    Raises:
        NotFound: one of them is not here.
    """
    found: list[Record] = []
    for id in ids:
        record = await tx.records.find(id)
        if record is None or record.status is Status.DELETED:
            raise NotFound("memory", id)
        found.append(record)
    return found


async def _touch(tx: Tx, id: str | None, now: datetime) -> None:
    """Note activity in a session that is open; a save outside of one opens none."""
    if id is not None and (session := await tx.sessions.find(id)):
        await tx.sessions.put(replace(session, last_activity_at=max(now, session.last_activity_at)))


def _class_of(draft: Draft, sources: Sequence[Record]) -> Classification:
    return most_restrictive(
        [draft.classification or Classification.INTERNAL, *(source.classification for source in sources)]
    )


def _status(text: str, untrusted: bool) -> Status:
    return Status.QUARANTINED if untrusted and reads_as_order(text) else Status.ACTIVE


def _occurred(draft: Draft, now: datetime) -> datetime:
    return now if draft.occurred_at is None else utc(draft.occurred_at, what="occurred_at")


def _recorded(draft: Draft, now: datetime) -> datetime:
    """When the store says it knew: now, or the past that an import asks for, never the future."""
    if draft.recorded_at is None:
        return now
    when = utc(draft.recorded_at, what="recorded_at")
    if when > now + _FUTURE_ALLOWED:
        raise InvalidInput(f"recorded_at {when.isoformat()} lies in the future")
    return min(when, now)


def hash_of(text: str) -> str:
    """SHA-256 hex of a text as stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def title_for(text: str) -> str:
    """A title made from a text: its first line, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _request(draft: Draft) -> str:
    """A fingerprint of what a draft asks for, the idempotency key apart."""
    parts = [
        draft.text, draft.session, draft.role, draft.speaker, draft.type, draft.title, draft.topic_key,
        list(draft.tags), draft.metadata, draft.author, draft.source, str(draft.occurred_at), draft.importance,
        draft.trust, draft.classification, list(draft.evidence),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


async def _audit(tx: Tx, saved: Sequence[Saved[Record]], rules: Rules, now: datetime) -> None:
    """One entry for a write of one record, one for a whole batch; none where nothing was written."""
    written = [item for item in saved if item.outcome is not Outcome.DEDUPED]
    if not written:
        return
    first = written[0]
    entry = AuditEntry(
        action=first.outcome.value,
        kind=kind_of(first.record).value,
        record=first.record.id if len(written) == 1 else None,
        count=len(written),
        door=rules.door,
        at=now,
    )
    await tx.audit.add([entry])
