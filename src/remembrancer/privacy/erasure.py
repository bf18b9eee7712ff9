"""Erasing all that is of somebody, step by step; see `governance.erasing`."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime

import anyio
from anyio.to_thread import run_sync

from remembrancer.context.cache import Caching
from remembrancer.errors import NotFound, StoreUnavailable
from remembrancer.learn import deletion as removal
from remembrancer.learn.sessions import is_own_summary, sum_up_again
from remembrancer.privacy.lending import lend
from remembrancer.privacy.offers import withdraw_from
from remembrancer.privacy.receipts import added, as_json, fingerprint, from_json, near, place_of, receipt_of, targets_of
from remembrancer.privacy.remains import Looker, kept_runs
from remembrancer.privacy.transfers import project_scope
from remembrancer.search.external_index import Mirror
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import READ
from remembrancer.transactions.dependencies import Rules
from remembrancer.transactions.holds import held_by, named_earlier, places_named, refuse_held
from remembrancer.transactions.ownership import every
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.transactions.write import ARCHIVED, ERASED, Buried, Writing, mark_of_scope, marks_of
from remembrancer.types.audit import AuditFilter
from remembrancer.types.erasure import ErasurePlan, HandedOut, Naming, Receipt, Subject
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import ErasedRuns, Erasure, LegalHold, Unset
from remembrancer.types.record import kind_of
from remembrancer.types.scope import Scope
from remembrancer.types.transfer import Transfer

_MOST_HANDED_OUT = 100
_MOST_READ = 1_000
_TRIES = 5
_SECONDS_BETWEEN = 0.5
# As what the audit log tells that memories left the store.
_LEAVING = ((ARCHIVED, "archive"), (ARCHIVED, "backup"), (READ, "archives.export"), (READ, "archives.report"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """Erasures that one caller has asked for.

    Args:
        mirror: the outside vector index, where there is one: an erasure waits until that has let go, too.
        at: the engine at a scope, on behalf of the caller.
        desk: the caller's own, whose scope bounds what is erased.
    """

    store: Store
    rules: Rules
    caching: Caching
    mirror: Mirror | None
    at: Callable[[Scope], Desk]
    desk: Desk

    async def plan(self, subject: Subject, name: str, memories: Sequence[str]) -> ErasurePlan:
        """What an erasure would take, and what stands in its way.

        Raises:
            NotFound: nothing of it is here.
        """
        if subject in (Subject.SESSION, Subject.MEMORIES):
            return await self._plan_of_some(subject, name, memories)
        targets = await self._targets(subject, name)
        begun = await self._under_way(fingerprint(subject, name, within=self.desk.scope, sign=self.rules.sign))
        if not targets and begun is None:
            raise await self._not_found(subject, name)
        rows: dict[str, int] = {}
        elsewhere: list[str] = []
        kinds = dict[str, str]()
        for target in targets:
            kinds |= await self.at(target).read(lambda tx: tx.erasure.kinds())
            rows = added(rows, await self.at(target).read(lambda tx: tx.erasure.row_counts()))
            resting = await self.at(target).read(lambda tx: tx.erasure.cross_scope_dependents())
            elsewhere += [id for scope, id in resting if scope not in targets]
        return ErasurePlan(
            subject=subject,
            name=name,
            scopes=targets,
            rows=rows,
            kinds=_counted(kinds),
            begun_at=None if begun is None else begun.set_at,
            elsewhere=tuple(dict.fromkeys(elsewhere)),
            holds=tuple(hold.name for hold in await self._held(targets)),
            handed_out=await self._handed_out(targets, set(kinds)),
        )

    async def _plan_of_some(self, subject: Subject, name: str, memories: Sequence[str]) -> ErasurePlan:
        """What an erasure of a session or of memories would take, with all that was drawn from them."""
        whose = fingerprint(subject, name, within=self.desk.scope, sign=self.rules.sign)
        begun = await self._under_way(whose)
        try:
            named = await self.desk.read(lambda tx: _ids_of_some(tx, subject, name, memories))
        except NotFound:
            if begun is None:
                raise
            named = []
        asked = set(named)
        kinds, holds = await self.at(self.desk.scope).read(lambda tx: _with_drawn(tx, named))
        return ErasurePlan(
            subject=subject,
            name=name,
            scopes=[self.desk.scope],
            rows={"records": len(kinds)},
            kinds=_counted(kinds),
            begun_at=None if begun is None else begun.set_at,
            drawn=tuple(id for id in kinds if id not in asked),
            holds=holds,
            handed_out=await self._handed_out([self.desk.scope], set(kinds)),
        )

    async def erase(self, subject: Subject, name: str, memories: Sequence[str], *, reason: str) -> Receipt:
        """Take it out for good, look for what is left, and sign what was found.

        Raises:
            NotAllowed: a legal hold is on any of it.
            NotFound: nothing of it is here.
        """
        if subject in (Subject.SESSION, Subject.MEMORIES):
            erasure = await self._some(subject, name, memories, reason)
        else:
            erasure = await self._begun(subject, name, reason)
            if erasure.receipt is not None:
                return from_json(erasure.receipt)
            erasure = await self._emptied(erasure)
        return await self._proven(erasure, subject, reason)

    async def end_broken_off(self, *, begun_before: datetime) -> int:
        """Go on with the erasures of the tenant that have no receipt yet; how many have one now.

        What a legal hold is on by now waits. That of a whole tenant does, too: its receipt is kept nowhere, so somebody
        has to ask for it.
        """
        kept = await self._root().read(lambda tx: tx.policies.exact(Erasure))
        waiting = [one for one in kept if one.receipt is None and one.set_at < begun_before]
        ended = 0
        for erasure in waiting:
            subject = Subject(erasure.subject)
            if subject is not Subject.TENANT and not await self._held(erasure.targets):
                await self._proven(await self._emptied(erasure), subject, "it was broken off")
                ended += 1
        return ended

    async def _handed_out(self, targets: Sequence[Scope], ids: Set[str]) -> list[HandedOut]:
        return await self._root().read(lambda tx: _handed_out(tx, targets, ids))

    async def named(self, person: str, *, limit: int) -> list[Naming]:
        """The memories of the caller's scope, and of those under it, that name a person."""
        found: list[Naming] = []
        for scope in sorted(await self.desk.scopes(), key=str):
            if most := limit - len(found):
                here = self.desk.of(replace(self.desk.caller, scope=scope))
                found += await here.read(lambda tx, most=most: _named(tx, person, most=most))
        return found

    async def _targets(self, subject: Subject, name: str) -> list[Scope]:
        return targets_of(subject, name, await self.store.scopes(), within=self.desk.scope)

    async def _not_found(self, subject: Subject, name: str) -> NotFound:
        known = await self.desk.scopes()
        return NotFound(subject.value, name, near=await run_sync(near, subject, name, known))

    async def done_of(self, subject: Subject, name: str) -> set[str]:
        """As what receipts name one subject, from whichever scope of the tenant its erasure was asked for."""
        known = [scope for scope in await self.store.scopes() if scope.tenant == self.desk.scope.tenant]

        def prints() -> set[str]:
            asked = {wide for scope in (*known, self.desk.scope) for wide in scope.visible()}
            return {fingerprint(subject, name, within=scope, sign=self.rules.sign) for scope in asked}

        return await run_sync(prints)

    async def _held(self, targets: Sequence[Scope]) -> list[LegalHold]:
        held: dict[str, LegalHold] = {}
        for target in targets:
            held |= {hold.id: hold for hold in await self.at(target).read(_standing)}
        return list(held.values())

    async def _begun(self, subject: Subject, name: str, reason: str) -> Erasure:
        """The erasure that was begun of the same subject, or a new one; or one that was signed just now."""
        whose = fingerprint(subject, name, within=self.desk.scope, sign=self.rules.sign)
        earlier = await self._root().read(lambda tx: _of_same(tx, whose))
        targets = await self._targets(subject, name)
        if held := await self._held(targets):
            async with self._root().write() as writing:
                writing.because(reason)
                await writing.did("refused", "erasure", f"held by {', '.join(hold.name for hold in held)}")
            refuse_held(f"{subject} {name!r}", held)
        if not targets and all(one.receipt is not None for one in earlier):
            if subject is Subject.TENANT:
                # Of a tenant nothing is kept, not even how far its erasure was: it may have been broken off here.
                await self._written_anew()
            raise await self._not_found(subject, name)
        done = {one.number for one in earlier if one.receipt is not None}
        async with self._root().write() as writing:
            # Another process may have begun it meanwhile, or ended it.
            since = [one for one in await _of_same(writing.tx, whose) if one.number not in done]
            if since and since[0].receipt is not None:
                return since[0]
            erasure = since[0] if since else self._new(subject, whose)
            # What was written since it was begun goes, too.
            # That it was begun is kept in the root scope, which goes last where all of the tenant goes.
            last = [self._root().scope] if subject is Subject.TENANT else []
            erasure = replace(erasure, targets=[*dict.fromkeys([*erasure.targets, *targets, *last])])
            writing.because(reason)
            await writing.note(erasure, action="begun", kind="erasure", id=erasure.number)
        return erasure

    async def _emptied(self, erasure: Erasure) -> Erasure:
        """An erasure whose scopes are all empty: how far it is, is kept with each."""
        root = self._root().scope
        while erasure.targets:
            target, *left = erasure.targets
            for scope, id in await self.at(target).read(lambda tx: tx.erasure.cross_scope_dependents()):
                await self._let_go(scope, id)
            there = await self.at(target).read(lambda tx: tx.erasure.row_counts())
            if target != root and there:
                # What was erased of it before is known here alone, and goes with it.
                before = await self.at(target).read(lambda tx: tx.erasure.tombstones())
                # Killed from now on, it is known how many there were.
                erasure = replace(erasure, counted=there)
                marks = await self.at(target).read(lambda tx: marks_of(tx, sign=self.rules.sign))
                runs = await self._runs(erasure, await self.at(target).read(lambda tx: tx.erasure.texts()))
                async with self._root().write() as writing:
                    whole = mark_of_scope(target, sign=self.rules.sign)
                    await writing.note(Buried(marks=(*marks, *sorted(before), whole)))
                    if await _signed(writing.tx, erasure) is None:
                        await writing.note(*runs, erasure)
            await self._take_back_lent(target)
            await self._withdraw_offered(target)
            async with self.at(target).write() as writing:
                gone = await writing.empty() or erasure.counted
            await self._forget_lending(target)
            if self.mirror is not None:
                await self.mirror.release(target)
            await self.store.forget(target, at=self.rules.clock.now())
            erasure = replace(
                erasure,
                targets=left,
                rows=added(erasure.rows, gone),
                scopes=erasure.scopes + bool(gone),
                counted={},
            )
            # Of a tenant nothing is kept, not even that it was.
            if target != root:
                async with self._root().write() as writing:
                    if await _signed(writing.tx, erasure) is None:
                        await writing.note(erasure)
        return erasure

    async def _take_back_lent(self, target: Scope) -> None:
        """Erase the copies that other projects have of what goes; what a hold is on there is out of every read."""
        for grant in await self.at(target).read(lambda tx: tx.policies.exact(Transfer)):
            async with self.at(target).write() as writing:
                await writing.note(replace(grant, revoked=True))
        await lend(self.at(target))

    async def _withdraw_offered(self, target: Scope) -> None:
        """Erase what was offered to a project because of insights of what goes."""
        if target.project is not None and target.agent is not None and target.user is None:
            ids = await self.at(target).read(lambda tx: tx.erasure.kinds())
            async with self.at(project_scope(target.tenant, target.project)).write() as writing:
                await withdraw_from(writing, set(ids))

    async def _forget_lending(self, target: Scope) -> None:
        """Let no other project lend to one that is gone; what it had itself lent has gone with its memories."""
        for grant in await self._root().read(lambda tx: tx.policies.below(Transfer)):
            if target == project_scope(target.tenant, grant.reader):
                async with self.at(project_scope(target.tenant, grant.lender)).write() as writing:
                    await writing.note(Unset(id=grant.id), action="revoked", kind="transfer")

    async def _let_go(self, scope: Scope, id: str) -> None:
        """Erase what rests on what is to go, in another scope: what others' evidence bears is concluded anew."""
        async with self.at(scope).write() as writing:
            if await writing.tx.records.find(id) is not None:
                await removal.delete(writing, id, erase=True)

    async def _some(self, subject: Subject, name: str, memories: Sequence[str], reason: str) -> Erasure:
        """An erasure of a session, or of some memories, of the caller's exact scope: begun, with all of it gone."""
        whose = fingerprint(subject, name, within=self.desk.scope, sign=self.rules.sign)
        begun = await self._under_way(whose)
        async with self.desk.write() as writing:
            writing.because(reason)
            try:
                ids = await _ids_of_some(writing.tx, subject, name, memories)
            except NotFound:
                if begun is None:
                    raise
                return begun
            erasure = begun or self._new(subject, whose)
            runs = await self._runs(erasure, await writing.tx.erasure.texts(ids))
            gone, unsummed = await _emptied_of_some(writing, subject, name, ids)
            await sum_up_again(writing, sorted(unsummed))
            erasure = replace(erasure, rows=added(erasure.rows, gone))
            async with AsyncExitStack() as stack:
                at_root = writing.tx.scope == self._root().scope
                root = writing if at_root else await stack.enter_async_context(writing.at(self._root().scope))
                if await _signed(root.tx, erasure):
                    # Signed meanwhile for what went before: this is of its own.
                    anew = self._new(subject, whose)
                    runs = [replace(one, number=anew.number) for one in runs]
                    erasure = replace(anew, rows=gone)
                await root.note(Buried(marks=tuple(writing.buried)), *runs, erasure)
        return erasure

    async def _runs(self, erasure: Erasure, told: Sequence[tuple[str, int]]) -> list[ErasedRuns]:
        """The words of what goes, by which it is looked for what is left of them."""
        kept = await run_sync(lambda: kept_runs(told, sign=self.rules.sign))
        now, new = self.rules.clock.now(), self.rules.ids.new
        return [ErasedRuns(number=erasure.number, part=new(), runs=runs, set_at=now) for runs in kept]

    def _new(self, subject: Subject, whose: str) -> Erasure:
        return Erasure(
            number=self.rules.ids.new(),
            subject=subject.value,
            name=whose,
            targets=(),
            rows={},
            scopes=0,
            set_at=self.rules.clock.now(),
            asked=place_of(self.desk.scope, sign=self.rules.sign),
        )

    async def _under_way(self, whose: str) -> Erasure | None:
        """The erasure of the same subject that was begun, and has no receipt yet."""
        kept = await self._root().read(lambda tx: _of_same(tx, whose))
        return next((one for one in kept if one.receipt is None), None)

    async def _proven(self, erasure: Erasure, subject: Subject, reason: str) -> Receipt:
        """The receipt of an erasure that is done, with what a look at all that is left has found."""
        sign, root = self.rules.sign, self._root()
        await self.caching.forget(root.scope.tenant)
        if self.mirror is not None:
            await self.mirror.release(self.desk.scope)
        runs = await root.read(lambda tx: _runs_of(tx, erasure))
        marks = await root.read(lambda tx: tx.erasure.tombstones())
        looker = await run_sync(lambda: Looker(marks, [one.runs for one in runs], sign=sign))
        looked = await root.read(lambda tx: tx.erasure.scan(looker.see))
        found = await run_sync(looker.found)
        receipt = receipt_of(erasure, looked=looked, found=found, at=self.rules.clock.now(), sign=sign)
        # It is under way until no page keeps a byte: killed before that, the same call comes here again.
        await self._written_anew()
        if subject is not Subject.TENANT:
            async with root.write() as writing:
                # Another process may have noted the same words once more.
                await writing.note(*(Unset(id=one.id) for one in await _runs_of(writing.tx, erasure)))
                if signed := await _signed(writing.tx, erasure):
                    return signed
                writing.because(reason)
                kept = replace(erasure, targets=(), receipt=as_json(receipt))
                await writing.note(kept, action=ERASED, kind=subject.value, id=erasure.number)
        return receipt

    async def _written_anew(self) -> None:
        """Have no page of the store keep a byte of what is gone.

        Raises:
            StoreUnavailable: another process does not let go of the store.
        """
        is_anew = False
        for _ in range(_TRIES):
            is_anew = is_anew or await self.store.compact()
            # What a journal still holds of it is gone, too, before a receipt says so.
            if is_anew and await self.store.scrub():
                return
            await anyio.sleep(_SECONDS_BETWEEN)
        raise StoreUnavailable(
            "it is erased, but another process reads or writes the store without a pause, and pages keep bytes of it"
            " still; ask for the same again, and it goes on there"
        )

    def _root(self) -> Desk:
        return self.at(Scope(tenant=self.desk.scope.tenant))


