"""An agent of Pydantic AI that remembers its user from one run to the next."""

import sys

from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel

from remembrancer import Scope, SyncMemory
from remembrancer.integrations.pydantic_ai import MemoryCapability, load_history


def owner(ctx: RunContext[str]) -> Scope:
    """Return whose memory a run reads and writes: the user is in the dependencies, never in the prompt."""
    return Scope(user=ctx.deps)


line = " ".join(sys.argv[1:]) or "Which flight to Oslo suits me? I cannot stand early flights."

with SyncMemory("pydantic_ai.db") as memory:
    # Name a model, such as "openai:gpt-5-nano". This one needs no key, and says the same each time.
    model = TestModel(call_tools=[], custom_output_text="There is one at 11:20.")
    agent = Agent(model, deps_type=str, capabilities=[MemoryCapability(memory, session="oslo", scope=owner)])
    history = load_history(memory.within(Scope(user="ana")), "oslo")
    result = agent.run_sync(line, deps="ana", message_history=history)
    print(f"{len(history)} earlier messages; {result.output}")
