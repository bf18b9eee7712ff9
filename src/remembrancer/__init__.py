"""Remembrancer: the memory of AI agents.

Start with `SyncMemory` (or `open_memory` in async code): `record`, `save`, `recall`, `context`. The packages are
layers, and each may import only those below it:

- `cli` and `service`: the entry points
- `operations`, with `client` and `sync`: the table of operations and what is generated from it
- `memory`, `resources` and `open`: the public methods, and their assembly
- `jobs`, `privacy`, `context`, `learn`, `ingest`, `search`, `llm` and `transactions`: the work
- `storage`, `guard` and `language`: databases and text analysis
- `types` and `errors`: values
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remembrancer.client.client import Client as Client
    from remembrancer.client.sync import SyncClient as SyncClient
    from remembrancer.context.citations import Answer as Answer
    from remembrancer.context.citations import Citation as Citation
    from remembrancer.context.reply import Reply as Reply
    from remembrancer.context.reply import TaskResult as TaskResult
    from remembrancer.context.report import Context as Context
    from remembrancer.context.request import ContextMode as ContextMode
    from remembrancer.context.request import ContextRequest as ContextRequest
    from remembrancer.context.working_memory import WorkingMemory as WorkingMemory
    from remembrancer.errors import BadModelOutput as BadModelOutput
    from remembrancer.errors import BudgetExceeded as BudgetExceeded
    from remembrancer.errors import Conflict as Conflict
    from remembrancer.errors import InvalidInput as InvalidInput
    from remembrancer.errors import NotAllowed as NotAllowed
    from remembrancer.errors import NotFound as NotFound
    from remembrancer.errors import ProviderError as ProviderError
    from remembrancer.errors import ProviderUnavailable as ProviderUnavailable
    from remembrancer.errors import RemembrancerError as RemembrancerError
    from remembrancer.errors import RevisionConflict as RevisionConflict
    from remembrancer.errors import SchemaMismatch as SchemaMismatch
    from remembrancer.errors import StoreError as StoreError
    from remembrancer.errors import StoreUnavailable as StoreUnavailable
    from remembrancer.errors import Unauthenticated as Unauthenticated
    from remembrancer.ingest.importers.files import ChatFile as ChatFile
    from remembrancer.llm.embedder import Embedder as Embedder
    from remembrancer.llm.language_model import LanguageModel as LanguageModel
    from remembrancer.llm.reranker import Reranker as Reranker
    from remembrancer.memory import Memory as Memory
    from remembrancer.open import open_memory as open_memory
    from remembrancer.privacy.receipts import check_receipt as check_receipt
    from remembrancer.resources.conversation import Conversation as Conversation
    from remembrancer.resources.memories import Evidence as Evidence
    from remembrancer.search.query import Explanation as Explanation
    from remembrancer.search.query import Hit as Hit
    from remembrancer.search.query import RecallRequest as RecallRequest
    from remembrancer.search.query import RecallResult as RecallResult
    from remembrancer.sync import SyncMemory as SyncMemory
    from remembrancer.types.access import Caller as Caller
    from remembrancer.types.audit import AuditFilter as AuditFilter
    from remembrancer.types.budget import Budget as Budget
    from remembrancer.types.episode import Entity as Entity
    from remembrancer.types.filter import Filter as Filter
    from remembrancer.types.new import Changes as Changes
    from remembrancer.types.new import NewEpisode as NewEpisode
    from remembrancer.types.new import NewKey as NewKey
    from remembrancer.types.new import NewMessage as NewMessage
    from remembrancer.types.new import NewObservation as NewObservation
    from remembrancer.types.new import NewSignal as NewSignal
    from remembrancer.types.record import Episode as Episode
    from remembrancer.types.record import Fact as Fact
    from remembrancer.types.record import Message as Message
    from remembrancer.types.record import Observation as Observation
    from remembrancer.types.record import Record as Record
    from remembrancer.types.record import Reflection as Reflection
    from remembrancer.types.record import Rule as Rule
    from remembrancer.types.record import Signal as Signal
    from remembrancer.types.results import Page as Page
    from remembrancer.types.results import Saved as Saved
    from remembrancer.types.scope import Scope as Scope

_HOMES = {
    "Answer": "context.citations",
    "AuditFilter": "types.audit",
    "BadModelOutput": "errors",
    "Budget": "types.budget",
    "BudgetExceeded": "errors",
    "Caller": "types.access",
    "Changes": "types.new",
    "ChatFile": "ingest.importers.files",
    "Citation": "context.citations",
    "Client": "client.client",
    "Conflict": "errors",
    "Context": "context.report",
    "ContextMode": "context.request",
    "ContextRequest": "context.request",
    "Conversation": "resources.conversation",
    "Embedder": "llm.embedder",
    "Entity": "types.episode",
    "Episode": "types.record",
    "Evidence": "resources.memories",
    "Explanation": "search.query",
    "Fact": "types.record",
    "Filter": "types.filter",
    "Hit": "search.query",
    "InvalidInput": "errors",
    "LanguageModel": "llm.language_model",
    "Memory": "memory",
    "Message": "types.record",
    "NewEpisode": "types.new",
    "NewKey": "types.new",
    "NewMessage": "types.new",
    "NewObservation": "types.new",
    "NewSignal": "types.new",
    "NotAllowed": "errors",
    "NotFound": "errors",
    "Observation": "types.record",
    "Page": "types.results",
    "ProviderError": "errors",
    "ProviderUnavailable": "errors",
    "RecallRequest": "search.query",
    "RecallResult": "search.query",
    "Record": "types.record",
    "Reflection": "types.record",
    "RemembrancerError": "errors",
    "Reply": "context.reply",
    "Reranker": "llm.reranker",
    "RevisionConflict": "errors",
    "Rule": "types.record",
    "Saved": "types.results",
    "SchemaMismatch": "errors",
    "Scope": "types.scope",
    "Signal": "types.record",
    "StoreError": "errors",
    "StoreUnavailable": "errors",
    "SyncClient": "client.sync",
    "SyncMemory": "sync",
    "TaskResult": "context.reply",
    "Unauthenticated": "errors",
    "WorkingMemory": "context.working_memory",
    "check_receipt": "privacy.receipts",
    "open_memory": "open",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] -- a policy test compares it with the imports above
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'remembrancer' has no attribute {name!r}")
    return getattr(import_module(f"remembrancer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
