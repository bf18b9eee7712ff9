"""The nightly run of a scope: compaction, consolidation, detection, promotion, standing, each step once a local day.

Begin with `run`; each step is a file of its own. Each step is its own transactions and its own record: a run that is
killed goes on at its step, and one that is run again changes nothing.
"""
