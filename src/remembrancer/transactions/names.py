"""Names that are kept as they are, of a scope and of an actor: nothing private or secret may stand in one.

A masked name would be another scope; so it is refused, and the caller told which.
"""

from functools import lru_cache

from remembrancer.errors import InvalidInput, quoted
from remembrancer.guard.redact import SecretPolicy
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
