"""Frozen values and pure rules, from the standard library only. Start with `scope.py` and `record.py`."""
