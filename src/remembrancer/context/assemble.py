"""The block that an agent reads: whole items within a budget, in an order that only grows at the end.

First what seldom changes: facts, procedures, reflections, observations in the order they were activated, messages.
Then, after the last byte that a provider can keep in its cache: what was recalled, ages, and the day that it is.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from remembrancer.context import lines as written
from remembrancer.context.recollections import Recollection, chosen
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
MOST_EPISODES = 5
# The tokens that a format writes around an item, and what two texts may have more together, at most.
_AROUND = 64
_AROUND_NOTE = 20
CACHED = (Slot.FACTS, Slot.PROCEDURES, Slot.REFLECTIONS, Slot.OBSERVATIONS, Slot.MESSAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a block is made of.

    Args:
        facts, procedures: as they are told, verbatim, with their ids; all of them or an error.
        log: active observations and reflections, in the order of their places.
        days: those that the log speaks of.
        chunks: the runs of messages that are told by what was noted of them.
        untold: session and number of messages of such runs that are told raw all the same.
        messages: those that are told raw, in order.
        made: what was made of `log` and `chunks` before, where that is known.
        recalled: best first.
        task: its line.
        working, history: as the caller hands them over, each a whole item.
        exchanges: what the report calls those of `history` where they are left out.
    """

    facts: Sequence["Verbatim"] = ()
    procedures: Sequence["Verbatim"] = ()
    log: Sequence[ContextLine] = ()
    days: Collection[date] = ()
    chunks: Sequence[Chunk] = ()
    untold: Collection[tuple[str, int]] = ()
    messages: Sequence[ContextLine] = ()
    made: "Sequence[Item] | None" = None
    recalled: Sequence[Recollection] = ()
    episodes: Sequence[Recollection] = ()
    task: str = ""
    working: str = ""
    history: Sequence[str] = ()
    exchanges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """A fact or a rule as it is told; without an id it tells of others."""

    text: str
    id: str = ""
    untrusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of text in a block: a section, or one message.

    Args:
        ids: of the memories that it tells of.
        names: what the report calls it, where it is no memory's.
        role: of a message, else `""`.
        said: what a chat has of a message, quoted where it is untrusted.
        untrusted: whether it quotes what tools, pages and others wrote.
    """

    slot: Slot
    text: str
    tokens: int
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    role: str = ""
    speaker: str = ""
    said: str = ""
    untrusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What is told, in order, and what had to be left out.

    Args:
        dropped: ids of what did not fit, by slot; of what has none, its name.
    """

    items: tuple[Item, ...]
    dropped: dict[Slot, tuple[str, ...]] = field(default_factory=dict[Slot, tuple[str, ...]])


