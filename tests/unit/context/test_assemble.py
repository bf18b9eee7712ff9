"""A log that is too long for its window: no more of it is left out than has no room."""

from datetime import UTC, datetime, timedelta

from remembrancer.context.assemble import Block, ItemBuilder, Sources, assemble
from remembrancer.context.formats import Format, render
from remembrancer.context.slots import Slot, Slots
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Kind
from remembrancer.types.results import ContextLine

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOTES = 60
FREE = Slots().free


def words(text: str) -> int:
    return len(text.split())


def noted(number: int) -> tuple[Chunk, ContextLine]:
    """One message, with one short note of it, that was activated by itself."""
    at = NOW + timedelta(minutes=number)
    chunk = Chunk(
        session="talk",
        first=number,
        last=number,
        state=ChunkState.ACTIVE,
        tokens=5,
        noted=5,
        place=2 * number,
        engine="test",
        observed_at=at,
        activated_at=at,
    )
    line = ContextLine(
        id=f"note {number}",
        kind=Kind.OBSERVATION,
        session="talk",
        text=f"boat{number} was sold",
        occurred_at=at,
        number=number,
        last=number,
        role="",
        speaker="",
        priority=1 + number % 3,
        refers_to="",
        place=number,
    )
    return chunk, line


def block_of(window: int) -> Block:
    chunks, log = zip(*(noted(number) for number in range(1, NOTES + 1)), strict=True)
    return assemble(
        Sources(log=log, chunks=chunks, uncovered=[("talk", 1)]),
        ItemBuilder(
            count=words,
            counts=lambda texts: [words(text) for text in texts],
            # As long as a real seal.
            seal=lambda text: f"<{'seal ' * 30}>\n{text}\n</memory-block>",
            now=NOW,
            zone=UTC,
        ),
        slots=Slots(),
        window=FREE + window,
        size=lambda block: words(render(block, Format.MARKDOWN).text),
    )


def test_sections_become_one_before_any_note_is_left_out() -> None:
    assert render(block_of(5_000), Format.MARKDOWN).text.count("Notes on earlier messages") == NOTES
    joined = block_of(1_000)
    assert render(joined, Format.MARKDOWN).text.count("Notes on earlier messages") == 1
    assert joined.dropped == {}


def test_of_what_has_no_room_the_least_important_goes_first_and_the_block_is_full() -> None:
    block = block_of(400)
    left = set(block.dropped[Slot.OBSERVATIONS])
    assert 350 < words(render(block, Format.MARKDOWN).text) <= 400
    assert 10 < len(left) < NOTES
    least = {f"note {number}" for number in range(1, NOTES + 1) if number % 3 == 0}
    assert least <= left or left <= least
    assert "note 59" not in left
