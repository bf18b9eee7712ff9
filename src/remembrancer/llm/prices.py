"""What a call of a model costs."""

from datetime import datetime
from typing import Protocol

from remembrancer.types.calls import Usage


class Prices(Protocol):
    """Prices of models, as far as they are known."""

    def cost(self, model: str, usage: Usage, *, at: datetime) -> int | None:
        """Return the cost of a call in millionths of a US dollar, rounded up; `None` without a price.

        Args:
            model: as `provider:name`.
            at: the time of the call: prices change, some by the hour.
        """
        ...
