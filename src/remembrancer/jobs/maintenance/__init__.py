"""Nightly maintenance of a scope: retention, compaction, pattern detection, rules and scores, once a local day.

Start reading in `runner`. Each step has its own transactions and records its progress: a run that is killed continues
at its step, and a run that is repeated changes nothing.
"""
