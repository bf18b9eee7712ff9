"""What must not be remembered: regions marked private, and credentials.

Everything written to a store passes here first, because a secret that has been embedded, summarised and
backed up cannot be taken back. A wrong mask damages a memory for good, so a doubtful value is kept.
Every scan is linear in its text: callers hand in whole transcripts, some of them hostile.
"""

import binascii
import re
from base64 import b64decode
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import zip_longest
from typing import TypeAlias, assert_never

from remembrancer.errors import InvalidInput, NotAllowed

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

REDACTED = "[REDACTED]"
DEEPEST_VALUE = 100


class SecretPolicy(StrEnum):
    """What a scope wants done with credentials found in what it is given."""

    OFF = "off"
    MASK = "mask"
    TAG = "tag"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One credential: `text[start:end]` is the part that must not be kept."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text after a policy, and the kinds of secret that were met, sorted and distinct."""

    text: str
    kinds: tuple[str, ...]


def redact(text: str, *, policy: SecretPolicy) -> Masked:
    """`text` without its private regions, and then with `policy` applied to its secrets.

    Raises:
        NotAllowed: the policy is to refuse, and a secret was found outside the private regions.
    """
    return apply_policy(strip_private(text), policy)


def redact_value(value: Json, *, policy: SecretPolicy) -> tuple[Json, tuple[str, ...]]:
    """`value` with every string in it redacted, keys included, and the kinds of secret that were met.

    A string under a key such as `password` is judged as an assignment to that name would be. Keys that
    become equal are numbered, so that no entry is lost.

    Raises:
        InvalidInput: the value is nested deeper than `DEEPEST_VALUE`.
        NotAllowed: the policy is to refuse, and a secret was found anywhere in the value.
    """
    kinds: set[str] = set()
    # Refusing waits for the whole value, so that the message names every kind.
    gentle = SecretPolicy.TAG if policy is SecretPolicy.REFUSE else policy
    clean = _redacted(value, name="", policy=gentle, kinds=kinds, room=DEEPEST_VALUE)
    found = tuple(sorted(kinds))
    if policy is SecretPolicy.REFUSE and found:
        raise _refusal(found)
    return clean, found


