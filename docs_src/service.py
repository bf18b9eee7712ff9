"""The example of "Run the service"."""

from remembrancer import SyncClient

memory = SyncClient("http://127.0.0.1:8077", key="rmb_…", user="ana")  # was: SyncMemory("agent.db", user="ana")
memory.close()
