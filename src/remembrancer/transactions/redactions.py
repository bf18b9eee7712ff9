"""What a scope wants done with each kind of personal data: the strictest of what holds there."""

from collections.abc import Collection, Mapping

from remembrancer.errors import NotAllowed
from remembrancer.guard.personal.find import find_personal
from remembrancer.storage.tx import Tx
from remembrancer.types.policy import (
    DEFAULT_REDACTIONS,
    PATTERN_TYPES,
    PersonalDataType,
    Redaction,
    RedactionPolicy,
    strictest,
)


async def redactions(tx: Tx) -> Mapping[PersonalDataType, Redaction]:
    """What is done with each kind in the exact scope: of what is set there and in the scopes it sees the strictest."""
    held: dict[PersonalDataType, list[Redaction]] = {}
    for policy in await tx.policies.seen(RedactionPolicy):
        held.setdefault(policy.datum, []).append(policy.redaction)
    return {datum: strictest(held.get(datum) or [DEFAULT_REDACTIONS[datum]]) for datum in PersonalDataType}


def kept_out(policies: Mapping[PersonalDataType, Redaction]) -> tuple[PersonalDataType, ...]:
    """The kinds that are stored nowhere: those that are masked or refused."""
    return tuple(datum for datum, done in policies.items() if done in (Redaction.MASK, Redaction.REFUSE))


async def check_kept(tx: Tx, *texts: str) -> None:
    """Nothing, where what is kept as it is holds nothing that the exact scope does not store.

    Raises:
        NotAllowed: a name or a reason does.
    """
    unwanted = [datum for datum in kept_out(await redactions(tx)) if datum in PATTERN_TYPES]
    if found := sorted({one.datum for text in texts for one in find_personal(text, unwanted)}):
        raise NotAllowed(
            f"the name or the reason holds personal data, found {', '.join(found)}, which this scope does not store;"
            " say it otherwise"
        )


def refusal(found: Collection[PersonalDataType]) -> str:
    """What is said where text of these kinds is refused."""
    return f"this scope refuses text that holds personal data, found {', '.join(sorted(found))}; take it out"
