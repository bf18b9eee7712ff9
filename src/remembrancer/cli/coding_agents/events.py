"""Events of coding agents, as their hooks pass them in JSON on standard input.

Claude Code and Codex use the same names; Cursor has its own; the plugin for OpenCode uses those of Claude Code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, cast
from zlib import crc32

Json = Mapping[str, Any]
CLAUDE_CODE: Final = "claude-code"
CODEX: Final = "codex"
CURSOR: Final = "cursor"
OPENCODE: Final = "opencode"
AGENTS: Final = (CLAUDE_CODE, CODEX, CURSOR, OPENCODE)


class Step(StrEnum):
    """The work of a hook."""

    START = "start"
    PROMPT = "prompt"
    RECORD = "record"
    END = "end"


_STEPS: Mapping[str, Step] = {
    "SessionStart": Step.START,
    "UserPromptSubmit": Step.PROMPT,
    "PreCompact": Step.RECORD,
    "PostCompact": Step.RECORD,
    "Stop": Step.RECORD,
    "SessionEnd": Step.END,
    "sessionStart": Step.START,
    "beforeSubmitPrompt": Step.PROMPT,
    "afterAgentResponse": Step.RECORD,
    "stop": Step.RECORD,
    "sessionEnd": Step.END,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """An event of a coding agent.

    Args:
        name: the agent's name for it.
        session: the agent's id of the session.
        folder: the working folder, or `""`.
        prompt: the prompt of the user, or `""`.
        transcript: the path of the agent's log, or `""`; then `messages` are what is known.
        messages: each with role, text, key and time.
    """

    name: str
    step: Step
    session: str
    folder: str
    prompt: str = ""
    transcript: str = ""
    messages: tuple[Mapping[str, str], ...] = ()


def event_of(agent: str, fields: Json) -> AgentEvent | None:
    """Return an event; `None` for one that is not ours."""
    name, session = _text(fields, "hook_event_name"), _text(fields, "session_id") or _text(fields, "conversation_id")
    step = _STEPS.get(name)
    if step is None or not session:
        return None
    roots = fields.get("workspace_roots")
    root = (
        next((one for one in cast("list[Any]", roots) if isinstance(one, str)), "") if isinstance(roots, list) else ""
    )
    # Cursor names a log in some versions, with fewer messages than its hooks.
    transcript = "" if agent == CURSOR else _text(fields, "transcript_path")
    return AgentEvent(
        name=name,
        step=step,
        session=session,
        folder=_text(fields, "cwd") or root,
        prompt=_text(fields, "prompt"),
        transcript=transcript,
        messages=() if transcript else _messages(fields),
    )


def _messages(fields: Json) -> tuple[Mapping[str, str], ...]:
    """Return the messages in an event: a prompt, an answer, or a list of the plugin."""
    turn = _text(fields, "turn_id") or _text(fields, "generation_id") or _text(fields, "prompt_id")
    now = datetime.now(UTC).isoformat()
    texts = (("user", _text(fields, "prompt")), ("assistant", _text(fields, "last_assistant_message")))
    answer = _text(fields, "text") if _text(fields, "hook_event_name") == "afterAgentResponse" else ""
    found = [
        {"role": role, "text": text, "key": f"{turn}-{role}-{crc32(text.encode('utf-8', 'replace')):08x}", "at": now}
        for role, text in (*texts, ("assistant", answer))
        if text.strip() and turn
    ]
    listed = fields.get("messages")
    for one in cast("list[Any]", listed) if isinstance(listed, list) else []:
        if isinstance(one, Mapping):
            message = cast("Json", one)
            role, text, key = (_text(message, name) for name in ("role", "text", "key"))
            if role and text.strip() and key:
                found.append({"role": role, "text": text, "key": key, "at": _text(message, "at") or now})
    return tuple(found)


def _text(fields: Json, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
