"""Why somebody does something grave, as the audit log tells it."""

from remembrancer.errors import InvalidInput
from remembrancer.governance.redact import SecretPolicy, redact

_LONGEST = 200


def said_why(reason: str, policy: SecretPolicy) -> str:
    """A reason as it is kept: without secrets.

    Raises:
        InvalidInput: there is none, or it is too long.
    """
    said = redact(reason.strip(), policy=policy).text
    if not 0 < len(said) <= _LONGEST:
        raise InvalidInput(f"reason must say why, in 1 to {_LONGEST} characters: it stands in the audit log")
    return said
