"""Fakes for tests: a clock, an embedder and a language model."""

from remembrancer.testing.clock import FakeClock
from remembrancer.testing.embedder import HashEmbedder
from remembrancer.testing.language_model import ScriptedModel

__all__ = ["FakeClock", "HashEmbedder", "ScriptedModel"]
