"""The examples of "Put memory into a prompt"."""

from remembrancer import Budget, ContextRequest, SyncMemory
from remembrancer.testing import ScriptedModel

model = ScriptedModel(lambda prompt: "Of course.")
memory = SyncMemory("agent.db", agent="mail", user="ana", model=model, observe_model="none", reflect_model="none")
memory.save("Always answer in two sentences.", type="preference")

# A conversation.
conversation = memory.conversation("lisbon")
conversation.add("I fly to Lisbon on 4 May, and I cannot stand early flights.")
context = conversation.context()
messages = context.messages()  # for an OpenAI-compatible chat API
prompt = context.text  # the same as one text
conversation.add("Booked: TP 533 at 11:20.", role="assistant")

# Anthropic: the system texts apart, with cache marks.
context = conversation.context()
system, messages = context.system(), context.messages(marks=True)

# The configured model answers, and both sides are recorded.
reply = conversation.reply("Which flight did you book?")
print(reply.text)

# Without a conversation object.
brief = memory.context(mode="brief")
found = memory.context(question="When does Ana fly?", mode="search")
sure = memory.context(question="Book a flight for Ana", mode="prompt")
print(brief.text, found.tokens, sure.notes)

# Limits.
small = memory.context("lisbon", budget=Budget(window=8_000, slots={"facts": 300, "recalled": 1_000}))
short = memory.context(mode="brief", budget=Budget(tokens=400))
print(small.report.slots, short.tokens)

# A task, with the results of tools and the person concerned.
request = ContextRequest(
    task="Answer Bertelli's mail on the order",
    history=["find_order(TW-118): shipped on 2 May"],
    contact="Bertelli",
)
print(memory.context(request).text)

memory.close()
