"""A test that goes through a table misses no row, and names each that fails."""

from inspect import signature

import pytest

from tests.rows import each_row, every_row


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


def test_a_decorated_test_tries_every_row_with_its_fixtures() -> None:
    tried: list[tuple[object, ...]] = []

    @each_row("number, text", {"small": (1, "a"), "large": (9, "x" * 99)})
    @each_row("flag", [True, False])
    def go(found: list[tuple[object, ...]], number: int, text: str, flag: bool) -> None:
        found.append((number, flag))
        assert number < 9, text

    assert [*signature(go).parameters] == ["found"]
    with pytest.raises(pytest.fail.Exception) as raised:
        go(found=tried)
    assert tried == [(1, True), (1, False), (9, True), (9, False)]
    first, second = str(raised.value).splitlines()
    assert first == "1 of 2 rows fail"
    assert second.startswith("'large': Failed: 2 of 2 rows fail True: AssertionError: x")


@pytest.mark.anyio
async def test_an_async_test_tries_every_row() -> None:
    tried: list[int] = []

    @each_row("number", range(3))
    async def go(number: int) -> None:
        tried.append(number)

    await go()
    assert tried == [0, 1, 2]
