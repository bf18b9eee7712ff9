"""The context of an agent: conversation, recalled memories and report.

Start reading at `builder.py`, which reads the store and calls `assemble.py`. Budgets and rendering touch no store.
"""
