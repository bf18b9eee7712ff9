"""A language model with scripted answers."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import anyio

from remembrancer.errors import ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.types.calls import Usage
from remembrancer.types.text import estimate

ScriptedAnswer = str | Mapping[str, Any] | Exception


class ScriptedModel:
    """A language model with scripted answers, which records its prompts.

    Args:
        script: one answer per call, in order, or a function from a prompt to an answer. An answer is a text, a mapping
            that is returned as JSON, or an error to raise.
        name: in the form `provider:name`.
        usage: reported for each call; estimated from the texts by default.
        delay: seconds per call; a call with a shorter time-out raises `ProviderUnavailable`.

    Raises:
        AssertionError: the model was called more often than the script has answers.
    """

    def __init__(
        self,
        script: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer],
        *,
        name: str = "scripted:model",
        usage: Usage | None = None,
        delay: float = 0.0,
    ) -> None:
        self.name = name
        self.asked: list[Prompt] = []
        self.schemas: list[Mapping[str, Any] | None] = []
        self._function = script if callable(script) else None
        self._answers = [] if callable(script) else list(script)
        self._usage = usage
        self._delay = delay

    @property
    def left(self) -> int:
        """Number of answers that are not used yet."""
        return len(self._answers)

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        """Return the next answer of the script."""
        self.asked.append(prompt)
        self.schemas.append(schema)
        answer = self._next(prompt)
        await anyio.sleep(min(self._delay, seconds))
        if self._delay > seconds:
            raise ProviderUnavailable(f"the model {self.name!r} did not answer within {seconds:g} s", charged=True)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        estimated = Usage(prompt=estimate(prompt.system + prompt.text), cached=0, answer=estimate(text))
        return Completion(text=text, usage=self._usage or estimated, model=self.name)

    def _next(self, prompt: Prompt) -> ScriptedAnswer:
        if self._function is not None:
            return self._function(prompt)
        if not self._answers:
            raise AssertionError(f"the model was called {len(self.asked)} times and has fewer answers")
        return self._answers.pop(0)
