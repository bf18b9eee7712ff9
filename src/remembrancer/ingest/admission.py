"""Admission: the only way in for memories of every kind."""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any, TypeVar, cast

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.guard.injection import looks_like_injection
from remembrancer.guard.personal.find import find_personal, masker, ready
from remembrancer.guard.personal.texts import mapped_value
from remembrancer.guard.redact import Masked, SecretPolicy, redact, redact_value
from remembrancer.guard.threads import off_loop
from remembrancer.ingest.classification import class_of_texts, classified
from remembrancer.ingest.draft_cleaning import without_regions
from remembrancer.language.quoting import is_by_harness
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Clean, CleanValue, Derived, Draft, checked_draft, cleaned_details
from remembrancer.transactions.ownership import check_not_transferred, find_records
from remembrancer.transactions.redaction import effective_redactions, refusal_message
from remembrancer.transactions.rejections import REJECTED_STATUSES, check_sources_not_rejected
from remembrancer.transactions.sealed_blocks import blocks_to_references, without_blocks
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.details import Details, PatternDetails, RuleDetails, details_to_json
from remembrancer.types.lifecycle import LIVE_IN, Status
from remembrancer.types.new import SUMMARY, default_type
from remembrancer.types.policy import NAME_TYPES, PERSONAL, PersonalDataType, Redaction
from remembrancer.types.record import (
    DEFAULT_IMPORTANCE,
    HARNESS,
    Episode,
    Fact,
    Json,
    Message,
    Metadata,
    Observation,
    Record,
    Reflection,
    Role,
    Rule,
    Signal,
    Source,
    details_of,
    kind_of,
    title_for,
    title_of,
    with_details,
)
from remembrancer.types.results import Change, IdempotentWrite, Outcome, Saved
from remembrancer.types.scope import MAX_NAME_CHARACTERS, Classification, Trust, least_trust, most_restrictive
from remembrancer.types.session import Session, SessionStatus
from remembrancer.types.text import Tokens, hash_of, hashes_of, same_name, same_text
from remembrancer.types.times import utc

SECRETS_FOUND = "secrets"
LEFT_OUT = (Status.BUFFERED, Status.PAUSED, Status.RETIRED, Status.MERGED)
"""However often it is said or noted, what waits to be shown waits on, and what was left out stays out."""
# What an engine concludes again after it had been put aside comes as a memory of its own.
IN_NAMES = (PersonalDataType.CARD, PersonalDataType.IBAN, PersonalDataType.EMAIL, PersonalDataType.PHONE)
"""What is looked for in names of sessions and in keys: other forms are too often part numbers, or versions."""
_GONE = (Status.MERGED, Status.RETIRED, Status.ARCHIVED, Status.QUARANTINED)
_YEARS = range(2, 9_999)
R = TypeVar("R", bound=Record)


