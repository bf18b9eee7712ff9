"""The reflector: a log of observations made shorter, by what belongs together, what changed and what was repeated.

Imports `model`, `retrieval`, `engines.agreement`, `engines.observing` and NumPy alone. Start reading at `reflect.py`;
`check.py` says what of any reflector is refused, `consolidate.py` how it is tried again.
"""
