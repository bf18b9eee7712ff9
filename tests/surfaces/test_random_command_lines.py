"""A few of the random command lines of `bench.fuzz`, whose full size is a step of the soak."""

import os

import pytest

from bench.fuzz import CASES, fuzz

COUNT = CASES if os.environ.get("REMEMBRANCER_SOAK") else 6


@pytest.mark.timeout(7200)
def test_random_command_lines_end_soon_in_a_line_with_a_code_of_the_table() -> None:
    assert [f"{found.case}: {found.fault}" for found in fuzz(range(COUNT)) if found.fault] == []
