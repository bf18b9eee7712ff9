"""Which kept pieces stand in one note: those of a message, and of its speaker's next few, under one name."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final

from remembrancer.engines.observing.marks import priority_of
from remembrancer.engines.observing.pieces import Piece
from remembrancer.model.notes import HIGHEST_PRIORITY
from remembrancer.model.record import Message, Role

# How many messages further a note may reach, and how long it may grow.
REACH: Final = 4
LONGEST_NOTE: Final = 80


@dataclass(slots=True)
class _Open:
    pieces: list[Piece] = field(default_factory=list[Piece])
    tokens: int = 0

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.tokens += piece.tokens


def grouped(
    kept: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str], zone: tzinfo
) -> list[list[Piece]]:
    """The kept pieces as notes, in the order in which these begin; a note is of one day of the zone.

    What must not be forgotten is never put into one note with what another message says.
    """
    notes: list[_Open] = []
    latest: dict[str, _Open] = {}
    for piece in kept:
        note = latest.get(speakers[piece.message])
        if note is None or not _joins(piece, note, messages, zone):
            note = latest[speakers[piece.message]] = _Open()
            notes.append(note)
        note.add(piece)
    return [note.pieces for note in notes]


def priority(piece: Piece, message: Message) -> int:
    """How much a piece must be kept, 1 to 5."""
    return priority_of(
        piece.marks,
        by_person=message.role is Role.USER or bool(message.speaker),
        dated=bool(piece.refers_to),
        figures=any(term.kind in ("number", "name") for term in piece.terms),
    )


def _joins(piece: Piece, note: _Open, messages: Sequence[Message], zone: tzinfo) -> bool:
    first = note.pieces[0]
    if note.tokens + piece.tokens > LONGEST_NOTE:
        return False
    if first.message == piece.message:
        return True
    begun, goes_on = (messages[one.message].occurred_at.astimezone(zone).date() for one in (first, piece))
    apart = piece.message - first.message <= REACH and begun == goes_on
    grave = any(priority(said, messages[said.message]) == HIGHEST_PRIORITY for said in (*note.pieces, piece))
    return apart and not grave
