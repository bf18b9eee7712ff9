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


def test_the_programs_say_the_same_when_they_are_run_again_and_after_one_another(tmp_path: Path) -> None:
    first, second = [ran(tmp_path, name) for name in ("quickstart", "conversation")]
    assert first[0].endswith("  Ana books flights after 10:00")
    said, counted = second
    assert "I cannot stand early flights." in said
    assert counted.startswith("Distilled(messages=2, ")
    again = [line.split("  ", 1)[1] for line in ran(tmp_path, "quickstart")]
    assert again[0] == "Ana books flights after 10:00"
    assert len(again) == len(set(again))
    assert ran(tmp_path, "conversation")[1] == counted


def ran(folder: Path, name: str) -> list[str]:
    """The lines that a program of the README prints, run in a folder."""
    done = subprocess.run(
        [sys.executable, REPOSITORY / f"docs_src/{name}.py"],
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
    readme = (REPOSITORY / "README.md").read_text()
    assert all(f"\n{target}:" in makefile and f"make {target}" in readme for target in ("run", "test"))
