"""What a session came to, by a language model: read it, think without a transaction; it is written as it ends."""

from collections import Counter
from datetime import tzinfo
from typing import Final

import anyio

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.llm.summariser import summarise_asking
from remembrancer.learn.sessions import Summed, unsummed
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.calls import CallPurpose
from remembrancer.types.scope import Scope

ANSWER_TOKENS: Final = 1_000
# Only the end of a long session is shown to the model.
_MOST_CHARACTERS: Final = 60_000


class Summariser:
    """The summariser of sessions, used if a model is configured to summarise.

    Args:
        zone: of the days in the texts.
        seconds: timeout of the model; after it the rules write the summary.
    """

    def __init__(self, units: UnitsOfWork, models: Models, *, zone: tzinfo, seconds: float = 20.0) -> None:
        self._units = units
        self._models = models
        self._zone = zone
        self._seconds = seconds

    async def of(self, scope: Scope, session: str) -> Summed | None:
        """Return a model's summary of a session; `None` without a model or a valid sentence."""
        if not self._models.available(CallPurpose.SUMMARISE):
            return None
        found = await self._units(scope).read(lambda tx: unsummed(tx, session))
        if found is None:
            return None
        room, shown = _MOST_CHARACTERS, list(found.dialogue())
        for at in range(len(shown) - 1, -1, -1):
            room -= len(shown[at].text)
            if room < 0:
                shown = shown[at + 1 :]
                break
        if not shown:
            return None
        ask, refused = (
            ScopedModels(self._models, scope, session, CallPurpose.SUMMARISE, max_tokens=ANSWER_TOKENS),
            Counter[str](),
        )
        try:
            with anyio.fail_after(self._seconds):
                text, ids = await summarise_asking(shown, found.saved, ask=ask, zone=self._zone, refused=refused)
        except (BadModelOutput, BudgetExceeded, ProviderUnavailable, TimeoutError):
            # The rules write the summary.
            return None
        finally:
            self._units(scope).rules.meter.refused(scope, CallPurpose.SUMMARISE, refused)
        if not text:
            return None
        basis = {message.id: message for message in shown}
        quoted = (*(basis[id] for id in ids), *found.saved)
        return Summed(
            text=text,
            quoted=quoted,
            messages=found.session.messages,
            model=ask.model,
            prompt=ask.version,
            refused=refused,
        )
