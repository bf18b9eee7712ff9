"""What the repository says fits any machine and any registry."""

import subprocess
from pathlib import Path

import remembrancer
from tests.rows import each_row

REPOSITORY = Path(remembrancer.__file__).parents[2]
PLACES = ("src", "docs", "docs_src", "bench", "README.md", "pyproject.toml")


def files() -> list[Path]:
    """The files of the repository, those not yet added among them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PLACES],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found = (REPOSITORY / name for name in listed.stdout.split("\0") if name)
    return [file for file in found if file.is_file()]


@each_row("words", ["pypi.org", "pythonhosted.org", "registry.npmjs", "/work/", "/root/", "/tmp/", "/home/"])
def test_no_file_names_a_registry_or_a_path_of_this_machine(words: str) -> None:
    found = files()
    assert len(found) > 50
    holding = [str(file) for file in found if words in file.read_text(encoding="utf-8", errors="replace")]
    assert holding == []
