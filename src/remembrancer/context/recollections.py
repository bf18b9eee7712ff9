"""Recalled memories as lines of a block: by time, without duplicates.

The best that fit are selected first, then sorted by time, so that a reader sees the order of events. Quoted data comes
last.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from remembrancer.context import lines as render
from remembrancer.language.quoting import QUOTED
from remembrancer.types.episode import Tier
from remembrancer.types.record import Episode, Message, Record, speaker_of

# Two texts that share this part of their words are duplicates.
DUPLICATE_SHARE = 0.85
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A recalled memory, as the block shows it.

    Args:
        kind: the label of its kind; `""` for a message, which shows its speaker instead.
        speaker: the name or role of a message's speaker.
        session, number: the place of a message, else `""` and 0.
        former: the values that it replaced, each with the time until which it was valid.
        until: the time when it was replaced; `None` while it is valid.
        needs: turns to show with it: the question that it answers, or the answer to it.
    """

    id: str
    text: str
    kind: str
    occurred_at: datetime
    speaker: str = ""
    session: str = ""
    number: int = 0
    untrusted: bool = False
    former: tuple[tuple[str, datetime], ...] = ()
    until: datetime | None = None
    needs: "tuple[Recollection, ...]" = ()

    def lines(self, now: datetime, zone: tzinfo) -> list[str]:
        """Return its line in a block, and a second one for what it quotes."""
        text = self.text + "".join(f" ({render.until(when, zone)}: {value})" for value, when in self.former)
        if self.until is not None:
            text += f" ({render.until(self.until, zone)})"
        if self.speaker:
            return render.recalled_message(text, self.speaker, self.occurred_at, zone, untrusted=self.untrusted)
        return [render.recalled_record(text, self.kind, self.occurred_at, now, zone, untrusted=self.untrusted)]

    @property
    def place(self) -> tuple[datetime, str, int, str]:
        """The sort key of the order of time."""
        return self.occurred_at, self.session, self.number, self.id


def recollection(record: Record, kind: str, *, untrusted: bool, needs: Sequence[Recollection] = ()) -> Recollection:
    """Return a memory as a recollection.

    Args:
        kind: the label of its kind.
    """
    is_message = isinstance(record, Message)
    return Recollection(
        id=record.id,
        text=record.text,
        kind=kind if not isinstance(record, Episode) else _episode_label(record, kind),
        occurred_at=record.occurred_at,
        speaker=speaker_of(record),
        session=record.session or "" if is_message else "",
        number=record.number if is_message else 0,
        untrusted=untrusted,
        needs=tuple(needs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedLines:
    """Lines with the ids of their memories by time, and ids of those left out.

    Args:
        own, data: lines that are not quoted data, and lines that are.
    """

    own: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, quoted data last."""
        return tuple(line for line, _ in (*self.own, *self.data))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of `lines`, in their order."""
        return tuple(id for _, id in (*self.own, *self.data))


def select_recollections(
    recollections: Sequence[Recollection],
    *,
    room: int,
    limit: int | None,
    shown: Collection[str],
    counts: Callable[[Sequence[str]], Sequence[int]],
    now: datetime,
    zone: tzinfo,
) -> SelectedLines:
    """Return the recollections that fit, best first, without duplicates.

    Args:
        room: tokens.
        limit: the most recollections, without those that others need; `None` for no limit.
        shown: ids of what the block contains already.
        counts: counts the tokens of several texts.
    """
    lines = {
        one.id: one.lines(now, zone)
        for recollection in recollections
        for one in (recollection, *recollection.needs)
        if one.id not in shown
    }
    sizes = dict(zip(lines, counts(["\n".join(texts) for texts in lines.values()]), strict=True))
    selected: dict[str, Recollection] = {}
    word_sets: list[frozenset[str]] = []
    left_out: list[str] = []
    count = 0

    def select(one: Recollection) -> bool:
        nonlocal room
        size = sizes[one.id] + 1
        if size > room:
            return False
        selected[one.id] = one
        word_sets.append(_word_set(one.text))
        room -= size
        return True

    for one in recollections:
        if one.id in shown or one.id in selected or _is_duplicate(_word_set(one.text), word_sets):
            continue
        if (limit is not None and count >= limit) or not select(one):
            left_out.append(one.id)
            continue
        count += 1
        for other in one.needs:
            if other.id not in shown and other.id not in selected:
                select(other)
    order = sorted(selected.values(), key=lambda one: one.place)
    shown_lines = [(line, one.id) for one in order for line in lines[one.id]]
    return SelectedLines(
        own=tuple(pair for pair in shown_lines if not pair[0].startswith(QUOTED)),
        data=tuple(pair for pair in shown_lines if pair[0].startswith(QUOTED)),
        left_out=tuple(id for id in left_out if id not in selected),
    )


def _episode_label(episode: Episode, kind: str) -> str:
    """Return the kind of an episode, with its contact and its outcome."""
    details = episode.details
    contact, outcome = details.contact, details.outcome.value if details.tier is Tier.RAW else ""
    return " · ".join(filter(None, (kind, f"with {contact}" if contact else "", outcome)))


def _word_set(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.casefold()))


def _is_duplicate(words: frozenset[str], word_sets: Sequence[frozenset[str]]) -> bool:
    """Return True if the words are nearly those of a text in the block."""
    shortest, longest = DUPLICATE_SHARE * len(words), len(words) / DUPLICATE_SHARE
    # Texts of very different lengths cannot be duplicates.
    return any(
        shortest <= len(other) <= longest and len(words & other) >= DUPLICATE_SHARE * len(words | other)
        for other in word_sets
        if words
    )
