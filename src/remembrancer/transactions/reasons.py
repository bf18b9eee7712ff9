"""Why somebody does something grave, as the audit log tells it, and what a policy is called."""

from remembrancer.errors import InvalidInput
from remembrancer.guard.redact import SecretPolicy, redact

_LONGEST = 200
_LONGEST_LABEL = 100


def said_why(reason: str, policy: SecretPolicy) -> str:
    """A reason as it is kept: without secrets.

    Raises:
        InvalidInput: there is none, or it is too long.
    """
    said = redact(reason.strip(), policy=policy).text
    if not 0 < len(said) <= _LONGEST:
        raise InvalidInput(f"reason must say why, in 1 to {_LONGEST} characters: it stands in the audit log")
    return said


def check_label(name: str, *, what: str) -> str:
    """What a policy is called, without blanks around it.

    Raises:
        InvalidInput: it is blank, or too long.
    """
    if not 0 < len(name.strip()) <= _LONGEST_LABEL:
        raise InvalidInput(f"{what} must be of 1 to {_LONGEST_LABEL} characters")
    return name.strip()
