"""Secrets of sixty kinds and more, as they stand in mails, logs, files and tables: made by hand-written generators."""

import base64
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEXES = "0123456789abcdef"
URL_SAFE = ALNUM + "-_"
WORDS = ("Sommer", "tiger", "Dragon", "kaffee", "luna", "Madrid", "pizza", "Winter", "ciccio", "bateau", "zorro")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A text with a secret in it.

    Args:
        kind: what it is, in the words of the generator.
        secret: the part that must not be left.
    """

    kind: str
    text: str
    secret: str


Maker = Callable[[random.Random], str]


def _of(letters: str, count: int, before: str = "", after: str = "") -> Maker:
    def make(chance: random.Random) -> str:
        body = [chance.choice(letters) for _ in range(count)]
        body[-1] = chance.choice([letter for letter in letters if letter.isalnum()])
        return before + "".join(body) + after

    return make


def _joined(mark: str, *makers: Maker) -> Maker:
    return lambda chance: mark.join(make(chance) for make in makers)


def _uuid(chance: random.Random) -> str:
    return "-".join("".join(chance.choices(HEXES, k=size)) for size in (8, 4, 4, 4, 12))


def _jwt(chance: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    header, body = part('{"alg":"HS256","typ":"JWT"}'), part(f'{{"sub":"{chance.randrange(10**9)}"}}')
    return f"{header}.{body}.{_of(URL_SAFE, 43)(chance)}"


def _key_block(chance: random.Random) -> str:
    lines = "\n".join(_of(ALNUM + "+/", 64)(chance) for _ in range(4))
    name = chance.choice(("RSA ", "EC ", "", "OPENSSH "))
    return f"-----BEGIN {name}PRIVATE " + f"KEY-----\n{lines}\n-----END {name}PRIVATE " + "KEY-----"


def _password(chance: random.Random) -> str:
    word = chance.choice(WORDS)
    return word + str(chance.randrange(10, 9_999)) + chance.choice(("", "!", "#", "$x", "?k"))


def _phrase(chance: random.Random) -> str:
    return " ".join(word.lower() for word in chance.sample(WORDS, chance.randrange(4, 7)))


# Told by their own shape, wherever they stand.
TOKENS: dict[str, Maker] = {
    "aws id": _of(UPPER[:26] + "234567", 16, "AK" + "IA"),
    "google": _of(URL_SAFE, 35, "AI" + "za"),
    "github": _of(ALNUM, 36, "gh" + "p_"),
    "github fine": _joined("_", _of(ALNUM, 22, "github" + "_pat_"), _of(ALNUM, 59)),
    "gitlab": _of(ALNUM, 20, "gl" + "pat-"),
    "bitbucket": _of(ALNUM, 32, "AT" + "BB"),
    "atlassian": _of(URL_SAFE, 186, "ATA" + "TT3xFfGF0"),
    "npm": _of(ALNUM, 36, "np" + "m_"),
    "pypi": _of(URL_SAFE, 150, "py" + "pi-AgEIcHlwaS5vcmc"),
    "rubygems": _of(HEXES, 48, "ruby" + "gems_"),
    "docker": _of(URL_SAFE, 27, "dckr" + "_pat_"),
    "hugging face": _of(string.ascii_letters, 34, "hf" + "_"),
    "hugging face org": _of(string.ascii_letters, 34, "api" + "_org_"),
    "jetbrains": _joined(".", _of(ALNUM, 8, "per" + "m:", "=="), _of(ALNUM, 12), _of(ALNUM, 30)),
    "vault, old": _of(ALNUM, 24, "s" + "."),
    "supabase secret": _joined("_", _of(ALNUM, 22, "sb" + "_secret_"), _of(ALNUM, 8)),
    "sendgrid": _joined(".", lambda _: "S" + "G", _of(URL_SAFE, 22), _of(URL_SAFE, 43)),
    "twilio": _of(HEXES, 32, "S" + "K"),
    "telegram": _joined(":", _of("123456789", 10), _of(URL_SAFE, 33, "A" + "A")),
    "discord": _joined(".", _of(ALNUM, 23, "M" + "T"), _of(ALNUM, 6), _of(URL_SAFE, 38)),
    "digitalocean": _of(HEXES, 64, "dop" + "_v1_"),
    "shopify": _of(HEXES, 32, "shp" + "at_"),
    "databricks": _of(HEXES, 32, "da" + "pi"),
    "vault": _of(URL_SAFE, 90, "hv" + "s.CAES"),
    "grafana": _joined("_", _of(ALNUM, 32, "gl" + "sa_"), _of(HEXES, 8)),
    "sentry": _of(HEXES, 64, "sntr" + "yu_"),
    "supabase": _of(HEXES, 40, "sb" + "p_"),
    "age": _of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, "AGE-SECRET" + "-KEY-1"),
    "square": _of(URL_SAFE, 43, "sq0" + "csp-"),
    "stripe": _of(ALNUM, 24, "sk" + "_live_"),
    "anthropic": _of(URL_SAFE, 93, "sk" + "-ant-api03-"),
    "openai": _of(URL_SAFE, 100, "sk" + "-proj-"),
    "groq": _of(ALNUM, 52, "gs" + "k_"),
    "replicate": _of(ALNUM, 37, "r8" + "_"),
    "perplexity": _of(ALNUM, 48, "pp" + "lx-"),
    "slack": _joined("-", lambda _: "xo" + "xb", _of("123456789", 12), _of("123456789", 12), _of(ALNUM, 24)),
    "mailgun": _of(HEXES, 32, "ke" + "y-"),
    "mailchimp": _of(HEXES, 32, "", "-us" + "14"),
    "linear": _of(ALNUM, 40, "lin" + "_api_"),
    "notion": _of(ALNUM, 46, "nt" + "n_"),
    "figma": _of(URL_SAFE, 40, "fi" + "gd_"),
    "airtable": _joined(".", _of(ALNUM, 14, "pa" + "t"), _of(HEXES, 64)),
    "newrelic": _of(UPPER, 27, "NR" + "AK-"),
    "postman": _joined("-", lambda _: "PM" + "AK", _of(HEXES, 24), _of(HEXES, 34)),
    "terraform": _joined(".atlas" + "v1.", _of(ALNUM, 14), _of(URL_SAFE, 67)),
    "doppler": _of(ALNUM, 43, "dp" + ".pt."),
    "hubspot": _joined("-", lambda _: "pa" + "t-eu1", _uuid),
    "tailscale": _joined("-", lambda _: "tsk" + "ey-auth", _of(ALNUM, 12), _of(ALNUM, 32)),
    "netlify": _of(ALNUM, 36, "nf" + "p_"),
    "crates": _of(ALNUM, 32, "ci" + "o"),
    "jwt": _jwt,
    "private key": _key_block,
}
PLACES = (
    "{}", "use {} for now", "the token is {}", 'token = "{}"', "- {}\n- and more", '{{"value": "{}"}}', "export KEY={}",
    "curl -H 'X-Key: {}' https://api.example.test", "2026-05-02 ERROR auth failed for {} (401)", "> {}", "`{}`",
    "Hola, te paso la clave nueva: {}", "config:\n  key: {}\n  on: true", "https://x.example.test/v1?k={}&page=2",
)  # fmt: skip
# Told by what stands around them.
AROUND: dict[str, tuple[str, ...]] = {
    "password, en": ("password: {}", "the password is {}", "my wifi password: {}", "pw: {}", "The password for the router is {}"),
    "password, de": ("Passwort: {}", "Das Passwort lautet {}", "Kennwort = {}", "Passwort für den Server: {}"),
    "password, es": ("contraseña: {}", "La contraseña es {}", "la contraseña del servidor es {}"),
    "password, fr": ("mot de passe : {}", "Le mot de passe est {}", "mdp: {}"),
    "password, it": ("La password è {}", "password: {}", "la password del router è {}"),
    "password, short": ("pass: {}", "user: ana, pass: {}", "código de acceso: {}"),
    "password in yaml": ("password: >\n  {}\n", "db:\n  password: |\n    {}\n  port: 1\n", "password: >-\n  {}"),
    "password below": ("Password:\n{}\n", "Passwort:\n\n{}", "**Password**\n\n{}", "User: ana\nPassword:\n    {}\n\nBye"),
    "password in a table": (
        "| user | password |\n|------|------|\n| ana | {} |", "user,password\nana,{}\n", "user\tpassword\nana\t{}\n",
        "| Password | {} |", "<tr><td>Password</td><td>{}</td></tr>", "name;passwort;rolle\nana;{};admin\n",
    ),
    "mysql": ("mysql -u root -p{} shop", "mysqldump -h db -u ana -p'{}' shop > a.sql"),
    "netrc": ("machine git.test login ana password {}", "machine git.test\n\tlogin ana\n\tpassword {}\n"),
    "address": ("postgres://ana:{}@db.test/shop", "redis://:{}@cache.test:6379/0", "amqp://a:{}@mq.test/"),
    "connection": ("Server=db;Database=x;User Id=sa;Password={};", "host=db user=ana password={} dbname=shop"),
    "flag": ("deploy --user ana --password {} --now", "wget --password={} https://x.test"),
    "variable": ("DB_PASSWORD={}", "export SMTP_PASS='{}'", "ADMIN_PASSWORD: {}"),
    "json": ('{{"user": "ana", "password": "{}"}}', '{{"db": {{"pwd": "{}"}}}}'),
    "curl": ("curl -u ana:{} https://x.test", "curl --user 'ana:{}' https://x.test/a"),
    "sql": ("CREATE USER ana IDENTIFIED BY '{}';", "ALTER USER ana WITH PASSWORD '{}';"),
    "sshpass": ("sshpass -p {} ssh ana@host.test",),
}  # fmt: skip
LONG_AROUND: dict[str, tuple[str, Maker]] = {
    "cookie": ("Cookie: theme=dark; sessionid={}; lang=de", _of(LOWER, 32)),
    "set-cookie": ("Set-Cookie: JSESSIONID={}; Path=/; HttpOnly", _of(UPPER, 32)),
    "bearer": ("Authorization: Bearer {}", _of(ALNUM, 40)),
    "aws secret": ("aws_secret_access_key = {}", _of(ALNUM + "+/", 40)),
    "azure storage": ("AccountName=shop;AccountKey={}==;EndpointSuffix=x", _of(ALNUM + "+/", 86)),
    "datadog": ("DD_API_KEY={}", _of(HEXES, 32)),
    "heroku": ("HEROKU_API_KEY={}", _uuid),
    "slack hook": ("https://hooks.slack.com/services/{}", _joined("/", _of(UPPER, 9, "T"), _of(UPPER, 9, "B"), _of(ALNUM, 24))),
    "discord hook": ("https://discord.com/api/webhooks/{}", _joined("/", _of("123456789", 18), _of(URL_SAFE, 68))),
    "otp": ("otpauth://totp/Shop:ana?secret={}&issuer=Shop", _of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)),
    "api key": ("api_key: {}", _of(HEXES, 40)),
    "passphrase": ("passphrase: {}", _phrase),
    "words for a password": ("Password = {}", _phrase),
    "client secret": ('"client_secret": "{}"', _of(URL_SAFE, 40)),
}  # fmt: skip


def kinds() -> Sequence[str]:
    """The names of all that is planted."""
    return (*TOKENS, *AROUND, *LONG_AROUND)


def planted(count: int, *, seed: int) -> list[Planted]:
    """So many secrets, the kinds in turn; the same for the same seed."""
    chance = random.Random(seed)
    names = kinds()
    return [_planted(names[number % len(names)], chance) for number in range(count)]


def _planted(kind: str, chance: random.Random) -> Planted:
    if kind in AROUND:
        place, secret = chance.choice(AROUND[kind]), _password(chance)
    elif kind in LONG_AROUND:
        place, secret = LONG_AROUND[kind][0], LONG_AROUND[kind][1](chance)
    else:
        place, secret = chance.choice(PLACES), TOKENS[kind](chance)
    return Planted(kind=kind, text=place.format(secret), secret=secret)
