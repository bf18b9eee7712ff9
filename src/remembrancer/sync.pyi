"""The types of `sync.py`; made by tests/policy/sync_stub.py, do not edit."""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Literal, Self, Unpack, overload

from anyio.from_thread import BlockingPortal

from remembrancer.context.citations import Answer
from remembrancer.context.conversations import ConversationStats
from remembrancer.context.reply import Reply, TaskResult
from remembrancer.context.report import Context
from remembrancer.context.request import ContextRequest
from remembrancer.context.working_memory import WorkingMemory
from remembrancer.ingest.file_import import ImportedFile
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import Imported
from remembrancer.jobs.doctor import Diagnosis
from remembrancer.jobs.maintenance.context import ProgressCallback
from remembrancer.learn.rules import Refused
from remembrancer.learn.sessions import Started
from remembrancer.llm.budget import Costs
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.reranker import Reranker
from remembrancer.memory import Memory
from remembrancer.open import OpenOptions
from remembrancer.privacy.bulk_deletion import Deletion, Restoration
from remembrancer.privacy.checkpoints import Verified
from remembrancer.privacy.retention import Retained
from remembrancer.resources.admin import BackgroundState, Stats
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.folder_sync import FolderSync
from remembrancer.resources.memories import Evidence
from remembrancer.resources.redactions import EffectiveRedaction
from remembrancer.resources.retention import DeletedRecord, ExpiredRecord
from remembrancer.resources.transfers import GrantedTransfer
from remembrancer.search.embedding import Progress
from remembrancer.search.query import Explanation, RecallRequest, RecallResult, SearchTrace
from remembrancer.search.timeline import TimelineDiff, TimelineWindow
from remembrancer.types.access import AccessKey, Caller, CreatedKey
from remembrancer.types.archive import ArchiveSummary, ImportResult
from remembrancer.types.audit import AuditFilter, AuditRow, Checkpoint
from remembrancer.types.budget import Budget
from remembrancer.types.episode import Attributes
from remembrancer.types.erasure import ErasurePlan, Mention, Overview, Receipt
from remembrancer.types.feedback import ScoreParts, WeightChange
from remembrancer.types.filter import Filter
from remembrancer.types.graph import EntityPage, EntityRelation, NamedEntity, Neighbourhood
from remembrancer.types.jobs import Job, MaintenancePreview, MaintenanceRun
from remembrancer.types.new import Changes, NewEpisode, NewKey, NewMessage, NewObservation, NewSignal
from remembrancer.types.notes import Chunk
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Episode, Fact, Message, Metadata, Observation, Record, Rule, Signal
from remembrancer.types.results import Page, Saved, Version
from remembrancer.types.scope import Scope
from remembrancer.types.session import Injection, Session

