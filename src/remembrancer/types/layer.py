"""Layers of memory, for those who ask by layer: each is some of the kinds."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from remembrancer.errors import InvalidInput
from remembrancer.types.choice import member
from remembrancer.types.record import Kind, Record, kind_of


class Layer(StrEnum):
    """The layers of memory: what was said and done, what is claimed and valid, and insights over these."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    REFLECTIVE = "reflective"


_LAYER: Mapping[Kind, Layer] = {
    Kind.MESSAGE: Layer.EPISODIC,
    Kind.EPISODE: Layer.EPISODIC,
    Kind.SIGNAL: Layer.EPISODIC,
    Kind.OBSERVATION: Layer.SEMANTIC,
    Kind.FACT: Layer.SEMANTIC,
    Kind.PROCEDURE: Layer.SEMANTIC,
    Kind.REFLECTION: Layer.REFLECTIVE,
}


def layer_of(record: Record) -> Layer:
    """Return the layer of a memory."""
    return _LAYER[kind_of(record)]


def kinds_within(kinds: Sequence[str], layers: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of memory that are asked for by kind, by layer, or by both; none where all are.

    Raises:
        InvalidInput: there is no such kind or layer, or no kind is in both.
    """
    named = tuple(member(Kind, kind, "kind") for kind in kinds)
    if not layers:
        return named
    asked = {member(Layer, layer, "layer") for layer in layers}
    found = tuple(kind for kind, layer in _LAYER.items() if layer in asked and (not named or kind in named))
    if not found:
        raise InvalidInput(f"no kind of {', '.join(kinds)} is in the layers {', '.join(layers)}")
    return found
