"""A test that goes through a table misses no row, and names each that fails."""

import pytest

from tests.rows import every_row


def go_through(tried: list[int]) -> None:
    with every_row() as row:
        for number in range(5):
            with row("number", number):
                tried.append(number)
                assert number != 1, "one"
                if number == 2:
                    raise ZeroDivisionError
                if number == 3:
                    pytest.fail("three")


def fail_outside_of_a_row() -> None:
    with every_row() as row:
        with row(1):
            pass
        raise ZeroDivisionError


def test_every_row_is_tried_and_all_that_fail_are_named() -> None:
    tried: list[int] = []
    with pytest.raises(pytest.fail.Exception) as raised:
        go_through(tried)
    assert tried == [0, 1, 2, 3, 4]
    first, one, two, three = str(raised.value).splitlines()
    assert first == "3 of 5 rows fail"
    assert one.startswith("'number', 1: AssertionError: one")
    assert two == "'number', 2: ZeroDivisionError: assertion failed"
    assert three == "'number', 3: Failed: three"


def test_a_table_without_rows_fails() -> None:
    with pytest.raises(AssertionError, match="no rows"), every_row():
        pass


def test_what_fails_outside_of_a_row_fails_at_once() -> None:
    with pytest.raises(ZeroDivisionError):
        fail_outside_of_a_row()
