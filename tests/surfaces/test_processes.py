"""A service of several processes, where each takes long to start."""

from pathlib import Path

import pytest

from tests.databases import SECRET, Database
from tests.serving import serving

SLOW_START = """
import sys, time
if "spawn_main" in " ".join(sys.orig_argv):
    time.sleep(15)
"""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_processes_that_take_long_to_start_are_waited_for(database: Database, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_START, encoding="utf-8")
    env = {"REMEMBRANCER_SECRET_KEY": SECRET, "PYTHONPATH": str(tmp_path)}
    options = ("--processes", "2", "--no-background")
    with serving(database.serving_url, tmp_path / "service.log", *options, env=env) as running:
        assert "died" not in running.text()
