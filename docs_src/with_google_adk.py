"""A memory service of Google's Agent Development Kit that outlives the process."""

import asyncio
import sys

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, Part

from remembrancer import SyncMemory
from remembrancer.integrations.google_adk import RemembrancerMemoryService


async def main(memory: SyncMemory, line: str) -> None:
    # With an agent: Runner(agent=…, memory_service=service, session_service=sessions, app_name="travel").
    service, sessions = RemembrancerMemoryService(memory), InMemorySessionService()
    found = await service.search_memory(app_name="travel", user_id="ana", query=line)
    print(f"known: {[entry.content.parts[0].text for entry in found.memories]}")
    session = await sessions.create_session(app_name="travel", user_id="ana")
    await sessions.append_event(session, Event(author="user", content=Content(role="user", parts=[Part(text=line)])))
    await service.add_session_to_memory(session)


with SyncMemory("google_adk.db") as memory:
    asyncio.run(main(memory, " ".join(sys.argv[1:]) or "Which flight to Oslo suits me? I cannot stand early flights."))
