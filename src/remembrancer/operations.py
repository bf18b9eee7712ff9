"""What the service can be asked: each method of a memory and of its doors with its route and the right that it takes.

A method that has no route stands in `WITHOUT_ROUTE` with the reason. Parameters, answers and their descriptions come
from the methods themselves.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast, get_args, get_origin

from remembrancer.memory import Memory
from remembrancer.resources.json_values import has_records, hints_of
from remembrancer.types.access import Right
from remembrancer.types.record import Record

_READ, _WRITE, _LEARN, _GOVERN, _OPERATE = Right.READ, Right.WRITE, Right.LEARN, Right.GOVERN, Right.OPERATE

_ROUTES: Mapping[str, tuple[str, Right]] = {
    "record": ("POST /v1/messages", _WRITE),
    "messages.record_many": ("POST /v1/messages/batch", _WRITE),
    "messages.import_turns": ("POST /v1/messages/turns", _WRITE),
    "save": ("POST /v1/observations", _WRITE),
    "observations.save_many": ("POST /v1/observations/batch", _WRITE),
    "observations.delete_many": ("POST /v1/memories/delete", _WRITE),
    "observations.restore_many": ("POST /v1/memories/restore", _WRITE),
    "edit": ("PATCH /v1/observations/{id}", _WRITE),
    "list": ("GET /v1/memories", _READ),
    "get": ("GET /v1/memories/{id}", _READ),
    "delete": ("DELETE /v1/memories/{id}", _WRITE),
    "restore": ("POST /v1/memories/{id}/restore", _WRITE),
    "history": ("GET /v1/memories/{id}/history", _READ),
    "recall": ("POST /v1/recall", _READ),
    "explain": ("POST /v1/explain", _READ),
    "ask": ("POST /v1/ask", _READ),
    "ask_stream": ("POST /v1/ask/stream", _READ),
    "context": ("POST /v1/context", _READ),
    "reply": ("POST /v1/reply", _WRITE),
    "reply_stream": ("POST /v1/reply/stream", _WRITE),
    "execute": ("POST /v1/execute", _WRITE),
    "execute_stream": ("POST /v1/execute/stream", _WRITE),
    "sessions.start": ("POST /v1/sessions", _WRITE),
    "sessions.list": ("GET /v1/sessions", _READ),
    "sessions.end": ("POST /v1/sessions/{id}/end", _WRITE),
    "sessions.summarise": ("POST /v1/sessions/{id}/summary", _WRITE),
    "sessions.distilled": ("GET /v1/sessions/{session}", _READ),
    "sessions.log": ("GET /v1/sessions/{session}/log", _READ),
    "sessions.chunks": ("GET /v1/sessions/{session}/chunks", _READ),
    "sessions.noted": ("GET /v1/sessions/{session}/chunks/{first}", _READ),
    "sessions.approve": ("POST /v1/sessions/{session}/chunks/{first}/approve", _LEARN),
    "sessions.retry": ("POST /v1/sessions/{session}/chunks/{first}/retry", _LEARN),
    "sessions.observe_now": ("POST /v1/sessions/{session}/observe", _LEARN),
    "sessions.reflect_now": ("POST /v1/reflect", _LEARN),
    "sessions.dead_letters": ("GET /v1/dead-letters", _READ),
    "timeline.around": ("GET /v1/memories/{id}/around", _READ),
    "timeline.between": ("GET /v1/timeline", _READ),
    "timeline.diff": ("GET /v1/diff", _READ),
    "contexts.block": ("POST /v1/block", _READ),
    "contexts.brief": ("POST /v1/brief", _READ),
    "contexts.inject": ("POST /v1/inject", _READ),
    "contexts.remind": ("POST /v1/remind", _READ),
    "contexts.injections": ("GET /v1/sessions/{session}/injections", _READ),
    "episodes.record": ("POST /v1/episodes", _WRITE),
    "episodes.record_many": ("POST /v1/episodes/batch", _WRITE),
    "episodes.end_run": ("POST /v1/runs", _WRITE),
    "episodes.signal": ("POST /v1/signals", _WRITE),
    "episodes.restore": ("POST /v1/episodes/{id}/restore", _WRITE),
    "episodes.list": ("GET /v1/episodes", _READ),
    "facts.set": ("PUT /v1/facts/{key}", _WRITE),
    "facts.get": ("GET /v1/facts/{key}", _READ),
    "facts.end": ("DELETE /v1/facts/{key}", _WRITE),
    "facts.history": ("GET /v1/facts/{key}/history", _READ),
    "facts.list": ("GET /v1/facts", _READ),
    "procedures.add": ("POST /v1/procedures", _LEARN),
    "procedures.list": ("GET /v1/procedures", _READ),
    "procedures.refused": ("GET /v1/procedures/refused", _READ),
    "procedures.edit": ("PATCH /v1/procedures/{id}", _LEARN),
    "procedures.pause": ("POST /v1/procedures/{id}/pause", _LEARN),
    "procedures.resume": ("POST /v1/procedures/{id}/resume", _LEARN),
    "procedures.retire": ("POST /v1/procedures/{id}/retire", _LEARN),
    "learning.list": ("GET /v1/observations", _READ),
    "learning.right": ("POST /v1/observations/{id}/right", _LEARN),
    "learning.wrong": ("POST /v1/observations/{id}/wrong", _LEARN),
    "learning.dismiss": ("POST /v1/observations/{id}/dismiss", _LEARN),
    "learning.undo": ("POST /v1/observations/{id}/undo", _LEARN),
    "learning.merge": ("POST /v1/observations/{into}/merge", _LEARN),
    "learning.pause": ("POST /v1/memories/{id}/pause", _LEARN),
    "learning.resume": ("POST /v1/memories/{id}/resume", _LEARN),
    "learning.retire": ("POST /v1/memories/{id}/retire", _LEARN),
    "learning.why": ("GET /v1/memories/{id}/why", _READ),
    "learning.weights": ("GET /v1/memories/{id}/weights", _READ),
    "learning.standing": ("GET /v1/memories/{id}/standing", _READ),
    "learning.rate": ("PUT /v1/memories/{id}/rating", _LEARN),
    "learning.boost": ("PUT /v1/memories/{id}/boost", _LEARN),
    "learning.pin": ("PUT /v1/memories/{id}/pin", _LEARN),
    "learning.unpin": ("DELETE /v1/memories/{id}/pin", _LEARN),
    "learning.outcome": ("POST /v1/sessions/{session}/outcome", _LEARN),
    "learning.nightly": ("POST /v1/nights", _LEARN),
    "learning.preview": ("GET /v1/nights/preview", _READ),
    "learning.nights": ("GET /v1/nights/latest", _READ),
    "upkeep.stats": ("GET /v1/stats", _READ),
    "upkeep.costs": ("GET /v1/costs", _GOVERN),
    "upkeep.flush": ("POST /v1/upkeep/flush", _WRITE),
    "upkeep.embed_soon": ("POST /v1/upkeep/embed-soon", _WRITE),
    "upkeep.embed": ("POST /v1/upkeep/embed", _OPERATE),
    "upkeep.unembedded": ("GET /v1/upkeep/unembedded", _OPERATE),
    "upkeep.reembed": ("POST /v1/upkeep/reembed", _OPERATE),
    "upkeep.reindex": ("POST /v1/upkeep/reindex", _OPERATE),
    "upkeep.doctor": ("POST /v1/upkeep/doctor", _OPERATE),
    "keys.create": ("POST /v1/keys", _OPERATE),
    "keys.list": ("GET /v1/keys", _OPERATE),
    "keys.rotate": ("POST /v1/keys/{id}/rotate", _OPERATE),
    "keys.revoke": ("DELETE /v1/keys/{id}", _OPERATE),
    "governance.classify": ("PUT /v1/memories/{id}/classification", _OPERATE),
    "governance.redactions": ("GET /v1/redactions", _READ),
    "governance.redact": ("PUT /v1/redactions/{datum}", _OPERATE),
    "governance.unset_redaction": ("DELETE /v1/redactions/{datum}", _OPERATE),
    "governance.overview": ("GET /v1/governance/overview", _OPERATE),
    "governance.holds": ("GET /v1/holds", _OPERATE),
    "governance.hold": ("PUT /v1/holds/{name}", _OPERATE),
    "governance.lift": ("POST /v1/holds/{name}/lift", _OPERATE),
    "retention.set": ("PUT /v1/retention/{name}", _OPERATE),
    "retention.unset": ("DELETE /v1/retention/{name}", _OPERATE),
    "retention.policies": ("GET /v1/retention", _READ),
    "retention.find_expired": ("GET /v1/expired", _OPERATE),
    "retention.list_soft_deleted": ("GET /v1/deleted", _OPERATE),
    "retention.soft_delete": ("POST /v1/deleted", _OPERATE),
    "retention.hard_delete": ("POST /v1/deleted/purge", _OPERATE),
    "retention.is_accessible": ("GET /v1/memories/{id}/accessible", _READ),
    "retention.run": ("POST /v1/retention/run", _OPERATE),
    "transfers.list": ("GET /v1/transfers", _OPERATE),
    "transfers.grant": ("PUT /v1/transfers/{lender}/{reader}", _OPERATE),
    "transfers.revoke": ("POST /v1/transfers/{lender}/{reader}/revoke", _OPERATE),
    "erasures.plan": ("POST /v1/erasures/plan", _GOVERN),
    "erasures.erase": ("POST /v1/erasures", _GOVERN),
    "erasures.named": ("POST /v1/erasures/named", _GOVERN),
    "erasures.receipts": ("GET /v1/erasures", _GOVERN),
    "audit.list": ("GET /v1/audit", _OPERATE),
    "audit.verify": ("POST /v1/audit/verify", _OPERATE),
    "audit.checkpoint": ("GET /v1/audit/checkpoint", _OPERATE),
    "jobs.start": ("POST /v1/jobs", _READ),
    "jobs.list": ("GET /v1/jobs", _READ),
    "jobs.get": ("GET /v1/jobs/{id}", _READ),
    "jobs.cancel": ("DELETE /v1/jobs/{id}", _READ),
}
# Where the right hangs on an argument: the method asks for it itself, or it is this one.
RIGHT_FOR: Mapping[str, tuple[str, Right]] = {
    "delete": ("erase", _GOVERN),
    "list": ("all_scopes", _OPERATE),
    "sessions.list": ("all_scopes", _OPERATE),
}
WITHOUT_ROUTE: Mapping[str, str] = {
    "within": "the query parameters project, agent, user and clearance narrow every request",
    "find": "is `get` for whom absence is no error; a client's",
    "block": "is the text of `contexts.block`",
    "conversation": "is a session with its name filled in; a client's",
    "contexts.assemble": "is `context` with its arguments in one; a client's",
    "contexts.reply": "the same as `reply`",
    "contexts.reply_stream": "the same as `reply_stream`",
    "observations.edit": "the same as `edit`",
    "observations.delete": "the same as `delete`",
    "observations.restore": "the same as `restore`",
    "archives.export": "is streamed by GET /v1/export",
    "archives.report": "is streamed by GET /v1/users/{name}/report",
    "archives.make": "the file is the answer to POST /v1/archives",
    "archives.stream": "is the answer to POST /v1/archives, piece by piece",
    "archives.check": "a file is sent as the body of POST /v1/archives/check",
    "archives.take": "a file is sent as the body of POST /v1/archives/take",
    "messages.import_file": "a file is sent as the body of POST /v1/messages/import, or of POST /v1/jobs/import",
}
# Parameters that do not cross: what runs while a caller waits is told by a job, and a file is a body of its own.
NOT_SENT = frozenset({"told", "progress", "file", "skip_bad"})
LONG = frozenset(
    {"learning.nightly", "upkeep.embed", "upkeep.reembed", "upkeep.reindex", "upkeep.doctor", "sessions.observe_now",
     "sessions.reflect_now", "sessions.retry", "erasures.erase", "retention.run"}
)  # fmt: skip
"""What may take longer than a request may; it ends when it ends."""
TOLD_ONCE = frozenset({"keys.create", "keys.rotate"})
"""What is answered with a secret that is kept nowhere."""
MADE = frozenset({"record", "save", "messages.record_many", "observations.save_many", "episodes.record",
                  "episodes.record_many", "episodes.signal", "procedures.add", "keys.create"})  # fmt: skip
"""What is answered with 201."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method as the service offers it.

    Args:
        name: such as `record` or `sessions.start`.
        path: with the names of parameters in braces.
    """

    name: str
    verb: str
    path: str
    right: Right
    method: Callable[..., Any]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What it takes, by name, without what does not cross."""
        return _parameters(self.method)

    @property
    def hints(self) -> Mapping[str, Any]:
        """The annotation of each parameter, and of what it returns."""
        return hints_of(self.method)

    @property
    def in_path(self) -> tuple[str, ...]:
        """The parameters that are in the path."""
        return tuple(name for name in self.parameters if f"{{{name}}}" in self.path)

    @property
    def needed(self) -> frozenset[str]:
        """The parameters that have no default."""
        return frozenset(name for name, one in self.parameters.items() if one.default is one.empty)

    @property
    def has_body(self) -> bool:
        """Whether what is not in the path is in a body; else it is in the query."""
        return self.verb in ("POST", "PUT", "PATCH")

    @property
    def beside_path(self) -> tuple[str, ...]:
        """The parameters that are in the body or in the query."""
        in_path = self.in_path
        return tuple(name for name in self.parameters if name not in in_path)

    @property
    def returns(self) -> Any:
        """The annotation of the answer; of a stream, that of its last piece."""
        hint = self.hints["return"]
        if get_origin(hint) is not AsyncGenerator:
            return hint
        return next(part for part in get_args(get_args(hint)[0]) if part is not str)

    @property
    def lists(self) -> bool:
        """Whether the answer is a list of memories, or has one, so that it can be asked for in short."""
        holds, hint = has_records(self.returns), self.returns
        is_one = isinstance(hint, type) and issubclass(cast(type[object], hint), Record)
        is_asked = self.right is Right.READ or self.name == "sessions.start"
        return is_asked and not is_one and not self.streams and holds

    @property
    def streams(self) -> bool:
        """Whether the answer comes piece by piece."""
        return get_origin(self.hints["return"]) is AsyncGenerator

    @property
    def writes(self) -> bool:
        """Whether it changes anything on purpose, so that it is done once for one idempotency key."""
        only_reads = self.verb == "GET" or (self.verb == "POST" and self.right is Right.READ and self.door != "jobs")
        return not only_reads and not self.streams

    @property
    def door(self) -> str:
        """The door that it belongs to; the memory itself has the daily verbs."""
        return self.name.rpartition(".")[0] or "memory"


@cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    given = list(inspect.signature(method).parameters.values())[1:]
    return {one.name: one for one in given if one.name not in NOT_SENT}


def _method(name: str) -> Callable[..., Any]:
    door, _, verb = name.rpartition(".")
    owner: Any = Memory
    if door:
        owner = hints_of(getattr(Memory, door).fget)["return"]
    return getattr(owner, verb)


OPERATIONS: Mapping[str, Operation] = {
    name: Operation(
        name=name, verb=route.partition(" ")[0], path=route.partition(" ")[2], right=right, method=_method(name)
    )
    for name, (route, right) in _ROUTES.items()
}
