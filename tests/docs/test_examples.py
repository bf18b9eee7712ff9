"""What the README shows is what runs."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["quickstart", "conversation"])
def test_a_program_of_the_readme_is_the_one_that_is_tested(name: str) -> None:
    program = (REPOSITORY / f"docs_src/{name}.py").read_text().split('"""\n\n', 1)[1]
    assert f"```python\n{program}```" in (REPOSITORY / "README.md").read_text()


def test_the_first_program_finds_what_it_saved_and_says_the_same_when_it_is_run_again(tmp_path: Path) -> None:
    program = REPOSITORY / "docs_src/quickstart.py"
    told = list[list[str]]()
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        assert ran.stderr == ""
        told.append([line.split("  ", 1)[1] for line in ran.stdout.splitlines()])
    assert told[0][0] == "Ana books flights after 10:00"
    assert told[0] == told[1]


def test_the_second_program_tells_what_was_said_and_counts_it(tmp_path: Path) -> None:
    program = REPOSITORY / "docs_src/conversation.py"
    ran = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stderr == ""
    told, counted = ran.stdout.splitlines()
    assert "I cannot stand early flights." in told
    assert counted.startswith("Distilled(messages=2, ")


def test_the_two_commands_of_the_readme_are_in_the_makefile() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    readme = (REPOSITORY / "README.md").read_text()
    assert all(f"\n{target}:" in makefile and f"make {target}" in readme for target in ("run", "test"))
