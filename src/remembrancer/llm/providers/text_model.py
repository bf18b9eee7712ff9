"""Models from text to text: a program, or a function such as the sampling of an MCP client."""

import os
import re
import shlex
import shutil
from collections.abc import Awaitable, Callable, Mapping
from json import dumps
from typing import Any, Final, TypeAlias

import anyio
from anyio.abc import Process

from remembrancer.errors import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.types.calls import Usage
from remembrancer.types.text import ESTIMATE

Answer: TypeAlias = Callable[[str, str, int], Awaitable[str]]
"""Returns the answer to a system prompt and a text, within a number of tokens."""
COMMAND: Final = "command"
"""The provider of a model that is a program, as in `command:claude -p`."""
_SWITCH: Final = "REMEMBRANCER_HOOKS"
_SHAPE: Final = "Answer with one JSON value of this schema and nothing else:"
# Many models write JSON between fences.
_FENCED: Final = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)
# More than this is no answer, at any limit of tokens.
_MOST_BYTES: Final = 4_000_000
_STOP_SECONDS: Final = 2.0


class TextModel:
    """A model that is a function; see `LanguageModel`.

    Its token counts are estimates, and it has no price but one of the settings. It decides on its temperature.

    Args:
        name: as `provider:name`.
        answer: may raise `ProviderUnavailable` and `BadModelOutput`.
    """

    def __init__(self, name: str, answer: Answer) -> None:
        self.name = name
        self._answer = answer

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        """Return the answer to a prompt."""
        system = prompt.system if schema is None else f"{prompt.system}\n\n{_SHAPE}\n{dumps(schema)}"
        try:
            with anyio.fail_after(seconds):
                answer = await self._answer(system, prompt.text, max_tokens)
        except TimeoutError as error:
            raise ProviderUnavailable(
                f"the model {self.name!r} did not answer within {seconds:g} s", charged=True
            ) from error
        if schema is not None and (fenced := _FENCED.fullmatch(answer)):
            answer = fenced[1]
        asked = ESTIMATE.count(system) + ESTIMATE.count(prompt.text)
        return Completion(
            text=answer, usage=Usage(prompt=asked, cached=0, answer=ESTIMATE.count(answer)), model=self.name
        )

    async def close(self) -> None:
        """Do nothing: nothing is open between two answers."""


def command_model(name: str) -> TextModel:
    """Return the model that is a program: it reads a prompt on standard input, and prints the answer.

    A process is started for each answer. It has the environment of this one, without the hooks of coding agents: an
    agent that answers would otherwise record its own prompt.

    Args:
        name: `command:` and the command, in the words of a shell; no shell runs it.

    Raises:
        InvalidInput: there is no command, or it is not readable.
        ProviderUnavailable: the program does not exist.
    """
    try:
        words = shlex.split(name.partition(":")[2])
    except ValueError as error:
        raise InvalidInput(f"the command of the model {name!r} is not readable: {error}") from None
    if not words:
        raise InvalidInput(f"{name!r} has no command; write command: and a program, such as 'command:claude -p'")
    if shutil.which(words[0]) is None:
        raise ProviderUnavailable(f"the model {name!r}: there is no program {words[0]!r}", lasting=True)

    async def answer(system: str, text: str, _max_tokens: int) -> str:
        return await _answer_of_program(name, words, f"{system}\n\n{text}")

    return TextModel(name, answer)


async def _answer_of_program(name: str, words: list[str], asked: str) -> str:
    own = os.environ  # noqa: TID251 -- the program has all of it
    try:
        process = await anyio.open_process(words, env={**own, _SWITCH: "off"}, start_new_session=True)
    except OSError as error:
        raise ProviderUnavailable(f"the model {name!r} does not start: {error.strerror}", lasting=True) from error
    try:
        output = await _exchange(process, asked.encode(errors="replace"))
        code = None if output is None else await process.wait()
    finally:
        await _stop(process)
    if output is None:
        raise BadModelOutput(f"the model {name!r} answered with more than {_MOST_BYTES:,} bytes")
    if code:
        raise ProviderUnavailable(f"the model {name!r} ended with the exit code {code}", charged=True)
    return output.decode(errors="replace")


async def _exchange(process: Process, asked: bytes) -> bytes | None:
    """Write a prompt and return what the program prints; `None` if that is too much."""
    output = bytearray()

    async def write() -> None:
        if process.stdin is not None:
            async with process.stdin:
                # A program need not read all of it.
                try:
                    await process.stdin.send(asked)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return

    async def drain_errors() -> None:
        # They may repeat the prompt, and are not shown.
        if process.stderr is not None:
            async for _ in process.stderr:
                pass

    async with anyio.create_task_group() as group:
        group.start_soon(write)
        group.start_soon(drain_errors)
        if process.stdout is not None:
            async for piece in process.stdout:
                output += piece
                if len(output) > _MOST_BYTES:
                    group.cancel_scope.cancel()
                    return None
    return bytes(output)


async def _stop(process: Process) -> None:
    """Kill a program that still runs, with what it has started."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            try:
                os.killpg(process.pid, 9)
            except (AttributeError, OSError):
                process.kill()
            with anyio.move_on_after(_STOP_SECONDS):
                await process.wait()
        await process.aclose()
