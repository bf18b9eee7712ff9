"""The examples of "Keep things for a time"."""

from remembrancer import Scope, SyncMemory

operator = SyncMemory("agent.db", actor="operator")
retention, holds = operator.governance.retention, operator.governance.holds

# Policies.
retention.set("chats", keep_days=90, kinds=["message", "observation"])
retention.set("restricted", keep_days=30, classifications=["restricted"])
print([policy.name for policy in retention.list()])

# Due, and removed.
for due in retention.find_expired():
    print(due.id, due.policy, due.text)
print(retention.run(dry_run=True))

# A legal hold.
of_ana = operator.within(Scope(tenant="local", user="ana"))
of_ana.governance.holds.place("case 12", reason="a claim is open")
holds.place("case 13", person="Ana Ruiz", reason="a claim is open")
print([hold.name for hold in holds.list()])
of_ana.governance.holds.release("case 12", reason="settled")

operator.close()
