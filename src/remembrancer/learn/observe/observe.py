"""The deterministic observer: a run of messages in, its notes out, without a language model."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo

from remembrancer.language.detection import ENGLISH
from remembrancer.language.marks import marks, type_of
from remembrancer.language.sentences import Form, sentences
from remembrancer.language.terms import language, tells, terms
from remembrancer.learn.observe.appeal import appeal, voice
from remembrancer.learn.observe.choice import chosen
from remembrancer.learn.observe.grouping import grouped, priority
from remembrancer.learn.observe.pieces import Piece, pieces, tongues
from remembrancer.learn.observe.repeats import Stems, stems, without_repeats
from remembrancer.learn.observe.state import suggestion_of, task_of
from remembrancer.learn.observe.wording import worded
from remembrancer.learn.observe.worth import KEPT, worth
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ChunkNotes, Note
from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Trust
from remembrancer.types.text import estimate

# Tokens in over tokens out, by the estimate, where the claims that were made do not take more.
TARGET = 4.0
# What claims may have of those tokens, beyond what people state.
MOST = 0.9
LEAST_BUDGET = 40
# Of a run of so few tokens all is kept that people state.
SHORT = 150
# A longer message of a person is mostly pasted in, and its sentences are chosen one by one.
LONG_MESSAGE = 300
LONGEST_NAME = 60


def observe(
    messages: Sequence[Message],
    *,
    zone: tzinfo,
    types: Mapping[str, float] = OBSERVATION_TYPES,
    target: float = TARGET,
    noted: Sequence[str] = (),
) -> ChunkNotes:
    """The notes of a run of messages of one session; the same run after the same notes gives the same, to the byte.

    There is at least one unless nothing was said at all.

    Args:
        messages: in the order of their numbers.
        zone: whose "yesterday" is meant.
        types: the observation types of the deployment.
        target: tokens in over tokens out to aim at, at least 1; claims that must be kept may take more.
        noted: what was noted of the session before, the oldest first.
    """
    spoken = tongues(messages)
    before = _said_in(noted, spoken)
    found, again = without_repeats(pieces(messages, zone, spoken), noted=[said for _, said in before])
    speakers = [speaker(message) for message in messages]
    sizes = [estimate(message.text) for message in messages]
    budget = max(LEAST_BUDGET, int(sum(sizes) / target))
    groups = grouped(_kept(found, messages, speakers, sizes, budget), messages, zone)
    return ChunkNotes(
        notes=tuple(_note(group, messages, speakers, types) for group in groups),
        task=task_of(found, messages, speakers),
        suggestion=suggestion_of(found, messages, speakers),
        again=tuple(dict.fromkeys((before[at][0], messages[message].number) for at, message in again)),
    )


def _said_in(noted: Sequence[str], spoken: Sequence[str]) -> list[tuple[int, Stems]]:
    """The statements of notes, each with the place of its note, as `without_repeats` compares them."""
    otherwise = spoken[0] if spoken else ENGLISH
    said = list[tuple[int, Stems]]()
    for place, note in enumerate(noted):
        tongue = language(note, otherwise=otherwise)
        for turn in note.splitlines():
            said += ((place, stems(terms(sentence, tongue))) for sentence in sentences(turn.partition(": ")[2] or turn))
    return said


def speaker(message: Message) -> str:
    """Who said a message, as a note names them."""
    return " ".join(message.speaker.split())[:LONGEST_NAME] or f"The {message.role.value}"


def _kept(
    found: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str], sizes: Sequence[int], budget: int
) -> list[Piece]:
    """The pieces that are kept: what must be, then the best of the rest as far as the budget goes."""
    voices = [voice(message) for message in messages]
    appeals = [appeal(piece, voices[piece.message], sizes[piece.message]) for piece in found]
    prefixes = [estimate(f"{name}: ") for name in speakers]
    taken = _claims(found, messages, prefixes, sizes)
    kept = chosen(found, budget, appeals=appeals, prefixes=prefixes, taken=taken)
    if not kept and found:
        # Something is noted of whatever was said.
        kept = [found[max(range(len(found)), key=lambda at: (appeals[at], -at))]]
    return _headed(kept, found)


def _headed(kept: Sequence[Piece], found: Sequence[Piece]) -> list[Piece]:
    """The kept pieces, each behind the heading under which it stands in its message."""
    told = {(piece.message, piece.place) for piece in kept}
    headed: list[Piece] = []
    heading: Piece | None = None
    for piece in found:
        if piece.form is Form.HEADING:
            heading = piece
        if (piece.message, piece.place) not in told:
            continue
        if heading is not None and heading is not piece and heading.message == piece.message:
            headed.append(heading)
        heading = None
        headed.append(piece)
    return headed


def _claims(
    found: Sequence[Piece], messages: Sequence[Message], prefixes: Sequence[int], sizes: Sequence[int]
) -> frozenset[int]:
    """Places of the pieces that are kept whatever they cost: what people state, then what is likeliest wanted."""
    worths = [worth(piece, messages[piece.message]) for piece in found]
    size = sum(sizes)
    taken = _stated(found, messages, worths, sizes, everything=size <= SHORT)
    spent = sum(found[at].tokens + prefixes[found[at].message] for at in taken)
    for at in sorted(range(len(found)), key=lambda at: (-worths[at], at)):
        cost = found[at].tokens + prefixes[found[at].message]
        if worths[at] >= KEPT and at not in taken and spent + cost <= size * MOST:
            spent += cost
            taken.add(at)
    return frozenset(taken)


def _stated(
    found: Sequence[Piece],
    messages: Sequence[Message],
    worths: Sequence[float],
    sizes: Sequence[int],
    *,
    everything: bool,
) -> set[int]:
    """Places of what people state in messages that hold something worth keeping, with the questions it belongs to.

    The sentences of a message lean on each other, so they stay together; what only reacts to others is left out.

    Args:
        everything: whether all of their messages are worth keeping.
    """
    by_person = [
        message.role is Role.USER and size <= LONG_MESSAGE for message, size in zip(messages, sizes, strict=True)
    ]
    worthy = {piece.message for piece, value in zip(found, worths, strict=True) if everything or value >= KEPT}
    told = {
        at
        for at, piece in enumerate(found)
        if by_person[piece.message]
        and piece.message in worthy
        and (tells(piece.terms) or piece.marks.has("outcome"))
        and (worths[at] >= KEPT or not piece.marks.has("reaction"))
    }
    stating = {found[at].message for at in told if not found[at].marks.asks}
    alone = {
        at for at in told if found[at].marks.asks and stating.isdisjoint({found[at].message, found[at].message + 1})
    }
    return told - alone | _answered(found)


def _answered(found: Sequence[Piece]) -> set[int]:
    """Places of answers that say nothing without their question, and of that question; of small talk none."""
    places = set[int]()
    for at, piece in enumerate(found):
        asked = found[at - 1] if at else piece
        if piece.answers and asked.message == piece.message - 1 and (tells(asked.terms) or tells(piece.terms)):
            places |= {at - 1, at}
    return places


def _note(
    group: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str], types: Mapping[str, float]
) -> Note:
    message = messages[group[0].message]
    trusted = message.trust is Trust.TRUSTED
    foremost = max(group, key=lambda piece: (priority(piece, messages[piece.message]), -piece.message, -piece.place))
    places = {at for piece in group for at in (piece.message, piece.last)}
    numbers = {messages[at].number for at in places if messages[at].trust is message.trust}
    return Note(
        text=worded(group, speakers),
        # Nobody wants, likes or decides what is only quoted.
        type=type_of(foremost.marks if trusted else marks(""), types),
        priority=priority(foremost, messages[foremost.message]),
        observed_at=message.occurred_at.astimezone(UTC),
        refers_to=next((piece.refers_to for piece in group if piece.refers_to), ""),
        first=messages[group[0].message].number,
        last=max(numbers),
        messages=tuple(sorted(numbers)),
        quoted=not trusted,
    )
