"""Errors of tools, for agents."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.problems import ERRORS, error_type


class CheckedTool(Tool):
    """A tool whose errors describe wrong arguments in words, without their values."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """Run the tool.

        Raises:
            ToolError: an argument is missing, unknown or not of its type; or the tool failed.
        """
        fields = self.fn_metadata.arg_model.model_fields
        wrong = [f"{name}: there is no such argument" for name in sorted(arguments.keys() - fields.keys())]
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            errors = error.errors(include_input=False, include_url=False)
            wrong += [f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in errors]
        if wrong:
            names = ", ".join(fields) or "none"
            raise ToolError(f"{'; '.join(wrong)}; its arguments are: {names} ({ERRORS[InvalidInput].advice})")
        return await super().run(arguments, context, convert_result)


@asynccontextmanager
async def tool_errors() -> AsyncGenerator[None, None]:
    """Raise the errors of a block as tool errors, with the next step for the agent."""
    try:
        yield
    except RemembrancerError as error:
        raise ToolError(f"{error} ({error_type(error).advice})") from error
