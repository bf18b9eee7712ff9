"""How an error is told to the agent that called a tool."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

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


class CheckedTool(Tool):
    """A tool that tells what is wrong with its arguments in words, and without what was given."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """Run the tool.

        Raises:
            ToolError: an argument is missing, is none of the tool's, or is not what it must be; or the tool failed.
        """
        fields = self.fn_metadata.arg_model.model_fields
        wrong = [f"{name}: there is no such argument" for name in sorted(arguments.keys() - fields.keys())]
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            found = error.errors(include_input=False, include_url=False)
            wrong += [f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in found]
        if wrong:
            known = ", ".join(fields) or "none"
            raise ToolError(f"{'; '.join(wrong)}; its arguments are: {known} ({TOLD[InvalidInput]})")
        return await super().run(arguments, context, convert_result)


@asynccontextmanager
async def told() -> AsyncGenerator[None, None]:
    """A block whose errors reach the agent in words, with what it may do."""
    try:
        yield
    except RemembrancerError as error:
        advice = next(TOLD[kind] for kind in type(error).__mro__ if kind in TOLD)
        raise ToolError(f"{error} ({advice})") from error
