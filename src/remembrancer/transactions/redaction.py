"""Personal data: the redactions of a scope, and marks in place of data that a caller may not see."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar, cast

from remembrancer.errors import NotAllowed
from remembrancer.guard.personal.find import find_personal, masker
from remembrancer.guard.personal.names import names
from remembrancer.guard.personal.texts import mapped_value
from remembrancer.guard.threads import off_loop
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import cleaned_details
from remembrancer.types.details import Details
from remembrancer.types.notes import Chunk
from remembrancer.types.policy import (
    BY_FORM,
    NAMES,
    UNLESS_SET,
    Datum,
    Redaction,
    RedactionPolicy,
    data_held,
    strictest,
)
from remembrancer.types.record import Episode, Fact, Message, Metadata, Observation, Record, Signal
from remembrancer.types.results import Line, Page, Version


async def redactions(tx: Tx) -> Mapping[Datum, Redaction]:
    """What is done with each kind in the exact scope: of what is set there and in the scopes it sees the strictest."""
    held: dict[Datum, list[Redaction]] = {}
    for policy in await tx.policies.seen(RedactionPolicy):
        held.setdefault(policy.datum, []).append(policy.redaction)
    return {datum: strictest(held.get(datum) or [UNLESS_SET[datum]]) for datum in Datum}


def kept_out(policies: Mapping[Datum, Redaction]) -> tuple[Datum, ...]:
    """The kinds that are stored nowhere: those that are masked or refused."""
    return tuple(datum for datum, done in policies.items() if done in (Redaction.MASK, Redaction.REFUSE))


async def check_kept(tx: Tx, *texts: str) -> None:
    """Nothing, where what is kept as it is holds nothing that the exact scope does not store.

    Raises:
        NotAllowed: a name or a reason does.
    """
    unwanted = [datum for datum in kept_out(await redactions(tx)) if datum in BY_FORM]
    if found := sorted({one.datum for text in texts for one in find_personal(text, unwanted)}):
        raise NotAllowed(
            f"the name or the reason holds personal data, found {', '.join(found)}, which this scope does not store;"
            " say it otherwise"
        )


def refusal(found: Collection[Datum]) -> str:
    """What is said where text of these kinds is refused."""
    return f"this scope refuses text that holds personal data, found {', '.join(sorted(found))}; take it out"


T = TypeVar("T")
R = TypeVar("R", bound=Record)
D = TypeVar("D", bound=Details)
# What is told by default, and looked for whatever a scope says now.
_USUAL: Final = tuple(datum for datum, done in UNLESS_SET.items() if done is Redaction.TAG)


def veiled_record(record: R) -> R:
    """A memory as who may not see personal data reads it."""
    kinds = data_held(record.metadata)
    return _with_marks(record, masker(kinds)) if kinds else record


def veiled(told: T) -> T:
    """The same for whatever a transaction tells."""
    match told:
        case Record():
            return cast(T, veiled_record(told))
        case Version():
            return cast(T, replace(told, record=veiled_record(told.record)))
        case Page():
            return cast(T, replace(told, records=tuple(map(veiled_record, told.records))))
        case Line():
            return cast(T, replace(told, text=_hidden(told.text, told.personal)) if told.personal else told)
        case list():
            return cast(T, [veiled(one) for one in cast(list[Any], told)])
        case tuple():
            return cast(T, tuple(veiled(one) for one in cast(tuple[Any, ...], told)))
        case dict():
            return cast(T, {name: veiled(one) for name, one in cast(dict[Any, Any], told).items()})
        case _:
            return told


def behind_veil(tx: Tx) -> Tx:
    """A transaction that tells everything with marks in place of personal data; its `engine` does not."""
    return cast(Tx, _Behind(tx, tx))


class _Behind:
    """A transaction, or one of its collections, whose answers are veiled."""

    def __init__(self, inner: object, tx: Tx) -> None:
        self._inner = inner
        self._tx = tx

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in ("caller", "scope", "engine"):
            return found
        if not callable(found):
            return _Behind(found, self._tx) if hasattr(found, "__dict__") else found

        def call(*given: Any, **named: Any) -> Any:
            answer = found(*given, **named)
            return self._awaited(answer) if inspect.isawaitable(answer) else veiled(answer)

        return call

    async def _awaited(self, answer: Any) -> Any:
        told = await answer
        if isinstance(told, Chunk):
            return (await self._runs([told]))[0]
        if isinstance(told, list) and any(isinstance(one, Chunk) for one in cast(list[object], told)):
            return await self._runs(cast(list[Chunk], told))
        return veiled(cast(object, told))

    async def _runs(self, told: list[Chunk]) -> list[Chunk]:
        """Runs of messages: what an observer said of them names no kinds, so that all that anybody wants hidden is."""
        wanted = await redactions(self._tx)
        kinds = tuple(datum for datum in Datum if datum in _USUAL or wanted[datum] is not Redaction.OFF)
        if any(datum in NAMES for datum in kinds):
            await off_loop(partial(names, ""))
        return [replace(one, task=_hidden(one.task, kinds), suggestion=_hidden(one.suggestion, kinds)) for one in told]


def _with_marks(record: R, hide: Callable[[str], str]) -> R:
    shown = replace(
        record,
        text=hide(record.text),
        author=hide(record.author),
        tags=tuple(map(hide, record.tags)),
        metadata=cast(Metadata, mapped_value(record.metadata, hide)),
    )
    if isinstance(shown, Message):
        shown = replace(shown, speaker=hide(shown.speaker))
    if isinstance(shown, Observation):
        shown = replace(shown, title=hide(shown.title))
        if shown.learned:
            shown = replace(shown, learned=hidden_details(shown.learned, hide))
    if isinstance(shown, Episode | Signal | Fact):
        shown = replace(shown, details=hidden_details(shown.details, hide))
    return cast(R, shown)


def hidden_details(details: D, hide: Callable[[str], str]) -> D:
    """Details with marks in their strings, but for the names of what holds."""
    return cast(D, cleaned_details(details, hide, str, lambda value: mapped_value(value, hide)))


def _hidden(text: str, kinds: Collection[Datum]) -> str:
    return masker(kinds)(text)
