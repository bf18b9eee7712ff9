"""Notes of the selected sentences: groups, their text, and the state of the work at the end."""

from collections.abc import Iterator, Sequence
from datetime import timedelta, tzinfo
from itertools import groupby, pairwise
from typing import Final

from remembrancer.language.cues import priority_of
from remembrancer.learn.observe.candidates import Candidate
from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Trust

# Limits of a note: the messages that it spans, the time since its first one, and its tokens.
REACH: Final = 4
LONGEST_PAUSE: Final = timedelta(hours=1)
LONGEST_NOTE: Final = 120
# The sentences of one message are split only above this length.
LONGEST_TURN: Final = 200
_KINDS: Final = ("decision", "preference")


def group(kept: Sequence[Candidate], messages: Sequence[Message], zone: tzinfo) -> list[list[Candidate]]:
    """Return the kept candidates as notes: an answer with its question, a message as a whole.

    Args:
        kept: in order.
        zone: of the days: a note has one day.
    """
    notes: list[list[Candidate]] = []
    for turn in _by_message(kept):
        if notes and _joins(turn, notes[-1], messages, zone):
            notes[-1] += turn
        else:
            notes.append(turn)
    return notes


def priority(piece: Candidate, message: Message) -> int:
    """Return the priority of a sentence, 1 to 5."""
    return priority_of(
        piece.marks,
        by_person=message.trust is Trust.TRUSTED and (message.role is Role.USER or bool(message.speaker)),
        dated=bool(piece.refers_to),
        figures=any(term.kind in ("number", "name") for term in piece.terms),
    )


def _by_message(kept: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    for _, run in groupby(kept, key=lambda piece: piece.message):
        turn: list[Candidate] = []
        for piece in run:
            if turn and _size(turn) + piece.tokens > LONGEST_TURN:
                yield turn
                turn = []
            turn.append(piece)
        yield turn


def _joins(turn: Sequence[Candidate], note: Sequence[Candidate], messages: Sequence[Message], zone: tzinfo) -> bool:
    first, last, new = messages[note[0].message], messages[note[-1].message], messages[turn[0].message]
    if (new.trust, new.classification) != (last.trust, last.classification):
        return False
    if turn[0].answers and turn[0].message - note[-1].message == 1:
        return True
    note_kinds, turn_kinds = _kinds(note), _kinds(turn)
    if note_kinds and turn_kinds and note_kinds != turn_kinds:
        return False
    near = turn[0].message - note[0].message <= REACH and new.occurred_at - first.occurred_at <= LONGEST_PAUSE
    in_a_day = new.occurred_at.astimezone(zone).date() == first.occurred_at.astimezone(zone).date()
    return near and in_a_day and note[-1].message != turn[0].message and _size(note) + _size(turn) <= LONGEST_NOTE


def _kinds(candidates: Sequence[Candidate]) -> set[str]:
    """Return the cues that decide the type of a note: a decision does not hide a preference."""
    stated = [piece.marks for piece in candidates if not piece.marks.asks]
    return {cue for cue in _KINDS if any(marked.has(cue) for marked in stated)}


def _size(candidates: Sequence[Candidate]) -> int:
    return sum(piece.tokens for piece in candidates)


# The mark of left-out sentences.
GAP: Final = "[…]"


def note_text(group: Sequence[Candidate], speakers: Sequence[str]) -> str:
    """Return the text of a note, a line for each speaker: `Ana: I moved.`, `The assistant listed: tents.`.

    Args:
        speakers: the speaker of each message of the run.
    """
    turns = groupby(group, key=lambda piece: speakers[piece.message])
    return "\n".join(_turn(speaker, list(run)) for speaker, run in turns)


def _turn(speaker: str, pieces: Sequence[Candidate]) -> str:
    parts: list[str] = []
    for listed, run in groupby(pieces, key=lambda piece: piece.listed):
        texts = _with_gaps(list(run))
        parts.append(f"Listed: {'; '.join(texts)}." if listed else " ".join(texts))
    if pieces[0].listed:
        return " ".join((speaker, parts[0][0].lower() + parts[0][1:], *parts[1:]))
    return f"{speaker}: {' '.join(parts)}"


def _with_gaps(run: Sequence[Candidate]) -> list[str]:
    """Return the texts of sentences, with a mark where part of the same message is left out."""
    texts = [run[0].text]
    for before, piece in pairwise(run):
        if before.message == piece.message and piece.place > before.place + 1:
            texts.append(GAP)
        texts.append(piece.text)
    return texts


LONGEST_STATE = 300


def task_of(candidates: Sequence[Candidate], messages: Sequence[Message], speakers: Sequence[str]) -> str:
    """Return the last question or request of a user, and if it was answered; `""` without one."""
    wanted = (
        piece
        for piece in reversed(candidates)
        if _is_of_user(messages[piece.message]) and (piece.marks.asks or piece.marks.has("request"))
    )
    found = next(wanted, None)
    if found is None:
        return ""
    answered = any(message.role is Role.ASSISTANT for message in messages[found.message + 1 :])
    return f"{speakers[found.message]} asked: {found.text[:LONGEST_STATE]} ({'answered' if answered else 'still open'})"


def _is_of_user(message: Message) -> bool:
    """Return True for a user's own words, not a quotation."""
    return message.role is Role.USER and message.trust is Trust.TRUSTED


def suggestion_of(candidates: Sequence[Candidate], messages: Sequence[Message], speakers: Sequence[str]) -> str:
    """Return the assistant's last unanswered question; `""` for none."""
    if not messages or messages[-1].role is not Role.ASSISTANT:
        return ""
    last = len(messages) - 1
    found = next((piece for piece in reversed(candidates) if piece.message == last and piece.marks.asks), None)
    return f"An answer to {speakers[last]} is awaited: {found.text[:LONGEST_STATE]}" if found is not None else ""
