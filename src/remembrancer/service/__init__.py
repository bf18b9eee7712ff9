"""REST, MCP and the process that serves them."""
