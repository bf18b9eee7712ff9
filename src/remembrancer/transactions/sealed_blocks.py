"""Sealed blocks, by which memory recognises its own text in a prompt.

A block has a nonce and a seal that only the store's key can make, so a forged block cannot keep a text from being
stored. A returned block is stored as a reference. The seal covers letters
and digits alone, since blanks, quotes and
escapes change on the way.
"""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

Sign = Callable[[str], str]

# Hex digits of a fingerprint: too many to guess, and each costs tokens in every prompt. Half of them seal the opening
# tag alone, by which a truncated block is recognised.
_SEAL_DIGITS: Final = 32
_TAG_DIGITS: Final = 16
_NAME: Final = "memory-block"
_AMP: Final = r"&(?:amp;){0,3}"
_LT: Final = rf"(?:<|{_AMP}(?:lt|#0{{0,6}}60|#x0{{0,6}}3c);|\\{{1,3}}u003c)"
_GT: Final = rf"(?:>|{_AMP}(?:gt|#0{{0,6}}62|#x0{{0,6}}3e);|\\{{1,3}}u003e)"
_QUOTE: Final = (
    r"(?:\\{0,3}[\"'`“”„‟‘’‚‛«»″′＂]"
    rf"|{_AMP}(?:[lr]?[ds]?quot?|apos|#0{{0,6}}3[49]|#x0{{0,6}}2[27]);|\\{{1,3}}u002[27])"
)
_BLANK: Final = r"(?:\s|\\{1,3}[nrt]|&nbsp;|[>|])"
_OPENING: Final = re.compile(
    rf"{_LT}{_BLANK}{{0,8}}{_NAME}{_BLANK}{{1,16}}id={_QUOTE}{{0,2}}(?P<nonce>[\w.:-]{{1,64}}?){_QUOTE}{{0,2}}"
    rf"{_BLANK}{{1,16}}seal={_QUOTE}{{0,2}}(?P<seal>[0-9a-f]{{{_SEAL_DIGITS},64}}){_QUOTE}{{0,2}}{_BLANK}{{0,8}}?{_GT}",
    re.IGNORECASE,
)
_TAG: Final = re.compile(rf"{_LT}(?={_BLANK}{{0,8}}/?{_BLANK}{{0,8}}{_NAME})", re.IGNORECASE)
_CLOSING: Final = re.compile(rf"{_LT}{_BLANK}{{0,8}}/{_BLANK}{{0,8}}{_NAME}{_BLANK}{{0,8}}?{_GT}", re.IGNORECASE)
# Placeholders for a part that was cut out of the middle of a text.
_ELIDED: Final = re.compile(
    r"…|\.{3}|[\[<(]\s?(?:\w{1,12} ){0,3}(?:truncated|snip(?:ped)?|omitted|elided|cut)\b[^\])>\n]{0,40}[\])>]",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(r"\[memory block [^\]\s]{1,64}\]")
_MAX_ESCAPES: Final = 3


def seal(text: str, *, nonce: str, sign: Sign) -> str:
    """Return a text as a sealed block."""
    # A memory cannot close its block or open another one: the tags in its text are defused.
    inner = _TAG.sub("(", text)
    return (
        f'<{_NAME} id="{nonce}" seal="{_tag_seal(nonce, sign)}{_text_seal(nonce, inner, sign)}">\n{inner}\n</{_NAME}>'
    )


def blocks_to_references(text: str, *, sign: Sign) -> str:
    """Replace each sealed block by a reference.

    Quoted and truncated blocks are replaced, too; forged ones stay.
    """
    if _NAME not in text and _NAME not in text.lower():
        return text
    parts: list[str] = []
    position = 0
    for opening, end in _blocks(text, sign):
        if opening.start() >= position:
            parts += [text[position : opening.start()], f"[memory block {opening['nonce']}]"]
            position = end
    return "".join([*parts, text[position:]])


def without_blocks(text: str, *, sign: Sign) -> str:
    """Return a text without sealed blocks and references to them.

    Forged blocks stay.
    """
    if "[memory block " not in text and _NAME not in text and _NAME not in text.lower():
        return text
    return _REFERENCE.sub("", blocks_to_references(text, sign=sign)).strip()


def _blocks(text: str, sign: Sign) -> Iterator[tuple[re.Match[str], int]]:
    """Yield the genuine opening tags, each with the end of its block."""
    openings = list(_OPENING.finditer(text))
    closings = [(tag.start(), tag.end()) for tag in _CLOSING.finditer(text)]
    at = 0
    for place, opening in enumerate(openings):
        while at < len(closings) and closings[at][0] < opening.end():
            at += 1
        following = openings[place + 1].start() if place + 1 < len(openings) else len(text)
        if at < len(closings) and closings[at][0] <= following:
            start, end = closings[at]
            between = text[opening.end() : start]
            if _is_genuine(opening, between, sign) or (_is_tag(opening, sign) and _ELIDED.search(between)):
                yield opening, end
        elif _is_tag(opening, sign):
            # Truncated: its end is unknown, and an erased text must not survive in it.
            yield opening, following


def _is_tag(opening: re.Match[str], sign: Sign) -> bool:
    return opening["seal"].lower().startswith(_tag_seal(opening["nonce"], sign))


def _is_genuine(opening: re.Match[str], between: str, sign: Sign) -> bool:
    """Return True if the store has sealed a text after an opening tag."""
    if not _is_tag(opening, sign):
        return False
    expected, text = opening["seal"].lower()[_TAG_DIGITS:], between
    for _ in range(_MAX_ESCAPES):
        if expected == _text_seal(opening["nonce"], text, sign):
            return True
        text = _unescaped(text)
    return False


def _unescaped(text: str) -> str:
    """Return the text that a JSON string encodes, or `""` for invalid JSON."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return ""


def _tag_seal(nonce: str, sign: Sign) -> str:
    return sign(f"{_NAME}\0{nonce}")[:_TAG_DIGITS]


def _text_seal(nonce: str, text: str, sign: Sign) -> str:
    return sign(f"{_NAME}\0{nonce}\0{_letters(text)}")[: _SEAL_DIGITS - _TAG_DIGITS]


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without HTML escapes."""
    for _ in range(_MAX_ESCAPES):
        if "&" not in text:
            break
        text = html.unescape(text)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text)))
