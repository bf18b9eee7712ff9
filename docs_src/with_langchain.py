"""A LangChain chain with a history that outlives the process, and a retriever over all conversations."""

import sys

from langchain_core.messages import AIMessage, HumanMessage

from remembrancer import SyncMemory
from remembrancer.integrations.langchain import RemembrancerChatMessageHistory, RemembrancerRetriever

line = " ".join(sys.argv[1:]) or "I cannot stand early flights. Is there one to Oslo at noon?"

with SyncMemory("langchain.db", user="ana") as memory:
    history = RemembrancerChatMessageHistory("oslo", memory)
    documents = RemembrancerRetriever(memory=memory, limit=3).invoke(line)
    print(f"{len(history.messages)} earlier messages; known: {[one.page_content for one in documents]}")
    # A model would answer from the history and the documents.
    history.add_messages([HumanMessage(line), AIMessage("There is one at 11:20.")])
