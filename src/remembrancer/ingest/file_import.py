"""Import of files of chats.

Conversations are matched with earlier imports, and the new messages are stored. A conversation with a unique id is
known by it. Any other is recognised by its messages. It is the same as an earlier import if none of that is missing and
it was read from the same place or has clock times. From the same place, some messages with clock times are enough. The
same texts are the same conversation anywhere. All others are new.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import islice

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.ingest.admission import admit
from remembrancer.ingest.draft_cleaning import IN_NAMES
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import Form
from remembrancer.ingest.importers.forms import turns_of
from remembrancer.ingest.importers.reader import Reader, SkippedItem, UnreadField
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import (
    BATCH,
    batches,
    derived_id,
    draft_of_turn,
    erased_drafts,
    existing_or_erased,
    id_time,
    put_sessions,
    restored_by_export,
    session_name,
    storable_text,
)
from remembrancer.language.private import Regions, stripped
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft, checked_draft
from remembrancer.transactions.redaction import effective_redactions, excluded_data, refusal_message
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.archive import ImportState
from remembrancer.types.policy import PersonalDataType, Redaction

# Few enough that an interrupt need not wait.
_READ_AT_ONCE = 2_000
_LOOKED_UP_AT_ONCE = 5_000
# Between messages with the same time, so that they stay in their order.
_STEP = timedelta(microseconds=1)
_LAST = datetime(9_998, 12, 31, tzinfo=UTC)
_MAX_CANDIDATES = 20
# The messages of a smaller file stay in memory during the import, so that it is parsed once.
_KEPT_BYTES = 16 * 1024 * 1024

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedConversation:
    """A conversation that differs from an earlier import of the same place.

    Args:
        new: number of its messages that were not imported before.
        missing: number of imported messages that it no longer contains; they stay stored.
        apart: it was imported as a conversation of its own.
    """

    session: str
    new: int
    missing: int
    apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFile:
    """The result of the import of a file.

    Args:
        created: number of messages that were stored.
        deduped: number of messages that existed already.
        erased: number of messages that were skipped, because they were erased here.
        differing: conversations that differ from an earlier import of the same place.
        unread: fields that could not be read as they are.
        left_out: skipped entries.
        kinds: for an export of ours, the number of stored memories of each kind.
    """

    created: int = 0
    deduped: int = 0
    erased: int = 0
    differing: Sequence[ChangedConversation] = ()
    unread: Sequence[UnreadField] = ()
    left_out: Sequence[SkippedItem] = ()
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])

    def __add__(self, other: "ImportedFile") -> "ImportedFile":
        # Both readings of a file find the same gaps.
        gaps = {(one.gap, one.example): one for one in (*self.unread, *other.unread)}
        places = {one.where: one for one in (*self.left_out, *other.left_out)}
        return ImportedFile(
            created=self.created + other.created,
            deduped=self.deduped + other.deduped,
            erased=self.erased + other.erased,
            differing=(*self.differing, *other.differing),
            unread=tuple(gaps.values()),
            left_out=tuple(places.values()),
            kinds=dict(Counter(self.kinds) + Counter(other.kinds)),
        )


@dataclass(slots=True, kw_only=True)
class _Chat:
    """A conversation of a file, after the first reading.

    Attributes:
        prints: fingerprints of its messages, distinct even for repeated texts.
        chain: for each message, a fingerprint of all messages up to it.
        timed: fingerprints of messages with a clock time.
        began: its first time.
        regions: its private regions, which may span several messages.
    """

    own: str
    session: str
    prints: list[str] = field(default_factory=list[str])
    chain: list[str] = field(default_factory=list[str])
    timed: set[str] = field(default_factory=set[str])
    began: datetime | None = None
    repeats: Counter[str] = field(default_factory=Counter[str])
    first_message: str = ""
    regions: Regions = field(default_factory=Regions)

    def add(self, turn: Turn, signed: str, sign: Sign) -> None:
        """Add the next message."""
        print = _distinct(signed, self.repeats)
        self.prints.append(print)
        self.regions.take(turn.text)
        # A conversation with an id of its own never equals one with another, or without.
        self.chain.append(sign(f"chat {self.chain[-1] if self.chain else self.own} {print}")[:32])
        self.began = self.began or turn.occurred_at
        if turn.occurred_at is not None and turn.occurred_at.timetz().replace(tzinfo=None) != time():
            self.timed.add(print)
            self.first_message = self.first_message or signed


@dataclass(slots=True, kw_only=True)
class _PlacedChat:
    """A conversation of a file, with its session.

    Attributes:
        known: number of its messages that exist or were erased.
        erased: number of those that were erased.
        read: number of its messages that the second reading has passed.
        last: the time of the last message, with `step` messages before it at the same time.
        depths: for each message, the number of private regions in which it begins.
    """

    chat: _Chat
    state: ImportState
    known: int = 0
    erased: int = 0
    differing: ChangedConversation | None = None
    read: int = 0
    repeats: Counter[str] = field(default_factory=Counter[str])
    last: datetime | None = None
    step: int = 0
    depths: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.depths = self.chat.regions.depths()

    @property
    def is_complete(self) -> bool:
        """True if all its messages are known."""
        return self.known == len(self.chat.prints)

    def time_of(self, turn: Turn, default: datetime) -> datetime:
        """Return the time of the next message.

        It is its own or the nearest known one, slightly after the one before.
        """
        when = turn.occurred_at or self.last or self.chat.began or turn.written_at or default
        self.step = self.step + 1 if when == self.last else 0
        self.last = when
        return when + self.step * _STEP if when < _LAST else when


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadTurn:
    """A valid message of a file, with its fingerprint.

    The fingerprint covers speaker, time and text.
    """

    turn: Turn
    draft: Draft
    signed: str


def _distinct(signed: str, repeats: Counter[str]) -> str:
    """Return the fingerprint of a message, with the number of its repetition."""
    repeats[signed] += 1
    return f"{signed}.{repeats[signed]}"


async def import_file(
    unit: UnitOfWork, file: ChatFile, form: Form | None, *, skip_bad: bool, progress: Callable[[int], None]
) -> ImportedFile:
    """Import the new messages of a file.

    The whole file is read and checked before the first write. It is written in batches; after an interruption another
    import continues.

    Args:
        form: that of another program, or `None` for messages in JSON.
        skip_bad: skip invalid entries instead of refusing the file.
        progress: is called with the number of messages of each batch.

    Raises:
        InvalidInput: an entry is invalid; nothing was imported.
    """
    reader = Reader(file.title, skip_bad=skip_bad, zone=file.zone)
    policies = await unit.read(effective_redactions)
    refused = tuple(data_type for data_type, redaction in policies.items() if redaction is Redaction.REFUSE)
    chats, skipped, turns = await _survey(unit, file, form, reader, refused)
    placed = await _placed(unit, file, chats, skipped=len(reader.left_out))
    await run_sync(_check_names, [one.state.session for one in placed.values()], excluded_data(policies))
    total = ImportedFile()
    if complete := [one for one in placed.values() if one.is_complete]:
        await _put_complete(unit, complete)
        known, erased = sum(one.known for one in complete), sum(one.erased for one in complete)
        total = replace(total, deduped=known - erased, erased=erased)
        progress(known)
    if len(complete) < len(placed):
        second = _read_again(unit, file, form, skipped) if turns is None else iter(turns)
        async for batch in _batches(unit, file, placed, second):
            imported = await _import(unit, batch)
            total = replace(
                total,
                created=total.created + imported.created,
                deduped=total.deduped + imported.deduped,
                erased=total.erased + imported.erased,
            )
            progress(len(batch))
    differing = tuple(one.differing for one in placed.values() if one.differing)
    return replace(total, differing=differing, unread=tuple(reader.unread), left_out=tuple(reader.left_out))


def _check_names(sessions: Sequence[str], excluded: Sequence[PersonalDataType]) -> None:
    """Check the names of conversations for excluded personal data.

    Raises:
        NotAllowed: one does.
    """
    kinds = [data_type for data_type in excluded if data_type in IN_NAMES]
    for name in sessions if kinds else ():
        if in_name := sorted({one.data_type for one in find_personal(name, kinds)}):
            raise NotAllowed(
                f"the name of a conversation contains personal data ({', '.join(in_name)}), which this scope does not"
                " store; rename the file, or the session in it. Nothing was imported"
            )


async def _survey(
    unit: UnitOfWork, file: ChatFile, form: Form | None, reader: Reader, refused: Sequence[PersonalDataType]
) -> tuple[dict[_Key, _Chat], set[int], list[_ReadTurn] | None]:
    """Read and check a file.

    Return its conversations, the places of skipped turns, and the others (`None` if it is large).

    Raises:
        InvalidInput: an entry is invalid.
    """
    chats, skipped, turns = dict[_Key, _Chat](), set[int](), enumerate(turns_of(file, reader, form))
    kept = list[_ReadTurn]() if file.size <= _KEPT_BYTES else None

    def survey() -> bool:
        has_more = False
        for place, turn in islice(turns, _READ_AT_ONCE):
            has_more = True
            try:
                read = _read_turn(turn, unit)
                _check(read.draft, unit, refused)
            except (InvalidInput, NotAllowed) as error:
                skipped.add(place)
                reader.skip(turn.where, str(error))
                continue
            key = turn.conversation, turn.session
            chat = chats.setdefault(key, _Chat(own=turn.conversation, session=turn.session))
            chat.add(turn, read.signed, unit.rules.sign)
            if kept is not None:
                kept.append(read)
        return has_more

    while await run_sync(survey):
        pass
    return chats, skipped, kept


def _read_again(unit: UnitOfWork, file: ChatFile, form: Form | None, skipped: Collection[int]) -> Iterator[_ReadTurn]:
    """Yield the valid turns of a file again.

    The first reading has reported the skipped ones.
    """
    turns = enumerate(turns_of(file, Reader(file.title, skip_bad=True, zone=file.zone), form))
    return (_read_turn(turn, unit) for place, turn in turns if place not in skipped)


def _read_turn(turn: Turn, unit: UnitOfWork) -> _ReadTurn:
    draft = draft_of_turn(turn, unit, session="chat", id=None, at=None)
    return _ReadTurn(turn=turn, draft=draft, signed=_signed(turn, unit))


def _check(draft: Draft, unit: UnitOfWork, refused: Sequence[PersonalDataType]) -> None:
    """Check that a draft can be recorded.

    Raises:
        InvalidInput: it is not allowed.
        NotAllowed: it contains what its scope refuses.
    """
    checked_draft(draft, unit.rules.types)
    if unit.rules.secrets is SecretPolicy.REFUSE:
        redact(draft.text, policy=unit.rules.secrets)
    if refused and (kinds := {one.data_type for one in find_personal(draft.text, refused)}):
        raise NotAllowed(refusal_message(kinds))


def _signed(turn: Turn, unit: UnitOfWork) -> str:
    """Return a fingerprint of speaker, time and text.

    It begins with the time, as the ids of messages do.
    """
    when = turn.occurred_at and turn.occurred_at.isoformat()
    parts = json.dumps([turn.role, storable_text(turn.speaker), when, storable_text(turn.text)])
    fingerprint = unit.rules.sign(f"said {parts}")[:32]
    return f"{id_time(turn.occurred_at):x}.{fingerprint}"


def _id(unit: UnitOfWork, session: str, print: str) -> str:
    """Return the id of an imported message in a session."""
    scope = unit.scope
    parts = (scope.tenant, scope.project, scope.agent, scope.user, session, print)
    return derived_id(int(print.partition(".")[0], 16), unit.rules.sign(f"message {parts!r}"))


async def _placed(
    unit: UnitOfWork, file: ChatFile, chats: dict[_Key, _Chat], *, skipped: int
) -> dict[_Key, _PlacedChat]:
    """Return the conversations of a file with their sessions, existing or new."""
    placed, new_sessions = dict[_Key, _PlacedChat](), dict[str, str]()
    for batch in batches(chats.items(), BATCH):
        pending = [(key, chat, _new_state(unit, file, chat, skipped)) for key, chat in batch]

        async def place(tx: Tx, pending: list[tuple[_Key, _Chat, ImportState]] = pending) -> None:
            states = await tx.imports.find(
                sources=[state.source for *_, state in pending],
                digests=[state.digest for *_, state in pending],
                first_messages=[state.first_message for *_, state in pending],
            )
            for key, chat, state in pending:
                one = await _place(unit, tx, chat, state, states)
                if one.known == 0 and not one.state.messages:
                    # A conversation that a file contains twice is one, as in two files.
                    session = new_sessions.setdefault(state.digest, one.state.session)
                    one.state = replace(one.state, session=session)
                placed[key] = one

        await unit.read(place)
    return placed


def _new_state(unit: UnitOfWork, file: ChatFile, chat: _Chat, skipped: int) -> ImportState:
    """Return the import state of a conversation as if it were new."""
    sign = unit.rules.sign
    place = f"chat {chat.own}\0{chat.session}" if chat.own else f"place {file.place}\0{chat.session}"
    source = sign(place) if chat.own or file.place else ""
    digest = chat.chain[-1]
    conversation = chat.own or f"chat/{file.title}-{sign(f'new {source} {digest}')[:12]}"
    name = f"{conversation}/{chat.session}" if chat.session else conversation
    return ImportState(
        source=source,
        session=session_name(name, unit.rules),
        first_message=chat.first_message and sign(f"opening {chat.own}\0{chat.first_message}"),
        digest=digest,
        messages=0,
        skipped=skipped,
    )


async def _place(
    unit: UnitOfWork, tx: Tx, chat: _Chat, state: ImportState, states: Sequence[ImportState]
) -> _PlacedChat:
    """Assign a conversation to a session.

    It is the candidate that contains most of its messages, or a new one.
    """
    best, has_place = None, False
    for session, is_at_place in _candidates(state, states):
        has_place = has_place or is_at_place
        known, erased = await _known(unit, tx, session, chat.prints)
        match = _match(chat, known, state, [one for one in states if one.session == session])
        if match is not None and (best is None or len(known) > best.known):
            new, is_edited = len(chat.prints) - len(known), _is_edited(match, states)
            change = ChangedConversation(session=session, new=new, missing=match.messages - len(known), apart=False)
            differing = change if new and is_edited else None
            best = _PlacedChat(chat=chat, state=match, known=len(known), erased=erased, differing=differing)
    if best is not None:
        return best
    if await tx.sessions.find(state.session):
        state = replace(state, session=session_name(f"{state.session}-{state.digest[:12]}", unit.rules))
    change = ChangedConversation(session=state.session, new=len(chat.prints), missing=0, apart=True)
    return _PlacedChat(chat=chat, state=state, differing=change if has_place else None)


def _match(chat: _Chat, known: set[str], state: ImportState, states: Sequence[ImportState]) -> ImportState | None:
    """Return the import state of a conversation as that of a session.

    `None` if it is another conversation.

    Args:
        known: fingerprints of its messages that the session contains.
        states: the import states of the session.
    """
    at_place = next((one for one in states if one.source == state.source != ""), None)
    messages, is_timed = states[0].messages, not known.isdisjoint(chat.timed)
    same = replace(state, session=states[0].session, messages=messages, missing=messages - len(known))
    # Without times, the same texts in another order may be another conversation, unless entries were skipped.
    was_incomplete = at_place is not None and at_place.skipped
    has_same_beginning = any(one.digest in chat.chain for one in states)
    is_continued = has_same_beginning and known == set(chat.prints[: len(known)])
    if (chat.own and at_place) or (not same.missing and (is_timed or was_incomplete or is_continued)):
        return same
    # Messages were removed here; or a copy came from elsewhere, and both were continued.
    if at_place and is_timed and (not at_place.from_others or same.missing == at_place.missing):
        return same
    if is_timed and any(
        one.digest in chat.chain and one.missing == same.missing and not one.from_others for one in states
    ):
        return same
    equal = next((one for one in (at_place, *states) if one and one.digest == state.digest), None)
    is_known = len(known) == len(chat.prints)
    if is_known and equal:
        return replace(same, missing=equal.missing, from_others=equal.from_others)
    return replace(same, missing=0, from_others=same.missing) if is_known and is_timed else None


def _is_edited(match: ImportState, states: Sequence[ImportState]) -> bool:
    """Return True if messages were removed since the last import."""
    at_place = [one for one in states if (one.session, one.source) == (match.session, match.source) and one.source]
    return any(match.missing > one.missing + one.from_others for one in at_place)


def _candidates(state: ImportState, states: Sequence[ImportState]) -> list[tuple[str, bool]]:
    """Return the sessions that may contain a conversation.

    The second value is true for an earlier import from the same place.
    """
    at_place = {one.session: True for one in states if state.source and one.source == state.source}
    equal = {one.session: False for one in states if one.digest == state.digest}
    same_start = [one.session for one in states if state.first_message and one.first_message == state.first_message]
    return list({**dict.fromkeys(same_start[:_MAX_CANDIDATES], False), **equal, **at_place}.items())


async def _known(unit: UnitOfWork, tx: Tx, session: str, prints: Sequence[str]) -> tuple[set[str], int]:
    """Return the known fingerprints of a session.

    Erased messages are known, too; the second value is their number.
    """
    known, erased = set[str](), 0
    for batch in batches(prints, _LOOKED_UP_AT_ONCE):
        prints_by_id = {_id(unit, session, one): one for one in batch}
        ids = await existing_or_erased(tx, list(prints_by_id), sign=unit.rules.sign)
        erased += len(ids) - len(await tx.records.hashes(list(ids)))
        known |= {prints_by_id[id] for id in ids}
    return known, erased


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlacedDraft:
    """A message to import, with its conversation."""

    placed: _PlacedChat
    draft: Draft


async def _batches(
    unit: UnitOfWork, file: ChatFile, placed: dict[_Key, _PlacedChat], turns: Iterator[_ReadTurn]
) -> AsyncIterator[list[_PlacedDraft]]:
    """Yield the messages of incomplete conversations in batches.

    Raises:
        InvalidInput: the file has changed since the first reading.
    """
    now = unit.rules.clock.now()

    def batch() -> list[_PlacedDraft]:
        drafts = list[_PlacedDraft]()
        for one in turns:
            chat = placed.get((one.turn.conversation, one.turn.session))
            if chat is None or chat.is_complete:
                continue
            print = _distinct(one.signed, chat.repeats)
            if chat.read == len(chat.chat.prints):
                # The file has grown since; the next import reads the rest.
                continue
            if chat.chat.prints[chat.read] != print:
                raise InvalidInput(f"{file.title} changed while it was read; import it again")
            chat.read += 1
            session, at = chat.state.session, chat.time_of(one.turn, now)
            draft = replace(one.draft, session=session, id=_id(unit, session, print), occurred_at=at)
            drafts.append(_PlacedDraft(placed=chat, draft=_without_private(draft, next(chat.depths))))
            if len(drafts) == BATCH:
                break
        return drafts

    while drafts := await run_sync(batch):
        yield drafts


def _without_private(draft: Draft, depth: int) -> Draft:
    """Return a draft without private regions that began before it."""
    return replace(draft, text=stripped(draft.text, depth=depth)) if depth else draft


async def _import(unit: UnitOfWork, batch: Sequence[_PlacedDraft]) -> ImportedFile:
    """Record the new messages of a batch, and the import state."""
    drafts = {one.draft.id or "": one.draft for one in batch}
    async with unit.write(list(drafts.values())) as writer:
        existing = {*await writer.tx.records.hashes(list(drafts)), *await restored_by_export(writer.tx, drafts)}
        erased = await existing_or_erased(writer.tx, list(drafts), sign=unit.rules.sign) - existing
        erased |= await erased_drafts(unit, writer.tx, drafts) - existing
        fresh = [draft for id, draft in drafts.items() if id not in existing and id not in erased]
        await put_sessions(writer, fresh)
        await admit(writer, fresh)
        added = Counter(draft.session or "" for draft in fresh)
        # Of a conversation without a stored message, not even the name is stored.
        states = {one.placed.state: None for one in batch if one.draft.id not in erased or one.placed.state.messages}
        await _put_states(writer, states, added)
    return ImportedFile(created=len(fresh), deduped=len(batch) - len(fresh) - len(erased), erased=len(erased))


async def _put_complete(unit: UnitOfWork, placed: Sequence[_PlacedChat]) -> None:
    """Store the place from which complete conversations were read."""
    for batch in batches(placed, BATCH):
        async with unit.write() as writer:
            await _put_states(writer, {one.state: None for one in batch}, Counter())


async def _put_states(writer: WriteTransaction, states: Iterable[ImportState], added: Counter[str]) -> None:
    """Store the import state of conversations.

    Args:
        added: number of new messages by session.
    """
    stored = await writer.tx.imports.find(sessions=list({state.session for state in states}))
    messages = {one.session: one.messages for one in stored}
    for state in states:
        current = replace(state, messages=messages.get(state.session, 0) + added[state.session])
        if current not in stored:
            await writer.put(current)
