"""The wheel and the source archive, installed by pip, pipx and uv, in environments of their own.

    python -m bench.packages

Nothing of this environment is on the path of what runs, and each runs in an empty folder: the command, and the first
program of the README, twice, which must recall in the second run what the first one stored.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_REPOSITORY = Path(__file__).parent.parent
_TOOLS = ("build", "pipx", "uv")


def main() -> None:
    """Build, install and run the packages, and print what each printed."""
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(installed(Path(place)), indent=1))


def installed(place: Path) -> dict[str, object]:
    """Return what the command and the program printed for each way to install them."""
    tools = _environment(place / "tools", *_TOOLS)
    _run([str(tools / "python"), "-m", "build", "--outdir", str(place / "dist"), str(_REPOSITORY)], place)
    (wheel,), (archive,) = ((place / "dist").glob(pattern) for pattern in ("*.whl", "*.tar.gz"))
    program = place / "program.py"
    readme = (_REPOSITORY / "README.md").read_text("utf-8")
    program.write_text(re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0], "utf-8")
    found: dict[str, object] = {wheel.name: wheel.stat().st_size, archive.name: archive.stat().st_size}
    for package in (wheel, archive):
        environment = _environment(place / f"venv-{package.suffix[1:]}", str(package))
        folder = place / f"run-{package.suffix[1:]}"
        folder.mkdir()
        runs = [_run([str(environment / "python"), str(program)], folder).splitlines() for _ in range(2)]
        found[f"pip install {package.name}"] = [_run([str(environment / "remembrancer"), "--version"], folder), *runs]
    bins = {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin-pipx", "UV_TOOL_DIR": "uv", "UV_TOOL_BIN_DIR": "bin-uv"}
    homes = {name: str(place / folder) for name, folder in bins.items()}
    for name, words in (("pipx", ["pipx", "install"]), ("uv", ["uv", "tool", "install"])):
        _run([str(tools / words[0]), *words[1:], str(wheel)], place, homes)
        command = str(place / f"bin-{name}" / "remembrancer")
        _run([command, "save", "The keel is oak", "--db", str(place / f"{name}.db")], place)
        recalled = _run([command, "recall", "keel", "--db", str(place / f"{name}.db")], place)
        found[" ".join(words)] = [_run([command, "--version"], place), recalled]
    return found


def _environment(folder: Path, *packages: str) -> Path:
    """Make a virtual environment with packages, and return the folder of its commands."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    commands = folder / "bin"
    _run([str(commands / "python"), "-m", "pip", "install", "--quiet", *packages], folder)
    return commands


def _run(command: Sequence[str], folder: Path, more: Mapping[str, str] | None = None) -> str:
    """Return what a command prints in a folder, without the variables of this environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    ran = subprocess.run(command, cwd=folder, env={**environment, **(more or {})}, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{ran.stdout}\n{ran.stderr}")
    return ran.stdout.strip()


if __name__ == "__main__":
    main()
