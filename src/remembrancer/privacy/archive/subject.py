"""All that is held about one user, for that user to read: each memory with its evidence, and who was told of it."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Final

from remembrancer.privacy.archive.exports import named, paragraphs, quote
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import READ
from remembrancer.transactions.holds import named_earlier, places_named
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.types.archive import Bundle, Row
from remembrancer.types.audit import AuditFilter, AuditRow
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.local_time import zoned_minute
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Record, kind_of
from remembrancer.types.scope import Scope
from remembrancer.types.standing import Judged

_PAGE: Final = 100
_MOST_ENTRIES: Final = 1_000
_IDS_TOLD: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A memory, with what it rests on and all that is kept under it.

    Args:
        evidence: of which it tells by their texts.
    """

    record: Record
    bundle: Bundle | None
    evidence: Sequence[Record] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What stands at the beginning.

    Args:
        scopes: that are the user's.
        policies: what is on each of them; on the scope that was looked through, where none is the user's.
        person: by which name others' memories were looked through; `""` where they were not.
    """

    user: str
    person: str
    at: datetime
    scopes: Sequence[Scope]
    policies: Mapping[Scope, Sequence[RetentionPolicy]]
    holds: Sequence[LegalHold]


async def pages(desk: Desk) -> AsyncGenerator[list[Held], None]:
    """Everything that one exact scope holds, in whatever status, the newest first."""
    cursor: str | None = None
    while True:
        found, cursor = await desk.read(lambda tx, at=cursor: _page(tx, at))
        yield found
        if cursor is None:
            return


async def _page(tx: Tx, cursor: str | None) -> tuple[list[Held], str | None]:
    page = await tx.records.list(Filter(statuses=tuple(Status)), limit=_PAGE, cursor=cursor)
    own = [record for record in page.records if record.scope == tx.scope]
    present = await tx.archives.existing([record.id for record in own])
    sources = sorted({id for record in own for id in record.evidence})
    rests = {one.id: one for one in await tx.records.find_all(sources)}
    return [
        Held(
            record=record,
            bundle=present[record.id].bundle,
            evidence=[rests[id] for id in record.evidence if id in rests],
        )
        for record in own
    ], page.cursor


async def naming(desk: Desk, person: str) -> AsyncGenerator[list[Held], None]:
    """The memories of one exact scope that name a person."""
    async for page in pages(desk):
        if found := [held for held in page if places_named(held.record, person) or named_earlier(held.bundle, person)]:
            yield found


async def sittings(desk: Desk) -> AsyncGenerator[list[Row], None]:
    """The sessions of one exact scope."""
    begun = ""
    while found := await desk.read(lambda tx, at=begun: tx.archives.session_bundles(after=at, limit=_PAGE)):
        yield [one.session for one in found]
        begun = str(found[-1].session["id"])


async def shown(desk: Desk) -> AsyncGenerator[list[Row], None]:
    """What was put before agents in one exact scope."""
    after: tuple[str, str] | None = None
    while found := await desk.read(lambda tx, at=after: tx.archives.side_rows("injections", after=at, limit=_PAGE)):
        yield found
        after = str(found[-1]["id"]), str(found[-1]["record"])


async def entries(desk: Desk) -> list[AuditRow]:
    """What the audit log says of one scope, the latest first, 1,000 entries at most."""
    return await desk.read(lambda tx: tx.audit.entries(AuditFilter(), limit=_MOST_ENTRIES))


async def told_elsewhere(desk: Desk, ids: Set[str]) -> list[AuditRow]:
    """Who was told of some memories from whatever scope, the latest first: of the latest 1,000 reads."""
    rows = await desk.read(lambda tx: tx.audit.entries(AuditFilter(action=READ), limit=_MOST_ENTRIES))
    return [row for row in rows if not ids.isdisjoint((*row.records, row.record or ""))]


class Readable:
    """The report for people, in Markdown."""

    def __init__(self, zone: tzinfo) -> None:
        self._ids = set[str]()
        self._zone = zone

    def _at(self, time: str) -> str:
        return zoned_minute(datetime.fromisoformat(time), self._zone)

    def begin(self, about: About) -> str:
        """What stands before all else."""
        lines = [
            f"# What is held about the user {about.user}",
            "",
            f"Read on {zoned_minute(about.at, self._zone)}. It lists every memory kept under this user, in whatever"
            " state, with the texts that each one rests on, how it read before, and who was told of it.",
            "",
            "Under each memory stand its id, its status and its class. Agents are told of what is `active` or `raw`;"
            " what is `soft-deleted` can be restored for 30 days, and goes for good in a night after; all else is kept,"
            " and stands behind another memory or waits to be one. A class says to whom it is told: `public` and"
            " `internal` to all who work here, `confidential` and `restricted` only to whom that was allowed.",
            "",
            "It is kept in: "
            + ("; ".join(named(scope) for scope in about.scopes) or "nothing of the user's own")
            + ".",
            "",
            f"What others' memories say of {about.person} was looked for, too."
            if about.person
            else "What others' memories say of the user was not looked for: no name was given to look for.",
            "",
            *_kept(about.policies),
        ]
        if about.holds:
            lines += ["", "Not deleted, because a legal hold is on it: " + "; ".join(_held_on(about.holds)) + "."]
        return "\n".join(lines) + "\n"

    def scope(self, scope: Scope, *, elsewhere: bool) -> str:
        """What stands before the memories of one scope."""
        if elsewhere:
            return f"\n# What others' memories say, in {named(scope)}\n\n"
        return f"\n# Memories of {named(scope)}\n\n"

    def unnamed(self, person: str) -> str:
        """What stands where nobody else's memories name a person."""
        return f"\n# What others' memories say\n\nNone of them names {person}.\n"

    def memory(self, held: Held, told: Mapping[str, Any]) -> str:
        """One memory."""
        self._ids.add(held.record.id)
        lines = [*paragraphs(held.record, self._zone)]
        for source in held.evidence:
            at = zoned_minute(source.occurred_at, self._zone)
            lines += [f"It rests on {kind_of(source).value} `{source.id}` of {at}:", ""]
            lines += [*quote(source.text), ""]
        for version in held.bundle.versions if held.bundle else ():
            if version.get("text") != held.record.text:
                lines += [f"It read until {self._at(version['until'])}:", "", *quote(str(version.get("text", ""))), ""]
        for said in held.bundle.verdicts if held.bundle else ():
            lines += [f"{said['person'] or 'Somebody'} said on {self._at(said['at'])}: {said['verdict']}.", ""]
        weighed = {name: told[name] for name in ("topic_key", "importance") if told.get(name) is not None}
        weighed |= _judged(held.bundle)
        if weighed:
            lines += [" · ".join(f"{name.replace('_', ' ')}: {value}" for name, value in weighed.items()), ""]
        beside = {name: _filled(told[name]) for name in ("metadata", "details", "learned") if told.get(name)}
        if beside:
            lines += ["Kept beside:", "", "```json", json.dumps(beside, ensure_ascii=False, indent=1), "```", ""]
        return "\n".join(lines) + "\n"

    def beside(self, scope: Scope) -> str:
        """What stands before sessions, and what was put before agents."""
        return f"\n# Sessions, and what agents were given to read: {named(scope)}\n\n"

    def sessions(self, rows: Sequence[Row]) -> str:
        """Some sessions."""
        return "".join(
            f"- session {row['id']}, {row['status']}, of {self._at(row['started_at'])} to"
            f" {self._at(row['last_activity_at'])}: {row['messages']} messages\n"
            for row in rows
        )

    def shown(self, rows: Sequence[Row]) -> str:
        """Some of what was put before agents."""
        return "".join(
            f"- `{row['record']}` was {row['state']} to an agent on {self._at(row['at'])} ({row['way']})\n"
            for row in rows
        )

    def log(self, rows: Sequence[AuditRow]) -> str:
        """Who did what."""
        lines = ["# Who wrote, changed and was told of it", ""]
        lines += [
            "Of a `read` it says by which method: `recall` is a search, `context` what an agent reads to answer."
            " Memories are named by the ids above, the first three of each entry.",
            "",
        ]
        lines += ["| When | Done | To | How many | Which | By | Through | Why |", "|---|---|---|---|---|---|---|---|"]
        lines += [
            f"| {zoned_minute(row.at, self._zone)} | {row.action} | {row.kind} | {row.count} | {self._which(row)}"
            f" | {_cell(row.actor) or 'somebody'} | {row.door} | {_cell(row.reason)} |"
            for row in rows
        ]
        if len(rows) == _MOST_ENTRIES:
            lines += ["", f"These are the latest {_MOST_ENTRIES:,}; `remembrancer audit list` has those before."]
        return "\n" + "\n".join(lines) + "\n"

    def _which(self, row: AuditRow) -> str:
        """The first of the memories of this report that an entry names."""
        ids = [id for id in (row.record, *row.records) if id in self._ids]
        told = [f"`{id}`" for id in ids[:_IDS_TOLD]]
        return " ".join([*told, "…"] if len(ids) > _IDS_TOLD else told)


