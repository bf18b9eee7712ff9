"""What only looks like a secret: ids, digests, images, versions, numbers, paths, colours and minified code."""

import base64
import hashlib
import random
import string
import uuid
from collections.abc import Callable

Maker = Callable[[random.Random], str]


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choices(string.digits, k=count))


def _hex(chance: random.Random, count: int) -> str:
    return "".join(chance.choices("0123456789abcdef", k=count))


def _word(chance: random.Random) -> str:
    return chance.choice(("index", "vendor", "main", "chunk", "style", "report", "parser", "router", "session"))


MAKERS: tuple[Maker, ...] = (
    lambda c: str(uuid.UUID(bytes=c.randbytes(16), version=4)),
    lambda c: f"request {uuid.UUID(bytes=c.randbytes(16), version=4)} took {c.randrange(900)} ms",
    lambda c: f"commit {_hex(c, 40)}",
    lambda c: f"{_hex(c, 7)} Fix the {_word(c)}",
    lambda c: f"sha256:{hashlib.sha256(c.randbytes(8)).hexdigest()}",
    lambda c: f"md5({_word(c)}.zip) = {hashlib.md5(c.randbytes(8)).hexdigest()}",
    lambda c: f'"integrity": "sha512-{base64.b64encode(c.randbytes(64)).decode()}"',
    lambda c: f"![](data:image/png;base64,{base64.b64encode(c.randbytes(180)).decode()})",
    lambda c: f"url(data:font/woff2;base64,{base64.b64encode(c.randbytes(90)).decode()})",
    lambda c: f"{_word(c)} v{c.randrange(20)}.{c.randrange(40)}.{c.randrange(90)}-rc.{c.randrange(9)}+{_hex(c, 8)}",
    lambda c: f"order {c.choice(('A', 'INV-', 'PO', '#'))}{_digits(c, 8)} shipped",
    lambda c: f"tracking 1Z{''.join(c.choices(string.ascii_uppercase + string.digits, k=16))}",
    lambda c: f"ISBN 978-{_digits(c, 1)}-{_digits(c, 4)}-{_digits(c, 4)}-{_digits(c, 1)}",
    lambda c: f"call +49 {_digits(c, 3)} {_digits(c, 7)} or (555) {_digits(c, 3)}-{_digits(c, 4)}",
    lambda c: f"/usr/lib/python3.11/site-packages/{_word(c)}/_{_word(c)}.cpython-311-x86_64-linux-gnu.so",
    lambda c: f"C:\\Users\\ana\\AppData\\Local\\{_word(c)}\\{_hex(c, 16)}.tmp",
    lambda c: f"color: #{_hex(c, 6)}; background: rgba({c.randrange(255)}, 0, 0, .{c.randrange(9)})",
    lambda c: f"/assets/{_word(c)}-{_hex(c, 8)}.min.js?v={_digits(c, 10)}",
    lambda c: f'!function(e,t){{var n={c.randrange(99)};e.{_word(c)}=t(n)}}(this,function(a){{return a.key||"{_word(c)}"}});',
    lambda c: f"arn:aws:iam::{_digits(c, 12)}:role/{_word(c)}-{_hex(c, 8)}",
    lambda c: f"i-{_hex(c, 17)} in subnet-{_hex(c, 17)} of vpc-{_hex(c, 17)}",
    lambda c: f"trace_id={_hex(c, 32)} span_id={_hex(c, 16)}",
    lambda c: f"etag: W/\"{_hex(c, 32)}\"",
    lambda c: f"max_tokens={c.randrange(9000)}, token_count: {c.randrange(9000)}, tokens used {c.randrange(9000)}",
    lambda c: f"key: {_word(c)}, primary key id{c.randrange(99)}, foreign key {_word(c)}_id",
    lambda c: f"password: {c.choice(('required', '********', '<your-password>', '${DB_PASSWORD}', 'see 1Password'))}",
    lambda c: f"Das Passwort {c.choice(('ist abgelaufen', 'muss 12 Zeichen haben', 'wurde am 3.5.2026 geändert'))}.",
    lambda c: c.choice(("La contraseña debe tener 8 caracteres.", "Le mot de passe expire dans 30 jours.", "La password scade il 3/5/2026.")),
    lambda c: c.choice(("hf_model_name_for_testing", "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", "sk_live_your_key_placeholder", "glpat-your-token-here", "sb_secret_name_of_the_key", "api_org_name_is_shown")),
    lambda c: c.choice(("pass: the salt", "pass: 12 of 14", "PASS: test_login2", "2 pass, 1 fail", "pass = step3", "the password is needed", "pass: see page 4")),
    lambda c: f"passphrase: {c.choice(('the one that you know', 'is not stored', 'words that you choose', 'see the manual'))}",
    lambda c: f"Password: {c.choice(('must have eight characters', 'a text of any length', 'leave this field empty', 'enter it twice please', 'click here to reset it'))}",
    lambda c: f"perm:{c.choice(('read.users.of.the.site', 'administrators_and_editors', 'files.write'))} s.{_word(c)}Of{_word(c).title()}s();",
    lambda c: f"def token_for(user, key='{_word(c)}'): return tokens[user.key_{c.randrange(9)}]",
    lambda c: f"SELECT key, token_id FROM {_word(c)} WHERE secret_id = {c.randrange(999)};",
    lambda c: f"| name | type | default |\n|---|---|---|\n| password | string | none |\n| retries | int | {c.randrange(9)} |",
    lambda c: f"user,token_count,key\nana,{c.randrange(9000)},{_word(c)}\n",
    lambda c: f"{_digits(c, 4)}-0{c.randrange(1, 9)}-1{c.randrange(9)}T10:{_digits(c, 2)}:00Z INFO {_word(c)}:{c.randrange(9999)}: ok",
    lambda c: f"mysql -u root -p {_word(c)}; docker run -p {c.randrange(1000, 9000)}:80 -e KEY=$KEY app",
    lambda c: f"https://example.test/{_word(c)}/{_digits(c, 9)}?page={c.randrange(9)}&sort=key&ref={_hex(c, 12)}",
    lambda c: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{base64.b64encode(c.randbytes(32)).decode()[:43]} ana@host",
    lambda c: f"doi:10.{_digits(c, 4)}/j.{_word(c)}.2024.{_digits(c, 6)}",
    lambda c: f"<svg><path d=\"M{c.randrange(99)}.{c.randrange(99)} {c.randrange(99)}l-{c.randrange(9)}.{c.randrange(99)} 0z\"/></svg>",
    lambda c: f"{base64.b64encode(c.randbytes(6)).decode()} is the short id of {_word(c)}",
    lambda c: f"BIC DEUTDEFF{_digits(c, 3)}, customer {_digits(c, 10)}, meter 1EMH00{_digits(c, 8)}",
)  # fmt: skip


def lookalikes(count: int, *, seed: int) -> list[str]:
    """So many, of every sort in turn; the same for the same seed."""
    chance = random.Random(seed)
    return [MAKERS[number % len(MAKERS)](chance) for number in range(count)]
