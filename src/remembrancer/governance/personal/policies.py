"""What a scope wants done with each kind of personal data: the strictest of what holds there."""

from collections.abc import Mapping

from remembrancer.model.personal import UNLESS_SET, Datum, Redaction, strictest
from remembrancer.model.policy import RedactionPolicy
from remembrancer.ports.tx import Tx


async def redactions(tx: Tx) -> Mapping[Datum, Redaction]:
    """What is done with each kind in the exact scope: of what is set there and in the scopes it sees the strictest."""
    held: dict[Datum, list[Redaction]] = {}
    for policy in await tx.policies.seen(RedactionPolicy):
        held.setdefault(policy.datum, []).append(policy.redaction)
    return {datum: strictest(held.get(datum) or [UNLESS_SET[datum]]) for datum in Datum}