class Lines:
    """The report for programs: JSON lines, each with what it holds under `held`."""

    def begin(self, about: About) -> str:
        """What stands before all else."""
        return _json(
            {
                "held": "about",
                "user": about.user,
                "person": about.person,
                "at": about.at.isoformat(),
                "scopes": [named(scope) for scope in about.scopes],
                "retention": [
                    {"scope": named(scope), "name": one.name, "keep_days": one.keep_days}
                    for scope, policies in about.policies.items()
                    for one in policies
                ],
                "holds": _held_on(about.holds),
            }
        )

    def scope(self, scope: Scope, *, elsewhere: bool) -> str:
        """What stands before the memories of one scope: each line names its own."""
        return ""

    def unnamed(self, person: str) -> str:
        """Nothing: no line names the person."""
        return ""

    def memory(self, held: Held, told: Mapping[str, Any]) -> str:
        """One memory."""
        bundle = held.bundle
        versions: Sequence[Row] = bundle.versions if bundle else ()
        verdicts: Sequence[Row] = bundle.verdicts if bundle else ()
        rests = [{"id": one.id, "kind": kind_of(one).value, "text": one.text} for one in held.evidence]
        more = {"evidence": rests, "versions": versions, "verdicts": verdicts}
        return _json({"held": "memory", **told, **_judged(bundle), **more})

    def beside(self, scope: Scope) -> str:
        """What stands before sessions: each line says what it is."""
        return ""

    def sessions(self, rows: Sequence[Row]) -> str:
        """Some sessions."""
        return "".join(_json({"held": "session", **row}) for row in rows)

    def shown(self, rows: Sequence[Row]) -> str:
        """Some of what was put before agents."""
        return "".join(_json({"held": "injection", **row}) for row in rows)

    def log(self, rows: Sequence[AuditRow]) -> str:
        """Who did what."""
        return "".join(
            _json(
                {
                    "held": "entry",
                    "at": row.at.isoformat(),
                    "action": row.action,
                    "kind": row.kind,
                    "count": row.count,
                    "actor": row.actor,
                    "door": row.door,
                    "reason": row.reason,
                    "memories": list(row.records or filter(None, [row.record])),
                }
            )
            for row in rows
        )


