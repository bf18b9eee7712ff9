"""The deterministic observer: a run of messages in, its notes out, without a language model."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo

from remembrancer.language.cues import marks, type_of
from remembrancer.language.sentences import LineForm, sentences
from remembrancer.language.terms import has_content, language, terms
from remembrancer.language.words import ENGLISH
from remembrancer.learn.observe.candidates import Candidate, candidates, languages_of
from remembrancer.learn.observe.notes import group, note_text, priority, suggestion_of, task_of
from remembrancer.learn.observe.repeats import Stems, stems, without_repeats
from remembrancer.learn.observe.salience import KEEP_THRESHOLD, keep_score, salience, speaker_role
from remembrancer.learn.observe.selection import select
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ChunkNotes, Note
from remembrancer.types.record import Message, Role, Source
from remembrancer.types.scope import Scope, Trust
from remembrancer.types.text import estimate

# The target of tokens in over tokens out, by the estimate, unless the claims need more.
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
    """Return the notes of a run of messages of one session.

    The notes depend on the input alone, to the byte. There is at least one, unless all messages are empty.

    Args:
        messages: in the order of their numbers.
        zone: of words like "yesterday".
        types: the observation types of the deployment.
        target: tokens in over tokens out to aim at, at least 1; claims that must be kept may need more.
        noted: the earlier notes of the session, the oldest first.
    """
    spoken = languages_of(messages)
    before = _statements_in(noted, spoken)
    found, again = without_repeats(candidates(messages, zone, spoken), noted=[one for _, one in before])
    speakers = [speaker(message) for message in messages]
    sizes = [estimate(message.text) for message in messages]
    budget = max(LEAST_BUDGET, int(sum(sizes) / target))
    groups = group(_kept(found, messages, speakers, sizes, budget), messages, zone)
    return ChunkNotes(
        notes=tuple(_note(group, messages, speakers, types) for group in groups),
        task=task_of(found, messages, speakers),
        suggestion=suggestion_of(found, messages, speakers),
        again=tuple(dict.fromkeys((before[at][0], messages[message].number) for at, message in again)),
    )


def _statements_in(noted: Sequence[str], spoken: Sequence[str]) -> list[tuple[int, Stems]]:
    """Return the statements of notes, each with the place of its note, as `without_repeats` compares them."""
    otherwise = spoken[0] if spoken else ENGLISH
    statements = list[tuple[int, Stems]]()
    for place, note in enumerate(noted):
        tongue = language(note, otherwise=otherwise)
        for turn in note.splitlines():
            statements += (
                (place, stems(terms(sentence, tongue))) for sentence in sentences(turn.partition(": ")[2] or turn)
            )
    return statements


def speaker(message: Message) -> str:
    """Return the name of a message's speaker in notes."""
    return " ".join(message.speaker.split())[:LONGEST_NAME] or f"The {message.role.value}"


def _kept(
    found: Sequence[Candidate], messages: Sequence[Message], speakers: Sequence[str], sizes: Sequence[int], budget: int
) -> list[Candidate]:
    """Return the candidates to keep: the necessary ones, then the best of the rest within the budget."""
    voices = [speaker_role(message) for message in messages]
    appeals = [salience(piece, voices[piece.message], sizes[piece.message]) for piece in found]
    prefixes = [estimate(f"{name}: ") for name in speakers]
    required = _claims(found, messages, prefixes, sizes)
    kept = select(found, budget, appeals=appeals, prefixes=prefixes, required=required)
    if not kept and found:
        # Each run has a note.
        kept = [found[max(range(len(found)), key=lambda at: (appeals[at], -at))]]
    return _headed(kept, found)


