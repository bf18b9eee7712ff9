"""The types of `sync.py`; made by tests/policy/sync_stub.py, do not edit."""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Literal, Self, Unpack, overload

from anyio.from_thread import BlockingPortal

from remembrancer.context.citations import Answer
from remembrancer.context.conversations import Distilled
from remembrancer.context.reply import Executed, Reply
from remembrancer.context.report import Context
from remembrancer.context.request import ContextRequest
from remembrancer.context.working import WorkingMemory
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
from remembrancer.resources.admin import Stats
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.memories import Evidence
from remembrancer.resources.redactions import Effective
from remembrancer.resources.retention import Expired, SoftDeleted
from remembrancer.resources.transfers import Granted
from remembrancer.search.embedding import Progress
from remembrancer.search.query import Explanation, Recalled, RecallRequest
from remembrancer.search.timeline import Around, Diff
from remembrancer.types.access import AccessKey, Caller, MadeKey
from remembrancer.types.archive import Archived, Taken
from remembrancer.types.audit import AuditFilter, AuditRow, Checkpoint
from remembrancer.types.budget import Budget
from remembrancer.types.episode import Attributes
from remembrancer.types.erasure import ErasurePlan, Naming, Overview, Receipt
from remembrancer.types.feedback import Move, Standing
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import Job, Night, Preview
from remembrancer.types.new import Changes, NewEpisode, NewKey, NewMessage, NewObservation, NewSignal
from remembrancer.types.notes import Chunk
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Episode, Fact, Message, Metadata, Observation, Procedure, Record, Signal
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
        """Record a message in this session; see `Memory.record`. It never waits for a model."""
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
        """Return what the agent reads before it answers; see `Memory.context`."""
    def reply(self, text: str, *, speaker: str = "", instructions: str = "") -> Reply:
        """Have the configured model answer; both sides are recorded; see `Sessions.reply`."""
    def observe(self) -> int:
        """Observe all messages that wait; see `Notes.observe`."""
    def stats(self) -> Distilled:
        """Return the conversation in numbers; see `Sessions.stats`."""

class SyncResource:
    memory: SyncMemory
    def __init__(self, memory: SyncMemory) -> None: ...

class SyncSearchIndex(SyncResource):
    @property
    def has_embedder(self) -> bool:
        """True if an embedder is configured."""
    def embed(self, *, progress: Progress = ...) -> int:
        """Make all missing vectors, and return the number of wordings that got one."""
    def embed_soon(self) -> int:
        """Make a few missing vectors of this scope, for callers that close the memory soon; never fails a write."""
    def missing(self) -> int:
        """Return the number of wordings of the store without vectors in the embedder's space."""
    def reembed(self, *, progress: Progress = ...) -> int:
        """Make new vectors next to the old ones, switch over, and return their number."""
    def rebuild(self, *, progress: Progress = ..., vectors: bool = True) -> int:
        """Rebuild the text index of the whole store, scope by scope, and return the number of its wordings."""

class SyncMaintenance(SyncResource):
    def run(self, *, progress: ProgressCallback = ...) -> Night:
        """Run the maintenance of this scope for the last local day that is due, as far as it is not done yet."""
    def dry_run(self) -> Preview:
        """Return what the maintenance of this scope would do now; nothing is changed, and no model is called."""
    def latest(self) -> Night | None:
        """Return the latest maintenance run of this scope, or `None`."""

class SyncJobs(SyncResource):
    def start(self, work: str, *, file: ChatFile | None = None, skip_bad: bool = False) -> Job:
        """Start a job without waiting for its end; it ends with the process that opened this memory."""
    def list(self, *, limit: int = 20) -> Sequence[Job]:
        """Return the jobs of this scope, the latest first; they are deleted after 30 days."""
    def get(self, id: str) -> Job:
        """Return the state of a job."""
    def cancel(self, id: str) -> Job:
        """Cancel a job; its results until then are kept. A finished job stays as it is."""

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
    ) -> MadeKey:
        """Create an access key for this scope, or one within it; its token is returned this once."""
    def list(self, *, tenant: str | None = None) -> Sequence[AccessKey]:
        """Return the access keys of this scope and of those within it, the oldest first, with revoked and expired ones."""
    def rotate(self, id: str, *, tenant: str | None = None) -> MadeKey:
        """Replace the secret of an access key, and return the new token this once; the old one expires within a second."""
    def revoke(self, id: str, *, tenant: str | None = None) -> AccessKey:
        """Revoke an access key; it expires within a second."""

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
        """Return the numbers of the scope."""
    def costs(self, *, days: int = 30) -> Costs:
        """Return the costs of language models on each of the last days, the latest first, and the state of the budgets."""
    def flush(self) -> None:
        """Write the record of recent reads now; otherwise it is written in the background."""
    def doctor(self, *, repair: bool = False, accept_losses: bool = False) -> Sequence[Diagnosis]:
        """Check the whole store, and return its faults; with `repair`, repair those that need no judgement."""

