"""The tools. Their docstrings are published: when to use a tool, what it returns, what an empty answer means."""

import inspect
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeVar, cast

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.memory import ContextRequest, Memory
from remembrancer.search.query import Hit
from remembrancer.service.mcp.errors import CheckedTool, tool_errors
from remembrancer.types.access import Right
from remembrancer.types.budget import Budget
from remembrancer.types.filter import Filter
from remembrancer.types.new import Changes, NewMessage, NewObservation
from remembrancer.types.record import Record
from remembrancer.types.results import Outcome, Page, Saved, record_json

MemoryOf = Callable[[str], Memory]
Json = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])
When = datetime | None
_NAMED_LEFT_OUT = 5

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(destructive_hint=False, open_world_hint=False)
CHANGES = ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)

# The operation that each tool calls, and the right that it needs.
TOOLS: dict[str, tuple[str, Right]] = {
    "mem_session_start": ("sessions.start", Right.WRITE),
    "mem_session_end": ("sessions.end", Right.WRITE),
    "mem_session_summary": ("sessions.summarise", Right.WRITE),
    "mem_record": ("record", Right.WRITE),
    "mem_save": ("save", Right.WRITE),
    "mem_search": ("recall", Right.READ),
    "recall": ("context", Right.READ),
    "mem_get_observation": ("get", Right.READ),
    "mem_timeline": ("timeline.between", Right.READ),
    "mem_context": ("context", Right.READ),
    "mem_update": ("edit", Right.WRITE),
    "mem_delete": ("delete", Right.WRITE),
    "mem_feedback": ("feedback", Right.LEARN),
    "mem_stats": ("admin.stats", Right.READ),
}


def make_tools(memory_of: MemoryOf) -> list[Tool]:
    """Return the tools.

    Args:
        memory_of: returns the memory of the caller of a tool, by the tool's name.
    """

    def of(tool: str) -> Memory:
        memory = memory_of(tool)
        memory.caller.need(TOOLS[tool][1])
        return memory

    tools = _Tools()
    _add_writes(tools, of)
    _add_reads(tools, of)
    _add_changes(tools, of)
    return tools.made


class _Tools:
    """Tools made of functions. Agents read their descriptions in every conversation, so they are short."""

    def __init__(self) -> None:
        self.made: list[Tool] = []

    def tool(self, annotations: ToolAnnotations, *, structured: bool = True) -> Callable[[F], F]:
        """Return a decorator that adds a function as a tool."""

        def made(function: F) -> F:
            description = inspect.cleandoc(function.__doc__ or "").replace("\n", " ")
            tool = CheckedTool.from_function(
                function, description=description, annotations=annotations, structured_output=structured
            )
            parameters = {**_plain(tool.parameters), "additionalProperties": False}
            answers = tool.fn_metadata.model_copy(update={"output_schema": _plain(tool.fn_metadata.output_schema)})
            self.made.append(tool.model_copy(update={"parameters": parameters, "fn_metadata": answers}))
            return function

        return made


