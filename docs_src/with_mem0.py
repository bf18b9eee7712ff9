"""A program for Mem0 on a memory: the import is all that changes."""

import sys

from remembrancer.integrations.mem0 import Memory

line = " ".join(sys.argv[1:]) or "I cannot stand early flights, and I am a vegetarian."

with Memory("mem0.db") as memory:
    known = memory.search("Which flight suits me?", filters={"user_id": "ana"})["results"]
    print(f"known: {[one['memory'] for one in known]}")
    # Without a language model, the deterministic observer selects the sentences.
    added = memory.add([{"role": "user", "content": line}], user_id="ana")
    print(f"added: {[one['memory'] for one in added['results']]}")
