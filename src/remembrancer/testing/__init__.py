"""For tests of code that uses memory: a clock that moves by hand, ids that count, an embedder that means something."""

from remembrancer.testing.clock import CountingIds, FakeClock
from remembrancer.testing.embedder import HashEmbedder

__all__ = ["CountingIds", "FakeClock", "HashEmbedder"]
