"""Checks of names and reasons, which are stored as they are."""

from functools import lru_cache

from remembrancer.errors import InvalidInput, quoted
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.guard.secrets.find import find_secrets
from remembrancer.language.private import strip_private
from remembrancer.types.access import Caller
from remembrancer.types.text import printable

_KEPT = (SecretPolicy.OFF, SecretPolicy.TAG)


@lru_cache(maxsize=1024)
def check_names(caller: Caller, secrets: SecretPolicy) -> None:
    """Nothing, where a caller may write by its names.

    Raises:
        InvalidInput: one holds a private region, or a secret that the policy does not keep.
    """
    scope = caller.scope
    names = {
        "tenant": scope.tenant,
        "project": scope.project,
        "agent": scope.agent,
        "user": scope.user,
        "actor": caller.actor,
    }
    for what, name in names.items():
        if not name:
            continue
        if not printable(name):
            raise InvalidInput(f"{what} {quoted(name)} holds control characters; remove them")
        if strip_private(name) != name:
            raise InvalidInput(
                f"{what} holds a region marked private, and names are kept as they are; give another name"
            )
        if secrets not in _KEPT and (found := find_secrets(name)):
            kinds = ", ".join(sorted({secret.kind for secret in found}))
            raise InvalidInput(f"{what} holds a secret ({kinds}), and names are kept as they are; give another name")


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
