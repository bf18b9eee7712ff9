"""How an error is told to the agent that called a tool."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from mcp.server.mcpserver.exceptions import ToolError

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

# What the agent may do about it, after what the error itself says.
TOLD: Mapping[type[RemembrancerError], str] = {
    InvalidInput: "change what it names and call again",
    NotFound: "it is not here; search for it, or go on without",
    Conflict: "look at what is there before you go on",
    Outdated: "read it again, then change what you read",
    NotAllowed: "do not call it again; tell the user",
    Unauthenticated: "the access key opens nothing; tell the user",
    StoreUnavailable: "call again in a moment",
    SchemaMismatch: "tell the user: the service must be brought up to date",
    StoreError: "tell the user: the memory failed",
    ProviderUnavailable: "call again in a moment, or go on without",
    ProviderError: "go on without",
    BadModelOutput: "call again once",
    BudgetExceeded: "go on without; the budget is spent",
    RemembrancerError: "tell the user",
}


@asynccontextmanager
async def told() -> AsyncGenerator[None, None]:
    """A block whose errors reach the agent in words, with what it may do."""
    try:
        yield
    except RemembrancerError as error:
        advice = next(TOLD[kind] for kind in type(error).__mro__ if kind in TOLD)
        raise ToolError(f"{error} ({advice})") from error
