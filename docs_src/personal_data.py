"""The examples of "Personal data and secrets"."""

from remembrancer import SyncMemory

memory = SyncMemory("agent.db", user="ana")

# Private regions and secrets never reach the store.
saved = memory.record("My PIN is <private>4711</private>, the password is hunter2-Blue!")
print(saved.record.text)

# Personal data: off, tag, mask or refuse, for each kind.
for effective in memory.governance.redactions.list():
    print(effective.data_type, effective.redaction)
memory.governance.redactions.set("card", "mask")
print(memory.record("My card is 4111 1111 1111 1111").record.text)

# The class of a memory follows its content.
passport = memory.save("Her passport number is X1234567")
print(passport.record.classification)
memory.governance.classify(passport.id, "internal", reason="an example, not a number")

memory.close()
