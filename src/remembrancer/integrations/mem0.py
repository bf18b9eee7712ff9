"""`Memory` and `AsyncMemory` with the methods and answers of Mem0's: moving is one import.

    from remembrancer.integrations.mem0 import Memory

Mem0 itself is not needed.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import islice
from os import PathLike
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar, cast

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.message import text_of
from remembrancer.language.smalltalk import Talk, small_talk
from remembrancer.sync import SyncMemory
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import Changes, NewMessage, NewObservation
from remembrancer.types.record import Json, Kind, Observation, Record
from remembrancer.types.results import Outcome
from remembrancer.types.scope import Scope

Answer: TypeAlias = dict[str, Any]
Messages: TypeAlias = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
R = TypeVar("R")
_PAGE = 1_000
_IDS = ("user_id", "agent_id", "run_id")


class Mem0Memory:
    """The methods of Mem0's `Memory`, with the shapes of its answers.

    What differs: `user_id`, or else `agent_id`, is the owner of a memory and isolates it. A search by `agent_id` alone
    finds the memories of the agent, and none of a user. `infer=True` needs no key: without a language model the
    deterministic observer selects the sentences. A deleted memory has no history.

    Args:
        db: an SQLite file, a `postgresql://` address, or an open `SyncMemory`, which its owner closes.
        options: those of `SyncMemory`, such as `model`.
    """

    def __init__(self, db: "str | PathLike[str] | SyncMemory | None" = None, **options: Any) -> None:
        self._is_own = not isinstance(db, SyncMemory)
        self._memory = db if isinstance(db, SyncMemory) else SyncMemory(db, **options)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return a memory with the options of `SyncMemory` in a mapping.

        Raises:
            InvalidInput: it configures a store or a model of Mem0.
        """
        foreign = sorted({"vector_store", "llm", "embedder", "reranker", "graph_store", "history_db_path"} & {*config})
        # `embedder` and `reranker` are options here, too: of Mem0 is a mapping.
        if foreign := [name for name in foreign if name not in ("embedder", "reranker") or _is_mapping(config[name])]:
            raise InvalidInput(
                f"{', '.join(foreign)} configures Mem0; here a memory is one database: use Memory('memory.db'), or"
                " Memory('postgresql://…'), and the option model for a language model"
            )
        return cls(**config)

    def close(self) -> None:
        """Close the database, if this object opened it."""
        if self._is_own:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(  # noqa: PLR0913 -- these are the arguments of Mem0
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: datetime | float | None = None,
        expiration_date: str | date | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Answer:
        """Add the content of messages, and return the new memories.

        Args:
            timestamp: the time of the messages: a datetime with a time zone, or Unix seconds.
            infer: `True` records the messages and observes them; `False` saves each message as one memory.

        Raises:
            InvalidInput: no id is set, or an argument is not supported.
        """
        owner = _Owner.of(user_id=user_id, agent_id=agent_id, run_id=run_id)
        if memory_type is not None or prompt is not None:
            raise InvalidInput("memory_type and prompt are not supported; leave them out")
        spoken = [one for one in _listed(messages) if one.get("role") != "system"]
        when = datetime.fromtimestamp(timestamp, UTC) if isinstance(timestamp, int | float) else timestamp
        details = {"ids": owner.ids, "metadata": dict(metadata or {})}
        memory = self._of(owner)
        add = _add_inferred if infer else _add_verbatim
        return {"results": add(memory, spoken, owner, details, when, _end(expiration_date))}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: object = None,
        show_expired: bool = False,
        **unknown: Any,
    ) -> Answer:
        """Return the memories that match a query, best first.

        Args:
            filters: with `user_id`, `agent_id` or `run_id`, and further conditions.
            threshold: the least score, in [0, 1].

        Raises:
            InvalidInput: the filters name no id, or an argument is unknown.
        """
        _check_unknown("search", unknown)
        _check_top_k(top_k)
        owner, conditions = _split(filters)
        memory = self._of(owner)
        found = memory.recall(query, filter=_memories(show_expired=show_expired), limit=_PAGE, abstain=False)
        items = ({**_item(hit.record), "score": hit.score} for hit in found.hits)
        matching = [one for one in items if one["score"] >= (threshold or 0.0) and _matches(one, owner, conditions)]
        return {"results": matching[:top_k]}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **unknown: Any,
    ) -> Answer:
        """Return memories, newest first.

        Raises:
            InvalidInput: the filters name no id, or an argument is unknown.
        """
        _check_unknown("get_all", unknown)
        _check_top_k(top_k)
        owner, conditions = _split(filters)
        memory = self._of(owner)
        found = (_item(record) for record in _iterate(memory, _memories(show_expired=show_expired)))
        matching = (one for one in found if _matches(one, owner, conditions))
        return {"results": list(islice(matching, top_k))}

    def get(self, memory_id: str) -> Answer | None:
        """Return a memory, or `None`."""
        record = self._find(memory_id)
        return None if record is None else {**_item(record), "score": None}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        expiration_date: str | date | None = None,
        data: str | None = None,
    ) -> Answer:
        """Change a memory; the earlier wording stays in its history.

        Raises:
            InvalidInput: there is nothing to change, or no such memory.
        """
        new_text = data if text is None else text
        if new_text is None and metadata is None and expiration_date is None:
            raise InvalidInput("update needs text, metadata or expiration_date")
        record = self._existing(memory_id)
        stored = _stored(record)
        merged: Any = {**stored, "metadata": {**stored["metadata"], **(metadata or {})}}
        changes = Changes(text=new_text, metadata={"mem0": merged}, valid_until=_end(expiration_date))
        self._memory.within(record.scope).edit(memory_id, changes)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        """Delete a memory from every read.

        Raises:
            InvalidInput: there is no such memory.
        """
        self._memory.within(self._existing(memory_id).scope).delete(memory_id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Answer:
        """Delete all memories of an owner, and the messages that they were derived from.

        Raises:
            InvalidInput: no id is set.
        """
        owner = _Owner.of(user_id=user_id, agent_id=agent_id, run_id=run_id)
        memory = self._of(owner)
        every = Filter(kinds=(Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION), statuses=_STORED)
        doomed = [one.id for one in _iterate(memory, every) if one.scope == memory.scope and owner.owns(_ids(one))]
        for id in doomed:
            # With a message, the memories that were derived from it alone are deleted.
            if (record := self._find(id, every)) is not None:
                self._memory.within(record.scope).delete(id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """Return the versions of a memory, oldest first; an empty list if it was deleted."""
        record = self._find(memory_id)
        if record is None:
            return []
        versions = self._memory.within(record.scope).timeline.history(memory_id)
        rows: list[Answer] = []
        for version in versions:
            text, earlier = version.record.text, rows[-1]["new_memory"] if rows else None
            if text == earlier:
                continue
            rows.append(
                {
                    "id": f"{memory_id}/{version.record.revision}",
                    "memory_id": memory_id,
                    "old_memory": earlier,
                    "new_memory": text,
                    "event": "UPDATE" if rows else "ADD",
                    "created_at": record.recorded_at.isoformat(),
                    "updated_at": version.since.isoformat(),
                    "is_deleted": False,
                    **{name: _ids(version.record).get(name) for name in ("actor_id", "role")},
                }
            )
        return rows

    def _of(self, owner: "_Owner") -> SyncMemory:
        return self._memory.within(owner.scope(self._memory.scope))

    def _find(self, memory_id: str, filter: Filter | None = None) -> Record | None:
        wanted = filter or _memories(show_expired=True)
        # A service does not read the ids of a filter: there every memory is compared.
        found = _iterate(self._memory, replace(wanted, ids=(memory_id,)), all_scopes=True)
        return next((record for record in found if record.id == memory_id), None)

    def _existing(self, memory_id: str) -> Record:
        record = self._find(memory_id)
        if record is None:
            raise InvalidInput(f"Memory with id {memory_id} not found")
        return record


class AsyncMem0Memory:
    """`Mem0Memory` for asynchronous code, with the same arguments; each method runs in another thread."""

    def __init__(self, db: "str | PathLike[str] | SyncMemory | None" = None, **options: Any) -> None:
        self._open = partial(Mem0Memory, db, **options)
        self._opening = Lock()
        self._opened: Mem0Memory | None = None

    async def add(self, messages: Messages, **arguments: Any) -> Answer:
        """See `Mem0Memory.add`."""
        return await self._call(Mem0Memory.add, messages, **arguments)

    async def search(self, query: str, **arguments: Any) -> Answer:
        """See `Mem0Memory.search`."""
        return await self._call(Mem0Memory.search, query, **arguments)

    async def get_all(self, **arguments: Any) -> Answer:
        """See `Mem0Memory.get_all`."""
        return await self._call(Mem0Memory.get_all, **arguments)

    async def get(self, memory_id: str) -> Answer | None:
        """See `Mem0Memory.get`."""
        return await self._call(Mem0Memory.get, memory_id)

    async def update(self, memory_id: str, *arguments: Any, **named: Any) -> Answer:
        """See `Mem0Memory.update`."""
        return await self._call(Mem0Memory.update, memory_id, *arguments, **named)

    async def delete(self, memory_id: str) -> Answer:
        """See `Mem0Memory.delete`."""
        return await self._call(Mem0Memory.delete, memory_id)

    async def delete_all(self, **arguments: Any) -> Answer:
        """See `Mem0Memory.delete_all`."""
        return await self._call(Mem0Memory.delete_all, **arguments)

    async def history(self, memory_id: str) -> list[Answer]:
        """See `Mem0Memory.history`."""
        return await self._call(Mem0Memory.history, memory_id)

    async def close(self) -> None:
        """See `Mem0Memory.close`."""
        await self._call(Mem0Memory.close)

    async def _call(self, method: Callable[..., R], *arguments: Any, **named: Any) -> R:
        return await run_sync(lambda: method(self._memory(), *arguments, **named))

    def _memory(self) -> Mem0Memory:
        """Return the memory; the first call opens it, in its thread."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
            return self._opened


Memory = Mem0Memory
AsyncMemory = AsyncMem0Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """The ids that a call names."""

    ids: Mapping[str, str]

    @classmethod
    def of(cls, **named: Any) -> Self:
        """Return the owner of the ids that are set.

        Raises:
            InvalidInput: none is set, or one is empty or has white space.
        """
        ids = {name: str(value).strip() for name, value in named.items() if value is not None}
        if not ids:
            raise InvalidInput(f"at least one of {', '.join(_IDS)} must be set")
        for name, value in ids.items():
            if not value or re.search(r"\s", value):
                raise InvalidInput(f"{name} {value!r} must not be empty, and must not contain white space")
        return cls(ids=ids)

    def scope(self, base: Scope) -> Scope:
        """Return the scope of the owner: of the user, or else of the agent."""
        user, agent = self.ids.get("user_id"), self.ids.get("agent_id")
        if user is not None:
            return replace(base, user=user)
        return base if agent is None else replace(base, agent=agent)

    def owns(self, ids: Mapping[str, Any]) -> bool:
        """Return True if a memory has all ids of the owner."""
        return all(ids.get(name) == value for name, value in self.ids.items())


def _add_verbatim(
    memory: SyncMemory,
    spoken: Sequence[Mapping[str, Any]],
    owner: _Owner,
    details: Answer,
    when: datetime | None,
    end: datetime | None,
) -> list[Answer]:
    new = [
        NewObservation(
            text=text,
            topic_key=_topic(owner, text),
            metadata={"mem0": cast(Json, {**details, "ids": {**owner.ids, **_speaker(one)}})},
            occurred_at=when,
            valid_until=end,
        )
        for one in spoken
        if (text := text_of(dict(one)) or "").strip()
    ]
    saved = memory.observations.save_many(new)
    return [
        {"id": one.id, "memory": one.record.text, "event": _event(one.outcome), **_shown(one.record)}
        for one in saved
        if one.outcome is not Outcome.DEDUPED
    ]


def _topic(owner: _Owner, text: str) -> str | None:
    """Return the topic of a text that others of the same owner may have, too: of another run, or another agent."""
    if len(owner.ids) == 1 and "run_id" not in owner.ids:
        return None
    return f"mem0 {hashlib.sha256(repr((sorted(owner.ids.items()), text)).encode()).hexdigest()}"


def _add_inferred(
    memory: SyncMemory,
    spoken: Sequence[Mapping[str, Any]],
    owner: _Owner,
    details: Answer,
    when: datetime | None,
    end: datetime | None,
) -> list[Answer]:
    session = memory.conversation(owner.ids.get("run_id", "mem0")).session
    metadata = {"mem0": cast(Json, details)}
    messages = [
        NewMessage(
            text=text_of(dict(one)) or "",
            role=one.get("role", "user"),
            speaker=one.get("name") or "",
            session=session,
            occurred_at=when,
            metadata=metadata,
        )
        for one in spoken
    ]
    memory.messages.record_many(messages)
    if all(small_talk(one.text) is Talk.ALL for one in messages):
        # A later call observes it with something that is worth a note.
        return []
    known = {note.id for note in memory.notes.log(session)}
    memory.notes.observe(session)
    new = [note for note in memory.notes.log(session) if note.id not in known]
    for note in new:
        memory.edit(note.id, Changes(metadata=metadata, valid_until=end))
    return [{"id": note.id, "memory": note.text, "event": "ADD"} for note in new]


def _listed(messages: Messages) -> list[Mapping[str, Any]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [messages] if isinstance(messages, Mapping) else list(messages)


def _speaker(message: Mapping[str, Any]) -> Mapping[str, Any]:
    named = {"actor_id": message["name"]} if message.get("name") else {}
    return {**named, "role": message.get("role", "user")}


def _event(outcome: Outcome) -> str:
    return "ADD" if outcome is Outcome.CREATED else "UPDATE"


def _end(expiration: str | date | None) -> datetime | None:
    """Return the end of the day of an expiration date."""
    if expiration is None:
        return None
    day = date.fromisoformat(expiration[:10]) if isinstance(expiration, str) else expiration
    return datetime.combine(day, time.min, UTC) + timedelta(days=1)


def _memories(*, show_expired: bool) -> Filter:
    statuses = (Status.ACTIVE, Status.ARCHIVED) if show_expired else (Status.ACTIVE,)
    return Filter(kinds=(Kind.OBSERVATION, Kind.REFLECTION), statuses=statuses)


_STORED = tuple(status for status in Status if status is not Status.DELETED)


def _iterate(memory: SyncMemory, filter: Filter, *, all_scopes: bool = False) -> Iterator[Record]:
    cursor = None
    while True:
        page = memory.list(filter, limit=_PAGE, cursor=cursor, all_scopes=all_scopes)
        yield from page.records
        if (cursor := page.cursor) is None:
            return


def _stored(record: Record) -> Answer:
    stored = record.metadata.get("mem0")
    return {"ids": {}, "metadata": {}, **(cast(Answer, stored) if isinstance(stored, Mapping) else {})}


def _ids(record: Record) -> Mapping[str, Any]:
    """Return the ids of a memory: those that it was added with, or those of its scope."""
    of_scope = {"user_id": record.scope.user, "agent_id": record.scope.agent, "run_id": record.session}
    return {**{name: value for name, value in of_scope.items() if value is not None}, **_stored(record)["ids"]}


def _shown(record: Record) -> Mapping[str, Any]:
    return {name: value for name, value in _ids(record).items() if name in ("actor_id", "role")}


def _item(record: Record) -> Answer:
    end = record.valid_until if isinstance(record, Observation) else None
    return {
        "id": record.id,
        "memory": record.text,
        "hash": hashlib.md5(record.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": _stored(record)["metadata"] or None,
        "created_at": record.recorded_at.isoformat(),
        "updated_at": record.updated_at.isoformat(),
        **_ids(record),
        **({} if end is None else {"expiration_date": (end - timedelta(microseconds=1)).date().isoformat()}),
    }


def _split(filters: Mapping[str, Any] | None) -> tuple[_Owner, Mapping[str, Any]]:
    """Return the owner that filters name, and the other conditions.

    Raises:
        InvalidInput: they name none at the top.
    """
    named = {name: value for name, value in (filters or {}).items() if name in _IDS and not _is_mapping(value)}
    if not named:
        raise InvalidInput(
            f"filters must contain at least one of {', '.join(_IDS)}, such as filters={{'user_id': 'ana'}}"
        )
    return _Owner.of(**named), {name: value for name, value in (filters or {}).items() if name not in named}


def _matches(item: Answer, owner: _Owner, conditions: Mapping[str, Any]) -> bool:
    return owner.owns(item) and _passes(item, conditions)


def _passes(item: Answer, conditions: Mapping[str, Any]) -> bool:
    return all(_passes_one(item, name, wanted) for name, wanted in conditions.items())


def _passes_one(item: Answer, name: str, wanted: Any) -> bool:
    if name == "AND":
        return all(_passes(item, one) for one in wanted)
    if name == "OR":
        return any(_passes(item, one) for one in wanted)
    if name == "NOT":
        return not any(_passes(item, one) for one in wanted)
    value = item.get(name, cast(Answer, item["metadata"] or {}).get(name))
    if wanted == "*":
        return value is not None
    if not _is_mapping(wanted):
        return value == wanted
    return all(_compare(value, operator, one) for operator, one in wanted.items())


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "ne": lambda value, wanted: value != wanted,
    "gt": lambda value, wanted: value is not None and value > wanted,
    "gte": lambda value, wanted: value is not None and value >= wanted,
    "lt": lambda value, wanted: value is not None and value < wanted,
    "lte": lambda value, wanted: value is not None and value <= wanted,
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "contains": lambda value, wanted: wanted in (value or ""),
    "icontains": lambda value, wanted: str(wanted).lower() in str(value or "").lower(),
}


def _compare(value: Any, operator: str, wanted: Any) -> bool:
    if operator not in _OPERATORS:
        raise InvalidInput(f"unknown operator {operator!r}; use one of {', '.join(_OPERATORS)}")
    try:
        return _OPERATORS[operator](value, wanted)
    except TypeError:
        return False


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _check_top_k(top_k: int) -> None:
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 1:  # pyright: ignore[reportUnnecessaryIsInstance] -- of a caller
        raise InvalidInput(f"top_k must be a whole number from 1, not {top_k!r}")


def _check_unknown(method: str, unknown: Mapping[str, Any]) -> None:
    if ids := [name for name in unknown if name in _IDS]:
        raise InvalidInput(f"{method} expects {', '.join(ids)} in filters, such as filters={{'user_id': 'ana'}}")
    if unknown:
        raise InvalidInput(f"{method} has no argument {', '.join(unknown)}")
