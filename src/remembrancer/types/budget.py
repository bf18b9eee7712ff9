"""Limits in tokens of a context."""

from collections.abc import Mapping
from dataclasses import dataclass

from remembrancer.types.arguments import check_fields, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits in tokens of a context; what is not set is the deployment's.

    Args:
        tokens: the most that the rendered text may have, in the modes `brief`, `prompt` and `search`.
        window: of the model, in the mode `turn`: 1,000 or more, and 3,000 for a conversation; the setting
            `context_window` by default.
        slots: caps by the names of the setting `slots`, before those that it sets; all are in the report.

    Raises:
        InvalidInput: a number is out of its range.
    """

    tokens: int | None = None
    window: int | None = None
    slots: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.tokens is not None:
            within(self.tokens, 1, what="tokens")
        if self.window is not None:
            within(self.window, 1_000, 100_000_000, what="window")
