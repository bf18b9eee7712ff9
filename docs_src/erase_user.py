"""The examples of "Delete a user and prove it"."""

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from remembrancer import SyncMemory, check_receipt

with SyncMemory("agent.db", user="ana") as ana:
    ana.record("I moved to Lisbon.", speaker="Ana")

operator = SyncMemory("agent.db", actor="operator")

# Look first: nothing is changed.
plan = operator.governance.erasure.plan(user="ana")
print(dict(plan.kinds), plan.legal_holds, plan.beyond)

# Memories of others that name her.
for mention in operator.governance.erasure.find_mentions("Ana"):
    print(mention.id, mention.text)

# Erase, and keep the receipt.
receipt = operator.governance.erasure.erase(user="ana", reason="request of 24 November")
print(receipt.found)  # remains that the search afterwards found: 0
Path("receipt.json").write_text(json.dumps(asdict(receipt), default=datetime.isoformat))

# Verify it, without the store. An empty text means that it is valid.
print(check_receipt(json.loads(Path("receipt.json").read_text()), key=receipt.key) or "valid")

operator.close()
