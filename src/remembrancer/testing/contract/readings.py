"""The contract of a store: conversations that were imported."""

# ruff: noqa: D102 -- a test's name is its sentence

import pytest

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import HOME, OUTSIDERS, reading
from remembrancer.types.caller import Caller
from remembrancer.types.reading import Tombstone
from remembrancer.types.scope import Scope


class ReadingsContract(Contract):
    """See `remembrancer.testing.contract`: conversations that were imported."""

    async def test_a_reading_is_found_by_each_of_its_fingerprints(self, store: Store) -> None:
        one, other = reading("a", place="p", digest="d"), reading("b", place="q", digest="e")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.readings.put(one)
            await tx.readings.put(other)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.readings.find(sources=["p"]) == [one]
            assert await tx.readings.find(sources=["p"], digests=["d", "e"]) == [one, other]
            assert await tx.readings.find(openings=["hello"]) == [one, other]
            assert await tx.readings.find(sessions=["b", "c"]) == [other]
            assert await tx.readings.find(sources=["nowhere"], digests=[""], openings=[""]) == []

    async def test_readings_of_one_session_have_one_number_of_messages(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.readings.put(reading("a", place="p", messages=3))
            await tx.readings.put(reading("b", place="p", messages=4))
            await tx.readings.put(reading("a", place="q", digest="more", messages=5))
            found = await tx.readings.find(sources=["p", "q"])
        assert [(one.session, one.source, one.digest, one.messages, one.elsewhere) for one in found] == [
            ("a", "p", "all of it", 5, 2),
            ("a", "q", "more", 5, 0),
            ("b", "p", "all of it", 4, 0),
        ]

    @pytest.mark.parametrize("outsider", OUTSIDERS.values(), ids=OUTSIDERS.keys())
    async def test_what_another_scope_has_imported_and_erased_reads_as_absent(
        self, store: Store, outsider: Scope
    ) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.readings.put(reading())
            await tx.readings.bury(Tombstone(mark="m"))
            await tx.readings.bury(Tombstone(mark="m"))
            assert await tx.readings.buried(["m", "n"]) == {"m"}
        async with store.snapshot(Caller(scope=outsider)) as tx:
            assert (
                await tx.readings.find(sources=["here"], digests=["all of it"], openings=["hello"], sessions=["s"])
                == []
            )
            assert await tx.readings.buried(["m"]) == set()
