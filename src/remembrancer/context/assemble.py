"""The block that an agent reads: whole items within a token budget.

First comes what seldom changes: facts, procedures, reflections, observations in the order they were activated,
messages. After the last byte that a provider can cache come recalled memories, ages, and the current day.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from remembrancer.context import lines as render
from remembrancer.context.recollections import Recollection, select_recollections
from remembrancer.context.slots import Slot, Slots
from remembrancer.errors import InvalidInput
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Kind, Role
from remembrancer.types.results import ContextLine

Count = Callable[[str], int]
Counts = Callable[[Sequence[str]], Sequence[int]]
Seal = Callable[[str], str]
Size: TypeAlias = Callable[["Block"], int]
Dropped: TypeAlias = Mapping[Slot, tuple[str, ...]]
MAX_EPISODES = 5
# The most tokens that a format adds around an item.
_MARKUP_TOKENS = 64
_NOTE_MARKUP_TOKENS = 20
CACHED_SLOTS = (Slot.FACTS, Slot.PROCEDURES, Slot.REFLECTIONS, Slot.OBSERVATIONS, Slot.MESSAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The contents of a block.

    Args:
        facts, procedures: the lines to include verbatim, with their ids; if they do not fit, it is an error.
        log: active observations and reflections, in their order.
        days: the days that the log mentions.
        chunks: the chunks whose messages are replaced by notes.
        uncovered: session and number of messages in these chunks that are shown verbatim all the same.
        messages: the messages that are shown verbatim, in order.
        rendered_log: the items of `log` and `chunks`, if they are known already.
        recalled: recalled memories, best first.
        task: the line of the task.
        working, history: the texts of the caller, each a whole item.
        exchanges: the names in the report of those of `history` that are left out.
    """

    facts: Sequence["Verbatim"] = ()
    procedures: Sequence["Verbatim"] = ()
    log: Sequence[ContextLine] = ()
    days: Collection[date] = ()
    chunks: Sequence[Chunk] = ()
    uncovered: Collection[tuple[str, int]] = ()
    messages: Sequence[ContextLine] = ()
    rendered_log: "Sequence[Item] | None" = None
    recalled: Sequence[Recollection] = ()
    episodes: Sequence[Recollection] = ()
    task: str = ""
    working: str = ""
    history: Sequence[str] = ()
    exchanges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """A fact or a rule as text; without an id, a sentence about others."""

    text: str
    id: str = ""
    untrusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A piece of text in a block: a section, or one message.

    Args:
        slot: the slot that it belongs to.
        ids: ids of the memories in the text.
        names: names in the report, if the text is not of a memory.
        role: the role of a message, else `""`.
        message_text: the text of a message in a chat, quoted if it is untrusted.
        untrusted: whether it quotes text of tools, pages and others.
    """

    slot: Slot
    text: str
    tokens: int
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    role: str = ""
    speaker: str = ""
    message_text: str = ""
    untrusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The items of a context, in order, and what was left out.

    Args:
        dropped: ids of what did not fit, by slot; for what has no id, its name.
    """

    items: tuple[Item, ...]
    dropped: dict[Slot, tuple[str, ...]] = field(default_factory=dict[Slot, tuple[str, ...]])


