"""An open store with all that works on it, put together by hand, as a test wants it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from remembrancer import Embedder, Memory, Scope
from remembrancer.governance.admit import Rules
from remembrancer.model.call import CallPurpose
from remembrancer.model.caller import Caller
from remembrancer.model.injection import Injecting
from remembrancer.model.window import WINDOW_TOKENS, Window
from remembrancer.ports.language_model import LanguageModel
from remembrancer.ports.store import Store
from remembrancer.workers.asking import Asking, Models
from remembrancer.workers.distilling import Distilling
from remembrancer.workers.mirror import Mirror
from remembrancer.workers.nightly import Nightly
from remembrancer.workers.observing import Observing
from remembrancer.workers.reflecting import Reflecting
from remembrancer.workers.sweep import Sweep


async def at_once(_seconds: float) -> None:
    """Wait for nothing between two tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What works on an open store; a second one over the same store is another process."""

    memory: Memory
    distilling: Distilling
    sweep: Sweep


def engine_of(
    store: Store,
    rules: Rules,
    scope: Scope,
    *,
    window: Window | None = None,
    embedder: Embedder | None = None,
    models: Mapping[CallPurpose, Sequence[LanguageModel]] | None = None,
    mirror: Mirror | None = None,
    context_window: int = WINDOW_TOKENS,
    observing: type[Observing] = Observing,
) -> Engine:
    """An engine over a store.

    Args:
        window: the thresholds; those of the product where none are given.
    """
    thresholds = window or Window()

    def of_any(_: Scope) -> Window:
        return thresholds

    asked = Models(store, models or {}, rules, asking=Asking(retries=0, sleep=at_once))
    distilling = Distilling(
        store,
        rules,
        observing(store, rules, zone=UTC, window=of_any, models=asked),
        Reflecting(store, rules, zone=UTC, window=of_any, models=asked),
        window=of_any,
        least=lambda: thresholds,
    )
    sweep = Sweep(store, embedder, rules, distilling, mirror=mirror)
    memory = Memory(
        store,
        Caller(scope=scope),
        rules=rules,
        sweep=sweep,
        models=asked,
        distilling=distilling,
        window=context_window,
        injecting=Injecting(),
        embedder=embedder,
        zone=UTC,
        embed_on_write=True,
        nightly=Nightly(store, rules, zone=UTC, models=asked),
    )
    return Engine(memory=memory, distilling=distilling, sweep=sweep)
