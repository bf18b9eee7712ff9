"""The examples of "Why was this not found?"."""

from datetime import UTC, datetime, timedelta

from remembrancer import SyncMemory

memory = SyncMemory("agent.db", user="ana")
message = memory.record("Order TW-118 goes to Mull.", speaker="Ana")
saved = memory.save("Order TW-118 goes to Oban", topic_key="order/tw-118", evidence=[message.id])

# Which stage lost it?
why = memory.explain("Where does TW-118 go?", saved.id)
print(why.stage, why.reason, why.rank)

# Where does a claim come from?
evidence = memory.evidence(saved.id)
print([source.record.text for source in evidence.sources])

# What was known at a time?
yesterday = datetime.now(UTC) - timedelta(days=1)
print(memory.recall("Where does TW-118 go?", as_of=yesterday).hits)
print([record.text for record in memory.timeline.diff(yesterday, datetime.now(UTC)).learnt])

# What happened around it?
for record in memory.timeline.around(message.id).after:
    print(record.occurred_at, record.text)

memory.close()
