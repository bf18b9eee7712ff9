"""The doors of a memory as one who stands before them sees them: the same questions, whatever stands between."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from anyio.from_thread import BlockingPortal
from click.testing import CliRunner
from mcp import Client as McpClient

from remembrancer import InvalidInput, RemembrancerError, SyncMemory
from remembrancer.cli.app import app
from remembrancer.operations import OPERATIONS
from remembrancer.types.results import record_json
from tests.finding import find_sync

_TIMES = ("as_of", "since", "until", "valid_until")


class Refused(Exception):
    """What a door refuses, in its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a write did."""

    id: str
    outcome: str
    revision: int


class Door(Protocol):
    """What can be done through every door."""

    def record(self, text: str, *, session: str | None = None, speaker: str = "", key: str | None = None) -> Kept: ...

    def save(self, text: str, **said: Any) -> Kept: ...

    def recall(self, question: str, **filters: Any) -> list[str] | None:
        """Ids, best first; `None` where nothing is known."""
        ...

    def record_in_parts(self, **said: Any) -> Kept: ...

    def listed(self, **filters: Any) -> set[str]:
        """Ids; through tools, which have no list, those of a search for anything."""
        ...

    def get(self, id: str, *, as_of: str | None = None) -> Mapping[str, Any] | None: ...

    def edit(self, id: str, text: str, *, revision: int | None = None) -> Kept: ...

    def delete(self, id: str) -> None: ...

    def verdict(self, id: str, verdict: str) -> str:
        """The status that it came to."""
        ...

    def around(self, id: str) -> list[str] | None:
        """Ids in the session, in order; `None` where there is no such memory."""
        ...

    def context(self, session: str | None, question: str) -> str: ...

    def start(self, session: str) -> str:
        """What is told at the start."""
        ...

    def summarise(self, session: str, text: str) -> str: ...

    def end(self, session: str) -> None: ...

    def outcome(self, session: str, outcome: str) -> None: ...

    def counts(self) -> Mapping[str, int]: ...


class MemoryDoor:
    """The library, and a service by its client: both have the methods of a memory."""

    def __init__(self, memory: SyncMemory) -> None:
        self._memory = memory

    def record(self, text: str, *, session: str | None = None, speaker: str = "", key: str | None = None) -> Kept:
        return self._kept(lambda: self._memory.record(text, session=session, speaker=speaker, key=key))

    def save(self, text: str, **said: Any) -> Kept:
        return self._kept(lambda: self._memory.save(**_arguments("save", text=text, **_dated(said))))

    def recall(self, question: str, **filters: Any) -> list[str] | None:
        found = self._memory.recall(**_arguments("recall", question=question, **_dated(filters)))
        return None if found.abstained else [hit.record.id for hit in found.hits]

    def record_in_parts(self, **said: Any) -> Kept:
        return self._kept(lambda: self._memory.record(**_arguments("record", text="", **said)))

    def listed(self, **filters: Any) -> set[str]:
        return {one.id for one in _refusing(lambda: self._memory.list(**_arguments("list", **_dated(filters)))).records}

    def get(self, id: str, *, as_of: str | None = None) -> Mapping[str, Any] | None:
        found = find_sync(self._memory, id, **_dated({} if as_of is None else {"as_of": as_of}))
        return None if found is None else dict(record_json(found, "public"))

    def edit(self, id: str, text: str, *, revision: int | None = None) -> Kept:
        return self._kept(lambda: self._memory.edit(id, text, revision=revision))

    def delete(self, id: str) -> None:
        _refusing(lambda: self._memory.delete(id))

    def verdict(self, id: str, verdict: str) -> str:
        return _refusing(lambda: self._memory.feedback(id, verdict)).status.value

    def around(self, id: str) -> list[str] | None:
        try:
            found = self._memory.timeline.around(id)
        except LookupError:
            return None
        return [one.id for one in (*found.before, found.record, *found.after)]

    def context(self, session: str | None, question: str) -> str:
        return self._memory.context(session, question=question).text

    def start(self, session: str) -> str:
        return self._memory.sessions.start(session).text

    def summarise(self, session: str, text: str) -> str:
        return _refusing(lambda: self._memory.sessions.summarise(session, text)).id

    def end(self, session: str) -> None:
        _refusing(lambda: self._memory.sessions.end(session))

    def outcome(self, session: str, outcome: str) -> None:
        self._memory.admin.flush()
        _refusing(lambda: self._memory.sessions.set_outcome(session, outcome))

    def counts(self) -> Mapping[str, int]:
        return self._memory.admin.stats().records

    def _kept(self, work: Callable[[], Any]) -> Kept:
        saved = _refusing(work)
        return Kept(id=saved.id, outcome=saved.outcome.value, revision=saved.record.revision)


class McpDoor:
    """The tools of MCP, as a client of the official SDK calls them."""

    @staticmethod
    def _absent(call: Callable[[], Any]) -> Any:
        """What a tool answers; `None` where it says that there is no such memory."""
        try:
            return call()
        except Refused as refused:
            if "no memory" not in str(refused):
                raise
            return None

    def __init__(self, portal: BlockingPortal, client: McpClient) -> None:
        self._portal = portal
        self._client = client

    def record(self, text: str, *, session: str | None = None, speaker: str = "", key: str | None = None) -> Kept:
        return self._kept("mem_record", text=text, session=session, speaker=speaker, key=key)

    def save(self, text: str, **said: Any) -> Kept:
        return self._kept("mem_save", text=text, **said)

    def recall(self, question: str, **filters: Any) -> list[str] | None:
        found = self._call("mem_search", question=question, **filters)
        return [one["id"] for one in found["found"]] if found["sure"] else None

    def record_in_parts(self, **said: Any) -> Kept:
        return self._kept("mem_record", text="", **said)

    def listed(self, **filters: Any) -> set[str]:
        return {one["id"] for one in self._call("mem_search", question="the a of", **filters)["found"]}

    def get(self, id: str, *, as_of: str | None = None) -> Mapping[str, Any] | None:
        found = self._call("mem_get_observation", id=id, as_of=as_of)
        return None if found == "null" else found

    def edit(self, id: str, text: str, *, revision: int | None = None) -> Kept:
        return self._kept("mem_update", id=id, text=text, revision=revision)

    def delete(self, id: str) -> None:
        self._call("mem_delete", id=id)

    def verdict(self, id: str, verdict: str) -> str:
        return self._call("mem_feedback", verdict=verdict, id=id)["status"]

    def around(self, id: str) -> list[str] | None:
        found = self._absent(lambda: self._call("mem_timeline", id=id))
        if found is None:
            return None
        return [one["id"] for one in (*found["before"], found["record"], *found["after"])]

    def context(self, session: str | None, question: str) -> str:
        return self._call("mem_context", session=session, question=question)

    def start(self, session: str) -> str:
        return self._call("mem_session_start", session=session)["known"]

    def summarise(self, session: str, text: str) -> str:
        return self._call("mem_session_summary", session=session, text=text)["id"]

    def end(self, session: str) -> None:
        self._call("mem_session_end", session=session)

    def outcome(self, session: str, outcome: str) -> None:
        self._call("mem_feedback", verdict=outcome, session=session)

    def counts(self) -> Mapping[str, int]:
        return self._call("mem_stats")["records"]

    def _kept(self, tool: str, **given: Any) -> Kept:
        found = self._call(tool, **given)
        return Kept(id=found["id"], outcome=found["outcome"], revision=found["revision"])

    def _call(self, tool: str, **given: Any) -> Any:
        said = {name: value for name, value in given.items() if value is not None}

        async def call() -> Any:
            return await self._client.call_tool(tool, said)

        found = self._portal.call(call)
        if found.is_error:
            raise Refused(found.content[0].text)
        return found.content[0].text if found.structured_content is None else found.structured_content


class CommandDoor:
    """The command line."""

    def __init__(self, *options: str) -> None:
        self._options = options

    def record(self, text: str, *, session: str | None = None, speaker: str = "", key: str | None = None) -> Kept:
        return self._kept("record", text, *_options(session=session, speaker=speaker, key=key))

    def save(self, text: str, **said: Any) -> Kept:
        return self._kept("save", text, *_options(**said))

    def recall(self, question: str, **filters: Any) -> list[str] | None:
        found = self._run("recall", question, *_options(**filters))
        return None if found["abstained"] else [hit["id"] for hit in found["hits"]]

    def record_in_parts(self, **said: Any) -> Kept:
        return self._kept("record", *_options(**{name: _as_json(value) for name, value in said.items()}))

    def listed(self, **filters: Any) -> set[str]:
        return {one["id"] for one in self._run("list", *_options(**filters))["records"]}

    def get(self, id: str, *, as_of: str | None = None) -> Mapping[str, Any] | None:
        try:
            return self._run("get", id, *_options(as_of=as_of))
        except LookupError:
            return None

    def edit(self, id: str, text: str, *, revision: int | None = None) -> Kept:
        return self._kept("edit", id, text, *_options(revision=revision))

    def delete(self, id: str) -> None:
        self._run("delete", id)

    def verdict(self, id: str, verdict: str) -> str:
        return self._run("feedback", id, verdict)["status"]

    def around(self, id: str) -> list[str] | None:
        try:
            found = self._run("timeline", "around", id)
        except LookupError:
            return None
        return [one["id"] for one in (*found["before"], found["record"], *found["after"])]

    def context(self, session: str | None, question: str) -> str:
        return self._run("context", *([session] if session else []), *_options(question=question))["text"]

    def start(self, session: str) -> str:
        return self._run("sessions", "start", session)["text"]

    def summarise(self, session: str, text: str) -> str:
        return self._run("sessions", "summarise", session, text)["id"]

    def end(self, session: str) -> None:
        self._run("sessions", "end", session)

    def outcome(self, session: str, outcome: str) -> None:
        self._run("sessions", "set-outcome", session, outcome)

    def counts(self) -> Mapping[str, int]:
        try:
            return self._run("admin", "stats")["records"]
        except Refused as refused:
            # What was refused has left no file behind.
            if "there is no database" not in str(refused):
                raise
            return {}

    def _kept(self, *words: str) -> Kept:
        found = self._run(*words)
        return Kept(id=found["id"], outcome=found["outcome"], revision=found.get("revision", 1))

    def _run(self, *words: str) -> Any:
        done = CliRunner().invoke(app, [*words, "--json", *self._options])
        if done.exit_code == 3:
            raise AbsentHere(done.stderr)
        if done.exit_code:
            raise Refused(done.stderr)
        return json.loads(done.stdout)


class AbsentHere(Refused, LookupError):
    """What a command says is not here."""


def _options(**said: Any) -> list[str]:
    names = {"tags": "tag", "kinds": "kind", "authors": "author", "sources": "source"}
    found: list[str] = []
    for name, value in said.items():
        values: list[Any] = [*value] if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType] -- of texts
        for one in values:
            if one not in (None, ""):
                told = json.dumps(one) if isinstance(one, dict) else str(one)
                found += [f"--{names.get(name, name).replace('_', '-')}", told]
    return found


def _as_json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _dated(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: datetime.fromisoformat(value) if name in _TIMES else value for name, value in said.items()}


def _arguments(operation: str, **values: Any) -> dict[str, Any]:
    """Arguments of a method for values by the names of the fields of its request."""
    return OPERATIONS[operation].call_arguments(values)


def _refusing(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except InvalidInput as error:
        raise Refused(str(error)) from error
    except RemembrancerError as error:
        raise (AbsentHere if isinstance(error, LookupError) else Refused)(str(error)) from error
