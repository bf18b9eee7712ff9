"""Every fake credential here is put together at run time, so that no scanner takes this file for a leak."""

import hashlib
import random
import string
import time
import uuid
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.guard.redact import Json, Masked, SecretPolicy, apply_policy, redact, redact_value
from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.find import find_secrets
from remembrancer.language.private import strip_private
from tests.rows import each_row, every_row


def masked_by_policy(text: str) -> Masked:
    """A text as the default policy lets it through."""
    return apply_policy(text, SecretPolicy.MASK)


MIX = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8" * 8
HEX = "0123456789abcdef" * 8
UPPER = "ABCD2345EFGH67IJ" * 4
PASSWORD = "hun" + "ter2"
ODD_PASSWORD = "p@s" + "s:w%2Frd!"
KEY_ID = "AKIA" + UPPER[:16]
GITHUB = "gh" + "p_" + MIX[:36]
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxIn0." + MIX[:43]
BEGIN = "-----BEGIN {}PRIVATE KEY{}-----"
END = "-----END {}PRIVATE KEY{}-----"
BODY = "\n".join(MIX[at : at + 64] for at in (0, 64, 128)) + "\nQm9i=="


def pem(label: str = "", suffix: str = "") -> str:
    return f"{BEGIN.format(label, suffix)}\n{BODY}\n{END.format(label, suffix)}"


# Private regions


@each_row(
    "text, shown",
    [
        ("a <private>b</private> c", "a [REDACTED] c"),
        ("a <PRIVATE>b</Private> c", "a [REDACTED] c"),
        ("a < private\n>b</ private > c", "a [REDACTED] c"),
        ('a <PRIVATE reason="x > y">b</private> c', "a [REDACTED] c"),
        ("a <private why='</private>'>b</private> c", "a [REDACTED] c"),
        ("a <private>b<private>c</private>d</private> e", "a [REDACTED] e"),
        ("a <private>b</private><private>c</private> d", "a [REDACTED][REDACTED] d"),
        ("a <private>b", "a [REDACTED]"),
        ("a <private b", "a [REDACTED]"),
        ("a <private/>b</private> c", "a [REDACTED] c"),
        ("a </private>b", "a b"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [REDACTED] c"),
        ("a &lt;private why=&quot;x &gt; y&quot;&gt;b&lt;/private&gt; c", "a [REDACTED] c"),
        ("a ＜ｐｒｉｖａｔｅ＞b＜／private＞ c", "a [REDACTED] c"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a [REDACTED] c"),
        ("<privateer>b</privateer> <privates> <private-note>", "<privateer>b</privateer> <privates> <private-note>"),
        ("private < b > c", "private < b > c"),
    ],
)
def test_a_private_region_becomes_one_mark(text: str, shown: str) -> None:
    assert strip_private(text) == shown


FRAGMENTS = st.sampled_from(
    [
        "<private>",
        "</private>",
        "<priv",
        "ate>",
        "<",
        "/",
        "private",
        ">",
        " ",
        '"',
        "'",
        "a=",
        "&lt;",
        "&gt;",
        "x",
        "&",
    ]
)


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=25).map("".join))
def test_stripping_twice_is_stripping_once(text: str) -> None:
    once = strip_private(text)
    assert strip_private(once) == once


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    opening = st.sampled_from(["<private>", "<PRIVATE a='>'>", "< private\n>", "&lt;private&gt;", "<private/>"])
    closing = st.sampled_from(["</private>", "</ Private >", "&lt;/private&gt;"])
    body = st.lists(inner, max_size=3).map("".join)
    return st.tuples(opening, body, closing).map("".join)


@given(
    before=st.text("abc <>", max_size=8).filter(lambda text: "<" not in text),
    region=nested(st.recursive(st.just(" MARKER "), nested, max_leaves=8)),
)
def test_nothing_inside_a_region_survives(before: str, region: str) -> None:
    assert strip_private(f"{before}{region} after") == f"{before}[REDACTED] after"


# Secrets of every kind


