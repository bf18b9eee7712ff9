"""The collections of a transaction that are written once for both databases."""

from remembrancer.stores.archiving import StoredArchiving
from remembrancer.stores.audit import StoredAudit
from remembrancer.stores.blocks import StoredBlocks
from remembrancer.stores.calls import StoredCalls
from remembrancer.stores.changes import StoredChanges
from remembrancer.stores.chunks import StoredChunks, StoredLogs
from remembrancer.stores.episodes import StoredEpisodes
from remembrancer.stores.erasing import StoredErasing
from remembrancer.stores.facts import StoredFacts, StoredProcedures
from remembrancer.stores.injections import StoredInjections
from remembrancer.stores.keys import StoredKeys
from remembrancer.stores.messages import StoredMessages
from remembrancer.stores.nights import StoredNights
from remembrancer.stores.observations import StoredObservations
from remembrancer.stores.policies import StoredPolicies
from remembrancer.stores.readings import StoredReadings
from remembrancer.stores.records import Index, StoredRecords
from remembrancer.stores.rejections import StoredRejections
from remembrancer.stores.requests import StoredRequests
from remembrancer.stores.sessions import StoredSessions
from remembrancer.stores.shard import Shard
from remembrancer.stores.standings import StoredStandings
from remembrancer.stores.upkeep import StoredUpkeep
from remembrancer.stores.verdicts import StoredVerdicts
from remembrancer.stores.versions import StoredVersions
from remembrancer.stores.weights import StoredWeights


class StoredTx:
    """What transactions of every store have in common; see `ports.tx.Tx`."""

    def __init__(self, shard: Shard, index: Index, secret: bytes) -> None:
        self.caller = shard.caller
        self.scope = shard.scope
        self.sessions = StoredSessions(shard)
        self.chunks = StoredChunks(shard)
        self.logs = StoredLogs(shard)
        self.messages = StoredMessages(shard)
        self.observations = StoredObservations(shard)
        self.episodes = StoredEpisodes(shard)
        self.facts = StoredFacts(shard)
        self.procedures = StoredProcedures(shard)
        self.versions = StoredVersions(shard)
        self.keys = StoredKeys(shard)
        self.requests = StoredRequests(shard)
        self.readings = StoredReadings(shard)
        self.calls = StoredCalls(shard)
        self.blocks = StoredBlocks(shard)
        self.injections = StoredInjections(shard)
        self.nights = StoredNights(shard)
        self.verdicts = StoredVerdicts(shard)
        self.rejections = StoredRejections(shard)
        self.weights = StoredWeights(shard)
        self.standings = StoredStandings(shard)
        self.records = StoredRecords(shard, index)
        self.upkeep = StoredUpkeep(shard, index)
        self.changes = StoredChanges(shard)
        self.policies = StoredPolicies(shard)
        self.erasing = StoredErasing(shard)
        self.archiving = StoredArchiving(shard, index)
        self.audit = StoredAudit(shard, secret)
