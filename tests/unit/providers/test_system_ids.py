"""Ids that the engine makes."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from remembrancer.adapters.clock import SystemClock, TimeOrderedIds


def test_ids_are_made_in_their_order() -> None:
    ids = TimeOrderedIds()
    made = [ids.new() for _ in range(20_000)]
    assert made == sorted(set(made))


def test_ids_are_unique_across_threads_and_in_order_within_each() -> None:
    ids = TimeOrderedIds()

    def several(count: int) -> list[str]:
        return [ids.new() for _ in range(count)]

    with ThreadPoolExecutor(8) as threads:
        groups = list(threads.map(several, [1_000] * 8))
    assert all(group == sorted(group) for group in groups)
    assert len({id for group in groups for id in group}) == 8_000


def test_two_makers_do_not_make_the_same_id() -> None:
    one, other = TimeOrderedIds(), TimeOrderedIds()
    assert not {one.new() for _ in range(5_000)} & {other.new() for _ in range(5_000)}


def test_an_id_is_a_uuid_of_version_seven_that_tells_when_it_was_made() -> None:
    before = datetime.now(UTC)
    made = uuid.UUID(TimeOrderedIds().new())
    after = datetime.now(UTC)
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    when = datetime.fromtimestamp((made.int >> 80) / 1000, UTC)
    assert before - timedelta(milliseconds=2) <= when <= after


def test_the_clock_tells_an_aware_time_in_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)
