"""A transaction of one caller, with a small collection for each noun; a collection is made when it is first used."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from remembrancer.storage.archiving import SqlArchiving
from remembrancer.storage.audit import SqlAudit
from remembrancer.storage.blocks import SqlBlocks
from remembrancer.storage.calls import SqlCalls
from remembrancer.storage.changes import SqlChanges
from remembrancer.storage.chunks import SqlChunks, SqlLogs
from remembrancer.storage.episodes import SqlEpisodes
from remembrancer.storage.erasing import SqlErasing
from remembrancer.storage.facts import SqlFacts, SqlProcedures
from remembrancer.storage.injections import SqlInjections
from remembrancer.storage.keys import SqlKeys
from remembrancer.storage.messages import SqlMessages
from remembrancer.storage.nights import SqlNights
from remembrancer.storage.observations import SqlObservations
from remembrancer.storage.policies import SqlPolicies
from remembrancer.storage.readings import SqlReadings
from remembrancer.storage.records import SqlRecords
from remembrancer.storage.rejections import SqlRejections
from remembrancer.storage.requests import SqlRequests
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.sessions import SqlSessions
from remembrancer.storage.standings import SqlStandings
from remembrancer.storage.texts import Index, Texts
from remembrancer.storage.upkeep import SqlUpkeep
from remembrancer.storage.vectors import Vectors
from remembrancer.storage.verdicts import SqlVerdicts
from remembrancer.storage.versions import SqlVersions
from remembrancer.storage.weights import SqlWeights
from remembrancer.storage.wordings import Wordings
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """The indexes of one kind of database, each made for one connection."""

    writer: Callable[[ScopedConnection], Index]
    texts: Callable[[ScopedConnection], Texts]
    vectors: Callable[[ScopedConnection], Vectors]
    wordings: Callable[[ScopedConnection], Wordings]


class Tx:
    """One transaction of one caller, in its scope."""

    def __init__(self, connection: ScopedConnection, indexes: Indexes, secret: bytes) -> None:
        self._connection = connection
        self._indexes = indexes
        self._secret = secret

    @property
    def caller(self) -> Caller:
        """The caller of the transaction: what is closed to it reads as absent."""
        return self._connection.caller

    @property
    def scope(self) -> Scope:
        """The exact scope: what it sees is readable, it alone is writable."""
        return self._connection.scope

    def engine(self) -> "Tx":
        """Return the same transaction, to which no classification is closed.

        For what follows from a write without the caller's knowledge; answers to the caller go through the caller's own.
        """
        return self if self.caller.sees_as_engine else Tx(self._connection.engine(), self._indexes, self._secret)

    async def at(self, caller: Caller) -> "Tx":
        """Return the same transaction for a caller in another scope of the tenant, whose writers wait for it, too.

        So that no two such transactions wait for each other, lock scopes in the order of `Scope.visible`.
        """
        connection = await self._connection.in_thread(lambda: self._connection.at(caller))
        return Tx(connection, self._indexes, self._secret)

    @cached_property
    def sessions(self) -> SqlSessions:
        """Sessions: conversations and runs."""
        return SqlSessions(self._connection)

    @cached_property
    def chunks(self) -> SqlChunks:
        """Runs of messages that were observed."""
        return SqlChunks(self._connection)

    @cached_property
    def logs(self) -> SqlLogs:
        """What an agent reads of its past, in numbers."""
        return SqlLogs(self._connection)

    @cached_property
    def messages(self) -> SqlMessages:
        """Messages: what was said."""
        return SqlMessages(self._connection)

    @cached_property
    def observations(self) -> SqlObservations:
        """Observations and reflections: what was claimed, noted and concluded."""
        return SqlObservations(self._connection)

    @cached_property
    def episodes(self) -> SqlEpisodes:
        """Episodes: what was done."""
        return SqlEpisodes(self._connection)

    @cached_property
    def facts(self) -> SqlFacts:
        """Facts: what holds."""
        return SqlFacts(self._connection)

    @cached_property
    def procedures(self) -> SqlProcedures:
        """Procedures: how to behave."""
        return SqlProcedures(self._connection)

    @cached_property
    def records(self) -> SqlRecords:
        """Memories."""
        return SqlRecords(self._connection, self._index)

    @cached_property
    def versions(self) -> SqlVersions:
        """How records read before."""
        return SqlVersions(self._connection)

    @cached_property
    def keys(self) -> SqlKeys:
        """Idempotency keys."""
        return SqlKeys(self._connection)

    @cached_property
    def requests(self) -> SqlRequests:
        """Requests that are done once, by their idempotency keys."""
        return SqlRequests(self._connection)

    @cached_property
    def readings(self) -> SqlReadings:
        """Conversations that were imported."""
        return SqlReadings(self._connection)

    @cached_property
    def calls(self) -> SqlCalls:
        """The ledger of model calls."""
        return SqlCalls(self._connection)

    @cached_property
    def blocks(self) -> SqlBlocks:
        """What served blocks spared."""
        return SqlBlocks(self._connection)

    @cached_property
    def injections(self) -> SqlInjections:
        """What was put before agents."""
        return SqlInjections(self._connection)

    @cached_property
    def nights(self) -> SqlNights:
        """Nights: the nightly runs."""
        return SqlNights(self._connection)

    @cached_property
    def verdicts(self) -> SqlVerdicts:
        """Verdicts: what people have said of observations."""
        return SqlVerdicts(self._connection)

    @cached_property
    def rejections(self) -> SqlRejections:
        """Rejections: what people have said is wrong, by its words."""
        return SqlRejections(self._connection)

    @cached_property
    def weights(self) -> SqlWeights:
        """What outcomes of sessions have done."""
        return SqlWeights(self._connection)

    @cached_property
    def standings(self) -> SqlStandings:
        """How memories stand."""
        return SqlStandings(self._connection)

    @cached_property
    def upkeep(self) -> SqlUpkeep:
        """Faults of the store."""
        return SqlUpkeep(self._connection, self._index)

    @cached_property
    def changes(self) -> SqlChanges:
        """Whether any memory changed since some time."""
        return SqlChanges(self._connection)

    @cached_property
    def policies(self) -> SqlPolicies:
        """Policies of the scopes that are seen: what operators have set."""
        return SqlPolicies(self._connection)

    @cached_property
    def erasing(self) -> SqlErasing:
        """All that is of the exact scope, for its erasure."""
        return SqlErasing(self._connection)

    @cached_property
    def archiving(self) -> SqlArchiving:
        """The memories of the exact scope whole, for archives."""
        return SqlArchiving(self._connection, self._index)

    @cached_property
    def audit(self) -> SqlAudit:
        """The audit log."""
        return SqlAudit(self._connection, self._secret)

    @cached_property
    def texts(self) -> Texts:
        """The text index."""
        return self._indexes.texts(self._connection)

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors."""
        return self._indexes.vectors(self._connection)

    @cached_property
    def wordings(self) -> Wordings:
        """The indexed documents."""
        return self._indexes.wordings(self._connection)

    @cached_property
    def _index(self) -> Index:
        return self._indexes.writer(self._connection)
