"""What the observer and the reflector share: a model is asked first, and words decide where none answers in time."""

from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import tzinfo
from typing import ClassVar, TypeVar

import anyio

from remembrancer.errors import BudgetExceeded, ProviderUnavailable
from remembrancer.llm.models import Models
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.budget import Window
from remembrancer.types.calls import CallPurpose
from remembrancer.types.scope import Scope

T = TypeVar("T")


class LearningEngine:
    """An engine that asks a model for one purpose, with a fallback on rules.

    Args:
        zone: of the days in the texts.
        window: the thresholds of an agent's conversations.
        models: called if one is configured for the purpose.
        seconds: timeout of all calls for one input together.
    """

    purpose: ClassVar[CallPurpose]
    timeout: ClassVar[float]

    def __init__(
        self,
        units: UnitsOfWork,
        rules: Dependencies,
        *,
        zone: tzinfo,
        window: Callable[[Scope], Window],
        models: Models | None = None,
        seconds: float | None = None,
    ) -> None:
        self._units = units
        self._rules = rules
        self._zone = zone
        self._window = window
        self._models = models
        self._seconds = self.timeout if seconds is None else seconds

    @property
    def asks_model(self) -> bool:
        """Return True if a model is configured for the purpose."""
        return self._models is not None and self._models.available(self.purpose)

    async def think(
        self,
        scope: Scope,
        *,
        with_model: Callable[[Models, Counter[str]], Awaitable[T]] | None,
        by_words: Callable[[Counter[str]], Awaitable[T]],
    ) -> T:
        """Return the result of a model, else that of the rules.

        The rules decide if no model answers in time or within the budget. No transaction is open meanwhile. Both
        functions get a counter of the parts of answers that were dropped, by reason.

        Args:
            with_model: `None` leaves models out.
        """
        dropped = Counter[str]()
        if with_model is not None and self._models is not None and self._models.available(self.purpose):
            try:
                with anyio.fail_after(self._seconds):
                    return await with_model(self._models, dropped)
            except (ProviderUnavailable, BudgetExceeded, TimeoutError):
                # The words decide: the conversation goes on.
                pass
            finally:
                self._rules.meter.refused(scope, self.purpose, dropped)
        return await by_words(dropped)
