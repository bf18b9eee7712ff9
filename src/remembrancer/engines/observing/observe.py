"""The deterministic observer: a run of messages in, its notes out, without a language model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from remembrancer.engines.observing.appeal import appeal, voice
from remembrancer.engines.observing.choice import chosen
from remembrancer.engines.observing.grouping import grouped, priority
from remembrancer.engines.observing.marks import type_of
from remembrancer.engines.observing.pieces import Piece, pieces, tongues
from remembrancer.engines.observing.repeats import Stems, stems, without_repeats
from remembrancer.engines.observing.sentences import sentences
from remembrancer.engines.observing.state import suggestion_of, task_of
from remembrancer.engines.observing.terms import language, tells, terms
from remembrancer.engines.observing.wording import worded
from remembrancer.engines.observing.worth import KEPT, KEPT_RULE, is_rule, worth
from remembrancer.language.detection import ENGLISH
from remembrancer.model.notes import Note, Notes
from remembrancer.model.observation_types import OBSERVATION_TYPES
from remembrancer.model.record import Message, Role
from remembrancer.model.tokens import estimate

# Tokens in over tokens out, by the estimate, where the claims that were made do not take more.
TARGET = 4.0
# What claims may have of the tokens of what they are of; rules and decisions are kept beyond that, up to the second.
MOST, MOST_OF_RULES = 0.9, 1.0
LEAST_BUDGET = 40
# Of a run of so few tokens all is kept that people state.
SHORT = 150
LONGEST_NAME = 60


def observe(
    messages: Sequence[Message],
    *,
    zone: tzinfo,
    types: Mapping[str, float] = OBSERVATION_TYPES,
    target: float = TARGET,
    noted: Sequence[str] = (),
) -> Notes:
    """The notes of a run of messages of one session; the same run after the same notes gives the same, to the byte.

    There is at least one unless nothing was said at all.

    Args:
        messages: in the order of their numbers.
        zone: whose days are meant, of a note and by "yesterday".
        types: the observation types of the deployment.
        target: tokens in over tokens out to aim at, at least 1; claims that must be kept may take more.
        noted: what was noted of the session before, the oldest first.
    """
    spoken = tongues(messages)
    found = without_repeats(pieces(messages, zone, spoken), noted=_said_in(noted, spoken))
    speakers = [speaker(message) for message in messages]
    size = sum(estimate(message.text) for message in messages)
    groups = _within(found, messages, speakers, zone, max(LEAST_BUDGET, int(size / target)))
    return Notes(
        notes=tuple(_note(group, messages, speakers, types) for group in groups),
        task=task_of(found, messages, speakers),
        suggestion=suggestion_of(found, messages, speakers),
    )


def _said_in(noted: Sequence[str], spoken: Sequence[str]) -> list[Stems]:
    """The statements of notes, as `without_repeats` compares them."""
    otherwise = spoken[0] if spoken else ENGLISH
    said = list[Stems]()
    for note in noted:
        tongue = language(note, otherwise=otherwise)
        text = note.partition(": ")[2] or note
        said += (stems(terms(sentence, tongue)) for sentence in sentences(text))
    return said


def speaker(message: Message) -> str:
    """Who said a message, as a note names them."""
    return " ".join(message.speaker.split())[:LONGEST_NAME] or f"The {message.role.value}"


def _within(
    found: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str], zone: tzinfo, budget: int
) -> list[list[Piece]]:
    """What is kept, grouped into notes: chosen once more with the tokens that grouping saved, if it still fits."""
    voices = [voice(message) for message in messages]
    sizes = [estimate(message.text) for message in messages]
    appeals = [appeal(piece, voices[piece.message], sizes[piece.message]) for piece in found]
    prefixes = [estimate(f"{name}: ") for name in speakers]
    taken = _claims(found, messages, prefixes, sum(sizes))
    some = chosen(found, budget, appeals=appeals, prefixes=prefixes, taken=taken)
    best = grouped(some, messages, speakers, zone)
    spent = sum(_size(group, prefixes) for group in best)
    if best and spent < budget:
        some = chosen(found, 2 * budget - spent, appeals=appeals, prefixes=prefixes, taken=taken)
        more = grouped(some, messages, speakers, zone)
        if sum(_size(group, prefixes) for group in more) <= budget:
            return more
    return best or ([[_foremost(found, appeals, budget)]] if found else [])


def _claims(found: Sequence[Piece], messages: Sequence[Message], prefixes: Sequence[int], size: int) -> frozenset[int]:
    """Places of the pieces that are kept whatever they cost: rules and decisions, then what is likeliest wanted."""
    rules = {at for at, piece in enumerate(found) if is_rule(piece, messages[piece.message])}
    worths = [worth(piece, messages[piece.message]) for piece in found]
    told = {at for at, piece in enumerate(found) if size <= SHORT and _states(piece, messages[piece.message])}
    claims = [at for at, value in enumerate(worths) if at in told or value >= (KEPT_RULE if at in rules else KEPT)]
    claims.sort(key=lambda at: (at not in rules, -worths[at], at))
    taken: set[int] = set()
    spent = 0
    for at in claims:
        cost = found[at].tokens + prefixes[found[at].message]
        if at in told or spent + cost <= size * (MOST_OF_RULES if at in rules else MOST):
            spent += cost
            taken.add(at)
    return frozenset(taken)


def _states(piece: Piece, message: Message) -> bool:
    """Whether a person says something in a piece that is no question and no small talk."""
    return message.role is Role.USER and not piece.marks.asks and tells(piece.terms)


def _size(group: Sequence[Piece], prefixes: Sequence[int]) -> int:
    return prefixes[group[0].message] + sum(piece.tokens + 1 for piece in group)


def _foremost(found: Sequence[Piece], appeals: Sequence[float], budget: int) -> Piece:
    """The one piece that is kept where none says enough or none fits, cut to what there is room for."""
    piece = found[max(range(len(found)), key=lambda at: (appeals[at], -at))]
    if piece.tokens <= budget:
        return piece
    return replace(piece, text=f"{piece.text[: budget // 2].rstrip()}…")


def _note(
    group: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str], types: Mapping[str, float]
) -> Note:
    message = messages[group[0].message]
    foremost = max(group, key=lambda piece: (priority(piece, messages[piece.message]), -piece.message, -piece.place))
    return Note(
        text=worded(speakers[group[0].message], group),
        type=type_of(foremost.marks, types),
        priority=priority(foremost, messages[foremost.message]),
        observed_at=message.occurred_at.astimezone(UTC),
        refers_to=next((piece.refers_to for piece in group if piece.refers_to), ""),
        first=messages[min(piece.first for piece in group)].number,
        last=max(messages[piece.last].number for piece in group),
    )
