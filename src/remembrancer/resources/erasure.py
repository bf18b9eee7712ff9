"""The door to erasure: taking all that is of somebody out of the store for good, and proving it."""

from collections.abc import Mapping, Sequence
from functools import partial

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.privacy.erasure import Eraser
from remembrancer.privacy.receipts import from_json, requested_within
from remembrancer.resources.resource import Resource
from remembrancer.transactions.holds import is_name
from remembrancer.transactions.reasons import said_why
from remembrancer.types.access import Right
from remembrancer.types.arguments import within
from remembrancer.types.choice import member
from remembrancer.types.erasure import ErasurePlan, Naming, Receipt, Subject
from remembrancer.types.policy import Erasure
from remembrancer.types.scope import Scope

_MOST_NAMED = 1_000


class Erasures(Resource, path="governance.erasure"):
    """Every erasure within one scope. Reached as `memory.governance.erasure`."""

    async def plan(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        tenant: str | None = None,
        session: str | None = None,
        memories: Sequence[str] = (),
    ) -> ErasurePlan:
        """Return the plan of an erasure: its rows, and its obstacles; nothing is changed.

        Args:
            user, agent, project, tenant: whose memory: all of it within this scope; the tenant is named to be sure.
            session: a session of this exact scope, with what was drawn from it alone.
            memories: ids of memories of this exact scope.

        Raises:
            InvalidInput: none of these is named, or more than one, or the tenant is another.
            NotAllowed: the caller may not erase, or some of a whole scope is closed to it.
            NotFound: nothing of it is here.
        """
        self._caller.need(Right.GOVERN)
        subject, name = self._subject(user, agent, project, tenant, session, memories)
        # Who was told of it a moment ago has what left the store.
        await self._engine.sweep.access_log.flush()
        return await self._work.plan(subject, name, memories)

    async def erase(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        tenant: str | None = None,
        session: str | None = None,
        memories: Sequence[str] = (),
        reason: str,
    ) -> Receipt:
        """Permanently erase a user, agent, project, tenant, session or memories, and return a signed receipt.

        Other callers are served meanwhile. The same call continues an erasure that was interrupted.

        Args:
            user, agent, project, tenant, session, memories: as for `plan`.
            reason: for the audit log, in 1 to 200 characters.

        Raises:
            InvalidInput: as for `plan`, or there is no reason.
            NotAllowed: the caller may not erase, some of a whole scope is closed to it, or it is under a legal hold.
            NotFound: nothing of it is here.
            StoreUnavailable: the memories are erased, but traces of them remain in the external vector index, which
                cannot be reached, or in a file that another process uses without a pause; there is no receipt yet.
        """
        self._caller.need(Right.GOVERN)
        said = said_why(reason, self._engine.rules.secrets)
        subject, name = self._subject(user, agent, project, tenant, session, memories)
        # What was read a moment ago is written down now, and not when the scope is gone.
        await self._engine.sweep.access_log.flush()
        receipt = await self._work.erase(subject, name, memories, reason=said)
        await self._engine.scrub()
        return receipt

    async def find_mentions(self, person: str, *, limit: int = 100) -> Sequence[Naming]:
        """Find the memories of this scope, and of those under it, that name a person, for review before an erasure.

        Args:
            person: the name, as a whole word or words in any case of letters.
            limit: how many at most, 1 to 1,000.

        Raises:
            InvalidInput: the name is blank.
            NotAllowed: the caller may not erase.
        """
        self._caller.need(Right.GOVERN)
        within(limit, 1, _MOST_NAMED, what="limit")
        if not is_name(person):
            raise InvalidInput("person has no letter; give a name")
        found = await self._work.find_mentions(person, limit=limit)
        self._audit_read("governance.erasure.find_mentions", [one.id for one in found])
        return found

    async def receipts(
        self, *, subject: str | None = None, name: str | None = None, limit: int = 100
    ) -> Sequence[Receipt]:
        """Return the receipts of the erasures in this scope and in those under it, the latest first.

        Args:
            subject, name: only of what was erased by this name, such as `user` and `ana`; of memories their ids, with
                a blank between two. A receipt names nobody: that it is this one's is told by the store's key.
            limit: how many at most, 1 to 1,000.

        Raises:
            InvalidInput: one of subject and name is given without the other, or there is no such subject.
            NotAllowed: the caller may not erase.
        """
        self._caller.need(Right.GOVERN)
        within(limit, 1, _MOST_NAMED, what="limit")
        if (subject is None) != (name is None):
            raise InvalidInput("subject and name go together, such as user and ana; give both, or neither")
        wanted = None
        if subject is not None and name is not None:
            chosen = member(Subject, subject, "subject")
            named = " ".join(sorted(name.split())) if chosen is Subject.MEMORIES else name
            wanted = await self._work.fingerprints(chosen, named)
        kept = await self._at(Scope(tenant=self._caller.scope.tenant)).read(lambda tx: tx.policies.own(Erasure))
        known = await self._engine.store.scopes()
        here = await run_sync(partial(requested_within, kept, self._caller.scope, known, sign=self._engine.rules.sign))
        done = [
            from_json(one.receipt) for one in here if one.receipt is not None and (wanted is None or one.name in wanted)
        ]
        return sorted(done, key=lambda one: one.finished_at, reverse=True)[:limit]

    def _subject(
        self,
        user: str | None,
        agent: str | None,
        project: str | None,
        tenant: str | None,
        session: str | None,
        memories: Sequence[str],
    ) -> tuple[Subject, str]:
        given: Mapping[Subject, str | None] = {
            Subject.USER: user,
            Subject.AGENT: agent,
            Subject.PROJECT: project,
            Subject.TENANT: tenant,
            Subject.SESSION: session,
            Subject.MEMORIES: " ".join(sorted(memories)) or None,
        }
        told = [(subject, name) for subject, name in given.items() if name is not None]
        if len(told) != 1:
            raise InvalidInput(
                "name one of user, agent, project, tenant, session and memories: what is to be erased"
                if not told
                else f"{' and '.join(subject for subject, _ in told)} are named; erase one after the other"
            )
        if not told[0][1].strip():
            raise InvalidInput(f"{told[0][0]} is blank; give its name")
        if tenant is not None and tenant != self._caller.scope.tenant:
            raise InvalidInput(
                f"this memory is tenant {self._caller.scope.tenant!r}'s; no other can be erased from here"
            )
        if tenant is not None and self._caller.scope != Scope(tenant=tenant):
            raise InvalidInput("a tenant is erased from its own scope, without a project, an agent and a user")
        if told[0][0] is not Subject.MEMORIES and not self._caller.sees_all:
            raise NotAllowed(
                "whole scopes and sessions are erased by whom no class is closed to; this caller's clearance is lower"
            )
        return told[0]

    @property
    def _work(self) -> Eraser:
        engine = self._engine
        return Eraser(
            store=engine.store,
            rules=engine.rules,
            cache=engine.caching,
            mirror=engine.sweep.embeddings.mirror,
            unit_at=self._at,
            unit=self._unit,
        )
