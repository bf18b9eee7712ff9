"""The types an observation may have, with the priority each gives it at the start of a session."""

from collections.abc import Mapping
from types import MappingProxyType

from remembrancer.errors import InvalidInput, quoted

SUMMARY = "summary"
OBSERVATION_TYPES: Mapping[str, float] = MappingProxyType(
    {"profile": 1.0, "preference": 0.9, "decision": 0.7, "pattern": 0.6, "discovery": 0.5}
)
SUMMARY_PRIORITY = 0.5


def check_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if a caller may save an observation of that type.

    Raises:
        InvalidInput: it is reserved, or none of the allowed ones, which the message lists.
    """
    if name == SUMMARY:
        raise InvalidInput("the type 'summary' is reserved; write one with summarise()")
    return _one_of(name, tuple(allowed))


def check_held_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if an observation may be of that type: one that can be saved, or a summary.

    Raises:
        InvalidInput: it is none of them; the message lists them.
    """
    return _one_of(name, (*allowed, SUMMARY))


def priority(name: str, allowed: Mapping[str, float]) -> float:
    """The priority of a type of observation, in [0, 1]."""
    return allowed.get(name, SUMMARY_PRIORITY)


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    if name not in allowed:
        raise InvalidInput(f"no observation type {quoted(name)}; allowed are {', '.join(allowed)}")
    return name
