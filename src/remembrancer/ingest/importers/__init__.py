"""Reading chats that somebody else wrote down, into turns. May import the model only; start at `files.py`."""
