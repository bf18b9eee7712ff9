"""What a session came to, by a language model: read it, think without a transaction; it is written as it ends."""

from collections import Counter
from datetime import tzinfo
from typing import Final

import anyio

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.llm.summariser import summarise_asking
from remembrancer.learn.sessions import Summed, unsummed
from remembrancer.llm.call import Asker, Models
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.calls import CallPurpose
from remembrancer.types.scope import Scope

ANSWER_TOKENS: Final = 1_000
# So much of a session is told at most, its end.
_MOST_CHARACTERS: Final = 60_000


class Summarising:
    """Says what sessions came to, where a model is configured to summarise.

    Args:
        zone: whose days are meant.
        seconds: how long a model may take; past that the words say it.
    """

    def __init__(self, units: UnitsOfWork, models: Models, *, zone: tzinfo, seconds: float = 20.0) -> None:
        self._units = units
        self._models = models
        self._zone = zone
        self._seconds = seconds

    async def of(self, scope: Scope, session: str) -> Summed | None:
        """What a model says that a session came to; `None` where none is asked or it says nothing that holds."""
        if not self._models.available(CallPurpose.SUMMARISE):
            return None
        found = await self._units(scope).read(lambda tx: unsummed(tx, session))
        if found is None:
            return None
        room, told = _MOST_CHARACTERS, list(found.told())
        for at in range(len(told) - 1, -1, -1):
            room -= len(told[at].text)
            if room < 0:
                told = told[at + 1 :]
                break
        if not told:
            return None
        ask, refused = (
            Asker(self._models, scope, session, CallPurpose.SUMMARISE, max_tokens=ANSWER_TOKENS),
            Counter[str](),
        )
        try:
            with anyio.fail_after(self._seconds):
                text, ids = await summarise_asking(told, found.saved, ask=ask, zone=self._zone, refused=refused)
        except (BadModelOutput, BudgetExceeded, ProviderUnavailable, TimeoutError):
            # The words say it.
            return None
        finally:
            self._units(scope).rules.meter.refused(scope, CallPurpose.SUMMARISE, refused)
        if not text:
            return None
        basis = {message.id: message for message in told}
        quoted = (*(basis[id] for id in ids), *found.saved)
        return Summed(
            text=text,
            quoted=quoted,
            messages=found.session.messages,
            model=ask.model,
            prompt=ask.version,
            refused=refused,
        )
