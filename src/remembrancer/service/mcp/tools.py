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
from remembrancer.types.graph import EntityRelation
from remembrancer.types.new import Changes, NewMessage, NewObservation
from remembrancer.types.record import Record
from remembrancer.types.results import Outcome, Page, Saved, record_json

MemoryOf = Callable[[str], Memory]
Json = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])
When = datetime | None
_MAX_DROPPED_IDS = 5

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
    "mem_entity": ("graph.entity", Right.READ),
    "mem_relate": ("graph.relate", Right.WRITE),
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
    return tools.tools


class _Tools:
    """A list of tools made from functions. Agents read the descriptions in every conversation, so they are short."""

    def __init__(self) -> None:
        self.tools: list[Tool] = []

    def tool(self, annotations: ToolAnnotations, *, structured: bool = True) -> Callable[[F], F]:
        """Return a decorator that adds a function as a tool."""

        def add(function: F) -> F:
            description = inspect.cleandoc(function.__doc__ or "").replace("\n", " ")
            tool = CheckedTool.from_function(
                function, description=description, annotations=annotations, structured_output=structured
            )
            parameters = {**_plain(tool.parameters), "additionalProperties": False}
            answers = tool.fn_metadata.model_copy(update={"output_schema": _plain(tool.fn_metadata.output_schema)})
            self.tools.append(tool.model_copy(update={"parameters": parameters, "fn_metadata": answers}))
            return function

        return add


