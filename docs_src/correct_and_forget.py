"""The examples of "Correct and forget"."""

from remembrancer import Filter, SyncMemory

memory = SyncMemory("agent.db", user="ana")
saved = memory.save("Ana books flights after 10:00", topic_key="flights")
wrong = memory.save("Ana likes early flights")

# Edit: the earlier wording stays in the history.
memory.edit(saved.id, "Ana books flights after 11:00")
for version in memory.timeline.history(saved.id):
    print(version.since, version.record.text)

# The same by a topic key.
memory.save("Ana books flights after 11:30", topic_key="flights")

# Feedback of a person.
memory.feedback(wrong.id, "wrong")
print([hit.text for hit in memory.recall("Does Ana like early flights?")])
memory.feedback(wrong.id, "undo")

# Delete and restore.
memory.delete(wrong.id)
memory.restore(wrong.id)

# Many at once.
memory.save("Ana may move to Porto", tags=["draft"])
drafts = Filter(tags=["draft"])
print(memory.observations.delete_many(drafts, dry_run=True).count)
deleted = memory.observations.delete_many(drafts)
if deleted.deleted_at is not None:
    memory.observations.restore_many(deleted.deleted_at)

memory.close()
