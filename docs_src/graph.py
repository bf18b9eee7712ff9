"""The examples of "Ask who and what"."""

from remembrancer import NewMessage, SyncMemory

memory = SyncMemory("agent.db")
memory.record(NewMessage(text="I work at Acme. My sister Clara lives in Lisbon.", speaker="Ana"))
memory.record(NewMessage(text="I joined Globex today.", speaker="Ana"))

for relation in memory.graph.entity("Ana").relations:
    print(relation.subject, relation.predicate, relation.object, relation.until)
print([relation.predicate for relation in memory.graph.shortest_path("Clara", "Globex")])

memory.graph.relate("Billing", "runs_on", "PostgreSQL")
memory.graph.relate("Billing", "runs_on", "PostgreSQL", ended=True)

memory.save("Luigi Bertelli works at Acme.")
memory.save("Gigi lives in Rome.")
memory.save("Anna Weber works at Acme.")
id = memory.save("Anna Weber lives in Bonn.").record.id

memory.graph.merge("Gigi", "Luigi Bertelli", reason="His friends say so.")
memory.graph.split("Gigi", "Luigi Bertelli")
memory.graph.split("Anna Weber", "Anna Weber the dentist", memories=[id])

memory.close()
