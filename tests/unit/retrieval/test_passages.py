"""How a long text is cut for an encoder, and what stands before it."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.passages import PASSAGE_CHARACTERS, heading, passages

WORDS = st.lists(
    st.sampled_from(["a", "word", "sentence. ", "end!\n", "\n\n", "長い文。", "x" * 90, "y" * 700, "  "]), max_size=80
)
TEXT = st.tuples(WORDS, st.sampled_from([" ", "", "\n"])).map(lambda made: made[1].join(made[0]))


def covered(text: str, pieces: list[str]) -> bool:
    """Whether the pieces, laid over the text in order, leave nothing of it bare but spaces."""
    start = reached = 0
    for piece in pieces:
        found = text.find(piece, start)
        # The same words may stand there twice: the last place that leaves no gap is where the piece was cut.
        while found >= 0 and (later := text.find(piece, found + 1)) >= 0 and not text[reached:later].strip():
            found = later
        if found < 0 or text[reached:found].strip():
            return False
        start, reached = found + 1, max(reached, found + len(piece))
    return not text[reached:].strip()


@given(text=TEXT)
def test_the_pieces_cover_the_text_in_order(text: str) -> None:
    assert covered(text, [piece for piece in passages(text) if piece])


@given(text=st.text("ab .\n", max_size=2_000))
def test_the_pieces_of_any_text_cover_it(text: str) -> None:
    pieces = passages(text)
    letters = "".join(text.split())
    joined = ["".join(piece.split()) for piece in pieces]
    assert joined == [""] if not letters else all(piece in letters for piece in joined)
    assert sum(map(len, joined)) >= len(letters)


@given(text=TEXT, name=st.sampled_from(["", "Ana"]))
def test_each_passage_names_the_speaker_and_is_no_longer_than_an_encoder_takes(text: str, name: str) -> None:
    found = passages(text, name=name)
    assert all(passage.startswith(f"{name}:" if name else "") for passage in found)
    assert all(len(passage) <= PASSAGE_CHARACTERS + len(f"{name}: ") for passage in found)
    assert all(passage.strip() for passage in found) or not (text.strip() or name)


@given(text=TEXT)
def test_only_the_first_passage_carries_what_was_said_before(text: str) -> None:
    alone, followed = passages(text, name="Ana"), passages(text, name="Ana", before="Bo: Where to?")
    assert followed == [f"Bo: Where to?\n{alone[0]}", *alone[1:]]


@given(text=st.text(max_size=PASSAGE_CHARACTERS))
def test_a_short_text_is_one_passage(text: str) -> None:
    assert passages(text, name="Ana") == [f"Ana: {text.strip()}" if text.strip() else "Ana:"]


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_the_number_of_pieces_grows_no_faster_than_the_text(length: int) -> None:
    for text in ("x" * length, "word " * (length // 5), "長" * length):
        assert len(passages(text)) <= length / (PASSAGE_CHARACTERS / 2 - 64) + 1


def test_a_text_is_cut_where_a_paragraph_ends() -> None:
    first, second = "a sentence of some length. " * 24, "another one follows here. " * 24
    pieces = passages(f"{first.strip()}\n\n{second.strip()}")
    assert pieces[0] == first.strip()


def test_a_piece_repeats_the_end_of_the_one_before_it() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    pieces = passages(text)
    for earlier, later in pairwise(pieces):
        overlap = next(size for size in range(len(later), -1, -1) if earlier.endswith(later[:size]))
        assert 40 <= overlap <= 64


@pytest.mark.parametrize(("speaker", "front"), [("Ana", "[8 May 2023] Ana: "), ("", "[8 May 2023] ")])
def test_a_heading_names_the_day_and_the_speaker_if_there_is_one(speaker: str, front: str) -> None:
    assert heading(speaker=speaker, occurred_at=datetime(2023, 5, 8, 23, 59, tzinfo=UTC)) == front
