"""A conversation that stays within a window."""

from remembrancer import SyncMemory

with SyncMemory("agent.db", user="ana") as memory:
    conversation = memory.conversation("lisbon")
    conversation.add("I fly to Lisbon on 4 May, and I cannot stand early flights.", key="lisbon-1")
    print(conversation.context().messages())
    conversation.add("Booked: TP 533 at 11:20.", role="assistant", key="lisbon-2")
    print(conversation.stats())