def apply_policy(text: str, policy: SecretPolicy) -> Masked:
    """`text` as `policy` lets it through.

    Raises:
        NotAllowed: the policy is to refuse, and a secret was found.
    """
    return _apply(text, policy, find=find_secrets)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The credentials in `text`, in order and without overlap."""
    return _settled(text, _candidates(text))


def strip_private(text: str) -> str:
    """`text` with `[REDACTED]` in place of each outermost `<private>` region.

    An opening tag that is never closed, or never finished, hides the rest of the text.
    """
    stripped = _without_private(text, stray="")
    if _PRIVATE_TAG.search(stripped) is None:
        return stripped
    # Taking out a stray tag joined its neighbours into a new one. Now strays leave a mark, which joins nothing.
    return _without_private(stripped, stray=REDACTED)


# Private regions

_LT = r"(?:<|＜|\\u003c|&(?:amp;){0,3}(?:lt|\#0*60|\#x0*3c);)"
_GT = r"(?:>|＞|\\u003e|&(?:amp;){0,3}(?:gt|\#0*62|\#x0*3e);)"
_BLANK = r"[\s\x00\u200b-\u200f\u2060\ufeff]*+"
_PRIVATE_NAME = "".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in "private") + r"(?![\w-])"
_PRIVATE_TAG = re.compile(
    rf"{_LT}{_BLANK}(?:(?P<close>[/／]{_BLANK}{_PRIVATE_NAME}{_BLANK}/?{_BLANK}{_GT})|{_PRIVATE_NAME})",
    re.IGNORECASE,
)
# A `<` outside quotes means the tag was never finished, as does a quotation that does not end.
_REST_OF_TAG = re.compile(
    rf"(?:[^<>＜＞&\\\"']++|\"[^\"]*+\"|'[^']*+'|&quot;(?s:.)*?&quot;|(?!{_LT}|{_GT}|&quot;)[&\\])*+{_GT}",
    re.IGNORECASE,
)


def _without_private(text: str, *, stray: str) -> str:
    kept: list[str] = []
    depth = position = shown = 0
    while tag := _PRIVATE_TAG.search(text, position):
        position = tag.end()
        if depth == 0:
            kept.append(text[shown : tag.start()])
        if tag["close"] is None:
            if depth == 0:
                kept.append(REDACTED)
            rest = _REST_OF_TAG.match(text, position)
            if rest is None:
                return "".join(kept)
            position = rest.end()
            depth += 1
        elif depth == 0:
            kept.append(stray)
        else:
            depth -= 1
        shown = position
    if depth == 0:
        kept.append(text[shown:])
    return "".join(kept)


# Policies

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
    # A mask can bring a neighbour to light; each round leaves less that is unmasked, so this ends.
    while secrets := find(text):
        kinds.update(secret.kind for secret in secrets)
        text = _replaced(text, secrets)
    return Masked(text=text, kinds=tuple(sorted(kinds)))


def _replaced(text: str, secrets: Sequence[Secret]) -> str:
    pieces: list[str] = []
    shown = 0
    for secret in secrets:
        pieces += (text[shown : secret.start], f"[SECRET:{secret.kind}]")
        shown = secret.end
    return "".join(pieces) + text[shown:]


def _kinds(secrets: Iterable[Secret]) -> tuple[str, ...]:
    return tuple(sorted({secret.kind for secret in secrets}))


def _refusal(kinds: Iterable[str]) -> NotAllowed:
    return NotAllowed(f"this scope refuses text that holds secrets, found {', '.join(kinds)}; take them out")


def _redacted(value: Json, *, name: str, policy: SecretPolicy, kinds: set[str], room: int) -> Json:
    if room == 0:
        raise InvalidInput(f"the value is nested deeper than {DEEPEST_VALUE} levels; flatten it")
    match value:
        case str():
            done = _apply(strip_private(value), policy, find=lambda text: _find_under(name, text))
            kinds.update(done.kinds)
            return done.text
        case None | bool() | int() | float():
            return value
        case Mapping():
            return _redacted_mapping(value, policy=policy, kinds=kinds, room=room - 1)
        case tuple():
            return tuple(_redacted(item, name=name, policy=policy, kinds=kinds, room=room - 1) for item in value)
        case _:
            return [_redacted(item, name=name, policy=policy, kinds=kinds, room=room - 1) for item in value]


def _redacted_mapping(
    value: Mapping[str, Json], *, policy: SecretPolicy, kinds: set[str], room: int
) -> Mapping[str, Json]:
    clean: dict[str, Json] = {}
    taken: dict[str, int] = {}
    for key, item in value.items():
        shown = redact(key, policy=policy)
        kinds.update(shown.kinds)
        unique = shown.text
        while unique in clean:
            taken[shown.text] = taken.get(shown.text, 1) + 1
            unique = f"{shown.text} ({taken[shown.text]})"
        clean[unique] = _redacted(item, name=key, policy=policy, kinds=kinds, room=room)
    return clean


def _find_under(name: str, text: str) -> tuple[Secret, ...]:
    found = [*_candidates(text), *_after_name(name, text)]
    named = _NAME.fullmatch(name)
    meaning = _meaning(name) if named is not None and len(name) <= _LONGEST_NAME else None
    if meaning is not None and _is_secret(text, meaning, _Setting(quoted=True)):
        found.append(Secret(kind=meaning.kind, start=0, end=len(text)))
    if name.lower() in {"authorization", "proxy-authorization"} and (scheme := _SCHEME.match(text)):
        found.append(Secret(kind=_header_kind(scheme), start=scheme.start("secret"), end=scheme.end("secret")))
    return _settled(text, found)


def _after_name(name: str, text: str) -> Iterator[Secret]:
    """What a shape that needs a name before it finds, as if the two stood in one text."""
    before = f'"{name}": "'
    for secret in _candidates(f'{before}{text}"'):
        if secret.start >= len(before) and secret.end <= len(before) + len(text):
            yield replace(secret, start=secret.start - len(before), end=secret.end - len(before))


# From candidates to findings

# The most telling kind names a span that several rules found.
_KINDS = (
    "pem-private-key",
    "aws-access-key",
    "aws-secret-key",
    "gcp-service-account",
    "gcp-key",
    "azure-key",
    "github-token",
    "gitlab-token",
    "slack-token",
    "slack-webhook",
    "stripe-key",
    "anthropic-key",
    "openai-key",
    "npm-token",
    "pypi-token",
    "jwt",
    "url-password",
    "dsn-password",
    "bearer-token",
    "basic-auth",
    "assignment",
)
_RANK = {kind: rank for rank, kind in enumerate(_KINDS)}
_MARK = re.compile(r"\[(?:SECRET:[a-z0-9-]+|REDACTED)\]")


def _candidates(text: str) -> Iterator[Secret]:
    lowered = _lowered(text)
    yield from _pem_blocks(text)
    for shape in _SHAPES:
        for match in _matches(shape, text, lowered):
            if shape.plausible(match):
                yield Secret(kind=shape.kind, start=match.start("secret"), end=match.end("secret"))
    yield from _dsn_passwords(text, lowered)
    yield from _assignments(text, lowered)


def _lowered(text: str) -> str:
    # A few letters grow when lowered; then only ASCII is, so that places stay the same.
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.translate(_ASCII_LOWER)


_ASCII_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _settled(text: str, candidates: Iterable[Secret]) -> tuple[Secret, ...]:
    merged: list[Secret] = []
    for secret in sorted(candidates, key=lambda found: (found.start, found.end)):
        if merged and secret.start < merged[-1].end:
            last = merged.pop()
            kind = min(last.kind, secret.kind, key=_RANK.__getitem__)
            secret = Secret(kind=kind, start=last.start, end=max(last.end, secret.end))
        merged.append(secret)
    return tuple(_outside_marks(text, merged)) if merged else ()


def _outside_marks(text: str, secrets: Iterable[Secret]) -> Iterator[Secret]:
    for secret in secrets:
        start = secret.start
        # A span may begin inside a mark, whose own word SECRET reads like a name.
        opening = text.rfind("[", max(0, start - 40), start)
        around = _MARK.match(text, opening) if opening >= 0 else None
        if around is not None and around.end() > start:
            start = around.end()
        for mark in _MARK.finditer(text, start, secret.end + 40):
            if mark.start() >= secret.end:
                break
            if mark.start() > start:
                yield Secret(kind=secret.kind, start=start, end=mark.start())
            start = mark.end()
        if start < secret.end:
            yield Secret(kind=secret.kind, start=start, end=secret.end)


# Private keys

_PEM_LINE = re.compile(r"-----(BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BREAK = r"(?:\s|\\+[nrt]|[\"'+>|])"
_PEM_BODY = re.compile(
    rf"(?:{_PEM_BREAK}++[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{1,120}}+)*+"
    rf"(?:{_PEM_BREAK}*+[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_PEM_BREAK}{{1,8}}+(?:[A-Za-z]{{0,15}}+[0-9+/=]|[A-Za-z]{{0,14}}?[a-z][A-Z])[A-Za-z0-9+/=]{{0,15}}+)?"
)


def _pem_blocks(text: str) -> Iterator[Secret]:
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


# Tokens known by their shape

_Plausible: TypeAlias = Callable[[re.Match[str]], bool]


def _always(_match: re.Match[str]) -> bool:
    return True


def _not_placeholder(match: re.Match[str]) -> bool:
    return not _is_placeholder(match["secret"])


def _not_sample(match: re.Match[str]) -> bool:
    body = match["secret"]
    return _SAMPLE_TOKEN.search(body) is None and _DIGIT.search(body) is not None


def _not_hex(match: re.Match[str]) -> bool:
    return _HEX.fullmatch(match["secret"]) is None


def _after_curl(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    command = text.rfind("curl", max(0, start - 400), start)
    if command < 0 or text.count("\n", command, start) != text.count("\\\n", command, start):
        return False
    return not _is_placeholder(match["secret"])


def _of_database(match: re.Match[str]) -> bool:
    scheme = match.string[max(0, match.start() - 24) : match.start()]
    return _DATABASE_SCHEME.search(scheme) is not None and not _is_placeholder(match["secret"])


def _is_header_value(match: re.Match[str]) -> bool:
    value = match["secret"]
    if _is_placeholder(value) or value.lower() in _NOUNS:
        return False
    return match["scheme"] is not None or _is_strong(value, shortest=8)


def _is_lone_bearer(match: re.Match[str]) -> bool:
    value = match["secret"]
    return _is_strong(value, shortest=16) and not _is_placeholder(value)


def _is_user_and_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in decoded and decoded.isprintable()


def _header_kind(match: re.Match[str]) -> str:
    return "basic-auth" if (match["scheme"] or "").lower() == "basic" else "bearer-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    kind: str
    # Lower case; the pattern begins with one of them, unless it is to be tried everywhere.
    needles: tuple[str, ...]
    # What must occur somewhere as well, for needles that are common.
    beside: str
    everywhere: bool
    pattern: re.Pattern[str]
    plausible: _Plausible


def _shape(
    kind: str,
    needles: str,
    pattern: str,
    plausible: _Plausible = _always,
    *,
    beside: str = "",
    everywhere: bool = False,
) -> _Shape:
    whole = pattern if "(?P<secret>" in pattern else rf"(?<![A-Za-z0-9])(?P<secret>{pattern})"
    start = tuple(needles.split())
    compiled = re.compile(whole, re.ASCII)
    return _Shape(kind=kind, needles=start, beside=beside, everywhere=everywhere, pattern=compiled, plausible=plausible)


def _matches(shape: _Shape, text: str, lowered: str) -> Iterator[re.Match[str]]:
    if shape.beside not in lowered:
        return
    if shape.everywhere:
        if any(needle in lowered for needle in shape.needles):
            yield from shape.pattern.finditer(text)
        return
    # Finding a needle costs a twentieth of trying a pattern at every place.
    for needle in shape.needles:
        position = lowered.find(needle)
        while position >= 0:
            match = shape.pattern.match(text, position)
            if match is not None:
                yield match
            position = lowered.find(needle, max(position + 1, match.end() if match else 0))


_DIGIT = re.compile(r"\d", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F]+")
_SAMPLE_TOKEN = re.compile(r"(?i)your[-_]|x{12}|\*{3}|-here\b")
_DATABASE_SCHEME = re.compile(
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|ldaps?|smtps?)(?:\+\w{1,20})?$"
)
_HEADER_NAME = r"(?i:authorization)\\{0,3}[\"'`\])]{0,2}\s{0,3}[:=,]\s{0,3}(?:\\{0,3}[fbru]?\\{0,3}[\"'`])?\s{0,2}"
_SCHEME_WORD = r"(?P<scheme>(?i:bearer|basic|token|apikey|digest|negotiate|key))\s{1,3}+"
_CREDENTIAL = r"(?P<secret>[A-Za-z0-9._~+/=:|-]{5,}+)"
_SCHEME = re.compile(_SCHEME_WORD + _CREDENTIAL, re.ASCII)
_HOST = r"(?=[A-Za-z0-9\[_$%{.-])(?!sha\d+:)"

_SHAPES = (
    _shape("aws-access-key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape(
        "aws-secret-key",
        "secret",
        r"(?i:secret[ _-]?(?:access[ _-]?)?key|(?<=aws[ _-])secret)(?:[^A-Za-z0-9+/]|\bis\b){1,12}?"
        r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
    ),
    _shape(
        "aws-secret-key",
        "akia asia",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|/\"']{1,4}(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
        _not_hex,
    ),
    _shape("gcp-key", "aiza", r"AIza[0-9A-Za-z_-]{30,}"),
    _shape("gcp-key", "ya29.", r"ya29\.[0-9A-Za-z_.-]{19,}[0-9A-Za-z_-]"),
    _shape("gcp-key", "gocspx-", r"GOCSPX-[0-9A-Za-z_-]{20,}"),
    _shape("gcp-key", "1//0", r"(?<!/)1//0[0-9A-Za-z_-]{40,}"),
    _shape(
        "gcp-service-account",
        "private_key_id",
        r"private_key_id\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?(?P<secret>[0-9a-f]{32,64})",
    ),
    _shape("azure-key", "accountkey", r"(?i:accountkey)\s?=\s?(?P<secret>[A-Za-z0-9+/]{20,}={0,2})"),
    _shape("azure-key", "sharedaccesskey", r"(?i:sharedaccesskey)\s?=\s?(?P<secret>[A-Za-z0-9+/]{16,}={0,2})"),
    _shape("azure-key", "sig=", r"(?<![A-Za-z0-9_])sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,})", _not_hex),
    _shape("azure-key", "q~", r"(?<![\w~.-])(?P<secret>[\w~.-]{3}\dQ~[\w~.-]{27,39}[\w~-])", everywhere=True),
    _shape(
        "azure-key",
        "azure_",
        r"(?i:azure)_\w{0,60}?(?i:key)(?:_?\d|_(?i:primary|secondary))?"
        r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[A-Za-z0-9+/=_.~-]{16,})",
        _not_sample,
    ),
    _shape("github-token", "gh", r"gh[pousr]_[A-Za-z0-9_]{30,}", _not_sample),
    _shape("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}", _not_sample),
    _shape(
        "gitlab-token",
        "gl",
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_=.-]{15,}[A-Za-z0-9_=-]",
        _not_sample,
    ),
    _shape("gitlab-token", "gr1348941", r"GR1348941[\w-]{20,}"),
    _shape("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}", _not_sample),
    _shape(
        "slack-webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/"
        r"(?P<secret>[A-Za-z0-9]{2,40}/[A-Za-z0-9]{2,40}/[A-Za-z0-9_/-]{8,})",
        _not_sample,
    ),
    _shape("stripe-key", "sk_ rk_ pk_", r"(?:sk|rk|pk)_(?:org_)?(?:live|test)_[A-Za-z0-9]{10,}", _not_sample),
    _shape("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/]{16,}={0,2}", _not_sample),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{10,}", _not_sample),
    _shape(
        "openai-key",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|service|None|or-v1)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,})",
        _not_sample,
    ),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}", _not_sample),
    _shape(
        "npm-token",
        ":_auth :_password",
        r":_(?:authToken|auth|password)\s{0,2}=\s{0,2}[\"']?(?P<secret>[^\s\"'${]{6,})",
        _not_placeholder,
    ),
    _shape("pypi-token", "pypi-ag", r"pypi-Ag[A-Za-z0-9_-]{14,}={0,2}"),
    _shape("jwt", "eyj", r"(?<![A-Za-z0-9_-])(?P<secret>eyJ[\w-]{5,}+\.(?:eyJ|e30)[\w-]*+(?:\.[\w-]*+){0,3})"),
    _shape(
        "url-password",
        "://",
        rf"://[^\s:/?#\"'`<>]*+:(?P<secret>[^\s/?#\"'`<>]+)@{_HOST}",
        _not_placeholder,
        beside="@",
    ),
    # A password that was not percent-encoded may hold the very marks that end an authority.
    _shape(
        "url-password",
        "://",
        rf"://[^\s:/?#@\"'`<>]{{0,128}}+:(?P<secret>[^\s?\"'`<>]{{1,256}})@{_HOST}",
        _of_database,
        beside="@",
    ),
    _shape(
        "url-password",
        "://",
        rf"://[^\s:/?#@\"'`<>]{{1,128}}+:(?!\d{{1,5}}(?:[/?#]|$))(?P<secret>[^\s\"'`<>@:]{{1,128}})@{_HOST}",
        _not_placeholder,
        beside="@",
    ),
    _shape(
        "dsn-password",
        "@tcp( @unix(",
        r"(?<![\w.-])[\w.-]{1,64}+:(?P<secret>[^\s\"'@:/]{1,128}+)@(?:tcp|unix)\(",
        _not_placeholder,
        everywhere=True,
    ),
    _shape(
        "basic-auth",
        "basic",
        rf"{_HEADER_NAME}(?P<scheme>(?i:basic))\s{{1,3}}+(?P<secret>[A-Za-z0-9+/=_:-]{{4,}}+)",
        _is_header_value,
    ),
    _shape(
        "bearer-token",
        "authorization",
        rf"{_HEADER_NAME}(?!(?i:basic)\b)(?:{_SCHEME_WORD})?{_CREDENTIAL}",
        _is_header_value,
    ),
    _shape(
        "bearer-token",
        "bearer",
        r"(?<![A-Za-z0-9])(?i:bearer)\s{1,3}+(?P<secret>[A-Za-z0-9._~+/=|-]{16,}+)",
        _is_lone_bearer,
    ),
    _shape(
        "basic-auth",
        "basic",
        r"(?<![A-Za-z0-9])(?i:basic)\s{1,3}+(?P<secret>[A-Za-z0-9+/]{8,512}+={0,2}+)",
        _is_user_and_password,
    ),
    *(
        _shape(
            "basic-auth",
            "-u --user --proxy-user",
            rf"(?<![\w-])(?:-u|-U|--user|--proxy-user)[ =]{{0,2}}{pair}",
            _after_curl,
            beside="curl",
        )
        for pair in (
            r"\"[^\":\n]{0,128}+:(?P<secret>[^\"\n]{1,256}+)\"",
            r"'[^':\n]{0,128}+:(?P<secret>[^'\n]{1,256}+)'",
            r"[^\s\"':]{0,128}+:(?P<secret>[^\s\"']{1,256}+)",
        )
    ),
)


# Passwords among the settings of a connection, such as `host=db user=app password=plainword`

_DSN_NEIGHBOUR = re.compile(
    r"(?i)(?<![\w-])(?:host(?:addr|name)?|server|user(?:name| id)?|uid|db(?:name)?|database|initial catalog"
    r"|data source|driver|port|sslmode|addr|address|dsn|email|login|grant_type)[ ]?=|jdbc:"
)
_DSN_PASSWORD = re.compile(
    r"(?<![\w.-])(?i:password|passwd|pwd)[ ]?=[ ]?(?:['{](?=[^'}\n]{1,256}['}]))?"
    r"(?P<secret>(?<=')[^'\n]++|(?<=\{)[^}\n]++|[^\s;&\"'({=][^\s;&\"']{0,256}+)",
    re.ASCII,
)
_DSN_REACH = 200


def _dsn_passwords(text: str, lowered: str) -> Iterator[Secret]:
    if not any(needle in lowered for needle in ("password", "passwd", "pwd")):
        return
    found = [match for match in _DSN_PASSWORD.finditer(text) if _is_dsn_value(match["secret"])]
    neighbours = [match.start() for match in _DSN_NEIGHBOUR.finditer(text)] if found else []
    for match in found:
        start, end = match.span("secret")
        place = bisect_left(neighbours, start)
        beside = [(near, start) for near in neighbours[max(0, place - 1) : place]]
        beside += [(end, near) for near in neighbours[place : place + 1]]
        if any(right - left <= _DSN_REACH and text.find("\n", left, right) < 0 for left, right in beside):
            yield Secret(kind="dsn-password", start=start, end=end)


def _is_dsn_value(value: str) -> bool:
    return not (value.endswith((",", ")")) or _CALL.match(value) or _is_placeholder(value))


# Assignments: a name that promises a secret, a sign, and a value that keeps the promise


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_LONGEST_NAME = 96
_JUDGED = 256  # how much of a value is looked at before it is believed

_NAME = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_NAME_PART = re.compile(r"[A-Za-z0-9_-]{0,48}", re.ASCII)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HINT = re.compile(r"pass|pwd|secret|token|credential|auth|key", re.ASCII)
_WORD_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]{2,12}) \Z", re.ASCII)
_LINK = re.compile(
    r"(?:\\{0,3}[\"'`]|[\])]|\*\*?){0,3}+[ \t]{0,8}+"
    r"(?P<sign>:=|=>|!?={1,3}|\?=|:(?!:)|(?i:is|was|to)(?=[ \t:])[ \t]{0,4}:?)"
    r"(?:[ \t]{0,4}(?:str|string|String)[ \t]{0,4}=)?(?:[ \t]{0,8}\*\*)?[ \t]{0,8}+"
)
_XML_LINK = re.compile(r"(?P<sign>>|[\"'][ \t]+value=(?=[\"']))")
_FLAG_LINK = re.compile(r"(?P<sign>[ \t]{1,4})(?=[^\s-])")
_QUOTE = re.compile(r"[bfru]{0,2}(?P<quote>\\{0,3}(?:\"\"\"|\'\'\'|[\"'`]))")
_BARE = re.compile(r"(?:[^\s\"'`<>]++|[<>](?=[^\s,;)}\]>:\"'`</])|[\"'`](?=[^\s,;)}\]>:\"'`+&|<\\]))++")
_NEXT_FIELD = re.compile(r"[&;,](?=\s{0,2}[\w. ]{1,40}[=:])|\\[nrt]|\\?[\"']")

# Words that end a name and make it one about a secret, such as `token_count`.
_ABOUT = _words(
    """algorithm alg arn attempts audience age at budget class column count counts dir enabled encoder
    endpoint error errors expiration expire expired expires expiry field file flow form format hash
    hashed header hint host id ids in index input issuer label len length limit manager max method
    min mode model module name names on page path pattern placeholder policy prefix provider rate
    ratio ref regex required reset router scheme scope scopes size state status strength suffix text
    ttl type types uri url usage validation validator version window"""
)
_ABOUT_FROM_THE_START = _words(
    """count disable enable encrypted forgot has hashed is max min num per public require requires show
    total use"""
)
_KEYS = _words(
    """access account admin api auth client consumer encryption functions host jwt master private secret
    service shared signing ssh storage subscription webhook"""
)
_NOUNS = _words(
    """password passwd passphrase pwd pass secret token key credential credentials apikey auth string text
    str bearer required optional hidden none null"""
)
_GLUED = re.compile(r"(?:password|passwd|passphrase|pwd|secret|token|apikey|secretkey|accesskey|privatekey)\Z")
_NOTHING = _words(
    """true false yes no on off none null nil undefined void any required optional string str text int
    number bytes object boolean bool nan todo tbd n/a redacted masked hidden removed omitted"""
)
_PLACEHOLDER = re.compile(
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
_REFERENCE = re.compile(
    r"""(?sx)
      (?:await|new|lambda|not|f|self\.|this\.|process\.|os\.|import\.|secrets\.|vars?\.|env\.|local\.|module\.
        |settings\.|config\.).*
    | [A-Za-z_][\w.]*(?:\(.*|\[.*)
    | [A-Za-z_]+(?:\.[A-Za-z_]+)+
    """
)
_PATH = re.compile(r"(?:[.~]{0,2}/|[A-Za-z]:\\|path/)[^\s]*|[\w./-]+\.(?:json|pem|key|p12|pfx|ya?ml|txt|env|crt)")
_COMMON_MIX = re.compile(
    r"(?i)\d{1,2}[-+]?[a-z]{1,12}|o?auth[\d.]*|[a-z]{1,5}-\d{1,3}|[\d.,:/+-]+[a-z]{0,3}|https?://.*"
)
_LETTER = re.compile(r"[^\W\d_]")
_SYMBOL = re.compile(r"[!@#$%^&*+=?~|\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    noun: str
    # SCREAMING_SNAKE, as in a shell, where every value is meant literally.
    constant: bool
    compound: bool
    kind: str = "assignment"


@dataclass(frozen=True, slots=True)
class _Setting:
    quoted: bool
    sign: str = "="
    spaced: bool = False

    @property
    def prose(self) -> bool:
        return self.sign[:1].isalpha()


def _assignments(text: str, lowered: str) -> Iterator[Secret]:
    position = 0
    while hint := _HINT.search(lowered, position):
        name, start, position = _name_around(text, hint)
        if text.startswith("[SECRET:", start - 1):
            continue
        meaning = _meaning(name)
        if meaning is None:
            continue
        link = _link(text, name, start, position)
        if link is None:
            continue
        value = _value_after(text, meaning, link)
        if value is not None:
            yield value
            position = value.end


def _name_around(text: str, hint: re.Match[str]) -> tuple[str, int, int]:
    left = text[max(0, hint.start() - 48) : hint.start()]
    # Read backwards: a pattern that must end here would be tried from every place before it.
    before = _NAME_PART.match(left[::-1])
    start = hint.start() - (before.end() if before else 0)
    after = _NAME_PART.match(text, hint.end())
    end = after.end() if after else hint.end()
    name = text[start:end]
    if name.lower() in {"key", "token"} and (word := _WORD_BEFORE.search(text[max(0, start - 14) : start])):
        name = f"{word[1]}_{name}"
    return name, start, end


# Names are cached and values never are.
@lru_cache(maxsize=1024)
def _meaning(name: str) -> _Meaning | None:
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words or words[-1] in _ABOUT or words[0] in _ABOUT_FROM_THE_START:
        return None
    noun = _noun(words)
    if noun is None:
        return None
    return _Meaning(noun=noun, constant=name.isupper(), compound=len(words) > 1)


def _noun(words: Sequence[str]) -> str | None:
    for before, word in zip(["", *words], words, strict=False):
        if word in {"credential", "credentials"} or (word == "pass" and len(words) > 1):
            return word
        if word == "key" and (before in _KEYS or "azure" in words):
            return word
        if glued := _GLUED.search(word):
            return glued[0]
    return "auth" if "auth" in words else None


def _link(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    if link := _LINK.match(text, end):
        return link
    if (start > 0 and text[start - 1] == "<") or text[max(0, start - 5) : start] in {
        'key="',
        "key='",
        "ame='",
        'ame="',
    }:
        return _XML_LINK.match(text, end)
    return _FLAG_LINK.match(text, end) if name.startswith("--") else None


def _value_after(text: str, meaning: _Meaning, link: re.Match[str]) -> Secret | None:
    sign = link["sign"].strip().lower()
    spaced = link.end() > link.end("sign")
    if (quote := _QUOTE.match(text, link.end())) and (end := _end_of_quotation(text, quote)) is not None:
        start = quote.end()
        setting = _Setting(quoted=True, sign=sign, spaced=spaced)
        if _is_secret(text[start : min(end, start + _JUDGED)], meaning, setting):
            return Secret(kind=meaning.kind, start=start, end=end)
        return None
    start = quote.end() if quote else link.end()
    end = _end_of_bare(text, start, start + _JUDGED)
    if not _is_secret(text[start:end], meaning, _Setting(quoted=False, sign=sign, spaced=spaced)):
        return None
    if end - start > _JUDGED // 2:
        end = _end_of_bare(text, start, len(text))
    return Secret(kind=meaning.kind, start=start, end=end)


def _end_of_quotation(text: str, quote: re.Match[str]) -> int | None:
    closing = _CLOSING[quote["quote"][-1]] if len(quote["quote"]) == 1 else None
    if closing is not None:
        inside = closing.match(text, quote.end())
        return inside.end("inside") if inside else None
    end = text.find(quote["quote"], quote.end(), quote.end() + 4 * _JUDGED)
    return end if end >= 0 else None


_CLOSING = {mark: re.compile(rf"(?P<inside>(?:[^{mark}\\\n]++|\\.)*+){mark}") for mark in ('"', "'", "`")}


def _end_of_bare(text: str, start: int, limit: int) -> int:
    run = _BARE.match(text, start, limit)
    if run is None:
        return start
    end = run.end()
    if cut := _NEXT_FIELD.search(text, start + 1, end):
        end = cut.start()
    while end > start and text[end - 1] in ".,;:)]}>*_|":
        end -= 1
    return end


def _is_secret(value: str, meaning: _Meaning, setting: _Setting) -> bool:
    if not value or value.lower() in _NOTHING or _is_placeholder(value) or _PATH.fullmatch(value):
        return False
    literal = meaning.constant and (meaning.compound or setting.sign == "=") and not setting.prose
    if literal and meaning.noun != "auth":
        return _is_constant_secret(value, meaning, setting)
    if setting.quoted and not setting.prose:
        return _is_quoted_secret(value, meaning)
    if _REFERENCE.fullmatch(value):
        return False
    return _is_strong(value, shortest=6 if _is_chosen(meaning) else 8) or (
        _is_chosen(meaning) and value.isdecimal() and 4 <= len(value) <= 64
    )


def _is_constant_secret(value: str, meaning: _Meaning, setting: _Setting) -> bool:
    if value.isdecimal() and len(value) < 8 and not _is_chosen(meaning):
        return False
    if setting.quoted:
        return True
    if setting.spaced or _CONSTANT_NAME.fullmatch(value):
        return _REFERENCE.fullmatch(value) is None and _names_a_secret(value) is False
    return _REFERENCE.fullmatch(value) is None or not ("(" in value or "[" in value or value.count(".") > 0)


_CONSTANT_NAME = re.compile(r"[A-Z]+(?:_[A-Z]+)+")


def _names_a_secret(value: str) -> bool:
    return value.replace("_", "").isalpha() and "_" in value and _meaning(value) is not None


def _is_quoted_secret(value: str, meaning: _Meaning) -> bool:
    if value.isdecimal():
        return len(value) >= (4 if _is_chosen(meaning) else 8)
    if value.lower() in _NOUNS or value.startswith(("http://", "https://")):
        return False
    if any(space in value for space in " \t\n"):
        return any(_is_strong(word.strip(".,;:"), shortest=8) for word in value.split())
    if "{" in value or _CALL.match(value):
        return False
    if meaning.noun in {"token", "auth"}:
        return _is_strong(value, shortest=6) or len(value) >= 16
    return len(value) >= 3


_CALL = re.compile(r"[A-Za-z_][\w.]*[(\[]")


def _is_chosen(meaning: _Meaning) -> bool:
    return meaning.noun in {"password", "passwd", "passphrase", "pwd", "pass"}


def _is_strong(value: str, *, shortest: int) -> bool:
    if len(value) < shortest or _COMMON_MIX.fullmatch(value):
        return False
    if _LETTER.search(value) is None:
        return False
    # One mark at the end is punctuation, as in "required!".
    return _DIGIT.search(value) is not None or _SYMBOL.search(value, 0, len(value) - 1) is not None


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value[:_JUDGED]) is not None
