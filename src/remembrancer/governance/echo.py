"""Telling what memory itself put into a prompt from what people and agents say: sealed blocks.

A block carries a nonce and a seal over its text that only the store's key can make, so nobody can forge one to keep
their words from being remembered. Where one comes back, it is kept as a reference: what memory told is memory's own.
"""

import json
import re
from collections.abc import Callable

Sign = Callable[[str], str]

_OPENING = re.compile(r'<memory-block id=(\\?")([^"\\]{1,64})\1 seal=\1([0-9a-f]{32,64})\1>')
# Of a fingerprint, hex; each digit is read with every prompt, and so many cannot be guessed.
_SEAL_DIGITS = 32
_MARK = "<memory-block "
_CLOSING = "</memory-block>"
_TAG = re.compile(r"<\s*/?\s*memory-block", re.IGNORECASE)
# What mails and chats put before each line that they quote.
_QUOTING = re.compile(r"[ \t>|]*")
_REFERENCE = re.compile(r"\[memory block [^\]\s]{1,64}\]")


def sealed(text: str, *, nonce: str, sign: Sign) -> str:
    """A text marked as coming from memory."""
    # A memory cannot close the block it stands in, nor open another: its own tags are shown, not spoken.
    inner = _TAG.sub(lambda tag: "&lt;" + tag[0][1:], text)
    seal = sign(_sealed_part(nonce, inner))[:_SEAL_DIGITS]
    return f'{_MARK}id="{nonce}" seal="{seal}">\n{inner}\n{_CLOSING}'


def with_references(text: str, *, sign: Sign) -> str:
    """A text with a reference in place of each sealed block, also of one that is quoted; forged ones stay."""
    if _MARK not in text:
        return text
    parts: list[str] = []
    kept = 0
    for opening in _OPENING.finditer(text):
        end = text.find(_CLOSING, opening.end())
        if opening.start() >= kept and end >= 0 and _is_genuine(text, opening, end, sign):
            parts += [text[kept : opening.start()], f"[memory block {opening[2]}]"]
            kept = end + len(_CLOSING)
    return "".join([*parts, text[kept:]])


def without_echo(text: str, *, sign: Sign) -> str:
    """A text without what it has of memory's own: sealed blocks and references to them; forged ones stay."""
    if _MARK not in text and "[memory block " not in text:
        return text
    return _REFERENCE.sub("", with_references(text, sign=sign)).strip()


def _is_genuine(text: str, opening: re.Match[str], end: int, sign: Sign) -> bool:
    """Whether the store has sealed what stands between an opening tag and the next closing one."""
    between = text[opening.end() : end]
    inner = _unescaped(between) if opening[1] != '"' else _unquoted(between, text[: opening.start()])
    if not (inner.startswith("\n") and inner.endswith("\n") and len(inner) > 1):
        return False
    return sign(_sealed_part(opening[2], inner[1:-1])).startswith(opening[3])


def _unescaped(between: str) -> str:
    """What stood in a block before it was written into JSON; `""` where that is no JSON."""
    try:
        return str(json.loads(f'"{between}"', strict=False))
    except ValueError:
        return ""


def _unquoted(between: str, before: str) -> str:
    """What stood in a block before each of its lines was quoted as the one that opens it."""
    lines = between.replace("\r\n", "\n").split("\n")
    mark = before[before.rfind("\n") + 1 :]
    if not mark or not _QUOTING.fullmatch(mark):
        return "\n".join(lines)
    bare = mark.rstrip()
    return "\n".join(line.removeprefix(mark) if line.startswith(mark) else line.removeprefix(bare) for line in lines)


def _sealed_part(nonce: str, text: str) -> str:
    return f"memory-block\0{nonce}\0{text}"
