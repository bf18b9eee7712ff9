"""Remembrancer: the memory of AI agents.

Start with `SyncMemory` (or `open_memory` in async code): `record`, `save`, `recall`, `context`. The folder is the map,
from top to bottom, and each line may import only lines below it: `cli` and `service` are the entries; `operations` is
the table of what can be asked, `client` and `sync` are made of it; `memory`, `resources` and `open` are the face;
`jobs`, `privacy`, `context`, `learn`, `ingest`, `search`, `llm` and `transactions` do the work; `storage`, `guard` and
`language` keep and read texts; `types` and `errors` are values.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remembrancer.client.client import Client as Client
    from remembrancer.client.sync import SyncClient as SyncClient
    from remembrancer.context.assemble import Block as Block
    from remembrancer.context.assemble import Item as Item
    from remembrancer.context.citations import Answer as Answer
    from remembrancer.context.citations import Citation as Citation
    from remembrancer.context.conversations import Distilled as Distilled
    from remembrancer.context.formats import Format as Format
    from remembrancer.context.reply import Executed as Executed
    from remembrancer.context.reply import Reply as Reply
    from remembrancer.context.report import Context as Context
    from remembrancer.context.report import Report as Report
    from remembrancer.context.slots import Slot as Slot
    from remembrancer.context.slots import Slots as Slots
    from remembrancer.context.working import WorkingMemory as WorkingMemory
    from remembrancer.errors import BadModelOutput as BadModelOutput
    from remembrancer.errors import BudgetExceeded as BudgetExceeded
    from remembrancer.errors import Conflict as Conflict
    from remembrancer.errors import InvalidInput as InvalidInput
    from remembrancer.errors import NotAllowed as NotAllowed
    from remembrancer.errors import NotFound as NotFound
    from remembrancer.errors import Outdated as Outdated
    from remembrancer.errors import ProviderError as ProviderError
    from remembrancer.errors import ProviderUnavailable as ProviderUnavailable
    from remembrancer.errors import RemembrancerError as RemembrancerError
    from remembrancer.errors import SchemaMismatch as SchemaMismatch
    from remembrancer.errors import StoreError as StoreError
    from remembrancer.errors import StoreUnavailable as StoreUnavailable
    from remembrancer.errors import Unauthenticated as Unauthenticated
    from remembrancer.ingest.chats import Differing as Differing
    from remembrancer.ingest.chats import ImportedFile as ImportedFile
    from remembrancer.ingest.importers.files import ChatFile as ChatFile
    from remembrancer.ingest.importers.reader import Gap as Gap
    from remembrancer.ingest.importers.reader import LeftOut as LeftOut
    from remembrancer.ingest.importers.reader import Unread as Unread
    from remembrancer.ingest.importers.turns import Turn as Turn
    from remembrancer.ingest.importing import Imported as Imported
    from remembrancer.jobs.doctor import Diagnosis as Diagnosis
    from remembrancer.learn.rules import Refused as Refused
    from remembrancer.learn.sessions import Started as Started
    from remembrancer.llm.budget import Budget as Budget
    from remembrancer.llm.budget import BudgetState as BudgetState
    from remembrancer.llm.budget import Costs as Costs
    from remembrancer.llm.budget import Day as Day
    from remembrancer.llm.budget import Period as Period
    from remembrancer.llm.budget import Sums as Sums
    from remembrancer.llm.budget import Unit as Unit
    from remembrancer.llm.embedder import Embedder as Embedder
    from remembrancer.llm.language_model import LanguageModel as LanguageModel
    from remembrancer.llm.reranker import Judged as Judged
    from remembrancer.llm.reranker import Reranker as Reranker
    from remembrancer.memory import Memory as Memory
    from remembrancer.open import open_memory as open_memory
    from remembrancer.privacy.bulk_deletion import Deletion as Deletion
    from remembrancer.privacy.bulk_deletion import Restoration as Restoration
    from remembrancer.privacy.checkpoints import Verified as Verified
    from remembrancer.privacy.receipts import check_receipt as check_receipt
    from remembrancer.privacy.retention import Retained as Retained
    from remembrancer.resources.context import Occasion as Occasion
    from remembrancer.resources.conversation import Conversation as Conversation
    from remembrancer.resources.governance import Effective as Effective
    from remembrancer.resources.learning import Why as Why
    from remembrancer.resources.retention import Expired as Expired
    from remembrancer.resources.retention import SoftDeleted as SoftDeleted
    from remembrancer.resources.transfers import Granted as Granted
    from remembrancer.resources.upkeep import Stats as Stats
    from remembrancer.search.query import Explanation as Explanation
    from remembrancer.search.query import Hit as Hit
    from remembrancer.search.query import Recalled as Recalled
    from remembrancer.search.query import Replacement as Replacement
    from remembrancer.search.timeline import Around as Around
    from remembrancer.search.timeline import Changed as Changed
    from remembrancer.search.timeline import Diff as Diff
    from remembrancer.sync import SyncConversation as SyncConversation
    from remembrancer.sync import SyncMemory as SyncMemory
    from remembrancer.types.access import AccessKey as AccessKey
    from remembrancer.types.access import MadeKey as MadeKey
    from remembrancer.types.access import Right as Right
    from remembrancer.types.archive import Archived as Archived
    from remembrancer.types.archive import Clash as Clash
    from remembrancer.types.archive import ClashReason as ClashReason
    from remembrancer.types.archive import Taken as Taken
    from remembrancer.types.audit import AuditRow as AuditRow
    from remembrancer.types.audit import Checkpoint as Checkpoint
    from remembrancer.types.breaker import Breaker as Breaker
    from remembrancer.types.breaker import Failing as Failing
    from remembrancer.types.call import CallPurpose as CallPurpose
    from remembrancer.types.call import Total as Total
    from remembrancer.types.caller import Caller as Caller
    from remembrancer.types.change import Version as Version
    from remembrancer.types.chunk import Chunk as Chunk
    from remembrancer.types.chunk import ChunkState as ChunkState
    from remembrancer.types.classification import Classification as Classification
    from remembrancer.types.classification import Trust as Trust
    from remembrancer.types.confidence import Confidence as Confidence
    from remembrancer.types.details import EpisodeDetails as EpisodeDetails
    from remembrancer.types.details import FactCategory as FactCategory
    from remembrancer.types.details import FactDetails as FactDetails
    from remembrancer.types.details import Learned as Learned
    from remembrancer.types.details import ProcedureDetails as ProcedureDetails
    from remembrancer.types.details import SignalDetails as SignalDetails
    from remembrancer.types.episode import Counts as Counts
    from remembrancer.types.episode import Entity as Entity
    from remembrancer.types.episode import EpisodeOutcome as EpisodeOutcome
    from remembrancer.types.episode import Event as Event
    from remembrancer.types.episode import SignalType as SignalType
    from remembrancer.types.episode import Tier as Tier
    from remembrancer.types.erasure import ErasurePlan as ErasurePlan
    from remembrancer.types.erasure import HandedOut as HandedOut
    from remembrancer.types.erasure import Naming as Naming
    from remembrancer.types.erasure import Receipt as Receipt
    from remembrancer.types.erasure import Subject as Subject
    from remembrancer.types.fault import Fault as Fault
    from remembrancer.types.fault import Finding as Finding
    from remembrancer.types.forms import Compact as Compact
    from remembrancer.types.forms import Size as Size
    from remembrancer.types.forms import sized as sized
    from remembrancer.types.injection import Injected as Injected
    from remembrancer.types.injection import Injection as Injection
    from remembrancer.types.injection import Ranks as Ranks
    from remembrancer.types.injection import Way as Way
    from remembrancer.types.job import Job as Job
    from remembrancer.types.job import JobState as JobState
    from remembrancer.types.job import JobWork as JobWork
    from remembrancer.types.lifecycle import Status as Status
    from remembrancer.types.new import NewEpisode as NewEpisode
    from remembrancer.types.new import NewMessage as NewMessage
    from remembrancer.types.new import NewObservation as NewObservation
    from remembrancer.types.night import Night as Night
    from remembrancer.types.night import Preview as Preview
    from remembrancer.types.night import Step as Step
    from remembrancer.types.overview import Erased as Erased
    from remembrancer.types.overview import MostRead as MostRead
    from remembrancer.types.overview import Overview as Overview
    from remembrancer.types.overview import Projection as Projection
    from remembrancer.types.overview import ProjectUsage as ProjectUsage
    from remembrancer.types.page import Page as Page
    from remembrancer.types.pattern import Category as Category
    from remembrancer.types.personal import Datum as Datum
    from remembrancer.types.personal import Redaction as Redaction
    from remembrancer.types.policy import LegalHold as LegalHold
    from remembrancer.types.policy import RetentionPolicy as RetentionPolicy
    from remembrancer.types.record import Episode as Episode
    from remembrancer.types.record import Fact as Fact
    from remembrancer.types.record import Kind as Kind
    from remembrancer.types.record import Message as Message
    from remembrancer.types.record import Observation as Observation
    from remembrancer.types.record import Procedure as Procedure
    from remembrancer.types.record import Record as Record
    from remembrancer.types.record import Reflection as Reflection
    from remembrancer.types.record import Role as Role
    from remembrancer.types.record import Signal as Signal
    from remembrancer.types.record import Source as Source
    from remembrancer.types.saved import Outcome as Outcome
    from remembrancer.types.saved import Saved as Saved
    from remembrancer.types.savings import Expense as Expense
    from remembrancer.types.savings import Saving as Saving
    from remembrancer.types.savings import Savings as Savings
    from remembrancer.types.scope import Scope as Scope
    from remembrancer.types.session import Session as Session
    from remembrancer.types.session import SessionStatus as SessionStatus
    from remembrancer.types.space import Space as Space
    from remembrancer.types.standing import Standing as Standing
    from remembrancer.types.verdict import Move as Move
    from remembrancer.types.verdict import Said as Said
    from remembrancer.types.verdict import SessionOutcome as SessionOutcome
    from remembrancer.types.verdict import Verdict as Verdict

_HOMES = {
    "AccessKey": "types.access",
    "Answer": "context.citations",
    "Archived": "types.archive",
    "Around": "search.timeline",
    "AuditRow": "types.audit",
    "BadModelOutput": "errors",
    "Block": "context.assemble",
    "Breaker": "types.breaker",
    "Budget": "llm.budget",
    "BudgetExceeded": "errors",
    "BudgetState": "llm.budget",
    "CallPurpose": "types.call",
    "Caller": "types.caller",
    "Category": "types.pattern",
    "Changed": "search.timeline",
    "ChatFile": "ingest.importers.files",
    "Checkpoint": "types.audit",
    "Chunk": "types.chunk",
    "ChunkState": "types.chunk",
    "Citation": "context.citations",
    "Clash": "types.archive",
    "ClashReason": "types.archive",
    "Classification": "types.classification",
    "Client": "client.client",
    "Compact": "types.forms",
    "Confidence": "types.confidence",
    "Conflict": "errors",
    "Context": "context.report",
    "Conversation": "resources.conversation",
    "Costs": "llm.budget",
    "Counts": "types.episode",
    "Datum": "types.personal",
    "Day": "llm.budget",
    "Deletion": "privacy.bulk_deletion",
    "Diagnosis": "jobs.doctor",
    "Diff": "search.timeline",
    "Differing": "ingest.chats",
    "Distilled": "context.conversations",
    "Effective": "resources.governance",
    "Embedder": "llm.embedder",
    "Entity": "types.episode",
    "Episode": "types.record",
    "EpisodeDetails": "types.details",
    "EpisodeOutcome": "types.episode",
    "Erased": "types.overview",
    "ErasurePlan": "types.erasure",
    "Event": "types.episode",
    "Executed": "context.reply",
    "Expense": "types.savings",
    "Expired": "resources.retention",
    "Explanation": "search.query",
    "Fact": "types.record",
    "FactCategory": "types.details",
    "FactDetails": "types.details",
    "Failing": "types.breaker",
    "Fault": "types.fault",
    "Finding": "types.fault",
    "Format": "context.formats",
    "Gap": "ingest.importers.reader",
    "Granted": "resources.transfers",
    "HandedOut": "types.erasure",
    "Hit": "search.query",
    "Imported": "ingest.importing",
    "ImportedFile": "ingest.chats",
    "Injected": "types.injection",
    "Injection": "types.injection",
    "InvalidInput": "errors",
    "Item": "context.assemble",
    "Job": "types.job",
    "JobState": "types.job",
    "JobWork": "types.job",
    "Judged": "llm.reranker",
    "Kind": "types.record",
    "LanguageModel": "llm.language_model",
    "Learned": "types.details",
    "LeftOut": "ingest.importers.reader",
    "LegalHold": "types.policy",
    "MadeKey": "types.access",
    "Memory": "memory",
    "Message": "types.record",
    "MostRead": "types.overview",
    "Move": "types.verdict",
    "Naming": "types.erasure",
    "NewEpisode": "types.new",
    "NewMessage": "types.new",
    "NewObservation": "types.new",
    "Night": "types.night",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "Observation": "types.record",
    "Occasion": "resources.context",
    "Outcome": "types.saved",
    "Outdated": "errors",
    "Overview": "types.overview",
    "Page": "types.page",
    "Period": "llm.budget",
    "Preview": "types.night",
    "Procedure": "types.record",
    "ProcedureDetails": "types.details",
    "ProjectUsage": "types.overview",
    "Projection": "types.overview",
    "ProviderError": "errors",
    "ProviderUnavailable": "errors",
    "Ranks": "types.injection",
    "Recalled": "search.query",
    "Receipt": "types.erasure",
    "Record": "types.record",
    "Redaction": "types.personal",
    "Reflection": "types.record",
    "Refused": "learn.rules",
    "RemembrancerError": "errors",
    "Replacement": "search.query",
    "Reply": "context.reply",
    "Report": "context.report",
    "Reranker": "llm.reranker",
    "Restoration": "privacy.bulk_deletion",
    "Retained": "privacy.retention",
    "RetentionPolicy": "types.policy",
    "Right": "types.access",
    "Role": "types.record",
    "Said": "types.verdict",
    "Saved": "types.saved",
    "Saving": "types.savings",
    "Savings": "types.savings",
    "SchemaMismatch": "errors",
    "Scope": "types.scope",
    "Session": "types.session",
    "SessionOutcome": "types.verdict",
    "SessionStatus": "types.session",
    "Signal": "types.record",
    "SignalDetails": "types.details",
    "SignalType": "types.episode",
    "Size": "types.forms",
    "Slot": "context.slots",
    "Slots": "context.slots",
    "SoftDeleted": "resources.retention",
    "Source": "types.record",
    "Space": "types.space",
    "Standing": "types.standing",
    "Started": "learn.sessions",
    "Stats": "resources.upkeep",
    "Status": "types.lifecycle",
    "Step": "types.night",
    "StoreError": "errors",
    "StoreUnavailable": "errors",
    "Subject": "types.erasure",
    "Sums": "llm.budget",
    "SyncClient": "client.sync",
    "SyncConversation": "sync",
    "SyncMemory": "sync",
    "Taken": "types.archive",
    "Tier": "types.episode",
    "Total": "types.call",
    "Trust": "types.classification",
    "Turn": "ingest.importers.turns",
    "Unauthenticated": "errors",
    "Unit": "llm.budget",
    "Unread": "ingest.importers.reader",
    "Verdict": "types.verdict",
    "Verified": "privacy.checkpoints",
    "Version": "types.change",
    "Way": "types.injection",
    "Why": "resources.learning",
    "WorkingMemory": "context.working",
    "check_receipt": "privacy.receipts",
    "open_memory": "open",
    "sized": "types.forms",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] -- a policy test holds it against the imports above
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'remembrancer' has no attribute {name!r}")
    return getattr(import_module(f"remembrancer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