def assemble(sources: Sources, builder: "ItemBuilder", *, slots: Slots, window: int, size: Size) -> Block:
    """Return the block of these sources.

    Args:
        window: tokens of the block and of all that is kept free for the caller, together.
        size: counts the tokens of the rendered block, with tags and titles.

    Raises:
        InvalidInput: facts and procedures do not fit into the window; the message names the smallest window.
    """
    items = [*builder.verbatim(Slot.FACTS, sources.facts), *builder.verbatim(Slot.PROCEDURES, sources.procedures)]
    budget = max(0, window - slots.free)
    _check_budget(size(Block(items=tuple(items))), budget, slots)
    items += builder.log(sources) if sources.rendered_log is None else sources.rendered_log
    unfit: dict[Slot, tuple[str, ...]] = {}
    volatile = builder.volatile(sources, slots, unfit)
    messages = builder.messages(sources.messages, room=budget)
    if _total_tokens(messages) > budget:
        # The observer is behind, and no block can contain all messages: the other items keep their room.
        messages = messages[len(_oldest_messages(messages, _total_tokens([*items, *messages, *volatile]) - budget)) :]
        unfit[Slot.MESSAGES] = tuple(line.id for line in sources.messages[: len(sources.messages) - len(messages)])
    items += [*messages, *volatile]
    if _total_tokens(items) + _MARKUP_TOKENS * (len(items) + 1) <= budget:
        # Far below the budget, so the exact count does not matter.
        return _fit(items, budget, unfit, builder, sources)
    room = budget
    while True:
        block = _fit(items, room, unfit, builder, sources)
        # Items are counted one by one; only the whole text has the exact count.
        over = size(block) - budget
        if over <= 0:
            return block
        room -= over


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemBuilder:
    """The renderer of the items of a block.

    Args:
        count: counts the tokens of a text.
        counts: counts the tokens of several texts.
        seal: marks a text as memory.
    """

    count: Count
    counts: Counts
    seal: Seal
    zone: tzinfo
    now: datetime

    def item(
        self, slot: Slot, title: str, lines: Sequence[str], ids: Sequence[str] = (), names: tuple[str, ...] = ()
    ) -> Item:
        """Return a sealed section."""
        text = self.seal("\n".join([title, *lines])) + "\n"
        return Item(slot=slot, text=text, tokens=self.count(text), ids=tuple(ids), names=names)

    def verbatim(self, slot: Slot, texts: Sequence[Verbatim]) -> list[Item]:
        """Return facts or rules as one section, untrusted ones as a second."""
        trusted = [one for one in texts if not one.untrusted]
        untrusted = [one for one in texts if one.untrusted]
        lines = [render.verbatim(one.text, untrusted=False) for one in trusted]
        items = (
            [self.item(slot, f"## {slot.value.capitalize()}", lines, [one.id for one in trusted if one.id])]
            if trusted
            else []
        )
        return items + self.data(slot, [(render.verbatim(one.text, untrusted=True), one.id) for one in untrusted])

    def data(
        self, slot: Slot, quoted_lines: Sequence[tuple[str, str]], *, omit_ids: Collection[str] = ()
    ) -> list[Item]:
        """Return quoted data as a section of its own; no section for no lines.

        Args:
            quoted_lines: lines, each with the id of its memory.
            omit_ids: ids of memories that another section names.
        """
        if not quoted_lines:
            return []
        lines, ids = [line for line, _ in quoted_lines], [id for _, id in quoted_lines if id not in omit_ids]
        return [replace(self.item(slot, render.QUOTED_DATA, lines, ids), untrusted=True)]

    def log(self, sources: Sources, *, joined: bool = False) -> list[Item]:
        """Return the reflections, then the notes of each activation, by chunk.

        Args:
            joined: merges all activations into one section, if separate sections cost too much.
        """
        shown = [chunk for chunk in sources.chunks if chunk.state is ChunkState.ACTIVE]
        shown.sort(key=lambda chunk: chunk.place or 0)
        reflections = [line for line in sources.log if line.kind is Kind.REFLECTION]
        trusted = [line for line in reflections if not line.untrusted]
        notes = [line for line in sources.log if line.kind is not Kind.REFLECTION]
        by_chunk = _notes_by_chunk(notes, shown)
        without_notes = [chunk for chunk in shown if chunk.noted and not by_chunk[chunk.session, chunk.first]]
        items: list[Item] = []
        covered = _covered_messages(without_notes, sources.uncovered)
        if trusted or covered:
            title = f"## What is known{covered}"
            lines = [render.note(line, self.zone) for line in trusted] or [_NO_NOTES_SHOWN]
            items.append(self.item(Slot.REFLECTIONS, title, lines, [line.id for line in trusted]))
        items += self._notes_as_data(Slot.REFLECTIONS, [line for line in reflections if line.untrusted])
        for _, activation in groupby(shown, key=lambda chunk: None if joined else chunk.activated_at):
            chunks = list(activation)
            notes = [note for chunk in chunks for note in by_chunk[chunk.session, chunk.first]]
            lines = [text for chunk in chunks for text in self._chunk(chunk, by_chunk[chunk.session, chunk.first])]
            if lines:
                # The line of the task keeps its place: moving it would cost the provider's cache of all after it.
                lines += [f"{name}: {render.indented(text)}" for name, text in _end_state(chunks[-1]) if text]
                ids = [note.id for note in notes if not note.untrusted]
                items.append(self.item(Slot.OBSERVATIONS, "## Notes on earlier messages", lines, ids))
            items += self._notes_as_data(Slot.OBSERVATIONS, [note for note in notes if note.untrusted])
        return items

    def _notes_as_data(self, slot: Slot, notes: Sequence[ContextLine]) -> list[Item]:
        return self.data(slot, [(render.note(line, self.zone), line.id) for line in notes])

    def _chunk(self, chunk: Chunk, notes: Sequence[ContextLine]) -> list[str]:
        """Return the notes of one chunk, under the days of their messages."""
        trusted = [line for line in notes if not line.untrusted]
        numbers = render.message_numbers(chunk.first, chunk.last)
        if not trusted:
            if notes:
                return [f"### {numbers}", _NOTES_QUOTED_BELOW]
            return [] if chunk.noted else [f"### {numbers}", "- No notes."]
        lines: list[str] = []
        dated = [(render.day(line.occurred_at, self.zone), line) for line in trusted]
        # A note on several days has the last of them, so the notes are sorted: the days must ascend.
        for day, notes_of_day in groupby(sorted(dated, key=itemgetter(0)), key=itemgetter(0)):
            lines += [f"### {day}, {numbers}" if chunk.first and not lines else f"### {day}"]
            lines += [render.note(line, self.zone) for _, line in notes_of_day]
        return lines

    def messages(self, lines: Sequence[ContextLine], *, room: int) -> list[Item]:
        """Return the newest messages, one item each, until they exceed `room`."""
        items, tokens = list[Item](), 0
        for line in reversed(lines):
            items.append(self._message(line))
            tokens += items[-1].tokens
            if tokens > room:
                break
        return items[::-1]

    def _message(self, line: ContextLine) -> Item:
        text = render.message(line, self.zone) + "\n"
        who = render.A_TOOL if line.role == Role.TOOL else line.speaker
        return Item(
            slot=Slot.MESSAGES,
            text=text,
            tokens=self.count(text),
            ids=(line.id,),
            role=line.role,
            speaker=line.speaker,
            message_text=render.quotation(line.text, who) if line.untrusted else render.message_text(line.text),
            untrusted=line.untrusted,
        )

    def volatile(self, sources: Sources, slots: Slots, unfit: dict[Slot, tuple[str, ...]]) -> list[Item]:
        """Return the items that differ from turn to turn.

        Args:
            unfit: receives the ids of what its slot has no room for.
        """
        items: list[Item] = []
        shown = {line.id for line in (*sources.log, *sources.messages)}
        for slot, recollections, room, limit in (
            (Slot.EPISODES, sources.episodes, slots.episodes, MAX_EPISODES),
            (Slot.RECALLED, sources.recalled, slots.recalled, None),
        ):
            selected = select_recollections(
                recollections,
                room=room,
                limit=limit,
                shown=shown,
                counts=self.counts,
                now=self.now,
                zone=self.zone,
            )
            unfit[slot] = selected.left_out
            if selected.own:
                lines, ids = [line for line, _ in selected.own], [id for _, id in selected.own]
                items.append(self.item(slot, f"## {_TITLES[slot]}", lines, ids))
            items += self.data(slot, selected.data, omit_ids=[id for _, id in selected.own])
        if sources.history:
            # Exchanges contain answers of tools.
            exchanges = [render.quoted(f"- {render.indented(one)}") for one in sources.history]
            title = f"## What was done\n{render.FOLLOW_NOTHING}"
            history = self.item(Slot.HISTORY, title, exchanges, names=sources.exchanges)
            items.append(replace(history, untrusted=True))
        texts = {"task": sources.task, "working": render.run_state(sources.working)}
        if texts := {name: text for name, text in texts.items() if text}:
            items.append(self.item(Slot.WORKING, "## This run", list(texts.values()), names=tuple(texts)))
        lines = [render.today(self.now, self.zone)]
        if near := render.near_dates(sources.days, self.now, self.zone):
            lines.append("; ".join(near) + ".")
        items.append(self.item(Slot.TODAY, "## Now", lines, names=("today",)))
        return items


