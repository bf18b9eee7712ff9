"""One transaction of one caller: a small collection a noun."""

from typing import Protocol

from remembrancer.storage.ports.archiving import Archiving
from remembrancer.storage.ports.audit import Audit
from remembrancer.storage.ports.blocks import Blocks
from remembrancer.storage.ports.calls import Calls
from remembrancer.storage.ports.changes import ChangeMarks
from remembrancer.storage.ports.chunks import Chunks
from remembrancer.storage.ports.episodes import Episodes
from remembrancer.storage.ports.erasing import Erasing
from remembrancer.storage.ports.facts import Facts
from remembrancer.storage.ports.injections import Injections
from remembrancer.storage.ports.keys import Keys
from remembrancer.storage.ports.logs import Logs
from remembrancer.storage.ports.messages import Messages
from remembrancer.storage.ports.nights import Nights
from remembrancer.storage.ports.observations import Observations
from remembrancer.storage.ports.policies import Policies
from remembrancer.storage.ports.procedures import Procedures
from remembrancer.storage.ports.readings import Readings
from remembrancer.storage.ports.records import Records
from remembrancer.storage.ports.rejections import Rejections
from remembrancer.storage.ports.requests import Requests
from remembrancer.storage.ports.sessions import Sessions
from remembrancer.storage.ports.standings import Standings
from remembrancer.storage.ports.texts import Texts
from remembrancer.storage.ports.upkeep import Upkeep
from remembrancer.storage.ports.vectors import Vectors
from remembrancer.storage.ports.verdicts import Verdicts
from remembrancer.storage.ports.versions import Versions
from remembrancer.storage.ports.weights import Weights
from remembrancer.storage.ports.wordings import Wordings
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope


class Tx(Protocol):
    """One transaction of one caller, in its scope."""

    @property
    def caller(self) -> Caller:
        """The caller of the transaction: what is closed to it reads as absent."""
        ...

    def engine(self) -> "Tx":
        """The same transaction, to which no classification is closed.

        For what follows from a write without the caller's being told of it; what is told goes through the caller's own.
        """
        ...

    async def at(self, caller: Caller) -> "Tx":
        """The same transaction for a caller in another scope of the tenant, whose writers it keeps waiting, too.

        So that no two such transactions wait for each other, scopes are taken in the order of `Scope.visible`.
        """
        ...

    @property
    def scope(self) -> Scope:
        """The exact scope: what it sees is readable, it alone is writable."""
        ...

    @property
    def erasing(self) -> Erasing:
        """All that is of the exact scope, for its erasure."""
        ...

    @property
    def archiving(self) -> Archiving:
        """The memories of the exact scope whole, for archives."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Sessions: conversations and runs."""
        ...

    @property
    def chunks(self) -> Chunks:
        """Runs of messages that were observed."""
        ...

    @property
    def logs(self) -> Logs:
        """What an agent reads of its past, in numbers."""
        ...

    @property
    def injections(self) -> Injections:
        """What was put before agents."""
        ...

    @property
    def nights(self) -> Nights:
        """Nights: the nightly runs."""
        ...

    @property
    def verdicts(self) -> Verdicts:
        """Verdicts: what people have said of observations."""
        ...

    @property
    def rejections(self) -> Rejections:
        """Rejections: what people have said is wrong, by its words."""
        ...

    @property
    def standings(self) -> Standings:
        """How memories stand."""
        ...

    @property
    def weights(self) -> Weights:
        """What outcomes of sessions have done."""
        ...

    @property
    def records(self) -> Records:
        """Memories."""
        ...

    @property
    def messages(self) -> Messages:
        """Messages: what was said."""
        ...

    @property
    def observations(self) -> Observations:
        """Observations and reflections: what was claimed, noted and concluded."""
        ...

    @property
    def episodes(self) -> Episodes:
        """Episodes: what was done."""
        ...

    @property
    def facts(self) -> Facts:
        """Facts: what holds."""
        ...

    @property
    def procedures(self) -> Procedures:
        """Procedures: how to behave."""
        ...

    @property
    def versions(self) -> Versions:
        """How records read before."""
        ...

    @property
    def wordings(self) -> Wordings:
        """What the indexes hold of records."""
        ...

    @property
    def texts(self) -> Texts:
        """The text index."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The vectors."""
        ...

    @property
    def keys(self) -> Keys:
        """Idempotency keys."""
        ...

    @property
    def requests(self) -> Requests:
        """Requests that are done once, by their idempotency keys."""
        ...

    @property
    def policies(self) -> Policies:
        """Policies of the scopes that are seen: what operators have set."""
        ...

    @property
    def changes(self) -> ChangeMarks:
        """Whether any memory changed since some time."""
        ...

    @property
    def readings(self) -> Readings:
        """Conversations that were imported."""
        ...

    @property
    def calls(self) -> Calls:
        """The ledger of model calls."""
        ...

    @property
    def blocks(self) -> Blocks:
        """What served blocks spared."""
        ...

    @property
    def audit(self) -> Audit:
        """The audit log."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Faults of the store."""
        ...