SECRETS: list[tuple[str, str, str]] = [
    ("aws-access-key", "the id is {}, keep it", KEY_ID),
    ("aws-access-key", "{}", "ASIA" + UPPER[:16]),
    ("aws-secret-key", "aws_secret_access_key = {}", MIX[:38] + "/+"),
    ("aws-secret-key", "export AWS_SECRET_ACCESS_KEY='{}'", MIX[:40]),
    ("aws-secret-key", '{{"secretAccessKey": "{}"}}', MIX[:40]),
    ("aws-secret-key", "Secret access key: {}", MIX[:40]),
    ("gcp-service-account", '"private_key_id": "{}"', HEX[:40]),
    ("gcp-key", "https://maps.test/js?key={}&v=3", "AI" + "za" + MIX[:35]),
    ("gcp-key", "{}", "ya" + "29.a0" + MIX[:60]),
    ("gcp-key", "client: {}", "GOC" + "SPX-" + MIX[:28]),
    ("azure-key", "AccountName=me;AccountKey={};EndpointSuffix=x", MIX[:86] + "=="),
    ("azure-key", "Endpoint=sb://x/;SharedAccessKey={}", MIX[:43] + "="),
    ("azure-key", "https://x.test/c?sv=2022&sig={}&se=1", MIX[:40] + "%2B%3D"),
    ("azure-key", "the secret {} expires", "aB3" + "8Q~" + MIX[:34]),
    ("azure-key", "AZURE_OPENAI_KEY={}", HEX[:32]),
    *(("github-token", "use {} now", f"gh{letter}_" + MIX[:36]) for letter in "pousr"),
    ("github-token", "https://{}@git.test/a.git", "github" + "_pat_" + MIX[:22] + "_" + MIX[:59]),
    *(("gitlab-token", "{}", f"gl{name}-" + MIX[:20]) for name in ("pat", "dt", "rt", "ptt")),
    *(("slack-token", "{}", f"xox{letter}-1234567890-" + MIX[:24]) for letter in "bpars"),
    ("slack-token", "{}", "xa" + "pp-1-A0123-456-" + HEX[:40]),
    ("slack-webhook", "https://hooks.slack.com/services/{}", "T0" + UPPER[:8] + "/B0" + UPPER[:8] + "/" + MIX[:24]),
    *(("stripe-key", "{}", f"{name}_" + MIX[:24]) for name in ("sk_live", "sk_test", "rk_live", "pk_live", "whsec")),
    ("openai-key", "{}", "s" + "k-" + MIX[:48]),
    *(("openai-key", "{}", f"s{'k'}-{name}-" + MIX[:60]) for name in ("proj", "svcacct", "admin")),
    *(("anthropic-key", "{}", f"s{'k'}-ant-{name}" + MIX[:60]) for name in ("api03-", "admin01-", "oat01-", "")),
    ("npm-token", "{}", "np" + "m_" + MIX[:36]),
    ("npm-token", "//registry.test/:_authToken={}", str(uuid.UUID(int=7**40))),
    ("pypi-token", "{}", "py" + "pi-AgEIcHlwaS5vcmc" + MIX[:80]),
    ("pypi-token", "{}", "py" + "pi-AgENdGVzdC5weXBp" + MIX[:80]),
    ("jwt", "the cookie {} is set", JWT),
    ("jwt", "{}", JWT.rpartition(".")[0] + "."),
    *(
        ("pem-private-key", "key:\n{}\nbye", pem(label))
        for label in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ")
    ),
    ("pem-private-key", "{}", pem("PGP ", " BLOCK")),
    ("pem-private-key", '{{"private_key": "{}"}}', pem().replace("\n", "\\n")),
    ("pem-private-key", "tls:\n{}", pem().replace("\n", "\n    ")),
    ("pem-private-key", "{}\n\nThat is all.", BEGIN.format("RSA ", "") + "\n" + BODY),
    ("url-password", "postgres://me:{}@db:5432/x", PASSWORD),
    ("url-password", "postgres://me:{}@db:5432/x", ODD_PASSWORD),
    ("url-password", "postgres://me:{}@db:5432/x", "ab/c" + "d@ef#g"),
    ("url-password", "redis://:{}@cache/0", PASSWORD),
    ("url-password", "mongodb+srv://me:{}@a.test/b", PASSWORD),
    ("url-password", "amqp://me:{}@mq//", PASSWORD),
    ("url-password", "see https://me:{}@host.test/path?mail=a@b.test", "plain" + "word"),
    ("dsn-password", "host=db user=app password={} dbname=x", "plain" + "word"),
    ("dsn-password", "Server=db;User Id=sa;Password={};Encrypt=yes", "Str0ng" + "!Pass,word"),
    ("dsn-password", "Driver={{ODBC}};UID=sa;PWD={{{}}};", "odd" + ";word"),
    ("dsn-password", "app:{}@tcp(127.0.0.1:3306)/x", PASSWORD),
    ("bearer-token", "Authorization: Bearer {}", MIX[:30]),
    ("bearer-token", 'curl -H "authorization: bearer {}" https://x.test', MIX[:12]),
    ("bearer-token", '{{"Authorization": "Bearer {}"}}', MIX[:30]),
    ("bearer-token", "I sent Bearer {} to it", MIX[:30]),
    ("basic-auth", "Authorization: Basic {}", "dXNl" + "cjpwYXNz"),
    ("basic-auth", "curl -s -u me:{} https://x.test", PASSWORD),
    ("basic-auth", "curl \\\n  --user 'me:{}' https://x.test", "two " + "words"),
    ("assignment", "DB_PASSWORD={}", "correct" + "horse"),
    ("assignment", 'export API_KEY="{}"', HEX[:40]),
    ("assignment", "SECRET_KEY = '{}'", "django" + "-insecure$(x)"),
    ("assignment", "password: {}\n", PASSWORD),
    ("assignment", "api_key: {}", HEX[:32]),
    ("assignment", '{{"client_secret": "{}"}}', "sesame" + "open"),
    ("assignment", '{{\\"password\\": \\"{}\\"}}', "sesame" + "open"),
    ("assignment", "dbPassword={}", PASSWORD),
    ("assignment", "auth-token: {}", MIX[:20]),
    ("assignment", "MYSQL_PWD={} mysql", "let" + "mein"),
    ("assignment", "PGPASSWORD={} psql", "change" + "me"),
    ("assignment", "--password {} --verbose", PASSWORD),
    ("assignment", "<password>{}</password>", PASSWORD),
    ("assignment", "**Password:** {}", PASSWORD),
    ("assignment", "my password: {}", "Hunter2" + "!x"),
    ("assignment", "the password is {}", PASSWORD + "!"),
    ("assignment", "https://x.test/?access_token={}&page=2", MIX[:20]),
    ("assignment", "GOOGLE_CREDENTIALS='{}'", MIX[:30]),
]


