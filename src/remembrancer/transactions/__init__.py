"""Units of work, write transactions, audit and rejections.

Start with `unit_of_work`: it opens `write_transaction`, which is the only code that writes to a store.
"""
