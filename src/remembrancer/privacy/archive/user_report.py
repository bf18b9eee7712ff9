"""A report of all data about one user, for that user: each memory with its evidence, and who has read it."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Final

from remembrancer.privacy.archive.formats import JsonObject, markdown_lines, quote, scope_title
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import READ
from remembrancer.transactions.legal_holds import fields_that_name, is_named_in_versions
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.archive import ArchiveRow, RecordBundle
from remembrancer.types.audit import AuditFilter, AuditRow
from remembrancer.types.feedback import Judgement
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Record, kind_of
from remembrancer.types.scope import Scope
from remembrancer.types.times import zoned_minute

_PAGE: Final = 100
_MAX_ENTRIES: Final = 1_000
_MAX_IDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedMemory:
    """A memory with its evidence, versions and verdicts."""

    record: Record
    bundle: RecordBundle | None
    evidence: Sequence[Record] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeader:
    """The beginning of a report.

    Args:
        scopes: those of the user.
        policies: by scope of the user; by the searched scope if the user has none.
        person: the name that was searched in memories of others; `""` for none.
    """

    user: str
    person: str
    at: datetime
    scopes: Sequence[Scope]
    policies: Mapping[Scope, Sequence[RetentionPolicy]]
    holds: Sequence[LegalHold]


async def memory_pages(unit: UnitOfWork) -> AsyncGenerator[list[ReportedMemory], None]:
    """Iterate over the memories of one exact scope in any status, newest first."""
    cursor: str | None = None
    while True:
        page, cursor = await unit.read(lambda tx, at=cursor: _memory_page(tx, at))
        yield page
        if cursor is None:
            return


async def _memory_page(tx: Tx, cursor: str | None) -> tuple[list[ReportedMemory], str | None]:
    page = await tx.records.list(Filter(statuses=tuple(Status)), limit=_PAGE, cursor=cursor)
    own = [record for record in page.records if record.scope == tx.scope]
    stored = await tx.archives.existing([record.id for record in own])
    evidence_ids = sorted({id for record in own for id in record.evidence})
    evidence = {one.id: one for one in await tx.records.find_all(evidence_ids)}
    return [
        ReportedMemory(
            record=record,
            bundle=stored[record.id].bundle,
            evidence=[evidence[id] for id in record.evidence if id in evidence],
        )
        for record in own
    ], page.cursor


async def mention_pages(unit: UnitOfWork, person: str) -> AsyncGenerator[list[ReportedMemory], None]:
    """Iterate over the memories of one exact scope that mention a person."""
    async for page in memory_pages(unit):
        if mentions := [
            one for one in page if fields_that_name(one.record, person) or is_named_in_versions(one.bundle, person)
        ]:
            yield mentions


async def session_pages(unit: UnitOfWork) -> AsyncGenerator[list[ArchiveRow], None]:
    """Iterate over the sessions of one exact scope."""
    after = ""
    while page := await unit.read(lambda tx, at=after: tx.archives.session_bundles(after=at, limit=_PAGE)):
        yield [one.session for one in page]
        after = str(page[-1].session["id"])


async def injection_pages(unit: UnitOfWork) -> AsyncGenerator[list[ArchiveRow], None]:
    """Iterate over the injections into prompts of agents in one exact scope."""
    after: tuple[str, str] | None = None
    while page := await unit.read(lambda tx, at=after: tx.archives.side_rows("injections", after=at, limit=_PAGE)):
        yield page
        after = str(page[-1]["id"]), str(page[-1]["record"])


async def audit_entries(unit: UnitOfWork) -> list[AuditRow]:
    """Return the latest 1,000 audit entries of a scope, latest first."""
    return await unit.read(lambda tx: tx.audit.entries(AuditFilter(), limit=_MAX_ENTRIES))


async def disclosures_of(unit: UnitOfWork, ids: Set[str]) -> list[AuditRow]:
    """Return the disclosures of some memories among the latest 1,000 of any scope, latest first."""
    rows = await unit.read(lambda tx: tx.audit.entries(AuditFilter(action=READ), limit=_MAX_ENTRIES))
    return [row for row in rows if not ids.isdisjoint((*row.records, row.record or ""))]


class MarkdownReport:
    """The text of a report in Markdown, for people."""

    def __init__(self, zone: tzinfo) -> None:
        self._ids = set[str]()
        self._zone = zone

    def _at(self, time: str) -> str:
        return zoned_minute(datetime.fromisoformat(time), self._zone)

    def begin(self, header: ReportHeader) -> str:
        """Return the text before all else."""
        lines = [
            f"# Data about the user {header.user}",
            "",
            f"Created on {zoned_minute(header.at, self._zone)}. It lists every memory stored for this user, in any"
            " status, with its evidence, its earlier versions, and who has read it.",
            "",
            "Under each memory are its id, its status and its classification. Agents see memories that are `active` or"
            " `raw`. A `soft-deleted` memory can be restored for 30 days and is then removed permanently. All others"
            " are kept because another memory replaces them, or are waiting for review. `public` and `internal`"
            " memories are visible to all who work here, `confidential` and `restricted` ones only to those with"
            " permission.",
            "",
            f"Scopes: {'; '.join(scope_title(scope) for scope in header.scopes) or 'none of the user'}.",
            "",
            f"Memories of others were searched for {header.person}."
            if header.person
            else "Memories of others were not searched: no name was given.",
            "",
            *_retention_lines(header.policies),
        ]
        if header.holds:
            holds = "; ".join(_hold_conditions(header.holds))
            lines += ["", f"Not deleted, because a legal hold is on it: {holds}."]
        return "\n".join(lines) + "\n"

    def scope_heading(self, scope: Scope, *, of_others: bool) -> str:
        """Return the heading of the memories of a scope."""
        if of_others:
            return f"\n# Mentions in memories of others, in {scope_title(scope)}\n\n"
        return f"\n# Memories of {scope_title(scope)}\n\n"

    def no_mentions(self, person: str) -> str:
        """Return the text for a person whom no memory of others mentions."""
        return f"\n# Mentions in memories of others\n\nNo memory of others mentions {person}.\n"

    def memory(self, memory: ReportedMemory, values: JsonObject) -> str:
        """Return the text of a memory.

        Args:
            values: the memory as JSON values.
        """
        self._ids.add(memory.record.id)
        lines = [*markdown_lines(memory.record, self._zone)]
        for one in memory.evidence:
            at = zoned_minute(one.occurred_at, self._zone)
            lines += [f"Evidence: {kind_of(one).value} `{one.id}` of {at}:", ""]
            lines += [*quote(one.text), ""]
        for version in memory.bundle.versions if memory.bundle else ():
            if version.get("text") != memory.record.text:
                lines += [f"Version until {self._at(version['until'])}:", "", *quote(str(version.get("text", ""))), ""]
        for verdict in memory.bundle.verdicts if memory.bundle else ():
            person = verdict["person"] or "unnamed person"
            lines += [f"Verdict of {person} on {self._at(verdict['at'])}: {verdict['verdict']}.", ""]
        scores = {name: values[name] for name in ("topic_key", "importance") if values.get(name) is not None}
        scores |= _judgements(memory.bundle)
        if scores:
            lines += [" · ".join(f"{name.replace('_', ' ')}: {value}" for name, value in scores.items()), ""]
        more = {name: _non_empty(values[name]) for name in ("metadata", "details", "learned") if values.get(name)}
        if more:
            lines += ["Further data:", "", "```json", json.dumps(more, ensure_ascii=False, indent=1), "```", ""]
        return "\n".join(lines) + "\n"

    def activity_heading(self, scope: Scope) -> str:
        """Return the heading of the sessions and injections of a scope."""
        return f"\n# Sessions, and memories inserted into prompts: {scope_title(scope)}\n\n"

    def sessions(self, rows: Sequence[ArchiveRow]) -> str:
        """Return the text of some sessions."""
        return "".join(
            f"- session {row['id']}, {row['status']}, from {self._at(row['started_at'])} to"
            f" {self._at(row['last_activity_at'])}: {row['messages']} messages\n"
            for row in rows
        )

    def injections(self, rows: Sequence[ArchiveRow]) -> str:
        """Return the text of some injections."""
        return "".join(
            f"- `{row['record']}` was {row['state']} to an agent on {self._at(row['at'])} ({row['way']})\n"
            for row in rows
        )

    def audit_log(self, rows: Sequence[AuditRow]) -> str:
        """Return the text of audit entries."""
        lines = ["# Who wrote, changed and read it", ""]
        lines += [
            "For a `read`, the column Kind has the method: `recall` is a search, `context` the text that an agent reads"
            " before it answers. Memories have the ids above, at most three for each entry.",
            "",
        ]
        lines += ["| Time | Action | Kind | Count | Memories | Actor | Origin | Reason |"]
        lines += ["|---|---|---|---|---|---|---|---|"]
        lines += [
            f"| {zoned_minute(row.at, self._zone)} | {row.action} | {row.kind} | {row.count} | {self._known_ids(row)}"
            f" | {_table_cell(row.actor) or 'unnamed'} | {row.origin} | {_table_cell(row.reason)} |"
            for row in rows
        ]
        if len(rows) == _MAX_ENTRIES:
            lines += [
                "",
                f"These are the latest {_MAX_ENTRIES:,}; `remembrancer governance audit list` shows earlier ones.",
            ]
        return "\n" + "\n".join(lines) + "\n"

    def _known_ids(self, row: AuditRow) -> str:
        """Return the first ids of an entry that are in this report."""
        ids = [id for id in (row.record, *row.records) if id in self._ids]
        shown = [f"`{id}`" for id in ids[:_MAX_IDS]]
        return " ".join([*shown, "…"] if len(ids) > _MAX_IDS else shown)


class JsonLinesReport:
    """The text of a report in JSON lines, for programs; the key `line` has the type of a line."""

    def begin(self, header: ReportHeader) -> str:
        """Return the first line."""
        return _json_line(
            {
                "line": "about",
                "user": header.user,
                "person": header.person,
                "at": header.at.isoformat(),
                "scopes": [scope_title(scope) for scope in header.scopes],
                "retention": [
                    {"scope": scope_title(scope), "name": one.name, "keep_days": one.keep_days}
                    for scope, policies in header.policies.items()
                    for one in policies
                ],
                "holds": _hold_conditions(header.holds),
            }
        )

    def scope_heading(self, scope: Scope, *, of_others: bool) -> str:
        """Return nothing: each line has its scope."""
        return ""

    def no_mentions(self, person: str) -> str:
        """Return nothing: there is no line of a mention."""
        return ""

    def memory(self, memory: ReportedMemory, values: JsonObject) -> str:
        """Return the line of a memory.

        Args:
            values: the memory as JSON values.
        """
        bundle = memory.bundle
        versions: Sequence[ArchiveRow] = bundle.versions if bundle else ()
        verdicts: Sequence[ArchiveRow] = bundle.verdicts if bundle else ()
        evidence = [{"id": one.id, "kind": kind_of(one).value, "text": one.text} for one in memory.evidence]
        more = {"evidence": evidence, "versions": versions, "verdicts": verdicts}
        return _json_line({"line": "memory", **values, **_judgements(bundle), **more})

    def activity_heading(self, scope: Scope) -> str:
        """Return nothing: each line has its type."""
        return ""

    def sessions(self, rows: Sequence[ArchiveRow]) -> str:
        """Return the lines of some sessions."""
        return "".join(_json_line({"line": "session", **row}) for row in rows)

    def injections(self, rows: Sequence[ArchiveRow]) -> str:
        """Return the lines of some injections."""
        return "".join(_json_line({"line": "injection", **row}) for row in rows)

    def audit_log(self, rows: Sequence[AuditRow]) -> str:
        """Return the lines of audit entries."""
        return "".join(
            _json_line(
                {
                    "line": "entry",
                    "at": row.at.isoformat(),
                    "action": row.action,
                    "kind": row.kind,
                    "count": row.count,
                    "actor": row.actor,
                    "origin": row.origin,
                    "reason": row.reason,
                    "memories": list(row.records or filter(None, [row.record])),
                }
            )
            for row in rows
        )


def _hold_conditions(holds: Sequence[LegalHold]) -> list[str]:
    """Return the conditions of legal holds without the names of their cases."""
    conditions = list[str]()
    for one in holds:
        parts = [f"memories of session {one.session}"] if one.session is not None else []
        parts += ["memories that mention a certain person"] if one.person is not None else []
        conditions.append(" that are also ".join(parts) if parts else "all memories")
    return list(dict.fromkeys(conditions))


def _judgements(bundle: RecordBundle | None) -> dict[str, Any]:
    """Return the rating, boost and pin of a memory, as far as a person has set them."""
    row: ArchiveRow = bundle.record if bundle else {}
    judged = Judgement(rating=row.get("rating"), boost=row.get("boost", 0.0), pinned=row.get("pinned", False))
    return dict(judged.values)


def _table_cell(text: str) -> str:
    """Return a text escaped for a table in Markdown."""
    return " ".join(text.replace("|", "\\|").split())


def _non_empty(values: JsonObject) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _retention_lines(policies: Mapping[Scope, Sequence[RetentionPolicy]]) -> Iterator[str]:
    """Yield the retention policies, by scope if they differ."""
    texts = {scope: _retention_text(own) for scope, own in policies.items()}
    if len(set(texts.values())) == 1:
        yield next(iter(texts.values()))
        return
    for scope, text in texts.items():
        yield f"- {scope_title(scope)}: {text}"


def _retention_text(policies: Sequence[RetentionPolicy]) -> str:
    if not policies:
        return "Retention: until deleted, since there is no retention policy."
    texts = [
        f"{', '.join(f'{kind}s' for kind in one.kinds) or 'everything'} for {one.keep_days}"
        f" {'day' if one.keep_days == 1 else 'days'}"
        + (f" if it is {' or '.join(name.value for name in one.classifications)}" if one.classifications else "")
        for one in sorted(policies, key=lambda one: one.keep_days)
    ]
    several = " If several apply to a memory, the shortest time counts." if len(texts) > 1 else ""
    return "Retention: " + "; ".join(dict.fromkeys(texts)) + "." + several


def _json_line(values: JsonObject) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"
