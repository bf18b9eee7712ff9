"""The examples of "Ask questions with citations"."""

from remembrancer import SyncMemory
from remembrancer.testing import ScriptedModel

model = ScriptedModel(["To Oban [1].", "To Oban [1].", "I wrote to the carrier.", '{"insight": null}'])
memory = SyncMemory("agent.db", user="ana", model=model)
memory.save("Order TW-118 goes to Oban", topic_key="order/tw-118")

answer = memory.ask("Where does order TW-118 go?")
print(answer.text, answer.known)
for citation in answer.citations:
    print(citation.label, citation.line, citation.id)

# As the model writes it; the checked answer comes last.
for piece in memory.ask_stream("Where does order TW-118 go?"):
    if isinstance(piece, str):
        print(piece, end="", flush=True)
    else:
        print(piece.known)

# A whole task: both sides are recorded.
done = memory.sessions.execute("Tell the carrier where TW-118 goes.", session="order")
print(done.text, done.memories, done.tokens)

memory.close()