def test_every_secret_is_masked_and_its_surroundings_are_kept() -> None:
    with every_row() as row:
        for kind, place, secret in SECRETS:
            with row(kind, place):
                masked = masked_by_policy(place.format(secret))
                assert masked.text == place.format(f"[SECRET:{kind}]")
                assert masked.kinds == (kind,)
                assert masked_by_policy(masked.text).text == masked.text


def test_a_finding_says_where_the_secret_is() -> None:
    text = f"a {GITHUB} b {KEY_ID}"
    assert find_secrets(text) == (
        Secret(kind="github-token", start=2, end=2 + len(GITHUB)),
        Secret(kind="aws-access-key", start=len(text) - len(KEY_ID), end=len(text)),
    )


def test_places_are_right_after_letters_that_grow_in_lower_case() -> None:
    assert masked_by_policy(f"İİİ DB_PASSWORD={PASSWORD} {GITHUB}").text == (
        "İİİ DB_PASSWORD=[SECRET:assignment] [SECRET:github-token]"
    )


def test_what_is_left_beside_a_mark_is_masked_too() -> None:
    assert masked_by_policy("DB_PASSWORD=[SECRET:jwt]rest").text == "DB_PASSWORD=[SECRET:jwt][SECRET:assignment]"


@given(
    st.lists(
        st.sampled_from(
            [place.format(secret) for _, place, secret in SECRETS] + ["=", '"', "'", " ", "\n", "[SECRET:"]
        ),
        max_size=6,
    ).map("".join)
)
@settings(max_examples=60, deadline=None)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = masked_by_policy(text).text
    assert find_secrets(once) == ()


# What only looks like one


