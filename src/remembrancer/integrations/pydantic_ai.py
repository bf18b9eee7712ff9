"""`MemoryCapability`: a memory for an agent of Pydantic AI.

It adds what is known to the instructions, offers tools to recall and save, and records each run. `load_history`
returns the earlier runs of a conversation, in any process.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anyio.to_thread import run_sync

from remembrancer.integrations import checked_memory, missing_extra
from remembrancer.integrations.item_log import ItemLog, NewItem
from remembrancer.sync import SyncMemory
from remembrancer.types.record import Role
from remembrancer.types.scope import Scope

try:
    from pydantic_ai import AgentRunResult, FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelMessage,
        ModelMessagesTypeAdapter,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestContext
except ModuleNotFoundError as error:
    raise missing_extra("pydantic-ai", error) from error

_KIND = "pydantic_ai_message"


class MemoryCapability(AbstractCapability[Any]):
    """The memory of an agent: `Agent(…, capabilities=[MemoryCapability(memory)])`.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service. The caller closes it.
        session: the name of the conversation, or a function of the run's context that returns it; by default the
            conversation id of the run.
        scope: a function of the run's context that returns the owner of the memories, such as
            `lambda ctx: Scope(user=ctx.deps.user)`; by default the scope of `memory`.
        tools: `False` offers no tools.
    """

    def __init__(
        self,
        memory: SyncMemory,
        *,
        session: str | Callable[[RunContext[Any]], str] | None = None,
        scope: Callable[[RunContext[Any]], Scope] | None = None,
        tools: bool = True,
    ) -> None:
        self._memory = checked_memory(memory)
        self._session = session
        self._scope = scope
        self._tools = tools

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        """Return the capability of one run, with its scope and session."""
        memory = self._memory if self._scope is None else self._memory.within(self._scope(ctx))
        session = self._session(ctx) if callable(self._session) else self._session or ctx.conversation_id
        return _RunCapability(memory, session or str(ctx.run_id), tools=self._tools)


class _RunCapability(AbstractCapability[Any]):
    """The memory of one run."""

    def __init__(self, memory: SyncMemory, session: str, *, tools: bool) -> None:
        self._memory = memory
        self._log = ItemLog(memory, session, _KIND)
        self._tools = tools
        self._known: str | None = None
        self._recorded = 0

    def get_instructions(self) -> Any:
        """Return the function that renders what is known."""
        return self._instructions

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Return the tools, or `None`."""
        return FunctionToolset([self.recall, self.save_memory], id="remembrancer") if self._tools else None

    async def recall(self, question: str) -> str:
        """Search the memory of earlier conversations.

        Args:
            question: what to find, in words.
        """
        context = await run_sync(lambda: self._memory.context(question=question, mode="search"))
        return context.text or "Nothing is known about this."

    async def save_memory(self, text: str) -> str:
        """Save a fact, a preference or a decision for later conversations.

        Args:
            text: one complete sentence that is understood without this conversation.
        """
        saved = await run_sync(self._memory.save, text)
        return f"{saved.outcome.value} memory {saved.id}"

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Record what is new in the run, so that it survives the end of the process."""
        await self._record(ctx, request_context.messages)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Record the rest of the run."""
        await self._record(ctx, result.all_messages())
        return result

    async def on_run_error(self, ctx: RunContext[Any], *, error: BaseException) -> AgentRunResult[Any]:
        """Record what there is of a run that failed."""
        await self._record(ctx, ctx.messages)
        raise error

    async def _instructions(self, ctx: RunContext[Any]) -> str:
        if self._known is None:
            question = ctx.prompt if isinstance(ctx.prompt, str) else _words(ctx.prompt or ())
            context = await run_sync(lambda: self._memory.context(self._log.session, question=question))
            self._known = "\n".join(message["content"] for message in (*context.known(), *context.new()))
        return self._known

    async def _record(self, ctx: RunContext[Any], messages: Sequence[ModelMessage]) -> None:
        own = [message for message in messages if message.run_id == ctx.run_id]
        new, first = own[self._recorded :], self._recorded
        await run_sync(
            self._log.add, [_new_item(one, f"{ctx.run_id}/{first + place}") for place, one in enumerate(new)]
        )
        self._recorded = max(first, len(own))


def load_history(memory: SyncMemory, session: str, *, bounded: bool = True) -> list[ModelMessage]:
    """Return the messages of a conversation for `message_history`, oldest first.

    Args:
        bounded: messages that the memory has observed are left out: the instructions have the notes on them. `False`
            returns all.
    """
    log = ItemLog(memory, session, _KIND)
    covered = memory.context(log.session).report.covered if bounded and memory.notes.log(log.session) else 0
    values = [one.value for one in log.after(covered) if one.value is not None]
    return _without_orphans(ModelMessagesTypeAdapter.validate_python(values))


def _without_orphans(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Remove results of tools whose call is not in the history, and calls without a result."""
    called = {part.tool_call_id for one in messages for part in one.parts if isinstance(part, ToolCallPart)}
    answered = {_call_of(part) for one in messages if isinstance(one, ModelRequest) for part in one.parts}
    kept: list[ModelMessage] = []
    for one in messages:
        if isinstance(one, ModelRequest):
            requested = [part for part in one.parts if _call_of(part) is None or _call_of(part) in called]
            kept += [replace(one, parts=requested)] if requested else []
        else:
            answers = [
                part for part in one.parts if not isinstance(part, ToolCallPart) or part.tool_call_id in answered
            ]
            kept += [replace(one, parts=answers)] if answers else []
    return kept


def _call_of(part: object) -> str | None:
    """Return the id of the call that a part of a request answers, or `None`."""
    return getattr(part, "tool_call_id", None) if getattr(part, "tool_name", None) else None


def _new_item(message: ModelMessage, key: str) -> NewItem:
    # Instructions are sent again with each request.
    stored = replace(message, instructions=None) if isinstance(message, ModelRequest) else message
    (value,) = ModelMessagesTypeAdapter.dump_python([stored], mode="json")
    if isinstance(message, ModelResponse):
        return NewItem(role=Role.ASSISTANT, text=_words(message.parts), value=value, key=key)
    has_prompt = any(isinstance(part, UserPromptPart) for part in message.parts)
    return NewItem(role=Role.USER if has_prompt else Role.TOOL, text=_words(message.parts), value=value, key=key)


def _words(parts: Sequence[Any]) -> str:
    """Return the words of the parts of a message. Instructions, thoughts and files have none."""
    words: list[str] = []
    for part in parts:
        match part:
            case str():
                words.append(part)
            case TextPart():
                words.append(part.content)
            case UserPromptPart():
                words.append(part.content if isinstance(part.content, str) else _words(part.content))
            case ToolCallPart():
                words.append(f"[calls {part.tool_name}({part.args_as_json_str()})]")
            case ToolReturnPart():
                words.append(part.model_response_str())
            case _:
                continue
    return "\n".join(one for one in words if one)
