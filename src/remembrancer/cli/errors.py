"""Which exit code an error ends a command with."""

from remembrancer.errors import (
    BadModelOutput,
    BudgetExceeded,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    Outdated,
    ProviderError,
    ProviderUnavailable,
    RemembrancerError,
    SchemaMismatch,
    StoreError,
    StoreUnavailable,
    Unauthenticated,
)

INTERRUPTED = 130
STEP_FAILED = 11
EXIT_CODES: dict[type[RemembrancerError], int] = {
    InvalidInput: 2,
    NotFound: 3,
    Conflict: 4,
    NotAllowed: 5,
    StoreUnavailable: 6,
    SchemaMismatch: 7,
    StoreError: 8,
    ProviderUnavailable: 9,
    ProviderError: 10,
    BadModelOutput: 11,
    BudgetExceeded: 12,
    Unauthenticated: 13,
    Outdated: 14,
    RemembrancerError: 1,
}


def exit_code(error: RemembrancerError) -> int:
    """The code of the error's class, or of the nearest one above it."""
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)
