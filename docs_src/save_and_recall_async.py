"""The asynchronous example of "Save and recall"."""

import anyio

from remembrancer import open_memory


async def main() -> None:
    async with open_memory("agent.db", user="ana") as memory:
        await memory.save("Ana books flights after 10:00", topic_key="flights")
        found = await memory.recall("When should Ana's flight leave?")
        print(found.hits[0].text)


anyio.run(main)
