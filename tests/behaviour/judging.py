"""Rerankers for tests, and memories that hold something to rerank."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio

from remembrancer import Memory, NewMessage, RecallRequest
from remembrancer.llm.reranker import RerankScores
from tests.endpoints import Answer
from tests.unit.providers.test_rerankers import wrapped

QUESTION = "In which street does Ana live?"
_NUMBER = re.compile(r"number (\d+)")


def number_of(text: str) -> int:
    """Which of the numbered memories a text is."""
    found = _NUMBER.search(text)
    return int(found[1]) if found else 0


async def fill(memory: Memory, count: int, **fields: Any) -> None:
    """Record so many messages that answer the question about as well, the first as well as the last."""
    for number in range(1, count + 1):
        await say(memory, number, **fields)


async def say(memory: Memory, number: int, **fields: Any) -> None:
    """Record a message that answers the question; the higher its number the older it is, and so the lower it ranks."""
    told: dict[str, Any] = {"session": "streets", "speaker": "Bo", "occurred_at": days_ago(number), **fields}
    await memory.record(NewMessage(text=f"Ana lives in the street number {number}.", **told))


def days_ago(days: int) -> datetime:
    """A moment so many days ago."""
    return datetime.now(UTC) - timedelta(days=days)


async def order(memory: Memory, **asked: Any) -> list[int]:
    """The numbers of what is recalled, best first."""
    recalled = await memory.recall(RecallRequest(question=QUESTION, record_access=False, **asked))
    return [number_of(hit.record.text) for hit in recalled.hits]


def liking_high_numbers(texts: Sequence[str]) -> tuple[float, ...]:
    """Scores that rise with the numbers of texts."""
    return tuple(float(number_of(text)) for text in texts)


async def failed(memory: Memory, times: int) -> None:
    """Wait until it is written down that what judges has failed so often: nobody who recalls waits for that."""
    counted = list[int]()
    with anyio.fail_after(20):
        while counted != [times]:
            counted = [one.failures for one in (await memory.admin.costs(days=1)).breakers]


class Judge:
    """A reranker in this process that does as it is told; by itself it likes high numbers.

    Args:
        judging: what it makes of the texts, or what it raises.
        delay: seconds that it thinks.
    """

    def __init__(
        self,
        judging: Callable[[Sequence[str]], object] | None = None,
        *,
        is_outside: bool = True,
        delay: float = 0.0,
        tokens: int | None = None,
    ) -> None:
        self.name = "mine:judge"
        self.is_outside = is_outside
        self.judging = judging or liking_high_numbers
        self.delay = delay
        self.tokens = tokens
        self.questions: list[str] = []
        self.asked: list[list[str]] = []
        self.seconds: list[float] = []

    async def judge(self, question: str, texts: Sequence[str], *, seconds: float) -> RerankScores:
        """What it was told to say."""
        self.questions.append(question)
        self.asked.append(list(texts))
        self.seconds.append(seconds)
        await anyio.sleep(self.delay)
        said: Any = self.judging(texts)
        if isinstance(said, Exception):
            raise said
        return RerankScores(scores=said, tokens=self.tokens)

    async def close(self) -> None:
        """It is its caller's to close."""
        raise AssertionError


def served(shape: str) -> Callable[[dict[str, Any]], Answer]:
    """A server of a shape that likes high numbers."""
    name = "score" if shape == "tei" else "relevance_score"

    def answer(request: dict[str, Any]) -> Answer:
        texts: list[str] = request["texts" if shape == "tei" else "documents"]
        found = [{"index": place, name: number_of(text) / 100} for place, text in enumerate(texts)]
        return 200, wrapped(shape, sorted(found, key=lambda one: -one[name]))

    return answer
