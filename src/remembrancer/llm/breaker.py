"""The breakers of an open store at work: who may ask a model, and what is kept of how that went."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import BadModelOutput, ProviderUnavailable
from remembrancer.storage.base import Store
from remembrancer.types.calls import Breaker, CallPurpose, FailureKind, record_failure, start_trial

# How often a breaker is written anew that others have changed meanwhile.
_TRIES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """That a model may be asked one question.

    Args:
        known: its breaker, as it stood when that was allowed; `None` where it has not failed.
        trial: whether the question tries a model that was left alone.
    """

    model: str
    purpose: CallPurpose
    known: Breaker | None
    trial: bool


class Breakers:
    """What models of one store have come to, which all who work on it share.

    Args:
        now: the time.
        chance: a number in [0, 1), which keeps those who failed together from coming back together.
        trial_seconds: how long one question that tries a model may take.
    """

    def __init__(
        self, store: Store, now: Callable[[], datetime], chance: Callable[[], float], *, trial_seconds: float
    ) -> None:
        self._store = store
        self._now = now
        self._chance = chance
        self._trial_seconds = trial_seconds

    async def leave(self, model: str, purpose: CallPurpose, *, by_hand: bool = False) -> Leave:
        """Leave to ask a model.

        Args:
            by_hand: whether a person has it asked, and waits for what comes of it: then it is not left alone.

        Raises:
            ProviderUnavailable: it failed again and again, and is left alone for now.
        """
        told = ""
        for _ in range(_TRIES):
            known = await self._find(model, purpose)
            if known is None or known.until is None:
                return Leave(model=model, purpose=purpose, known=known, trial=False)
            if by_hand:
                return Leave(model=model, purpose=purpose, known=known, trial=True)
            told = str(known)
            if known.is_open(now := self._now()):
                break
            trying = start_trial(known, now=now, seconds=self._trial_seconds)
            if await self._store.put_breaker(trying):
                return Leave(model=model, purpose=purpose, known=trying, trial=True)
        raise ProviderUnavailable(f"the model {told}", lasting=True)

    async def worked(self, leave: Leave) -> None:
        """A model has answered well."""
        if leave.known is not None:
            await self._store.drop_breaker(leave.model, leave.purpose)

    async def failed(self, leave: Leave, error: ProviderUnavailable | BadModelOutput) -> None:
        """A question to a model came to nothing."""
        failing, wait = FailureKind.UNUSABLE, 0.0
        if isinstance(error, ProviderUnavailable):
            failing, wait = FailureKind.REFUSED if error.lasting else FailureKind.AWAY, error.wait
        for _ in range(_TRIES):
            after = record_failure(
                await self._find(leave.model, leave.purpose),
                model=leave.model,
                purpose=leave.purpose,
                failing=failing,
                trial=leave.trial,
                now=self._now(),
                wait=wait,
                chance=self._chance(),
            )
            if await self._store.put_breaker(after):
                return

    async def unused(self, leave: Leave) -> None:
        """A model was not asked after all: another question may try it."""
        if leave.trial and leave.known is not None:
            again = start_trial(leave.known, now=self._now(), seconds=0.0)
            await self._store.put_breaker(again)

    async def _find(self, model: str, purpose: CallPurpose) -> Breaker | None:
        found = await self._store.breakers()
        return next((one for one in found if (one.model, one.purpose) == (model, purpose)), None)
