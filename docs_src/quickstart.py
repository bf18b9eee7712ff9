"""The first program of the README and of the quickstart."""

from remembrancer import SyncMemory

with SyncMemory("agent.db", user="ana") as memory:
    memory.record("I moved to Lisbon, and I cannot stand early flights.", speaker="Ana", key="message-1")
    memory.save("Ana books flights after 10:00", type="preference", topic_key="flights")
    for hit in memory.recall("When should Ana's flight leave?"):
        print(f"{hit.score:.2f}  {hit.text}")
