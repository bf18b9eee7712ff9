"""The circuit breakers of an open store: permits to ask a model, and the record of its failures."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import anyio

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.storage.base import Store
from remembrancer.types.calls import Breaker, CallPurpose, FailureKind, record_failure, start_trial

# Attempts to write a breaker that others change meanwhile.
_TRIES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerPermit:
    """A permit to ask a model one question.

    Args:
        known: its breaker when the permit was issued; `None` where it has not failed.
        trial: whether the question is the trial of a model that was left alone.
    """

    model: str
    purpose: CallPurpose
    known: Breaker | None
    trial: bool


class Breakers:
    """The circuit breakers of the models of one store, shared by all its users.

    Args:
        now: returns the time.
        chance: returns a number in [0, 1), which spreads the retries of those who failed together.
        trial_seconds: timeout of the trial of a model.
    """

    def __init__(
        self, store: Store, now: Callable[[], datetime], chance: Callable[[], float], *, trial_seconds: float
    ) -> None:
        self._store = store
        self._now = now
        self._chance = chance
        self._trial_seconds = trial_seconds

    @asynccontextmanager
    async def guard(
        self, model: str, purpose: CallPurpose, *, hurried: bool = False
    ) -> AsyncGenerator[BreakerPermit, None]:
        """Run a block that asks a model, and record its outcome.

        Args:
            hurried: whether a block that is cancelled counts as a failure of the model.

        Raises:
            ProviderUnavailable: as `permit`.
        """
        permit = await self.permit(model, purpose)
        try:
            yield permit
        except BudgetExceeded:
            await self.release(permit)
            raise
        except (ProviderUnavailable, BadModelOutput) as error:
            await self.record_failure(permit, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                if hurried:
                    late = ProviderUnavailable(f"the model {model!r} took too long")
                    await self.record_failure(permit, late)
                else:
                    await self.release(permit)
            raise
        await self.record_success(permit)

    async def permit(self, model: str, purpose: CallPurpose, *, by_hand: bool = False) -> BreakerPermit:
        """Return a permit to ask a model.

        Args:
            by_hand: whether a person waits for the answer: then the model is not left alone.

        Raises:
            ProviderUnavailable: it failed again and again, and is left alone for now.
        """
        reason = ""
        for _ in range(_TRIES):
            known = await self._find(model, purpose)
            if known is None or known.until is None:
                return BreakerPermit(model=model, purpose=purpose, known=known, trial=False)
            if by_hand:
                return BreakerPermit(model=model, purpose=purpose, known=known, trial=True)
            reason = str(known)
            if known.is_open(now := self._now()):
                break
            trying = start_trial(known, now=now, seconds=self._trial_seconds)
            if await self._store.put_breaker(trying):
                return BreakerPermit(model=model, purpose=purpose, known=trying, trial=True)
        raise ProviderUnavailable(f"the model {reason}", lasting=True)

    async def record_success(self, permit: BreakerPermit) -> None:
        """Close the breaker of a model that answered."""
        if permit.known is not None:
            await self._store.drop_breaker(permit.model, permit.purpose)

    async def record_failure(self, permit: BreakerPermit, error: ProviderUnavailable | BadModelOutput) -> None:
        """Count a failure of a model."""
        failing, wait = FailureKind.UNUSABLE, 0.0
        if isinstance(error, ProviderUnavailable):
            failing, wait = FailureKind.REFUSED if error.lasting else FailureKind.AWAY, error.wait
        for _ in range(_TRIES):
            after = record_failure(
                await self._find(permit.model, permit.purpose),
                model=permit.model,
                purpose=permit.purpose,
                failing=failing,
                trial=permit.trial,
                now=self._now(),
                wait=wait,
                chance=self._chance(),
            )
            if await self._store.put_breaker(after):
                return

    async def release(self, permit: BreakerPermit) -> None:
        """Return an unused permit: another question may be the trial."""
        if permit.trial and permit.known is not None:
            again = start_trial(permit.known, now=self._now(), seconds=0.0)
            await self._store.put_breaker(again)

    async def _find(self, model: str, purpose: CallPurpose) -> Breaker | None:
        found = await self._store.breakers()
        return next((one for one in found if (one.model, one.purpose) == (model, purpose)), None)