def _plain(schema: Any) -> Any:
    """Return a schema without titles, `additionalProperties: true` and null defaults, which are redundant."""
    if isinstance(schema, list):
        return [_plain(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    parts = cast(dict[str, Any], schema)
    slim = {name: _plain(value) for name, value in parts.items() if name != "title" or isinstance(value, dict)}
    if slim.get("additionalProperties") is True:
        del slim["additionalProperties"]
    options = [option for option in slim.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1 and slim.get("default", "") is None:
        del slim["anyOf"], slim["default"]
        slim |= options[0]
    return slim


def _add_writes(tools: _Tools, of: MemoryOf) -> None:
    @tools.tool(ADDS)
    async def mem_session_start(session: str | None = None) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Call once when a conversation starts. Returns the id of the session for the other tools, the memories that
        matter (`known`, as text), and their ids. An empty `known` means that there are no memories yet. Without
        `session`, the open unnamed session continues.
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
    async def mem_relate(  # pyright: ignore[reportUnusedFunction] -- a tool
        subject: str, predicate: str, object: str, ended: bool = False, since: When = None
    ) -> Json:
        """Save a relation between two named things, such as Ana works_at Acme; `ended`: it is over. With the predicate
        `same_as` both names are of one entity, with `different_from` of two; each undoes the other.
        """
        async with tool_errors():
            graph = of("mem_relate").graph
            match predicate:
                case "same_as":
                    saved = await graph.merge(subject, object)
                case "different_from":
                    saved = await graph.split(subject, object)
                case _:
                    saved = await graph.relate(subject, predicate, object, ended=ended, since=since)
            return {"id": saved.record.id, "outcome": saved.outcome.value}

    @tools.tool(ADDS)
    async def mem_session_end(session: str) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Call when a conversation ends. Calling it twice is harmless."""
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
        """Summarise the session at its end: decisions, results and open points. The next session starts with it."""
        async with tool_errors():
            memory = of("mem_session_summary")
            summary = await memory.sessions.summarise(
                session, text, title=title, occurred_at=occurred_at, metadata=metadata, key=key
            )
            return _saved(Saved(outcome=Outcome.CREATED, record=summary))

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
        """Record a message verbatim. Not needed if the program around you records the conversation. The same `key`
        again writes nothing. `content`, `tool_calls`: parts and calls as in chat APIs.
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
            return _saved(recorded)

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
        """Save a claim that will matter later: a decision with its reason, a preference, a fact about the user, a
        lesson. One claim per call, in a sentence that is clear on its own. `type`: profile, preference, decision,
        pattern or discovery. Use a `topic_key`, such as `deploy-day`, for a claim that may change: saving with it
        again replaces the text and keeps the old version. Outcome `deduped`: the claim exists. `valid_until`: the end
        of a temporary claim.
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
            return _saved(saved)


def _add_reads(tools: _Tools, of: MemoryOf) -> None:
    @tools.tool(READS, structured=False)
    async def recall(  # pyright: ignore[reportUnusedFunction] -- a tool
        question: str, session: str | None = None, max_tokens: int = 1500
    ) -> str:
        """Call before you answer a question that may concern earlier conversations. Returns the relevant memories with
        speaker and time, as text. If it returns that nothing is known, answer so and do not guess.
        """
        async with tool_errors():
            memory = of("recall")
            budget = Budget(tokens=max_tokens)
            request = ContextRequest(session=session, question=question, mode="search", budget=budget, limit=20)
            context = await memory.context(request)
            dropped = [id for ids in context.report.dropped.values() for id in ids]
            left = ", ".join(dropped[:_MAX_DROPPED_IDS])
            if context.text or not left:
                return context.text or "Nothing is known about this."
            return f"Relevant memories exceed {max_tokens} tokens; read them with mem_get_observation: {left}."

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
        """Search memories to get their ids, for reading, changing or citing: best first, compact; mem_get_observation
        returns one in full. `kinds`: message, observation, reflection, episode. `layers`: episodic, semantic,
        reflective. `as_of`: the memories of that time. `sure: false`: the answer is not in memory, and `found` has the
        nearest misses.
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
            recalled = await memory.recall(question, filter=conditions, limit=limit, as_of=as_of)
            hits = recalled.nearest if recalled.abstained else recalled.hits
            return {"sure": not recalled.abstained, "found": [_hit(hit) for hit in hits], "notes": list(recalled.notes)}

    @tools.tool(READS, structured=False)
    async def mem_get_observation(id: str, as_of: When = None) -> CallToolResult:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Read a memory of any kind in full, with its evidence and dates. `null`: the memory does not exist."""
        async with tool_errors():
            try:
                memory = dict(record_json(await of("mem_get_observation").get(id, as_of=as_of), "public"))
            except NotFound:
                memory = None
            # An output schema would wrap the result, as it may be null.
            text = TextContent(type="text", text=json.dumps(memory, ensure_ascii=False))
            return CallToolResult(content=[text], structured_content=memory)

    @tools.tool(READS)
    async def mem_timeline(  # pyright: ignore[reportUnusedFunction] -- a tool
        id: str | None = None, since: When = None, until: When = None, limit: int = 10
    ) -> Json:
        """List the memories before and after a memory in its session (`id`), or those between two times, newest first.
        Empty lists: there are none.
        """
        async with tool_errors():
            memory = of("mem_timeline")
            if id is not None:
                around = await memory.timeline.around(id, before=limit // 2, after=limit - limit // 2)
                return {
                    "before": _short(around.before),
                    "record": _compact(around.record),
                    "after": _short(around.after),
                }
            page: Page = await memory.timeline.between(since, until, limit=limit)
            return {"records": _short(page.records), "cursor": page.cursor}

    @tools.tool(READS)
    async def mem_entity(  # pyright: ignore[reportUnusedFunction] -- a tool
        name: str, as_of: When = None, valid_at: When = None
    ) -> Json:
        """Look up a person, organisation, place or thing by name: its relations, such as where somebody works and since
        when, and the newest memories that name it. `until`: no longer true since then. `as_of`: what was known then;
        `valid_at`: only what was true then. `known: false`: no memory names it.
        """
        async with tool_errors():
            try:
                page = await of("mem_entity").graph.entity(name, as_of=as_of, valid_at=valid_at)
            except NotFound:
                return {"known": False}
            return {
                "known": True,
                "name": page.name,
                "type": page.type.value,
                "aliases": [one.name for one in page.aliases],
                "relations": [_relation(one) for one in page.relations],
                "memories": [{"id": one.id, "text": one.snippet} for one in page.mentions],
            }

    @tools.tool(READS, structured=False)
    async def mem_context(  # pyright: ignore[reportUnusedFunction] -- a tool
        session: str | None = None,
        question: str = "",
        task: str = "",
        contact: str | None = None,
        window: int | None = None,
        as_of: When = None,
    ) -> str:
        """Get the full context for a task or the next turn within a token budget: facts, rules, notes on the session,
        and memories for the question. Use it instead of recall at the start of a task.
        """
        async with tool_errors():
            memory = of("mem_context")
            context = await memory.context(
                session, question=question, task=task, contact=contact, budget=Budget(window=window), as_of=as_of
            )
            return context.text or "Nothing is known yet."

    @tools.tool(READS)
    async def mem_stats() -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Count the memories of this user and project, by kind and status."""
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
        """Correct an observation. Omitted fields stay unchanged, and the old version is kept. With `revision`, the call
        fails if the observation has another revision by now.
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
            return _saved(edited)

    @tools.tool(CHANGES)
    async def mem_delete(id: str) -> Json:  # pyright: ignore[reportUnusedFunction] -- a tool
        """Delete a memory at the request of the user; a person can restore it within 30 days. For a wrong memory use
        mem_feedback, so that it is not learned again.
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
        """Record feedback of the user. On an observation (`id`): right, wrong (it and the memories derived from it are
        no longer used, and it is not learned again) or dismiss. On the result of a session (`session`): accepted,
        rejected or rework.
        """
        async with tool_errors():
            memory = of("mem_feedback")
            if verdict in ("accepted", "rejected", "rework"):
                if session is None:
                    raise InvalidInput(f"the verdict {verdict!r} needs a `session`")
                changes = await memory.sessions.set_outcome(session, verdict)
                return {"session": session, "weighed": len(changes)}
            if id is None:
                raise InvalidInput(f"the verdict {verdict!r} needs an `id`")
            changed = await memory.feedback(id, verdict)
            return {"id": id, "status": changed.status.value if changed else None}


def _saved(saved: Saved[Any]) -> Json:
    record: Record = saved.record
    return {
        "id": record.id,
        "outcome": saved.outcome.value,
        "revision": record.revision,
        "session": record.session,
    }


def _relation(one: EntityRelation) -> Json:
    return {
        "subject": one.subject,
        "relation": one.predicate.replace("_", " "),
        "object": one.object,
        "since": one.since.date().isoformat(),
        "until": None if one.until is None else one.until.date().isoformat(),
        "evidence": list(one.evidence),
    }


def _hit(hit: Hit) -> Json:
    newer, older = hit.replaced, hit.replaces
    return {
        **record_json(hit.record),
        "score": round(hit.score, 3),
        **({"replaced_by": newer.newer, "until": newer.until.isoformat()} if newer else {}),
        **({"before": [{"value": one.value, "until": one.until.isoformat()} for one in older]} if older else {}),
    }


def _compact(record: Record) -> Json:
    return dict(record_json(record))


def _short(records: tuple[Record, ...]) -> list[Json]:
    return [_compact(record) for record in records]
