"""The model of an MCP client, which answers through the client: sampling."""

import warnings
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError, NoBackChannelError
from mcp.types import ClientCapabilities, SamplingCapability, SamplingMessage, TextContent

from remembrancer.errors import ProviderUnavailable

MODEL: Final = "mcp:client"
"""The name of the client's model in the ledger."""


class ClientSampling:
    """The model of the one client of a server.

    MCP has deprecated sampling since its version of 2026-07-28; clients of earlier versions offer it.
    """

    def __init__(self) -> None:
        self._session: ServerSession | None = None

    async def remember_session(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle a request, and remember through which session the client can be asked."""
        self._session = ctx.session
        return await call_next(ctx)

    async def answer(self, system: str, text: str, max_tokens: int) -> str:
        """Return the answer of the client's model.

        Raises:
            ProviderUnavailable: no client is connected, it does not offer sampling, or it refuses.
        """
        session = self._session
        if session is None:
            raise ProviderUnavailable("no MCP client is connected, whose model could be asked")
        wanted = ClientCapabilities(sampling=SamplingCapability())
        if not session.check_client_capability(wanted):
            raise ProviderUnavailable("the MCP client does not offer its model (sampling)", lasting=True)
        message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                request = session.create_message(  # pyright: ignore[reportDeprecated] -- while clients offer it
                    [message], max_tokens=max_tokens, system_prompt=system
                )
            found = await request
        except NoBackChannelError as error:
            raise ProviderUnavailable("the MCP client cannot be asked over this connection", lasting=True) from error
        except MCPError as error:
            raise ProviderUnavailable("the MCP client has refused to ask its model") from error
        parts = found.content if isinstance(found.content, list) else [found.content]
        return "".join(part.text for part in parts if isinstance(part, TextContent))
