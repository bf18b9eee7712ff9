"""The types of `SyncMemory` are those of `Memory`, without `await`."""

from tests.policy.sync_stub import STUB, stub


def test_the_stub_of_the_synchronous_memory_is_current() -> None:
    current = STUB.read_text(encoding="utf-8") == stub()
    assert current, "run `python -m tests.policy.sync_stub`"
