"""Judging a value: whether it looks chosen or made, or stands there in place of one."""

import math
import re
from collections import Counter

# So much of a value is looked at before it is believed.
JUDGED = 256
DIGIT = re.compile(r"\d", re.ASCII)
HEX = re.compile(r"[0-9a-fA-F]+")
SAMPLE_TOKEN = re.compile(r"(?i)your[-_]|x{12}|\*{3}|-here\b")

SAMPLE_WORD = re.compile(
    r"(?i)your|token|secret|example|sample|dummy|test|here|replace|insert|place|change|fake|valid|redact|model|name"
    r"|class|client|server|value|string|config|live|base|type|file|with|from|abcde"
)


def words(line: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(line.split())


NOUNS = words(
    """password passwd passphrase pwd pass secret token key credential credentials apikey auth string text
    str bearer required optional hidden none null"""
)
NOTHING = words(
    """true false yes no on off none null nil undefined void any required optional string str text int
    number bytes object boolean bool nan todo tbd n/a redacted masked hidden removed omitted"""
)
PLACEHOLDER = re.compile(
    r"""(?isx)
      \[[^\]]*\] | \[[a-z:_ -]+ | <[\w\s./:-]*>? | \{+[^{}]*\}* | \$[{(].* | \#\{.* | \$[A-Z_][A-Z0-9_]*
    | %\(\w+\)s | %\w+%?
    | @\w+@ | \{\{.* | .*\$\{\{?.* | !\w+ | \w{0,12}\.\.\..* | .*(?:\.\.\.|…) | [*•.…_#?-]+ | x{3,}
    | (?:your|my|some|the|an?|insert|replace|enter|put|add)(?:[-_ ][a-z]+)+
    | (?:your|insert|replace)[a-z]*
    | .*(?:your|my)[-_ ].*(?:key|token|secret|password|credentials?|id|here).*
    | [a-z_ -]*[-_ ](?:here|placeholder)
    | (?:(?:valid|invalid|fake|dummy|example|sample|default|test|new|old|wrong|api|access|secret|private|auth
          |jwt|csrf|bearer|client|user|db|refresh)[-_])+(?:key|token|secret|password|credentials?)
    """
)
REFERENCE = re.compile(
    r"""(?sx)
      (?:(?:await|new|lambda|not)\b|f["']|self\.|this\.|process\.|os\.|import\.|secrets\.|vars?\.|env\.|local\.|module\.
        |settings\.|config\.).*
    | [A-Za-z_][\w.]*(?:\(.*|\[.*)
    | [A-Za-z_]+(?:\.[A-Za-z_]+)+
    """
)
PATH = re.compile(r"(?:[.~]{0,2}/|[A-Za-z]:\\|path/)[^\s]*|[\w./-]+\.(?:json|pem|key|p12|pfx|ya?ml|txt|env|crt)")
COMMON_MIX = re.compile(
    r"(?i)\d{1,2}[-+]?[a-z]{1,12}|o?auth[\d.]*|[a-z]{1,5}-\d{1,3}|[\d.,:/+-]+[a-z]{0,3}|https?://.*"
)
LETTER = re.compile(r"[^\W\d_]")
SYMBOL = re.compile(r"[!@#$%^&*+=?~|\\]")
CALL = re.compile(r"[A-Za-z_][\w.]*[(\[]")


def is_strong(value: str, *, shortest: int) -> bool:
    """Whether a value is no word: letters mixed with digits or signs."""
    if len(value) < shortest or COMMON_MIX.fullmatch(value):
        return False
    if LETTER.search(value) is None:
        return False
    # One mark at the end is punctuation, as in "required!".
    return DIGIT.search(value) is not None or SYMBOL.search(value, 0, len(value) - 1) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value stands in place of one, such as `<your-key>` or `${KEY}`."""
    return PLACEHOLDER.fullmatch(value[:JUDGED]) is not None


def entropy(value: str) -> float:
    """Bits a character: about 3.5 for random hexadecimal digits, 4.5 for random letters and digits, 0 for `xxxx`."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0
