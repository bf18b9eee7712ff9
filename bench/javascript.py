"""The session and the middleware for JavaScript in the real packages, each program in two processes.

    python -m bench.javascript

npm installs the packages and the client into a folder of their own; the service runs over a new file. AI SDK 7 needs
Node 22.
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.node import LEAST_NODE, node_here, ran
from tests.serving import serving

_REPOSITORY = Path(__file__).parent.parent
_AGENTS = "@openai/agents-core"
_AI_SDK_7_NODE = 22


def main() -> None:
    """Run the programs, print what each printed, and exit with 1 if a second run remembers nothing."""
    found = {version: remembered(version) for version in ("6", "7")}
    print(json.dumps(found, indent=1))
    sys.exit(0 if all("I know." in second[1] for _, second in found.values()) else 1)


def remembered(version: str) -> list[list[str]]:
    """Return the lines that each of two runs printed with a version of the AI SDK."""
    here = node_here(_AI_SDK_7_NODE if version == "7" else LEAST_NODE)
    with tempfile.TemporaryDirectory() as place, serving(f"{place}/m.db", Path(place, "log")) as service:
        folder = Path(place)
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "frameworks.mjs").write_text(Path(__file__).with_name("frameworks.mjs").read_text())
        packages = (_AGENTS, f"ai@{version}", str(_REPOSITORY / "clients" / "javascript"))
        ran([*here.npm, "install", "--silent", "--no-audit", "--no-fund", *packages], folder=folder)
        versions = {name: _version(folder, package) for name, package in (("agents", _AGENTS), ("ai", "ai"))}
        env = {"REMEMBRANCER_URL": service.url, "VERSIONS": json.dumps(versions)}
        return [ran([*here.node, "frameworks.mjs"], folder=folder, env=env).splitlines() for _ in range(2)]


def _version(folder: Path, package: str) -> str:
    return json.loads((folder / "node_modules" / package / "package.json").read_text("utf-8"))["version"]


if __name__ == "__main__":
    main()
