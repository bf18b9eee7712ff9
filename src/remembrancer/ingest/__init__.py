"""Ways in for memories: admission of every kind, facts, and imports of chats and of our own exports.

Start with `admission`: every memory passes through it.
"""
