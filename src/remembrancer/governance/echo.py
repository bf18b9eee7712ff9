"""Telling what memory itself put into a prompt from what people and agents say: sealed blocks.

A block carries a nonce and a seal over its text that only the store's key can make, so nobody can forge one to keep
their words from being remembered.
"""

import re
from collections.abc import Callable

Sign = Callable[[str], str]

_BLOCK = re.compile(r'<memory-block id="([^"]{1,64})" seal="([0-9a-f]{32,64})">\n(.*?)\n</memory-block>', re.DOTALL)
# Of a fingerprint, hex; each digit is read with every prompt, and so many cannot be guessed.
_SEAL_DIGITS = 32
_MARK = "<memory-block "
_TAG = re.compile(r"<\s*/?\s*memory-block", re.IGNORECASE)


def sealed(text: str, *, nonce: str, sign: Sign) -> str:
    """A text marked as coming from memory."""
    # A memory cannot close the block it stands in, nor open another: its own tags are shown, not spoken.
    inner = _TAG.sub(lambda tag: "&lt;" + tag[0][1:], text)
    seal = sign(_sealed_part(nonce, inner))[:_SEAL_DIGITS]
    return f'<memory-block id="{nonce}" seal="{seal}">\n{inner}\n</memory-block>'


def without_echo(text: str, *, sign: Sign) -> str:
    """A text without the sealed blocks in it; forged ones stay."""
    if _MARK not in text:
        return text
    return _BLOCK.sub(lambda block: "" if _genuine(block, sign) else block[0], text).strip()


def _genuine(block: re.Match[str], sign: Sign) -> bool:
    return sign(_sealed_part(block[1], block[3])).startswith(block[2])


def _sealed_part(nonce: str, text: str) -> str:
    return f"memory-block\0{nonce}\0{text}"
