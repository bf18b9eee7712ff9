"""The example of "Ask who and what"."""

from remembrancer import NewMessage, SyncMemory

memory = SyncMemory("agent.db")
memory.record(NewMessage(text="I work at Acme. My sister Clara lives in Lisbon.", speaker="Ana"))
memory.record(NewMessage(text="I joined Globex today.", speaker="Ana"))

for relation in memory.graph.entity("Ana").relations:
    print(relation.subject, relation.predicate, relation.object, relation.until)
print([relation.predicate for relation in memory.graph.shortest_path("Clara", "Globex")])

memory.close()
