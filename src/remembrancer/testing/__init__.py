"""For tests of code that uses memory: clock and ids decided by hand, an embedder and a language model that obey.

`StoreContract`, the tests that every store passes, needs pytest and is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from remembrancer.testing.clock import CountingIds, FakeClock
from remembrancer.testing.embedder import HashEmbedder
from remembrancer.testing.language_model import ScriptedModel, WatchedStore

if TYPE_CHECKING:
    from remembrancer.testing.contract import StoreContract

__all__ = ["CountingIds", "FakeClock", "HashEmbedder", "ScriptedModel", "StoreContract", "WatchedStore"]


def __getattr__(name: str) -> object:
    if name != "StoreContract":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pytest

    # So that a failed assert of the suite shows its values, as in a test file.
    pytest.register_assert_rewrite("remembrancer.testing.contract")
    from remembrancer.testing.contract import StoreContract

    return StoreContract
