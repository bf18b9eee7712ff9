"""Stems are the same in every thread, however many stem at once."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from remembrancer.language.stems import stem

WORDS = [
    f"{start}{end}" for start in ("connect", "nation", "relat", "generaliz") for end in ("ional", "ations", "ing", "ed")
]


@pytest.fixture(autouse=True)
def _changing_threads_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_that_stem_at_once_get_the_stems_of_one_that_is_alone() -> None:
    alone = [stem(word, "english") for word in WORDS]

    def stemmed(_: int) -> list[str]:
        return [stem(word, "english") for word in WORDS * 20]

    with ThreadPoolExecutor(4) as threads:
        assert all(found == alone * 20 for found in threads.map(stemmed, range(8)))