def _headed(kept: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Return the kept candidates, each after its heading."""
    in_place = {(piece.message, piece.place) for piece in kept}
    headed: list[Candidate] = []
    heading: Candidate | None = None
    for piece in found:
        if piece.form is LineForm.HEADING:
            heading = piece
        if (piece.message, piece.place) not in in_place:
            continue
        if heading is not None and heading is not piece and heading.message == piece.message:
            headed.append(heading)
        heading = None
        headed.append(piece)
    return headed


def _claims(
    found: Sequence[Candidate], messages: Sequence[Message], prefixes: Sequence[int], sizes: Sequence[int]
) -> frozenset[int]:
    """Return the places of candidates to keep at any cost: statements of people, then the highest scores."""
    worths = [keep_score(piece, messages[piece.message]) for piece in found]
    size = sum(sizes)
    required = _stated(found, messages, worths, sizes, everything=size <= SHORT)
    spent = sum(found[at].tokens + prefixes[found[at].message] for at in required)
    for at in sorted(range(len(found)), key=lambda at: (-worths[at], at)):
        cost = found[at].tokens + prefixes[found[at].message]
        if worths[at] >= KEEP_THRESHOLD and at not in required and spent + cost <= size * MOST:
            spent += cost
            required.add(at)
    return frozenset(required)


def _stated(
    found: Sequence[Candidate],
    messages: Sequence[Message],
    worths: Sequence[float],
    sizes: Sequence[int],
    *,
    everything: bool,
) -> set[int]:
    """Return the places of people's statements in messages worth keeping, and of their questions.

    The sentences of a message depend on each other, so they stay together; mere reactions are left out.

    Args:
        everything: True if all of their messages are worth keeping.
    """
    by_person = [
        message.role is Role.USER and size <= LONG_MESSAGE for message, size in zip(messages, sizes, strict=True)
    ]
    worthy = {
        piece.message for piece, value in zip(found, worths, strict=True) if everything or value >= KEEP_THRESHOLD
    }
    return {
        at
        for at, piece in enumerate(found)
        if by_person[piece.message]
        and piece.message in worthy
        and (has_content(piece.terms) or piece.marks.has("outcome"))
        and (worths[at] >= KEEP_THRESHOLD or not piece.marks.has("reaction"))
    } | _answered(found)


def _answered(found: Sequence[Candidate]) -> set[int]:
    """Return places of answers without a meaning of their own, and of their questions; none for small talk."""
    places = set[int]()
    for at, piece in enumerate(found):
        asked = found[at - 1] if at else piece
        if (
            piece.answers
            and asked.message == piece.message - 1
            and (has_content(asked.terms) or has_content(piece.terms))
        ):
            places |= {at - 1, at}
    return places


def _note(
    group: Sequence[Candidate], messages: Sequence[Message], speakers: Sequence[str], types: Mapping[str, float]
) -> Note:
    message = messages[group[0].message]
    trusted = message.trust is Trust.TRUSTED
    main = max(group, key=lambda piece: (priority(piece, messages[piece.message]), -piece.message, -piece.place))
    places = {at for piece in group for at in (piece.message, piece.last)}
    numbers = {messages[at].number for at in places if messages[at].trust is message.trust}
    return Note(
        text=note_text(group, speakers),
        # A quotation is not the speaker's wish, preference or decision.
        type=type_of(main.marks if trusted else marks(""), types),
        priority=priority(main, messages[main.message]),
        observed_at=message.occurred_at.astimezone(UTC),
        refers_to=next((piece.refers_to for piece in group if piece.refers_to), ""),
        first=messages[group[0].message].number,
        last=max(numbers),
        messages=tuple(sorted(numbers)),
        quoted=not trusted,
    )


# Of about so many tokens: three sentences.
SHORT_TEXT = 120


def in_short(texts: Sequence[str], *, now: datetime, zone: tzinfo) -> str:
    """Return the notes of some texts as one text, in order; `""` for none.

    Args:
        now: the time of the texts, for words like "yesterday".
        zone: of the days.
    """
    messages = [_as_message(text, number, now) for number, text in enumerate(texts, 1) if text.strip()]
    if not messages:
        return ""
    size = sum(estimate(message.text) for message in messages)
    notes = observe(messages, zone=zone, target=max(1.0, size / SHORT_TEXT)).notes
    return " ".join(" ".join(note.text.removeprefix(f"{speaker(messages[0])}: ").split()) for note in notes)


def _as_message(text: str, number: int, now: datetime) -> Message:
    return Message(
        id=str(number),
        scope=Scope(),
        session=None,
        text=text,
        hash="",
        author="",
        source=Source.TOOL,
        occurred_at=now,
        recorded_at=now,
        updated_at=now,
        number=number,
        role=Role.ASSISTANT,
    )