def _plain(schema: Any) -> Any:
    """Return a schema without titles, open properties and defaults of null, which say nothing."""
    if isinstance(schema, list):
        return [_plain(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    parts = cast(dict[str, Any], schema)
    kept = {name: _plain(value) for name, value in parts.items() if name != "title" or isinstance(value, dict)}
    if kept.get("additionalProperties") is True:
        del kept["additionalProperties"]
    options = [option for option in kept.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1 and kept.get("default", "") is None:
        del kept["anyOf"], kept["default"]
        kept |= options[0]
    return kept


def _add_writes(tools: _Tools, of: MemoryOf) -> None:
    @tools.tool(ADDS)
    async def mem_session_start(session: str | None = None) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Call once when a conversation starts. Gives the session's id, for the other tools, what is worth knowing
        (`known`, ready to read), and the ids of what it tells. Empty: nothing is known yet. Without `session` the
        unnamed one that is open goes on.
        """
        async with tool_errors():
            memory = of("mem_session_start")
            started = await memory.sessions.start(session)
            return {
                "session": started.session.id,
                "is_new": started.is_new,
                "known": started.text,
                "summaries": _short(started.summaries),
                "memories": _short(started.memories),
            }

    @tools.tool(ADDS)
    async def mem_session_end(session: str) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Call when a conversation is over. Ending twice is harmless."""
        async with tool_errors():
            ended = await of("mem_session_end").sessions.end(session)
            return {"session": ended.id, "status": ended.status.value, "messages": ended.messages}

    @tools.tool(ADDS)
    async def mem_session_summary(  # pyright: ignore[reportUnusedFunction] -- a tool
        session: str,
        text: str,
        title: str = "",
        occurred_at: When = None,
        metadata: Json | None = None,
        key: str | None = None,
    ) -> Json:
        """Say at the end what was decided, done and left open, in a few sentences; the next session begins with it."""
        async with tool_errors():
            memory = of("mem_session_summary")
            summary = await memory.sessions.summarise(
                session, text, title=title, occurred_at=occurred_at, metadata=metadata, key=key
            )
            return _kept(Saved(outcome=Outcome.CREATED, record=summary))

    @tools.tool(ADDS)
    async def mem_record(  # pyright: ignore[reportUnusedFunction] -- a tool
        text: str,
        role: Literal["user", "assistant", "system", "tool"] = "user",
        session: str | None = None,
        speaker: str = "",
        content: list[Json] | None = None,
        tool_calls: list[Json] | None = None,
        occurred_at: When = None,
        metadata: Json | None = None,
        key: str | None = None,
    ) -> Json:
        """Keep a message word for word. Not needed where the program around you records the conversation.
        The same `key` again writes nothing. `content`, `tool_calls`: its parts and calls, as chats have them.
        """
        async with tool_errors():
            memory = of("mem_record")
            message = NewMessage(
                text=text,
                role=role,
                session=session,
                speaker=speaker,
                content=content or (),
                tool_calls=tool_calls or (),
                occurred_at=occurred_at,
                metadata=metadata or {},
                key=key,
                author="mcp",
            )
            recorded = await memory.record(message)
            return _kept(recorded)

    @tools.tool(ADDS)
    async def mem_save(  # pyright: ignore[reportUnusedFunction] -- a tool
        text: str,
        type: str | None = None,
        custom_type: str | None = None,
        layer: Literal["semantic", "reflective"] | None = None,
        title: str | None = None,
        topic_key: str | None = None,
        tags: list[str] | None = None,
        session: str | None = None,
        evidence: list[str] | None = None,
        occurred_at: When = None,
        valid_until: When = None,
        metadata: Json | None = None,
        importance: float | None = None,
        key: str | None = None,
    ) -> Json:
        """Save a claim that will matter later: a decision with its reason, a preference, a fact about the user,
        what was learnt. One claim, in a sentence that can be read alone. `type`: profile, preference, decision,
        pattern or discovery. Give what may change a `topic_key`, such as `deploy-day`: saving under it again replaces
        the text and keeps the old one. `deduped`: it was known. `valid_until`: of what ends,
        such as a closure.
        """
        async with tool_errors():
            memory = of("mem_save")
            observation = NewObservation(
                text=text,
                type=type,
                custom_type=custom_type,
                layer=layer,
                title=title,
                topic_key=topic_key,
                tags=tags,
                session=session,
                evidence=evidence or (),
                occurred_at=occurred_at,
                valid_until=valid_until,
                metadata=metadata or {},
                importance=importance,
                key=key,
                author="mcp",
            )
            saved = await memory.save(observation)
            return _kept(saved)


def _add_reads(tools: _Tools, of: MemoryOf) -> None:
    @tools.tool(READS, structured=False)
    async def recall(  # pyright: ignore[reportUnusedFunction] -- a tool
        question: str, session: str | None = None, max_tokens: int = 1500
    ) -> str:
        """Ask before you answer what may have come up earlier: gives what was said and known that bears on the
        question, with who and when, ready to read. If it says that nothing is known, say so and do not guess.
        """
        async with tool_errors():
            memory = of("recall")
            budget = Budget(tokens=max_tokens)
            request = ContextRequest(session=session, question=question, mode="search", budget=budget, limit=20)
            found = await memory.context(request)
            dropped = [id for ids in found.report.dropped.values() for id in ids]
            left = ", ".join(dropped[:_NAMED_LEFT_OUT])
            if found.text or not left:
                return found.text or "Nothing is known that bears on this."
            return f"Something bears on this and is longer than {max_tokens} tokens: mem_get_observation of {left}."

    @tools.tool(READS)
    async def mem_search(  # pyright: ignore[reportUnusedFunction] -- a tool
        question: str,
        limit: int = 10,
        kinds: list[str] | None = None,
        types: list[str] | None = None,
        layers: list[str] | None = None,
        tags: list[str] | None = None,
        authors: list[str] | None = None,
        sources: list[str] | None = None,
        metadata: Json | None = None,
        since: When = None,
        until: When = None,
        as_of: When = None,
    ) -> Json:
        """Find memories by id, to read, change or cite them: best first, in short; mem_get_observation gives one whole.
        `kinds`: message, observation, reflection, episode. `layers`: episodic, semantic, reflective. `as_of`: what was
        known then. `sure: false` means that the answer is not here, and what comes is only nearest.
        """
        async with tool_errors():
            memory = of("mem_search")
            conditions = Filter(
                kinds=kinds or (),
                types=types or (),
                layers=layers or (),
                tags=tags or (),
                authors=authors or (),
                sources=sources or (),
                metadata=metadata or {},
                since=since,
                until=until,
            )
            found = await memory.recall(question, filter=conditions, limit=limit, as_of=as_of)
            hits = found.nearest if found.abstained else found.hits
            return {"sure": not found.abstained, "found": [_hit(hit) for hit in hits], "notes": list(found.notes)}

    @tools.tool(READS, structured=False)
    async def mem_get_observation(id: str, as_of: When = None) -> CallToolResult:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Read one memory of any kind whole, with its evidence and dates. `null`: there is no such memory."""
        async with tool_errors():
            try:
                found = dict(record_json(await of("mem_get_observation").get(id, as_of=as_of), "public"))
            except NotFound:
                found = None
            # A schema for the answer would wrap it, as it may be null.
            text = TextContent(type="text", text=json.dumps(found, ensure_ascii=False))
            return CallToolResult(content=[text], structured_content=found)

    @tools.tool(READS)
    async def mem_timeline(  # pyright: ignore[reportUnusedFunction] -- a tool
        id: str | None = None, since: When = None, until: When = None, limit: int = 10
    ) -> Json:
        """See what stood around a memory in its session (`id`), or what was said and saved between two times, newest
        first. Empty lists: nothing stood there.
        """
        async with tool_errors():
            memory = of("mem_timeline")
            if id is not None:
                around = await memory.timeline.around(id, before=limit // 2, after=limit - limit // 2)
                return {
                    "before": _short(around.before),
                    "record": _one(around.record),
                    "after": _short(around.after),
                }
            page: Page = await memory.timeline.between(since, until, limit=limit)
            return {"records": _short(page.records), "cursor": page.cursor}

    @tools.tool(READS, structured=False)
    async def mem_context(  # pyright: ignore[reportUnusedFunction] -- a tool
        session: str | None = None,
        question: str = "",
        task: str = "",
        contact: str | None = None,
        window: int | None = None,
        as_of: When = None,
    ) -> str:
        """Get all that an agent should read before a task or the next turn, within a budget of tokens: facts, rules,
        what was noted of the session, what the question recalls. Use it instead of recall where you start a task anew.
        """
        async with tool_errors():
            memory = of("mem_context")
            made = await memory.context(
                session, question=question, task=task, contact=contact, budget=Budget(window=window), as_of=as_of
            )
            return made.text or "Nothing is known yet."

    @tools.tool(READS)
    async def mem_stats() -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Count what memory holds, by kind and status."""
        async with tool_errors():
            stats = await of("mem_stats").admin.stats()
            return {"records": dict(stats.records), "sessions": stats.sessions}


def _add_changes(tools: _Tools, of: MemoryOf) -> None:
    @tools.tool(CHANGES)
    async def mem_update(  # pyright: ignore[reportUnusedFunction] -- a tool
        id: str,
        text: str | None = None,
        title: str | None = None,
        tags: list[str] | None = None,
        occurred_at: When = None,
        valid_until: When = None,
        metadata: Json | None = None,
        importance: float | None = None,
        revision: int | None = None,
    ) -> Json:
        """Correct an observation; what you do not give stays, and the old wording is kept. With `revision`, as you read
        it, it is refused if somebody changed it since.
        """
        async with tool_errors():
            memory = of("mem_update")
            changes = Changes(
                text=text,
                title=title,
                tags=tags,
                occurred_at=occurred_at,
                valid_until=valid_until,
                metadata=metadata,
                importance=importance,
                author="mcp",
            )
            edited = await memory.edit(id, changes, revision=revision)
            return _kept(edited)

    @tools.tool(CHANGES)
    async def mem_delete(id: str) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Take a memory out of use when the user asks for it; a person can bring it back for 30 days. For what is wrong
        use mem_feedback: it is then not learnt again.
        """
        async with tool_errors():
            await of("mem_delete").delete(id)
            return {"deleted": id}

    @tools.tool(CHANGES)
    async def mem_feedback(  # pyright: ignore[reportUnusedFunction] -- a tool
        verdict: Literal["right", "wrong", "dismiss", "accepted", "rejected", "rework"],
        id: str | None = None,
        session: str | None = None,
    ) -> Json:
        """Pass on what the user says. Of an observation (`id`): right, wrong (it stops at once with all that rests on
        it, and is not learnt again) or dismiss. Of a session's result (`session`): accepted, rejected or rework.
        """
        async with tool_errors():
            memory = of("mem_feedback")
            if verdict in ("accepted", "rejected", "rework"):
                if session is None:
                    raise InvalidInput(f"{verdict} is said of a session; give `session`")
                weighed = await memory.sessions.set_outcome(session, verdict)
                return {"session": session, "weighed": len(weighed)}
            if id is None:
                raise InvalidInput(f"{verdict} is said of an observation; give `id`")
            judged = await memory.feedback(id, verdict)
            return {"id": id, "status": judged.status.value if judged else None}


def _kept(saved: Saved[Any]) -> Json:
    record: Record = saved.record
    return {
        "id": record.id,
        "outcome": saved.outcome.value,
        "revision": record.revision,
        "session": record.session,
    }


def _hit(hit: Hit) -> Json:
    gone, before = hit.replaced, hit.replaces
    return {
        **record_json(hit.record),
        "score": round(hit.score, 3),
        **({"replaced_by": gone.newer, "until": gone.until.isoformat()} if gone else {}),
        **({"before": [{"value": one.value, "until": one.until.isoformat()} for one in before]} if before else {}),
    }


def _one(record: Record) -> Json:
    return dict(record_json(record))


def _short(records: tuple[Record, ...]) -> list[Json]:
    return [_one(record) for record in records]
