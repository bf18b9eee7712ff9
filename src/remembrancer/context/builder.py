"""The builder of contexts: conversation, recalled memories and report."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from itertools import takewhile
from typing import TypeVar

from remembrancer.context.as_of import conversation_as_of
from remembrancer.context.assemble import Block, Item, ItemBuilder, Sources, assemble
from remembrancer.context.behaviour import Behaviour, kind_label, verbatim
from remembrancer.context.brief import BriefContents, BriefEntry, Topic
from remembrancer.context.conversations import ConversationState, load_state
from remembrancer.context.formats import Format, chat_size, render, tokens_by_slot
from remembrancer.context.lines import (
    changed_fact,
    dates_in,
    last_session,
    message_numbers,
    quoted_data_last,
    statement,
    today,
)
from remembrancer.context.lines import verbatim as rule
from remembrancer.context.listing import LineSelection, select_lines
from remembrancer.context.overflow import History
from remembrancer.context.recollections import Recollection, SelectedLines, recollection, select_recollections
from remembrancer.context.report import Context, Report
from remembrancer.context.request import ContextRequest
from remembrancer.context.slots import Slot, Slots
from remembrancer.language.quoting import own_words
from remembrancer.search.companions import companion_turns
from remembrancer.search.query import Hit, RecallResult
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import fact_key_text
from remembrancer.transactions.rejections import texts_without_rejected
from remembrancer.transactions.sealed_blocks import seal
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.access import Caller
from remembrancer.types.calls import SentPrompt, ServedBlock
from remembrancer.types.notes import Chunk, ChunkState, Log
from remembrancer.types.record import Fact, Message, Record, Rule, speaker_of
from remembrancer.types.results import ContextLine, snippet
from remembrancer.types.scope import Scope, Trust
from remembrancer.types.session import SessionStatus

# The log is read with every turn; the tokens of its texts are counted once.
_CACHED_TEXTS = 8_192
_CACHED_PARTS = 32
# The fewest tokens of a message in a block: its time and its speaker.
_MIN_MESSAGE_TOKENS = 8
_NONCE_DIGITS = 8
# More tokens than any block has.
_UNLIMITED = 1 << 62
# The last block of this many conversations is kept in memory.
_MAX_CONVERSATIONS = 64
K = TypeVar("K")
T = TypeVar("T")


_NO_BEHAVIOUR = Behaviour()
_NO_HISTORY = History()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockInputs:
    """The inputs of a block, next to its request and the recall result.

    Args:
        window: tokens of the model's window, or of the whole block for a task alone.
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
class _RenderedLog:
    """The log of a conversation and its items, valid for one state."""

    mark: tuple[object, ...]
    lines: tuple[ContextLine, ...]
    days: frozenset[date]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _BlockShape:
    """The hashes of a block's items, and the length of the conversation."""

    items: tuple[int, ...]
    whole: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoadedConversation:
    """A conversation as loaded for a context.

    Args:
        unread: numbers of the raw messages that were not read, by session.
    """

    state: ConversationState
    log: _RenderedLog
    messages: tuple[ContextLine, ...]
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedBlock:
    """Memories as a sealed block.

    Args:
        tokens: the tokens of the text.
        ids: ids of the memories in the block, in its order.
        left_out: ids of the memories that did not fit.
    """

    text: str
    tokens: int
    ids: tuple[str, ...]
    left_out: tuple[str, ...]


