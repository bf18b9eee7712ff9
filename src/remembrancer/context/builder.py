"""Handing an agent what it is to read: the conversation as it stands, what is recalled, and an account of it."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from itertools import takewhile
from typing import TypeVar

from remembrancer.context.as_of import past
from remembrancer.context.assemble import Block, Item, Making, Sources, assemble
from remembrancer.context.behaviour import Behaviour, told_kind, verbatim
from remembrancer.context.brief import Entry, Foremost, Topic
from remembrancer.context.conversations import Held, held
from remembrancer.context.formats import Format, by_slot, chat_size, write
from remembrancer.context.lines import changed, data_apart, days_named, last_session, numbers, statement, today
from remembrancer.context.lines import verbatim as rule
from remembrancer.context.listing import Listing, listed
from remembrancer.context.overflow import History
from remembrancer.context.recollections import Chosen, Recollection, chosen, recollection
from remembrancer.context.report import Context, Report
from remembrancer.context.request import ContextRequest
from remembrancer.context.slots import Slot, Slots
from remembrancer.language.quoting import own_words
from remembrancer.search.companions import needed
from remembrancer.search.query import Hit, Recalled
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.echo import sealed
from remembrancer.transactions.rejections import sayable
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.transactions.validation import key_in_words
from remembrancer.types.access import Caller
from remembrancer.types.calls import SentPrompt, ServedBlock
from remembrancer.types.notes import Chunk, ChunkState, Log
from remembrancer.types.record import Fact, Message, Record, Rule, speaker_of
from remembrancer.types.results import ContextLine, snippet
from remembrancer.types.scope import Scope, Trust
from remembrancer.types.session import SessionStatus

# A text of the log is counted once, and read with every turn.
_COUNTED_TEXTS = 8_192
_COUNTED_PARTS = 32
# No message takes fewer tokens of a block: when it was said, and who said it.
_LEAST_OF_MESSAGE = 8
_NONCE_DIGITS = 8
# More tokens than any block has.
_ANY = 1 << 62
# Of so many conversations it is kept what was told last.
_KEPT_CONVERSATIONS = 64
K = TypeVar("K")
T = TypeVar("T")


_NO_BEHAVIOUR = Behaviour()
_NO_HISTORY = History()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockInputs:
    """What a block is made of, next to its request and what was recalled.

    Args:
        window: tokens of the model's window, or of the whole block with a task alone.
        history: exchanges with tools, oldest first, with their names in the report.
        task: the task as it is shown.
        left_out: names of what did not fit next to the state of the run.
        notes: deviations from the usual, apart from those of recall.
        behaviour: facts, rules, and episodes.
    """

    window: int
    slots: Slots
    history: History = _NO_HISTORY
    task: str = ""
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    behaviour: Behaviour = _NO_BEHAVIOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    """The log of a conversation, and what was made of it; the same as long as its mark is."""

    mark: tuple[object, ...]
    lines: tuple[ContextLine, ...]
    days: frozenset[date]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """What a block looked like that was served: its items by their hashes, and how long the conversation was."""

    items: tuple[int, ...]
    whole: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What a conversation shows, as of one moment.

    Args:
        unread: which of its raw messages were not even read, by their numbers.
    """

    state: Held
    log: _Log
    messages: tuple[ContextLine, ...]
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedBlock:
    """Memories as a sealed block.

    Args:
        tokens: of the very text.
        ids: of the memories in it, in its order.
        left_out: ids of those for which there was no room.
    """

    text: str
    tokens: int
    ids: tuple[str, ...]
    left_out: tuple[str, ...]