class SyncTransfers(SyncResource):
    def grant(self, lender: str, reader: str, *, reason: str) -> Sequence[Granted]:
        """Grant a transfer of a project's observations to another project, and copy the existing ones."""
    def revoke(self, lender: str, reader: str, *, reason: str) -> Sequence[Granted]:
        """Revoke a transfer, and erase its copies."""
    def list(self) -> Sequence[Granted]:
        """Return the transfers of this tenant, by the lending project."""

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
        """Stream the memories that the caller sees, the newest first, as a text to read or import elsewhere."""
    def report(self, user: str, *, person: str | None = None, form: str = "markdown") -> Generator[str, None, None]:
        """Stream a report of every memory about one user, with evidence, earlier wordings, and disclosures."""
    def stream(self, *, passphrase: str, progress: Callable[[int], None] | None = None) -> Generator[bytes, None, None]:
        """Stream an archive of this scope and of those under it, encrypted with a passphrase."""
    def create(
        self, path: str | PathLike[str], *, passphrase: str, progress: Callable[[int], None] | None = None
    ) -> Archived:
        """Write an archive of this scope and of those under it to a new file, encrypted with a passphrase."""
    def check(self, path: str | PathLike[str], *, passphrase: str) -> Archived:
        """Read a whole archive, verify it, and return its content in numbers; nothing is imported."""
    def import_archive(
        self, path: str | PathLike[str], *, passphrase: str, reason: str, progress: Callable[[int], None] | None = None
    ) -> Taken:
        """Import an archive, all or nothing: missing memories are added, and of others the later wording is kept."""

class SyncAuditLog(SyncResource):
    def verify(self, against: Checkpoint | None = None) -> Verified:
        """Verify the audit log of this tenant: that no entry was changed, moved or removed."""
    def checkpoint(self) -> Checkpoint:
        """Return a signed checkpoint of the audit log of this tenant, to keep out of reach of the store."""
    def list(self, filter: AuditFilter | None = None, *, limit: int = 100) -> Sequence[AuditRow]:
        """Return the entries of this scope and of those under it, the latest first."""

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
        """Return the plan of an erasure: its rows, and its obstacles; nothing is changed."""
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
    def find_mentions(self, person: str, *, limit: int = 100) -> Sequence[Naming]:
        """Find the memories of this scope, and of those under it, that name a person, for review before an erasure."""
    def receipts(self, *, subject: str | None = None, name: str | None = None, limit: int = 100) -> Sequence[Receipt]:
        """Return the receipts of the erasures in this scope and in those under it, the latest first."""

class SyncRetention(SyncResource):
    def set(
        self, name: str, *, keep_days: int, kinds: Sequence[str] = (), classifications: Sequence[str] = ()
    ) -> Sequence[RetentionPolicy]:
        """Keep memories for a number of days after they were recorded; of several policies the shortest applies."""
    def unset(self, name: str) -> Sequence[RetentionPolicy]:
        """Remove a policy of this exact scope."""
    def find_expired(self, *, limit: int = 100) -> Sequence[Expired]:
        """Return the memories of this scope, and of those under it, that the next night deletes; nothing is changed."""
    def list_soft_deleted(self, *, limit: int = 100) -> Sequence[SoftDeleted]:
        """Return the deleted memories of this scope, and of those under it, that can be restored."""
    def soft_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Delete memories of this exact scope, and return their number; they can be restored for thirty days."""
    def hard_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Permanently remove deleted memories of this exact scope at once, and return their number."""
    def is_accessible(self, id: str) -> bool:
        """Return True if this caller can read a memory: it exists, is not deleted, and not closed to the caller."""
    def run(self, *, dry_run: bool = False) -> Retained:
        """Delete the memories due in this scope and those under it, and remove old deleted ones, as each night."""
    def list(self) -> Sequence[RetentionPolicy]:
        """Return the policies of this scope: its own, those of wider ones and, for an operator, of narrower ones."""

class SyncHolds(SyncResource):
    def place(
        self, name: str, *, reason: str, session: str | None = None, person: str | None = None
    ) -> Sequence[LegalHold]:
        """Place a legal hold: nothing of this scope and of those under it is deleted, by any caller."""
    def release(self, name: str, *, reason: str) -> Sequence[LegalHold]:
        """Release a legal hold of this exact scope."""
    def list(self) -> Sequence[LegalHold]:
        """Return the legal holds on this scope: those of wider ones, its own, and those of narrower ones."""

