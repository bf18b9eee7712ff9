"""Whatever a caller hands over by mistake, the library says which argument is wrong, and writes nothing."""

import inspect
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, date, datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from remembrancer import (
    AuditFilter,
    Budget,
    Changes,
    ContextRequest,
    Filter,
    InvalidInput,
    Memory,
    NewEpisode,
    NewKey,
    NewMessage,
    NewObservation,
    NewSignal,
    RecallRequest,
    RemembrancerError,
    Scope,
    SyncMemory,
)
from remembrancer.context.working_memory import WorkingMemory
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.turns import Turn
from remembrancer.testing import ScriptedModel
from remembrancer.types.record import Role
from remembrancer.types.scope import DIMENSIONS
from tests.copying.filling import held
from tests.rows import each_row, every_row
from tests.walking import bound, methods_of

PRIVATE = "what nobody else may read"
NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 -- what is refused
HUGE = 10**5_000

NOT_TEXT: Sequence[object] = (5, True, 1.5, b"bytes", [PRIVATE], {PRIVATE: 1}, object())
NOT_UNICODE: Sequence[object] = ("\ud800",)
NOT_WHOLE: Sequence[object] = (PRIVATE, "3", True, 1.5, math.nan, [3], -1, HUGE, -HUGE)
NOT_A_SHARE: Sequence[object] = (PRIVATE, "0.5", True, [0.5], math.nan, math.inf, -0.1, 1.1, HUGE)
NOT_A_SWITCH: Sequence[object] = (PRIVATE, "no", 0, 1, [True])
NOT_A_TIME: Sequence[object] = ("yesterday", PRIVATE, 5, 1.5, date(2026, 1, 1), NAIVE, [NAIVE])
NOT_TEXTS: Sequence[object] = (
    "abc",
    PRIVATE,
    5,
    b"ab",
    {"a"},
    {"a": 1},
    [1],
    [None],
    [[PRIVATE]],
    ["\ud800"],
    object(),
)
NOT_ONE_OF_OURS: Sequence[object] = (PRIVATE, 5, True, [PRIVATE], {PRIVATE: 1}, object())
NOT_VECTORS: Sequence[object] = (
    np.zeros(64),
    np.ones(64),
    np.full(64, math.nan),
    np.full(64, 1e300),
    np.full(64, 1),
    np.full(64, "a"),
    np.full(64, None),
    np.full(63, 0.125),
)
NOT_A_NAME: Sequence[object] = (*NOT_TEXT, *NOT_UNICODE, "no such name")
NOT_NAMES: Sequence[object] = (*NOT_TEXTS, ["no such name"])

