"""The door to governance: how freely memories may be shown, and what is done with personal data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from anyio.to_thread import run_sync

from remembrancer.errors import Conflict, InvalidInput, NotFound
from remembrancer.guard.personal.naming import check_names
from remembrancer.learn.sessions import session_name
from remembrancer.llm.budget import projected
from remembrancer.privacy.checkpoints import verify
from remembrancer.privacy.receipts import from_json, requested_within
from remembrancer.privacy.reclassify import reclassify
from remembrancer.resources.resource import Door
from remembrancer.resources.retention import expired, soft_deleted
from remembrancer.resources.upkeep import Upkeep
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.holds import is_name
from remembrancer.transactions.reasons import check_label, said_why
from remembrancer.transactions.redactions import check_kept, redactions
from remembrancer.transactions.write import Writing
from remembrancer.types.access import Right
from remembrancer.types.arguments import checked
from remembrancer.types.choice import member
from remembrancer.types.classification import Classification
from remembrancer.types.erasure import Subject
from remembrancer.types.overview import Erased, Overview, Projection
from remembrancer.types.personal import NAMES, Datum, Redaction
from remembrancer.types.policy import Erasure, LegalHold, RedactionPolicy, Unset
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope

_MOST_SHOWN = 10
_MOST_COUNTED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """What is done with a kind of personal data in a scope: the strictest redaction of all that hold there.

    Args:
        here: what is set for the exact scope; `None` where nothing is.
    """

    datum: Datum
    redaction: Redaction
    here: Redaction | None = None


def _erased(one: Erasure) -> Erased:
    return Erased(
        id=one.number,
        subject=Subject(one.subject),
        rows=sum(one.rows.values()),
        begun_at=one.set_at,
        finished_at=None if one.receipt is None else from_json(one.receipt).finished_at,
    )


@checked
class Governance(Door):
    """What an operator says of one scope's memory. Reached as `memory.governance`."""

    async def classify(self, id: str, classification: str, *, reason: str) -> Record:
        """Put a memory in another class, also a lower one; what engines drew from it follows, as far as it may.

        Args:
            classification: `public`, `internal`, `confidential` or `restricted`.
            reason: why, in 1 to 200 characters; it stands in the audit log.

        Raises:
            NotFound: no such memory here.
            NotAllowed: the caller is no operator, or the memory belongs to a wider scope.
            InvalidInput: there is no such class, or no reason.
        """
        self._caller.need(Right.OPERATE)
        asked = member(Classification, classification, "classification")
        async with self._desk.write() as writing:
            return await reclassify(writing, id, asked, reason=reason)

    async def redact(self, datum: str, redaction: str) -> Sequence[Effective]:
        """Say what is done with a kind of personal data that is written in this scope, or under it, from now on.

        Of what wider scopes say, too, the strictest holds. What is stored already stays as it is.

        Args:
            datum: `card`, `iban`, `identity`, `email`, `phone`, `ip`, `person` or `place`; the last two, names, are
                told by a model of English, which the extra `names` brings.
            redaction: `off`, `tag`, `mask` or `refuse`.

        Raises:
            InvalidInput: there is no such kind, or no such redaction.
            StoreError: names are to be redacted, and the extra is missing.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        policy = RedactionPolicy(
            datum=member(Datum, datum, "datum"),
            redaction=member(Redaction, redaction, "redaction"),
            set_at=self._engine.rules.clock.now(),
        )
        if policy.datum in NAMES and policy.redaction is not Redaction.OFF:
            check_names()
        async with self._desk.write() as writing:
            await writing.note(policy, action="set", kind="redaction")
        return await self.redactions()

    async def unset_redaction(self, datum: str) -> Sequence[Effective]:
        """Let what was said for this scope of a kind of personal data hold no longer.

        Raises:
            InvalidInput: there is no such kind.
            NotFound: nothing is set for it here.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        kind = member(Datum, datum, "datum")
        async with self._desk.write() as writing:
            own = {policy.datum: policy for policy in await writing.tx.policies.own(RedactionPolicy)}
            if kind not in own:
                raise NotFound("redaction", datum)
            await writing.note(Unset(id=own[kind].id), action="unset", kind="redaction")
        return await self.redactions()

    async def overview(self) -> Overview:
        """An overview of this scope and of those under it: what there is, what is due, and how the log stands.

        Budgets are told to whom costs are, projected to the end of their period as it has gone so far.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        engine = self._engine
        await engine.sweep.access_log.flush()
        now = engine.rules.clock.now()
        home = self._at(Scope(tenant=self._caller.scope.tenant))
        found = await self._desk.read(lambda tx: verify(tx, None, sign=engine.store.sign))
        kept = await home.read(lambda tx: tx.policies.own(Erasure))
        scopes = await engine.store.scopes()
        kept = await run_sync(partial(requested_within, kept, self._caller.scope, scopes, sign=engine.rules.sign))
        last = sorted(kept, key=lambda one: one.set_at, reverse=True)[:_MOST_SHOWN]
        operates_all = self._caller.sees_all and self._caller.scope == home.scope
        return Overview(
            at=now,
            usage=await self._desk.read(lambda tx: tx.records.usage()),
            most_read=await self._desk.read(lambda tx: tx.records.most_read(limit=_MOST_SHOWN)),
            budgets=await self._projected(),
            due=len(await expired(self._desk, now=now, limit=_MOST_COUNTED)),
            deleted=len(await soft_deleted(self._desk, now=now, limit=_MOST_COUNTED)),
            holds=await self._desk.read(lambda tx: tx.policies.around(LegalHold)),
            erasures=[_erased(one) for one in last] if self._caller.sees_all else None,
            audit_entries=found.entries if operates_all else None,
            audit_is_whole=not found.broken and not found.lost,
        )

    async def _projected(self) -> list[Projection]:
        if Right.GOVERN not in self._caller.rights:
            return []
        now, zone = self._engine.rules.clock.now(), self._engine.zone
        costs = await Upkeep(self._engine, self._caller).costs(days=1)
        return [projected(one, now, zone) for one in costs.budgets]

    async def hold(
        self, name: str, *, reason: str, session: str | None = None, person: str | None = None
    ) -> Sequence[LegalHold]:
        """Have nothing deleted of this scope and of those under it, whoever asks: a legal hold.

        Args:
            name: such as the number of a case, in 1 to 100 characters; one that stands here is not replaced.
            reason: why, in 1 to 200 characters: whoever meets the hold is told.
            session: hold what is of this session alone.
            person: hold what names this person alone, as a whole word or words in any case of letters.

        Raises:
            InvalidInput: the name, the reason or the person is blank or too long.
            Conflict: a hold of that name is on something else here.
            NotAllowed: the caller is no operator, or the name or the reason holds what the scope does not store.
        """
        self._caller.need(Right.OPERATE)
        called = check_label(name, what="name")
        if person is not None and not is_name(person):
            raise InvalidInput("person has no letter; give a name, or none for all that is in the scope")
        rules = self._engine.rules
        made = LegalHold(
            name=called,
            reason=said_why(reason, rules.secrets),
            set_at=rules.clock.now(),
            session=None if session is None else session_name(session, rules),
            person=person,
        )
        async with self._desk.write() as writing:
            await check_kept(writing.tx, made.name, made.reason)
            standing = {one.name: one for one in await writing.tx.policies.own(LegalHold)}.get(called)
            if standing is not None and (standing.session, standing.person) != (made.session, made.person):
                raise Conflict(
                    f"a hold {called!r} is on {standing.on} here; lift it first, or give this one another name"
                )
            writing.because(made.reason)
            await writing.note(made, action="set", kind="hold", id=f"{made.name} on {made.on}")
            await self._tell_tenant(writing, "set", made)
        return await self.holds()

    async def _tell_tenant(self, writing: Writing, action: str, hold: LegalHold) -> None:
        """Say in the log of the whole tenant what was done with a hold: its own may end with whom it is on."""
        home = Scope(tenant=self._caller.scope.tenant)
        if writing.tx.scope != home:
            async with writing.at(home) as root:
                root.because(writing.reason)
                await root.did(action, "hold", hold.name)

    async def lift(self, name: str, *, reason: str) -> Sequence[LegalHold]:
        """End a legal hold of this exact scope.

        Raises:
            NotFound: there is none of that name here.
            InvalidInput: there is no reason, or no name.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        called, said = check_label(name, what="name"), said_why(reason, self._engine.rules.secrets)
        async with self._desk.write() as writing:
            own = {one.name: one for one in await writing.tx.policies.own(LegalHold)}
            if called not in own:
                raise NotFound("hold", name)
            writing.because(said)
            await writing.note(
                Unset(id=own[called].id), action="lifted", kind="hold", id=f"{called} on {own[called].on}"
            )
            await self._tell_tenant(writing, "lifted", own[called])
        return await self.holds()

    async def holds(self) -> Sequence[LegalHold]:
        """The legal holds that are on this scope, or on any under it: those of wider ones, its own, and narrower ones.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        return await self._desk.read(lambda tx: tx.policies.around(LegalHold))

    async def redactions(self) -> Sequence[Effective]:
        """What is done with each kind of personal data in this scope."""

        async def work(tx: Tx) -> list[Effective]:
            own = {policy.datum: policy.redaction for policy in await tx.policies.own(RedactionPolicy)}
            held = await redactions(tx)
            return [Effective(datum=datum, redaction=done, here=own.get(datum)) for datum, done in held.items()]

        return await self._desk.read(work)
