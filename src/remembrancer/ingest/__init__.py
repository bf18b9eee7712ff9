"""Admission of memories, facts, and imports of chats and exports.

Start with `admission`: every memory passes through it.
"""
