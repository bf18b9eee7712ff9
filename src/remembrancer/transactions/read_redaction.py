"""What a caller without the right to see personal data reads in its place: a mark, in whatever a transaction tells."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar, cast

from remembrancer.guard.personal.find import masker
from remembrancer.guard.personal.names import names
from remembrancer.guard.personal.texts import mapped_value
from remembrancer.guard.threads import off_loop
from remembrancer.storage.tx import Tx
from remembrancer.transactions.redactions import redactions
from remembrancer.transactions.validation import cleaned_details
from remembrancer.types.details import Details
from remembrancer.types.notes import Chunk
from remembrancer.types.policy import DEFAULT_REDACTIONS, NAME_TYPES, PersonalDataType, Redaction, personal_data_of
from remembrancer.types.record import Episode, Fact, Message, Metadata, Observation, Record, Signal
from remembrancer.types.results import ContextLine, Page, Version

T = TypeVar("T")
R = TypeVar("R", bound=Record)
D = TypeVar("D", bound=Details)
# What is told by default, and looked for whatever a scope says now.
_USUAL: Final = tuple(datum for datum, done in DEFAULT_REDACTIONS.items() if done is Redaction.TAG)


def veiled_record(record: R) -> R:
    """A memory as who may not see personal data reads it."""
    kinds = personal_data_of(record.metadata)
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
        case ContextLine():
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
        kinds = tuple(datum for datum in PersonalDataType if datum in _USUAL or wanted[datum] is not Redaction.OFF)
        if any(datum in NAME_TYPES for datum in kinds):
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


def _hidden(text: str, kinds: Collection[PersonalDataType]) -> str:
    return masker(kinds)(text)
