"""The examples of the README and of the pages are the ones that run."""

import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.policy.sources import REPOSITORY

EXAMPLES = REPOSITORY / "docs_src"
README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").rglob("*.md"))]
# They need a service, or are a test of their own.
NOT_RUN_HERE = {"agent", "service", "tour", "test_agent"}
# Their frameworks are heavy: `make soak` runs them.
HEAVY = {"with_google_adk", "with_llama_index"}


def code(page: Path, language: str) -> Iterator[str]:
    """Yield the blocks of a page in one language."""
    yield from re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def examples() -> dict[str, str]:
    """Return the texts of the examples by their names."""
    return {path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}


def test_every_python_example_of_a_page_is_part_of_an_example_that_runs() -> None:
    texts = list(examples().values())
    unknown = [(page.name, block) for page in PAGES for block in code(page, "python") if not _is_part(block, texts)]
    assert unknown == []


def _is_part(block: str, texts: list[str]) -> bool:
    """Return True if a block is in one of the texts; its paragraphs may be apart there."""
    parts = [part.strip("\n") for part in block.split("\n\n")]
    return any(all(f"\n{part}" in f"\n{text}" for part in parts) for text in texts)


@pytest.mark.parametrize("name", ["quickstart", "conversation"])
def test_a_program_of_the_readme_is_the_one_that_is_tested(name: str) -> None:
    program = examples()[name].split('"""\n\n', 1)[1]
    assert program in code(README, "python")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", sorted(name for name in examples() if name.startswith("with_") and name not in HEAVY))
def test_a_program_for_a_framework_remembers_in_a_second_process(name: str, tmp_path: Path) -> None:
    first, second = (ran(tmp_path, name) for _ in range(2))
    assert first[-1] != second[-1] if name != "with_anthropic" else len(first) > len(second)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", sorted(name for name in examples().keys() - NOT_RUN_HERE if name[:5] != "with_"))
def test_an_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(EXAMPLES / "sample.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    output = capsys.readouterr()
    assert output.out
    assert output.err == ""


def test_the_example_of_a_test_passes(tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLES / "test_agent.py"))["test_the_agent_answers_from_memory"](tmp_path)


def test_the_programs_print_the_same_when_they_run_again_and_after_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def here(name: str) -> list[str]:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    monkeypatch.chdir(tmp_path)
    first, second = [here(name) for name in ("quickstart", "conversation")]
    assert first[0].endswith("  Ana books flights after 10:00")
    messages, stats = second
    assert "I cannot stand early flights." in messages
    assert "messages=2, " in stats
    again = [line.split("  ", 1)[1] for line in ran(tmp_path, "quickstart")]
    assert again[0] == "Ana books flights after 10:00"
    assert len(again) == len(set(again))
    assert here("conversation")[1] == stats


def ran(folder: Path, name: str) -> list[str]:
    """Return the lines that a program of the README prints, run in a folder."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_two_commands_of_the_readme_are_in_the_makefile() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    readme = README.read_text()
    assert all(f"\n{target}:" in makefile and f"make {target}" in readme for target in ("run", "test"))
