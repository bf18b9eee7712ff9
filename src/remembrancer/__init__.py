"""Remembrancer: the memory of AI agents.

Start with `SyncMemory` (or `open_memory` in async code): `save`, `record`, `recall`, `explain`. `ls` of this folder is
the map: `model` what a memory is, `ports` what the engine needs, `retrieval` finding, `engines` learning,
`governance` answering for it, `workers` when it happens, `doors` what callers do, `stores` and `providers` adapters.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remembrancer.client.client import Client as Client
    from remembrancer.client.sync import SyncClient as SyncClient
    from remembrancer.context.assemble import Block as Block
    from remembrancer.context.assemble import Item as Item
    from remembrancer.context.formats import Format as Format
    from remembrancer.context.report import Context as Context
    from remembrancer.context.report import Report as Report
    from remembrancer.context.slots import Slot as Slot
    from remembrancer.context.slots import Slots as Slots
    from remembrancer.context.working import WorkingMemory as WorkingMemory
    from remembrancer.conversation import Conversation as Conversation
    from remembrancer.doors.context import Occasion as Occasion
    from remembrancer.doors.governance import Effective as Effective
    from remembrancer.doors.learning import Why as Why
    from remembrancer.doors.retention import Expired as Expired
    from remembrancer.doors.retention import SoftDeleted as SoftDeleted
    from remembrancer.doors.transfers import Granted as Granted
    from remembrancer.doors.upkeep import Stats as Stats
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
    from remembrancer.governance.checkpoints import Verified as Verified
    from remembrancer.governance.deleting import Deletion as Deletion
    from remembrancer.governance.deleting import Restoration as Restoration
    from remembrancer.governance.erasing import check_receipt as check_receipt
    from remembrancer.governance.procedures import Refused as Refused
    from remembrancer.governance.retaining import Retained as Retained
    from remembrancer.governance.sessions import Started as Started
    from remembrancer.governance.spending import Budget as Budget
    from remembrancer.governance.spending import BudgetState as BudgetState
    from remembrancer.governance.spending import Costs as Costs
    from remembrancer.governance.spending import Day as Day
    from remembrancer.governance.spending import Period as Period
    from remembrancer.governance.spending import Sums as Sums
    from remembrancer.governance.spending import Unit as Unit
    from remembrancer.importers.files import ChatFile as ChatFile
    from remembrancer.importers.reader import Gap as Gap
    from remembrancer.importers.reader import LeftOut as LeftOut
    from remembrancer.importers.reader import Unread as Unread
    from remembrancer.importers.turns import Turn as Turn
    from remembrancer.memory import Memory as Memory
    from remembrancer.model.access import AccessKey as AccessKey
    from remembrancer.model.access import MadeKey as MadeKey
    from remembrancer.model.access import Right as Right
    from remembrancer.model.archive import Archived as Archived
    from remembrancer.model.archive import Clash as Clash
    from remembrancer.model.archive import ClashReason as ClashReason
    from remembrancer.model.archive import Taken as Taken
    from remembrancer.model.audit import AuditRow as AuditRow
    from remembrancer.model.audit import Checkpoint as Checkpoint
    from remembrancer.model.breaker import Breaker as Breaker
    from remembrancer.model.breaker import Failing as Failing
    from remembrancer.model.call import CallPurpose as CallPurpose
    from remembrancer.model.call import Total as Total
    from remembrancer.model.caller import Caller as Caller
    from remembrancer.model.change import Version as Version
    from remembrancer.model.chunk import Chunk as Chunk
    from remembrancer.model.chunk import ChunkState as ChunkState
    from remembrancer.model.classification import Classification as Classification
    from remembrancer.model.classification import Trust as Trust
    from remembrancer.model.confidence import Confidence as Confidence
    from remembrancer.model.details import EpisodeDetails as EpisodeDetails
    from remembrancer.model.details import FactCategory as FactCategory
    from remembrancer.model.details import FactDetails as FactDetails
    from remembrancer.model.details import Learned as Learned
    from remembrancer.model.details import ProcedureDetails as ProcedureDetails
    from remembrancer.model.details import SignalDetails as SignalDetails
    from remembrancer.model.episode import Counts as Counts
    from remembrancer.model.episode import Entity as Entity
    from remembrancer.model.episode import EpisodeOutcome as EpisodeOutcome
    from remembrancer.model.episode import Event as Event
    from remembrancer.model.episode import SignalType as SignalType
    from remembrancer.model.episode import Tier as Tier
    from remembrancer.model.erasure import ErasurePlan as ErasurePlan
    from remembrancer.model.erasure import HandedOut as HandedOut
    from remembrancer.model.erasure import Naming as Naming
    from remembrancer.model.erasure import Receipt as Receipt
    from remembrancer.model.erasure import Subject as Subject
    from remembrancer.model.fault import Fault as Fault
    from remembrancer.model.fault import Finding as Finding
    from remembrancer.model.forms import Compact as Compact
    from remembrancer.model.forms import Size as Size
    from remembrancer.model.forms import sized as sized
    from remembrancer.model.injection import Injected as Injected
    from remembrancer.model.injection import Injection as Injection
    from remembrancer.model.injection import Ranks as Ranks
    from remembrancer.model.injection import Way as Way
    from remembrancer.model.job import Job as Job
    from remembrancer.model.job import JobState as JobState
    from remembrancer.model.job import JobWork as JobWork
    from remembrancer.model.lifecycle import Status as Status
    from remembrancer.model.new import NewEpisode as NewEpisode
    from remembrancer.model.new import NewMessage as NewMessage
    from remembrancer.model.new import NewObservation as NewObservation
    from remembrancer.model.night import Night as Night
    from remembrancer.model.night import Preview as Preview
    from remembrancer.model.night import Step as Step
    from remembrancer.model.overview import Erased as Erased
    from remembrancer.model.overview import MostRead as MostRead
    from remembrancer.model.overview import Overview as Overview
    from remembrancer.model.overview import Projection as Projection
    from remembrancer.model.overview import ProjectUsage as ProjectUsage
    from remembrancer.model.page import Page as Page
    from remembrancer.model.pattern import Category as Category
    from remembrancer.model.personal import Datum as Datum
    from remembrancer.model.personal import Redaction as Redaction
    from remembrancer.model.policy import LegalHold as LegalHold
    from remembrancer.model.policy import RetentionPolicy as RetentionPolicy
    from remembrancer.model.record import Episode as Episode
    from remembrancer.model.record import Fact as Fact
    from remembrancer.model.record import Kind as Kind
    from remembrancer.model.record import Message as Message
    from remembrancer.model.record import Observation as Observation
    from remembrancer.model.record import Procedure as Procedure
    from remembrancer.model.record import Record as Record
    from remembrancer.model.record import Reflection as Reflection
    from remembrancer.model.record import Role as Role
    from remembrancer.model.record import Signal as Signal
    from remembrancer.model.record import Source as Source
    from remembrancer.model.saved import Outcome as Outcome
    from remembrancer.model.saved import Saved as Saved
    from remembrancer.model.savings import Expense as Expense
    from remembrancer.model.savings import Saving as Saving
    from remembrancer.model.savings import Savings as Savings
    from remembrancer.model.scope import Scope as Scope
    from remembrancer.model.session import Session as Session
    from remembrancer.model.session import SessionStatus as SessionStatus
    from remembrancer.model.space import Space as Space
    from remembrancer.model.standing import Standing as Standing
    from remembrancer.model.verdict import Move as Move
    from remembrancer.model.verdict import Said as Said
    from remembrancer.model.verdict import SessionOutcome as SessionOutcome
    from remembrancer.model.verdict import Verdict as Verdict
    from remembrancer.ports.embedder import Embedder as Embedder
    from remembrancer.ports.language_model import LanguageModel as LanguageModel
    from remembrancer.ports.reranker import Judged as Judged
    from remembrancer.ports.reranker import Reranker as Reranker
    from remembrancer.retrieval.query import Explanation as Explanation
    from remembrancer.retrieval.query import Hit as Hit
    from remembrancer.retrieval.query import Recalled as Recalled
    from remembrancer.retrieval.query import Replacement as Replacement
    from remembrancer.retrieval.timeline import Around as Around
    from remembrancer.retrieval.timeline import Changed as Changed
    from remembrancer.retrieval.timeline import Diff as Diff
    from remembrancer.runtime import open_memory as open_memory
    from remembrancer.sync import SyncConversation as SyncConversation
    from remembrancer.sync import SyncMemory as SyncMemory
    from remembrancer.workers.chats import Differing as Differing
    from remembrancer.workers.chats import ImportedFile as ImportedFile
    from remembrancer.workers.citing import Answer as Answer
    from remembrancer.workers.citing import Citation as Citation
    from remembrancer.workers.distilling import Distilled as Distilled
    from remembrancer.workers.doctor import Diagnosis as Diagnosis
    from remembrancer.workers.importing import Imported as Imported
    from remembrancer.workers.replying import Executed as Executed
    from remembrancer.workers.replying import Reply as Reply

_HOMES = {
    "AccessKey": "model.access",
    "Answer": "workers.citing",
    "Archived": "model.archive",
    "Around": "retrieval.timeline",
    "AuditRow": "model.audit",
    "BadModelOutput": "errors",
    "Block": "context.assemble",
    "Breaker": "model.breaker",
    "Budget": "governance.spending",
    "BudgetExceeded": "errors",
    "BudgetState": "governance.spending",
    "CallPurpose": "model.call",
    "Caller": "model.caller",
    "Category": "model.pattern",
    "Changed": "retrieval.timeline",
    "ChatFile": "importers.files",
    "Checkpoint": "model.audit",
    "Chunk": "model.chunk",
    "ChunkState": "model.chunk",
    "Citation": "workers.citing",
    "Clash": "model.archive",
    "ClashReason": "model.archive",
    "Classification": "model.classification",
    "Client": "client.client",
    "Compact": "model.forms",
    "Confidence": "model.confidence",
    "Conflict": "errors",
    "Context": "context.report",
    "Conversation": "conversation",
    "Costs": "governance.spending",
    "Counts": "model.episode",
    "Datum": "model.personal",
    "Day": "governance.spending",
    "Deletion": "governance.deleting",
    "Diagnosis": "workers.doctor",
    "Diff": "retrieval.timeline",
    "Differing": "workers.chats",
    "Distilled": "workers.distilling",
    "Effective": "doors.governance",
    "Embedder": "ports.embedder",
    "Entity": "model.episode",
    "Episode": "model.record",
    "EpisodeDetails": "model.details",
    "EpisodeOutcome": "model.episode",
    "Erased": "model.overview",
    "ErasurePlan": "model.erasure",
    "Event": "model.episode",
    "Executed": "workers.replying",
    "Expense": "model.savings",
    "Expired": "doors.retention",
    "Explanation": "retrieval.query",
    "Fact": "model.record",
    "FactCategory": "model.details",
    "FactDetails": "model.details",
    "Failing": "model.breaker",
    "Fault": "model.fault",
    "Finding": "model.fault",
    "Format": "context.formats",
    "Gap": "importers.reader",
    "Granted": "doors.transfers",
    "HandedOut": "model.erasure",
    "Hit": "retrieval.query",
    "Imported": "workers.importing",
    "ImportedFile": "workers.chats",
    "Injected": "model.injection",
    "Injection": "model.injection",
    "InvalidInput": "errors",
    "Item": "context.assemble",
    "Job": "model.job",
    "JobState": "model.job",
    "JobWork": "model.job",
    "Judged": "ports.reranker",
    "Kind": "model.record",
    "LanguageModel": "ports.language_model",
    "Learned": "model.details",
    "LeftOut": "importers.reader",
    "LegalHold": "model.policy",
    "MadeKey": "model.access",
    "Memory": "memory",
    "Message": "model.record",
    "MostRead": "model.overview",
    "Move": "model.verdict",
    "Naming": "model.erasure",
    "NewEpisode": "model.new",
    "NewMessage": "model.new",
    "NewObservation": "model.new",
    "Night": "model.night",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "Observation": "model.record",
    "Occasion": "doors.context",
    "Outcome": "model.saved",
    "Outdated": "errors",
    "Overview": "model.overview",
    "Page": "model.page",
    "Period": "governance.spending",
    "Preview": "model.night",
    "Procedure": "model.record",
    "ProcedureDetails": "model.details",
    "ProjectUsage": "model.overview",
    "Projection": "model.overview",
    "ProviderError": "errors",
    "ProviderUnavailable": "errors",
    "Ranks": "model.injection",
    "Recalled": "retrieval.query",
    "Receipt": "model.erasure",
    "Record": "model.record",
    "Redaction": "model.personal",
    "Reflection": "model.record",
    "Refused": "governance.procedures",
    "RemembrancerError": "errors",
    "Replacement": "retrieval.query",
    "Reply": "workers.replying",
    "Report": "context.report",
    "Reranker": "ports.reranker",
    "Restoration": "governance.deleting",
    "Retained": "governance.retaining",
    "RetentionPolicy": "model.policy",
    "Right": "model.access",
    "Role": "model.record",
    "Said": "model.verdict",
    "Saved": "model.saved",
    "Saving": "model.savings",
    "Savings": "model.savings",
    "SchemaMismatch": "errors",
    "Scope": "model.scope",
    "Session": "model.session",
    "SessionOutcome": "model.verdict",
    "SessionStatus": "model.session",
    "Signal": "model.record",
    "SignalDetails": "model.details",
    "SignalType": "model.episode",
    "Size": "model.forms",
    "Slot": "context.slots",
    "Slots": "context.slots",
    "SoftDeleted": "doors.retention",
    "Source": "model.record",
    "Space": "model.space",
    "Standing": "model.standing",
    "Started": "governance.sessions",
    "Stats": "doors.upkeep",
    "Status": "model.lifecycle",
    "Step": "model.night",
    "StoreError": "errors",
    "StoreUnavailable": "errors",
    "Subject": "model.erasure",
    "Sums": "governance.spending",
    "SyncClient": "client.sync",
    "SyncConversation": "sync",
    "SyncMemory": "sync",
    "Taken": "model.archive",
    "Tier": "model.episode",
    "Total": "model.call",
    "Trust": "model.classification",
    "Turn": "importers.turns",
    "Unauthenticated": "errors",
    "Unit": "governance.spending",
    "Unread": "importers.reader",
    "Verdict": "model.verdict",
    "Verified": "governance.checkpoints",
    "Version": "model.change",
    "Way": "model.injection",
    "Why": "doors.learning",
    "WorkingMemory": "context.working",
    "check_receipt": "governance.erasing",
    "open_memory": "runtime",
    "sized": "model.forms",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] -- a policy test holds it against the imports above
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'remembrancer' has no attribute {name!r}")
    return getattr(import_module(f"remembrancer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
