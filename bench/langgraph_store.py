"""LangGraph's own tests of its stores, run against `RemembrancerStore`.

    python -m bench.langgraph_store CHECKOUT [--store sqlite|postgres] [--of memory sqlite postgres] [-- PYTEST OPTIONS]

CHECKOUT is a checkout of LangGraph's repository, which is not part of this project. Its tests need pytest-asyncio,
pytest-mock and langgraph-checkpoint-postgres, which it has and this project has not. Its files are copied and not
changed: the stores that they import are ours (`bench.langgraph_shim`). Tests of their own SQL and tables cannot pass,
nor tests that a score is a cosine.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from bench import langgraph_shim
from tests.postgres_server import PostgresServer

_SUITES = {
    "memory": ("libs/checkpoint", ["test_store.py"]),
    "sqlite": ("libs/checkpoint-sqlite", ["test_store.py", "test_async_store.py"]),
    "postgres": ("libs/checkpoint-postgres", ["test_store.py", "test_async_store.py"]),
}


def main() -> int:
    """Run the suites, and print pytest's summary of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--of", nargs="+", choices=tuple(_SUITES), default=list(_SUITES))
    options, pytest_options = parser.parse_known_args()
    # Their tests of PostgreSQL make databases on a server, whatever the store is.
    needs_server = options.store == "postgres" or "postgres" in options.of
    with PostgresServer(shared_buffers="64MB") if needs_server else nullcontext() as server:
        codes = [
            _run(options.checkout, name, server.url() if server else "", options.store, pytest_options)
            for name in options.of
        ]
    return max(codes)


def _run(checkout: Path, name: str, server: str, store: str, options: list[str]) -> int:
    folder, files = _SUITES[name]
    with tempfile.TemporaryDirectory() as work:
        tests = Path(work, "suite")
        shutil.copytree(checkout / folder / "tests", tests)
        for file in tests.rglob("*.py"):
            # Our tests are a package of the same name.
            file.write_text(file.read_text().replace("from tests.", "from suite."))
        if server:
            with (tests / "conftest.py").open("a") as conftest:
                conftest.write(f"\nDEFAULT_URI = {f'{server}?sslmode=disable'!r}\n")
        environment = {**os.environ, "PYTHONPATH": f"{Path.cwd()}{os.pathsep}{work}", "PYTHONDONTWRITEBYTECODE": "1"}
        if store == "postgres":
            environment[langgraph_shim.SERVER] = server
        command = [sys.executable, "-m", "pytest", "-p", "bench.langgraph_shim", "-p", "no:randomly", "-c", "/dev/null"]
        command += ["--rootdir", work, "-q", "--no-header", "-o", "asyncio_mode=auto", *options]
        print(f"== {name}'s tests on {store}", flush=True)
        return subprocess.run([*command, *(str(tests / file) for file in files)], env=environment, cwd=work).returncode


if __name__ == "__main__":
    sys.exit(main())
