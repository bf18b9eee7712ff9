"""The results of governance, and access keys, as lines of text."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from remembrancer.cli import times
from remembrancer.cli.output import each, listed, numbered
from remembrancer.cli.records import hold_line, scope_line
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.privacy.checkpoints import Verified
    from remembrancer.types.access import AccessKey, CreatedKey
    from remembrancer.types.archive import ArchiveSummary
    from remembrancer.types.audit import AuditRow
    from remembrancer.types.erasure import ErasurePlan, Mention, Overview, Receipt
    from remembrancer.types.policy import RetentionPolicy

_TEXT_SHOWN = 160
_IDS_SHOWN = 10


def key_line(key: "AccessKey") -> str:
    """Return an access key on one line."""
    ends = f"revoked {times.day(key.revoked_at)}" if key.revoked_at else ""
    ends = ends or (f"until {times.day(key.expires_at)}" if key.expires_at else "")
    used = f"last used {times.minute(key.last_seen_at)}" if key.last_seen_at else "never used"
    others = f"also of {', '.join(map(shown, key.tenants))}" if key.tenants else ""
    parts = (
        key.id,
        shown(key.name),
        scope_line(key.scope),
        others,
        key.clearance.value,
        " ".join(key.rights),
        ends,
        used,
    )
    return "  ".join(filter(None, parts))


def created_key_lines(created: "CreatedKey") -> Iterator[str]:
    """Yield the lines of a key with its token."""
    yield key_line(created.key)
    yield f"its token, shown this once: {created.token}"


def plan_lines(plan: "ErasurePlan") -> Iterator[str]:
    """Yield the lines of the plan of an erasure."""
    if plan.begun_at is not None:
        began = times.minute(plan.begun_at)
        yield f"an erasure of it was begun at {began} and has no receipt yet: `erase` goes on with it"
    kinds = ", ".join(numbered(count, kind) for kind, count in plan.kinds.items()) or "no memories"
    yield f"{plan.subject} {shown(plan.name)}: {kinds}"
    yield f"of {', '.join(map(scope_line, plan.scopes)) or 'nothing'}"
    if plan.drawn:
        yield f"with what was drawn from it: {listed(plan.drawn, most=_IDS_SHOWN)}"
    if set(plan.rows) - {"records"}:
        yield f"in rows of tables: {', '.join(f'{count:,} {name}' for name, count in plan.rows.items())}"
    if plan.elsewhere:
        yield f"and memories of other scopes that rest on it: {listed(plan.elsewhere, most=_IDS_SHOWN)}"
    yield from (f"the legal hold {hold!r} forbids it" for hold in plan.legal_holds)
    yield from copies_lines(plan)
    yield "not reached:"
    yield from (f"  - {one}" for one in plan.beyond)


def copies_lines(plan: "ErasurePlan") -> Iterator[str]:
    """Yield the lines of exports, reports, archives and backups that an erasure does not reach."""
    for one in plan.handed_out:
        actor = f" by {shown(one.actor)}" if one.actor else ""
        yield f"handed out: {one.what} of {scope_line(one.scope)}, {times.minute(one.at)}{actor} through {one.origin}"


def archive_lines(archive: "ArchiveSummary") -> Iterator[str]:
    """Yield the lines of the contents of an archive."""
    counts = ", ".join(numbered(count, kind) for kind, count in archive.memories.items()) or "no memories"
    yield (
        f"{archive.bytes:,} bytes of {times.minute(archive.created_at)}: {counts};"
        f" {numbered(archive.sessions, 'session')}, {numbered(len(archive.scopes), 'scope')}"
    )
    yield from (f"  {scope_line(scope)}" for scope in archive.scopes)


def verified_lines(verified: "Verified") -> Iterator[str]:
    """Yield the lines of a verified audit log."""
    yield numbered(verified.entries, "entry")
    for number in verified.broken:
        yield f"entry {number} does not follow: it, or the one before, was changed, moved or removed"
    if verified.lost:
        yield f"at least {numbered(verified.lost, 'entry')} missing that had been counted"
    if verified.against:
        yield verified.against
    if verified.sound:
        yield "each follows from the one before"


def kept_by_hold(count: int) -> str:
    """Return the number of records that a legal hold keeps, as the end of a line."""
    return f"; {count:,} more by their time, which a legal hold keeps" if count else ""


def _overview(found: "Overview") -> Iterator[str]:
    for one in found.usage:
        kinds = ", ".join(numbered(count, kind) for kind, count in one.kinds.items())
        classes = ", ".join(f"{count:,} {name}" for name, count in one.classifications.items())
        project = "no project" if one.project is None else f"project {shown(one.project)}"
        yield f"{project}, {numbered(one.users, 'user')}: {kinds} ({classes})"
    if not found.usage:
        yield "no memory is stored in this scope or below it"
    yield f"{found.due:,} due to be deleted, {found.deleted:,} deleted that can still be restored"
    yield "legal holds:" if found.legal_holds else "legal holds: none"
    yield from (f"  {hold_line(hold)}" for hold in found.legal_holds)
    none = "none" if found.erasures is not None else "shown only to a caller who sees every class"
    yield "erasures:" if found.erasures else f"erasures: {none}"
    for erasure in found.erasures or ():
        state = "" if erasure.finished_at else "; not finished: the same command goes on with it"
        at = times.minute(erasure.finished_at or erasure.begun_at)
        yield f"  {at}  {erasure.id}  {erasure.subject}, {numbered(erasure.rows, 'row')}{state}"
    whole = "is whole" if found.audit_is_whole else "IS NOT WHOLE; see `remembrancer governance audit verify`"
    entries = "" if found.audit_entries is None else f" has {found.audit_entries:,} entries, and"
    yield f"the audit log{entries} {whole}"
    for budget in found.budgets:
        owner = "the tenant's" if budget.project is None else f"project {shown(budget.project)}'s"
        spent = f"{budget.spent:,} of {budget.limit:,} spent, {budget.projected:,} projected"
        yield f"{owner} budget of {budget.unit} for the {budget.period}: {spent}; {budget.state}"
    for read in found.most_read:
        yield f"read {numbered(read.uses, 'time')}: {read.id}  {read.kind} of {scope_line(read.scope)}"


def _audit_line(row: "AuditRow") -> str:
    ids = [row.record] if row.record else list(row.records)
    actor = shown(row.actor) if row.actor else "somebody"
    parts = (
        f"{row.sequence}",
        times.second(row.at),
        f"{actor} by {row.origin}",
        f"{row.action} {row.kind}" + (f" {row.count}" if row.count != 1 else ""),
        scope_line(row.scope) if row.scope else "of an erased scope",
        listed(ids),
        f"because: {shown(row.reason)}" if row.reason else "",
    )
    return "  ".join(part for part in parts if part)


def _mention(mention: "Mention") -> Iterator[str]:
    rests = f"  {mention.drawn:,} {'rests' if mention.drawn == 1 else 'rest'} on it" if mention.drawn else ""
    where = " and ".join(mention.where)
    yield f"{mention.id}  {mention.kind} of {scope_line(mention.scope)}, in its {where}{rests}"
    yield f"    {shown(mention.text[:_TEXT_SHOWN])}"


def _receipt(receipt: "Receipt") -> str:
    left = f"{receipt.found} left" if receipt.found else "nothing left"
    rows = numbered(sum(receipt.rows.values()), "row")
    return f"{times.minute(receipt.finished_at)}  {receipt.id}  {receipt.subject}, {rows}, {left}"


def _policy(policy: "RetentionPolicy") -> str:
    of = ", ".join((*(kind.value for kind in policy.kinds), *(each.value for each in policy.classifications)))
    where = f"  of {scope_line(policy.scope)}" if policy.scope else ""
    return f"{shown(policy.name)}  {of or 'all'}  {numbered(policy.keep_days, 'day')}{where}"


def _expired(one: Any) -> Iterator[str]:
    what = f"{one.kind}, {one.classification}, of {times.day(one.since)}  by {shown(one.policy)}"
    yield f"{one.id}  {what}  {scope_line(one.scope)}"
    yield f"    {shown(one.text)}"


def _deleted(one: Any) -> Iterator[str]:
    dates = f"deleted {times.day(one.deleted_at)}, until {times.day(one.until)}"
    yield f"{one.id}  {one.kind}  {dates}  {scope_line(one.scope)}"
    yield f"    {shown(one.text)}"


def _redaction(one: Any) -> str:
    return f"{one.data_type:10}{one.redaction:8}{f'set here: {one.here}' if one.here else ''}".rstrip()


def _transfer(one: Any) -> str:
    copied = numbered(one.observations, "observation")
    state = "revoked; what a legal hold keeps is out of every read" if one.revoked else copied
    return (
        f"{shown(one.lender)} to {shown(one.reader)}  {state}  since {times.day(one.granted_at)}  {shown(one.reason)}"
    )


LINES: "Mapping[str, Callable[[Any], Iterable[str]]]" = {
    "governance.classify": lambda record: [f"{record.id} is {record.classification} now"],
    "governance.overview": _overview,
    "governance.redactions": each(_redaction),
    "governance.holds": each(hold_line, noun="hold"),
    "governance.retention": each(_policy, noun="policy"),
    "governance.retention.find_expired": each(_expired, total="due"),
    "governance.retention.list_soft_deleted": each(_deleted, total="deleted"),
    "governance.retention.soft_delete": lambda count: [f"{count:,} deleted"],
    "governance.retention.hard_delete": lambda count: [f"{count:,} purged"],
    "governance.retention.is_accessible": lambda yes: ["accessible" if yes else "not accessible"],
    "governance.erasure.plan": plan_lines,
    "governance.erasure.find_mentions": each(_mention, noun="memory"),
    "governance.erasure.receipts": each(_receipt, noun="receipt"),
    "governance.audit": each(_audit_line, noun="entry"),
    "governance.audit.verify": verified_lines,
    "governance.transfers": each(_transfer, noun="transfer"),
    "governance.archives": archive_lines,
}
"""By the name of an operation, or of its resource."""
