"""A memory of LlamaIndex that knows what earlier processes were told."""

import asyncio
import sys

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from remembrancer import SyncMemory
from remembrancer.integrations.llama_index import RemembrancerMemoryBlock


async def main(memory: SyncMemory, line: str) -> None:
    block = RemembrancerMemoryBlock(memory=memory)
    # Leave out `tokenizer_fn` to use LlamaIndex's, which downloads its tables.
    chat = Memory.from_defaults(session_id="oslo", memory_blocks=[block], tokenizer_fn=str.split)
    await chat.aput(ChatMessage(role="user", content="Which flight suits me?"))
    # An agent reads these messages.
    print([message.content for message in await chat.aget()])


with SyncMemory("llama_index.db", user="ana") as memory:
    asyncio.run(main(memory, "Which flight suits me?"))
    # LlamaIndex passes on what leaves its window; a short chat is recorded here.
    memory.record(" ".join(sys.argv[1:]) or "I cannot stand early flights.", session="oslo")
