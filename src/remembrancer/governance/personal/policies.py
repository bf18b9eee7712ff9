"""What a scope wants done with each kind of personal data: the strictest of what holds there."""

from collections.abc import Collection, Mapping

from remembrancer.model.personal import UNLESS_SET, Datum, Redaction, strictest
from remembrancer.model.policy import RedactionPolicy
from remembrancer.ports.tx import Tx


async def redactions(tx: Tx) -> Mapping[Datum, Redaction]:
    """What is done with each kind in the exact scope: of what is set there and in the scopes it sees the strictest."""
    held: dict[Datum, list[Redaction]] = {}
    for policy in await tx.policies.seen(RedactionPolicy):
        held.setdefault(policy.datum, []).append(policy.redaction)
    return {datum: strictest(held.get(datum) or [UNLESS_SET[datum]]) for datum in Datum}


def kept_out(policies: Mapping[Datum, Redaction]) -> tuple[Datum, ...]:
    """The kinds that are stored nowhere: those that are masked or refused."""
    return tuple(datum for datum, done in policies.items() if done in (Redaction.MASK, Redaction.REFUSE))


def refusal(found: Collection[Datum]) -> str:
    """What is said where text of these kinds is refused."""
    return f"this scope refuses text that holds personal data, found {', '.join(sorted(found))}; take it out"