async def _of_same(tx: Tx, whose: str) -> list[Erasure]:
    """The erasures of one subject, those first that have no receipt yet."""
    kept = [one for one in await tx.policies.exact(Erasure) if one.name == whose]
    return sorted(kept, key=lambda one: one.receipt is not None)


async def _runs_of(tx: Tx, erasure: Erasure) -> list[ErasedRuns]:
    return [one for one in await tx.policies.exact(ErasedRuns) if one.number == erasure.number]


async def _signed(tx: Tx, erasure: Erasure) -> Receipt | None:
    """The receipt that another process has signed of the same erasure meanwhile: there is one of each."""
    kept = await tx.policies.exact(Erasure)
    return next((from_json(one.receipt) for one in kept if one.number == erasure.number and one.receipt), None)


async def _standing(tx: Tx) -> list[LegalHold]:
    """The legal holds that are on anything of the exact scope: of a session or a person, where there is any of it."""
    seen = await tx.policies.visible(LegalHold)
    found = [hold for hold in seen if hold.session is None and hold.person is None]
    narrow = [hold for hold in seen if hold not in found]
    if narrow:
        async for record in every(tx, Filter(statuses=tuple(Status))):
            met = await held_by(tx, record, narrow)
            found += met
            narrow = [hold for hold in narrow if hold not in met]
            if not narrow:
                break
    return found


