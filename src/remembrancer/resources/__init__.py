"""The resources of a memory: a module for each noun.

`Memory` and its clients call them. They may import every layer below.
"""
