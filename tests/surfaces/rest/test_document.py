"""Requests that nobody would write, made of the document: no failure of the service, no answer it does not have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import serving

SOAK = bool(os.environ.get("REMEMBRANCER_SOAK"))
EXAMPLES, SECONDS = ("100", 3_600) if SOAK else ("1", 110)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.slow
def test_no_generated_request_is_answered_otherwise_than_documented(tmp_path: Path) -> None:
    env = {"REMEMBRANCER_SERVICE_RATE": "100000", "REMEMBRANCER_NIGHTLY": "false"}
    with serving(str(tmp_path / "m.db"), tmp_path / "log", "--quiet", env=env) as running:
        options = (
            "--checks",
            CHECKS,
            "--phases",
            "examples,fuzzing",
            "--max-examples",
            EXAMPLES,
            "--seed",
            "7",
            "--no-color",
        )
        # Events go on for ever; a key that was made would shut out the rest.
        left_out = ("--exclude-operation-id", "events", "--exclude-operation-id", "admin.keys.create")
        program = str(Path(sys.executable).with_name("schemathesis"))
        done = subprocess.run(
            [program, "run", f"{running.url}/openapi.json", *options, *left_out],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": ""},
        )
        told = done.stdout[-6_000:]
        assert done.returncode == 0, told
        assert "unexpected" not in running.text()
