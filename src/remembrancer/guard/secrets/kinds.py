"""The kinds of credentials, and the search for their patterns in a text.

The table is in the files of `patterns/secrets`. Where several kinds claim a span, the first kind names it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from remembrancer.guard.patterns import expand, load
from remembrancer.guard.prefilter import Prefilter
from remembrancer.guard.secrets import passwords
from remembrancer.guard.secrets.checks import CHECKS, Check

# Kinds that no single service issues. They come last, so that a service names its own keys.
_GENERIC: Final = "protocols"
_ASSIGNMENT: Final = "assignment"
# A token is no shorter, so a text of short words contains none.
_LONG: Final = 15
_HEAD: Final = re.compile(r"(?<![a-z0-9])(?=([a-z0-9][^\n]{2}))")
_HEAD_LENGTH: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPattern:
    """One pattern of a kind; the group `secret` of a match is what must not be stored.

    Args:
        prefilter: in lower case; a match begins with one of them, or only contains it if `anywhere` is true.
        source: compiled on the first text that may match: most processes need few.
        check: returns True if a match is a credential and not a sample.
        requires: a substring of the lowered text without which nothing matches.
        is_token: the match is one word that begins with the prefilter.
    """

    prefilter: tuple[str, ...]
    source: str
    check: Check
    requires: str = ""
    anywhere: bool = False
    is_token: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretKind:
    """A kind of credential.

    Args:
        name: as the mark shows it that replaces a credential.
        form: the form of it, as its issuer documents it.
        generic: no single service issues it.
        examples: texts with one, between « and »; `{a36}` means 36 random letters and digits, so that no
            example is one.
        near: texts that look similar and contain none.
    """

    name: str
    form: str
    patterns: tuple[SecretPattern, ...]
    generic: bool
    examples: tuple[str, ...]
    near: tuple[str, ...]


@cache
def kinds() -> tuple[SecretKind, ...]:
    """Return all kinds, in the order of their rank."""
    groups = sorted(load("secrets").items(), key=lambda item: item[0] == _GENERIC)
    return tuple(kind for name, group in groups for kind in _kinds(group, generic=name == _GENERIC))


def is_bare_word(text: str) -> bool:
    """Return True if a text is one word of letters, too short for a token: it is no credential without a name."""
    return len(text) < _LONG and text.isalpha()


def matches(text: str, lowered: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the matches of all kinds in a text, each with the name of its kind.

    Args:
        lowered: the text in lower case, of the same length.
    """
    for name, pattern in _index().candidates(lowered):
        for match in _matches(pattern, text, lowered):
            yield name, match


def _matches(pattern: SecretPattern, text: str, lowered: str) -> Iterator[re.Match[str]]:
    if pattern.requires not in lowered:
        return
    expression = _compiled(pattern.source)
    if pattern.anywhere:
        if any(piece in lowered for piece in pattern.prefilter):
            yield from (match for match in expression.finditer(text) if pattern.check(match))
        return
    # Finding a substring costs a twentieth of trying a pattern at every position.
    for piece in pattern.prefilter:
        position = lowered.find(piece)
        while position >= 0:
            match = expression.match(text, position)
            if match is not None and pattern.check(match):
                yield match
            position = lowered.find(piece, max(position + 1, match.end() if match else 0))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


class _Index:
    """The patterns by substrings of the texts that they may match, since most texts match none."""

    def __init__(self, kinds: Iterable[SecretKind]) -> None:
        self._patterns = tuple((kind.name, pattern) for kind in kinds for pattern in kind.patterns)
        generic = {id(pattern) for kind in kinds if kind.generic for pattern in kind.patterns}
        self._generic: dict[str, list[int]] = {}
        self._by_head: dict[str, list[int]] = {}
        self._by_piece: dict[str, list[int]] = {}
        for place, (_, pattern) in enumerate(self._patterns):
            is_generic = id(pattern) in generic
            by_head = not is_generic and _begins_a_word(pattern)
            index = self._generic if is_generic else self._by_head if by_head else self._by_piece
            for piece in pattern.prefilter:
                index.setdefault(piece[:_HEAD_LENGTH] if by_head else piece, []).append(place)
        self._pieces = Prefilter((*self._generic, *self._by_piece))

    def candidates(self, lowered: str) -> Iterator[tuple[str, SecretPattern]]:
        """Yield the patterns that may match a text, each with the name of its kind."""
        pieces = self._pieces.within(lowered)
        places = {place for piece in pieces for place in self._generic.get(piece, ())}
        if long := [word for word in lowered.split() if len(word) >= _LONG]:
            places.update(place for piece in pieces for place in self._by_piece.get(piece, ()))
            for head in set(_HEAD.findall("\n".join(long))):
                places.update(self._by_head.get(head, ()))
        for place in sorted(places):
            yield self._patterns[place]


def _begins_a_word(pattern: SecretPattern) -> bool:
    return pattern.is_token and all(len(piece) >= _HEAD_LENGTH and piece[0].isalnum() for piece in pattern.prefilter)


@cache
def _index() -> _Index:
    return _Index(kinds())


def _kinds(group: Mapping[str, Mapping[str, Any]], *, generic: bool) -> Iterator[SecretKind]:
    fragments = group.get("fragments", {})
    for name, kind in group.items():
        if name == "fragments":
            continue
        patterns = [_pattern(entry, fragments) for entry in kind.get("patterns", ())]
        if name == _ASSIGNMENT:
            patterns += _passwords()
        yield SecretKind(
            name=name,
            form=kind["form"],
            patterns=tuple(patterns),
            generic=generic,
            examples=tuple(kind["examples"]),
            near=tuple(kind["near"]),
        )


def _pattern(entry: Mapping[str, Any], fragments: Mapping[str, str]) -> SecretPattern:
    """Return a pattern; without a group `secret` the whole match is the credential and begins a word."""
    source = expand(entry["match"], fragments)
    is_token = "(?P<secret>" not in source
    return SecretPattern(
        prefilter=tuple(entry["prefilter"]),
        source=rf"(?<![A-Za-z0-9])(?P<secret>{source})" if is_token else source,
        check=CHECKS[entry.get("check", "random" if is_token else "machine_made")],
        requires=entry.get("requires", ""),
        anywhere=entry.get("anywhere", False),
        is_token=is_token,
    )


def _passwords() -> Sequence[SecretPattern]:
    return [
        SecretPattern(prefilter=tuple(prefilter), source=source, check=check)
        for prefilter, source, check in passwords.patterns()
    ]
