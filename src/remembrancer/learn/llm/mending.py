"""What a model writes down with a slip of form, as it was meant."""

from collections.abc import Mapping
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.types.new import default_type
from remembrancer.types.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY

_FAULTS_TOLD: Final = 5


def faulty(faults: Mapping[int, str], what: str) -> BadModelOutput:
    """What is said of an answer of which some parts do not hold, by their places from 0; of many the first."""
    told = [f"{what} {at + 1} {fault}" for at, fault in faults.items()]
    more = f"; and {len(told) - _FAULTS_TOLD} more" if len(told) > _FAULTS_TOLD else ""
    return BadModelOutput("; ".join(told[:_FAULTS_TOLD]) + more)


def refuse_faulty(faults: Mapping[int, str], what: str, *, of: int) -> None:
    """Refuse an answer of which more than half does not hold.

    Args:
        of: how many parts it has.

    Raises:
        BadModelOutput: the message tells what is wrong with the first of them.
    """
    if len(faults) * 2 > of:
        raise faulty(faults, what)


def type_meant(told: str, types: Mapping[str, float]) -> str:
    """The observation type, whatever its case; that of which nobody said one where the deployment has none such."""
    name = told.strip().lower()
    return name if name in types else default_type(types)


def priority_meant(told: int) -> int:
    """The priority, within its bounds."""
    return min(max(told, LOWEST_PRIORITY), HIGHEST_PRIORITY)
