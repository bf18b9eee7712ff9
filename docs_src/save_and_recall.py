"""The examples of "Save and recall"."""

from remembrancer import Filter, NewMessage, NewObservation, RecallRequest, SyncMemory

memory = SyncMemory("agent.db", user="ana")

# Messages: what people, agents and tools said.
memory.record("Can you find me a flight to Oslo?", speaker="Ana", session="oslo", key="chat-17/1")
memory.record("There is one at 11:20.", role="assistant", session="oslo", key="chat-17/2")

# Observations: what is worth knowing.
saved = memory.save("Ana books flights after 10:00", type="preference", topic_key="flights", tags=["travel"])
print(saved.id, saved.outcome)  # created, updated or deduped

# Recall.
for hit in memory.recall("When should Ana's flight leave?", limit=5):
    print(f"{hit.score:.2f}  {type(hit.record).__name__}  {hit.text}")

# Nothing relevant.
answer = memory.recall("How high is Mount Kenya?")
print(answer.abstained, len(answer.nearest))

# Preferences.
for hit in memory.recall("Plan my trip to Oslo").hits:
    print(hit.text)

# Filters.
travel = Filter(kinds=["observation"], tags=["travel"])
print(memory.recall("flight", filter=travel).hits[0].text)

# All options.
request = RecallRequest(question="flight", filter=travel, limit=3, record_access=False)
print(len(memory.recall(request).hits))

# Many at once, in one transaction.
memory.messages.record_many([NewMessage(text="Which seat?", session="oslo"), NewMessage(text="Aisle.", session="oslo")])
memory.observations.save_many([NewObservation(text="Ana prefers aisle seats", topic_key="seat")])

# By id, by topic key, and page by page.
print(memory.get(topic_key="seat").text)
page = memory.list(Filter(kinds=["observation"]), limit=1)
while page.cursor:
    page = memory.list(Filter(kinds=["observation"]), limit=1, cursor=page.cursor)

# Facts: one value under a key, with the time for which it is valid.
memory.facts.set("contact/bertelli/tone", "formal", category="contact")
print(memory.facts.get("contact/bertelli/tone").details.value)

memory.close()
