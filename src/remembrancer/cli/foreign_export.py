"""Exports in the forms of other programs, made of the lines of an export of ours."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from remembrancer.cli.target import refused

Json = Mapping[str, Any]
MEM0: Final = "mem0"
LANGGRAPH: Final = "langgraph"
NOTES: Final = "notes"
MV2: Final = "mv2"
TEXTS: Final = (MEM0, LANGGRAPH)
"""Forms of one text."""
FOLDERS: Final = (NOTES, MV2)
"""Forms of a folder with several files."""
_CLAIMS: Final = ("observation", "reflection", "fact")
_NAME_CHARACTERS: Final = 60


def as_text(form: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a text in a form of `TEXTS`.

    Args:
        lines: of an export in JSON lines.
    """
    memories = (memory for memory in map(json.loads, lines) if memory["kind"] in _CLAIMS)
    if form == LANGGRAPH:
        for memory in memories:
            yield f"{json.dumps(_row_of_langgraph(memory), ensure_ascii=False)}\n"
        return
    results = [_memory_of_mem0(memory) for memory in memories]
    yield f"{json.dumps({'results': results}, ensure_ascii=False, indent=1)}\n"


def is_claim(line: str) -> bool:
    """Return True if a line of an export is an observation, a reflection or a fact, which every form has."""
    return json.loads(line)["kind"] in _CLAIMS


def _memory_of_mem0(memory: Json) -> Json:
    scope, metadata = memory["scope"], {**memory["metadata"]}
    own = metadata.pop("mem0", {})
    return {
        "id": memory["id"],
        "memory": memory["text"],
        "hash": None,
        "user_id": scope["user"],
        "agent_id": scope["agent"],
        "run_id": memory["session"],
        **own.get("ids", {}),
        "categories": [memory["type"]] if memory.get("type") else [],
        "metadata": {
            **metadata,
            **own.get("metadata", {}),
            **({"project": scope["project"]} if scope["project"] else {}),
        },
        "created_at": memory["occurred_at"],
        "updated_at": memory["updated_at"],
        **({"expiration_date": memory["valid_until"][:10]} if memory.get("valid_until") else {}),
    }


def _row_of_langgraph(memory: Json) -> Json:
    """Return a memory as a row of the table `store`: an item as it was stored, or any other memory.

    The latter has the labels of its scope, its id, and its text and fields as the value.
    """
    scope, times = memory["scope"], {"created_at": memory["occurred_at"], "updated_at": memory["updated_at"]}
    if item := memory["metadata"].get("langgraph"):
        *labels, key = item["path"]
        kept = item["value"]
        is_original = memory["author"] == "langgraph"
        value = kept["item"] if is_original else {**kept["item"], "correction": memory["text"]}
        ends = {"expires_at": memory["valid_until"], "ttl_minutes": kept["ttl"]} if kept["ttl"] is not None else {}
        return {"prefix": ".".join(labels), "key": key, "value": value, **times, **ends}
    labels = [memory["kind"], *(scope[name] for name in ("project", "agent", "user") if scope[name])]
    value = {
        "content": memory["text"],
        "type": memory.get("type"),
        "tags": memory["tags"],
        "metadata": memory["metadata"],
    }
    return {
        "prefix": ".".join(label.replace(".", "-") for label in labels),
        "key": memory["id"],
        "value": value,
        **times,
    }


def write_notes(folder: Path, lines: Iterable[str]) -> int:
    """Write a note in Markdown for each claim, by project, agent and user; return their number.

    Raises:
        CommandRefused: a note exists.
    """
    count = 0
    for memory in map(json.loads, lines):
        if memory["kind"] not in _CLAIMS:
            continue
        scope = memory["scope"]
        parts = [_part(scope[name]) for name in ("project", "agent", "user") if scope[name]]
        title = memory.get("title") or memory["text"].partition("\n")[0]
        path = folder.joinpath(*parts, f"{_part(title)}-{memory['id'][-8:]}.md")
        if path.exists():
            raise refused(f"{path} exists; name an empty folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_note(memory, title), "utf-8")
        count += 1
    return count


def _note(memory: Json, title: str) -> str:
    fields = {
        "title": " ".join(title.split()),
        "type": memory.get("type") or memory["kind"],
        "permalink": memory["id"],
        "tags": f"[{', '.join(memory['tags'])}]",
        "created": memory["occurred_at"],
        "modified": memory["updated_at"],
    }
    front = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\n{front}---\n\n{memory['text']}\n"


def _part(name: str) -> str:
    plain = re.sub(r"[^\w-]+", "-", name).strip("-").lower()
    return plain[:_NAME_CHARACTERS] or "memory"


def write_memvid(folder: Path, lines: Iterable[str], *, progress: Callable[[int], None]) -> list[Path]:
    """Write files of Memvid: one for each agent, `shared.mv2`, and `system.mv2`; large ones in parts.

    Raises:
        StoreError: the extra `memvid` is not installed, or a memory did not come back.
        InvalidInput: a file exists.
    """
    from remembrancer.open import memvid_files

    groups: dict[str, list[str]] = {}
    for line in lines:
        scope = json.loads(line)["scope"]
        is_system = not any(scope[name] for name in ("project", "agent", "user"))
        name = _part(scope["agent"]) if scope["agent"] else "system" if is_system else "shared"
        groups.setdefault(name, []).append(line.rstrip("\n"))
    return memvid_files(folder, groups, progress=progress)
