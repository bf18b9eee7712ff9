"""The examples of "Import and export"."""

from pathlib import Path

from remembrancer import ChatFile, SyncMemory

memory = SyncMemory("agent.db", user="mira")

# Chats: ChatGPT, Claude, Claude Code, Codex, Gemini, ShareGPT, LangChain, JSON lines.
imported = memory.messages.import_file(ChatFile.at("sample.jsonl"))
print(imported)

# Export: jsonl, jsonld, csv or markdown.
with Path("memories.jsonl").open("w") as file:
    for line in memory.governance.archives.export(form="jsonl"):
        file.write(line)

# A sealed archive of a scope, with its whole history.
memory.governance.archives.create("ana.archive", passphrase="correct horse battery")
print(memory.governance.archives.check("ana.archive", passphrase="correct horse battery").memories)

memory.close()

with SyncMemory("other.db", user="mira") as other:
    other.governance.archives.import_archive("ana.archive", passphrase="correct horse battery", reason="a new machine")
    print(other.admin.stats().records)