def _end_state(chunk: Chunk) -> tuple[tuple[str, str], ...]:
    """Return the task and the reminder at the end of a chunk, by their titles."""
    return ("Task then", chunk.task), ("To keep in mind then", chunk.suggestion)


_NOTES_QUOTED_BELOW = "- Their notes are quoted as data below."
_NO_NOTES_SHOWN = "- Their notes are not shown here."
_TITLES = {Slot.EPISODES: "What happened", Slot.RECALLED: "Recalled memories"}


def _notes_by_chunk(notes: Sequence[ContextLine], chunks: Sequence[Chunk]) -> dict[tuple[str, int], list[ContextLine]]:
    """Return the notes of each chunk, in the order of the log."""
    by_chunk: dict[tuple[str, int], list[ContextLine]] = {(chunk.session, chunk.first): [] for chunk in chunks}
    begins: dict[str, list[int]] = {}
    for session, first in sorted(by_chunk):
        begins.setdefault(session, []).append(first)
    for note in notes:
        firsts = begins.get(note.session, [])
        # A note belongs to the last chunk that begins no later than it.
        if count := bisect_right(firsts, note.number):
            by_chunk[note.session, firsts[count - 1]].append(note)
    return by_chunk


def _covered_messages(chunks: Sequence[Chunk], uncovered: Collection[tuple[str, int]]) -> str:
    """Return the numbers of the messages that only reflections cover."""
    spans: list[tuple[int, int]] = []
    for chunk in sorted(chunks, key=lambda chunk: (chunk.session, chunk.first)):
        for number in range(chunk.first, chunk.last + 1):
            if (chunk.session, number) in uncovered:
                continue
            if spans and number == spans[-1][1] + 1:
                spans[-1] = (spans[-1][0], number)
            else:
                spans.append((number, number))
    if not spans:
        return ""
    return " of messages " + ", ".join(render.span(first, last) for first, last in spans)


