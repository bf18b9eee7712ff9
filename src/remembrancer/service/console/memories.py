"""The list of memories, one memory with its whole story, and changes of one or of many."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from starlette.responses import Response

from remembrancer.errors import InvalidInput, NotAllowed, NotFound
from remembrancer.memory import Memory
from remembrancer.service.console.request import ConsoleRequest, counted, number
from remembrancer.types.audit import AuditFilter
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import OBSERVATION_TYPES, SUMMARY, Changes
from remembrancer.types.record import Kind, Message, Observation, Record, Rule, Signal, Source
from remembrancer.types.results import Version
from remembrancer.types.scope import Classification, Trust

PAGE_SIZE = 50
_READERS = 20
_MOST_FALLEN = 200
_MOST_VERSIONS = 20
_MOST_COMPARED = 40_000
_FILTERS = ("kinds", "types", "tags", "sessions", "statuses", "classifications", "authors", "sources", "tiers")
_VALUES = ("since", "until", "minimum_trust", "minimum_importance", "contact")


def filter_of(page: ConsoleRequest) -> Filter:
    """Return the filter that the address of a page describes.

    Raises:
        InvalidInput: a value is not valid; the message lists the allowed ones.
    """
    lists: dict[str, Any] = {name: tuple(_parts(page.queries(name))) for name in _FILTERS}
    share = number(page.query("minimum_importance") or "0", "minimum_importance", low=0, high=1)
    return Filter(
        **{name: values for name, values in lists.items() if values},
        since=page.time("since"),
        until=page.time("until"),
        minimum_trust=page.query("minimum_trust") or Trust.UNTRUSTED,
        minimum_importance=share,
        contact=page.query("contact") or None,
    )


def _parts(values: Sequence[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


async def memories(page: ConsoleRequest) -> Response:
    """Return a page of memories that match a filter."""
    filter = filter_of(page)
    found = await page.memory.list(
        filter,
        limit=page.whole("limit", PAGE_SIZE, high=500),
        cursor=page.query("cursor") or None,
        as_of=page.as_of,
        all_scopes=page.everything,
    )
    values = {name: page.query(name) for name in (*_FILTERS, *_VALUES)}
    return page.page(
        "memories.html",
        found=found,
        values=values,
        is_filtered=any(values.values()),
        kinds=Kind,
        statuses=Status,
        classifications=Classification,
        sources=Source,
        types=sorted(OBSERVATION_TYPES),
        filters={name: ",".join(page.queries(name)) for name in (*_FILTERS, *_VALUES) if page.queries(name)},
    )


async def memory(page: ConsoleRequest) -> Response:
    """Return one memory: its versions, evidence, dependents, score, readers, and what can be done with it."""
    id, own = page.request.path_params["id"], page.memory
    record = await own.get(id, as_of=page.as_of)
    is_own = record.scope == page.caller.scope
    versions = [one for one in await own.timeline.history(id) if page.as_of is None or one.since <= page.as_of]
    evidence = await own.evidence(id)
    dependents = [
        one
        for one in await own.dependents(id)
        if not isinstance(one, Signal) and (page.as_of is None or one.recorded_at <= page.as_of)
    ]
    return page.page(
        "memory.html",
        record=record,
        evidence=evidence,
        dependents=dependents,
        most=PAGE_SIZE,
        versions=_with_changes(versions),
        around=await own.timeline.around(id, before=2, after=2, as_of=page.as_of) if record.session else None,
        score=await own.scores.get(id) if is_own and page.may("scores.get") else None,
        weights=await own.scores.history(id) if page.may("scores.history") else (),
        readers=await _readers(page, id),
        is_own=is_own,
        is_editable=isinstance(record, Observation) and record.type != SUMMARY,
        is_rule=isinstance(record, Rule),
        is_message=isinstance(record, Message),
        is_pattern=isinstance(record, Observation) and record.learned is not None,
        classifications=Classification,
        types=sorted(OBSERVATION_TYPES),
    )


def _with_changes(versions: Sequence[Version]) -> list[tuple[Version, list[tuple[str, str]]]]:
    """Return the latest versions, each with its words as `same`, `new` or `gone` since the one before."""
    latest = versions[-_MOST_VERSIONS:]
    changes: list[list[tuple[str, str]]] = [[("same", latest[0].record.text)]] if latest else []
    changes += [_words(before.record.text, after.record.text) for before, after in pairwise(latest)]
    return list(zip(latest, changes, strict=True))[::-1]


def _words(before: str, after: str) -> list[tuple[str, str]]:
    old, new = before.split(), after.split()
    # The time of a comparison grows with the product: a hostile text could block the service.
    if len(old) * len(new) > _MOST_COMPARED:
        return [("same", after)]
    parts: list[tuple[str, str]] = []
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(("same", " ".join(new[start:end])))
            continue
        parts += [("gone", " ".join(old[first:last]))] if first < last else []
        parts += [("new", " ".join(new[start:end]))] if start < end else []
    return parts


async def _readers(page: ConsoleRequest, id: str) -> Sequence[object]:
    """Return the latest entries of the audit log on a memory."""
    if not page.may("governance.audit.list"):
        return ()
    await page.memory.admin.flush() if page.may("admin.flush") else None
    return await page.memory.governance.audit.list(AuditFilter(memory=id), limit=_READERS)


# Changes of one memory


async def change(page: ConsoleRequest) -> Response:
    """Do what a form asks for with one memory.

    Raises:
        InvalidInput: the form names no known action.
    """
    id, action = page.request.path_params["id"], page.field("action")
    if action not in _CHANGES:
        raise InvalidInput(f"no action {action!r}; load the page again")
    notice, undo = await _CHANGES[action](page, id)
    form = {"action": _address(page, id), "fields": {"action": undo}} if undo else None
    # A deleted memory has no page.
    default = page.url("/memories") if action == "delete" else _address(page, id)
    return page.redirect(page.back(default), notice, undo=form)


Done = tuple[str, str]
"""What was done in words, and the action that undoes it, or `""`."""


def _address(page: ConsoleRequest, id: str) -> str:
    return page.url(f"/memories/{id}", at=page.query("at"))


async def _right(page: ConsoleRequest, id: str) -> Done:
    await page.memory.feedback(id, "right")
    return "You’re right: the memory is confirmed.", ""


async def _wrong(page: ConsoleRequest, id: str) -> Done:
    await page.memory.feedback(id, "wrong")
    fallen = await _fallen(page, id)
    sources = (await page.memory.evidence(id)).sources
    deeds = sum(one.record.status is Status.CONTRADICTED for one in sources)
    stay = sum(one.record.status is Status.ACTIVE for one in sources)
    went = [counted(len(fallen), "derived memory", "derived memories")] if fallen else []
    went += [counted(deeds, "episode", "episodes")] if deeds else []
    more = f" {' and '.join(went)} went with it." if went else " Nothing else was derived from it."
    more += (
        f" {counted(stay, 'memory that it rests on stays', 'memories that it rests on stay')} in recall;"
        " see “Why it is believed”."
        if stay
        else ""
    )
    return f"You’re wrong: no recall and no context has this memory from now on.{more}", "undo"


async def _fallen(page: ConsoleRequest, id: str) -> set[str]:
    """Return the ids of the memories that left recall with a rejected one, derived from it directly or not."""
    found, waiting = set[str](), [id]
    while waiting and len(found) < _MOST_FALLEN:
        for one in await page.memory.dependents(waiting.pop()):
            # A signal is the note of the verdict itself.
            if one.status in (Status.RETIRED, Status.DEMOTED) and not isinstance(one, Signal) and one.id not in found:
                found.add(one.id)
                waiting.append(one.id)
    return found


async def _dismiss(page: ConsoleRequest, id: str) -> Done:
    await page.memory.feedback(id, "dismiss")
    return "Dismissed: it never becomes a rule.", "undo"


async def _undo(page: ConsoleRequest, id: str) -> Done:
    await page.memory.feedback(id, "undo")
    return "Undone: the memory is back, with all that went with it.", ""


async def _edit(page: ConsoleRequest, id: str) -> Done:
    revision = int(number(page.field("revision") or "0", "revision", low=0, high=10**9, whole=True)) or None
    text = page.field("text").replace("\r\n", "\n")
    record = await page.memory.get(id)
    if isinstance(record, Rule):
        await page.memory.rules.edit(id, text, revision=revision)
    else:
        tags = _parts([page.field("tags")])
        changed = Changes(
            text=text, type=page.field("type") or None, tags=tags, author=page.caller.actor, source=Source.USER.value
        )
        await page.memory.edit(id, changed, revision=revision)
    return "Changed. The earlier wording is kept as a version.", ""


async def _pin(page: ConsoleRequest, id: str) -> Done:
    await page.memory.scores.pin(id)
    return "Pinned: its importance does not decay.", "unpin"


async def _unpin(page: ConsoleRequest, id: str) -> Done:
    await page.memory.scores.unpin(id)
    return "Not pinned any more.", "pin"


async def _rate(page: ConsoleRequest, id: str) -> Done:
    await page.memory.scores.rate(id, _share(page, "rating"))
    return "Rated.", ""


async def _boost(page: ConsoleRequest, id: str) -> Done:
    await page.memory.scores.boost(id, _share(page, "boost"))
    return "Boosted.", ""


def _share(page: ConsoleRequest, name: str) -> float:
    return number(page.field(name), name, low=0, high=1)


async def _pause(page: ConsoleRequest, id: str) -> Done:
    await _behaviour(page, id, "pause")
    return "Paused: no context has it until it is resumed.", "resume"


async def _resume(page: ConsoleRequest, id: str) -> Done:
    await _behaviour(page, id, "resume")
    return "Resumed.", "pause"


async def _retire(page: ConsoleRequest, id: str) -> Done:
    await _behaviour(page, id, "retire")
    return "Retired.", "resume"


async def _behaviour(page: ConsoleRequest, id: str, action: str) -> None:
    """Pause, resume or retire a rule or a pattern."""
    record = await page.memory.get(id)
    resource = page.memory.rules if isinstance(record, Rule) else page.memory.patterns
    await getattr(resource, action)(id)


async def _classify(page: ConsoleRequest, id: str) -> Done:
    await page.memory.governance.classify(id, page.field("classification"), reason=page.field("reason"))
    return "Classified, with the memories that were derived from it.", ""


async def _delete(page: ConsoleRequest, id: str) -> Done:
    await page.memory.delete(id)
    return "Deleted: it can be restored for 30 days.", "restore"


async def _restore(page: ConsoleRequest, id: str) -> Done:
    await page.memory.restore(id)
    return "Restored.", "delete"


async def _restore_episodes(page: ConsoleRequest, id: str) -> Done:
    restored = await page.memory.episodes.restore(id)
    return f"{len(restored)} episodes are restored from this record.", ""


_CHANGES: Mapping[str, Callable[[ConsoleRequest, str], Awaitable[Done]]] = {
    "right": _right,
    "wrong": _wrong,
    "dismiss": _dismiss,
    "undo": _undo,
    "edit": _edit,
    "pin": _pin,
    "unpin": _unpin,
    "rate": _rate,
    "boost": _boost,
    "pause": _pause,
    "resume": _resume,
    "retire": _retire,
    "classify": _classify,
    "delete": _delete,
    "restore": _restore,
    "restore-episodes": _restore_episodes,
}


# Changes of many memories


async def change_many(page: ConsoleRequest) -> Response:
    """Show what a change of many memories would do, or do it.

    Raises:
        InvalidInput: nothing is selected, or the action is unknown.
    """
    action, back = page.field("action"), page.back(page.url("/memories"))
    if action == "restore-many":
        return await _restore_many(page, back)
    if action in ("delete-matching", "delete-matching-now"):
        return await _delete_matching(page, back, is_preview=action == "delete-matching")
    packed = [value.replace("~", " ", 1) for value in page.field("ids").split()]
    chosen = [(id, at) for id, _, at in (value.partition(" ") for value in (*page.fields("id"), *packed))]
    if action not in _BULK:
        raise InvalidInput(f"no action {action!r} for many memories; load the page again")
    if not chosen:
        raise InvalidInput("select at least one memory first")
    if page.field("confirmed") != "1":
        records = [one for id, at in chosen if (one := await _found(page, id, at)) is not None]
        return page.page("bulk.html", timed=False, action=action, chosen=page.fields("id"), records=records, back=back,
                         labels=_LABELS, deletion=None)  # fmt: skip
    done, refused = await _each(page, action, chosen)
    undo = _BULK[action][1]
    fields = {"action": undo, "confirmed": "1", "back": back, "ids": " ".join("~".join(one) for one in done)}
    notice = f"{_LABELS[action]}: {counted(len(done), 'memory', 'memories')}." + (
        f" {len(refused)} were refused: {refused[0]}." if refused else ""
    )
    return page.redirect(
        back, notice, undo={"action": page.url("/memories/bulk"), "fields": fields} if undo and done else None
    )


async def _found(page: ConsoleRequest, id: str, at: str) -> Record | None:
    """Return a selected memory, or `None` if it is deleted, or of a scope that the caller cannot change."""
    try:
        return await page.memory_at(at).get(id)
    except NotFound:
        return None


async def _each(
    page: ConsoleRequest, action: str, chosen: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Change memories one by one; return those that were changed, and why others were not."""
    done: list[tuple[str, str]] = []
    refused: list[str] = []
    for id, at in chosen:
        try:
            await _BULK[action][0](page.memory_at(at), id)
        except (InvalidInput, NotAllowed, NotFound) as error:
            refused.append(str(error))
        else:
            done.append((id, at))
    return done, refused


