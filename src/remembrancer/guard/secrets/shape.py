"""A kind of credential as data: what it looks like, and how much of that is enough to believe it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from remembrancer.guard.secrets.values import DIGIT, HEX, SAMPLE_TOKEN, SAMPLE_WORD, entropy, is_placeholder, is_strong

Check: TypeAlias = Callable[[re.Match[str]], bool]
# Below so many bits a character a token is a sample such as `xxxxxxxx` or `0000000000`.
_LEAST_BITS: Final = 2.2
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_LEAST_LETTERS: Final = 12
_LEAST_MIXED_BITS: Final = 3.0
# Words that begin with a capital have about one in five.
_LEAST_CASE: Final = 0.24


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One pattern of a kind; the group `secret` of a match is what must not be kept.

    Args:
        needles: in lower case; the pattern begins with one of them, unless it is to be tried everywhere.
        source: of the pattern, which is compiled when a text may first have it: most processes need few.
        beside: what must stand somewhere as well, for needles that are common.
        check: whether a match is to be believed.
        starts: whether the needle stands at the start of a word, and is the start of the credential.
    """

    needles: tuple[str, ...]
    source: str
    check: Check
    beside: str
    everywhere: bool
    starts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of credential.

    Args:
        name: as it stands in the mark that takes the place of a credential.
        described: its shape as its issuer or common knowledge tells it.
        examples: texts that hold one, between « and »; `{a36}` stands for 36 random letters and digits, so that no
            example is one.
        near: texts that hold none, and look as if.
    """

    name: str
    described: str
    shapes: tuple[Shape, ...]
    examples: tuple[str, ...]
    near: tuple[str, ...]


def kind(name: str, described: str, *shapes: Shape, examples: tuple[str, ...], near: tuple[str, ...] = ()) -> Kind:
    """A row of the table."""
    return Kind(name=name, described=described, shapes=shapes, examples=examples, near=near)


def is_made(match: re.Match[str]) -> bool:
    """Whether a token was made by a machine, and is no sample from a manual."""
    token = match["secret"]
    return SAMPLE_TOKEN.search(token) is None and DIGIT.search(token) is not None and entropy(token) >= _LEAST_BITS


def is_drawn(match: re.Match[str]) -> bool:
    """The same behind a prefix that little else has: letters drawn without a digit are enough."""
    token = match["secret"]
    return is_made(match) or (SAMPLE_TOKEN.search(token) is None and is_mixed(token))


def is_mixed(token: str) -> bool:
    """Whether its letters are mixed by chance: about as many capitals as small ones, in no words."""
    letters = max(_LETTERS.findall(token), key=len, default="")
    capitals = sum(letter.isupper() for letter in letters)
    if len(letters) < _LEAST_LETTERS or not _LEAST_CASE <= capitals / len(letters) <= 1 - _LEAST_CASE:
        return False
    return SAMPLE_WORD.search(letters) is None and entropy(letters) >= _LEAST_MIXED_BITS


def is_no_placeholder(match: re.Match[str]) -> bool:
    """Whether it is a value, and does not stand in place of one."""
    return not is_placeholder(match["secret"])


def is_no_digest(match: re.Match[str]) -> bool:
    """Whether it has more than hexadecimal digits."""
    return HEX.fullmatch(match["secret"]) is None


def is_password(match: re.Match[str]) -> bool:
    """Whether it may be a password: letters with digits or signs, or many digits."""
    value = match["secret"]
    return not is_placeholder(value) and (is_strong(value, shortest=6) or (value.isdecimal() and len(value) >= 6))


def always(_match: re.Match[str]) -> bool:
    """That the pattern is enough."""
    return True


def shape(
    needles: str, pattern: str, check: Check | None = None, *, beside: str = "", everywhere: bool = False
) -> Shape:
    """A pattern; without a group `secret` all of it is the credential, and no letter or digit stands before it.

    Args:
        needles: parted by blanks.
        check: if not given, whether it was made by a machine.
    """
    starts = "(?P<secret>" not in pattern
    whole = pattern if not starts else rf"(?<![A-Za-z0-9])(?P<secret>{pattern})"
    return Shape(
        needles=tuple(needles.split()),
        source=whole,
        check=check or (is_drawn if starts else is_made),
        beside=beside,
        everywhere=everywhere,
        starts=starts,
    )


def matches(found: Shape, text: str, lowered: str) -> Iterator[re.Match[str]]:
    """What a shape matches and believes."""
    if found.beside not in lowered:
        return
    pattern = _compiled(found.source)
    if found.everywhere:
        if any(needle in lowered for needle in found.needles):
            yield from (match for match in pattern.finditer(text) if found.check(match))
        return
    # Finding a needle costs a twentieth of trying a pattern at every place.
    for needle in found.needles:
        position = lowered.find(needle)
        while position >= 0:
            match = pattern.match(text, position)
            if match is not None and found.check(match):
                yield match
            position = lowered.find(needle, max(position + 1, match.end() if match else 0))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)