class ContextBuilder:
    """The contexts of one open store.

    Args:
        zone: the time zone of the days in the block.
        by_scope: whether all sessions of a scope are one conversation.
    """

    def __init__(
        self, units: UnitsOfWork, rules: Dependencies, zone: tzinfo, by_scope: Callable[[Scope], bool]
    ) -> None:
        self._units = units
        self._rules = rules
        self._zone = zone
        self._by_scope = by_scope
        self._counted: OrderedDict[str, int] = OrderedDict()
        self._parts: OrderedDict[str, int] = OrderedDict()
        self._logs: OrderedDict[tuple[Caller, str], _RenderedLog] = OrderedDict()
        self._served: OrderedDict[tuple[Scope, str], _BlockShape] = OrderedDict()

    async def build(
        self, caller: Caller, request: ContextRequest, inputs: BlockInputs, recall_result: RecallResult | None
    ) -> Context:
        """Return the context of a request, from what is valid and visible now.

        Args:
            recall_result: the memories that the question recalled, best first.

        Raises:
            InvalidInput: the window is too small for what must be included.
        """
        hits, format = recall_result.hits if recall_result else (), Format(request.format)
        loaded, companions = await self._load(caller, request, inputs.window, [hit.record for hit in hits])
        shown = _active_chunks(loaded.state)
        sources = Sources(
            log=loaded.log.lines,
            days=loaded.log.days,
            rendered_log=loaded.log.items,
            chunks=shown,
            uncovered=_uncovered(loaded.state),
            messages=loaded.messages,
            facts=inputs.behaviour.fact_lines,
            procedures=verbatim(inputs.behaviour.procedures),
            recalled=[
                *map(_recollection, inputs.behaviour.named),
                *(_recollection_of_hit(hit, companions.get(hit.id, ())) for hit in hits),
            ],
            episodes=[_recollection(episode) for episode in inputs.behaviour.episodes],
            task=inputs.task,
            working=request.working,
            history=inputs.history.shown,
            exchanges=inputs.history.names,
        )
        block = assemble(
            sources,
            self._item_builder(request.as_of),
            slots=inputs.slots,
            window=inputs.window,
            size=lambda block: self._size(block, format),
        )
        counter, text = self._rules.tokens, render(block, format)
        slot_tokens = tokens_by_slot(block, format, self._count_part)
        report = Report(
            budget=max(0, inputs.window - inputs.slots.free),
            tokens=counter.count(text.text),
            tokenizer=counter.name,
            exact=counter.exact,
            margin=counter.margin,
            slots=slot_tokens,
            caps=inputs.slots.caps(),
            cacheable=self._count_part(text.prefix),
            dropped=_dropped(block, inputs, loaded.unread),
            raw=loaded.state.raw,
            noted=loaded.state.log.tokens,
            covered=sum(chunk.last - chunk.first + 1 for chunk in shown),
            whole=sum(session.tokens for session in loaded.state.sessions),
            notes=(
                *inputs.notes,
                *(recall_result.notes if recall_result else ()),
                *_block_notes(block, slot_tokens, inputs.slots),
                *_backlog_notes(block),
            ),
        )
        return Context(block=block, report=report, format=format)

    async def _load(
        self, caller: Caller, request: ContextRequest, window: int, recalled: Sequence[Record]
    ) -> tuple[_LoadedConversation, Mapping[str, Sequence[Record]]]:
        """Return a conversation and the companion turns of recalled messages.

        Both as they are now, or as of a time.
        """
        session, at, by_scope = request.session, request.as_of, self._by_scope(caller.scope)
        cached_log = None if session is None else self._logs.get((caller, session))

        async def work(tx: Tx) -> tuple[_LoadedConversation, Mapping[str, Sequence[Record]]]:
            companions = await companion_turns(tx, recalled, as_of=at)
            if session is None:
                return _NO_CONVERSATION, companions
            if at is None:
                limit = window // _MIN_MESSAGE_TOKENS
                return await self._load_now(tx, session, cached_log, by_scope=by_scope, limit=limit), companions
            then = await conversation_as_of(tx, session, at, by_scope=by_scope)
            log = self._render_log((), then.log, then.state)
            return _LoadedConversation(state=then.state, log=log, messages=then.messages), companions

        loaded, companions = await self._units(caller.scope).of(caller).read(work)
        if session is not None and at is None:
            _put_last(self._logs, (caller, session), loaded.log)
        return loaded, companions

    async def _load_now(
        self, tx: Tx, session: str, cached_log: _RenderedLog | None, *, by_scope: bool, limit: int
    ) -> _LoadedConversation:
        """Return a conversation as it is now, with the cached log if unchanged.

        Args:
            limit: the most messages of a session that a block can contain; older ones are not read.
        """
        state = await load_state(tx, session, by_scope=by_scope)
        log_session = None if by_scope else session
        state_mark = (
            *await tx.observations.log_mark(log_session),
            *await tx.rejections.pairs(),
            *_active_chunks(state),
            *state.uncovered,
        )
        log = cached_log if cached_log is not None and cached_log.mark == state_mark else None
        if log is None:
            lines = tuple(await self._unrejected(tx, await tx.observations.log_lines(log_session)))
            log = self._render_log(state_mark, lines, state)
        messages, unread = list[ContextLine](), list[str]()
        for stored in state.sessions:
            older, newest = _newest_spans(state.raw_spans(stored), limit)
            messages += await tx.messages.lines(stored.id, newest)
            unread += [f"{stored.id}: {message_numbers(first, last)}" for first, last in older]
        if by_scope:
            messages.sort(key=lambda line: (line.occurred_at, line.session, line.number))
        return _LoadedConversation(state=state, log=log, messages=tuple(messages), unread=tuple(unread))

    async def _unrejected(self, tx: Tx, lines: Sequence[ContextLine]) -> list[ContextLine]:
        """Return the lines without those that repeat a rejected statement."""
        allowed = set(await texts_without_rejected(tx, [line.text for line in lines], sign=self._rules.sign))
        return [line for line in lines if line.text in allowed]

    def _render_log(
        self, state_mark: tuple[object, ...], lines: tuple[ContextLine, ...], state: ConversationState
    ) -> _RenderedLog:
        items = self._item_builder().log(Sources(log=lines, chunks=_active_chunks(state), uncovered=_uncovered(state)))
        return _RenderedLog(mark=state_mark, lines=lines, days=dates_in(lines), items=tuple(items))

    def _item_builder(self, now: datetime | None = None) -> ItemBuilder:
        return ItemBuilder(
            count=self._count,
            counts=self._rules.tokens.counts,
            seal=self.seal,
            zone=self._zone,
            now=now or self._rules.clock.now(),
        )

    def describe_served(self, scope: Scope, session: str, context: Context) -> ServedBlock:
        """Return the log entry of a block that an agent received.

        The prefix shared with the block before counts by whole items, and only if this process served that block.
        """
        items = context.block.items
        current = _BlockShape(items=tuple(hash(item.text) for item in items), whole=context.report.whole)
        previous = self._served.get((scope, session), _NO_BLOCK)
        _put_last(self._served, (scope, session), current)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(previous.items, current.items, strict=False))
        shared_block = Block(items=items[: sum(1 for _ in shared)])
        return ServedBlock(
            id=self._rules.ids.new(),
            session=session,
            at=self._rules.clock.now(),
            block=SentPrompt(
                tokens=context.report.tokens,
                prefix=self._rules.tokens.count(render(shared_block, context.format).text),
            ),
            whole=SentPrompt(tokens=current.whole, prefix=min(previous.whole, current.whole)),
        )

    def render_block(
        self, recall_result: RecallResult, companions: Mapping[str, Sequence[Record]], *, max_tokens: int | None
    ) -> RenderedBlock:
        """Return a recall result as a sealed block.

        Messages have their speaker and time; lines are ordered by time, without duplicates.

        Args:
            companions: the turns that a recalled message needs to be understood, by its id.
            max_tokens: the maximum number of tokens of the block; `None` for no limit.
        """
        count, now = self._rules.tokens.count, self._rules.clock.now()
        budget = _UNLIMITED if max_tokens is None else max_tokens - count(self.seal(""))
        while True:
            selected = self.select_recalled(recall_result, companions, room=budget, now=now)
            text = self.seal("\n".join(quoted_data_last(selected.lines))) if selected.lines else ""
            tokens = count(text)
            # Lines are counted one by one; only the whole text has the exact count.
            if max_tokens is None or tokens <= max_tokens:
                return RenderedBlock(
                    text=text, tokens=tokens, ids=tuple(dict.fromkeys(selected.ids)), left_out=selected.left_out
                )
            budget -= tokens - max_tokens

    def render_brief(self, contents: BriefContents, *, max_tokens: int) -> LineSelection:
        """Return the brief at the start of a session as a sealed block."""
        entries = contents.entries
        lines = [self._brief_line(entry, contents) for entry in entries]
        titles = [f"## {entry.topic}" for entry in entries]
        last = contents.last
        if last is None:
            return self._select_lines(lines, max_tokens, contents.by_priority, titles)
        name, ended = last.id if last.named else "", last.status is SessionStatus.COMPLETED
        last_message = contents.last_message
        line = last_session(
            name,
            last.messages,
            last.last_activity_at,
            self._zone,
            ended=ended,
            quote=f"{speaker_of(last_message)}: {snippet(own_words(last_message.text))}" if last_message else "",
        )
        # The line of the last session comes before the summaries of sessions.
        at = next(
            (index for index, entry in enumerate(entries) if entry.topic in (Topic.LAST, Topic.SESSIONS)), len(lines)
        )
        order = [at, *(place + (place >= at) for place in contents.by_priority)]
        titles.insert(at, f"## {Topic.LAST}")
        listing = self._select_lines([*lines[:at], line, *lines[at:]], max_tokens, order, titles)
        return replace(
            listing,
            shown=tuple(place - (place > at) for place in listing.shown if place != at),
            left_out=tuple(place - (place > at) for place in listing.left_out if place != at),
        )

    def _brief_line(self, entry: BriefEntry, contents: BriefContents) -> str:
        """Return the line of a memory in a brief."""
        record, statement_part = entry.record, entry.statement
        untrusted = _is_untrusted(record)
        if statement_part is not None:
            who = f"{record.speaker}: " if isinstance(record, Message) and record.speaker else ""
            return statement(
                f"{who}{statement_part.text}", record.occurred_at, statement_part.due, self._zone, untrusted=untrusted
            )
        match record:
            case Rule():
                return rule(record.text, untrusted=untrusted)
            case Fact():
                previous = contents.before.get(record.id)
                value = (
                    "" if previous is None else previous.text.removeprefix(f"{fact_key_text(previous.details.key)}: ")
                )
                return changed_fact(record.text, record.details.valid_from, value, self._zone, untrusted=untrusted)
            case _:
                return "\n".join(_recollection(record).lines(self._rules.clock.now(), self._zone))

    def _select_lines(
        self,
        lines: Sequence[str],
        max_tokens: int | None,
        by_priority: Sequence[int] | None,
        titles: Sequence[str] = (),
    ) -> LineSelection:
        count = self._rules.tokens.count
        return select_lines(lines, room=max_tokens, count=count, seal=self.seal, by_priority=by_priority, titles=titles)

    def select_recalled(
        self,
        recall_result: RecallResult,
        companions: Mapping[str, Sequence[Record]],
        *,
        room: int,
        now: datetime,
        first: Sequence[Record] = (),
    ) -> SelectedLines:
        """Return the lines of a recall result that fit, without duplicates.

        Args:
            companions: the turns that a recalled message needs to be understood, by its id.
            room: the tokens for the lines.
            first: memories that come before the recalled ones.
        """
        recollections = [
            *map(_recollection, first),
            *(_recollection_of_hit(hit, companions.get(hit.id, ())) for hit in recall_result.hits),
        ]
        return select_recollections(
            recollections, room=room, limit=None, shown=(), counts=self._rules.tokens.counts, now=now, zone=self._zone
        )

    def today(self, now: datetime) -> str:
        """Return the current day where the user is."""
        return today(now, self._zone)

    def seal(self, text: str) -> str:
        """Return a text marked as memory; the same text makes the same bytes."""
        return seal(text, nonce=self._rules.sign(f"context {text}")[:_NONCE_DIGITS], sign=self._rules.sign)

    def _size(self, block: Block, format: Format) -> int:
        """Return the tokens of a block as a text or as a chat, the larger."""
        count = self._rules.tokens.count
        return max(count(render(block, format).text), chat_size(block, count))

    def _count(self, text: str) -> int:
        """Return the tokens of a text, from a cache."""
        return self._count_once(self._counted, text, limit=_CACHED_TEXTS)

    def _count_part(self, text: str) -> int:
        """Return the tokens of a large part of a block, from a cache.

        It is often the same as in the turn before.
        """
        return self._count_once(self._parts, text, limit=_CACHED_PARTS)

    def _count_once(self, cache: OrderedDict[str, int], text: str, *, limit: int) -> int:
        if text not in cache:
            cache[text] = self._rules.tokens.count(text)
        cache.move_to_end(text)
        while len(cache) > limit:
            cache.popitem(last=False)
        return cache[text]


