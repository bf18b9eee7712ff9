"""Permanent erasure with signed receipts."""

from collections.abc import Mapping, Sequence
from functools import partial

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.privacy.erasure import Eraser
from remembrancer.privacy.receipts import from_json, requested_within
from remembrancer.resources.resource import Resource
from remembrancer.transactions.legal_holds import is_name
from remembrancer.transactions.names import checked_reason
from remembrancer.types.access import Right
from remembrancer.types.arguments import member, within
from remembrancer.types.erasure import ErasurePlan, Mention, Receipt, Subject
from remembrancer.types.policy import Erasure
from remembrancer.types.scope import Scope

_MAX_LIMIT = 1_000


class Erasures(Resource, path="governance.erasure"):
    """Erasures within one scope. Reached as `memory.governance.erasure`."""

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
        """Return the plan of an erasure: its rows, and legal holds that forbid it. Nothing is changed.

        Args:
            user: all memories of this user within this scope.
            agent: all memories of this agent within this scope.
            project: all memories of this project within this scope.
            tenant: all memories of the tenant; it must be the tenant of this scope.
            session: a session of this exact scope, with memories derived from it alone.
            memories: ids of memories of this exact scope.

        Raises:
            InvalidInput: not exactly one subject is set, or it is another tenant.
            NotAllowed: the caller may not erase, or has too low a clearance for a whole scope.
            NotFound: the subject does not exist.
        """
        self._caller.need(Right.GOVERN)
        subject, name = self._subject(user, agent, project, tenant, session, memories)
        # The plan includes the latest exports.
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        return await self._eraser.plan(subject, name, memories)

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

        Other callers can work during it. The same call continues an interrupted erasure.

        Args:
            user, agent, project, tenant, session, memories: as for `plan`.
            reason: for the audit log, in 1 to 200 characters.

        Raises:
            InvalidInput: as for `plan`, or the reason is blank.
            NotAllowed: as for `plan`, or a legal hold forbids it.
            NotFound: the subject does not exist.
            StoreUnavailable: the memories are erased, but traces of them remain in the external vector index, which
                cannot be reached, or in a file that another process uses without a pause; there is no receipt yet.
        """
        self._caller.need(Right.GOVERN)
        why = checked_reason(reason, self._engine.rules.secrets)
        subject, name = self._subject(user, agent, project, tenant, session, memories)
        # Log recent reads before the scope is erased.
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        receipt = await self._eraser.erase(subject, name, memories, reason=why)
        await self._engine.scrub()
        return receipt

    async def find_mentions(self, person: str, *, limit: int = 100) -> Sequence[Mention]:
        """Return memories of this scope and of scopes under it that mention a person, for review before an erasure.

        Args:
            person: the name; it matches whole words in any case of letters.
            limit: 1 to 1,000.

        Raises:
            InvalidInput: the name is blank.
            NotAllowed: the caller may not erase.
        """
        self._caller.need(Right.GOVERN)
        within(limit, 1, _MAX_LIMIT, what="limit")
        if not is_name(person):
            raise InvalidInput("person has no letter; use a name")
        mentions = await self._eraser.find_mentions(person, limit=limit)
        self._audit_read("governance.erasure.find_mentions", [one.id for one in mentions])
        return mentions

    async def receipts(
        self, *, subject: str | None = None, name: str | None = None, limit: int = 100
    ) -> Sequence[Receipt]:
        """Return the receipts of erasures in this scope and in scopes under it, latest first.

        Args:
            subject, name: only receipts of this subject, such as `user` and `ana`; for memories, their ids separated
                by spaces. Receipts contain no names; the store compares keyed hashes.
            limit: 1 to 1,000.

        Raises:
            InvalidInput: only one of subject and name is set, or the subject is unknown.
            NotAllowed: the caller may not erase.
        """
        self._caller.need(Right.GOVERN)
        within(limit, 1, _MAX_LIMIT, what="limit")
        if (subject is None) != (name is None):
            raise InvalidInput("subject and name go together, such as user and ana; use both, or neither")
        fingerprints = None
        if subject is not None and name is not None:
            chosen = member(Subject, subject, "subject")
            full_name = " ".join(sorted(name.split())) if chosen is Subject.MEMORIES else name
            fingerprints = await self._eraser.fingerprints(chosen, full_name)
        erasures = await self._at(Scope(tenant=self._caller.scope.tenant)).read(lambda tx: tx.policies.exact(Erasure))
        scopes = await self._engine.store.scopes(self._caller.scope.tenant)
        here = await run_sync(
            partial(requested_within, erasures, self._caller.scope, scopes, sign=self._engine.rules.sign)
        )
        receipts = [
            from_json(one.receipt)
            for one in here
            if one.receipt is not None and (fingerprints is None or one.name in fingerprints)
        ]
        return sorted(receipts, key=lambda one: one.finished_at, reverse=True)[:limit]

    def _subject(
        self,
        user: str | None,
        agent: str | None,
        project: str | None,
        tenant: str | None,
        session: str | None,
        memories: Sequence[str],
    ) -> tuple[Subject, str]:
        options: Mapping[Subject, str | None] = {
            Subject.USER: user,
            Subject.AGENT: agent,
            Subject.PROJECT: project,
            Subject.TENANT: tenant,
            Subject.SESSION: session,
            Subject.MEMORIES: " ".join(sorted(memories)) or None,
        }
        subjects = [(subject, name) for subject, name in options.items() if name is not None]
        if len(subjects) != 1:
            raise InvalidInput(
                "set one of user, agent, project, tenant, session and memories"
                if not subjects
                else f"{' and '.join(subject for subject, _ in subjects)} are set; erase one after the other"
            )
        if not subjects[0][1].strip():
            raise InvalidInput(f"{subjects[0][0]} is blank; use its name")
        if tenant is not None and tenant != self._caller.scope.tenant:
            raise InvalidInput(
                f"this memory is of tenant {self._caller.scope.tenant!r}; another tenant cannot be erased from here"
            )
        if tenant is not None and self._caller.scope != Scope(tenant=tenant):
            raise InvalidInput("a tenant is erased from its own scope: omit project, agent and user")
        if subjects[0][0] is not Subject.MEMORIES and not self._caller.sees_all:
            raise NotAllowed("erasures of scopes and sessions need the clearance 'restricted'")
        return subjects[0]

    @property
    def _eraser(self) -> Eraser:
        engine = self._engine
        return Eraser(
            store=engine.store,
            rules=engine.rules,
            cache=engine.context_cache,
            index_sync=engine.worker.embeddings.index_sync,
            unit_at=self._at,
            unit=self._unit,
        )
