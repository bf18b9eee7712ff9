"""Credentials in a text: what kinds there are, and where they stand.

`kinds` has the table, a kind of credential each: its shape in words, its patterns, examples and near misses. `find`
puts together what the table finds with what is found by a name (`assignments`, `spoken`), in a table (`columns`), among
the settings of a connection (`connections`) and between the marks of a private key (`private_keys`).
"""
