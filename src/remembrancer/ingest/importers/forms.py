"""The forms of other programs that an import reads, and how a file is recognised."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers import agents, apps, chat, cogx, memories
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import TABLE, ForeignFile, ForeignMemory, Form, has_field
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import as_object

AUTO: Final = "auto"
"""Recognise the form by the content of a file."""
CHAT: Final = "chat"
"""Messages in JSON, as many programs write them."""
TABLE_OF_MESSAGES: Final = "csv"


def _rows_of(table: str, *columns: str) -> "re.Pattern[str]":
    ahead = "".join(rf'(?=[^\n]*"{column}")' for column in columns)
    return re.compile(rf'\{{"{re.escape(TABLE)}": "{table}"{ahead}')


_HISTORY: Final = _rows_of("history", "new_memory")
_STORE: Final = _rows_of("store", "prefix", "value")
_PART: Final = _rows_of("message", "session_id", "data")
_CURSOR: Final = _rows_of("(?:cursorDiskKV|ItemTable)", "key")
_VECTORS: Final = _rows_of(r"[\w-]+", "payload")


def _is_known_chat(file: ForeignFile) -> bool:
    """Return True for an export of ChatGPT or Claude, and for a log of Claude Code."""
    return file.has("mapping", "current_node") or file.has("chat_messages") or file.has("parentUuid", "sessionId")


def _is_mcp_memory(file: ForeignFile) -> bool:
    first = file.first
    inner = as_object(first.get("entity")) or as_object(first.get("relation")) or first
    is_line = any(name in inner for name in ("entityType", "relationType", "relation_type", "entityName"))
    is_labelled = {"id", "labels", "properties"} <= inner.keys()
    is_graph = file.has("entities", "relations") and file.has_any("entityType", "relationType")
    return is_line or is_labelled or is_graph


def _is_claude_project(file: ForeignFile) -> bool:
    return file.has("docs", "uuid") or file.has("prompt_template", "is_private")


def _is_mem0(file: ForeignFile) -> bool:
    is_memory = file.has("memory") and file.has_any("user_id", "hash", "agent_id")
    return bool(_VECTORS.search(file.head)) or is_memory or file.has("points", "payload")


def _is_letta(file: ForeignFile) -> bool:
    head = file.head.replace('\\"', '"') if file.head.lstrip().startswith('"') else file.head
    names = [{"core_memory"}, {"agents", "blocks"}, {"blocks", "passages"}, {"in_context_message_ids"}]
    return any(all(has_field(head, name) for name in some) for some in names)


def _is_graphiti(file: ForeignFile) -> bool:
    is_fact = file.has("fact") and file.has_any("source_node_uuid", "valid_at", "fact_embedding")
    return is_fact or file.has("episode_body") or file.has("episode", "nodes", "edges")


def _is_telegram(file: ForeignFile) -> bool:
    kinds = (
        "personal_chat",
        "bot_chat",
        "private_group",
        "private_supergroup",
        "public_supergroup",
        "private_channel",
        "public_channel",
        "saved_messages",
    )
    marks = ("date_unixtime", "text_entities", "from_id")
    return file.has("messages") and (file.has_any(*marks) or any(f'"{kind}"' in file.head for kind in kinds))


def _is_slack(file: ForeignFile) -> bool:
    return file.head.lstrip().startswith("[") and file.has("ts", "type") and file.has_any("user", "bot_id", "subtype")


def _is_slack_index(file: ForeignFile) -> bool:
    if not file.head.lstrip().startswith("[") or file.has_any("text", "ts"):
        return False
    is_people = file.has("profile") and file.has_any("real_name", "display_name", "team_id")
    is_log = file.has("service_id", "service_type")
    is_channels = file.has("id", "created", "members") or file.has("is_archived", "members")
    names = ("channels.json", "groups.json", "mpims.json", "dms.json")
    return is_people or is_log or is_channels or (file.file.title in names and file.has("id"))


def _is_index(file: ForeignFile) -> bool:
    """Return True for a file next to conversations: an account, ratings, links, a description of a subagent."""
    marks = ("chatgpt_plus_user", "verified_phone_number", "feedback_version", "evaluation_name", "is_anonymous")
    is_comparison = file.has("prompt_convo")
    is_rating = file.has("rating", "conversation_id")
    return is_comparison or (
        (file.has_any(*marks, "agentType") or is_rating) and not file.has_any("messages", "chat_messages", "mapping")
    )


def _is_codex(file: ForeignFile) -> bool:
    kinds = ("session_meta", "response_item", "event_msg", "turn_context")
    is_log = file.has("payload") and any(f'"{kind}"' in file.head for kind in kinds)
    is_older = file.has("session", "items") or (file.has("record_type") and file.has("id"))
    return is_log or is_older


def _is_part_of_opencode(file: ForeignFile) -> bool:
    is_message = file.has("sessionID", "role") and not file.has("parts")
    is_part = file.has("messageID") or (file.has("type", "text") and file.file.folder.startswith("msg_"))
    in_storage = "message/" in file.file.path or "part/" in file.file.path
    return (is_message or is_part or in_storage) and file.head.lstrip().startswith("{") and not file.has("messages")


def _is_session_of_opencode(file: ForeignFile) -> bool:
    is_session = file.has("id", "time") and file.has_any("projectID", "directory")
    return is_session and "session/" in file.file.path and not file.has_any("messages", "sessionID")


FORMS: Final[tuple[Form, ...]] = (
    Form(
        name="mem0-history",
        title="the history of Mem0",
        matches=lambda file: bool(_HISTORY.search(file.head)),
        entries=memories.mem0_messages,
        memories=memories.mem0_history,
    ),
    Form(
        name="langgraph",
        title="a store of LangGraph",
        matches=lambda file: bool(_STORE.search(file.head)) or {"prefix", "key", "value"} <= file.first.keys(),
        memories=memories.langgraph_rows,
    ),
    Form(
        name="opencode-db",
        title="a database of OpenCode",
        matches=lambda file: bool(_PART.search(file.head)),
        entries=agents.opencode_rows,
    ),
    Form(
        name="cursor-db",
        title="a database of Cursor",
        matches=lambda file: bool(_CURSOR.search(file.head)),
        entries=agents.cursor_rows,
    ),
    Form(name="codex", title="a log of Codex", matches=_is_codex, entries=agents.codex),
    Form(
        name="claude-memories",
        title="memories of Claude",
        memories=memories.claude_memories,
        matches=lambda file: file.has_any("conversations_memory", "memory_files", "project_memories"),
    ),
    Form(
        name="letta",
        title="an agent file of Letta",
        matches=_is_letta,
        entries=agents.letta,
        memories=agents.letta_memories,
    ),
    Form(
        name="engram",
        title="an export of engram",
        entries=memories.engram_prompts,
        memories=memories.engram,
        matches=lambda file: file.has("sessions", "observations", "prompts"),
    ),
    Form(
        name="account",
        title="the account of an export",
        matches=_is_index,
        entries=apps.index_only,
    ),
    Form(
        name="engram-index",
        title="the list of chunks of engram",
        matches=lambda file: file.has("chunks", "version") and not file.has("messages"),
        entries=apps.index_only,
    ),
    Form(
        name="mem0",
        title="memories of Mem0",
        memories=memories.mem0,
        matches=_is_mem0,
    ),
    Form(
        name="cogx",
        title="a file of an archive of Cognee",
        matches=lambda file: file.first.get("kind") in cogx.KINDS and file.has("external_id"),
        entries=cogx.cogx_episodes,
        memories=cogx.cogx,
    ),
    Form(
        name="graphiti",
        title="facts of Graphiti or Zep",
        matches=_is_graphiti,
        entries=memories.graphiti_messages,
        memories=memories.graphiti,
    ),
    Form(
        name="claude-projects",
        title="projects of Claude",
        matches=_is_claude_project,
        memories=memories.claude_projects,
    ),
    Form(
        name="mcp-memory",
        title="a memory.jsonl of the MCP reference server",
        matches=_is_mcp_memory,
        memories=memories.mcp_memory,
    ),
    Form(
        name="opencode",
        title="an export of OpenCode",
        entries=agents.opencode_export,
        matches=lambda file: file.has("info", "messages", "parts"),
    ),
    Form(
        name="opencode-storage",
        title="a session of OpenCode",
        matches=_is_session_of_opencode,
        entries=agents.opencode_session_file,
    ),
    Form(
        name="opencode-part",
        title="a part of a session of OpenCode",
        matches=_is_part_of_opencode,
        entries=apps.index_only,
    ),
    Form(name="telegram", title="an export of Telegram", matches=_is_telegram, entries=apps.telegram),
    Form(
        name="discord",
        title="an export of DiscordChatExporter",
        entries=apps.discord,
        matches=lambda file: file.has("guild", "channel", "messages"),
    ),
    Form(
        name="discord-package",
        title="a channel of the data package of Discord",
        entries=apps.discord_package,
        matches=lambda file: file.has("ID", "Timestamp", "Contents"),
    ),
    Form(name="slack-index", title="a list of an export of Slack", matches=_is_slack_index, entries=apps.index_only),
    Form(name="slack", title="a day of an export of Slack", matches=_is_slack, entries=apps.slack),
    Form(
        name="pairs",
        title="examples for a training",
        entries=apps.pairs,
        matches=lambda file: file.has("prompt", "completion") and not file.has("messages"),
    ),
    Form(name="whatsapp", title="an export of WhatsApp", matches=apps.is_whatsapp, entries=apps.whatsapp),
    Form(name="mbox", title="a mailbox", matches=apps.is_mbox, entries=apps.mbox),
    Form(name=TABLE_OF_MESSAGES, title="a table of messages", matches=apps.is_table, entries=apps.table),
    Form(name="markdown", title="a note in Markdown", matches=memories.is_markdown, memories=memories.markdown),
)
"""The forms, the more specific ones first."""
NAMES: Final = (AUTO, CHAT, *(form.name for form in FORMS))


def form_of(file: ChatFile, name: str = AUTO) -> Form | None:
    """Return the form of a file; `None` for messages in JSON.

    Args:
        name: of the form, or `auto` to recognise it. A file with a mapping is a table of messages.

    Raises:
        InvalidInput: there is no such form, or the file cannot be opened.
    """
    if file.mapping:
        name = TABLE_OF_MESSAGES
    if name == CHAT:
        return None
    if name != AUTO:
        form = next((form for form in FORMS if form.name == name), None)
        if form is None:
            raise InvalidInput(f"no form {name!r}; there are {', '.join(NAMES)}")
        return form
    foreign = ForeignFile(file)
    if _is_known_chat(foreign):
        return None
    return next((form for form in FORMS if form.matches(foreign)), None)


def turns_of(file: ChatFile, reader: Reader, form: Form | None) -> Iterator[Turn]:
    """Yield the turns of a file.

    Raises:
        InvalidInput: it cannot be read in its form.
    """
    if form is None:
        yield from file.turns(reader)
    elif form.entries is not None:
        try:
            for turn in chat.read_turns(form.entries(ForeignFile(file), reader), reader):
                yield turn if turn.occurred_at or turn.written_at else replace(turn, written_at=file.written_at)
        except (RecursionError, OSError) as error:
            raise InvalidInput(f"{reader.name}: cannot be read: {error}") from error


def memories_of(file: ChatFile, reader: Reader, form: Form | None) -> Iterator[ForeignMemory]:
    """Yield the memories of a file.

    Raises:
        InvalidInput: it cannot be read in its form.
    """
    if form is not None and form.memories is not None:
        try:
            yield from form.memories(ForeignFile(file), reader)
        except (RecursionError, OSError) as error:
            raise InvalidInput(f"{reader.name}: cannot be read: {error}") from error