def assemble(sources: Sources, making: "Making", *, slots: Slots, window: int, size: Size) -> Block:
    """Return the block of these sources.

    Args:
        window: tokens of the block and of all that is free for the caller, together.
        size: counts the tokens of a block as it is written, with tags and titles.

    Raises:
        InvalidInput: the window cannot hold facts and procedures; the message names the least that can.
    """
    items = [*making.verbatim(Slot.FACTS, sources.facts), *making.verbatim(Slot.PROCEDURES, sources.procedures)]
    budget = max(0, window - slots.free)
    _afford(size(Block(items=tuple(items))), budget, slots)
    items += making.log(sources) if sources.made is None else sources.made
    unfit: dict[Slot, tuple[str, ...]] = {}
    last = making.volatile(sources, slots, unfit)
    said = making.messages(sources.messages, room=budget)
    if _tokens(said) > budget:
        # No block holds them all, since an observer is behind: what else is told keeps its room.
        said = said[len(_oldest(said, _tokens([*items, *said, *last]) - budget)) :]
        unfit[Slot.MESSAGES] = tuple(line.id for line in sources.messages[: len(sources.messages) - len(said)])
    items += [*said, *last]
    if _tokens(items) + _AROUND * (len(items) + 1) <= budget:
        # So far below it nobody needs to count the whole.
        return _fitted(items, budget, unfit, making, sources)
    room = budget
    while True:
        block = _fitted(items, room, unfit, making, sources)
        # Items are counted one by one: what they have together is known of the text that they make.
        over = size(block) - budget
        if over <= 0:
            return block
        room -= over


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """Makes the items of a block.

    Args:
        count: the tokens of a text.
        counts: those of each of some texts.
        seal: marks a text as coming from memory.
    """

    count: Count
    counts: Counts
    seal: Seal
    zone: tzinfo
    now: datetime

    def item(
        self, slot: Slot, title: str, lines: Sequence[str], ids: Sequence[str] = (), names: tuple[str, ...] = ()
    ) -> Item:
        """A sealed section."""
        text = self.seal("\n".join([title, *lines])) + "\n"
        return Item(slot=slot, text=text, tokens=self.count(text), ids=tuple(ids), names=names)

    def verbatim(self, slot: Slot, found: Sequence[Verbatim]) -> list[Item]:
        """Facts or rules in one section."""
        own = [one for one in found if not one.untrusted]
        data = [one for one in found if one.untrusted]
        lines = [written.verbatim(one.text, untrusted=False) for one in own]
        items = (
            [self.item(slot, f"## {slot.value.capitalize()}", lines, [one.id for one in own if one.id])] if own else []
        )
        return items + self.data(slot, [(written.verbatim(one.text, untrusted=True), one.id) for one in data])

    def data(self, slot: Slot, found: Sequence[tuple[str, str]], *, without: Collection[str] = ()) -> list[Item]:
        """Quoted data, in a section of its own: lines, each with the id of its memory; no section for none.

        Args:
            without: the ids of what is told elsewhere as well.
        """
        if not found:
            return []
        lines, ids = [line for line, _ in found], [id for _, id in found if id not in without]
        return [replace(self.item(slot, written.QUOTED_DATA, lines, ids), untrusted=True)]

    def log(self, sources: Sources, *, joined: bool = False) -> list[Item]:
        """Reflections, then the notes of each activation, by chunk.

        Args:
            joined: all activations in one section, where every section costs too much.
        """
        shown = [chunk for chunk in sources.chunks if chunk.state is ChunkState.ACTIVE]
        shown.sort(key=lambda chunk: chunk.place or 0)
        insights = [line for line in sources.log if line.kind is Kind.REFLECTION and not line.untrusted]
        doubtful = [line for line in sources.log if line.kind is Kind.REFLECTION and line.untrusted]
        notes = [line for line in sources.log if line.kind is not Kind.REFLECTION]
        by_chunk = _by_chunk(notes, shown)
        bare = [chunk for chunk in shown if chunk.noted and not by_chunk[chunk.session, chunk.first]]
        items: list[Item] = []
        bare_of = _told_of(bare, sources.untold)
        if insights or bare_of:
            title = f"## What is known{bare_of}"
            told = [written.note(line, self.zone) for line in insights] or [_NOTHING_TOLD]
            items.append(self.item(Slot.REFLECTIONS, title, told, [line.id for line in insights]))
        items += self._notes_as_data(Slot.REFLECTIONS, doubtful)
        for _, together in groupby(shown, key=lambda chunk: None if joined else chunk.activated_at):
            told = [(chunk, by_chunk[chunk.session, chunk.first]) for chunk in together]
            lines = [text for chunk, found in told for text in self._chunk(chunk, found)]
            if lines:
                # It stays where it stood when it was so: a line that moved would cost the cache of all behind it.
                last = told[-1][0]
                lines += [f"{name}: {written.indented(text)}" for name, text in _ended_with(last) if text]
                ids = [line.id for _, found in told for line in found if not line.untrusted]
                items.append(self.item(Slot.OBSERVATIONS, "## What was said before", lines, ids))
            doubtful = [line for _, found in told for line in found if line.untrusted]
            items += self._notes_as_data(Slot.OBSERVATIONS, doubtful)
        return items

    def _notes_as_data(self, slot: Slot, notes: Sequence[ContextLine]) -> list[Item]:
        return self.data(slot, [(written.note(line, self.zone), line.id) for line in notes])

    def _chunk(self, chunk: Chunk, notes: Sequence[ContextLine]) -> list[str]:
        """The notes of one run of messages, under the days on which they were said."""
        own = [line for line in notes if not line.untrusted]
        if not own:
            told = written.numbers(chunk.first, chunk.last)
            if notes:
                return [f"### {told}", _QUOTED_BELOW]
            return [] if chunk.noted else [f"### {told}", "- Nothing worth a note was said."]
        lines: list[str] = []
        days = [(written.day(line.occurred_at, self.zone), line) for line in own]
        # What was said of several days over and over has the last of them: the days may not jump.
        for day, same in groupby(sorted(days, key=itemgetter(0)), key=itemgetter(0)):
            found = [line for _, line in same]
            numbers = f", {written.numbers(chunk.first, chunk.last)}" if chunk.first and not lines else ""
            lines += [f"### {day}{numbers}"]
            lines += [written.note(line, self.zone) for line in found]
        return lines

    def messages(self, lines: Sequence[ContextLine], *, room: int) -> list[Item]:
        """The newest messages as they were said, each by itself, until they have more than so many tokens."""
        items, taken = list[Item](), 0
        for line in reversed(lines):
            items.append(self._message(line))
            taken += items[-1].tokens
            if taken > room:
                break
        return items[::-1]

    def _message(self, line: ContextLine) -> Item:
        text = written.message(line, self.zone) + "\n"
        who = written.A_TOOL if line.role == Role.TOOL else line.speaker
        return Item(
            slot=Slot.MESSAGES,
            text=text,
            tokens=self.count(text),
            ids=(line.id,),
            role=line.role,
            speaker=line.speaker,
            said=written.quotation(line.text, who) if line.untrusted else written.spoken(line.text),
            untrusted=line.untrusted,
        )

    def volatile(self, sources: Sources, slots: Slots, unfit: dict[Slot, tuple[str, ...]]) -> list[Item]:
        """What differs from turn to turn, after everything that does not.

        Args:
            unfit: takes the ids of what its slot has no room for.
        """
        items: list[Item] = []
        told = {line.id for line in (*sources.log, *sources.messages)}
        for slot, found, cap, most in (
            (Slot.EPISODES, sources.episodes, slots.episodes, MOST_EPISODES),
            (Slot.RECALLED, sources.recalled, slots.recalled, None),
        ):
            some = chosen(found, room=cap, most=most, told=told, counts=self.counts, now=self.now, zone=self.zone)
            unfit[slot] = some.left_out
            if some.own:
                lines, ids = [line for line, _ in some.own], [id for _, id in some.own]
                items.append(self.item(slot, f"## {_TITLES[slot]}", lines, ids))
            items += self.data(slot, some.data, without=[id for _, id in some.own])
        if sources.history:
            # What tools answered stands in them.
            exchanges = [written.quoted(f"- {written.indented(one)}") for one in sources.history]
            title = f"## What was done\n{written.FOLLOW_NOTHING}"
            done = self.item(Slot.HISTORY, title, exchanges, names=sources.exchanges)
            items.append(replace(done, untrusted=True))
        run = {"task": sources.task, "working": written.state(sources.working)}
        if told := {name: text for name, text in run.items() if text}:
            items.append(self.item(Slot.WORKING, "## This run", list(told.values()), names=tuple(told)))
        lines = [written.today(self.now, self.zone)]
        if near := written.distances(sources.days, self.now, self.zone):
            lines.append("; ".join(near) + ".")
        items.append(self.item(Slot.TODAY, "## Now", lines, names=("today",)))
        return items


