"""Checks of names and reasons, which are stored as they are.

A masked scope name would be another scope, so a private or secret name is refused and not masked.
"""

from functools import lru_cache

from remembrancer.errors import InvalidInput, quoted
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.guard.secrets.find import find_secrets
from remembrancer.language.private import strip_private
from remembrancer.types.access import Caller
from remembrancer.types.text import printable

_STORES_SECRETS = (SecretPolicy.OFF, SecretPolicy.TAG)
_MAX_REASON_CHARACTERS = 200
_MAX_LABEL_CHARACTERS = 100


@lru_cache(maxsize=1024)
def check_names(caller: Caller, secrets: SecretPolicy) -> None:
    """Check the names of a caller's scope and its actor before a write.

    Raises:
        InvalidInput: a name contains a private region, or a secret that the policy does not store.
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
        if name:
            check_stored_name(name, secrets, what=what)


def check_stored_name(name: str, secrets: SecretPolicy, *, what: str) -> None:
    """Check a name before a write.

    Raises:
        InvalidInput: it contains control characters, a private region, or a secret that the policy does not store.
    """
    if not printable(name):
        raise InvalidInput(f"{what} {quoted(name)} contains control characters; remove them")
    if strip_private(name) != name:
        raise InvalidInput(f"{what} contains a region marked private, and names are stored unmasked; use another")
    if secrets not in _STORES_SECRETS and (matches := find_secrets(name)):
        kinds = ", ".join(sorted({secret.kind for secret in matches}))
        raise InvalidInput(f"{what} contains a secret ({kinds}), and names are stored unmasked; use another")


def checked_reason(reason: str, policy: SecretPolicy) -> str:
    """Return a reason for the audit log, without secrets.

    Raises:
        InvalidInput: it is empty or too long.
    """
    redacted = redact(reason.strip(), policy=policy).text
    if not 0 < len(redacted) <= _MAX_REASON_CHARACTERS:
        raise InvalidInput(f"reason must have 1 to {_MAX_REASON_CHARACTERS} characters: the audit log shows it")
    return redacted


def checked_label(name: str, *, what: str) -> str:
    """Return the name of a policy without blanks around it.

    Raises:
        InvalidInput: it is blank or too long.
    """
    if not 0 < len(name.strip()) <= _MAX_LABEL_CHARACTERS:
        raise InvalidInput(f"{what} must have 1 to {_MAX_LABEL_CHARACTERS} characters")
    return name.strip()