async def _handed_out(tx: Tx, targets: Sequence[Scope], ids: Set[str]) -> list[HandedOut]:
    """What left the store of some memories, or of the scopes that they are in, the latest first.

    An entry names the first of many memories alone: beyond those, whoever was told of so many may have been told of
    these, too.
    """
    found: dict[HandedOut, None] = {}
    for action, kind in _LEAVING:
        for row in await tx.audit.entries(AuditFilter(action=action, kind=kind), limit=_MOST_READ):
            named = {*row.records, *filter(None, [row.record])}
            scope = row.scope
            if scope is None:
                continue
            whole = action == ARCHIVED and any(scope.holds(target) for target in targets)
            more = row.count > len(named) and any(scope.sees(target) or scope.holds(target) for target in targets)
            if whole or more or named & ids:
                what = kind.removeprefix("archives.")
                at = row.at.replace(second=0, microsecond=0)
                found[HandedOut(at=at, what=what, scope=scope, actor=row.actor, door=row.door)] = None
    return sorted(found, key=lambda one: one.at, reverse=True)[:_MOST_HANDED_OUT]


async def _emptied_of_some(
    writing: Writing, subject: Subject, name: str, ids: Sequence[str]
) -> tuple[dict[str, int], set[str]]:
    """Some memories gone with what was drawn from them: how many rows of each table, and sessions without a summary."""
    before = await writing.tx.erasure.row_counts()
    unsummed = set[str]()
    named = await writing.tx.records.find_all(ids)
    summarised = {record.session for record in named if is_own_summary(record)}
    for id in ids:
        # One may have gone with another.
        if await writing.tx.records.find(id) is not None:
            unsummed |= await removal.delete(writing, id, erase=True)
    if subject is Subject.SESSION:
        await writing.forget_session(name)
    # The messages after those that are gone were embedded with them: their vectors count among what went.
    await writing.renew_following()
    after = await writing.tx.erasure.row_counts()
    gone = {table: count - after.get(table, 0) for table, count in before.items()}
    # Whoever has a summary erased wants no other.
    unsummed -= summarised
    return {table: count for table, count in gone.items() if count > 0}, unsummed


