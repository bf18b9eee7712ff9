"""The doors of a memory: one file a noun, each of them for one caller.

They may use everything below the engine; what stands above, such as `Memory`, the commands or a service, calls them.
"""
