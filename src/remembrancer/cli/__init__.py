"""The command line: commands made of the table of operations, and a few written by hand. Start at `app.py`."""
