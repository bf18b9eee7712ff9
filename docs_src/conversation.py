"""The README's second program."""

from remembrancer import SyncMemory

with SyncMemory("agent.db", user="ana") as memory:
    talk = memory.conversation("lisbon")
    talk.add("I fly to Lisbon on 4 May, and I cannot stand early flights.", key="lisbon-1")
    print(talk.context().messages())  # for any chat API, and never more than the window, however long this gets
    talk.add("Booked: TP 533 at 11:20.", role="assistant", key="lisbon-2")
    print(talk.stats())
