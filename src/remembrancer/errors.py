"""Errors of the engine.

RemembrancerError
├── InvalidInput            the caller's mistake; the message names the change to make
├── NotFound                no record with that id in this scope
├── Conflict                somebody else changed it first
│   └── RevisionConflict        it has another revision than the caller has read
├── NotAllowed              a policy of the scope forbids it
│   └── Unauthenticated         the access key is missing or not valid
├── StoreError
│   ├── StoreUnavailable        retryable
│   └── SchemaMismatch          the database is newer than this code, or was altered
└── ProviderError
    ├── ProviderUnavailable     retryable: an embedder, a model or another service did not answer
    ├── BadModelOutput          retryable: a model broke the agreed format
    └── BudgetExceeded          the budget of a tenant or project for models is spent
"""

from collections.abc import Sequence
from typing import ClassVar

_QUOTED_CHARACTERS = 40


class RemembrancerError(Exception):
    """The base class of all errors of the engine."""

    retryable: ClassVar[bool] = False


class InvalidInput(RemembrancerError, ValueError):
    """The caller's mistake; the message names the change to make."""


class NotFound(RemembrancerError, LookupError):
    """No record with that id in this scope.

    A record of another scope is reported the same.
    """

    def __init__(self, kind: str, id: str, *, near: Sequence[str] = ()) -> None:
        """Args: near: similar names that the caller may see."""
        suggestion = f"; did you mean {' or '.join(map(quoted, near))}?" if near else ""
        super().__init__(f"no {kind} {quoted(id)} here{suggestion}")
        self.kind = kind
        self.id = id


class Conflict(RemembrancerError):
    """Somebody else changed it first, or the same key was used for other work."""


class RevisionConflict(Conflict):
    """Another revision than the caller has read; read it again."""


class NotAllowed(RemembrancerError, PermissionError):
    """A policy, a right or a clearance forbids it."""


class Unauthenticated(NotAllowed):
    """A missing access key, or an unknown, expired or revoked one."""


class StoreError(RemembrancerError):
    """A failure of the store."""


class StoreUnavailable(StoreError, ConnectionError):
    """A store that cannot be reached, or is busy for too long; try again."""

    retryable = True


class SchemaMismatch(StoreError):
    """A database that is newer than this code, or was altered."""


class ProviderError(RemembrancerError):
    """A failure of an embedder or a model."""


class ProviderUnavailable(ProviderError, ConnectionError):
    """An embedder or a model that could not be reached or loaded.

    Args:
        lasting: a retry cannot succeed soon: the key was refused, or the model does not exist.
        charged: the failed call may have cost something.
        wait: seconds to wait that the provider named, or 0.
    """

    retryable = True

    def __init__(self, message: str, *, lasting: bool = False, charged: bool = False, wait: float = 0.0) -> None:
        super().__init__(message)
        self.lasting = lasting
        self.charged = charged
        self.wait = wait


class BadModelOutput(ProviderError, ValueError):
    """An answer of a model that breaks the format or cannot be true."""

    retryable = True


class BudgetExceeded(ProviderError):
    """A spent budget of a tenant or project.

    The engines continue without a model.
    """


def quoted(name: str) -> str:
    """Return a caller's value for a message, shortened.

    It may be a private text.
    """
    return repr(name if len(name) <= _QUOTED_CHARACTERS else name[: _QUOTED_CHARACTERS - 1] + "…")
