"""An agent that remembers: it recalls what bears on a line, prints that, and records the line."""

import sys
from os import environ

from remembrancer import SyncClient

line = " ".join(sys.argv[1:])
with SyncClient(environ["REMEMBRANCER_URL"], key=environ.get("REMEMBRANCER_KEY", "")) as memory:
    # A prompt for a model would begin with this text; here it is printed.
    known = memory.context("diary", question=line, mode="search")
    is_cut = bool(known.report.dropped)
    print(known.text or ("What is known is too long." if is_cut else "Nothing is known that bears on this."))
    memory.record(line, session="diary")
