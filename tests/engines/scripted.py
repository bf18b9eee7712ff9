"""Models that answer from a list of raw texts, as plain async functions would."""

import json
from collections.abc import Callable
from typing import TypeVar

from remembrancer.llm.language_model import Prompt
from remembrancer.llm.prompts import parse

T = TypeVar("T")
R = TypeVar("R")
Answerer = Callable[[Prompt], str]


class Scripted:
    """Answers each prompt with the next text of a list, or with what it is told to raise; keeps the prompts."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.prompts: list[Prompt] = []

    async def __call__(self, prompt: Prompt, shape: type[T], take: Callable[[T], R], /) -> R:
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return take(parse(answer, shape))


class Answering:
    """Answers each prompt with what a function makes of it, and counts the calls."""

    def __init__(self, answer: Answerer) -> None:
        self.answer = answer
        self.calls = 0

    async def __call__(self, prompt: Prompt, shape: type[T], take: Callable[[T], R], /) -> R:
        self.calls += 1
        return take(parse(self.answer(prompt), shape))


def messages_in(prompt: Prompt) -> list[dict[str, object]]:
    """The messages that a prompt of the observer asks about, each with its day and time as `at`."""
    found: list[dict[str, object]] = []
    day = ""
    for line in prompt.text.split("<messages>\n")[1].split("\n</messages>")[0].splitlines():
        if line.startswith("## "):
            day = line.split()[-1]
        else:
            number, time, role, by, text = json.loads(line)
            found.append({"n": number, "at": f"{day}T{time}", "role": role, "by": by, "text": text})
    return found


def block(first: int, last: int | None = None, **fields: object) -> dict[str, object]:
    """One observation of a model's answer."""
    given: dict[str, object] = {
        "messages": list(range(first, (last or first) + 1)),
        "priority": 3,
        "type": "discovery",
        "text": "Dana bought a kettle.",
    }
    return given | fields


def observed(*blocks: dict[str, object], **fields: object) -> str:
    """A model's answer to the observer."""
    return json.dumps({"observations": blocks} | fields)


def good(prompt: Prompt) -> str:
    """A sound answer to whatever the observer asks: one observation over all messages, of the last one."""
    asked = messages_in(prompt)
    first, last = asked[0], asked[-1]
    by = last["by"] or f"The {last['role']}"
    given = block(int(str(first["n"])), int(str(last["n"])), text=f"{by}: {last['text']}")
    return observed(given)