# What no call may take, by the name of the parameter; `None` is added where it is no default.
WRONG: Mapping[str, Sequence[object]] = {
    "abstain": NOT_A_SWITCH,
    "without_reads": NOT_A_SWITCH,
    "all_scopes": NOT_A_SWITCH,
    "after": NOT_WHOLE,
    "as_of": NOT_A_TIME,
    "author": (*NOT_TEXT, *NOT_UNICODE),
    "before": NOT_WHOLE,
    "action": (*NOT_TEXT, *NOT_UNICODE),
    "actor": (*NOT_TEXT, *NOT_UNICODE),
    "against": NOT_ONE_OF_OURS,
    "classification": NOT_A_NAME,
    "reason": (*NOT_TEXT, *NOT_UNICODE, "", "x" * 201),
    "data_type": NOT_A_NAME,
    "last": (*NOT_WHOLE, 0),
    "part": (*NOT_TEXT, *NOT_UNICODE),
    "lender": (*NOT_TEXT, *NOT_UNICODE, ""),
    "reader": (*NOT_TEXT, *NOT_UNICODE, ""),
    "dry_run": NOT_A_SWITCH,
    "redaction": NOT_A_NAME,
    "clearance": NOT_A_NAME,
    "authors": NOT_TEXTS,
    "classifications": NOT_NAMES,
    "deleted_at": NOT_A_TIME,
    "sources": NOT_NAMES,
    "contact": (*NOT_TEXT, *NOT_UNICODE),
    "cursor": NOT_A_NAME,
    "tenant": (*NOT_TEXT, *NOT_UNICODE, ""),
    "origin": (*NOT_TEXT, *NOT_UNICODE),
    "earlier": NOT_A_TIME,
    "depth": NOT_WHOLE,
    "start": (*NOT_TEXT, *NOT_UNICODE, ""),
    "end": (*NOT_TEXT, *NOT_UNICODE, ""),
    "evidence": NOT_TEXTS,
    "first": (*NOT_WHOLE, 0),
    "format": NOT_A_NAME,
    "history": NOT_TEXTS,
    "id": (*NOT_TEXT, *NOT_UNICODE),
    "ids": NOT_TEXTS,
    "importance": NOT_A_SHARE,
    "instructions": (*NOT_TEXT, *NOT_UNICODE),
    "key": (*NOT_TEXT, *NOT_UNICODE, ""),
    "keep_days": (*NOT_WHOLE, 0, 36_501),
    "kind": (*NOT_TEXT, *NOT_UNICODE),
    "kinds": NOT_NAMES,
    "later": NOT_A_TIME,
    "limit": (*NOT_WHOLE, 0, 1_001),
    "days": (*NOT_WHOLE, 0, 367),
    "max_tokens": (*NOT_WHOLE[:-2], 0),
    "repair": NOT_A_SWITCH,
    "accept_losses": NOT_A_SWITCH,
    "file": (*NOT_ONE_OF_OURS, "chat.jsonl"),
    "memories": NOT_TEXTS,
    "memory": (*NOT_TEXT, *NOT_UNICODE),
    "messages": (*NOT_ONE_OF_OURS, "abc", [{"text": PRIVATE}]),
    "metadata": (PRIVATE, 5, [PRIVATE], {1: 2}, {"a": {1: 2}}, {"a": object()}, {"a": math.nan}, {"a": HUGE}),
    "minimum_importance": NOT_A_SHARE,
    "minimum_trust": NOT_A_NAME,
    "content": ("abc", 5, [PRIVATE], [5], [{1: 2}], [{"a": object()}]),
    "tool_calls": ("abc", 5, [PRIVATE], [5], [{1: 2}], [{"a": object()}]),
    "valid_at": NOT_A_TIME,
    "predicate": (*NOT_TEXT, *NOT_UNICODE, ""),
    "object": (*NOT_TEXT, *NOT_UNICODE, ""),
    "is_value": NOT_A_SWITCH,
    "valid_until": (*NOT_A_TIME, datetime(2020, 1, 1, tzinfo=UTC)),
    "now": (*NOT_A_TIME, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    "occurred_at": NOT_A_TIME,
    "profile": NOT_A_NAME,
    "progress": NOT_ONE_OF_OURS,
    "question": (*NOT_TEXT, *NOT_UNICODE),
    "recall": NOT_A_SWITCH,
    "reflect": NOT_A_SWITCH,
    "retrievers": NOT_NAMES,
    "role": NOT_A_NAME,
    "scope": (*NOT_ONE_OF_OURS, "local"),
    "session": (*NOT_TEXT, *NOT_UNICODE, ""),
    "sessions": NOT_TEXTS,
    "since": NOT_A_TIME,
    "slots": (PRIVATE, 5, [PRIVATE], {1: 2}, {"a": 1}, {"facts": -1}, {"facts": "3"}, {"facts": True}, {"facts": HUGE}),
    "project": (*NOT_TEXT, *NOT_UNICODE, ""),
    "agent": (*NOT_TEXT, *NOT_UNICODE, ""),
    "user": (*NOT_TEXT, *NOT_UNICODE, ""),
    "name": (*NOT_TEXT, *NOT_UNICODE, ""),
    "revision": NOT_WHOLE,
    "rights": NOT_NAMES,
    "tenants": NOT_TEXTS,
    "work": NOT_A_NAME,
    "source": NOT_A_NAME,
    "space": NOT_ONE_OF_OURS,
    "speaker": (*NOT_TEXT, *NOT_UNICODE),
    "statuses": NOT_NAMES,
    "tags": NOT_TEXTS,
    "task": (*NOT_TEXT, *NOT_UNICODE),
    "text": (*NOT_TEXT, *NOT_UNICODE, "NUL\0"),
    "title": (*NOT_TEXT, *NOT_UNICODE),
    "topic_key": (*NOT_TEXT, *NOT_UNICODE, ""),
    "record_access": NOT_A_SWITCH,
    "rerank": NOT_A_SWITCH,
    "trust": NOT_A_NAME,
    "skip_bad": NOT_A_SWITCH,
    "turns": (*NOT_ONE_OF_OURS, "abc", [{"text": PRIVATE}]),
    "type": NOT_A_NAME,
    "layers": (["ltm"], "semantic", 1),
    "layer": ("episodic", "ltm", 1),
    "custom_type": ("", "summary", 1),
    "types": NOT_NAMES,
    "until": NOT_A_TIME,
    "vector": (*NOT_ONE_OF_OURS, [0.125] * 64, *NOT_VECTORS),
    "vectors": NOT_A_SWITCH,
    "window": (*NOT_WHOLE, 999),
    "work_type": NOT_A_NAME,
    "working": (*NOT_TEXT, *NOT_UNICODE),
    "all": NOT_A_SWITCH,
    "at": NOT_A_TIME,
    "attributes": (PRIVATE, 5, [PRIVATE], {1: 2}, {"a": {1: 2}}, {"a": object()}, {"a": math.nan}),
    "budget": NOT_ONE_OF_OURS,
    "changes": (*NOT_TEXT, *NOT_UNICODE, "NUL\0"),
    "boost": (PRIVATE, "0.5", True, [0.5], math.nan, math.inf, HUGE),
    "category": NOT_A_NAME,
    "ended": NOT_A_NAME,
    "entities": NOT_TEXTS,
    "episode": (*NOT_TEXT, *NOT_UNICODE),
    "filter": NOT_ONE_OF_OURS,
    "known_by": NOT_A_TIME,
    "message": (*NOT_TEXT, *NOT_UNICODE, "NUL\0"),
    "mode": NOT_A_NAME,
    "observation": (*NOT_TEXT, *NOT_UNICODE, "NUL\0"),
    "signal": NOT_A_NAME,
    "tiers": NOT_NAMES,
    "tokens": (*NOT_WHOLE[:-2], 0),
    "verdict": NOT_A_NAME,
    "episodes": (*NOT_ONE_OF_OURS, "abc", [{"text": PRIVATE}]),
    "event": NOT_A_NAME,
    "into": (*NOT_TEXT, *NOT_UNICODE),
    "observations": (*NOT_ONE_OF_OURS, "abc", [{"text": PRIVATE}]),
    "other": (*NOT_TEXT, *NOT_UNICODE),
    "outcome": NOT_A_NAME,
    "person": (*NOT_TEXT, *NOT_UNICODE),
    "form": NOT_A_NAME,
    "passphrase": NOT_TEXT,
    "path": (5, True, 1.5, [PRIVATE], {PRIVATE: 1}, object()),
    "rating": NOT_A_SHARE,
    "rule": (*NOT_TEXT, *NOT_UNICODE),
    "run": NOT_ONE_OF_OURS,
    "summary": (*NOT_TEXT, *NOT_UNICODE),
    "subject": NOT_A_NAME,
    "superseded": NOT_A_SWITCH,
    "tier": NOT_A_NAME,
    "valid_from": NOT_A_TIME,
    "valid_to": NOT_A_TIME,
    "value": (object(), b"bytes", {1: 2}, {PRIVATE: object()}, math.nan),
}
# `record` is a method, and in `sessions.start` a switch.
WRONG_IN: Mapping[tuple[str, str], Sequence[object]] = {
    ("graph.entity", "name"): (*NOT_TEXT, *NOT_UNICODE, "", "x" * 201),
    ("graph.neighbours", "name"): (*NOT_TEXT, *NOT_UNICODE, "", "x" * 201),
    ("graph.relate", "subject"): (*NOT_TEXT, *NOT_UNICODE, "", "x" * 201),
    ("graph.relate", "ended"): NOT_A_SWITCH,
    ("graph.merge", "reason"): (*NOT_TEXT, *NOT_UNICODE),
    ("graph.split", "reason"): (*NOT_TEXT, *NOT_UNICODE),
    ("graph.relations", "limit"): (*NOT_WHOLE, 0, 10_001),
    ("sessions.start", "record"): NOT_A_SWITCH,
    # Nothing holds under a key of no letters, and that is said.
    **{(f"facts.{method}", "key"): (*NOT_TEXT, *NOT_UNICODE) for method in ("get", "history", "end")},
    ("NewKey", "days"): (PRIVATE, "3", True, math.nan, [3], 0, -1, HUGE),
    ("admin.keys.create", "days"): (PRIVATE, "3", True, math.nan, [3], 0, -1, HUGE),
}

# The field that a text in place of a request is, by method and parameter.
FIRST: Mapping[tuple[str, str], str] = {
    ("record", "message"): "text",
    ("save", "observation"): "text",
    ("edit", "changes"): "text",
    ("episodes.record", "episode"): "summary",
    ("episodes.signal", "signal"): "type",
    ("admin.keys.create", "key"): "name",
}
# What makes a call right, by the name of the parameter, where it has no default.
RIGHT: Mapping[str, object] = {
    "text": "The heron nests in April",
    "question": "When does the heron nest?",
    "messages": [],
    "observations": [],
    "episodes": [],
    "turns": [],
    "file": ChatFile.of(io.BytesIO(), name="chat.jsonl"),
    "deleted_at": datetime.fromisoformat("2026-01-01T00:00Z"),
    "earlier": datetime.fromisoformat("2026-01-01T00:00Z"),
    "start": "Ana",
    "subject": "Ana",
    "predicate": "works_at",
    "object": "Acme",
    "since": datetime(2026, 1, 1, tzinfo=UTC),
    "end": "Lisbon",
    "later": datetime.fromisoformat("2026-01-02T00:00Z"),
    "scope": Scope(),
    "task": "Count the nests of the heron",
    "message": "The heron nests in April",
    "observation": "The heron nests in April",
    "episode": "sent a mail",
    "signal": "approval_rejected",
    "filter": Filter(tags=["heron"]),
    "verdict": "right",
    "first": 1,
    "boost": 0.1,
    "classification": "internal",
    "data_type": "card",
    "lender": "apollo",
    "reader": "zeus",
    "reason": "said in public",
    "redaction": "mask",
    "person": "Ana",
    "user": "ana",
    "form": "jsonl",
    "passphrase": "correct horse battery",
    "path": "/nowhere/memories.archive",
    "keep_days": 30,
    "id": "nobody",
    "ids": ["nobody"],
    "into": "nobody",
    "key": "contact.ana.language",
    "other": "nobody either",
    "outcome": "accepted",
    "rating": 0.5,
    "rule": "Write short mails.",
    "run": WorkingMemory("sort the mail"),
    "summary": "sent a mail",
    "type": "approval_rejected",
    "value": "Italian",
    "name": "the agent's",
    "work": "embed",
}


Use = Callable[[SyncMemory, str, Any], object]
# How each kind of request is passed in.
REQUESTS: Mapping[type, Use] = {
    AuditFilter: lambda memory, _, filter: memory.governance.audit.list(filter),
    Budget: lambda memory, _, budget: memory.context(budget=budget),
    Changes: lambda memory, id, changes: memory.edit(id, changes),
    ContextRequest: lambda memory, _, request: memory.context(request),
    Filter: lambda memory, _, filter: memory.list(filter),
    NewEpisode: lambda memory, _, episode: memory.episodes.record(episode),
    NewKey: lambda memory, _, key: memory.admin.keys.create(key),
    NewMessage: lambda memory, _, message: memory.record(message),
    NewObservation: lambda memory, _, observation: memory.save(observation),
    NewSignal: lambda memory, _, signal: memory.episodes.signal(signal),
    RecallRequest: lambda memory, _, request: memory.recall(request),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    method: str
    name: str
    default: object

    @property
    def wrong(self) -> Sequence[object]:
        values = WRONG_IN.get((self.method, self.name)) or WRONG[self.name]
        # A fact may be that there is nothing.
        return values if self.default is None or self.name == "value" else (*values, None)


def parameters(owner: type) -> list[Parameter]:
    return [
        Parameter(method=method, name=given.name, default=given.default)
        for method, function in methods_of(owner).items()
        for given in list(inspect.signature(function).parameters.values())[1:]
    ]


def arguments(method: Callable[..., object], id: str, wrong: Mapping[str, object]) -> dict[str, object]:
    right = {**RIGHT, "id": id, "session": id}
    given = inspect.signature(method).parameters.values()
    needed = [one.name for one in given if one.default is one.empty or one.name == "id"]
    return {**{name: right[name] for name in needed}, **wrong}


def misjudged(parameter: Parameter, value: object, call: Callable[[], object]) -> str | None:
    """What is wrong with how a wrong value was met, or `None`."""
    try:
        # What gives one thing after the other may refuse with the first.
        if isinstance(found := call(), Iterator):
            next(cast(Iterator[object], found))
    except InvalidInput as error:
        told = str(error)
        if PRIVATE in told:
            return f"{parameter.name}: the message repeats what was given"
        names = (parameter.name, FIRST.get((parameter.method, parameter.name), parameter.name))
        is_named = any(name.removesuffix("s").removesuffix("e") in told for name in names)
        return None if is_named else f"{parameter.name} is not named: {told}"
    except Exception as error:
        return f"{parameter.name}={type(value).__name__} raised {type(error).__name__}"
    return f"{parameter.name}={value if isinstance(value, float) else type(value).__name__} was taken"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SyncMemory]:
    with SyncMemory(tmp_path / "m.db", embedder="hash", model=ScriptedModel([]), background=False) as memory:
        # What is asked of a session and of a memory is asked of one that is there.
        memory.sessions.start(memory.save("The heron nests in April", topic_key="heron").record.id, record_access=False)
        yield memory


def test_every_parameter_of_every_method_is_in_the_table() -> None:
    known = {*WRONG, *(name for _, name in WRONG_IN)}
    named = {parameter.name for owner in (Memory, SyncMemory) for parameter in parameters(owner)}
    assert named | {field.name for kind in REQUESTS for field in fields(kind)} == known


def test_every_wrong_argument_is_named_and_nothing_is_written(memory: SyncMemory, tmp_path: Path) -> None:
    before, id = held(tmp_path / "m.db"), memory.sessions.list()[0].id
    with every_row() as row:
        for method, given in groupby(parameters(SyncMemory), key=attrgetter("method")):
            function = bound(memory, method)
            faults = [
                misjudged(parameter, value, partial(function, **arguments(function, id, {parameter.name: value})))
                for parameter in given
                for value in parameter.wrong
            ]
            with row(method):
                assert [fault for fault in faults if fault] == []
                assert held(tmp_path / "m.db") == before


def test_every_wrong_field_of_a_request_is_named_and_nothing_is_written(memory: SyncMemory, tmp_path: Path) -> None:
    before, id = held(tmp_path / "m.db"), memory.sessions.list()[0].id
    with every_row() as row:
        for kind, use in REQUESTS.items():
            needed = {
                one.name: RIGHT[one.name] for one in fields(kind) if one.default is MISSING is one.default_factory
            }

            def call(
                field: str, value: object, kind: type = kind, use: Use = use, needed: Mapping[str, object] = needed
            ) -> object:
                return use(memory, id, kind(**{**needed, field: value}))

            for field in fields(kind):
                default = None if field.default is MISSING else field.default
                parameter = Parameter(method=kind.__name__, name=field.name, default=default)
                faults = [misjudged(parameter, value, partial(call, field.name, value)) for value in parameter.wrong]
                after, unwritten = held(tmp_path / "m.db"), before
                before = after
                with row(f"{kind.__name__}.{field.name}"):
                    assert [fault for fault in faults if fault] == []
                    assert after == unwritten


@each_row("field", [field.name for field in fields(NewMessage)])
def test_a_draft_with_a_wrong_field_is_refused_and_so_is_its_batch(memory: SyncMemory, field: str) -> None:
    others: dict[str, Any] = {"text": "The otter hunts at dusk", "role": Role.USER, field: {PRIVATE}}
    right = NewMessage(text="The otter sleeps at noon", role=Role.USER)
    with pytest.raises(InvalidInput, match=rf"^{field} must be .*, not set$"):
        memory.messages.record_many([right, NewMessage(**others)])
    assert memory.admin.stats().records == {"observation/active": 1}


@each_row("field", [field.name for field in fields(Turn)])
def test_a_turn_with_a_wrong_field_is_refused(field: str) -> None:
    turn: dict[str, Any] = {"conversation": "talk", "session": "1", "position": 0, "role": "user", "text": "hello"}
    turn[field] = {PRIVATE}
    with pytest.raises(InvalidInput, match=rf"^{field} must be .*, not set$"):
        Turn(**turn)


@each_row(
    "given",
    [
        *({"db": db} for db in (5, b"m.db", ["m.db"], True, "m.db\0")),
        *({"embedder": embedder} for embedder in (5, ["none"], 1.5, "no such embedder")),
        *({name: 5} for name in ("tenant", "project", "agent", "user", "time_zone", "no_such_setting")),
    ],
)
def test_a_memory_is_not_opened_with_wrong_arguments_and_no_file_is_made(given: dict[str, Any], tmp_path: Path) -> None:
    (name,) = given
    given.setdefault("db", tmp_path / "m.db")
    with pytest.raises(InvalidInput, match="NUL" if given["db"] == "m.db\0" else name):
        SyncMemory(**given, background=False)
    assert list(tmp_path.iterdir()) == []


@each_row("dimension", ["tenant", *DIMENSIONS])
@each_row("name", [5, True, b"ana", ["ana"]])
def test_a_scope_whose_names_are_no_text_is_refused(dimension: str, name: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"^{dimension} must be a? ?str.*, not "):
        Scope(**{dimension: name})


@each_row(
    "given, told",
    [
        ({"minimum_importance": math.nan}, "minimum_importance is nan; use 0 to 1"),
        ({"tags": ["a", 1]}, "tags[1] must be str, not int"),
    ],
)
def test_the_message_of_a_filter_says_what_was_given_and_what_to_give(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Filter(**given)
    assert str(raised.value) == told


@each_row(
    "method, given, told",
    [
        ("save", {"observation": None}, "observation must be str or NewObservation, not None"),
        ("save", {"observation": "x", "tags": "abc"}, "tags must be a list of str or None, not str"),
        ("save", {"observation": "x", "importance": "high"}, "importance must be a number or None, not str"),
        ("recall", {"question": 1}, "question must be str or RecallRequest, not int"),
        ("recall", {"question": "x", "limit": "3"}, "limit must be int, not str"),
        ("recall", {"question": "x", "limit": True}, "limit must be int, not bool"),
        ("recall", {"question": "x", "limit": HUGE}, "limit is out of range; use 1 to 1,000"),
        ("recall", {"question": "x", "max_tokens": -1}, "max_tokens is -1; use 1 or more"),
        ("recall", {"question": "x", "filter": "abc"}, "filter must be Filter or None, not str"),
        (
            "recall",
            {"question": "x", "as_of": "yesterday"},
            "as_of must be a datetime with its time zone or None, not str",
        ),
        ("messages.record_many", {"messages": 5}, "messages must be a list of NewMessage, not int"),
        ("admin.index.embed", {"progress": 1}, "progress must be a function, not int"),
        ("get", {"id": "a text taken for an id " * 9}, "no memory 'a text taken for an id a text taken for…' here"),
    ],
)
def test_the_message_says_what_was_given_and_what_to_give(
    memory: SyncMemory, method: str, given: dict[str, object], told: str
) -> None:
    with pytest.raises(RemembrancerError) as raised:
        bound(memory, method)(**given)
    assert str(raised.value) == told
