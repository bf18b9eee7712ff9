"""Policies of operators."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from remembrancer.errors import StoreError
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import columns
from remembrancer.storage.values import scope_columns, scope_of, undamaged
from remembrancer.types.policy import (
    ErasedRuns,
    Erasure,
    LegalHold,
    PersonalDataType,
    Policy,
    Redaction,
    RedactionPolicy,
    RemovedPolicy,
    RetentionPolicy,
    Transfer,
)
from remembrancer.types.record import Kind
from remembrancer.types.scope import Classification, Scope

P = TypeVar("P", bound=Policy)
PolicyDetails = Mapping[str, Any]
_COLUMNS = columns("id details:json set_at:moment tenant project agent user")
_KINDS: Mapping[type[Policy], tuple[str, Callable[[PolicyDetails, datetime], Policy]]] = {
    RedactionPolicy: (
        "redaction",
        lambda details, at: RedactionPolicy(
            data_type=PersonalDataType(details["data_type"]), redaction=Redaction(details["redaction"]), set_at=at
        ),
    ),
    RetentionPolicy: (
        "retention",
        lambda details, at: RetentionPolicy(
            name=details["name"],
            keep_days=details["keep_days"],
            kinds=[Kind(kind) for kind in details["kinds"]],
            classifications=[Classification(one) for one in details["classifications"]],
            set_at=at,
        ),
    ),
    LegalHold: ("hold", lambda details, at: LegalHold(**details, set_at=at)),
    Transfer: ("transfer", lambda details, at: Transfer(**details, set_at=at)),
    Erasure: (
        "erasure",
        lambda details, at: Erasure(**_with_targets(details), set_at=at),
    ),
    ErasedRuns: ("runs", lambda details, at: ErasedRuns(**details, set_at=at)),
}
_MAKERS: Mapping[str, Callable[[PolicyDetails, datetime], Policy]] = dict(_KINDS.values())
_FOUND: LiteralString = (
    'SELECT policies.id, policies.details, policies.set_at, scopes.tenant, scopes.project, scopes.agent, scopes."user"'
    " FROM policies JOIN scopes ON scopes.id = policies.scope WHERE policies.kind = :kind AND "
)
_ORDER: LiteralString = " ORDER BY policies.id, policies.scope"
_SEEN: LiteralString = _FOUND + "policies.scope = ANY(:visible)" + _ORDER
_OWN: LiteralString = _FOUND + "policies.scope = :scope" + _ORDER
_BENEATH: LiteralString = _FOUND + "{beneath}" + _ORDER
_AROUND: LiteralString = _FOUND + "(policies.scope = ANY(:visible) OR ({beneath}))" + _ORDER
_PUT: LiteralString = """
    INSERT INTO policies (scope, id, tenant, kind, details, set_at)
    VALUES (:scope, :id, :tenant, :kind, :details, :set_at)
    ON CONFLICT (scope, id) DO UPDATE SET details = excluded.details, set_at = excluded.set_at
"""


class SqlPolicies:
    """Policies of scopes; everyone whom one binds may see it, at any clearance."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def visible(self, kind: type[P]) -> list[P]:
        """Return policies of a kind that bind the exact scope, its own and those of wider scopes, by name."""
        return await self._found(_SEEN, kind)

    async def below(self, kind: type[P]) -> list[P]:
        """Return policies of a kind of the exact scope and of those under it, by name."""
        return await self._found(_BENEATH, kind, **scope_columns(self._connection.scope))

    async def around(self, kind: type[P]) -> list[P]:
        """Return policies of a kind that bind the exact scope, and those of the scopes under it, by name."""
        return await self._found(_AROUND, kind, **scope_columns(self._connection.scope))

    async def exact(self, kind: type[P]) -> list[P]:
        """Return policies of a kind of the exact scope alone, by name."""
        return await self._found(_OWN, kind)

    async def put(self, policy: Policy) -> None:
        """Set a policy of the exact scope, in place of the one with its name."""
        name, _ = _KINDS[type(policy)]
        values = {"id": policy.id, "kind": name, "details": _details(policy), "set_at": policy.set_at}

        await self._connection.write(_PUT, values)

    async def drop(self, unset: RemovedPolicy) -> bool:
        """Remove a policy of the exact scope; return False if there is none."""
        statement: LiteralString = "DELETE FROM policies WHERE scope = :scope AND id = :id"
        return bool(await self._connection.in_thread(lambda: self._connection.run(statement, {"id": unset.id})))

    async def _found(self, statement: LiteralString, kind: type[P], **values: object) -> list[P]:
        name, _ = _KINDS[kind]
        read = self._connection.dialect.reader(_COLUMNS)

        def made(row: Sequence[Any]) -> Policy:
            _, details, set_at, *scope = read(row)
            policy = policy_of(name, details, set_at=set_at)
            return replace(policy, scope=scope_of(scope)) if isinstance(policy, LegalHold | RetentionPolicy) else policy

        rows = await self._connection.ask(statement, {"kind": name, **values})
        found = undamaged(rows, made)
        if kind is LegalHold and len(found) < len(rows):
            raise StoreError(
                "a legal hold is damaged, and nothing is deleted until it can be read; run `remembrancer admin doctor`"
            )
        return [policy for policy in found if isinstance(policy, kind)]


def policy_of(kind: str, details: PolicyDetails, *, set_at: datetime) -> Policy:
    """Return a policy from its stored details.

    Raises:
        LookupError, TypeError, ValueError: the details are damaged.
    """
    return _MAKERS[kind](details, set_at)


def _with_targets(details: PolicyDetails) -> dict[str, Any]:
    return {**details, "targets": [Scope(**one) for one in details["targets"]]}


def _details(policy: Policy) -> PolicyDetails:
    match policy:
        case RedactionPolicy():
            return {"data_type": policy.data_type.value, "redaction": policy.redaction.value}
        case RetentionPolicy() | LegalHold() | Erasure() | ErasedRuns() | Transfer():
            return {name: value for name, value in asdict(policy).items() if name not in ("set_at", "scope")}
