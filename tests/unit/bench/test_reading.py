"""What a reader is asked, and is not asked again."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.reading import DENSE, OURS, WHOLE, Readers, read, summary
from bench.sets import Dialogue, Question
from remembrancer.ingest.importers.turns import Turn
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.llm.providers.prices import PriceList
from remembrancer.testing import HashEmbedder
from remembrancer.types.calls import Usage

pytestmark = pytest.mark.anyio

SAID = ("I keep bees.", "How many hives?", "Seven hives, by the river.")
DIALOGUE = Dialogue(
    name="bees",
    turns=tuple(
        Turn(
            conversation="bees",
            session="bees/1",
            position=place,
            role="user" if place % 2 == 0 else "assistant",
            text=text,
            occurred_at=datetime(2026, 1, 1, 9, place, tzinfo=UTC),
            reference=str(place),
        )
        for place, text in enumerate(SAID)
    ),
    questions=(Question(text="How many hives are there?", type="count", gold=frozenset({"2"}), answer="seven"),),
)


class Echo:
    """A model that answers with a word of what it was handed."""

    name = "openai:echo"

    def __init__(self) -> None:
        self.asked: list[Prompt] = []

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        self.asked.append(prompt)
        says = "Yes." if "Student: seven" in prompt.text else "no" if "Student:" in prompt.text else "seven"
        return Completion(text=says, usage=Usage(prompt=10, cached=0, answer=1), model=self.name)


async def test_each_arm_is_read_and_judged_once_whatever_is_run_again(tmp_path: Path) -> None:
    model, kept = Echo(), tmp_path / "kept.jsonl"
    readers = Readers(reader=model, judge=model, prices=PriceList({}))

    async def run() -> dict[str, Any]:
        embedder = HashEmbedder(64)
        return summary(await read([DIALOGUE], embedder, readers, budget=600, types=[], kept=kept))

    report = await run()
    assert set(report) == {OURS, DENSE, WHOLE}
    assert {arm["right"] for arm in report.values()} == {100.0}
    assert len(model.asked) == 6
    read_texts = [prompt.text for prompt in model.asked[::2]]
    assert all("Seven hives, by the river." in text for text in read_texts)
    kept.write_text(kept.read_text(encoding="utf-8") + '{"cut off', encoding="utf-8")
    assert await run() == report
    assert len(model.asked) == 6
