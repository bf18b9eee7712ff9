"""Telling a loop from what may well repeat itself."""

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.learn.llm.checks import repeats_endlessly
from tests.rows import each_row

TABLE = "\n".join(
    f"| 2026-03-{day:02} | Dana | {day * 37 % 101} kWh | {day * 53 % 89} EUR | paid |" for day in range(1, 29)
)
SHOPPING = "\n".join(f"- {amount} g of flour, sieved" for amount in range(100, 2_000, 50))
CODE = "\n".join(
    f"def test_{name}(store: Store) -> None:\n    with pytest.raises(NotFound):\n        store.get({name!r})\n"
    for name in ("message", "episode", "observation", "reflection", "fact", "procedure", "signal", "entity", "relation")
)
DIARY = " ".join(f"On 2026-03-{day:02} Dana ran {day} km in {day * 5} minutes and felt well." for day in range(1, 29))
JSON = ",\n".join(f'{{"id": {n}, "state": "done", "retries": 0, "error": null, "queue": "default"}}' for n in range(60))
BRACES = "\n".join(["}", "", "  }", "]", "---"] * 30)


@each_row("text", [TABLE, SHOPPING, CODE, DIARY, JSON, BRACES, "", "yes\n" * 15, "tea " * 100])
def test_lists_tables_and_code_are_no_loop(text: str) -> None:
    assert not repeats_endlessly(text)


@each_row(
    "text",
    [
        "tea " * 400,
        "x" * 1_000,
        "Dana likes tea.\n" * 200,
        TABLE + "\nDana asked again whether the kettle had come." * 60,
        "The user and the assistant went on talking about the kettle and its colour. " * 30,
        DIARY + (" and the assistant agreed with that, and Dana agreed with the assistant" * 80),
        "\n".join(["Dana bought a blue kettle."] * 20),
    ],
)
def test_a_loop_is_seen(text: str) -> None:
    assert repeats_endlessly(text)


@given(st.text(min_size=1, max_size=150), st.integers(30, 60))
def test_any_text_said_often_enough_is_a_loop(text: str, times: int) -> None:
    told = text * max(times, 4_000 // len(text))
    assert repeats_endlessly(told)
