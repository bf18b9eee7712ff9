"""A transaction of one caller, with a small collection for each noun; a collection is made when it is first used."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from remembrancer.storage.archives import SqlArchives
from remembrancer.storage.audit import SqlAudit
from remembrancer.storage.erasure import SqlErasure
from remembrancer.storage.feedback import SqlRejections, SqlScores, SqlVerdicts, SqlWeights
from remembrancer.storage.idempotency import SqlKeys, SqlRequests
from remembrancer.storage.imports import SqlImports
from remembrancer.storage.indexed_documents import IndexedDocuments
from remembrancer.storage.kinds import SqlEpisodes, SqlFacts, SqlMessages, SqlObservations, SqlProcedures
from remembrancer.storage.maintenance import SqlChanges, SqlMaintenanceRuns, SqlUpkeep
from remembrancer.storage.policies import SqlPolicies
from remembrancer.storage.records import SqlRecords
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.sessions import SqlChunks, SqlLogs, SqlSessions
from remembrancer.storage.text_index import TextIndex, TextIndexWriter
from remembrancer.storage.usage import SqlBlocks, SqlCalls, SqlInjections
from remembrancer.storage.vectors import Vectors
from remembrancer.storage.versions import SqlVersions
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """The indexes of one kind of database, each made for one connection."""

    writer: Callable[[ScopedConnection], TextIndexWriter]
    text_index: Callable[[ScopedConnection], TextIndex]
    vectors: Callable[[ScopedConnection], Vectors]
    documents: Callable[[ScopedConnection], IndexedDocuments]


class Tx:
    """One transaction of one caller, in its scope."""

    def __init__(self, connection: ScopedConnection, indexes: Indexes, secret: bytes) -> None:
        self._connection = connection
        self._indexes = indexes
        self._secret = secret

    @property
    def caller(self) -> Caller:
        """The caller: closed records are absent for it."""
        return self._connection.caller

    @property
    def scope(self) -> Scope:
        """The exact scope: it alone is writable; it and wider ones are readable."""
        return self._connection.scope

    @property
    def exists(self) -> bool:
        """False if the exact scope was never written to, or was erased."""
        return self._connection.exact >= 0

    def engine(self) -> "Tx":
        """Return the same transaction for the engine, which sees every classification.

        For what follows from a write without the caller's knowledge; answers to the caller go through the caller's
        own.
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
        """Chunks of observed messages."""
        return SqlChunks(self._connection)

    @cached_property
    def logs(self) -> SqlLogs:
        """Headers of the logs that agents read."""
        return SqlLogs(self._connection)

    @cached_property
    def messages(self) -> SqlMessages:
        """Messages."""
        return SqlMessages(self._connection)

    @cached_property
    def observations(self) -> SqlObservations:
        """Observations and reflections."""
        return SqlObservations(self._connection)

    @cached_property
    def episodes(self) -> SqlEpisodes:
        """Episodes."""
        return SqlEpisodes(self._connection)

    @cached_property
    def facts(self) -> SqlFacts:
        """Facts."""
        return SqlFacts(self._connection)

    @cached_property
    def procedures(self) -> SqlProcedures:
        """Procedures."""
        return SqlProcedures(self._connection)

    @cached_property
    def records(self) -> SqlRecords:
        """Records of all kinds."""
        return SqlRecords(self._connection, self._index)

    @cached_property
    def versions(self) -> SqlVersions:
        """Former states of records."""
        return SqlVersions(self._connection)

    @cached_property
    def keys(self) -> SqlKeys:
        """Idempotency keys."""
        return SqlKeys(self._connection)

    @cached_property
    def requests(self) -> SqlRequests:
        """Requests with an idempotency key."""
        return SqlRequests(self._connection)

    @cached_property
    def imports(self) -> SqlImports:
        """Imported conversations."""
        return SqlImports(self._connection)

    @cached_property
    def calls(self) -> SqlCalls:
        """The ledger of model calls."""
        return SqlCalls(self._connection)

    @cached_property
    def blocks(self) -> SqlBlocks:
        """Savings of served blocks."""
        return SqlBlocks(self._connection)

    @cached_property
    def injections(self) -> SqlInjections:
        """Memories that were injected into prompts."""
        return SqlInjections(self._connection)

    @cached_property
    def maintenance_runs(self) -> SqlMaintenanceRuns:
        """Nightly runs."""
        return SqlMaintenanceRuns(self._connection)

    @cached_property
    def verdicts(self) -> SqlVerdicts:
        """Verdicts of people on observations."""
        return SqlVerdicts(self._connection)

    @cached_property
    def rejections(self) -> SqlRejections:
        """Rejected texts."""
        return SqlRejections(self._connection)

    @cached_property
    def weights(self) -> SqlWeights:
        """Changes of feedback weights."""
        return SqlWeights(self._connection)

    @cached_property
    def scores(self) -> SqlScores:
        """Scores of memories."""
        return SqlScores(self._connection)

    @cached_property
    def upkeep(self) -> SqlUpkeep:
        """Faults of the store."""
        return SqlUpkeep(self._connection, self._index)

    @cached_property
    def changes(self) -> SqlChanges:
        """The counter of changes."""
        return SqlChanges(self._connection)

    @cached_property
    def policies(self) -> SqlPolicies:
        """Policies of operators."""
        return SqlPolicies(self._connection)

    @cached_property
    def erasure(self) -> SqlErasure:
        """All rows of the exact scope, for erasure."""
        return SqlErasure(self._connection)

    @cached_property
    def archives(self) -> SqlArchives:
        """The memories of the exact scope, for archives."""
        return SqlArchives(self._connection, self._index)

    @cached_property
    def audit(self) -> SqlAudit:
        """The audit log."""
        return SqlAudit(self._connection, self._secret)

    @cached_property
    def text_index(self) -> TextIndex:
        """The text index."""
        return self._indexes.text_index(self._connection)

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors."""
        return self._indexes.vectors(self._connection)

    @cached_property
    def documents(self) -> IndexedDocuments:
        """The indexed documents."""
        return self._indexes.documents(self._connection)

    @cached_property
    def _index(self) -> TextIndexWriter:
        return self._indexes.writer(self._connection)
