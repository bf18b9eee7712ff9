"""The examples of "Tenants, users and access"."""

from remembrancer import NotFound, Scope, SyncMemory

memory = SyncMemory("agent.db")

# One open store, many scopes.
shared = memory.within(Scope(tenant="local", project="apollo"))
ana = memory.within(Scope(tenant="local", project="apollo", user="ana"), actor="Ana")
bob = memory.within(Scope(tenant="local", project="apollo", user="bob"), actor="Bob")

shared.save("Apollo launches in May")
of_ana = ana.save("Ana is on leave in April")
print([hit.text for hit in ana.recall("When does Apollo launch?")])
try:
    bob.get(of_ana.id)
except NotFound as error:
    print(error)

# A caller with a lower clearance.
guest = memory.within(Scope(tenant="local", project="apollo"), clearance="public")
print(len(guest.list().records))

# An access key for the service.
created = shared.admin.keys.create("apollo-agent", rights=["read", "write"], days=90)
print(created.token[:4], created.key.rights)
shared.admin.keys.revoke(created.key.id)

memory.close()