_BULK: Mapping[str, tuple[Callable[[Memory, str], Awaitable[object]], str]] = {
    "delete": (lambda memory, id: memory.delete(id), "restore"),
    "restore": (lambda memory, id: memory.restore(id), "delete"),
    "wrong": (lambda memory, id: memory.feedback(id, "wrong"), "undo"),
    "undo": (lambda memory, id: memory.feedback(id, "undo"), ""),
    "pin": (lambda memory, id: memory.scores.pin(id), "unpin"),
    "unpin": (lambda memory, id: memory.scores.unpin(id), "pin"),
}
"""The changes of several memories, each with the one that undoes it."""
_LABELS = {
    "delete": "Deleted",
    "restore": "Restored",
    "wrong": "Marked wrong",
    "undo": "Undone",
    "pin": "Pinned",
    "unpin": "Not pinned any more",
}


async def _delete_matching(page: ConsoleRequest, back: str, *, is_preview: bool) -> Response:
    """Delete all memories of this scope that a filter matches, or show what that would do."""
    if page.everything:
        raise InvalidInput("choose a scope first: all matching memories are deleted in one scope at a time")
    filter = filter_of(page)
    deletion = await page.memory.observations.delete_many(filter, dry_run=True)
    if is_preview:
        records = [await page.memory.get(id) for id in deletion.ids]
        return page.page("bulk.html", timed=False, action="delete-matching-now", chosen=(), records=records, back=back,
                         labels=_LABELS, deletion=deletion)  # fmt: skip
    if str(deletion.count) != page.field("expected"):
        raise InvalidInput(f"{deletion.count} memories match by now; look at the preview again")
    deletion = await page.memory.observations.delete_many(filter)
    undo = None
    if deletion.deleted_at is not None:
        fields = {"action": "restore-many", "deleted_at": deletion.deleted_at.isoformat(), "back": back}
        undo = {"action": page.url("/memories/bulk"), "fields": fields}
    return page.redirect(
        back, f"Deleted: {counted(deletion.count + deletion.derived, 'memory', 'memories')}.", undo=undo
    )


async def _restore_many(page: ConsoleRequest, back: str) -> Response:
    moment = page.moment_of(page.field("deleted_at"))
    if moment is None:
        raise InvalidInput("the form names no deletion; load the page again")
    restored = await page.memory.observations.restore_many(moment)
    refused = f" {len(restored.refused)} stay deleted." if restored.refused else ""
    return page.redirect(back, f"Restored: {counted(restored.count, 'memory', 'memories')}.{refused}")
