"""An agent of the OpenAI Agents SDK whose conversation, and memory of its user, outlive the process."""

import asyncio
import sys

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message

from remembrancer import SyncMemory
from remembrancer.integrations.openai_agents import RemembrancerSession

set_tracing_disabled(True)


async def main(memory: SyncMemory, line: str) -> None:
    # Leave out `model` to use OpenAI's. This one needs no key, and says the same each time.
    model = ScriptedModel([[assistant_message("There is one at 11:20.")]])
    agent = Agent(name="travel", instructions="Book flights.", model=model)
    session = RemembrancerSession("oslo", memory)
    earlier = await session.get_items()
    # The callback adds what other conversations say about the input.
    config = RunConfig(session_input_callback=session.with_recall)
    result = await Runner.run(agent, line, session=session, run_config=config)
    print(f"{len(earlier)} earlier items; {result.final_output}")


with SyncMemory("openai_agents.db", user="ana") as memory:
    asyncio.run(main(memory, " ".join(sys.argv[1:]) or "Which flight to Oslo suits me?"))