ORDINARY = [
    "DB_PASSWORD=${DB_PASSWORD}",
    'API_KEY="$API_KEY"',
    "API_KEY=<your-key>",
    "API_KEY = os.environ['API_KEY']",
    "API_KEY = os.getenv('API_KEY')",
    "const apiKey = process.env.API_KEY;",
    "apiKey: 'YOUR_API_KEY'",
    "app.config['SECRET_KEY'] = 'your_secret_key'",
    "GH_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "password = None",
    '{"password": null}',
    '{"password": "string"}',
    "USE_AUTH=true",
    "PASSWORD=***",
    "API_KEY=xxxx",
    "password: [REDACTED]",
    "API_KEY=[SECRET:assignment]",
    "the token: we should rotate it",
    "password: required",
    "max_tokens=4096",
    "token_count: 12",
    "MAX_TOKENS=4096",
    "secret santa is on Friday",
    "the password is stored hashed",
    "your password is required!",
    "password = request.form['password']",
    "hashed_password = generate_password_hash(password)",
    "User(username=username, password=hashed_password)",
    "def login(user: str, password: str) -> None:",
    "The author is wonderful: 10/10",
    "PASSWORD_FILE=/run/secrets/db",
    "docker pull docker://nginx:1.21@sha256:" + HEX[:64],
    "http://localhost:8080/@scope/name",
    "Authorization: Bearer ${TOKEN}",
    "Basic Operations and the bearer of news",
    "docker run -u 1000:1000 image",
    "A key starts with -----BEGIN RSA " + "PRIVATE KEY----- and then goes on",
    "scikit sk-learn and task-oriented work",
    "npm_config_cache=/tmp/x",
    "Please eye the JSON; eyJ is how it begins.",
    "![](data:image/png;base64," + MIX * 4 + "==)",
]


def test_all_ordinary_text_is_left_alone() -> None:
    with every_row() as row:
        for text in ORDINARY:
            with row(text):
                assert masked_by_policy(text).text == text


PLACES = (
    "{}",
    "commit {} fixed it",
    "https://x.test/a/{}/b?rev={}",
    "id={}",
    "sha256: {}",
    'etag: "{}"',
    "commit: {}",
)


@pytest.mark.parametrize("shape", ["uuid", "sha1", "sha256"])
def test_no_identifier_or_digest_is_masked(shape: str) -> None:
    chance = random.Random(7)
    makers: dict[str, Callable[[bytes], str]] = {
        "uuid": lambda seed: str(uuid.UUID(bytes=seed)),
        "sha1": lambda seed: hashlib.sha1(seed).hexdigest(),
        "sha256": lambda seed: hashlib.sha256(seed).hexdigest(),
    }
    make = makers[shape]
    values = [make(chance.randbytes(16)) for _ in range(1000)]
    for place in PLACES:
        text = "\n".join(place.replace("{}", value) for value in values)
        assert find_secrets(text) == ()


def test_a_digest_given_to_a_secret_name_is_masked() -> None:
    assert masked_by_policy(f"API_KEY={HEX[:40]}").kinds == ("assignment",)


# Time


