"""What the engine needs from outside: protocols only. May import the model; start at `store.py`."""
