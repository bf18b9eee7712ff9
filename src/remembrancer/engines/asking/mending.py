"""What a model writes down with a slip of form, as it was meant."""

from collections.abc import Mapping

from remembrancer.model.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY
from remembrancer.model.observation_types import type_unsaid


def type_meant(told: str, types: Mapping[str, float]) -> str:
    """The observation type, whatever its case; that of which nobody said one where the deployment has none such."""
    name = told.strip().lower()
    return name if name in types else type_unsaid(types)


def priority_meant(told: int) -> int:
    """The priority, within its bounds."""
    return min(max(told, LOWEST_PRIORITY), HIGHEST_PRIORITY)
