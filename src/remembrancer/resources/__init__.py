"""The resources of a memory: one file a noun, each for one caller.

They may import every layer below; `Memory`, the commands and services call them.
"""
