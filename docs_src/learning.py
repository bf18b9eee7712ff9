"""The example of "Learning"."""

from remembrancer import SyncMemory

with SyncMemory("agent.db", agent="email", user="maria", background=False) as memory:
    memory.episodes.record("removed semicolon from third paragraph", event="approval_modified", contact="Bertelli")
    memory.episodes.signal("routed_differently", contact="Bertelli", attributes={"from": "inbox", "to": "manager"})
    memory.facts.set("contact/bertelli/tone", "formal", category="contact")
    memory.rules.add("Never send without approval.")
    print(memory.context(task="answer Bertelli's mail on the order", contact="Bertelli").text)
    night = memory.admin.maintenance.run()  # usually in the background, at 02:14
    print(night.counts, [pattern.text for pattern in memory.patterns.list()])