class Remembering:
    """Makes the contexts of one open store.

    Args:
        zone: whose days are told.
        by_scope: whether all sessions of a scope are one conversation.
    """

    def __init__(self, desk: Desks, rules: Dependencies, zone: tzinfo, by_scope: Callable[[Scope], bool]) -> None:
        self._desk = desk
        self._rules = rules
        self._zone = zone
        self._by_scope = by_scope
        self._counted: OrderedDict[str, int] = OrderedDict()
        self._parts: OrderedDict[str, int] = OrderedDict()
        self._logs: OrderedDict[tuple[Caller, str], _Log] = OrderedDict()
        self._served: OrderedDict[tuple[Scope, str], _Block] = OrderedDict()

    async def context(
        self, caller: Caller, request: ContextRequest, wanted: BlockInputs, recalled: Recalled | None
    ) -> Context:
        """The block, of what stands now and is not closed to the caller.

        Args:
            recalled: what the question brought, best first.

        Raises:
            InvalidInput: the window cannot hold what must be told.
        """
        hits, form = recalled.hits if recalled else (), Format(request.format)
        read, needs = await self._shows(caller, request, wanted.window, [hit.record for hit in hits])
        shown = _shown(read.state)
        sources = Sources(
            log=read.log.lines,
            days=read.log.days,
            made=read.log.items,
            chunks=shown,
            untold=_untold(read.state),
            messages=read.messages,
            facts=wanted.behaviour.fact_lines,
            procedures=verbatim(wanted.behaviour.procedures),
            recalled=[
                *map(_recollection, wanted.behaviour.named),
                *(_recollected(hit, needs.get(hit.id, ())) for hit in hits),
            ],
            episodes=[_recollection(episode) for episode in wanted.behaviour.episodes],
            task=wanted.task,
            working=request.working,
            history=wanted.history.told,
            exchanges=wanted.history.names,
        )
        block = assemble(
            sources,
            self._making(request.as_of),
            slots=wanted.slots,
            window=wanted.window,
            size=lambda block: self._size(block, form),
        )
        counter, text = self._rules.tokens, write(block, form)
        taken = by_slot(block, form, self._count_part)
        report = Report(
            budget=max(0, wanted.window - wanted.slots.free),
            tokens=counter.count(text.text),
            tokenizer=counter.name,
            exact=counter.exact,
            margin=counter.margin,
            slots=taken,
            caps=wanted.slots.caps(),
            cacheable=self._count_part(text.prefix),
            dropped=_dropped(block, wanted, read.unread),
            raw=read.state.raw,
            noted=read.state.log.tokens,
            covered=sum(chunk.last - chunk.first + 1 for chunk in shown),
            whole=sum(session.tokens for session in read.state.sessions),
            notes=(
                *wanted.notes,
                *(recalled.notes if recalled else ()),
                *_unusual(block, taken, wanted.slots),
                *_behind(block),
            ),
        )
        return Context(block=block, report=report, format=form)

    async def _shows(
        self, caller: Caller, request: ContextRequest, window: int, recalled: Sequence[Record]
    ) -> tuple[_Read, Mapping[str, Sequence[Record]]]:
        """What a conversation shows, and the turns that recalled messages need; now or as of a time."""
        session, at, by_scope = request.session, request.as_of, self._by_scope(caller.scope)
        known = None if session is None else self._logs.get((caller, session))

        async def work(tx: Tx) -> tuple[_Read, Mapping[str, Sequence[Record]]]:
            needs = await needed(tx, recalled, as_of=at)
            if session is None:
                return _NOTHING, needs
            if at is None:
                most = window // _LEAST_OF_MESSAGE
                return await self._read(tx, session, known, by_scope=by_scope, most=most), needs
            then = await past(tx, session, at, by_scope=by_scope)
            return _Read(state=then.state, log=self._made((), then.log, then.state), messages=then.messages), needs

        read, needs = await self._desk(caller.scope).of(caller).read(work)
        if session is not None and at is None:
            _put(self._logs, (caller, session), read.log)
        return read, needs

    async def _read(self, tx: Tx, session: str, known: _Log | None, *, by_scope: bool, most: int) -> _Read:
        """What stands, with what was made of the log before where it is the same.

        Args:
            most: how many messages of a session a block may hold: where an observer is far behind, the rest is not
                read.
        """
        state = await held(tx, session, by_scope=by_scope)
        one = None if by_scope else session
        mark = (*await tx.observations.log_mark(one), *await tx.rejections.mark(), *_shown(state), *state.untold)
        log = known if known is not None and known.mark == mark else None
        if log is None:
            lines = tuple(await self._unrejected(tx, await tx.observations.log_lines(one)))
            log = self._made(mark, lines, state)
        messages, unread = list[ContextLine](), list[str]()
        for found in state.sessions:
            older, newest = _parted(state.raw_spans(found), most)
            messages += await tx.messages.lines(found.id, newest)
            unread += [f"{found.id}: {numbers(first, last)}" for first, last in older]
        if by_scope:
            messages.sort(key=lambda line: (line.occurred_at, line.session, line.number))
        return _Read(state=state, log=log, messages=tuple(messages), unread=tuple(unread))

    async def _unrejected(self, tx: Tx, lines: Sequence[ContextLine]) -> list[ContextLine]:
        """The lines of a log that say nothing that a person has rejected."""
        left = set(await sayable(tx, [line.text for line in lines], sign=self._rules.sign))
        return [line for line in lines if line.text in left]

    def _made(self, mark: tuple[object, ...], lines: tuple[ContextLine, ...], state: Held) -> _Log:
        items = self._making().log(Sources(log=lines, chunks=_shown(state), untold=_untold(state)))
        return _Log(mark=mark, lines=lines, days=days_named(lines), items=tuple(items))

    def _making(self, now: datetime | None = None) -> Making:
        return Making(
            count=self._count,
            counts=self._rules.tokens.counts,
            seal=self.seal,
            zone=self._zone,
            now=now or self._rules.clock.now(),
        )

    def served(self, scope: Scope, session: str, context: Context) -> ServedBlock:
        """What is written down of a block that an agent was given.

        What it has in common with the one before counts by whole items, and as far as this process served that one.
        """
        items = context.block.items
        now = _Block(items=tuple(hash(item.text) for item in items), whole=context.report.whole)
        before = self._served.get((scope, session), _NO_BLOCK)
        _put(self._served, (scope, session), now)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(before.items, now.items, strict=False))
        common = Block(items=items[: sum(1 for _ in same)])
        return ServedBlock(
            id=self._rules.ids.new(),
            session=session,
            at=self._rules.clock.now(),
            block=SentPrompt(
                tokens=context.report.tokens,
                prefix=self._rules.tokens.count(write(common, context.format).text),
            ),
            whole=SentPrompt(tokens=now.whole, prefix=min(before.whole, now.whole)),
        )

    def told(
        self, recalled: Recalled, needs: Mapping[str, Sequence[Record]], *, max_tokens: int | None
    ) -> RenderedBlock:
        """What was recalled as a sealed block: who said each and when, in the order of time, each thing once.

        Args:
            needs: by the id of a message that was recalled, the turns without which it is not understood.
            max_tokens: the most that the block may have; `None` for any number.
        """
        count, now = self._rules.tokens.count, self._rules.clock.now()
        room = _ANY if max_tokens is None else max_tokens - count(self.seal(""))
        while True:
            found = self.recollected(recalled, needs, room=room, now=now)
            text = self.seal("\n".join(data_apart(found.lines))) if found.lines else ""
            tokens = count(text)
            # Lines are counted one by one: what they have together is known of the text that they make.
            if max_tokens is None or tokens <= max_tokens:
                return RenderedBlock(
                    text=text, tokens=tokens, ids=tuple(dict.fromkeys(found.ids)), left_out=found.left_out
                )
            room -= tokens - max_tokens

    def told_at_start(self, found: Foremost, *, max_tokens: int) -> Listing:
        """The same of what is worth knowing at the start of a session."""
        entries = found.entries
        lines = [self._at_start(entry, found) for entry in entries]
        titles = [f"## {entry.topic}" for entry in entries]
        last = found.last
        if last is None:
            return self._listed(lines, max_tokens, found.by_worth, titles)
        name, ended = last.id if last.named else "", last.status is SessionStatus.COMPLETED
        said = found.said
        line = last_session(
            name,
            last.messages,
            last.last_activity_at,
            self._zone,
            ended=ended,
            said=f"{speaker_of(said)}: {snippet(own_words(said.text))}" if said else "",
        )
        # Before the summaries of sessions.
        own = next((at for at, entry in enumerate(entries) if entry.topic in (Topic.LAST, Topic.SESSIONS)), len(lines))
        order = [own, *(place + (place >= own) for place in found.by_worth)]
        titles.insert(own, f"## {Topic.LAST}")
        listing = self._listed([*lines[:own], line, *lines[own:]], max_tokens, order, titles)
        return replace(
            listing,
            told=tuple(place - (place > own) for place in listing.told if place != own),
            left_out=tuple(place - (place > own) for place in listing.left_out if place != own),
        )

    def _at_start(self, entry: Entry, found: Foremost) -> str:
        """A memory as it is told at the start of a session."""
        record, said = entry.record, entry.statement
        untrusted = _is_untrusted(record)
        if said is not None:
            who = f"{record.speaker}: " if isinstance(record, Message) and record.speaker else ""
            return statement(f"{who}{said.text}", record.occurred_at, said.due, self._zone, untrusted=untrusted)
        match record:
            case Rule():
                return rule(record.text, untrusted=untrusted)
            case Fact():
                before = found.before.get(record.id)
                value = "" if before is None else before.text.removeprefix(f"{key_in_words(before.details.key)}: ")
                return changed(record.text, record.details.valid_from, value, self._zone, untrusted=untrusted)
            case _:
                return "\n".join(_recollection(record).written(self._rules.clock.now(), self._zone))

    def _listed(
        self,
        lines: Sequence[str],
        max_tokens: int | None,
        by_worth: Sequence[int] | None,
        titles: Sequence[str] = (),
    ) -> Listing:
        count = self._rules.tokens.count
        return listed(lines, room=max_tokens, count=count, seal=self.seal, by_worth=by_worth, titles=titles)

    def recollected(
        self,
        recalled: Recalled,
        needs: Mapping[str, Sequence[Record]],
        *,
        room: int,
        now: datetime,
        besides: Sequence[Record] = (),
    ) -> Chosen:
        """What was recalled, as lines of a block: as many as fit, in the order of time, each thing once.

        Args:
            needs: by the id of a message that was recalled, the turns without which it is not understood.
            room: tokens.
            besides: what comes first of all, whatever was recalled.
        """
        found = [
            *map(_recollection, besides),
            *(_recollected(hit, needs.get(hit.id, ())) for hit in recalled.hits),
        ]
        return chosen(found, room=room, most=None, told=(), counts=self._rules.tokens.counts, now=now, zone=self._zone)

    def today(self, now: datetime) -> str:
        """The day that it is where the user is."""
        return today(now, self._zone)

    def seal(self, text: str) -> str:
        """A text marked as coming from memory; the same text gives the same bytes."""
        return sealed(text, nonce=self._rules.sign(f"context {text}")[:_NONCE_DIGITS], sign=self._rules.sign)

    def _size(self, block: Block, form: Format) -> int:
        """The tokens of a block as the text or as the chat that it makes, whichever has more."""
        count = self._rules.tokens.count
        return max(count(write(block, form).text), chat_size(block, count))

    def _count(self, text: str) -> int:
        """The tokens of a text, remembered."""
        return self._counted_in(self._counted, text, most=_COUNTED_TEXTS)

    def _count_part(self, text: str) -> int:
        """The same of a part of a block, which may be long and often is what it was a turn before."""
        return self._counted_in(self._parts, text, most=_COUNTED_PARTS)

    def _counted_in(self, known: OrderedDict[str, int], text: str, *, most: int) -> int:
        if text not in known:
            known[text] = self._rules.tokens.count(text)
        known.move_to_end(text)
        while len(known) > most:
            known.popitem(last=False)
        return known[text]


