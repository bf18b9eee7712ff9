"""Orders to an agent are told from harmless words of tools."""

import time

import pytest

from bench.hostile.harmless import harmless
from remembrancer.governance.quarantine import reads_as_order
from tests.unit.governance.orders import AFTERWARDS, MORE, TUNING


@pytest.mark.parametrize("text", [*TUNING, *MORE, *AFTERWARDS])
def test_an_order_is_told(text: str) -> None:
    assert reads_as_order(text)
    assert reads_as_order(f"Total: 12 items.\n\n{text}\n\nSee also the appendix.")


def test_of_a_thousand_harmless_words_of_tools_at_most_two_in_a_hundred_are_taken_for_orders() -> None:
    assert sum(map(reads_as_order, harmless(1_000, seed=1))) <= 20


@pytest.mark.parametrize(
    "piece",
    [
        "ignore ",
        "do not ",
        "you are now ",
        "a",
        " ",
        "instructions ",
        "show your ",
        "new instructions ",
        "忽略",
        "не говори ",
        "<|",
        "\u200b",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (250_000 // len(piece))
    started = time.perf_counter()
    reads_as_order(text)
    # A quadratic scan of this much takes minutes; the slack is for a busy machine.
    assert time.perf_counter() - started < 10
