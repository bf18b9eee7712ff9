"""Subjects of erasures and reports: their scopes and memories, the legal holds on them, and what left the store."""

from collections.abc import Sequence, Set
from difflib import get_close_matches

from remembrancer.errors import NotFound
from remembrancer.learn import deletion
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import READ
from remembrancer.transactions.legal_holds import fields_that_name, holds_on, is_named_in_versions
from remembrancer.transactions.ownership import iterate_records
from remembrancer.transactions.write_transaction import ARCHIVED
from remembrancer.types.audit import AuditFilter
from remembrancer.types.erasure import ExternalCopy, Mention, Subject
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import LegalHold
from remembrancer.types.record import kind_of
from remembrancer.types.scope import Scope

_MAX_EXPORTS = 100
_MAX_ENTRIES = 1_000
# Actions and kinds of the audit entries of exports.
_EXPORTS = (
    (ARCHIVED, "archive"),
    (ARCHIVED, "backup"),
    (READ, "governance.archives.export"),
    (READ, "governance.archives.report"),
    # The names of these operations in logs of earlier databases.
    (READ, "archives.export"),
    (READ, "archives.report"),
)
_MAX_LENGTH_DIFFERENCE = 3
_MAX_COMPARED = 5_000


def scopes_of_subject(subject: Subject, name: str, scopes: Sequence[Scope], *, within: Scope) -> list[Scope]:
    """Return the exact scopes that an erasure empties, narrowest first.

    Args:
        scopes: all scopes of the store.
        within: the scope of the caller.
    """
    targets = [scope for scope in scopes if within.contains(scope) and getattr(scope, subject.value) == name]
    return sorted(targets, key=lambda scope: (-_narrowness(scope), str(scope)))


def _narrowness(scope: Scope) -> int:
    return sum(part is not None for part in (scope.project, scope.agent, scope.user))


def similar_names(subject: Subject, name: str, scopes: Sequence[Scope]) -> list[str]:
    """Return the names of the same kind that differ in few letters, most similar first."""
    by_folded = {value.casefold(): value for scope in scopes if (value := getattr(scope, subject.value))}
    # Comparing is slow: of very many names, only those of about the same length are considered.
    names = [one for one in by_folded if abs(len(one) - len(name)) <= _MAX_LENGTH_DIFFERENCE][:_MAX_COMPARED]
    return [by_folded[match] for match in get_close_matches(name.casefold(), names)]


async def memory_ids(tx: Tx, subject: Subject, name: str, memories: Sequence[str]) -> list[str]:
    """Return the ids of the memories of a session, or `memories` itself after checking that they are in the scope.

    Raises:
        NotFound: the session is empty, or a memory is missing.
    """
    if subject is Subject.SESSION:
        ids = [record.id async for record in iterate_records(tx, Filter(sessions=(name,), statuses=tuple(Status)))]
        if not ids:
            raise NotFound("session", name)
        return ids
    own = {record.id for record in await tx.records.find_all(memories) if record.scope == tx.scope}
    for id in memories:
        if id not in own:
            raise NotFound("memory", id)
    return list(dict.fromkeys(memories))


async def with_derived(tx: Tx, ids: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the kinds of memories and of their derivations by id, and the names of the legal holds on any of them."""
    holds = await tx.policies.visible(LegalHold)
    names = dict[str, None]()
    pending, kinds = list(ids), dict[str, str]()
    while pending:
        for record in await tx.records.find_all(pending):
            kinds[record.id] = kind_of(record).value
            if holds:
                names |= dict.fromkeys(hold.name for hold in await holds_on(tx, record, holds))
        derived = [one.id for id in pending for one in await deletion.drawn_from(tx, id)]
        pending = [id for id in dict.fromkeys(derived) if id not in kinds]
    return kinds, tuple(names)


async def scope_holds(tx: Tx) -> list[LegalHold]:
    """Return the legal holds on anything in the exact scope; one on a session or person counts if it applies there."""
    holds = await tx.policies.visible(LegalHold)
    applying = [hold for hold in holds if hold.session is None and hold.person is None]
    narrow = [hold for hold in holds if hold not in applying]
    if narrow:
        async for record in iterate_records(tx, Filter(statuses=tuple(Status))):
            matches = await holds_on(tx, record, narrow)
            applying += matches
            narrow = [hold for hold in narrow if hold not in matches]
            if not narrow:
                break
    return applying


async def exports_of(tx: Tx, scopes: Sequence[Scope], ids: Set[str]) -> list[ExternalCopy]:
    """Return the exports, reports, archives and backups that contained memories of some scopes, latest first.

    An audit entry lists the first ids only. An export of more memories from an overlapping scope is included, since it
    may have contained these.
    """
    exports: dict[ExternalCopy, None] = {}
    for action, kind in _EXPORTS:
        for row in await tx.audit.entries(AuditFilter(action=action, kind=kind), limit=_MAX_ENTRIES):
            listed = {*row.records, *filter(None, [row.record])}
            scope = row.scope
            if scope is None:
                continue
            is_whole = action == ARCHIVED and any(scope.contains(target) for target in scopes)
            may_have_more = row.count > len(listed) and any(
                scope.sees(target) or scope.contains(target) for target in scopes
            )
            if is_whole or may_have_more or listed & ids:
                what = kind.rpartition(".")[2]
                at = row.at.replace(second=0, microsecond=0)
                exports[ExternalCopy(at=at, what=what, scope=scope, actor=row.actor, origin=row.origin)] = None
    return sorted(exports, key=lambda one: one.at, reverse=True)[:_MAX_EXPORTS]


async def mentions_of(tx: Tx, person: str, *, limit: int) -> list[Mention]:
    """Return the memories of the exact scope that mention a person, also in an earlier version."""
    mentions: list[Mention] = []
    async for record in iterate_records(tx, Filter(statuses=tuple(Status))):
        where = fields_that_name(record, person)
        if not where and tx.caller.sees_all and record.updated_at > record.recorded_at:
            stored = (await tx.archives.existing([record.id]))[record.id]
            where = ["earlier wording"] if is_named_in_versions(stored.bundle, person) else []
        if where:
            mentions.append(
                Mention(
                    id=record.id,
                    scope=record.scope,
                    kind=kind_of(record).value,
                    where=where,
                    text=record.text,
                    drawn=len(await tx.records.dependents(record.id)),
                )
            )
        if len(mentions) == limit:
            break
    return mentions
