"""Which characters can be seen: emoji of several signs hold some that cannot be by themselves."""

import re

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
)
# Signs that are joined to one, such as a family, and the flags of regions, which are spelt in invisible letters.
_JOINED = re.compile(f"(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f|{_PICTURE}(?:\u200d{_PICTURE})*)")


def printable(name: str) -> bool:
    """Whether the name of a scope or an actor shows all that it holds: nothing hidden, but within an emoji."""
    return _JOINED.sub("", name).isprintable()


def shown(text: str) -> str:
    """A text as it may stand on a terminal: what would steer the terminal, or cannot be seen, is replaced."""
    parts = _JOINED.split(text)
    return "".join(part if place % 2 else _replaced(part) for place, part in enumerate(parts))


def _replaced(text: str) -> str:
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