def _ended_with(chunk: Chunk) -> tuple[tuple[str, str], ...]:
    """What stood at the end of a run of messages, by what it is called."""
    return ("Task then", chunk.task), ("To keep in mind then", chunk.suggestion)


_QUOTED_BELOW = "- What was noted of them is quoted data, below."
_NOTHING_TOLD = "- What was noted of them is not told here."
_TITLES = {Slot.EPISODES: "What happened", Slot.RECALLED: "Recalled from before"}


def _by_chunk(notes: Sequence[ContextLine], chunks: Sequence[Chunk]) -> dict[tuple[str, int], list[ContextLine]]:
    """The notes of each chunk, in the order of the log."""
    found: dict[tuple[str, int], list[ContextLine]] = {(chunk.session, chunk.first): [] for chunk in chunks}
    begins: dict[str, list[int]] = {}
    for session, first in sorted(found):
        begins.setdefault(session, []).append(first)
    for note in notes:
        firsts = begins.get(note.session, [])
        # The note was drawn from the last run that begins no later than it.
        if place := bisect_right(firsts, note.number):
            found[note.session, firsts[place - 1]].append(note)
    return found


def _told_of(chunks: Sequence[Chunk], untold: Collection[tuple[str, int]]) -> str:
    """Which messages are told of by reflections alone; those that are told raw are not."""
    spans: list[tuple[int, int]] = []
    for chunk in sorted(chunks, key=lambda chunk: (chunk.session, chunk.first)):
        for number in range(chunk.first, chunk.last + 1):
            if (chunk.session, number) in untold:
                continue
            if spans and number == spans[-1][1] + 1:
                spans[-1] = (spans[-1][0], number)
            else:
                spans.append((number, number))
    if not spans:
        return ""
    return " of messages " + ", ".join(written.span(first, last) for first, last in spans)


