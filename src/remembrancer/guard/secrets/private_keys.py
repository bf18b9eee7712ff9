"""Private keys: blocks between marks, whole or cut off."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from remembrancer.guard.secrets.secret import Secret

_PEM_LINE = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BREAK = r"(?:\s|\\+[nrt]|[\"'+>|])"
_PEM_BODY = re.compile(
    rf"(?:{_PEM_BREAK}++[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{1,120}}+)*+"
    rf"(?:{_PEM_BREAK}*+[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_PEM_BREAK}{{1,8}}+(?:[A-Za-z]{{0,15}}+[0-9+/=]|[A-Za-z]{{0,14}}?[a-z][A-Z])[A-Za-z0-9+/=]{{0,15}}+)?"
)


def pem_blocks(text: str) -> Iterator[Secret]:
    """Private keys in a text; without an end mark, as far as base64 goes."""
    if "-----BEGIN" not in text:
        return
    lines = list(_PEM_LINE.finditer(text))
    for line, following in zip_longest(lines, lines[1:]):
        if line is None or line[1] == "END":
            continue
        if following is not None and following[1] == "END":
            yield Secret(kind="pem-private-key", start=line.start(), end=following.end())
            continue
        limit = len(text) if following is None else following.start()
        if body := _PEM_BODY.match(text, line.end(), limit):
            yield Secret(kind="pem-private-key", start=line.start(), end=body.end())
