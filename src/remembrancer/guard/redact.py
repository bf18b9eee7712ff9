"""Removal of what must not be stored: regions marked private, and credentials.

Every write to a store passes here first, because a secret that has been embedded, summarised and backed up cannot be
removed. A wrong mask damages a memory permanently, so a doubtful value is kept. Every scan is linear in its text:
callers pass whole transcripts, some of them hostile.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.guard.personal.texts import is_file
from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.find import find_secrets, find_under
from remembrancer.language.marking import marked
from remembrancer.language.private import strip_private

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

DEEPEST_VALUE = 100


class SecretPolicy(StrEnum):
    """The treatment of credentials in texts that are written to a scope."""

    OFF = "off"
    MASK = "mask"
    TAG = "tag"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text after a policy, and the kinds of secret in it, sorted and distinct."""

    text: str
    kinds: tuple[str, ...]


def redact(text: str, *, policy: SecretPolicy) -> Masked:
    """Return a text without its private regions, and with `policy` applied to its secrets.

    Raises:
        NotAllowed: the policy is to refuse, and a secret was found outside the private regions.
    """
    return apply_policy(strip_private(text), policy)


def redact_value(
    value: Json, *, policy: SecretPolicy, before: Callable[[str], str] = str
) -> tuple[Json, tuple[str, ...]]:
    """Return a value with every string in it redacted, keys included, and the kinds of secret in it.

    A string under a key such as `password` is judged as an assignment to that name would be. Keys that
    become equal are numbered, so that no entry is lost. Files in base64 are not searched.

    Args:
        before: applied to every string first.

    Raises:
        InvalidInput: the value is nested deeper than `DEEPEST_VALUE`.
        NotAllowed: the policy is to refuse, and a secret was found anywhere in the value.
    """
    kinds: set[str] = set()
    # Refusing waits for the whole value, so that the message names every kind.
    tagging = SecretPolicy.TAG if policy is SecretPolicy.REFUSE else policy
    clean = _redacted(value, name="", policy=tagging, kinds=kinds, room=DEEPEST_VALUE, before=before)
    found = tuple(sorted(kinds))
    if policy is SecretPolicy.REFUSE and found:
        raise _refusal(found)
    return clean, found


def apply_policy(text: str, policy: SecretPolicy) -> Masked:
    """Return a text with `policy` applied to its secrets.

    Raises:
        NotAllowed: the policy is to refuse, and a secret was found.
    """
    return _apply(text, policy, find=find_secrets)


_Find: TypeAlias = Callable[[str], tuple[Secret, ...]]


def _apply(text: str, policy: SecretPolicy, *, find: _Find) -> Masked:
    match policy:
        case SecretPolicy.OFF:
            return Masked(text=text, kinds=())
        case SecretPolicy.MASK:
            return _mask(text, find=find)
        case SecretPolicy.TAG:
            return Masked(text=text, kinds=_kinds(find(text)))
        case SecretPolicy.REFUSE:
            if kinds := _kinds(find(text)):
                raise _refusal(kinds)
            return Masked(text=text, kinds=())
        case _:
            assert_never(policy)


def _mask(text: str, *, find: _Find) -> Masked:
    kinds: set[str] = set()
    # A mask can reveal a neighbour. Each round leaves less unmasked text, so this ends.
    while secrets := find(text):
        kinds.update(secret.kind for secret in secrets)
        text = marked(text, ((one.start, one.end, f"[SECRET:{one.kind}]") for one in secrets))
    return Masked(text=text, kinds=tuple(sorted(kinds)))


def _kinds(secrets: Iterable[Secret]) -> tuple[str, ...]:
    return tuple(sorted({secret.kind for secret in secrets}))


def _refusal(kinds: Iterable[str]) -> NotAllowed:
    return NotAllowed(f"this scope refuses text that contains secrets, found {', '.join(kinds)}; remove them")


def _redacted(
    value: Json, *, name: str, policy: SecretPolicy, kinds: set[str], room: int, before: Callable[[str], str]
) -> Json:
    if room == 0:
        raise InvalidInput(f"the value is nested deeper than {DEEPEST_VALUE} levels; flatten it")
    match value:
        case str() if is_file(value):
            return value
        case str():
            done = _apply(strip_private(before(value)), policy, find=lambda text: find_under(name, text))
            kinds.update(done.kinds)
            return done.text
        case None | bool() | int() | float():
            return value
        case Mapping():
            return _redacted_mapping(value, policy=policy, kinds=kinds, room=room - 1, before=before)
        case tuple():
            return tuple(
                _redacted(item, name=name, policy=policy, kinds=kinds, room=room - 1, before=before) for item in value
            )
        case _:
            return [
                _redacted(item, name=name, policy=policy, kinds=kinds, room=room - 1, before=before) for item in value
            ]


def _redacted_mapping(
    value: Mapping[str, Json], *, policy: SecretPolicy, kinds: set[str], room: int, before: Callable[[str], str]
) -> Mapping[str, Json]:
    clean: dict[str, Json] = {}
    copies: dict[str, int] = {}
    for key, item in value.items():
        shown = redact(before(key), policy=policy)
        kinds.update(shown.kinds)
        unique = shown.text
        while unique in clean:
            copies[shown.text] = copies.get(shown.text, 1) + 1
            unique = f"{shown.text} ({copies[shown.text]})"
        clean[unique] = _redacted(item, name=key, policy=policy, kinds=kinds, room=room, before=before)
    return clean
