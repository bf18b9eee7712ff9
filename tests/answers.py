"""A server like OpenAI's on this machine whose answers a test decides: whole, or in events as they are said."""

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.endpoints import Answer, Endpoint, Stream
from tests.unit.providers.test_language_models import completion

MODEL = "openai:small"
DONE = b"data: [DONE]\n\n"
_CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a server answers whatever it is asked: a status, or a body of its own."""

    answer: Answer


Said = str | Callable[[str], str] | Given
"""What a model says, if need be by what it is asked."""


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(text: str | None = None, *, finish: str | None = None) -> bytes:
    """A piece of an answer, or its end."""
    delta = {} if text is None else {"role": "assistant", "content": text}
    return event({**_CHUNK, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def used(prompt: int = 100, answer: int = 20) -> bytes:
    """What an answer took."""
    usage = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    return event({**_CHUNK, "choices": [], "usage": usage})


def events(*pieces: str) -> list[bytes]:
    """A whole answer."""
    return [*map(chunk, pieces), chunk(finish="stop"), used(), DONE]


def words(text: str) -> Sequence[str]:
    """The pieces in which a text is said."""
    return [f"{word} " for word in text.split(" ")[:-1]] + [text.split(" ")[-1]]


class Answers:
    """What a server answers in turn, and what it was asked."""

    def __init__(self) -> None:
        self.script: list[Said] = []
        self.endpoint = Endpoint(self._answer)

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.endpoint.asked)

    @property
    def prompts(self) -> list[str]:
        """What differed of what it was asked."""
        return [request["messages"][-1]["content"] for request in self.endpoint.asked]

    @property
    def settings(self) -> dict[str, Any]:
        """Those by which a memory asks it, and engines ask nobody."""
        return {
            "model": MODEL,
            "model_url": self.endpoint.url,
            "observe_model": "none",
            "model_retries": 0,
            "prices": {MODEL: {"prompt": 1, "answer": 1}},
        }

    def _answer(self, request: dict[str, Any]) -> Answer:
        said = self.script.pop(0)
        if isinstance(said, Given):
            return said.answer
        text = said if isinstance(said, str) else said(request["messages"][-1]["content"])
        if request["stream"]:
            return 200, Stream(events=events(*words(text)))
        return 200, completion(text)


@contextmanager
def answering() -> Generator[Answers, None, None]:
    """A block in which the server can be reached."""
    made = Answers()
    with made.endpoint.serving():
        yield made
