"""What a memory is: frozen values and pure rules. Standard library only; start at `scope.py` and `record.py`."""