def _afford(needed: int, budget: int, slots: Slots) -> None:
    """Raise `InvalidInput` where what is told in any case does not fit."""
    if needed > budget:
        raise InvalidInput(
            f"facts and procedures take {needed} tokens, and the window leaves {budget} beside the {slots.free} that"
            f" are kept free: make the window {needed + slots.free} or more, or pause and end some of them"
        )


def _fitted(items: Sequence[Item], room: int, unfit: Dropped, making: Making, sources: Sources) -> Block:
    """The items without those that do not fit: first what was recalled, then the log, then the oldest messages."""
    kept, dropped = list(items), {slot: list(ids) for slot, ids in unfit.items()}
    for slot in (Slot.RECALLED, Slot.EPISODES, Slot.HISTORY, Slot.WORKING):
        if _tokens(kept) > room:
            kept = _without(kept, [item for item in kept if item.slot is slot], dropped)
    if _tokens(kept) > room:
        kept = _with_less_of_the_log(kept, room, dropped, making, sources)
    kept = _without(kept, _oldest(kept, _tokens(kept) - room), dropped)
    if _tokens(kept) > room:
        kept = _without(kept, [item for item in kept if item.slot not in (Slot.FACTS, Slot.PROCEDURES)], dropped)
    return Block(items=tuple(kept), dropped={slot: tuple(ids) for slot, ids in dropped.items() if ids})


def _tokens(items: Sequence[Item]) -> int:
    return sum(item.tokens for item in items)


def _oldest(items: Sequence[Item], over: int) -> list[Item]:
    """The oldest messages that have so many tokens together."""
    found: list[Item] = []
    for item in items:
        if over <= 0:
            break
        if item.slot is Slot.MESSAGES:
            found.append(item)
            over -= item.tokens
    return found


def _without(items: Sequence[Item], left: Sequence[Item], dropped: dict[Slot, list[str]]) -> list[Item]:
    """Some items without others, which are named among what was dropped."""
    for item in left:
        dropped.setdefault(item.slot, []).extend(item.ids or item.names)
    gone = {id(item) for item in left}
    return [item for item in items if id(item) not in gone]


def _with_less_of_the_log(
    items: Sequence[Item], room: int, dropped: dict[Slot, list[str]], making: Making, sources: Sources
) -> list[Item]:
    """The items with the log in one section and, as far as that is too much, the least important of it left out.

    Of what is as important the oldest goes first.
    """
    order = sorted(sources.log, key=lambda line: (line.priority, line.place))
    lost: set[str] = set()
    log = (Slot.REFLECTIONS, Slot.OBSERVATIONS)
    rest, left = [item for item in items if item.slot not in log], making.log(sources, joined=True)
    at = sum(item.slot in (Slot.FACTS, Slot.PROCEDURES) for item in rest)
    over = _tokens([*rest, *left]) - room
    while over > 0 and len(lost) < len(order):
        for line in order[len(lost) :]:
            if over <= 0:
                break
            lost.add(line.id)
            # The day and the numbers above it may go with it: what is left is counted anew.
            over -= making.count(written.note(line, making.zone)) + _AROUND_NOTE
        left = making.log(_log_without(sources, lost), joined=True)
        over = _tokens([*rest, *left]) - room
    dropped.setdefault(Slot.OBSERVATIONS, []).extend(line.id for line in order if line.id in lost)
    return [*rest[:at], *left, *rest[at:]]


def _log_without(sources: Sources, lost: set[str]) -> Sources:
    return replace(sources, log=[line for line in sources.log if line.id not in lost])