def _put(kept: OrderedDict[tuple[K, str], T], place: tuple[K, str], value: T) -> None:
    """Keep a value as the last one, and forget the first where there are too many."""
    kept[place] = value
    kept.move_to_end(place)
    while len(kept) > _KEPT_CONVERSATIONS:
        kept.popitem(last=False)


_NO_BLOCK = _Block(items=(), whole=0)
_NO_LOG = _Log(mark=(), lines=(), days=frozenset(), items=())
_NOTHING = _Read(state=Held(sessions=(), chunks=(), log=Log(session="")), log=_NO_LOG, messages=())


def _parted(spans: Sequence[tuple[int, int]], most: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Spans of numbers as the older ones and the newest, which have so many numbers at most."""
    older, newest = list[tuple[int, int]](), list[tuple[int, int]]()
    for first, last in reversed(spans):
        begin = max(first, last - most + 1)
        if begin <= last:
            newest.insert(0, (begin, last))
            most -= last - begin + 1
        if first < begin:
            older.insert(0, (first, begin - 1))
    return older, newest


def _behind(block: Block) -> list[str]:
    """That messages are told neither raw nor by notes, where an observer is behind."""
    if Slot.MESSAGES not in block.dropped:
        return []
    return ["the oldest messages that nobody has observed yet are left out: they are observed in the background"]


def _dropped(block: Block, wanted: BlockInputs, unread: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Ids of all that is not told, by slot; of what was not even read, the numbers.

    Args:
        unread: of messages.
    """
    left_out: dict[Slot, tuple[str, ...]] = {
        Slot.MESSAGES: tuple(unread),
        Slot.FACTS: tuple(fact.id for fact in wanted.behaviour.untold),
        Slot.HISTORY: wanted.history.left_out,
        Slot.WORKING: wanted.left_out,
    }
    untold = {slot.value: ids for slot, ids in left_out.items() if ids}
    return untold | {slot.value: (*untold.get(slot.value, ()), *ids) for slot, ids in block.dropped.items()}


def _unusual(block: Block, taken: Mapping[str, int], slots: Slots) -> list[str]:
    """What is told in full though it is longer than its slot, and what the caller handed over and is not told."""
    untold = [slot.value for slot in (Slot.HISTORY, Slot.WORKING, Slot.TODAY) if slot in block.dropped]
    return [
        f"no room for {slot} in the window: make it larger, or the facts, procedures and slots smaller"
        for slot in untold
    ] + [
        f"{slot.value} take {taken[slot.value]} tokens, and their slot has {cap}: pause or end some, or set the slot"
        for slot, cap in ((Slot.FACTS, slots.facts), (Slot.PROCEDURES, slots.procedures))
        if taken.get(slot.value, 0) > cap
    ]


def _untold(state: Held) -> frozenset[tuple[str, int]]:
    """Session and number of the messages that are told raw though their run is told by its notes."""
    return frozenset((one.session, one.number) for one in state.untold)


def _shown(state: Held) -> list[Chunk]:
    return [chunk for chunk in state.chunks if chunk.state is ChunkState.ACTIVE]


def _recollected(hit: Hit, needs: Sequence[Record]) -> Recollection:
    """A hit as it is told, with what it replaced, or until when it held."""
    return replace(
        _recollection(hit.record, needs),
        former=tuple((one.value, one.until) for one in hit.replaces),
        until=hit.replaced.until if hit.replaced else None,
    )


def _recollection(record: Record, needs: Sequence[Record] = ()) -> Recollection:
    return recollection(
        record,
        told_kind(record),
        untrusted=_is_untrusted(record),
        needs=[_recollection(other) for other in needs],
    )


def _is_untrusted(record: Record) -> bool:
    return record.trust is Trust.UNTRUSTED
