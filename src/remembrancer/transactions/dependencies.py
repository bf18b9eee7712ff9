"""What every write needs to know of its surroundings."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from remembrancer.guard.redact import SecretPolicy
from remembrancer.guard.threads import off_loop
from remembrancer.transactions.clock import Clock, Ids
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.meter import UNMETERED, Meter
from remembrancer.transactions.tokens import TokenCounter
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.text import ESTIMATE

if TYPE_CHECKING:
    from remembrancer.transactions.write import Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The clock, the ids and the policies of one open store.

    Args:
        types: the observation types of this deployment, with their priority.
        tokens: how long a text is for the model that will read it.
        meter: counts operations, for metrics.
        before_commit: steps that run at the end of each write transaction, in order.
    """

    clock: Clock
    ids: Ids
    sign: Sign
    secrets: SecretPolicy = SecretPolicy.MASK
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    tokens: TokenCounter = ESTIMATE
    meter: Meter = UNMETERED
    before_commit: "Sequence[Callable[[Writing], Awaitable[None]]]" = ()
    _counted: list[bool] = field(default_factory=list[bool])

    async def load_tokens(self) -> None:
        """Load the tables by which tokens are counted, beside the event loop; they take half a second once."""
        if not self._counted:
            await off_loop(partial(self.tokens.count, ""))
            self._counted.append(True)