async def admit(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Record drafts in their order, in the exact scope of the transaction; say of each what was done.

    Raises:
        InvalidInput: a draft is not allowed; nothing of the batch is recorded.
        NotAllowed: it equals a rejected memory, holds a secret that policy refuses, or its session records nothing.
        NotFound: its evidence is not here.
        Conflict: its idempotency key was used for something else.
    """
    saved: list[Saved[Record]] = []
    checked = without_regions([checked_draft(draft, writer.rules.types) for draft in drafts])
    cleaned = await _redacted(writer, checked)
    for road, batch in groupby(cleaned, key=_road):
        saved += await road(writer, list(batch))
    return saved


async def admit_one(writer: WriteTransaction, draft: Draft, kind: type[R]) -> Saved[R]:
    """Record one draft, of a kind of memory that its details say; see `admit`.

    Raises:
        Conflict: what it was recorded as before, under its key or id, is of another kind.
    """
    (saved,) = await admit(writer, [draft])
    if not isinstance(saved.record, kind):
        raise Conflict(f"memory {saved.record.id!r} is a {kind_of(saved.record)} already; give another key")
    return Saved(outcome=saved.outcome, record=saved.record)


async def revise(writer: WriteTransaction, record: R, draft: Draft) -> Saved[R]:
    """Put a new wording over a record of the exact scope: revision +1, the earlier wording kept.

    Raises:
        InvalidInput: the draft is not allowed.
        Conflict: the record is not active, or another that has no key either says the same already.
        NotAllowed: it was transferred from another project.
    """
    check_not_transferred(record)
    if record.status is not Status.ACTIVE:
        ways = {Status.PAUSED: "resume", Status.RETIRED: "resume", Status.REJECTED: "undo", Status.DISMISSED: "undo"}
        raise Conflict(
            f"memory {record.id!r} is {record.status}; {ways.get(record.status, 'restore')} it before changing it"
        )
    (cleaned,) = await _redacted(writer, [checked_draft(draft, writer.rules.types)])
    if isinstance(record, Observation) and record.topic_key is None and cleaned.text != record.text:
        other = await writer.tx.observations.by_hash(*hashes_of(cleaned.text))
        # Of a text that a disk has damaged the hash is still that of what it was.
        if other is not None and other.id != record.id and other.status not in REJECTED_STATUSES:
            raise Conflict(f"memory {other.id!r} ({other.status}) says that already; delete one of the two")
    return await _over(writer, record, await _joined(writer, cleaned), corrected=True)


async def readmit(writer: WriteTransaction, records: Sequence[Record]) -> list[Record]:
    """Records of an export of ours as they may be stored here: alike, but for what this scope keeps otherwise.

    They are cleaned and classified as what is said anew, and have the hash of the text that is left.

    Raises:
        InvalidInput: one is not allowed.
        NotAllowed: one holds what policy refuses.
    """
    drafts = await _redacted(writer, [checked_draft(_again_drafted(record), writer.rules.types) for record in records])
    named = list(dict.fromkeys(id for record in records for id in record.evidence))
    sources = {source.id: source for source in await find_records(writer.tx, named)}
    # What they rest on may be among them.
    sources |= {record.id: record for record in records}
    made: list[Record] = []
    for record, draft in zip(records, drafts, strict=True):
        one = _as_before(writer, record, draft, [sources[id] for id in record.evidence if id in sources])
        sources[one.id] = one
        made.append(one)
    return made


def check_readmission(record: Record, rules: Dependencies, policies: Mapping[PersonalDataType, Redaction]) -> None:
    """Nothing, where a record of an export may be stored in a scope with these redactions.

    Raises:
        InvalidInput: it is not allowed.
        NotAllowed: it holds what policy refuses.
    """
    draft = checked_draft(_again_drafted(record), rules.types)
    if rules.secrets is SecretPolicy.REFUSE or any(done is not Redaction.OFF for done in policies.values()):
        _as_told(_cleaned(draft, rules, _Cleaner(rules)), policies)


def _again_drafted(record: Record) -> Draft:
    """What a record says, as a caller would hand it over."""
    message = record if isinstance(record, Message) else None
    claim = record if isinstance(record, Observation) else None
    return Draft(
        id=record.id,
        text=record.text,
        session=record.session,
        role=message and message.role,
        speaker=message.speaker if message else "",
        type=claim and claim.type,
        # What a store holds was allowed when it was saved.
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


def _as_before(writer: WriteTransaction, record: Record, draft: Draft, sources: Sequence[Record]) -> Record:
    """A record with what is left of it in a draft."""
    basis = _basis(draft, () if isinstance(record, Message) else sources)
    left = without_blocks(draft.text, sign=writer.rules.sign)
    beside = draft.speaker if isinstance(record, Message) else draft.title or ""
    untrusted = basis.trust is Trust.UNTRUSTED
    status = _status(_read(f"{beside}\n{left}", draft.tags, draft.topic_key), untrusted, draft.details)
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
        "occurred_at": _occurred(draft, writer.now),
        "recorded_at": utc(record.recorded_at, what="recorded_at"),
        "updated_at": utc(record.updated_at, what="updated_at"),
        "classification": _class(draft, basis.classifications, draft.metadata),
        "trust": basis.trust,
        "status": status,
        "echo": not left and bool(draft.text),
    }
    tokens = writer.rules.tokens
    match record:
        case Message():
            counted = {"tokens": tokens.count(draft.text), "tokenizer": tokens.name}
            return replace(record, **shared, **counted, speaker=draft.speaker)
        case Observation():
            counted = {"tokens": tokens.count(draft.text), "tokenizer": tokens.name} if record.tokens else {}
            claimed = {"title": draft.title or title_for(draft.text), "topic_key": draft.topic_key}
            # No log goes with an export, and no run of messages that was observed.
            return replace(record, **shared, **counted, **claimed, learned=draft.details, place=None)
        case Episode() if status is Status.ACTIVE:
            return replace(record, **{**shared, "status": LIVE_IN[record.details.tier]}, details=draft.details)
        case _:
            return replace(record, **shared, details=draft.details)


def clean_name(name: str, rules: Dependencies) -> str:
    """A session id or a key as it is stored: composed, and what is private in it gives way to a fingerprint.

    Only this store can make the fingerprint, and two names that differ there stay two.

    Raises:
        NotAllowed: it holds a secret that policy refuses.
    """
    name = same_name(name)
    cleaned = redact(blocks_to_references(name, sign=rules.sign), policy=rules.secrets).text
    if cleaned == name:
        return name
    return f"{cleaned[: MAX_NAME_CHARACTERS - 18]} {rules.sign(f'name {name}')[:16]}"


async def _redacted(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts without private regions, secrets, what memory itself had told, and what policies keep out.

    Raises:
        NotAllowed: one holds what policy refuses.
    """
    await ready(*drafts)
    cleaner = _Cleaner(writer.rules)
    cleaned = [_cleaned(draft, writer.rules, cleaner) for draft in drafts]
    policies = await effective_redactions(writer.tx)
    if kinds := [datum for datum in NAME_TYPES if policies[datum] is not Redaction.OFF]:
        return await off_loop(lambda: [_as_told(_named(one, kinds), policies) for one in cleaned])
    return [_as_told(one, policies) for one in cleaned]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cleaned:
    """A draft without what must not be stored anyhow, its texts, and the kinds of personal data that they hold.

    Args:
        in_names: the kinds that its session and its keys hold, which are kept as they are.
    """

    draft: Draft
    personal: frozenset[PersonalDataType]
    read: tuple[str, ...] = ()
    in_names: frozenset[PersonalDataType] = frozenset()


class _Cleaner:
    """Takes out of texts what must not be stored; it remembers what short ones came to, for one batch."""

    def __init__(self, rules: Dependencies) -> None:
        self._rules = rules
        self._masked: dict[str, Masked] = {}
        self._personal: dict[str, frozenset[PersonalDataType]] = {}

    def masked(self, text: str) -> Masked:
        """A text without what memory told, private regions and secrets."""
        if len(text) > MAX_NAME_CHARACTERS:
            return self._mask(text)
        if (found := self._masked.get(text)) is None:
            found = self._masked[text] = self._mask(text)
        return found

    def personal(self, text: str) -> frozenset[PersonalDataType]:
        """The kinds of personal data in a text."""
        if len(text) > MAX_NAME_CHARACTERS:
            return _personal_in(text)
        if (found := self._personal.get(text)) is None:
            found = self._personal[text] = _personal_in(text)
        return found

    def _mask(self, text: str) -> Masked:
        # What memory told is not its caller's to say; and what was erased must not live on in what quotes it.
        return redact(blocks_to_references(text, sign=self._rules.sign), policy=self._rules.secrets)


def _personal_in(text: str) -> frozenset[PersonalDataType]:
    return frozenset(one.datum for one in find_personal(text))


def _cleaned(draft: Draft, rules: Dependencies, cleaner: _Cleaner) -> _Cleaned:
    found: set[str] = set()
    personal: set[PersonalDataType] = set()
    in_names: set[PersonalDataType] = set()
    read: list[str] = []

    told = partial(blocks_to_references, sign=rules.sign)

    def clean(text: str) -> str:
        masked = cleaner.masked(text)
        found.update(masked.kinds)
        return seen(masked.text)

    def seen(text: str) -> str:
        personal.update(cleaner.personal(text))
        read.append(text)
        return text

    def clean_value(value: Json) -> Json:
        masked, kinds = redact_value(value, policy=rules.secrets, before=told)
        found.update(kinds)
        return mapped_value(masked, seen)

    def clean_key(name: str) -> str:
        name = same_name(name)
        kept = name if cleaner.masked(name).text == name else clean_name(name, rules)
        in_names.update(cleaner.personal(kept).intersection(IN_NAMES))
        return kept

    cleaned = _mapped(draft, clean, clean_key, clean_value)
    personal |= in_names
    if found:
        cleaned = _noting(cleaned, SECRETS_FOUND, found)
    asks = class_of_texts(read, personal=personal, secrets=bool(found), decides=draft.type == "decision")
    return _Cleaned(
        draft=replace(cleaned, text_class=asks),
        personal=frozenset(personal),
        read=tuple(read),
        in_names=frozenset(in_names),
    )


def _named(cleaned: _Cleaned, kinds: Sequence[PersonalDataType]) -> _Cleaned:
    """The same with the kinds of names that its texts hold. It may take long."""
    held = {one.datum for text in cleaned.read for one in find_personal(text, kinds)}
    return replace(cleaned, personal=cleaned.personal | held)


def _as_told(cleaned: _Cleaned, policies: Mapping[PersonalDataType, Redaction]) -> Draft:
    """A draft as policies let it through: with marks, told to hold personal data, or as it is."""
    by = {done: sorted(datum for datum in cleaned.personal if policies[datum] is done) for done in Redaction}
    if refused := by[Redaction.REFUSE]:
        raise NotAllowed(refusal_message(refused))
    draft = cleaned.draft
    if named := sorted(cleaned.in_names.intersection(by[Redaction.MASK])):
        raise NotAllowed(
            f"its session or a key of it holds personal data, found {', '.join(named)}, which this scope does not"
            " store; such names are kept as they are: give another"
        )
    if by[Redaction.MASK]:
        hide = masker(by[Redaction.MASK])
        draft = _mapped(draft, hide, str, lambda value: mapped_value(value, hide))
    return _noting(draft, PERSONAL, by[Redaction.TAG]) if by[Redaction.TAG] else draft


def _mapped(draft: Draft, clean: Clean, clean_name: Clean, clean_value: CleanValue) -> Draft:
    """A draft with every string in it cleaned."""
    return replace(
        draft,
        text=clean(draft.text),
        title=draft.title and clean(draft.title),
        speaker=clean(draft.speaker),
        author=clean(draft.author),
        session=draft.session and clean_name(draft.session),
        topic_key=draft.topic_key and clean_name(draft.topic_key),
        key=draft.key and clean_name(draft.key),
        tags=None if draft.tags is None else tuple(dict.fromkeys(same_name(clean(tag)) for tag in draft.tags)),
        metadata=cast(Metadata, clean_value(draft.metadata)),
        details=draft.details and cleaned_details(draft.details, clean, clean_name, clean_value),
    )


def _noting(draft: Draft, name: str, kinds: Collection[str]) -> Draft:
    """A draft whose metadata tells what was found in it, under a name that its caller has not taken."""
    if draft.metadata.get(name) == sorted(kinds):
        # As an export of ours says it.
        return draft
    free = name if name not in draft.metadata else f"remembrancer.{name}"
    return replace(draft, metadata={**draft.metadata, free: sorted(kinds)})


def _road(draft: Draft) -> Callable[[WriteTransaction, Sequence[Draft]], Awaitable[list[Saved[Record]]]]:
    """How drafts of a kind are written: together, where none has to know of the others."""
    if draft.key is None and draft.role is not None:
        return _messages
    if draft.key is None and draft.id is None and draft.session is None and not _is_claim(draft):
        return _with_details
    return _singly


def _is_claim(draft: Draft) -> bool:
    return draft.details is None or isinstance(draft.details, PatternDetails)


async def _singly(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    return [await _once(writer, draft) for draft in drafts]


async def _with_details(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """What is recorded as often as it is told; the session of one is looked at before."""
    named = list(dict.fromkeys(id for draft in drafts for id in draft.evidence))
    sources = {source.id: source for source in await _sources(writer.tx, named)}
    records = [_made(writer, draft, [sources[id] for id in draft.evidence]) for draft in drafts]
    return [Saved(outcome=Outcome.CREATED, record=record) for record in await writer.add(records)]


async def _once(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """Admit a draft unless its idempotency key has been seen; then say again what was said the first time."""
    tx, request = writer.tx, _request(draft)
    if draft.key is not None and (seen := await tx.keys.find(draft.key)):
        if seen.request != request:
            raise Conflict(f"idempotency key {draft.key!r} was used for other work; use a fresh one")
        record = await tx.records.find(seen.record)
        if record is None:
            raise NotAllowed(f"what idempotency key {draft.key!r} was used for is closed to this caller")
        return Saved(outcome=seen.outcome, record=record)
    saved = (await _messages(writer, [draft]))[0] if draft.role else await _one(writer, draft)
    if draft.key is not None:
        await writer.put(IdempotentWrite(key=draft.key, request=request, outcome=saved.outcome, record=saved.record.id))
    return saved


async def _one(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """What is no message: a claim, or one of the kinds that are recorded as often as they are told."""
    if _is_claim(draft):
        return await _observation(writer, draft)
    if draft.id and await writer.tx.records.hashes([draft.id]):
        return await _again(writer.tx, draft.id)
    if draft.session is not None:
        await _keep_open(writer, [draft])
    return (await _with_details(writer, [draft]))[0]


def _made(writer: WriteTransaction, draft: Draft, sources: Sequence[Record]) -> Record:
    """A record of the kind that a draft's details say."""
    shared = _shared(writer, draft, _basis(draft, sources), terms=draft.text)
    assert draft.details is not None  # noqa: S101 -- one without details is a claim: see `_road` and `_one`
    record = with_details(draft.details, **shared)
    if isinstance(record, Episode) and record.status is Status.ACTIVE:
        return replace(record, status=LIVE_IN[record.details.tier])
    if isinstance(record, Signal) and record.details.is_counter:
        # It has the words of what is said no more, and is there for `undo`.
        return replace(record, status=Status.RETIRED)
    return record


async def _messages(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Saved[Record]]:
    """Messages in their order, each with the next number of its session; those already imported stay as they are."""
    if not drafts:
        return []
    tx = writer.tx
    known = await tx.records.hashes([draft.id for draft in drafts if draft.id])
    fresh = await _in_sessions(writer, [draft for draft in drafts if draft.id not in known])
    await _keep_open(writer, fresh)
    counts = writer.rules.tokens.counts([draft.text for draft in fresh])
    made = await writer.add([_message(writer, draft, tokens) for draft, tokens in zip(fresh, counts, strict=True)])
    written = iter([Saved(outcome=Outcome.CREATED, record=record) for record in made])
    return [await _again(tx, draft.id) if draft.id in known and draft.id else next(written) for draft in drafts]


async def _again(tx: Tx, id: str) -> Saved[Record]:
    record = await tx.records.find(id)
    if record is None:
        raise NotAllowed(f"memory {id!r} is here already, and closed to this caller")
    return Saved(outcome=Outcome.DEDUPED, record=record)


async def _in_sessions(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, each in a session: those that name none in the scope's unnamed one."""
    if all(draft.session is not None for draft in drafts):
        return list(drafts)
    session = await writer.tx.sessions.unnamed() or await _opened(writer, writer.rules.ids.new(), named=False)
    return [replace(draft, session=draft.session or session.id) for draft in drafts]


async def _joined(writer: WriteTransaction, draft: Draft) -> Draft:
    """A claim in the session that it names, or in the active one of its scope; in none where there is none.

    What was said before the session began, as an import says, does not belong to it.
    """
    if draft.session is None and draft.source is not Source.IMPORT:
        current = await writer.tx.sessions.current()
        if current is not None and current.abandoned(writer.now) and not current.named:
            current = await _opened(writer, writer.rules.ids.new(), named=False)
        if current is not None and current.status is SessionStatus.ACTIVE:
            draft = replace(draft, session=current.id)
    if draft.session is not None:
        await _keep_open(writer, [draft])
    return draft


async def _keep_open(writer: WriteTransaction, drafts: Sequence[Draft]) -> None:
    """Note activity in the sessions of drafts, each opened where it is not there."""
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.session or "", []).append(draft)
    for id, group in groups.items():
        session = await _recording(writer, id) or await _opened(writer, id, named=True)
        await _active(writer, session, group)


async def _opened(writer: WriteTransaction, id: str, *, named: bool) -> Session:
    """A new session."""
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


async def _recording(writer: WriteTransaction, id: str | None) -> Session | None:
    """The session of that id, where there is one.

    Raises:
        NotAllowed: it was started with `record=False`.
    """
    session = None if id is None else await writer.tx.sessions.find(id)
    if session is not None and not session.record:
        raise NotAllowed(f"session {id!r} was started with record=False; use another to store anything")
    return session


async def _active(writer: WriteTransaction, session: Session, drafts: Sequence[Draft]) -> None:
    """Note activity in a session, which resumes one that is over: now, or for imports when it was said."""
    before = session
    if all(draft.source is Source.IMPORT for draft in drafts):
        at = max(_occurred(draft, writer.now) for draft in drafts)
    else:
        at = writer.now
        # Who sums up a session that is over does not resume it.
        if any(draft.type != SUMMARY for draft in drafts):
            session = replace(session, status=SessionStatus.ACTIVE, ended_at=None)
    active = replace(session, last_activity_at=max(at, session.last_activity_at))
    # What is imported was noted before, and storing a session again takes as long as some of its messages.
    if active != before:
        await writer.put(active)


def _message(writer: WriteTransaction, draft: Draft, tokens: Tokens) -> Message:
    """The message, before it has a number."""
    assert draft.role is not None  # noqa: S101 -- one without a role is no message: see `_road` and `_once`
    by_harness = HARNESS in draft.metadata or is_by_harness(draft.text)
    untrusted = by_harness or draft.role is Role.TOOL if draft.trust is None else draft.trust is Trust.UNTRUSTED
    left = without_blocks(draft.text, sign=writer.rules.sign)
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
        occurred_at=_occurred(draft, writer.now),
        recorded_at=writer.now,
        updated_at=writer.now,
        status=_status(_read(f"{draft.speaker}\n{left}", draft.tags), untrusted),
        classification=_class(draft, (), draft.metadata),
        trust=Trust.UNTRUSTED if untrusted else Trust.TRUSTED,
        importance=_importance(draft),
        echo=not left and bool(draft.text),
        number=0,
        role=Role.SYSTEM if by_harness and draft.role is not Role.TOOL else draft.role,
        speaker=draft.speaker,
        tokens=tokens,
        tokenizer=writer.rules.tokens.name,
    )


async def _observation(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    """Deduplicate, put over the earlier one, or create."""
    # What an engine concludes by itself keeps no session from being over.
    if draft.derived is None:
        draft = await _joined(writer, draft)
    else:
        await _recording(writer, draft.session)
    standing = await _standing(writer.tx, draft)
    if standing is not None and same_text(draft.text) == same_text(standing.text):
        draft = replace(draft, text=standing.text)
    if (
        standing is None
        or standing.status in REJECTED_STATUSES
        or (draft.insight and not isinstance(standing, Reflection))
        or draft.details
        or (draft.derived and _stands_apart(standing, draft))
    ):
        return await _create(writer, draft)
    if _said_before(standing, draft, writer.now):
        earlier = await _over(writer, standing, replace(draft, valid_until=None))
        return await _again_over(writer, standing, earlier)
    return await _over(writer, standing, _evidence_alone(standing, draft) if draft.derived else draft)


def _said_before(standing: Record, draft: Draft, now: datetime) -> bool:
    """Whether a draft says what was said before the wording that is stored, and is only recorded later."""
    dated = draft.occurred_at is not None and draft.derived is None and draft.text != standing.text
    return dated and _occurred(draft, now) < standing.occurred_at


async def _again_over(writer: WriteTransaction, standing: Record, earlier: Saved[Record]) -> Saved[Record]:
    """What was stored over an earlier wording, which is only a version of it."""
    claim = standing if isinstance(standing, Observation) else None
    again = Change(
        text=standing.text,
        hash=standing.hash,
        title=claim and claim.title,
        type=claim and claim.type,
        tags=standing.tags,
        metadata=standing.metadata,
        session=standing.session,
        author=standing.author,
        source=standing.source,
        occurred_at=standing.occurred_at,
        importance=standing.importance,
        trust=standing.trust,
        status=standing.status,
        echo=standing.echo,
        reworded=True,
    )
    return Saved(outcome=earlier.outcome, record=await writer.change(earlier.record, again))


def _stands_apart(standing: Record, draft: Draft) -> bool:
    """Whether what an engine concluded is a memory of its own beside one of the same text.

    The log of a session tells all that was noted in it, whatever was noted in another; and what was noted of later
    messages stands with them, whatever was noted before: what was said again may be the newest that was said. What a
    task has taught is in no log, and is one memory however often it is taught.
    """
    derived = draft.derived
    if derived is not None and derived.insight and derived.place is None:
        return standing.status in _GONE
    insight = derived is not None and derived.insight
    later = derived is not None and isinstance(standing, Observation) and 0 < standing.last < derived.first
    return insight or later or standing.status in _GONE or standing.session != draft.session


def _evidence_alone(record: Record, draft: Draft) -> Draft:
    """A draft that says of a memory what it says already, and adds to what it rests on."""
    return Draft(
        text=record.text,
        author=record.author,
        source=record.source,
        trust=record.trust,
        evidence=draft.evidence,
        session=record.session,
        derived=draft.derived,
    )


async def _standing(tx: Tx, draft: Draft) -> Record | None:
    """The row that a save would change or equal: by topic key, else by content among those without a key."""
    if draft.type == SUMMARY:
        return None
    if draft.topic_key is not None:
        return await tx.observations.by_topic(draft.topic_key)
    return await tx.observations.by_hash(*hashes_of(draft.text))


def _shared(writer: WriteTransaction, draft: Draft, basis: "_Basis", *, terms: str) -> dict[str, Any]:
    """What every record but a message has of its draft.

    Args:
        terms: all that an agent would read of it.
    """
    rules = writer.rules
    left = without_blocks(draft.text, sign=rules.sign)
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
        "occurred_at": _occurred(draft, writer.now),
        "recorded_at": writer.now,
        "updated_at": writer.now,
        "status": _status(
            _read(without_blocks(terms, sign=rules.sign), draft.tags, draft.topic_key),
            basis.trust is Trust.UNTRUSTED,
            draft.details,
        ),
        "classification": _class(draft, basis.classifications, draft.metadata),
        "trust": basis.trust,
        "importance": _importance(draft),
        "echo": not left and bool(draft.text),
        "evidence": tuple(sorted(set(draft.evidence))),
    }


async def _create(writer: WriteTransaction, draft: Draft) -> Saved[Record]:
    rules = writer.rules
    sources = await _sources(writer.tx, draft.evidence)
    await check_sources_not_rejected(writer.caller_tx, sources, sign=writer.rules.sign)
    basis = _basis(draft, sources)
    derived = draft.derived or Derived(engine="", priority=0)
    shared = _shared(writer, draft, basis, terms=f"{draft.title}\n{draft.text}")
    if not derived.shown and shared["status"] is Status.ACTIVE:
        shared["status"] = Status.BUFFERED
    record = (Reflection if derived.insight or draft.insight else Observation)(
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
        valid_until=_valid_until(draft, writer.now),
    )
    (created,) = await writer.add([record])
    return Saved(outcome=Outcome.CREATED, record=created)


async def _over(writer: WriteTransaction, record: R, draft: Draft, *, corrected: bool = False) -> Saved[R]:
    """The draft over a record that stands; nothing is written where nothing differs.

    Args:
        corrected: whether also who said it, and when, may be all that differs.
    """
    sources = await _sources(writer.tx, draft.evidence)
    await check_sources_not_rejected(writer.caller_tx, sources, sign=writer.rules.sign)
    # What it rests on already has given it its class before.
    added = [source for source in sources if source.id not in record.evidence]
    basis = replace(_basis(draft, sources), classifications=_basis(draft, added).classifications)
    change = _changed(record, draft, basis, writer.rules)
    ends = _valid_until(draft, writer.now)
    if isinstance(record, Observation) and ends != record.valid_until:
        change = replace(change, valid_until=ends)
    if change == Change() and not (corrected and _told_otherwise(record, draft, writer.now)):
        return Saved(outcome=Outcome.DEDUPED, record=record)
    by = _attributed(change, record, draft, actor=writer.tx.caller.actor, now=writer.now)
    return Saved(outcome=Outcome.UPDATED, record=await writer.change(record, by))


def _told_otherwise(record: Record, draft: Draft, now: datetime) -> bool:
    """Whether a draft names another author of a record, or another time at which it was said."""
    author = draft.author not in ("", record.author)
    return author or (draft.occurred_at is not None and _occurred(draft, now) != record.occurred_at)


def _attributed(change: Change, record: Record, draft: Draft, *, actor: str, now: datetime) -> Change:
    """A change with who made it, from where, in which session; and when it was said, where that is new."""
    anew = change.text is not None or draft.occurred_at is not None
    # What was noted of messages stays beside them: their numbers are those of its session.
    noted = isinstance(record, Observation) and record.first
    return replace(
        change,
        session=record.session if noted else draft.session,
        author=draft.author or actor,
        source=draft.source,
        occurred_at=_occurred(draft, now) if anew else None,
        reworded=True,
    )


def _changed(record: Record, draft: Draft, basis: "_Basis", rules: Dependencies) -> Change:
    """What of a record a draft changes."""
    rewritten = draft.text != record.text
    claim = record if isinstance(record, Observation) else None
    title = _title(draft, claim)
    left = without_blocks(draft.text, sign=rules.sign)
    trust = basis.trust if rewritten else least_trust([record.trust, basis.trust])
    tags = record.tags if draft.tags is None else draft.tags
    terms = _read(f"{title or title_of(record)}\n{left}", tags, claim and claim.topic_key)
    status = _status(terms, trust is Trust.UNTRUSTED, details_of(record))
    if status is Status.ACTIVE and record.status in LEFT_OUT:
        status = record.status
    metadata = {name: value for name, value in {**record.metadata, **draft.metadata}.items() if value is not None}
    classification = _class_over(record, draft, basis.classifications, metadata, rules)
    return Change(
        text=draft.text if rewritten else None,
        hash=hash_of(draft.text) if rewritten else None,
        title=title if claim and title not in ("", claim.title) else None,
        type=draft.type if claim and draft.type != claim.type else None,
        tags=tuple(draft.tags) if draft.tags is not None and tuple(draft.tags) != record.tags else None,
        metadata=metadata if metadata != record.metadata else None,
        importance=draft.importance if draft.importance != record.importance else None,
        classification=classification if classification != record.classification else None,
        trust=trust if trust != record.trust else None,
        status=status if status != record.status else None,
        echo=(not left) if (not left) != record.echo else None,
        details=draft.details if draft.details not in (None, details_of(record)) else None,
        evidence=tuple(sorted(set(draft.evidence) - set(record.evidence))),
    )


def _title(draft: Draft, claim: Observation | None) -> str:
    """The title that a draft gives to a claim; `""` leaves the one that it has."""
    if claim is None:
        return ""
    made_of_text = draft.title == "" or (draft.title is None and claim.title == title_for(claim.text))
    return title_for(draft.text) if made_of_text else draft.title or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What a claim inherits from what it rests on."""

    trust: Trust
    classifications: tuple[Classification, ...]


def _class(draft: Draft, basis: Sequence[Classification], metadata: Metadata) -> Classification:
    """The class of a memory: the highest of what is said, of what it rests on, and of what it holds and names."""
    said = [] if draft.classification is None else [draft.classification]
    return most_restrictive([classified(draft.text_class, metadata), *said, *basis])


def _class_over(
    record: Record, draft: Draft, basis: Sequence[Classification], metadata: Metadata, rules: Dependencies
) -> Classification:
    """The class of a record with a draft over it, which is never lowered here.

    What an operator has lowered stays so, unless what is new asks for more than what the operator saw.
    """
    standing, asked = record.classification, classified(draft.text_class, metadata)
    if most_restrictive([asked, standing]) is not standing:
        before = _asked_before(record, rules)
        asked = standing if most_restrictive([asked, before]) is before else asked
    return most_restrictive([standing, asked, *basis])


def _asked_before(record: Record, rules: Dependencies) -> Classification:
    """The class that a record asks for by what it holds and names."""
    return classified(_cleaned(_again_drafted(record), rules, _Cleaner(rules)).draft.text_class, record.metadata)


def _basis(draft: Draft, sources: Sequence[Record]) -> _Basis:
    """The least trust of a draft and its evidence, and all that they say of how freely it may be shown."""
    said = () if draft.classification is None else (draft.classification,)
    return _Basis(
        trust=least_trust([draft.trust or Trust.TRUSTED, *(source.trust for source in sources)]),
        classifications=(*said, *(source.classification for source in sources)),
    )


def _importance(draft: Draft) -> float:
    return DEFAULT_IMPORTANCE if draft.importance is None else draft.importance


async def _sources(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """The records that evidence names.

    Raises:
        NotFound: one of them is not here.
    """
    found = {record.id: record for record in await find_records(tx, ids) if record.status is not Status.DELETED}
    for id in ids:
        if id not in found:
            raise NotFound("memory", id)
    return list(found.values())


def _read(terms: str, tags: Sequence[str] | None, key: str | None = None) -> str:
    """All that an agent would read of a record, its tags and its topic key as words; each on a line of its own."""
    return "\n".join([terms, *(_JOINED.sub(" ", name) for name in (*(tags or ()), key or ""))])


_JOINED = re.compile(r"[-_/.]+")


def _status(text: str, untrusted: bool, details: Details | None = None) -> Status:
    """Quarantined is what is untrusted and would be a rule, or reads as an order."""
    order = untrusted and (isinstance(details, RuleDetails) or looks_like_injection(text))
    return Status.QUARANTINED if order else Status.ACTIVE


def _occurred(draft: Draft, now: datetime) -> datetime:
    when = now if draft.occurred_at is None else utc(draft.occurred_at, what="occurred_at")
    if when.year not in _YEARS:
        raise InvalidInput(
            f"occurred_at {when.isoformat()} is out of range; years {_YEARS[0]} to {_YEARS[-1]} are taken"
        )
    return when


def _valid_until(draft: Draft, now: datetime) -> datetime | None:
    """Until when a draft says that it is valid.

    Raises:
        InvalidInput: it names no time zone, or is over already.
    """
    if draft.valid_until is None:
        return None
    ends = utc(draft.valid_until, what="valid_until")
    if ends <= now:
        raise InvalidInput(f"valid_until {ends.isoformat()} is over already; give a later time, or none")
    return ends


def _request(draft: Draft) -> str:
    """A fingerprint of what a draft asks for, the idempotency key apart."""
    parts = [
        draft.text, draft.session, draft.role, draft.speaker, draft.type, draft.title, draft.topic_key,
        list(draft.tags or ()), draft.metadata, draft.author, draft.source, str(draft.occurred_at), draft.importance,
        draft.trust, draft.classification, list(draft.evidence),
        *([] if draft.valid_until is None else [str(draft.valid_until)]),
    ]  # fmt: skip
    if draft.details is not None:
        parts.append(details_to_json(draft.details))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