class SyncConversation:
    session: str
    def __init__(self, memory: SyncMemory, session: str) -> None: ...
    def _open(self) -> Conversation: ...
    def add(
        self,
        message: str | NewMessage,
        role: str = "user",
        *,
        speaker: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        trust: str | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record a message in this session; see `Memory.record`. It does not wait for a model."""
    def context(
        self,
        question: str | ContextRequest = "",
        *,
        task: str = "",
        budget: Budget | None = None,
        contact: str | None = None,
        format: str = "markdown",
        as_of: datetime | None = None,
    ) -> Context:
        """Return the context of the next turn; see `Memory.context`."""
    def reply(self, text: str, *, speaker: str = "", instructions: str = "") -> Reply:
        """Record a message and the answer of the configured model; see `Sessions.reply`."""
    def observe(self) -> int:
        """Observe all unobserved messages; see `Notes.observe`."""
    def stats(self) -> ConversationStats:
        """Return statistics of the conversation; see `Sessions.stats`."""

class SyncResource:
    memory: SyncMemory
    def __init__(self, memory: SyncMemory) -> None: ...

class SyncSearchIndex(SyncResource):
    @property
    def has_embedder(self) -> bool:
        """True if an embedder is configured."""
    def embed(self, *, progress: Progress = ...) -> int:
        """Make all missing vectors, and return their number."""
    def embed_soon(self) -> int:
        """Make some missing vectors of this scope, for callers that close the memory soon. Errors are ignored."""
    def missing(self) -> int:
        """Return the number of texts in the store without a vector of the embedder."""
    def reembed(self, *, progress: Progress = ...) -> int:
        """Make new vectors next to the old ones, switch to them, and return their number."""
    def rebuild(self, *, progress: Progress = ..., vectors: bool = True) -> int:
        """Rebuild the text index of the whole store, and return the number of its texts."""

class SyncMaintenance(SyncResource):
    def run(self, *, progress: ProgressCallback = ...) -> MaintenanceRun:
        """Run the remaining steps of the maintenance of this scope for the latest due day."""
    def dry_run(self) -> MaintenancePreview:
        """Return the expected result of the maintenance of this scope. Nothing is changed, and no model is called."""
    def list(self, *, limit: int = 30) -> Sequence[MaintenanceRun]:
        """Return the maintenance runs of this scope, latest first."""
    def latest(self) -> MaintenanceRun | None:
        """Return the latest maintenance run of this scope, or `None`."""

class SyncJobs(SyncResource):
    def start(self, work: str, *, file: ChatFile | None = None, skip_bad: bool = False) -> Job:
        """Start a job without waiting for its end. It ends with the process that opened this memory."""
    def list(self, *, limit: int = 20) -> Sequence[Job]:
        """Return the jobs of this scope, latest first. They are deleted after 30 days."""
    def get(self, id: str) -> Job:
        """Return the state of a job."""
    def cancel(self, id: str) -> Job:
        """Cancel a job. Its results so far are kept. A finished job is not changed."""

class SyncKeys(SyncResource):
    def create(
        self,
        key: str | NewKey,
        *,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        clearance: str | None = None,
        rights: Sequence[str] = ...,
        days: float | None = None,
    ) -> CreatedKey:
        """Create an access key for this scope or one within it. Only this result contains its token."""
    def list(self, *, tenant: str | None = None) -> Sequence[AccessKey]:
        """Return the access keys of this scope and of scopes within it, oldest first, with revoked and expired ones."""
    def rotate(self, id: str, *, tenant: str | None = None) -> CreatedKey:
        """Replace the token of an access key. Only this result contains the new token; the old one expires in a second."""
    def revoke(self, id: str, *, tenant: str | None = None) -> AccessKey:
        """Revoke an access key. It expires within a second."""

class SyncAdmin(SyncResource):
    @property
    def keys(self) -> SyncKeys: ...
    @property
    def jobs(self) -> SyncJobs: ...
    @property
    def maintenance(self) -> SyncMaintenance: ...
    @property
    def index(self) -> SyncSearchIndex: ...
    def stats(self) -> Stats:
        """Return statistics of the scope."""
    def scopes(self, *, part: str = "", limit: int = 100) -> Sequence[Scope]:
        """Return this scope and the scopes under it that have memories, oldest first."""
    def tenants(self) -> Sequence[str]:
        """Return the tenants of the store that have memories, by name."""
    def costs(self, *, days: int = 30) -> Costs:
        """Return the daily costs of language models, latest first, with budgets and savings."""
    def background(self) -> BackgroundState:
        """Return the state of background work: due work, work in progress, failing models and failing maintenance."""
    def flush(self) -> None:
        """Write buffered entries of recent reads now, instead of in the background."""
    def doctor(self, *, repair: bool = False, accept_losses: bool = False) -> Sequence[Diagnosis]:
        """Check the whole store, and return its faults."""

class SyncTransfers(SyncResource):
    def grant(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Grant a transfer of a project's observations to another project, and copy the existing ones."""
    def revoke(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Revoke a transfer, and erase its copies."""
    def list(self) -> Sequence[GrantedTransfer]:
        """Return the transfers of this tenant, sorted by project."""

class SyncArchives(SyncResource):
    def export(
        self,
        *,
        form: str = "jsonl",
        kinds: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        all_scopes: bool = False,
    ) -> Generator[str, None, None]:
        """Stream the memories that the caller sees as text, newest first, to read or to import in another store."""
    def report(self, user: str, *, person: str | None = None, form: str = "markdown") -> Generator[str, None, None]:
        """Stream a report of all memories of a user, with evidence, earlier versions and disclosures."""
    def stream(self, *, passphrase: str, progress: Callable[[int], None] | None = None) -> Generator[bytes, None, None]:
        """Stream an archive of this scope and of scopes under it, encrypted with a passphrase."""
    def create(
        self, path: str | PathLike[str], *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> ArchiveSummary:
        """Write an archive of this scope and of scopes under it to a new file, encrypted with a passphrase."""
    def check(self, path: str | PathLike[str], *, passphrase: str) -> ArchiveSummary:
        """Read and verify a whole archive, and return its content in numbers. Nothing is imported."""
    def import_archive(
        self, path: str | PathLike[str], *, passphrase: str, reason: str, progress: Callable[[int], None] | None = None
    ) -> ImportResult:
        """Import an archive in one transaction. Of memories that exist, the later version becomes current."""

class SyncAuditLog(SyncResource):
    def verify(self, against: Checkpoint | None = None) -> Verified:
        """Verify that no entry of the audit log of this tenant was changed, moved or removed."""
    def checkpoint(self) -> Checkpoint:
        """Return a signed checkpoint of the audit log of this tenant, to store in another place."""
    def list(self, filter: AuditFilter | None = None, *, limit: int = 100) -> Sequence[AuditRow]:
        """Return the entries of this scope and of scopes under it, latest first."""

class SyncErasures(SyncResource):
    def plan(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        tenant: str | None = None,
        session: str | None = None,
        memories: Sequence[str] = (),
    ) -> ErasurePlan:
        """Return the plan of an erasure: its rows, and legal holds that forbid it. Nothing is changed."""
    def erase(
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
        """Permanently erase a user, agent, project, tenant, session or memories, and return a signed receipt."""
    def find_mentions(self, person: str, *, limit: int = 100) -> Sequence[Mention]:
        """Return memories of this scope and of scopes under it that mention a person, for review before an erasure."""
    def receipts(self, *, subject: str | None = None, name: str | None = None, limit: int = 100) -> Sequence[Receipt]:
        """Return the receipts of erasures in this scope and in scopes under it, latest first."""

class SyncRetention(SyncResource):
    def set(
        self, name: str, *, keep_days: int, kinds: Sequence[str] = (), classifications: Sequence[str] = ()
    ) -> Sequence[RetentionPolicy]:
        """Set a policy that deletes memories a number of days after their recording."""
    def unset(self, name: str) -> Sequence[RetentionPolicy]:
        """Remove a policy of this exact scope."""
    def find_expired(self, *, limit: int = 100) -> Sequence[ExpiredRecord]:
        """Return the memories of this scope and of scopes under it that the next nightly run deletes."""
    def list_soft_deleted(self, *, limit: int = 100) -> Sequence[DeletedRecord]:
        """Return the deleted memories of this scope and of scopes under it that can be restored."""
    def soft_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Delete memories of this exact scope, and return their number. They can be restored for 30 days."""
    def hard_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Permanently remove deleted memories of this exact scope now, and return their number."""
    def is_accessible(self, id: str) -> bool:
        """Return True if the caller can read a memory: it exists, is not deleted, and is open to the caller."""
    def run(self, *, dry_run: bool = False) -> Retained:
        """Delete due memories of this scope and of scopes under it, and remove old deleted ones, as each night."""
    def list(self) -> Sequence[RetentionPolicy]:
        """Return the policies of this scope and of wider ones; for operators also those of scopes under it."""

class SyncHolds(SyncResource):
    def place(
        self, name: str, *, reason: str, session: str | None = None, person: str | None = None
    ) -> Sequence[LegalHold]:
        """Place a legal hold, which forbids all deletion in this scope and in scopes under it."""
    def release(self, name: str, *, reason: str) -> Sequence[LegalHold]:
        """Release a legal hold of this exact scope."""
    def list(self) -> Sequence[LegalHold]:
        """Return the legal holds on this scope, on wider ones, and on scopes under it."""

class SyncRedactions(SyncResource):
    def set(self, data_type: str, redaction: str) -> Sequence[EffectiveRedaction]:
        """Set the redaction of a type of personal data in new texts of this scope and of scopes under it."""
    def unset(self, data_type: str) -> Sequence[EffectiveRedaction]:
        """Remove the redaction of a type of personal data from this exact scope."""
    def list(self) -> Sequence[EffectiveRedaction]:
        """Return the effective redaction of each type of personal data in this scope."""

class SyncGovernance(SyncResource):
    @property
    def redactions(self) -> SyncRedactions: ...
    @property
    def holds(self) -> SyncHolds: ...
    @property
    def retention(self) -> SyncRetention: ...
    @property
    def erasure(self) -> SyncErasures: ...
    @property
    def audit(self) -> SyncAuditLog: ...
    @property
    def archives(self) -> SyncArchives: ...
    @property
    def transfers(self) -> SyncTransfers: ...
    def classify(self, id: str, classification: str, *, reason: str) -> Record:
        """Change the classification of a memory, also to a lower one, and that of memories derived from it."""
    def overview(self) -> Overview:
        """Return an overview of this scope and of scopes under it: memories, due deletions, legal holds and audit."""

class SyncGraph(SyncResource):
    def entities(self, part: str = "", *, limit: int = 50) -> Sequence[NamedEntity]:
        """Return the entities whose name contains a text, those of the most memories first."""
    def entity(self, name: str, *, as_of: datetime | None = None, valid_at: datetime | None = None) -> EntityPage:
        """Return the relations of an entity, its other names, and the newest memories that name it."""
    def changes(self, name: str, since: datetime, *, until: datetime | None = None) -> Sequence[EntityRelation]:
        """Return the relations of an entity that began, ended or became known in a period, the latest change first."""
    def relations(
        self, *, limit: int = 1000, as_of: datetime | None = None, valid_at: datetime | None = None
    ) -> Sequence[EntityRelation]:
        """Return the relations that memories state, the latest first. Of many memories the newest 20,000 are read."""
    def neighbours(
        self,
        name: str,
        *,
        depth: int = 2,
        limit: int = 50,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Neighbourhood:
        """Return the entities around one, by valid relations."""
    def shortest_path(
        self, start: str, end: str, *, depth: int = 3, as_of: datetime | None = None, valid_at: datetime | None = None
    ) -> Sequence[EntityRelation]:
        """Return the valid relations of a shortest way between two entities; empty if there is none."""
    def export(self, form: str = ...) -> str:
        """Return the newest 10,000 relations and their entities as a text for other programs."""
    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        is_value: bool = False,
        ended: bool = False,
        since: datetime | None = None,
        text: str = "",
        evidence: Sequence[str] = (),
    ) -> Saved[Observation]:
        """Save an observation that declares a relation."""
    def merge(self, name: str, other: str, *, reason: str = "") -> Saved[Observation]:
        """Declare that two names are of one entity. `split` of the same names undoes it."""
    def split(self, name: str, other: str, *, memories: Sequence[str] = (), reason: str = "") -> Saved[Observation]:
        """Declare that two names are of different entities. `merge` of the same names undoes it."""

class SyncTimeline(SyncResource):
    def around(self, id: str, *, before: int = ..., after: int = ..., as_of: datetime | None = None) -> TimelineWindow:
        """Return the records before and after a memory in its session."""
    def between(
        self,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        as_of: datetime | None = None,
        all_scopes: bool = False,
    ) -> Page:
        """Return the memories between two times, newest first."""
    def diff(
        self, earlier: datetime, later: datetime, *, limit: int | None = None, all_scopes: bool = False
    ) -> TimelineDiff:
        """Return the memories that were added, changed and retired between two times."""
    def history(self, id: str | None = None, *, topic_key: str | None = None) -> Sequence[Version]:
        """Return all versions of a memory, oldest first."""

class SyncScores(SyncResource):
    def get(self, id: str) -> ScoreParts:
        """Return the score of a memory and its parts."""
    def history(self, id: str) -> Sequence[WeightChange]:
        """Return the changes of a memory's feedback weight by outcomes of sessions, earliest first."""
    def rate(self, id: str, rating: float) -> ScoreParts:
        """Set the rating of a memory, from 0 to 1."""
    def boost(self, id: str, boost: float) -> ScoreParts:
        """Set the boost of a memory's score, from 0 to 1."""
    def pin(self, id: str) -> ScoreParts:
        """Pin a memory, so that its importance does not decay and it is not archived."""
    def unpin(self, id: str) -> ScoreParts:
        """Unpin a memory, so that its importance decays again."""

class SyncPatterns(SyncResource):
    def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Observation]:
        """Return the active patterns in the order of their detection."""
    def merge(self, into: str, other: str) -> Observation:
        """Merge the observation `other` into `into`; `other` is no longer recalled."""
    def pause(self, id: str) -> Observation | Fact:
        """Exclude an observation or a fact from recall and contexts until it is resumed."""
    def resume(self, id: str) -> Observation | Fact:
        """Make a paused or retired observation or fact active again."""
    def retire(self, id: str) -> Observation | Fact:
        """Retire an observation or a fact. It is kept, and not detected again."""

class SyncRules(SyncResource):
    def add(
        self,
        rule: str,
        *,
        author: str = "",
        classification: str | None = None,
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Rule:
        """Add a rule for the agents of a scope."""
    def edit(self, id: str, rule: str, *, revision: int | None = None) -> Rule:
        """Change the text of a rule; the earlier version is kept."""
    def pause(self, id: str) -> Rule:
        """Exclude a rule until it is resumed."""
    def resume(self, id: str) -> Rule:
        """Make a paused rule active again."""
    def retire(self, id: str) -> Rule:
        """Retire a rule; it is kept."""
    def refused(self) -> list[Refused]:
        """Return the candidates for rules that were refused, each with the reason."""
    def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Rule]:
        """Return the active rules that the scope sees, oldest first."""

class SyncFacts(SyncResource):
    def set(
        self,
        key: str,
        value: object,
        *,
        category: str = "profile",
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        author: str = "",
        source: str = "tool",
        classification: str | None = None,
    ) -> Saved[Fact]:
        """Set the fact of a key from a time on. The earlier fact ends at that time, and stays in the history."""
    def get(self, key: str, *, at: datetime | None = None, as_of: datetime | None = None) -> Fact:
        """Return the fact of a key that is valid now or at a time, from the nearest scope."""
    def history(self, key: str) -> list[Fact]:
        """Return all facts of a key in this exact scope, latest first."""
    def end(self, key: str, *, at: datetime | None = None) -> Fact:
        """End the valid fact of a key; it stays in the history."""
    def list(
        self, *, category: str | None = None, at: datetime | None = None, as_of: datetime | None = None
    ) -> Sequence[Fact]:
        """Return the facts that are valid now or at a time, sorted by category and key, one per key."""

class SyncEpisodes(SyncResource):
    def record(
        self,
        episode: str | NewEpisode,
        *,
        event: str = "action_completed",
        outcome: str | None = None,
        contact: str = "",
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        key: str | None = None,
    ) -> Saved[Episode]:
        """Record an episode. The detector counts it at night; after 30 days it is summarised with its week."""
    def record_many(self, episodes: Sequence[NewEpisode]) -> list[Saved[Episode]]:
        """Record several episodes in one transaction."""
    def end_run(
        self,
        run: WorkingMemory,
        ended: str = "done",
        *,
        contact: str = "",
        session: str | None = None,
        summary: str = "",
    ) -> list[Saved[Episode]]:
        """Record the steps, approvals and end of a finished run as episodes."""
    def signal(
        self,
        signal: str | NewSignal,
        summary: str = "",
        *,
        contact: str = "",
        attributes: Attributes | None = None,
        session: str | None = None,
        occurred_at: datetime | None = None,
        key: str | None = None,
    ) -> Saved[Signal]:
        """Record feedback or behaviour without an episode. The detector counts it."""
    def restore(self, id: str) -> list[Episode]:
        """Replace a compact record by the episodes that it summarises, and return them."""
    def list(
        self,
        *,
        contact: str | None = None,
        tier: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        superseded: bool = False,
        limit: int = 20,
        as_of: datetime | None = None,
    ) -> Sequence[Episode]:
        """Return the episodes that the scope sees, latest first."""

class SyncNotes(SyncResource):
    def observe(self, session: str) -> int:
        """Observe all unobserved messages of a session, activate the notes, and return the number of chunks."""
    def reflect(self, session: str | None = None) -> int:
        """Consolidate the log of a session, or every log of the scope, and return the number of tokens saved."""
    def log(self, session: str) -> Sequence[Observation]:
        """Return the active notes on a conversation, observations and reflections, in the order of the log."""
    def of_chunk(self, session: str, first: int) -> Sequence[Observation]:
        """Return the notes on a chunk of messages, active or not, without those that a reflection replaced."""
    def chunks(self, session: str) -> Sequence[Chunk]:
        """Return the chunks of messages of a session that an observer has processed, in order."""
    def failed(self, *, limit: int = 50) -> Sequence[Chunk]:
        """Return the chunks that no model could observe, latest first. Contexts show their messages verbatim."""
    def in_review(self, *, limit: int = 50) -> Sequence[Chunk]:
        """Return the chunks whose notes wait for the approval of a person, latest first."""
    def drop(self, session: str, first: int) -> Chunk:
        """Remove a chunk from the failed ones without another attempt, and return it."""
    def retry(self, session: str, first: int) -> Chunk:
        """Observe a chunk of messages again, replace its notes, and return it with its new state."""
    def approve(self, session: str, first: int) -> Chunk:
        """Approve the notes on a chunk of messages in review; see the setting `observe_review`."""

class SyncSessions(SyncResource):
    def start(
        self, id: str | None = None, *, record: bool = True, max_tokens: int | None = None, record_access: bool = True
    ) -> Started:
        """Open a session, or resume an existing one."""
    def end(self, session: str) -> Session:
        """Close a session, and observe its last messages. A closed session is not changed."""
    def summarise(
        self,
        session: str,
        text: str,
        *,
        title: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Observation:
        """Store a summary of a session."""
    def stats(self, session: str) -> ConversationStats:
        """Return statistics of a conversation: verbatim messages, notes, and unobserved messages."""
    def messages(self, session: str, *, first: int = 1, last: int | None = None) -> Sequence[Message]:
        """Return messages of a session by number, oldest first. Deleted messages are left out."""
    def set_outcome(self, session: str, outcome: str) -> Sequence[WeightChange]:
        """Set the outcome of a session, which changes the feedback weights of the memories that the agent read in it."""
    def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """Return the injections of memories into the prompts of a session, latest first."""
    @property
    def has_model(self) -> bool:
        """True if a language model is configured for answers."""
    def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record a message, and return and record the answer of the configured model."""
    def reply_stream(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Generator[str | Reply, None, None]:
        """Stream a reply in pieces of text; the recorded `Reply` is the last item."""
    def execute(
        self,
        task: str,
        *,
        session: str | None = None,
        speaker: str = "",
        instructions: str = "",
        contact: str | None = None,
        reflect: bool = False,
        key: str | None = None,
    ) -> TaskResult:
        """Execute a task with the configured model and memory, and record task and answer."""
    def execute_stream(
        self,
        task: str,
        *,
        session: str | None = None,
        speaker: str = "",
        instructions: str = "",
        contact: str | None = None,
        reflect: bool = False,
        key: str | None = None,
    ) -> Generator[str | TaskResult, None, None]:
        """Stream the answer to a task in pieces of text; the result of `execute` is the last item."""
    def list(self, *, limit: int = 20, until: datetime | None = None, all_scopes: bool = False) -> Sequence[Session]:
        """Return the sessions of the scope, by their last activity, latest first."""

class SyncObservations(SyncResource):
    def save_many(self, observations: Sequence[NewObservation]) -> list[Saved[Observation]]:
        """Save several observations in one transaction; see `Memory.save`."""
    def delete_many(self, filter: Filter, *, dry_run: bool = False) -> Deletion:
        """Delete the memories of this exact scope that match a filter, at most 10,000, in one transaction."""
    def restore_many(self, deleted_at: datetime) -> Restoration:
        """Restore the memories of this exact scope that one call of `delete_many` deleted, within 30 days."""

class SyncMessages(SyncResource):
    def record_many(self, messages: Sequence[NewMessage]) -> list[Saved[Message]]:
        """Record several messages in one transaction."""
    def import_turns(self, turns: Sequence[Turn]) -> Imported:
        """Record turns of imported chats in one transaction; existing ones are not changed."""
    def import_file(
        self, file: ChatFile, *, skip_bad: bool = False, progress: Callable[[int], None] | None = None
    ) -> ImportedFile:
        """Import the new messages and memories of a file; see `ChatFile.at`."""

class SyncMemory:
    _portal: BlockingPortal
    def __init__(
        self,
        db: str | PathLike[str] | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        embedder: str | Embedder | None = None,
        model: str | LanguageModel | None = None,
        reranker: str | Reranker | None = None,
        **settings: Unpack[OpenOptions],
    ) -> None: ...
    def _enter(self, opening: Callable[[], AbstractAsyncContextManager[Memory]]) -> None:
        """Open a memory on an event loop of its own."""
    @property
    def scope(self) -> Scope:
        """The scope of this memory."""
    @property
    def caller(self) -> Caller:
        """The caller who works with this memory."""
    def conversation(self, session: str) -> SyncConversation:
        """Return one session as an object of its own, for the turns of an agent."""
    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> SyncMemory:
        """Return the memory of another scope; see `Memory.within`."""
    def _open(self) -> Memory: ...
    def close(self) -> None:
        """Close the store; a second call does nothing."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    @property
    def messages(self) -> SyncMessages: ...
    @property
    def observations(self) -> SyncObservations: ...
    @property
    def sessions(self) -> SyncSessions: ...
    @property
    def notes(self) -> SyncNotes: ...
    @property
    def episodes(self) -> SyncEpisodes: ...
    @property
    def facts(self) -> SyncFacts: ...
    @property
    def rules(self) -> SyncRules: ...
    @property
    def patterns(self) -> SyncPatterns: ...
    @property
    def scores(self) -> SyncScores: ...
    @property
    def timeline(self) -> SyncTimeline: ...
    @property
    def graph(self) -> SyncGraph: ...
    @property
    def governance(self) -> SyncGovernance: ...
    @property
    def admin(self) -> SyncAdmin: ...
    @property
    def folder_sync(self) -> FolderSync:
        """The exchange of memories between machines through a folder."""
    def record(
        self,
        message: str | NewMessage,
        *,
        role: str = "user",
        session: str | None = None,
        speaker: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        trust: str | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record a message."""
    def save(
        self,
        observation: str | NewObservation,
        *,
        type: str | None = None,
        title: str | None = None,
        topic_key: str | None = None,
        session: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        evidence: Sequence[str] = (),
    ) -> Saved[Observation]:
        """Save an observation: a claim."""
    def edit(
        self,
        id: str,
        changes: str | Changes | None = None,
        *,
        title: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        importance: float | None = None,
        revision: int | None = None,
    ) -> Saved[Observation]:
        """Change an observation of this scope."""
    def delete(self, id: str | None = None, *, topic_key: str | None = None, revision: int | None = None) -> None:
        """Remove a memory from every read at once; `restore` restores it."""
    def restore(self, id: str) -> Record:
        """Restore a deleted memory as it was, or an archived one."""
    def get(self, id: str | None = None, *, topic_key: str | None = None, as_of: datetime | None = None) -> Record:
        """Return a memory by its id or topic key, in full, or as of a time."""
    def list(
        self,
        filter: Filter | None = None,
        *,
        limit: int = 20,
        cursor: str | None = None,
        as_of: datetime | None = None,
        all_scopes: bool = False,
    ) -> Page:
        """Return a page of memories that match a filter, newest first."""
    def recall(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
        abstain: bool = True,
    ) -> RecallResult:
        """Find the memories that answer a question, best first."""
    def explain(
        self,
        question: str | RecallRequest,
        id: str,
        *,
        filter: Filter | None = None,
        limit: int = 20,
        profile: str = "default",
    ) -> Explanation:
        """Explain why a question recalls a memory, or at which stage it is lost."""
    def trace(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
        profile: str = "default",
        as_of: datetime | None = None,
    ) -> SearchTrace:
        """Search as `recall` does, and return all candidates with the stage that each reached."""
    def ask(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = ...,
        max_tokens: int = ...,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
    ) -> Answer:
        """Answer a question from memory, with checked citations."""
    def ask_stream(
        self,
        question: str | RecallRequest,
        *,
        filter: Filter | None = None,
        limit: int = ...,
        max_tokens: int = ...,
        profile: str = "default",
        as_of: datetime | None = None,
        now: datetime | None = None,
    ) -> Generator[str | Answer, None, None]:
        """Stream an answer in pieces of text as the model writes it."""
    def context(
        self,
        session: str | ContextRequest | None = None,
        *,
        question: str = "",
        task: str = "",
        mode: str = ...,
        budget: Budget | None = None,
        contact: str | None = None,
        format: str = "markdown",
        as_of: datetime | None = None,
    ) -> Context:
        """Return what an agent reads before it answers, within a budget of tokens."""
    @overload
    def feedback(self, id: str, verdict: Literal["right", "wrong", "dismiss"], *, person: str = "") -> Observation: ...
    @overload
    def feedback(self, id: str, verdict: str, *, person: str = "") -> Observation | None: ...
    def dependents(self, id: str) -> Sequence[Record]:
        """Return the memories that have a memory as evidence, in any status, by id."""
    def evidence(self, id: str) -> Evidence:
        """Return a memory with the whole chain of its evidence."""

SYNC_RESOURCES: dict[str, type[SyncResource]]
ASYNC_ONLY: frozenset[str]
