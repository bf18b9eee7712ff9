"""The command line: each command parses, calls `Memory`, and shapes what comes back. Start at `app.py`."""
