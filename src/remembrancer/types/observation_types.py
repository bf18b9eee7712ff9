"""The types an observation may have, with the priority each gives it at the start of a session."""

from collections.abc import Mapping
from types import MappingProxyType

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.arguments import within
from remembrancer.types.scope import check_name

SUMMARY = "summary"
OBSERVATION_TYPES: Mapping[str, float] = MappingProxyType(
    {"profile": 1.0, "preference": 0.9, "decision": 0.7, "pattern": 0.6, "discovery": 0.5}
)
SUMMARY_PRIORITY = 0.5
_UNSAID = "discovery"


def with_types(others: Mapping[str, float]) -> Mapping[str, float]:
    """The observation types of a deployment: those there always are, with others or other priorities.

    Raises:
        InvalidInput: one is no name, or reserved, or its priority is not in [0, 1].
    """
    for name, value in others.items():
        check_name(name, what="an observation type")
        if name == SUMMARY:
            raise InvalidInput(f"the type {SUMMARY!r} is reserved")
        within(value, 0, 1, what=f"the priority of {quoted(name)}")
    return MappingProxyType({**OBSERVATION_TYPES, **others})


def check_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if a caller may save an observation of that type.

    Raises:
        InvalidInput: it is reserved, or none of the allowed ones, which the message lists.
    """
    if name == SUMMARY:
        raise InvalidInput("the type 'summary' is reserved; write one with summarise()")
    return _one_of(name, tuple(allowed))


def check_custom_type(name: str) -> str:
    """The name, if an observation may be of that custom type, which no deployment has to allow.

    Raises:
        InvalidInput: it is reserved, or no name.
    """
    if name == SUMMARY:
        raise InvalidInput("custom_type 'summary' is reserved; write one with summarise()")
    return check_name(name, what="custom_type")


def check_held_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if an observation may be of that type: one that can be saved, or a summary.

    Raises:
        InvalidInput: it is none of them; the message lists them.
    """
    return _one_of(name, (*allowed, SUMMARY))


def type_unsaid(allowed: Mapping[str, float]) -> str:
    """The type of an observation of which nobody said one: a discovery, or what has the least priority."""
    return _UNSAID if _UNSAID in allowed else min(allowed, key=lambda name: allowed[name])


def priority(name: str, allowed: Mapping[str, float]) -> float:
    """The priority of a type of observation, in [0, 1]."""
    return allowed.get(name, SUMMARY_PRIORITY)


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    if name not in allowed:
        raise InvalidInput(f"no observation type {quoted(name)}; allowed are {', '.join(allowed)}")
    return name