class SyncRedactions(SyncResource):
    def set(self, datum: str, redaction: str) -> Sequence[Effective]:
        """Set the redaction of a kind of personal data that is written in this scope, or under it, from now on."""
    def unset(self, datum: str) -> Sequence[Effective]:
        """Remove the redaction of a kind of personal data that is set for this scope."""
    def list(self) -> Sequence[Effective]:
        """Return the redaction of each kind of personal data in this scope."""

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
        """Change the class of a memory, also to a lower one; memories derived from it follow, as far as they may."""
    def overview(self) -> Overview:
        """Return an overview of this scope and of those under it: memories, due work, and the state of the log."""

class SyncTimeline(SyncResource):
    def around(self, id: str, *, before: int = ..., after: int = ..., as_of: datetime | None = None) -> Around:
        """Return the records before and after a memory in its session."""
    def between(
        self,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        as_of: datetime | None = None,
    ) -> Page:
        """Return the messages and observations between two dates, newest first."""
    def diff(self, earlier: datetime, later: datetime) -> Diff:
        """Return the memories that were learned, changed and retired between two times."""
    def history(self, id: str | None = None, *, topic_key: str | None = None) -> Sequence[Version]:
        """Return every version of a memory, oldest first: its wording since when, with its author and source."""

class SyncScores(SyncResource):
    def get(self, id: str) -> Standing:
        """Return the score of a memory and its parts."""
    def history(self, id: str) -> Sequence[Move]:
        """Return the changes of a memory's weight by the outcomes of sessions, the earliest first."""
    def rate(self, id: str, rating: float) -> Standing:
        """Set the rating of a memory, from 0 to 1."""
    def boost(self, id: str, boost: float) -> Standing:
        """Set the boost of a memory's score, from 0 to 1."""
    def pin(self, id: str) -> Standing:
        """Pin a memory: its importance does not decay, and it is not archived."""
    def unpin(self, id: str) -> Standing:
        """Unpin a memory: its importance decays again."""

class SyncPatterns(SyncResource):
    def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Observation]:
        """Return the active patterns, in the order in which they were detected."""
    def merge(self, into: str, other: str) -> Observation:
        """Merge the evidence of an observation into another one; the first is then out of recall."""
    def pause(self, id: str) -> Observation | Fact:
        """Exclude an observation or a fact from every recall and context until it is resumed."""
    def resume(self, id: str) -> Observation | Fact:
        """Make an observation or a fact active again that was paused or retired."""
    def retire(self, id: str) -> Observation | Fact:
        """Retire an observation or a fact; it is kept, and not detected again."""

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
    ) -> Procedure:
        """Add a rule for the agents of a scope."""
    def edit(self, id: str, rule: str, *, revision: int | None = None) -> Procedure:
        """Change the wording of a rule; the earlier one is kept."""
    def pause(self, id: str) -> Procedure:
        """Exclude a rule until it is resumed."""
    def resume(self, id: str) -> Procedure:
        """Make a paused rule active again."""
    def retire(self, id: str) -> Procedure:
        """Retire a rule; it is kept."""
    def refused(self) -> list[Refused]:
        """Return the observations that would be rules if they fitted, each with the obstacle."""
    def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Procedure]:
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
        """Set the fact of a key from a time on. The earlier fact ends then, and stays in the history."""
    def get(self, key: str, *, at: datetime | None = None, as_of: datetime | None = None) -> Fact:
        """Return the valid fact of a key, now or at a time, of the nearest scope."""
    def history(self, key: str) -> list[Fact]:
        """Return all facts of this very scope under a key, the latest first."""
    def end(self, key: str, *, at: datetime | None = None) -> Fact:
        """End the valid fact of a key; it stays in the history."""
    def list(
        self, *, category: str | None = None, at: datetime | None = None, as_of: datetime | None = None
    ) -> Sequence[Fact]:
        """Return all valid facts, now or at a time; each key once, of the nearest scope; by category and key."""

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
        """Record an episode. The detector counts it tonight; after 30 days it is summarised with its week."""
    def record_many(self, episodes: Sequence[NewEpisode]) -> list[Saved[Episode]]:
        """Record several episodes in one transaction: all of them, or none."""
    def end_run(
        self,
        run: WorkingMemory,
        ended: str = "done",
        *,
        contact: str = "",
        session: str | None = None,
        summary: str = "",
    ) -> list[Saved[Episode]]:
        """Record the actions of a finished run: its steps, approvals, and end."""
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
        """Record feedback or behaviour that is no episode of its own; the detector counts it."""
    def restore(self, id: str) -> list[Episode]:
        """Restore the episodes that a compact record summarises, in its place."""
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
        """Return episodes that the scope sees, the latest first."""

