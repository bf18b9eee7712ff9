"""MCP: a few tools for the agent that reads their descriptions, over stdio or HTTP. Start with `tools`."""
