"""Reads and writes of one caller: units of work, write transactions, audit, legal holds and rejections.

Start with `unit_of_work`: it opens `write_transaction`, which is the only code that writes to a store.
"""