class SyncNotes(SyncResource):
    def observe(self, session: str) -> int:
        """Observe all messages that wait in a session, show the notes, and return the number of observed chunks."""
    def reflect(self, session: str | None = None) -> int:
        """Consolidate the log of a session, or every log of the scope, and return the number of tokens saved."""
    def log(self, session: str) -> Sequence[Observation]:
        """Return the notes on a conversation that an agent reads: observations and reflections, in their order."""
    def of_chunk(self, session: str, first: int) -> Sequence[Observation]:
        """Return the notes on a chunk of messages, shown or not; without those that a reflection replaced."""
    def chunks(self, session: str) -> Sequence[Chunk]:
        """Return the chunks of messages of a session that an observer has processed, in order."""
    def failed(self, *, limit: int = 50) -> Sequence[Chunk]:
        """Return the chunks that no model could observe, the latest first; contexts show their messages."""
    def retry(self, session: str, first: int) -> Chunk:
        """Observe a chunk of messages again, replace its notes, and return it; its state is the result."""
    def approve(self, session: str, first: int) -> Chunk:
        """Show the notes on a chunk of messages that wait for review by the setting `observe_review`."""

class SyncSessions(SyncResource):
    def start(
        self, id: str | None = None, *, record: bool = True, max_tokens: int | None = None, record_access: bool = True
    ) -> Started:
        """Open a session, or resume the one of that id; without an id, the scope's one unnamed active session."""
    def end(self, session: str) -> Session:
        """Close a session; closing it again changes nothing. Its last messages are observed now."""
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
    def stats(self, session: str) -> Distilled:
        """Return a conversation in numbers: of verbatim messages, notes, and messages that wait for an observer."""
    def set_outcome(self, session: str, outcome: str) -> Sequence[Move]:
        """Set the outcome of a session: it changes the weight of the memories that the agent read in it."""
    def injections(self, session: str, *, limit: int = 100) -> Sequence[Injection]:
        """Return the injections of memories into the prompts of a session, the latest first."""
    @property
    def has_model(self) -> bool:
        """True if a language model is configured for answers."""
    def reply(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Reply:
        """Record a message, have the configured model answer it from memory, and record the answer too."""
    def reply_stream(
        self, session: str, text: str, *, speaker: str = "", instructions: str = "", key: str | None = None
    ) -> Generator[str | Reply, None, None]:
        """Stream a reply in pieces of text as the model writes it; the recorded `Reply` comes last."""
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
    ) -> Executed:
        """Execute a task with the configured model and memory; record both sides, and reflect on request."""
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
    ) -> Generator[str | Executed, None, None]:
        """Stream the answer to a task in pieces of text as the model writes it; the result of `execute` comes last."""
    def list(self, *, limit: int = 20, all_scopes: bool = False) -> Sequence[Session]:
        """Return the scope's sessions, the latest active first."""

class SyncObservations(SyncResource):
    def save_many(self, observations: Sequence[NewObservation]) -> list[Saved[Observation]]:
        """Save several claims in one transaction: all of them, or none; see `Memory.save`."""
    def delete_many(self, filter: Filter, *, dry_run: bool = False) -> Deletion:
        """Delete the memories of this exact scope that match a filter, in one transaction, 10,000 at most."""
    def restore_many(self, deleted_at: datetime) -> Restoration:
        """Restore all memories of this exact scope that one `delete_many` has deleted, within thirty days."""

class SyncMessages(SyncResource):
    def record_many(self, messages: Sequence[NewMessage]) -> list[Saved[Message]]:
        """Record several messages in one transaction: all of them, or none."""
    def import_turns(self, turns: Sequence[Turn]) -> Imported:
        """Record turns of imported chats in one transaction; existing ones stay as they are."""
    def import_file(
        self, file: ChatFile, *, skip_bad: bool = False, progress: Callable[[int], None] | None = None
    ) -> ImportedFile:
        """Import the new messages of a file of chats, which `ChatFile.at` names."""

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
    def governance(self) -> SyncGovernance: ...
    @property
    def admin(self) -> SyncAdmin: ...
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
    ) -> Recalled:
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
    def evidence(self, id: str) -> Evidence:
        """Return a memory with the whole chain of its evidence."""

SYNC_RESOURCES: dict[str, type[SyncResource]]
ASYNC_ONLY: frozenset[str]
