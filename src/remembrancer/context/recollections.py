"""What was recalled, as a block tells it: who said it and when, in the order of time, each thing once.

The best are chosen first, as many as fit; then they stand in the order in which they were said, so that a reader sees
what came after what. Quoted data stands behind all else.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from remembrancer.context import lines as written
from remembrancer.language.quoting import QUOTED
from remembrancer.types.episode import Tier
from remembrancer.types.record import Episode, Message, Record, speaker_of

# Of the words of two texts so large a part is the same in both, and they say the same.
ALIKE = 0.85
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Something that was recalled for what is asked now.

    Args:
        kind: what it is, for an agent; `""` of a message, which says who spoke instead.
        speaker: of a message, the name or the role.
        session, number: where a message stands, else `""` and 0.
        former: the values that it replaced, each with the time until which it held.
        until: when another replaced it; `None` while it holds.
        needs: what has to be told beside it to be understood: the question that it answers, or the answer to it.
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

    def written(self, now: datetime, zone: tzinfo) -> list[str]:
        """Its line in a block, and behind it what it quotes; quoted."""
        text = self.text + "".join(f" ({written.until(when, zone)}: {value})" for value, when in self.former)
        if self.until is not None:
            text += f" ({written.until(self.until, zone)})"
        if self.speaker:
            return written.said(text, self.speaker, self.occurred_at, zone, untrusted=self.untrusted)
        return [written.recollection(text, self.kind, self.occurred_at, now, zone, untrusted=self.untrusted)]

    @property
    def place(self) -> tuple[datetime, str, int, str]:
        """Where it stands in the order of time."""
        return self.occurred_at, self.session, self.number, self.id


def recollection(record: Record, kind: str, *, untrusted: bool, needs: Sequence[Recollection] = ()) -> Recollection:
    """A memory as it is told when it is recalled.

    Args:
        kind: what it is, for an agent.
    """
    is_message = isinstance(record, Message)
    return Recollection(
        id=record.id,
        text=record.text,
        kind=kind if not isinstance(record, Episode) else _of_episode(record, kind),
        occurred_at=record.occurred_at,
        speaker=speaker_of(record),
        session=record.session or "" if is_message else "",
        number=record.number if is_message else 0,
        untrusted=untrusted,
        needs=tuple(needs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Lines that are told, in the order of time, each with the id of its memory; and ids of those that are not.

    Args:
        own, data: those that are not quoted data, and those that are.
    """

    own: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of them, quoted data behind the others."""
        return tuple(line for line, _ in (*self.own, *self.data))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of `lines`, each in its place."""
        return tuple(id for _, id in (*self.own, *self.data))


def chosen(
    found: Sequence[Recollection],
    *,
    room: int,
    most: int | None,
    told: Collection[str],
    counts: Callable[[Sequence[str]], Sequence[int]],
    now: datetime,
    zone: tzinfo,
) -> Chosen:
    """Of what was recalled, best first, as much as fits whole; what says the same as another, once.

    Args:
        room: tokens.
        most: how many at most, those apart that others need; `None` for as many as fit.
        told: ids of what stands in the block already.
        counts: the tokens of each of some texts.
    """
    lines = {one.id: one.written(now, zone) for some in found for one in (some, *some.needs) if one.id not in told}
    sizes = dict(zip(lines, counts(["\n".join(found) for found in lines.values()]), strict=True))
    taken: dict[str, Recollection] = {}
    seen: list[frozenset[str]] = []
    left_out: list[str] = []
    best = 0

    def take(one: Recollection) -> bool:
        nonlocal room
        size = sizes[one.id] + 1
        if size > room:
            return False
        taken[one.id] = one
        seen.append(_said(one.text))
        room -= size
        return True

    for one in found:
        if one.id in told or one.id in taken or _repeats(_said(one.text), seen):
            continue
        if (most is not None and best >= most) or not take(one):
            left_out.append(one.id)
            continue
        best += 1
        for other in one.needs:
            if other.id not in told and other.id not in taken:
                take(other)
    order = sorted(taken.values(), key=lambda one: one.place)
    told_lines = [(line, one.id) for one in order for line in lines[one.id]]
    return Chosen(
        own=tuple(pair for pair in told_lines if not pair[0].startswith(QUOTED)),
        data=tuple(pair for pair in told_lines if pair[0].startswith(QUOTED)),
        left_out=tuple(id for id in left_out if id not in taken),
    )


def _of_episode(episode: Episode, kind: str) -> str:
    """What an episode is, with whom it was and what became of it."""
    details = episode.details
    contact, outcome = details.contact, details.outcome.value if details.tier is Tier.RAW else ""
    return " · ".join(filter(None, (kind, f"with {contact}" if contact else "", outcome)))


def _said(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.casefold()))


def _repeats(words: frozenset[str], seen: Sequence[frozenset[str]]) -> bool:
    """Whether some words are nearly those of a text that is told."""
    least, most = ALIKE * len(words), len(words) / ALIKE
    # Two of far different lengths cannot be alike.
    return any(
        least <= len(other) <= most and len(words & other) >= ALIKE * len(words | other) for other in seen if words
    )