def _counted(kinds: Mapping[str, str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds.values()).items()))


async def _with_drawn(tx: Tx, ids: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The kinds of some memories and of what was drawn from them, and the names of the legal holds on any of it."""
    kept = await tx.policies.visible(LegalHold)
    found = dict[str, None]()
    waiting, seen = list(ids), dict[str, str]()
    while waiting:
        for record in await tx.records.find_all(waiting):
            seen[record.id] = kind_of(record).value
            if kept:
                found |= dict.fromkeys(hold.name for hold in await held_by(tx, record, kept))
        drawn = [one.id for id in waiting for one in await removal.drawn_from(tx, id)]
        waiting = [id for id in dict.fromkeys(drawn) if id not in seen]
    return seen, tuple(found)


async def _ids_of_some(tx: Tx, subject: Subject, name: str, memories: Sequence[str]) -> list[str]:
    if subject is Subject.SESSION:
        found = [record.id async for record in every(tx, Filter(sessions=(name,), statuses=tuple(Status)))]
        if not found:
            raise NotFound("session", name)
        return found
    there = {record.id for record in await tx.records.find_all(memories) if record.scope == tx.scope}
    for id in memories:
        if id not in there:
            raise NotFound("memory", id)
    return list(dict.fromkeys(memories))


async def _named(tx: Tx, person: str, *, most: int) -> list[Naming]:
    found: list[Naming] = []
    async for record in every(tx, Filter(statuses=tuple(Status))):
        where = places_named(record, person)
        if not where and tx.caller.sees_all and record.updated_at > record.recorded_at:
            present = (await tx.archives.existing([record.id]))[record.id]
            where = ["earlier wording"] if named_earlier(present.bundle, person) else []
        if where:
            drawn = len(await tx.records.dependents(record.id))
            found.append(
                Naming(
                    id=record.id,
                    scope=record.scope,
                    kind=kind_of(record).value,
                    where=where,
                    text=record.text,
                    drawn=drawn,
                )
            )
        if len(found) == most:
            break
    return found