def _held_on(holds: Sequence[LegalHold]) -> list[str]:
    """What legal holds are on, and not whose cases they are."""
    told = list[str]()
    for one in holds:
        parts = [f"is of the session {one.session}"] if one.session is not None else []
        parts += ["names a certain person"] if one.person is not None else []
        told.append(f"what {' and '.join(parts)}" if parts else "all of it")
    return list(dict.fromkeys(told))


def _judged(bundle: Bundle | None) -> dict[str, Any]:
    """What people have set beside a memory, where they have."""
    row: Row = bundle.record if bundle else {}
    judged = Judged(rating=row.get("rating"), boost=row.get("boost", 0.0), pinned=row.get("pinned", False))
    return dict(judged.told)


def _cell(text: str) -> str:
    """A text as it stands in a table of Markdown."""
    return " ".join(text.replace("|", "\\|").split())


def _filled(told: Mapping[str, Any]) -> dict[str, Any]:
    """What says anything."""
    return {name: value for name, value in told.items() if value not in (None, "", [], {})}


def _kept(policies: Mapping[Scope, Sequence[RetentionPolicy]]) -> Iterator[str]:
    """How long all is kept: told of each scope where they differ."""
    said = {scope: _kept_there(there) for scope, there in policies.items()}
    if len(set(said.values())) == 1:
        yield next(iter(said.values()))
        return
    for scope, told in said.items():
        yield f"- {named(scope)}: {told}"


def _kept_there(policies: Sequence[RetentionPolicy]) -> str:
    if not policies:
        return "It is kept until somebody deletes it: no retention policy is set."
    told = [
        f"{', '.join(f'{kind}s' for kind in one.kinds) or 'everything'} for {one.keep_days}"
        f" {'day' if one.keep_days == 1 else 'days'}"
        + (f" where it is {' or '.join(name.value for name in one.classifications)}" if one.classifications else "")
        for one in sorted(policies, key=lambda one: one.keep_days)
    ]
    several = " Where several of these hold for a memory, the shortest time counts." if len(told) > 1 else ""
    return "It is kept: " + "; ".join(dict.fromkeys(told)) + "." + several


def _json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False) + "\n"
