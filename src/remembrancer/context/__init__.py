"""Remembering aloud: the block that an agent reads. Values in, text out; no store, no clock, no model.

Imports `model`, `ports` and the standard library alone. Start reading at `assemble.py`.
"""
