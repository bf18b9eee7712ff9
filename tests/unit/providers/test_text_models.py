"""Programs and functions as language models."""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest
from anyio.to_thread import run_sync

from remembrancer import SyncMemory
from remembrancer.errors import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.llm.providers import text_model
from remembrancer.llm.providers.text_model import TextModel, command_model

pytestmark = pytest.mark.anyio
PROMPT = Prompt(system="You take notes.", text="user: I moved to Lisbon", version="1")


async def program(folder: Path, text: str) -> TextModel:
    """Return the model that is a program in Python, made as a memory makes it."""
    return await run_sync(_program, folder, text)


def _program(folder: Path, text: str) -> TextModel:
    file = folder / "model with spaces.py"
    file.write_text(f"import os, sys, time\n{text}\n")
    return command_model(f"command:{sys.executable} '{file}'")


async def ask(model: TextModel, *, schema: dict[str, object] | None = None, seconds: float = 20.0) -> Completion:
    return await model.complete(PROMPT, schema=schema, max_tokens=100, seconds=seconds, temperature=0.0)


async def test_a_program_reads_the_prompt_and_prints_the_answer(tmp_path: Path) -> None:
    model = await program(tmp_path, "print(sys.stdin.read().upper(), end='')")
    answer = await ask(model)
    assert answer.text == "YOU TAKE NOTES.\n\nUSER: I MOVED TO LISBON"
    assert answer.model == model.name
    assert answer.usage.prompt > 0
    assert answer.usage.answer > 0


async def test_a_value_may_be_fenced(tmp_path: Path) -> None:
    model = await program(tmp_path, "print('```json', '\"title\"' in sys.stdin.read() and '[1]', '```', sep='\\n')")
    assert json.loads((await ask(model, schema={"title": "x"})).text) == [1]
    # Words stay as they are.
    assert (await ask(model)).text.startswith("```")


async def test_a_program_need_not_read_its_prompt(tmp_path: Path) -> None:
    model = await program(tmp_path, "print('known')")
    long = Prompt(system="", text="word " * 400_000, version="1")
    answer = await model.complete(long, schema=None, max_tokens=9, seconds=20, temperature=0)
    assert answer.text == "known\n"


async def test_the_hooks_of_agents_are_off_in_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "yes")
    model = await program(tmp_path, "print(os.environ['REMEMBRANCER_HOOKS'], os.environ['MINE'])")
    assert (await ask(model)).text == "off yes\n"
    assert "REMEMBRANCER_HOOKS" not in os.environ


async def test_a_program_that_fails_is_not_available(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable, match="exit code 3") as failed:
        await ask(await program(tmp_path, "print(sys.stdin.read(), file=sys.stderr); sys.exit(3)"))
    assert "Lisbon" not in str(failed.value)


async def test_a_slow_program_is_killed_with_what_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    late = f"import time; time.sleep(1); open({str(mark)!r}, 'w')"
    model = await program(tmp_path, f"import subprocess; subprocess.run([sys.executable, '-c', {late!r}])")
    with pytest.raises(ProviderUnavailable, match=r"within 0\.5 s"):
        await ask(model, seconds=0.5)
    await anyio.sleep(1)
    assert not await anyio.Path(mark).exists()


async def test_an_endless_answer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_model, "_MOST_BYTES", 1_000)
    with pytest.raises(BadModelOutput, match="more than 1,000 bytes"):
        await ask(await program(tmp_path, "while True: print('on and on')"))


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("command:", InvalidInput, "has no command"),
        ("command:  ", InvalidInput, "has no command"),
        ("command:claude 'half", InvalidInput, "not readable"),
        ("command:no-such-program-here -p", ProviderUnavailable, "no program"),
    ],
)
async def test_a_wrong_command_is_refused_when_it_is_named(name: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await run_sync(command_model, name)


async def test_a_function_that_is_slow_is_not_available() -> None:
    async def never(_system: str, _text: str, _max_tokens: int) -> str:
        await anyio.sleep_forever()
        return ""

    with pytest.raises(ProviderUnavailable, match="did not answer within"):
        await ask(TextModel("mine:slow", never), seconds=0.01)


def test_a_program_observes_and_is_in_the_ledger(tmp_path: Path) -> None:
    """Its notes are checked as those of another model: what has not the shape is refused, and rules observe instead."""
    model = _program(tmp_path, 'print(\'{"notes": "nonsense"}\')')
    with SyncMemory(tmp_path / "m.db", embedder="none", model=model.name, background=False) as memory:
        memory.record("I moved to Lisbon in March, and I work at Acme now.", session="talk")
        memory.sessions.end("talk")
        costs = memory.admin.costs(days=1)
        assert {one.model for one in costs.totals} == {model.name}
        assert all(one.prompt_tokens and one.unpriced == one.calls for one in costs.totals)
        assert [one.model for one in costs.breakers] == [model.name]
