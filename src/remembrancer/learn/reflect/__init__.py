"""The reflector: it shortens a log of observations by topic, change and repetition.

Start reading at `reflect.py`; `consolidate.py` checks the result of any reflector and retries.
"""
