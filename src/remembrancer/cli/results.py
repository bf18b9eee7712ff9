"""Results of operations: as JSON, and as lines of text by the name of the operation."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from remembrancer.cli import governance_text, model_text, times
from remembrancer.cli.output import each, fields, numbered, print_json
from remembrancer.cli.records import (
    fact_line,
    line,
    note_lines,
    number_range,
    pattern_lines,
    record_fields,
    scope_line,
    status_line,
)
from remembrancer.cli.target import Target
from remembrancer.resources.json_values import dump
from remembrancer.types.calls import dollars
from remembrancer.types.record import Fact, Record
from remembrancer.types.results import Size, full, record_json, scope_form
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.context.report import Context
    from remembrancer.learn.sessions import Started
    from remembrancer.resources.admin import BackgroundState
    from remembrancer.resources.memories import Evidence
    from remembrancer.search.query import Explanation, Hit, RecallResult, SearchTrace
    from remembrancer.search.timeline import TimelineDiff, TimelineWindow
    from remembrancer.types.feedback import ScoreParts, WeightChange
    from remembrancer.types.graph import EntityPage, EntityRelation, Neighbourhood
    from remembrancer.types.notes import Chunk
    from remembrancer.types.results import Page, Saved
    from remembrancer.types.session import Injection, Session

JsonShape = dict[str, object]
Lines = Callable[[Any], Iterable[str]]
# Operations and resources whose records are printed whole in JSON.
_WHOLE = ("get", "feedback", "evidence", "timeline.history", "facts", "rules", "patterns")


def print_result(target: Target, result: Any, *, name: str, size: str = "") -> None:
    """Print the result of an operation as JSON, or as text.

    Args:
        name: of the operation.
        size: of the records in it; by default that of the operation.
    """
    if target.json:
        print_json(as_json(result, size=size or size_for(name)))
        return
    for one in text_of(name, result, size=size):
        click.echo(one)


def size_for(name: str) -> str:
    """Return the size in which the records of an operation are printed."""
    is_whole = any(name == one or name.startswith(f"{one}.") for one in _WHOLE)
    return Size.FULL if is_whole else Size.COMPACT


def as_json(value: Any, *, size: str = Size.COMPACT) -> Any:
    """Return a value as JSON: records in a size, any other dataclass by its fields."""
    if isinstance(value, Record):
        return dict(full(value) if size == Size.FULL else record_json(value, size))
    special = _JSON.get(type(value).__name__)
    if special is not None:
        return special(value, size)
    match value:
        case str() | bytes():
            return value
        case Mapping():
            return {str(key): as_json(item, size=size) for key, item in cast(Mapping[Any, Any], value).items()}
        case Collection():
            return [as_json(item, size=size) for item in cast(Collection[Any], value)]
        case _ if is_dataclass(value):
            return _fields(value, size)
        case _:
            return dump(value)


def text_of(name: str, result: Any, *, size: str = "") -> Iterator[str]:
    """Yield the lines of the result of an operation."""
    if isinstance(result, Record) and size not in ("", Size.COMPACT):
        yield from record_fields(result, size=size)
        return
    lines = _TEXT.get(name) or _TEXT.get(name.rpartition(".")[0]) or _any
    yield from lines(result)


def recalled_lines(recalled: "RecallResult", *, factors: bool = False, size: str = Size.COMPACT) -> Iterator[str]:
    """Yield the lines of the hits, best first; or of the nearest misses, if recall abstained."""
    if recalled.abstained:
        yield f"nothing here is likely to answer that (confidence {recalled.confidence:.2f})"
        if recalled.nearest:
            yield "the nearest misses:"
    for rank, hit in enumerate(recalled.hits or recalled.nearest, 1):
        yield f"{rank:>2}. {hit.score:.3f}  {line(hit.record)}"
        if size == Size.PUBLIC:
            yield from record_fields(hit.record, size=size)
        if hit.replaced:
            yield f"          valid until {times.day(hit.replaced.until)}, replaced by {hit.replaced.newer}"
        for one in hit.replaces:
            yield f"          until {times.day(one.until)}: {one.value} ({one.older})"
        if factors:
            yield f"          {_factors(hit.factors)}"
    if recalled.dropped:
        yield f"{recalled.dropped} more did not fit into the tokens"


def page_lines(page: "Page", *, size: str = Size.COMPACT, scopes: bool = False) -> Iterator[str]:
    """Yield the lines of a page of memories.

    Args:
        scopes: whether each has its scope under it.
    """
    for record in page.records:
        yield line(record)
        if scopes:
            yield f"          {scope_line(record.scope)}"
        if size == Size.PUBLIC:
            yield from record_fields(record, size=size)
    if page.cursor:
        yield f"more: --cursor {page.cursor}"


def session_line(session: "Session") -> str:
    """Return a session on one line."""
    when = times.minute(session.last_activity_at)
    return f"{session.id}  {session.status.value}  {numbered(session.messages, 'message')}  {when}"


def chunk_line(chunk: "Chunk") -> str:
    """Return a run of messages on one line."""
    model = f", by {shown(chunk.model)}" if chunk.model else ""
    tries = f", {chunk.tries} tries" if chunk.tries > 1 else ""
    failure = f": {shown(chunk.failure)}" if chunk.failure else ""
    numbers = number_range(chunk.first, chunk.last)
    state = f"{chunk.state.value}, {chunk.tokens:,} tokens to {chunk.noted:,}"
    return f"messages {numbers}, {state}{model}{tries}{failure}"


def stats_lines(stats: Any) -> Iterator[str]:
    """Yield the lines of a conversation in numbers."""
    ratio = f", {stats.ratio:g} to 1" if stats.ratio else ""
    raw = f"{stats.raw:,} are in the words of the messages"
    yield f"{stats.covered:,} tokens are in {stats.noted:,} of notes{ratio}; {raw}"
    if stats.dead:
        yield f"{stats.dead} could not be observed by a model: see `remembrancer notes failed`"


# JSON


def _fields(value: Any, size: str) -> JsonShape:
    return {one.name: as_json(getattr(value, one.name), size=size) for one in fields_of(value)}


def _hit(hit: "Hit", size: str) -> JsonShape:
    own = {"score": hit.score, "factors": dict(hit.factors), "replaced": hit.replaced, "replaces": hit.replaces}
    return {**as_json(hit.record, size=size), **as_json(own)}


def _saved(saved: "Saved[Record]", size: str) -> JsonShape:
    return {"outcome": saved.outcome.value, **as_json(saved.record, size=size)}


def _started(started: "Started", size: str) -> JsonShape:
    own = _fields(started, size)
    return {**cast(JsonShape, own.pop("session")), **own}


def _evidence(evidence: "Evidence", size: str) -> JsonShape:
    own = _fields(evidence, size)
    return {**cast(JsonShape, own.pop("record")), **own}


def _context(context: "Context", _size: str) -> JsonShape:
    return {
        "text": context.text,
        "prefix": context.prefix,
        "messages": context.messages(),
        "report": as_json(context.report),
    }


def _paid(answer: Any, size: str) -> JsonShape:
    own = _fields(answer, size)
    report = own.pop("context", None) and as_json(answer.context.report)
    money = None if answer.cost is None else float(dollars(answer.cost))
    return {**own, "cost": money, **({"report": report} if report else {})}


def _reply(reply: Any, _size: str) -> JsonShape:
    return {"text": reply.text, "model": reply.model, "report": as_json(reply.context.report)}


def _maintenance(run: Any, size: str) -> JsonShape:
    more = ("left", "failures", "next_try_at")
    return {**_fields(run, size), **{name: as_json(getattr(run, name)) for name in more}}


def _created_key(created: Any, size: str) -> JsonShape:
    return {**as_json(created.key, size=size), "token": created.token}


def _scope(scope: Any, _size: str) -> JsonShape:
    return dict(scope_form(scope))


def _diagnosis(diagnosis: Any, size: str) -> JsonShape:
    fields = _fields(diagnosis, size)
    finding = cast(JsonShape, fields.pop("finding"))
    return {**finding, **fields}


_JSON: Mapping[str, Callable[[Any, str], Any]] = {
    "Scope": _scope,
    "Hit": _hit,
    "Saved": _saved,
    "Started": _started,
    "Evidence": _evidence,
    "Context": _context,
    "Answer": _paid,
    "TaskResult": _paid,
    "Reply": _reply,
    "MaintenanceRun": _maintenance,
    "CreatedKey": _created_key,
    "Diagnosis": _diagnosis,
    "Costs": lambda costs, _size: model_text.costs_json(costs),
    "Verified": lambda verified, size: {**_fields(verified, size), "sound": verified.sound},
}


# Text


def _any(result: Any) -> Iterator[str]:
    if result is None:
        return
    if isinstance(result, Record):
        yield line(result)
    elif isinstance(result, Sequence) and not isinstance(result, str):
        for one in cast(Sequence[Any], result):
            yield from _any(one)
    elif is_dataclass(result):
        yield from fields(as_json(result))
    else:
        yield shown(str(result))


def _saved_lines(saved: "Saved[Record]") -> Iterator[str]:
    yield f"{saved.outcome.value}  {line(saved.record)}"


def _saved_fact(saved: "Saved[Fact]") -> Iterator[str]:
    yield f"{saved.outcome.value}  {fact_line(saved.record)}"


def _facts(result: "Fact | Sequence[Fact]") -> Iterator[str]:
    for fact in [result] if isinstance(result, Fact) else result:
        yield fact_line(fact)


def _version(version: Any) -> str:
    record = version.record
    author = ", ".join(filter(None, (record.author, record.source.value)))
    state = f"revision {record.revision}, {record.status.value}"
    return f"{times.minute(version.since)}  {state}  {shown(author)}: {shown(record.text)}"


def _around(around: "TimelineWindow") -> Iterator[str]:
    for record in (*around.before, around.record, *around.after):
        yield f"{'>' if record is around.record else ' '} {line(record)}"


def _diff(diff: "TimelineDiff") -> Iterator[str]:
    yield from (f"+ {line(record)}" for record in diff.learnt)
    for change in diff.changed:
        yield f"< {line(change.before)}"
        yield f"> {line(change.after)}"
    yield from (f"- {line(record)}" for record in diff.retired)


def _explanation(explanation: "Explanation") -> Iterator[str]:
    yield f"{explanation.stage}: {explanation.reason}"
    if explanation.ranks:
        yield "ranks    " + "  ".join(f"{retriever} {rank}" for retriever, rank in explanation.ranks.items())
    if explanation.factors:
        yield "factors  " + _factors(explanation.factors)


def _factors(factors: Mapping[str, float]) -> str:
    """Return the factors that are not 0, largest first."""
    ranked = sorted(((value, name) for name, value in factors.items() if value), reverse=True)
    return "  ".join(f"{name} {value:.2f}" for value, name in ranked)


def _trace_lines(trace: "SearchTrace") -> Iterator[str]:
    found = ", ".join(f"{count} {retriever}" for retriever, count in trace.found.items())
    yield f"{trace.intent}: {numbered(trace.considered, 'candidate')} ({found})"
    confidence = trace.result.confidence
    yield f"confidence {confidence:.2f}, {'below' if trace.result.abstained else 'at least'} {trace.abstain_below:.2f}"
    for one in trace.candidates:
        lost = f"  {one.stage}{f', {one.behind:.3f} behind' if one.behind else ''}" if one.stage != "recalled" else ""
        yield f"{one.rank:>3}. {one.score:.3f}  {line(one.record)}{lost}"
        yield f"          {_factors(one.factors)}"
    yield "  ".join(f"{name} {seconds * 1_000:.1f} ms" for name, seconds in trace.seconds.items())


def _background_lines(state: "BackgroundState") -> Iterator[str]:
    yield f"this process does {'' if state.works else 'no '}background work"
    for one in state.due:
        yield f"due: {one.purpose.value}{f' of tenant {one.tenant}' if one.tenant else ''}"
    yield f"{numbered(len(state.leases), 'piece')} of work in progress"
    yield from (f"failing: {breaker}" for breaker in state.breakers)
    yield from (f"failing maintenance: {scope_line(scope)}" for scope in state.failing)
    yield from (f"does not answer: {name}, its due work is not shown" for name in state.away)


def _evidence_lines(evidence: "Evidence", indent: str = "") -> Iterator[str]:
    yield f"{indent}{line(evidence.record)}"
    below = f"{indent}  "
    for verdict in evidence.verdicts:
        yield f"{below}{verdict.verdict.value}, by {shown(verdict.person)} on {times.minute(verdict.at)}"
    for source in evidence.sources:
        yield from _evidence_lines(source, below)
    for id in evidence.missing:
        yield f"{below}{id}  is not here any more"


def _started_lines(started: "Started") -> Iterator[str]:
    yield f"{'started' if started.is_new else 'resumed'} {started.session.id}"
    yield from (f"  earlier: {line(summary)}" for summary in started.summaries)
    yield from (f"  known:   {line(memory)}" for memory in started.memories)


def _injection(injection: "Injection") -> str:
    not_shown = "" if injection.shown else ", not shown"
    return f"{times.minute(injection.at)}  {injection.mode.value}{not_shown}: {', '.join(injection.records)}"


def _change(change: "WeightChange") -> str:
    return f"{change.outcome.value}  weight {change.before:.3f} to {change.after:.3f}"


def _score(score: "ScoreParts") -> Iterator[str]:
    rating = "" if score.rating is None else f", rated {score.rating:g}"
    boost = f", boosted {score.boost:g}" if score.boost else ""
    last = "" if score.score is None else f", score {score.score:.3f} last night"
    pinned = ", pinned" if score.pinned else ""
    weight = f", weight {score.weight:.3f}" if score.changes else ""
    yield f"{score.id}  importance {score.importance:.3f}{rating}{boost}{pinned}{weight}{last}"
    for one in score.changes:
        yield f"  {times.minute(one.at)}  {shown(one.session)}  {_change(one)}"


def _relation(one: "EntityRelation") -> str:
    until = "" if one.until is None else f" to {times.day(one.until)}"
    text = f"{shown(one.subject)}  {one.predicate.replace('_', ' ')}  {shown(one.object)}"
    return f"{text}  (since {times.day(one.since)}{until}; {', '.join(one.evidence)})"


def _entity(page: "EntityPage") -> Iterator[str]:
    names = ", ".join(f"{shown(one.name)} ({one.reason})" for one in page.aliases)
    aliases = f", also {names}" if names else ""
    yield f"{shown(page.name)}: {page.type.value}{aliases}; named in {numbered(page.memories, 'memory')}"
    yield from (f"  {_relation(one)}" for one in page.relations)
    yield from (f"  {one.id}  {shown(one.snippet)}" for one in page.mentions)


def _neighbourhood(found: "Neighbourhood") -> Iterator[str]:
    for name, distance in found.distances.items():
        yield f"{distance}  {shown(name)} ({found.types[name]})"
    yield from map(_relation, found.relations)
    if found.is_cut:
        yield "there are more; raise --limit"


_TEXT: Mapping[str, Lines] = {
    "record": _saved_lines,
    "save": _saved_lines,
    "edit": _saved_lines,
    "get": record_fields,
    "list": page_lines,
    "recall": recalled_lines,
    "explain": _explanation,
    "trace": _trace_lines,
    "dependents": each(status_line, empty="nothing was derived from it"),
    "feedback": pattern_lines,
    "evidence": _evidence_lines,
    "episodes.record": _saved_lines,
    "episodes.signal": _saved_lines,
    "facts": _facts,
    "facts.set": _saved_fact,
    "notes.log": each(note_lines),
    "notes.of_chunk": each(note_lines),
    "notes.chunks": each(chunk_line),
    "notes.failed": each(chunk_line),
    "notes.in_review": each(chunk_line, empty="no notes wait for approval"),
    "notes.drop": lambda chunk: [f"dropped: {chunk_line(chunk)}"],
    "notes.approve": lambda chunk: [f"approved: {chunk_line(chunk)}"],
    "patterns": each(pattern_lines),
    "rules": each(status_line),
    "rules.refused": each(lambda one: f"{one.observation}: {shown(one.reason)}", empty="none was refused"),
    "scores": _score,
    "scores.history": each(lambda one: f"{times.minute(one.at)}  {shown(one.session)}  {_change(one)}"),
    "sessions.start": _started_lines,
    "sessions.list": each(session_line),
    "sessions.end": each(session_line),
    "sessions.stats": stats_lines,
    "sessions.injections": each(_injection),
    "sessions.set_outcome": each(
        lambda one: f"{one.record}  {_change(one)}", empty="no memory is known to have been injected in that session"
    ),
    "graph.entities": each(
        lambda one: f"{one.memories:>6,}  {shown(one.name)}", empty="no memory names anything like it"
    ),
    "graph.entity": _entity,
    "graph.changes": each(_relation, empty="nothing has changed since then"),
    "graph.relations": each(_relation, empty="no memory states a relation"),
    "graph.relate": _saved_lines,
    "graph.merge": _saved_lines,
    "graph.split": _saved_lines,
    "graph.export": lambda text: [text.rstrip("\n")],
    "graph.neighbours": _neighbourhood,
    "graph.shortest_path": each(_relation, empty="no relations lead from one to the other"),
    "timeline.around": _around,
    "timeline.between": page_lines,
    "timeline.diff": _diff,
    "timeline.history": each(_version),
    "admin.scopes": each(scope_line),
    "admin.background": _background_lines,
    "admin.costs": model_text.costs_lines,
    "admin.keys": each(governance_text.key_line, noun="access key"),
    "admin.keys.create": governance_text.created_key_lines,
    "admin.keys.rotate": governance_text.created_key_lines,
    "admin.keys.revoke": lambda key: [f"revoked: {governance_text.key_line(key)}"],
    "admin.index.embed": lambda count: [f"vectors made: {count:,}"],
    "admin.index.reembed": lambda count: [f"vectors made for {count} wordings"],
    "admin.index.missing": lambda count: [numbered(count, "vector") + " missing"],
    **governance_text.LINES,
}
