"""Which kept pieces stand in one note: what a few messages that follow one another say."""

from collections.abc import Iterator, Sequence
from datetime import timedelta, tzinfo
from itertools import groupby
from typing import Final

from remembrancer.language.marks import priority_of
from remembrancer.learn.observe.pieces import Piece
from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Trust

# How many messages further a note may reach, how long after its first, and how many tokens it may hold.
REACH: Final = 4
LONGEST_PAUSE: Final = timedelta(hours=1)
LONGEST_NOTE: Final = 120
# What one message says is parted only beyond this.
LONGEST_TURN: Final = 200
_KINDS: Final = ("decision", "preference")


def grouped(kept: Sequence[Piece], messages: Sequence[Message], zone: tzinfo) -> list[list[Piece]]:
    """The kept pieces as notes, in order: an answer with its question, what one message says together.

    Args:
        kept: in the order in which they were said.
        zone: whose days are meant: a note is of one day.
    """
    notes: list[list[Piece]] = []
    for turn in _turns(kept):
        if notes and _joins(turn, notes[-1], messages, zone):
            notes[-1] += turn
        else:
            notes.append(turn)
    return notes


def priority(piece: Piece, message: Message) -> int:
    """How much a piece must be kept, 1 to 5."""
    return priority_of(
        piece.marks,
        by_person=message.trust is Trust.TRUSTED and (message.role is Role.USER or bool(message.speaker)),
        dated=bool(piece.refers_to),
        figures=any(term.kind in ("number", "name") for term in piece.terms),
    )


def _turns(kept: Sequence[Piece]) -> Iterator[list[Piece]]:
    for _, run in groupby(kept, key=lambda piece: piece.message):
        turn: list[Piece] = []
        for piece in run:
            if turn and _size(turn) + piece.tokens > LONGEST_TURN:
                yield turn
                turn = []
            turn.append(piece)
        yield turn


def _joins(turn: Sequence[Piece], note: Sequence[Piece], messages: Sequence[Message], zone: tzinfo) -> bool:
    first, last, new = messages[note[0].message], messages[note[-1].message], messages[turn[0].message]
    if (new.trust, new.classification) != (last.trust, last.classification):
        return False
    if turn[0].answers and turn[0].message - note[-1].message == 1:
        return True
    told, tells = _kinds(note), _kinds(turn)
    if told and tells and told != tells:
        return False
    near = turn[0].message - note[0].message <= REACH and new.occurred_at - first.occurred_at <= LONGEST_PAUSE
    in_a_day = new.occurred_at.astimezone(zone).date() == first.occurred_at.astimezone(zone).date()
    return near and in_a_day and note[-1].message != turn[0].message and _size(note) + _size(turn) <= LONGEST_NOTE


def _kinds(pieces: Sequence[Piece]) -> set[str]:
    """What makes the type of a note: a decision does not hide a preference."""
    stated = [piece.marks for piece in pieces if not piece.marks.asks]
    return {cue for cue in _KINDS if any(marked.has(cue) for marked in stated)}


def _size(pieces: Sequence[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)
