"""Anthropic's memory tool on a memory: its files are versioned, recalled and erased like all else."""

from anthropic.types.beta import BetaMemoryTool20250818CreateCommand as Create
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand as View

from remembrancer import SyncMemory
from remembrancer.integrations.anthropic import RemembrancerMemoryTool

with SyncMemory("anthropic.db", user="ana") as memory:
    tool = RemembrancerMemoryTool(memory)
    # With a key: anthropic.Anthropic().beta.messages.tool_runner(tools=[tool], …). Here we are the model.
    listing = tool.view(View(command="view", path="/memories"))
    if "flights.md" not in listing:
        text = "Ana cannot stand early flights.\n"
        print(tool.create(Create(command="create", path="/memories/flights.md", file_text=text)))
    print(tool.view(View(command="view", path="/memories/flights.md")))
    # An agent without the tool knows it, too.
    print(memory.recall("When does Ana like to fly?").hits[0].text)
