"""Import of files of chats: match conversations with earlier imports, and store what is new."""

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
from remembrancer.ingest.admission import IN_NAMES, admit
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.reader import LeftOut, Reader, Unread
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import (
    BATCH,
    batches,
    draft_of,
    erased,
    made_id,
    millis,
    note_sessions,
    ours,
    session_name,
    storable,
    there,
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

# Few enough that who interrupts need not wait.
_READ_AT_ONCE = 2_000
_ASKED_AT_ONCE = 5_000
# Of messages that say the same time: so that they stand in the order in which they were said.
_APART = timedelta(microseconds=1)
_LAST = datetime(9_998, 12, 31, tzinfo=UTC)
_MOST_CANDIDATES = 20
# The messages of a file of no more bytes are kept while it is imported, so that it is parsed once.
_KEPT_BYTES = 16 * 1024 * 1024

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A conversation that is not what was imported from its place before.

    Args:
        new: how many of its messages were not there.
        missing: how many that were imported from there stand in it no more; they are kept.
        apart: whether it was taken as a conversation of its own.
    """

    session: str
    new: int
    missing: int
    apart: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFile:
    """What was imported of a file.

    Args:
        created: how many messages.
        deduped: how many were there already.
        erased: how many were not brought back, because they were erased.
        differing: conversations that are not what was imported from their place before.
        unread: what could not be read as it stands.
        left_out: what was not taken.
        kinds: of an export of ours, how many memories of each kind were created.
    """

    created: int = 0
    deduped: int = 0
    erased: int = 0
    differing: Sequence[Differing] = ()
    unread: Sequence[Unread] = ()
    left_out: Sequence[LeftOut] = ()
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(slots=True, kw_only=True)
class _Chat:
    """A conversation of a file, as it was read first.

    Attributes:
        prints: fingerprints of its messages; each once, however often the same was said.
        chain: of each message a fingerprint of all up to it.
        timed: those that say at what time of day they were said.
        began: the first time that it states.
        regions: its private regions, which go on over the edges of pieces.
    """

    own: str
    session: str
    prints: list[str] = field(default_factory=list[str])
    chain: list[str] = field(default_factory=list[str])
    timed: set[str] = field(default_factory=set[str])
    began: datetime | None = None
    said: Counter[str] = field(default_factory=Counter[str])
    opening: str = ""
    regions: Regions = field(default_factory=Regions)

    def take(self, turn: Turn, signed: str, sign: Sign) -> None:
        """Take the next message, which is told from an earlier one that says the same."""
        made = _numbered(signed, self.said)
        self.prints.append(made)
        self.regions.take(turn.text)
        # What has an id of its own is like nothing that has another, or none, whatever both say.
        self.chain.append(sign(f"chat {self.chain[-1] if self.chain else self.own} {made}")[:32])
        self.began = self.began or turn.occurred_at
        if turn.occurred_at is not None and turn.occurred_at.timetz().replace(tzinfo=None) != time():
            self.timed.add(made)
            self.opening = self.opening or signed


@dataclass(slots=True, kw_only=True)
class _Placed:
    """A conversation of a file, and the session that it is in.

    Attributes:
        known: how many of its messages are there, or were erased, which `erased` counts.
        read: how many of its messages were taken so far to be recorded.
        last: the last time that a message of it had, and how many had that one.
        depths: within how many private regions each of its messages begins.
    """

    chat: _Chat
    reading: ImportState
    known: int = 0
    erased: int = 0
    differing: Differing | None = None
    read: int = 0
    again: Counter[str] = field(default_factory=Counter[str])
    last: datetime | None = None
    step: int = 0
    depths: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.depths = self.chat.regions.depths()

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        return self.known == len(self.chat.prints)

    def moment(self, turn: Turn, otherwise: datetime) -> datetime:
        """When a message was said: what it states, or the nearest time known, each a bit later than the one before."""
        when = turn.occurred_at or self.last or self.chat.began or turn.written_at or otherwise
        self.step = self.step + 1 if when == self.last else 0
        self.last = when
        return when + self.step * _APART if when < _LAST else when


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A message of a file that can be recorded, and the fingerprint of who said what and when."""

    turn: Turn
    draft: Draft
    signed: str


def _numbered(signed: str, said: Counter[str]) -> str:
    """The fingerprint of a message, told from those of earlier ones that say the same."""
    said[signed] += 1
    return f"{signed}.{said[signed]}"


async def import_file(
    unit: UnitOfWork, file: ChatFile, *, skip_bad: bool, progress: Callable[[int], None]
) -> ImportedFile:
    """Import what is new of a file.

    All of it is read and checked before any of it is written, piece by piece: one that was broken off is gone on with
    by importing again.

    Args:
        skip_bad: leave out what cannot be taken, instead of refusing the file.
        progress: is called with the number of messages each time some were dealt with.

    Raises:
        InvalidInput: the file holds something that cannot be taken; nothing of it was imported.
    """
    reader = Reader(file.title, skip_bad=skip_bad)
    policies = await unit.read(effective_redactions)
    refused = tuple(datum for datum, done in policies.items() if done is Redaction.REFUSE)
    chats, left_out, kept = await _surveyed(unit, file, reader, refused)
    placed = await _placed(unit, file, chats, left_out=len(reader.left_out))
    await run_sync(_check_names, [one.reading.session for one in placed.values()], excluded_data(policies))
    total = ImportedFile()
    if whole := [one for one in placed.values() if one.whole]:
        await _note_whole(unit, whole)
        known, erased = sum(one.known for one in whole), sum(one.erased for one in whole)
        total = replace(total, deduped=known - erased, erased=erased)
        progress(known)
    if len(whole) < len(placed):
        again = _read_again(unit, file, left_out) if kept is None else iter(kept)
        async for piece in _pieces(unit, file, placed, again):
            done = await _import(unit, piece)
            total = replace(
                total,
                created=total.created + done.created,
                deduped=total.deduped + done.deduped,
                erased=total.erased + done.erased,
            )
            progress(len(piece))
    differing = tuple(one.differing for one in placed.values() if one.differing)
    return replace(total, differing=differing, unread=tuple(reader.unread), left_out=tuple(reader.left_out))


def _check_names(sessions: Sequence[str], unwanted: Sequence[PersonalDataType]) -> None:
    """Nothing, where no conversation is called by what its scope does not store.

    Raises:
        NotAllowed: one is.
    """
    of_names = [datum for datum in unwanted if datum in IN_NAMES]
    for name in sessions if of_names else ():
        if found := sorted({one.datum for one in find_personal(name, of_names)}):
            raise NotAllowed(
                f"the name of a conversation holds personal data, found {', '.join(found)}, which this scope does not"
                " store; name the file, or the session in it, otherwise. Nothing was imported"
            )


async def _surveyed(
    unit: UnitOfWork, file: ChatFile, reader: Reader, refused: Sequence[PersonalDataType]
) -> tuple[dict[_Key, _Chat], set[int], list[_Taken] | None]:
    """The conversations of a file, which of its turns are left out, and the others; `None` of a large file.

    Raises:
        InvalidInput: it holds something that cannot be taken.
    """
    chats, left_out, turns = dict[_Key, _Chat](), set[int](), enumerate(file.turns(reader))
    kept = list[_Taken]() if file.size <= _KEPT_BYTES else None

    def survey() -> bool:
        found = False
        for place, turn in islice(turns, _READ_AT_ONCE):
            found = True
            try:
                taken = _taken(turn, unit)
                _check(taken.draft, unit, refused)
            except (InvalidInput, NotAllowed) as error:
                left_out.add(place)
                reader.leave_out(turn.where, str(error))
                continue
            key = turn.conversation, turn.session
            chat = chats.setdefault(key, _Chat(own=turn.conversation, session=turn.session))
            chat.take(turn, taken.signed, unit.rules.sign)
            if kept is not None:
                kept.append(taken)
        return found

    while await run_sync(survey):
        pass
    return chats, left_out, kept


def _read_again(unit: UnitOfWork, file: ChatFile, left_out: Collection[int]) -> Iterator[_Taken]:
    """The turns of a file once more, those apart that are left out; that was reported when it was read first."""
    turns = enumerate(file.turns(Reader(file.title, skip_bad=True)))
    return (_taken(turn, unit) for place, turn in turns if place not in left_out)


def _taken(turn: Turn, unit: UnitOfWork) -> _Taken:
    draft = draft_of(turn, unit, session="chat", id=None, at=None)
    return _Taken(turn=turn, draft=draft, signed=_signed(turn, unit))


def _check(draft: Draft, unit: UnitOfWork, data: Sequence[PersonalDataType]) -> None:
    """Nothing, where a draft can be recorded.

    Raises:
        InvalidInput: it is not allowed.
        NotAllowed: it holds what its scope refuses.
    """
    checked_draft(draft, unit.rules.types)
    if unit.rules.secrets is SecretPolicy.REFUSE:
        redact(draft.text, policy=unit.rules.secrets)
    if data and (found := {one.datum for one in find_personal(draft.text, data)}):
        raise NotAllowed(refusal_message(found))


def _signed(turn: Turn, unit: UnitOfWork) -> str:
    """A fingerprint of who said what and when; it begins with the time, as the ids of messages do."""
    when = turn.occurred_at and turn.occurred_at.isoformat()
    said = json.dumps([turn.role, storable(turn.speaker), when, storable(turn.text)])
    return f"{millis(turn.occurred_at):x}.{unit.rules.sign(f'said {said}')[:32]}"


def _id(unit: UnitOfWork, session: str, print: str) -> str:
    """The id of an imported message in a session."""
    scope = unit.scope
    parts = (scope.tenant, scope.project, scope.agent, scope.user, session, print)
    return made_id(int(print.partition(".")[0], 16), unit.rules.sign(f"message {parts!r}"))


async def _placed(unit: UnitOfWork, file: ChatFile, chats: dict[_Key, _Chat], *, left_out: int) -> dict[_Key, _Placed]:
    """The session of each conversation of a file: one that is there, or a new one."""
    placed, fresh = dict[_Key, _Placed](), dict[str, str]()
    for some in batches(chats.items(), BATCH):
        asked = [(key, chat, _reading(unit, file, chat, left_out)) for key, chat in some]

        async def look(tx: Tx, asked: list[tuple[_Key, _Chat, ImportState]] = asked) -> None:
            readings = await tx.imports.find(
                sources=[reading.source for *_, reading in asked],
                digests=[reading.digest for *_, reading in asked],
                openings=[reading.opening for *_, reading in asked],
            )
            for key, chat, reading in asked:
                found = await _place(unit, tx, chat, reading, readings)
                if found.known == 0 and not found.reading.messages:
                    # The same twice in one file is one conversation, as it is in two.
                    same = fresh.setdefault(reading.digest, found.reading.session)
                    found.reading = replace(found.reading, session=same)
                placed[key] = found

        await unit.read(look)
    return placed


def _reading(unit: UnitOfWork, file: ChatFile, chat: _Chat, left_out: int) -> ImportState:
    """A conversation as it stands in a file, in the session that it would be in were it new."""
    sign = unit.rules.sign
    place = f"chat {chat.own}\0{chat.session}" if chat.own else f"place {file.place}\0{chat.session}"
    source = sign(place) if chat.own or file.place else ""
    digest = chat.chain[-1]
    named = chat.own or f"chat/{file.title}-{sign(f'new {source} {digest}')[:12]}"
    whole = f"{named}/{chat.session}" if chat.session else named
    return ImportState(
        source=source,
        session=session_name(whole, unit.rules),
        opening=chat.opening and sign(f"opening {chat.own}\0{chat.opening}"),
        digest=digest,
        messages=0,
        left_out=left_out,
    )


async def _place(
    unit: UnitOfWork, tx: Tx, chat: _Chat, reading: ImportState, readings: Sequence[ImportState]
) -> _Placed:
    """A conversation in the session that holds most of it, of those that it may be in; else in a new one."""
    best, before = None, False
    for session, at_place in _candidates(reading, readings):
        before = before or at_place
        known, erased = await _known(unit, tx, session, chat.prints)
        found = _found(chat, known, reading, [one for one in readings if one.session == session])
        if found is not None and (best is None or len(known) > best.known):
            new, edited = len(chat.prints) - len(known), _is_edited(found, readings)
            told = Differing(session=session, new=new, missing=found.messages - len(known), apart=False)
            differing = told if new and edited else None
            best = _Placed(chat=chat, reading=found, known=len(known), erased=erased, differing=differing)
    if best is not None:
        return best
    if await tx.sessions.find(reading.session):
        reading = replace(reading, session=session_name(f"{reading.session}-{reading.digest[:12]}", unit.rules))
    told = Differing(session=reading.session, new=len(chat.prints), missing=0, apart=True)
    return _Placed(chat=chat, reading=reading, differing=told if before else None)


def _found(chat: _Chat, known: set[str], reading: ImportState, readings: Sequence[ImportState]) -> ImportState | None:
    """A conversation as that of a session, with what it lacks of it; `None` if it's another one.

    Args:
        known: which of its messages the session has.
        readings: of the session.
    """
    here = next((one for one in readings if one.source == reading.source != ""), None)
    messages, timed = readings[0].messages, not known.isdisjoint(chat.timed)
    same = replace(reading, session=readings[0].session, messages=messages, lacking=messages - len(known))
    # Without times, the same words in another order may be another conversation, unless something was left out.
    mended, begun = here is not None and here.left_out, any(one.digest in chat.chain for one in readings)
    going_on = begun and known == set(chat.prints[: len(known)])
    if (chat.own and here) or (not same.lacking and (timed or mended or going_on)):
        return same
    # What it lacks was edited away here; or it came from elsewhere, since it was copied, and both went on.
    if here and timed and (not here.elsewhere or same.lacking == here.lacking):
        return same
    if timed and any(
        one.digest in chat.chain and one.lacking == same.lacking and not one.elsewhere for one in readings
    ):
        return same
    alike = next((one for one in (here, *readings) if one and one.digest == reading.digest), None)
    if len(known) == len(chat.prints) and alike:
        return replace(same, lacking=alike.lacking, elsewhere=alike.elsewhere)
    return replace(same, lacking=0, elsewhere=same.lacking) if len(known) == len(chat.prints) and timed else None


def _is_edited(found: ImportState, readings: Sequence[ImportState]) -> bool:
    """Whether a conversation lacks more of its session than when it was read from the same place before."""
    here = [one for one in readings if (one.session, one.source) == (found.session, found.source) and one.source]
    return any(found.lacking > one.lacking + one.elsewhere for one in here)


def _candidates(reading: ImportState, readings: Sequence[ImportState]) -> list[tuple[str, bool]]:
    """The sessions that a conversation may be in, each with whether it was read from this place before."""
    at_place = {one.session: True for one in readings if reading.source and one.source == reading.source}
    alike = {one.session: False for one in readings if one.digest == reading.digest}
    opened = [one.session for one in readings if reading.opening and one.opening == reading.opening]
    return list({**dict.fromkeys(opened[:_MOST_CANDIDATES], False), **alike, **at_place}.items())


async def _known(unit: UnitOfWork, tx: Tx, session: str, prints: Sequence[str]) -> tuple[set[str], int]:
    """Which messages of a conversation a session has or had, and how many of those were erased."""
    known, erased = set[str](), 0
    for some in batches(prints, _ASKED_AT_ONCE):
        ids = {_id(unit, session, one): one for one in some}
        found = await there(tx, list(ids), sign=unit.rules.sign)
        erased += len(found) - len(await tx.records.hashes(list(found)))
        known |= {ids[id] for id in found}
    return known, erased


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A message that is to be there, and the conversation it is of."""

    placed: _Placed
    draft: Draft


async def _pieces(
    unit: UnitOfWork, file: ChatFile, placed: dict[_Key, _Placed], taken: Iterator[_Taken]
) -> AsyncIterator[list[_Said]]:
    """The messages of the conversations that are not all there, in the pieces in which they are written.

    Raises:
        InvalidInput: the file is not what it was when it was read first.
    """
    now = unit.rules.clock.now()

    def piece() -> list[_Said]:
        found = list[_Said]()
        for one in taken:
            of = placed.get((one.turn.conversation, one.turn.session))
            if of is None or of.whole:
                continue
            print = _numbered(one.signed, of.again)
            if of.read == len(of.chat.prints):
                # It has grown since; what came is for the next import.
                continue
            if of.chat.prints[of.read] != print:
                raise InvalidInput(f"{file.title} changed while it was read; import it again")
            of.read += 1
            session, at = of.reading.session, of.moment(one.turn, now)
            draft = replace(one.draft, session=session, id=_id(unit, session, print), occurred_at=at)
            found.append(_Said(placed=of, draft=_shown(draft, next(of.depths))))
            if len(found) == BATCH:
                break
        return found

    while found := await run_sync(piece):
        yield found


def _shown(draft: Draft, depth: int) -> Draft:
    """A draft without what an earlier message of its conversation hides."""
    return replace(draft, text=stripped(draft.text, depth=depth)) if depth else draft


async def _import(unit: UnitOfWork, piece: Sequence[_Said]) -> ImportedFile:
    """Record what of a piece is not there, and how far its conversations are imported."""
    drafts = {said.draft.id or "": said.draft for said in piece}
    async with unit.write(list(drafts.values())) as writer:
        known = {*await writer.tx.records.hashes(list(drafts)), *await ours(writer.tx, drafts)}
        gone = await there(writer.tx, list(drafts), sign=unit.rules.sign) - known
        gone |= await erased(unit, writer.tx, drafts) - known
        fresh = [draft for id, draft in drafts.items() if id not in known and id not in gone]
        await note_sessions(writer, fresh)
        await admit(writer, fresh)
        added = Counter(draft.session or "" for draft in fresh)
        # Of what stays away altogether not even its name is kept.
        here = {
            said.placed.reading: None for said in piece if said.draft.id not in gone or said.placed.reading.messages
        }
        await _note(writer, here, added)
    return ImportedFile(created=len(fresh), deduped=len(piece) - len(fresh) - len(gone), erased=len(gone))


async def _note_whole(unit: UnitOfWork, placed: Sequence[_Placed]) -> None:
    """Note from where conversations were read that are all there."""
    for some in batches(placed, BATCH):
        async with unit.write() as writer:
            await _note(writer, {one.reading: None for one in some}, Counter())


async def _note(writer: WriteTransaction, readings: Iterable[ImportState], added: Counter[str]) -> None:
    """Note how far conversations are imported.

    Args:
        added: how many messages came, by session.
    """
    noted = await writer.tx.imports.find(sessions=list({reading.session for reading in readings}))
    messages = {one.session: one.messages for one in noted}
    for reading in readings:
        so_far = replace(reading, messages=messages.get(reading.session, 0) + added[reading.session])
        if so_far not in noted:
            await writer.put(so_far)