def _put_last(cache: OrderedDict[tuple[K, str], T], key: tuple[K, str], value: T) -> None:
    """Store a value as the most recent, and drop the oldest ones."""
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > _MAX_CONVERSATIONS:
        cache.popitem(last=False)


_NO_BLOCK = _BlockShape(items=(), whole=0)
_NO_LOG = _RenderedLog(mark=(), lines=(), days=frozenset(), items=())
_NO_CONVERSATION = _LoadedConversation(
    state=ConversationState(sessions=(), chunks=(), log=Log(session="")), log=_NO_LOG, messages=()
)


def _newest_spans(spans: Sequence[tuple[int, int]], limit: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return spans of numbers as the older part and the newest part.

    Args:
        limit: the most numbers in the newest part.
    """
    older, newest = list[tuple[int, int]](), list[tuple[int, int]]()
    for first, last in reversed(spans):
        begin = max(first, last - limit + 1)
        if begin <= last:
            newest.insert(0, (begin, last))
            limit -= last - begin + 1
        if first < begin:
            older.insert(0, (first, begin - 1))
    return older, newest


def _backlog_notes(block: Block) -> list[str]:
    """Return a note if messages are neither shown nor covered by notes."""
    if Slot.MESSAGES not in block.dropped:
        return []
    return ["the oldest messages are left out until they are observed in the background"]


def _dropped(block: Block, inputs: BlockInputs, unread: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the ids of all that is left out, by slot.

    Args:
        unread: numbers of the messages that were not read.
    """
    left_out: dict[Slot, tuple[str, ...]] = {
        Slot.MESSAGES: tuple(unread),
        Slot.FACTS: tuple(fact.id for fact in inputs.behaviour.left_out),
        Slot.HISTORY: inputs.history.left_out,
        Slot.WORKING: inputs.left_out,
    }
    by_slot = {slot.value: ids for slot, ids in left_out.items() if ids}
    return by_slot | {slot.value: (*by_slot.get(slot.value, ()), *ids) for slot, ids in block.dropped.items()}


def _block_notes(block: Block, slot_tokens: Mapping[str, int], slots: Slots) -> list[str]:
    """Return notes on slots over their maximum, and on inputs left out."""
    dropped = [slot.value for slot in (Slot.HISTORY, Slot.WORKING, Slot.TODAY) if slot in block.dropped]
    return [
        f"no room for {slot} in the window: make it larger, or the facts, procedures and slots smaller"
        for slot in dropped
    ] + [
        f"{slot.value} have {slot_tokens[slot.value]} tokens, more than their slot of {cap}: end some or enlarge it"
        for slot, cap in ((Slot.FACTS, slots.facts), (Slot.PROCEDURES, slots.procedures))
        if slot_tokens.get(slot.value, 0) > cap
    ]


def _uncovered(state: ConversationState) -> frozenset[tuple[str, int]]:
    """Return session and number of messages shown despite their chunk's notes."""
    return frozenset((one.session, one.number) for one in state.uncovered)


def _active_chunks(state: ConversationState) -> list[Chunk]:
    return [chunk for chunk in state.chunks if chunk.state is ChunkState.ACTIVE]


def _recollection_of_hit(hit: Hit, companions: Sequence[Record]) -> Recollection:
    """Return a hit as a recollection, with the values that it replaced."""
    return replace(
        _recollection(hit.record, companions),
        former=tuple((one.value, one.until) for one in hit.replaces),
        until=hit.replaced.until if hit.replaced else None,
    )


def _recollection(record: Record, companions: Sequence[Record] = ()) -> Recollection:
    return recollection(
        record,
        kind_label(record),
        untrusted=_is_untrusted(record),
        needs=[_recollection(other) for other in companions],
    )


def _is_untrusted(record: Record) -> bool:
    return record.trust is Trust.UNTRUSTED
