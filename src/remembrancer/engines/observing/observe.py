"""The deterministic observer: a run of messages in, its notes out, without a language model."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import groupby

from remembrancer.engines.observing.choice import chosen
from remembrancer.engines.observing.marks import priority_of, type_of
from remembrancer.engines.observing.pieces import Piece, pieces
from remembrancer.engines.observing.repeats import without_repeats
from remembrancer.engines.observing.state import suggestion_of, task_of
from remembrancer.model.notes import Note, Notes
from remembrancer.model.observation_types import OBSERVATION_TYPES
from remembrancer.model.record import Message, Role
from remembrancer.model.tokens import estimate

TARGET = 6.0
# A run of so few tokens may be told again whole.
SHORT = 200
LEAST_BUDGET = 24


def observe(
    messages: Sequence[Message],
    *,
    zone: tzinfo,
    types: Mapping[str, float] = OBSERVATION_TYPES,
    target: float = TARGET,
) -> Notes:
    """The notes of a run of messages of one session; the same run gives the same notes, to the byte.

    Args:
        messages: in the order of their numbers.
        zone: whose "yesterday" is meant.
        types: the observation types of the deployment.
        target: tokens in over tokens out to aim at; at least 1.
    """
    found = without_repeats(pieces(messages, zone))
    budget = max(LEAST_BUDGET, int(sum(estimate(message.text) for message in messages) / target))
    speakers = [speaker(message) for message in messages]
    kept = chosen(
        found,
        budget,
        prefixes=[estimate(f"{name}: ") for name in speakers],
        assistants=[message.role is not Role.USER and not message.speaker for message in messages],
    )
    notes = tuple(
        _note(list(group), messages, types) for _, group in groupby(kept or found[:1], key=lambda piece: piece.message)
    )
    return Notes(
        notes=notes, task=task_of(found, messages, speakers), suggestion=suggestion_of(found, messages, speakers)
    )


def speaker(message: Message) -> str:
    """Who said a message, as a note names them."""
    return message.speaker.strip() or f"The {message.role.value}"


def _note(group: list[Piece], messages: Sequence[Message], types: Mapping[str, float]) -> Note:
    message = messages[group[0].message]
    by_person = message.role is Role.USER or bool(message.speaker)
    ranked = [(_priority(piece, by_person=by_person), piece) for piece in group]
    foremost = max(ranked, key=lambda entry: (entry[0], -entry[1].place))[1]
    return Note(
        text=f"{speaker(message)}: {' '.join(piece.text for piece in group)}",
        type=type_of(foremost.marks, types),
        priority=max(priority for priority, _ in ranked),
        observed_at=message.occurred_at.astimezone(UTC),
        refers_to=next((piece.refers_to for piece in group if piece.refers_to), ""),
        first=message.number,
        last=max(messages[piece.last].number for piece in group),
    )


def _priority(piece: Piece, *, by_person: bool) -> int:
    figures = any(term.kind in ("number", "name") for term in piece.terms)
    return priority_of(piece.marks, by_person=by_person, dated=bool(piece.refers_to), figures=figures)