@each_row(
    "piece",
    [
        "a",
        "=",
        "eyJ",
        "-----BEGIN ",
        BEGIN.format("", ""),
        "://",
        "://a:b",
        "password=",
        '"',
        "<private",
        "<private>",
        "</private>",
        "<private '",
        "&lt;/private ",
        "</pri</private>vate>",
        "cookie: a=b; ",
        "password is ",
        "password\n",
        "|password|",
        "machine a login ",
        "mysql -u ",
        "MTa.",
        "%3Cprivate",
        "\u200b",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (250_000 // len(piece))
    started = time.perf_counter()
    redact(text, policy=SecretPolicy.MASK)
    # A quadratic scan of this much takes minutes; the slack is for a busy machine.
    assert time.perf_counter() - started < 5


# Policies


def test_each_policy_does_what_it_says() -> None:
    text = f"it is {GITHUB}"
    assert apply_policy(text, SecretPolicy.OFF) == redact(text, policy=SecretPolicy.OFF)
    assert apply_policy(text, SecretPolicy.OFF).kinds == ()
    assert apply_policy(text, SecretPolicy.OFF).text == text
    assert apply_policy(text, SecretPolicy.MASK).text == "it is [SECRET:github-token]"
    assert apply_policy(text, SecretPolicy.TAG).text == text
    assert apply_policy(text, SecretPolicy.TAG).kinds == ("github-token",)


def test_a_refusal_names_the_kinds_and_never_the_text() -> None:
    with pytest.raises(NotAllowed, match="aws-access-key, github-token") as refusal:
        apply_policy(f"{GITHUB} {KEY_ID}", SecretPolicy.REFUSE)
    assert GITHUB not in str(refusal.value)
    assert apply_policy("nothing here", SecretPolicy.REFUSE).text == "nothing here"


def test_a_secret_in_a_private_region_is_not_refused() -> None:
    assert redact(f"<private>{GITHUB}</private>", policy=SecretPolicy.REFUSE).text == "[REDACTED]"


def test_every_string_of_a_value_is_redacted() -> None:
    value: Json = {
        "a": [1, 2.5, True, None, f"x {GITHUB}"],
        f"k {KEY_ID}": ("<private>b", "c"),
        "password": "let" + "mein",
        "API_KEY": "abc",
        "headers": {"Authorization": "Basic " + "dXNl" + "cjpwYXNz"},
        "token_count": "twelve",
    }
    assert redact_value(value, policy=SecretPolicy.MASK) == (
        {
            "a": [1, 2.5, True, None, "x [SECRET:github-token]"],
            "k [SECRET:aws-access-key]": ("[REDACTED]", "c"),
            "password": "[SECRET:assignment]",
            "API_KEY": "[SECRET:assignment]",
            "headers": {"Authorization": "Basic [SECRET:basic-auth]"},
            "token_count": "twelve",
        },
        ("assignment", "aws-access-key", "basic-auth", "github-token"),
    )


def test_a_value_is_left_as_it_is_when_tagged_and_refused_when_so_told() -> None:
    value: Json = {"password": PASSWORD, "note": GITHUB}
    kinds = ("assignment", "github-token")
    assert redact_value(value, policy=SecretPolicy.TAG) == (value, kinds)
    assert redact_value(value, policy=SecretPolicy.OFF) == (value, ())
    with pytest.raises(NotAllowed, match="assignment, github-token"):
        redact_value(value, policy=SecretPolicy.REFUSE)


def test_keys_that_become_equal_keep_their_entries() -> None:
    value: Json = {"<private>a</private>": 1, "<private>b</private>": 2, "<private>c": 3}
    clean, _ = redact_value(value, policy=SecretPolicy.OFF)
    assert clean == {"[REDACTED]": 1, "[REDACTED] (2)": 2, "[REDACTED] (3)": 3}


def test_a_placeholder_under_a_secret_key_is_kept() -> None:
    value: Json = {"password": "<your-password>", "secret": None, "token": "Enter the token"}
    assert redact_value(value, policy=SecretPolicy.MASK) == (value, ())


def test_a_value_nested_beyond_reason_is_refused() -> None:
    value: Json = "x"
    for _ in range(200):
        value = [value]
    with pytest.raises(InvalidInput, match="flatten"):
        redact_value(value, policy=SecretPolicy.OFF)


@pytest.mark.parametrize(
    ("before", "count"),
    [("hf" + "_", 34), ("api" + "_org_", 34), ("sk" + "_live_", 24), ("gl" + "pat-", 20), ("sb" + "_secret_", 31)],
)
def test_a_token_behind_a_prefix_of_its_own_needs_no_digit(before: str, count: int) -> None:
    chance = random.Random(before)
    drawn = [before + "".join(chance.choices(string.ascii_letters, k=count)) for _ in range(500)]
    assert sum(token in masked_by_policy(f"my token {token}").text for token in drawn) <= 10


@pytest.mark.parametrize(
    "text",
    [
        "sk_live_your_key_goes_here_placeholder",
        "sk_live_ReplaceWithYourOwnKeyNow",
        "sb_secret_getServiceRoleKeyOfProject",
        "glpat-this-is-what-a-token-is-like",
        "hf_TrainerForQuestionAnsweringWithBert",
    ],
)
def test_a_name_behind_a_prefix_of_tokens_stays(text: str) -> None:
    assert masked_by_policy(text).text == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("const ACCESS_TOKEN_DURATION: i64 = 15 * 60", "const ACCESS_TOKEN_DURATION: i64 = 15 * 60"),
        ("let secret: Option<String> = None;", "let secret: Option<String> = None;"),
        ('const API_KEY: string = "q8Zr2Lk0vT4xWm9Yb3Nc"', 'const API_KEY: string = "[SECRET:assignment]"'),
        ("API_KEY: q8Zr2Lk0vT4xWm9Yb3Nc = rotated", "API_KEY: [SECRET:assignment] = rotated"),
        ("API_KEY: q8Zr2Lk0vT4xWm9Yb3Nc=", "API_KEY: [SECRET:assignment]"),
    ],
)
def test_a_declaration_with_a_type_has_its_value_behind_the_sign(text: str, masked: str) -> None:
    assert redact(text, policy=SecretPolicy.MASK).text == masked


def test_a_file_in_base64_is_not_searched() -> None:
    image = f"data:image/png;base64,{'iVBORw0KGgo/' * 1_000}"
    assert redact_value({"api_key": image}, policy=SecretPolicy.MASK) == ({"api_key": image}, ())