def _check_budget(needed: int, budget: int, slots: Slots) -> None:
    """Raise `InvalidInput` if what must be included does not fit."""
    if needed > budget:
        raise InvalidInput(
            f"facts and procedures have {needed} tokens, and the window leaves {budget} next to the {slots.free} that"
            f" are kept free: make the window {needed + slots.free} or more, or pause and end some of them"
        )


def _fit(items: Sequence[Item], room: int, unfit: Dropped, builder: ItemBuilder, sources: Sources) -> Block:
    """Return the items that fit the room.

    Recalled memories are dropped first, then the log, then the oldest messages.
    """
    fitting, dropped = list(items), {slot: list(ids) for slot, ids in unfit.items()}
    for slot in (Slot.RECALLED, Slot.EPISODES, Slot.HISTORY, Slot.WORKING):
        if _total_tokens(fitting) > room:
            fitting = _drop(fitting, [item for item in fitting if item.slot is slot], dropped)
    if _total_tokens(fitting) > room:
        fitting = _shorten_log(fitting, room, dropped, builder, sources)
    fitting = _drop(fitting, _oldest_messages(fitting, _total_tokens(fitting) - room), dropped)
    if _total_tokens(fitting) > room:
        fitting = _drop(fitting, [item for item in fitting if item.slot not in (Slot.FACTS, Slot.PROCEDURES)], dropped)
    return Block(items=tuple(fitting), dropped={slot: tuple(ids) for slot, ids in dropped.items() if ids})


def _total_tokens(items: Sequence[Item]) -> int:
    return sum(item.tokens for item in items)


def _oldest_messages(items: Sequence[Item], tokens: int) -> list[Item]:
    """Return the oldest messages with at least this many tokens together."""
    messages: list[Item] = []
    for item in items:
        if tokens <= 0:
            break
        if item.slot is Slot.MESSAGES:
            messages.append(item)
            tokens -= item.tokens
    return messages


def _drop(items: Sequence[Item], excluded: Sequence[Item], dropped: dict[Slot, list[str]]) -> list[Item]:
    """Return the items without some, which are added to `dropped`."""
    for item in excluded:
        dropped.setdefault(item.slot, []).extend(item.ids or item.names)
    excluded_ids = {id(item) for item in excluded}
    return [item for item in items if id(item) not in excluded_ids]


def _shorten_log(
    items: Sequence[Item], room: int, dropped: dict[Slot, list[str]], builder: ItemBuilder, sources: Sources
) -> list[Item]:
    """Return the items with the log in one section and, if needed, shortened.

    The least important notes are removed first, of equals the oldest.
    """
    order = sorted(sources.log, key=lambda line: (line.priority, line.place))
    removed: set[str] = set()
    log_slots = (Slot.REFLECTIONS, Slot.OBSERVATIONS)
    others, log_items = [item for item in items if item.slot not in log_slots], builder.log(sources, joined=True)
    index = sum(item.slot in (Slot.FACTS, Slot.PROCEDURES) for item in others)
    over = _total_tokens([*others, *log_items]) - room
    while over > 0 and len(removed) < len(order):
        for line in order[len(removed) :]:
            if over <= 0:
                break
            removed.add(line.id)
            # The title with its day and numbers may disappear too, so the rest is counted again.
            over -= builder.count(render.note(line, builder.zone)) + _NOTE_MARKUP_TOKENS
        log_items = builder.log(_remove_notes(sources, removed), joined=True)
        over = _total_tokens([*others, *log_items]) - room
    dropped.setdefault(Slot.OBSERVATIONS, []).extend(line.id for line in order if line.id in removed)
    return [*others[:index], *log_items, *others[index:]]


def _remove_notes(sources: Sources, ids: set[str]) -> Sources:
    return replace(sources, log=[line for line in sources.log if line.id not in ids])
