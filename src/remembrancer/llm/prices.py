"""What a call of a model costs."""

from datetime import datetime
from typing import Protocol

from remembrancer.types.calls import Usage


class Prices(Protocol):
    """Prices of models, as far as they are known."""

    def cost(self, model: str, usage: Usage, *, at: datetime) -> int | None:
        """What a call of a model costs, in millionths of a US dollar, rounded up; `None` where no price is known.

        Args:
            model: as `provider:name`.
            at: when it is made: prices change, some by the hour.
        """
        ...
