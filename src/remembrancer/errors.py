"""Every error the engine raises on purpose.

RemembrancerError
├── InvalidInput            the caller's mistake; the message says what to change
├── NotFound                nothing by that id in this scope
├── Conflict                someone else changed it first
│   └── RevisionConflict                it is at another revision than the caller has read
├── NotAllowed              a policy of the scope forbids it
│   └── Unauthenticated         there is no access key, or one that opens nothing
├── StoreError
│   ├── StoreUnavailable        retryable
│   └── SchemaMismatch          the file is newer than this code, or was altered
└── ProviderError
    ├── ProviderUnavailable     retryable: an embedder, a model or another service did not answer
    ├── BadModelOutput          retryable: a model broke the agreed format
    └── BudgetExceeded          the money or the tokens of a tenant or project are spent
"""

from collections.abc import Sequence
from typing import ClassVar

_QUOTED_CHARACTERS = 40


class RemembrancerError(Exception):
    """Anything the engine raises on purpose."""

    retryable: ClassVar[bool] = False


class InvalidInput(RemembrancerError, ValueError):
    """The caller's mistake; the message says what to change."""


class NotFound(RemembrancerError, LookupError):
    """Nothing by that id in this scope; another scope's record reads the same."""

    def __init__(self, kind: str, id: str, *, near: Sequence[str] = ()) -> None:
        """Args: near: names that may have been meant, of which the caller may know."""
        meant = f"; did you mean {' or '.join(map(quoted, near))}?" if near else ""
        super().__init__(f"no {kind} {quoted(id)} here{meant}")
        self.kind = kind
        self.id = id


class Conflict(RemembrancerError):
    """Someone else changed it first, or the same key was used for other work."""


class RevisionConflict(Conflict):
    """It is at another revision than the caller has read; read it again."""


class NotAllowed(RemembrancerError, PermissionError):
    """A policy of the scope forbids it."""


class Unauthenticated(NotAllowed):
    """There is no access key, or one that opens nothing: it is unknown, expired or revoked."""


class StoreError(RemembrancerError):
    """The store failed."""


class StoreUnavailable(StoreError, ConnectionError):
    """The store cannot be reached, or is busy for too long; try again."""

    retryable = True


class SchemaMismatch(StoreError):
    """The database is newer than this code, or an applied migration was altered."""


class ProviderError(RemembrancerError):
    """An embedder or a model failed."""


class ProviderUnavailable(ProviderError, ConnectionError):
    """An embedder or a model could not be reached or loaded.

    Args:
        lasting: whether trying again soon is of no use: the key is refused, the model is not there.
        charged: whether what was asked may have cost something all the same.
        wait: seconds that the provider asked to be left alone for; 0 where it named none.
    """

    retryable = True

    def __init__(self, message: str, *, lasting: bool = False, charged: bool = False, wait: float = 0.0) -> None:
        super().__init__(message)
        self.lasting = lasting
        self.charged = charged
        self.wait = wait


class BadModelOutput(ProviderError, ValueError):
    """A model's answer is not of the agreed shape, or cannot be true."""

    retryable = True


class BudgetExceeded(ProviderError):
    """The money or the tokens that a tenant or project may spend are spent; engines go on without a model."""


def quoted(name: str) -> str:
    """A name that a caller gave, as a message may repeat it: cut short, since it may be a whole private text."""
    return repr(name if len(name) <= _QUOTED_CHARACTERS else name[: _QUOTED_CHARACTERS - 1] + "…")
