"""Personal data: redactions of scopes, and masking of results."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar, cast

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.guard.personal.find import find_personal, masker
from remembrancer.guard.personal.names import names
from remembrancer.guard.personal.texts import mapped_value
from remembrancer.guard.threads import off_loop
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import cleaned_details
from remembrancer.types.access import Caller
from remembrancer.types.details import Details
from remembrancer.types.notes import Chunk
from remembrancer.types.policy import (
    DEFAULT_REDACTIONS,
    NAME_TYPES,
    PATTERN_TYPES,
    PersonalDataType,
    Redaction,
    RedactionPolicy,
    personal_data_of,
    strictest,
)
from remembrancer.types.record import Episode, Fact, Message, Metadata, Observation, Record, Signal
from remembrancer.types.results import ContextLine, Page, Version

T = TypeVar("T")
R = TypeVar("R", bound=Record)
D = TypeVar("D", bound=Details)
# Tagged by default, so masked on read even if a scope has since disabled it.
_DEFAULT: Final = tuple(data_type for data_type, redaction in DEFAULT_REDACTIONS.items() if redaction is Redaction.TAG)


async def effective_redactions(tx: Tx) -> Mapping[PersonalDataType, Redaction]:
    """Return the redaction of each kind of personal data.

    It is the strictest of the exact scope and those it sees.
    """
    policies: dict[PersonalDataType, list[Redaction]] = {}
    for policy in await tx.policies.visible(RedactionPolicy):
        policies.setdefault(policy.data_type, []).append(policy.redaction)
    return {
        data_type: strictest(policies.get(data_type) or [DEFAULT_REDACTIONS[data_type]])
        for data_type in PersonalDataType
    }


def excluded_data(policies: Mapping[PersonalDataType, Redaction]) -> tuple[PersonalDataType, ...]:
    """Return the kinds of personal data that are masked or refused."""
    return tuple(
        data_type for data_type, redaction in policies.items() if redaction in (Redaction.MASK, Redaction.REFUSE)
    )


async def check_storable_names(tx: Tx, *texts: str) -> None:
    """Check names and reasons for data that the exact scope excludes.

    They are stored unmasked.

    Raises:
        NotAllowed: one does.
    """
    excluded = [data_type for data_type in excluded_data(await effective_redactions(tx)) if data_type in PATTERN_TYPES]
    if kinds := sorted({one.data_type for text in texts for one in find_personal(text, excluded)}):
        raise NotAllowed(
            f"the name or the reason contains personal data ({', '.join(kinds)}), which this scope does not store;"
            " reword it"
        )


def refusal_message(kinds: Collection[PersonalDataType]) -> str:
    """Return the error message for refused kinds of personal data."""
    return f"this scope refuses text that contains personal data ({', '.join(sorted(kinds))}); remove it"


def masked_record(record: R) -> R:
    """Return a memory with marks in place of personal data."""
    kinds = personal_data_of(record.metadata)
    return _with_marks(record, masker(kinds)) if kinds else record


def check_marks(caller: Caller, record: Record, text: str) -> None:
    """Check that a new text of a memory has no mark that its caller read in place of personal data.

    Raises:
        InvalidInput: it has one, so the personal data would be lost.
    """
    if caller.sees_personal_data:
        return
    for kind in personal_data_of(record.metadata):
        mark = f"[{kind.upper()}]"
        if mark in text and mark not in record.text:
            raise InvalidInput(
                f"the text has {mark} in place of personal data, which would be lost:"
                " read the memory with the right `reveal`, then change it"
            )


def masked(result: T) -> T:
    """Return any result of a transaction with marks in place of personal data."""
    match result:
        case Record():
            return cast(T, masked_record(result))
        case Version():
            return cast(T, replace(result, record=masked_record(result.record)))
        case Page():
            return cast(T, replace(result, records=tuple(map(masked_record, result.records))))
        case ContextLine():
            return cast(
                T, replace(result, text=_masked_text(result.text, result.personal)) if result.personal else result
            )
        case list():
            return cast(T, [masked(one) for one in cast(list[Any], result)])
        case tuple():
            return cast(T, tuple(masked(one) for one in cast(tuple[Any, ...], result)))
        case dict():
            return cast(T, {name: masked(one) for name, one in cast(dict[Any, Any], result).items()})
        case _:
            return result


def masked_tx(tx: Tx) -> Tx:
    """Return a transaction with masked results.

    Those of its `engine` are not masked.
    """
    return cast(Tx, _Masked(tx, tx))


class _Masked:
    """A transaction, or one of its collections, with masked results."""

    def __init__(self, inner: object, tx: Tx) -> None:
        self._inner = inner
        self._tx = tx

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if name in ("caller", "scope", "engine"):
            return member
        if not callable(member):
            return _Masked(member, self._tx) if hasattr(member, "__dict__") else member

        def call(*args: Any, **named: Any) -> Any:
            result = member(*args, **named)
            return self._awaited(result) if inspect.isawaitable(result) else masked(result)

        return call

    async def _awaited(self, pending: Any) -> Any:
        result = await pending
        if isinstance(result, Chunk):
            return (await self._chunks([result]))[0]
        if isinstance(result, list) and any(isinstance(one, Chunk) for one in cast(list[object], result)):
            return await self._chunks(cast(list[Chunk], result))
        return masked(cast(object, result))

    async def _chunks(self, chunks: list[Chunk]) -> list[Chunk]:
        """Return chunks with masked tasks.

        Their rows name no kinds of data, so all that anybody masks is masked.
        """
        redactions = await effective_redactions(self._tx)
        kinds = tuple(
            data_type
            for data_type in PersonalDataType
            if data_type in _DEFAULT or redactions[data_type] is not Redaction.OFF
        )
        if any(data_type in NAME_TYPES for data_type in kinds):
            await off_loop(partial(names, ""))
        return [
            replace(one, task=_masked_text(one.task, kinds), suggestion=_masked_text(one.suggestion, kinds))
            for one in chunks
        ]


def _with_marks(record: R, mask: Callable[[str], str]) -> R:
    shown = replace(
        record,
        text=mask(record.text),
        author=mask(record.author),
        tags=tuple(map(mask, record.tags)),
        metadata=cast(Metadata, mapped_value(record.metadata, mask)),
    )
    if isinstance(shown, Message):
        shown = replace(shown, speaker=mask(shown.speaker))
    if isinstance(shown, Observation):
        shown = replace(shown, title=mask(shown.title))
        if shown.learned:
            shown = replace(shown, learned=masked_details(shown.learned, mask))
    if isinstance(shown, Episode | Signal | Fact):
        shown = replace(shown, details=masked_details(shown.details, mask))
    return cast(R, shown)


def masked_details(details: D, mask: Callable[[str], str]) -> D:
    """Return details with their strings masked, except the keys of facts."""
    return cast(D, cleaned_details(details, mask, str, lambda value: mapped_value(value, mask)))


def _masked_text(text: str, kinds: Collection[PersonalDataType]) -> str:
    return masker(kinds)(text)
