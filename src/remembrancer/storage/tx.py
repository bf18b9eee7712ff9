"""The collections of a transaction that are written once for both databases."""

from remembrancer.storage.archiving import StoredArchiving
from remembrancer.storage.audit import StoredAudit
from remembrancer.storage.blocks import StoredBlocks
from remembrancer.storage.calls import StoredCalls
from remembrancer.storage.changes import StoredChanges
from remembrancer.storage.chunks import StoredChunks, StoredLogs
from remembrancer.storage.episodes import StoredEpisodes
from remembrancer.storage.erasing import StoredErasing
from remembrancer.storage.facts import StoredFacts, StoredProcedures
from remembrancer.storage.injections import StoredInjections
from remembrancer.storage.keys import StoredKeys
from remembrancer.storage.messages import StoredMessages
from remembrancer.storage.nights import StoredNights
from remembrancer.storage.observations import StoredObservations
from remembrancer.storage.policies import StoredPolicies
from remembrancer.storage.readings import StoredReadings
from remembrancer.storage.records import Index, StoredRecords
from remembrancer.storage.rejections import StoredRejections
from remembrancer.storage.requests import StoredRequests
from remembrancer.storage.sessions import StoredSessions
from remembrancer.storage.shard import Shard
from remembrancer.storage.standings import StoredStandings
from remembrancer.storage.upkeep import StoredUpkeep
from remembrancer.storage.verdicts import StoredVerdicts
from remembrancer.storage.versions import StoredVersions
from remembrancer.storage.weights import StoredWeights


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
