"""The service as a process: REST and MCP over one memory, its logs and numbers, and how it starts and stops."""
