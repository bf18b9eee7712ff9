"""The embedded store: one SQLite file, one writer, several processes. Start at `store.py`."""
