"""What no one service made: private keys, tokens of protocols, passwords on command lines and in addresses."""

import binascii
import re
from base64 import b64decode

from remembrancer.guard.secrets import spoken
from remembrancer.guard.secrets.shape import always, is_made, is_no_placeholder, is_password, kind, shape
from remembrancer.guard.secrets.values import NOUNS, is_placeholder, is_strong


def _after_curl(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    command = text.rfind("curl", max(0, start - 400), start)
    if command < 0 or text.count("\n", command, start) != text.count("\\\n", command, start):
        return False
    return not is_placeholder(match["secret"])


_DATABASE_SCHEME = re.compile(
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|ldaps?|smtps?)(?:\+\w{1,20})?$"
)


def _of_database(match: re.Match[str]) -> bool:
    scheme = match.string[max(0, match.start() - 24) : match.start()]
    return _DATABASE_SCHEME.search(scheme) is not None and not is_placeholder(match["secret"])


def _is_header_value(match: re.Match[str]) -> bool:
    value = match["secret"]
    if is_placeholder(value) or value.lower() in NOUNS:
        return False
    return match["scheme"] is not None or is_strong(value, shortest=8)


def _is_lone_bearer(match: re.Match[str]) -> bool:
    value = match["secret"]
    return is_strong(value, shortest=16) and not is_placeholder(value)


def _is_user_and_password(match: re.Match[str]) -> bool:
    value = match["secret"]
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in decoded and decoded.isprintable()


_HEADER_NAME = r"(?i:authorization)\\{0,3}[\"'`\])]{0,2}\s{0,3}[:=,]\s{0,3}(?:\\{0,3}[fbru]?\\{0,3}[\"'`])?\s{0,2}"
_SCHEME_WORD = r"(?P<scheme>(?i:bearer|basic|token|apikey|digest|negotiate|key))\s{1,3}+"
_CREDENTIAL = r"(?P<secret>[A-Za-z0-9._~+/=:|-]{5,}+)"
SCHEME = re.compile(_SCHEME_WORD + _CREDENTIAL, re.ASCII)
"""What stands under the name Authorization."""
_HOST = r"(?=[A-Za-z0-9\[_$%{.-])(?!sha\d+:)"
# A value on a command line, quoted or bare, perhaps beside other arguments.
_ARGUMENTS = r"[^\n|;&]{0,200}?"


def _on_a_line(before: str) -> tuple[str, str, str]:
    """The patterns of a value behind some part of a command line: in double quotes, in single quotes, bare."""
    return (
        rf"{before}\"(?P<secret>[^\"\n]{{1,256}})\"",
        rf"{before}'(?P<secret>[^'\n]{{1,256}})'",
        rf"{before}(?P<secret>[^\s\"'|;&<>$-][^\s\"'|;&<>]{{0,255}})",
    )


_COMMANDS = (
    ("mysql mariadb", rf"(?i:mysql|mysqldump|mysqladmin|mysqlimport|mariadb(?:-dump)?)\b{_ARGUMENTS}\s-p"),
    ("sshpass", r"sshpass\s{1,3}-p\s{0,3}"),
    ("docker podman helm oras", rf"(?:docker|podman|helm registry|oras)\s{{1,3}}login\b{_ARGUMENTS}\s-p\s{{1,3}}"),
    ("redis-cli", rf"redis-cli\b{_ARGUMENTS}\s-a\s{{1,3}}"),
    ("ldap", rf"ldap(?:search|modify|add|delete|whoami)\b{_ARGUMENTS}\s-w\s{{1,3}}"),
    ("7z 7za", rf"7za?\s{{1,3}}[a-z]\b{_ARGUMENTS}\s-p"),
    ("zip", rf"(?:un)?zip\b{_ARGUMENTS}\s-P\s{{1,3}}"),
    ("sqlcmd", rf"(?:sqlcmd|bcp)\b{_ARGUMENTS}\s-P\s{{0,3}}"),
    ("mongo", rf"mongo(?:sh|dump|restore|export|import)?\b{_ARGUMENTS}\s-p\s{{1,3}}"),
    ("az ", rf"az\s{{1,3}}login\b{_ARGUMENTS}\s-p\s{{1,3}}"),
    ("openssl", rf"openssl\b{_ARGUMENTS}\s-(?:passin|passout|pass|k)\s{{1,3}}(?:pass:)?"),
)

PRIVATE_KEY = kind(
    "pem-private-key",
    "-----BEGIN … PRIVATE KEY----- up to its end, or as far as base64 goes; PuTTY's Private-Lines",
    shape(
        "private-lines:",
        r"Private-Lines: \d{1,3}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{16,}\s{0,2})+)",
        always,
    ),
    examples=(
        "«-----BEGIN RSA {nil}PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA {nil}PRIVATE KEY-----»",
        "Private-Lines: 2\n«{a64}\n{a64}\n»Private-MAC: 1",
    ),
    near=("A key starts with -----BEGIN RSA {nil}PRIVATE KEY----- and then goes on",),
)

KINDS = (
    kind(
        "jwt",
        "eyJ and base64, a dot, eyJ and base64, a dot and a signature",
        shape("eyj", r"(?<![A-Za-z0-9_-])(?P<secret>eyJ[\w-]{5,}+\.(?:eyJ|e30)[\w-]*+(?:\.[\w-]*+){0,3})", always),
        examples=("the cookie «eyJhbGciOiJIUzI1NiJ9.eyJ{a40}.{w43}» is set",),
        near=("eyJ is how it begins.",),
    ),
    kind(
        "url-password",
        "://user:password@host",
        shape("://", rf"://[^\s:/?#\"'`<>]*+:(?P<secret>[^\s/?#\"'`<>]+)@{_HOST}", is_no_placeholder, beside="@"),
        # A password that was not percent-encoded may hold the very marks that end an authority.
        shape(
            "://", rf"://[^\s:/?#@\"'`<>]{{0,128}}+:(?P<secret>[^\s?\"'`<>]{{1,256}})@{_HOST}", _of_database, beside="@"
        ),
        shape(
            "://",
            rf"://[^\s:/?#@\"'`<>]{{1,128}}+:(?!\d{{1,5}}(?:[/?#]|$))(?P<secret>[^\s\"'`<>@:]{{1,128}})@{_HOST}",
            is_no_placeholder,
            beside="@",
        ),
        examples=("postgres://me:«{a12}»@db:5432/x", "redis://:«{a12}»@cache/0", "https://ana:«{a9}»@host.test/p"),
        near=("http://localhost:8080/@scope/name", "postgres://user:${PASSWORD}@db/x"),
    ),
    kind(
        "dsn-password",
        "password= among the settings of a connection; user:password@tcp(; user/password@ of Oracle",
        shape(
            "@tcp( @unix(",
            r"(?<![\w.-])[\w.-]{1,64}+:(?P<secret>[^\s\"'@:/]{1,128}+)@(?:tcp|unix)\(",
            is_no_placeholder,
            everywhere=True,
        ),
        shape("jdbc:oracle", r"jdbc:oracle:\w+:[\w$#]{1,64}/(?P<secret>[^\s@/\"']{1,128})@", is_no_placeholder),
        shape(
            "sqlplus expdp impdp",
            r"(?:sqlplus|expdp|impdp)\s(?:-\w+\s){0,4}[\w$#]{1,64}/(?P<secret>[^\s@/\"']{1,128})@",
            is_no_placeholder,
        ),
        examples=(
            "host=db user=app password=«plain{l6}» dbname=x",
            "app:«{a12}»@tcp(127.0.0.1:3306)/x",
            "jdbc:oracle:thin:scott/«{a9}»@db:1521/x",
        ),
        near=("host=db user=app password=${PW}",),
    ),
    kind(
        "netrc-password",
        "machine, login and password of a .netrc",
        shape(
            "machine default",
            r"(?:machine\s{1,4}[^\s]{1,128}|default)\s{1,4}(?:login|user)\s{1,4}[^\s]{1,128}\s{1,4}"
            r"(?:account\s{1,4}[^\s]{1,128}\s{1,4})?password\s{1,4}(?P<secret>[^\s]{1,256})",
            is_no_placeholder,
            beside="password",
        ),
        examples=("machine git.test\n  login ana\n  password «{a10}»", "machine a login b password «{a10}»"),
        near=("the machine asks for login and password", "machine x login y password <password>"),
    ),
    kind(
        "pgpass-password",
        "host:port:database:user:password on a line of a .pgpass",
        shape(
            ":",
            r"(?m)^(?:[A-Za-z*][\w.*-]{0,120}|\d{1,3}(?:\.\d{1,3}){3}):(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:"
            r"(?P<secret>[^\s:]{6,128})$",
            is_password,
            everywhere=True,
        ),
        examples=("db.test:5432:shop:ana:«{a12}»",),
        near=("src/app.py:1234:in:run:done", "redis:6379:0:set:key"),
    ),
    kind(
        "command-password",
        "-p, -a, -w or -P of a command that takes a password there",
        *(
            shape(needles, pattern, is_no_placeholder)
            for needles, before in _COMMANDS
            for pattern in _on_a_line(before)
        ),
        shape(
            "| sudo",
            r"echo\s{1,3}[\"']?(?P<secret>[^\s\"'|]{1,128})[\"']?\s{0,3}\|\s{0,3}sudo\s{1,3}-S",
            everywhere=True,
        ),
        shape(
            "smbclient smbget", r"smb(?:client|get)\b[^\n]{0,120}?\s-U\s{0,3}[\w\\.-]{1,64}%(?P<secret>[^\s\"']{1,128})"
        ),
        shape(
            "htpasswd",
            r"htpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}[^\s]{1,200}\s{1,3}[^\s]{1,64}\s{1,3}(?P<secret>[^\s]{1,128})",
        ),
        examples=(
            "mysql -u root -p«{a9}» shop",
            "mysqldump --host db -p'«{a9}!»' shop",
            "sshpass -p «{a10}» ssh ana@host",
            "docker login -u ana -p «{a12}» registry.test",
            "redis-cli -h cache -a «{a12}» ping",
            "echo «{a9}» | sudo -S apt update",
        ),
        near=(
            "mysql -u root -p shop",
            "docker run -p 8080:80 x",
            "cp -p a b",
            "mysql -p$PASSWORD x",
            "sshpass -p $PW ssh",
        ),
    ),
    kind(
        "sql-password",
        "IDENTIFIED BY or PASSWORD and a text in quotes, in a statement on a user or a role",
        shape(
            "identified password",
            r"(?i:identified\s{1,3}(?:with\s{1,3}[\w'\"]{1,40}\s{1,3})?by(?:\s{1,3}password)?|(?<=\s)password)\s{0,3}=?\s{0,3}"
            r"[\"'](?P<secret>[^\"'\n]{1,128})[\"']",
            is_no_placeholder,
        ),
        examples=("CREATE USER ana IDENTIFIED BY '«{a9}»';", "ALTER ROLE app WITH PASSWORD '«plain{l5}»';"),
        near=("IDENTIFIED BY '<password>'", "ALTER ROLE app WITH PASSWORD NULL"),
    ),
    kind(
        "session-cookie",
        "a cookie of a session in a Cookie or Set-Cookie header, or by a name that only sessions have",
        shape(
            "cookie",
            r"(?i:cookie)[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:[^\n;=]{1,60}+=[^\n;]{0,400}+;\s{0,2}+){0,12}?"
            r"[\w.-]{0,40}(?i:sess|sid|auth|token|login|remember|csrf|xsrf|jwt)[\w.-]{0,24}=(?P<secret>[^\s;,\"']{8,4096})",
            is_made,
        ),
        shape(
            "phpsessid jsessionid connect.sid asp.net_sessionid laravel_session sessionid= _session= cfduid",
            r"(?<![A-Za-z0-9])(?:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|laravel_session|sessionid|"
            r"[\w-]{0,24}_session)=(?P<secret>[\w%.:+/=-]{16,4096})",
        ),
        examples=(
            "Cookie: theme=dark; sessionid=«{a32}»; lang=de",
            "Set-Cookie: connect.sid=«s%3A{a32}.{a40}»; Path=/",
            "curl -b PHPSESSID=«{l26}» https://x.test",
        ),
        near=("Cookie: theme=dark", "Set-Cookie: session=deleted", "sessionid=<id>", "session_id={x8}"),
    ),
    kind(
        "otp-seed",
        "secret= of an otpauth address: base32",
        shape(
            "otpauth://",
            r"otpauth://\w{4,5}/[^\s?]{0,200}\?(?:[^\s&]{1,100}&){0,6}?secret=(?P<secret>[A-Za-z2-7]{16,128})",
            always,
        ),
        examples=("otpauth://totp/Shop:ana?secret=«{S32}»&issuer=Shop",),
        near=("otpauth://totp/Shop:ana?issuer=Shop",),
    ),
    kind(
        "seed-phrase",
        "12 to 24 words after seed phrase, recovery phrase or mnemonic",
        shape(
            "seed recovery mnemonic",
            r"(?i:seed phrase|recovery phrase|seed words|mnemonic(?: phrase)?|recovery seed)[\"']?"
            r"\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![\w ]{0,1}[a-z])",
            always,
        ),
        examples=("seed phrase: «{s12}»",),
        near=("the seed phrase is a list of words that you should never ever show",),
    ),
    kind(
        "password-hash",
        "$2b$ and 53, $argon2id$, $5$ or $6$ and salt and hash, $y$; pbkdf2_sha256$",
        shape("$2", r"(?<![\w$])(?P<secret>\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53})", always),
        shape(
            "$argon2", r"(?<![\w$])(?P<secret>\$argon2(?:id|i|d)\$v=\d+\$[^\s$]{3,60}\$[\w+/]{8,}\$[\w+/]{16,})", always
        ),
        shape(
            "$1$ $5$ $6$ $y$",
            r"(?<![\w$])(?P<secret>\$(?:1|5|6|y)\$[^\s$:]{1,40}\$(?:[^\s$:]{1,40}\$)?[./A-Za-z0-9]{22,88})",
            always,
        ),
        shape("pbkdf2_sha", r"pbkdf2_sha\d{1,3}\$\d{3,8}\$[\w./+]{6,40}\$[\w+/=]{24,}", always),
        examples=("ana:«$2b$12${h53}»", "root:«$6${a8}${h86}»:19000:0", "«pbkdf2_sha256$600000${a22}${a43}=»"),
        near=("costs $2 and $5", "$2b$ is bcrypt", "it took $6$7"),
    ),
    kind(
        "basic-auth",
        "Authorization: Basic and base64; -u user:password of curl",
        shape(
            "basic authorization",
            rf"{_HEADER_NAME}(?P<scheme>(?i:basic))\s{{1,3}}+(?P<secret>[A-Za-z0-9+/=_:-]{{4,}}+)",
            _is_header_value,
        ),
        shape(
            "basic",
            r"(?<![A-Za-z0-9])(?i:basic)\s{1,3}+(?P<secret>[A-Za-z0-9+/]{8,512}+={0,2}+)",
            _is_user_and_password,
        ),
        *(
            shape(
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
        examples=("Authorization: Basic «{a16}==»", "curl -s -u me:«{a9}» https://x.test"),
        near=("Basic Operations and the bearer of news", "docker run -u 1000:1000 image"),
    ),
    kind(
        "bearer-token",
        "Authorization: Bearer, or another scheme, and a token; the word Bearer and a token",
        shape(
            "authorization",
            rf"{_HEADER_NAME}(?!(?i:basic)\b)(?:{_SCHEME_WORD})?{_CREDENTIAL}",
            _is_header_value,
        ),
        shape(
            "bearer",
            r"(?<![A-Za-z0-9])(?i:bearer)\s{1,3}+(?P<secret>[A-Za-z0-9._~+/=|-]{16,}+)",
            _is_lone_bearer,
        ),
        examples=("Authorization: Bearer «{a30}»", "I sent Bearer «{a30}» to it"),
        near=("Authorization: Bearer ${TOKEN}", "the bearer of this letter"),
    ),
    kind(
        "assignment",
        "a name that promises a secret, in five languages, a sign, and a value: on a line, on the next, in a table",
        *spoken.SHAPES,
        examples=(
            "DB_PASSWORD=«correct{l6}»",
            'export API_KEY="«{x40}»"',
            "Passwort: «{l6}{d3}»",
            "la contraseña es «{l6}{d3}!»",
            "mot de passe : «{l6}{d3}»",
            "La password del server è «{l6}{d3}»",
            "pw: «{l6}{d3}»",
            "pass: «Tr{d1}u{l6}{d1}»",
            "código de acceso: «{l6}{d3}»",
            "passphrase: «otter {s2}»",
            'passphrase = "«otter {s4}»"',
            "Password = «correct horse {s2}»",
            "password: >\n  «{l6}{d3}»",
            "password: |-\n  «{l6}{d3}»\nport: 5432",
            "Password:\n«{l6}{d3}»\n",
            "| user | password |\n|---|---|\n| ana | «{l6}{d3}» |",
            "user,password\nana,«{l6}{d3}»\n",
        ),
        near=(
            "password: required",
            "API_KEY = os.environ['API_KEY']",
            "token_count: 12",
            "pass: the salt",
            "the password is needed",
            "passphrase: the one that you know",
            "Password: must have eight characters",
            "password = read from the file",
            "pass: test_login2",
            "PASS: 12 of 14",
            "pass: step2",
            "Das Passwort ist abgelaufen.",
            "| name | type |\n|---|---|\n| password | string |",
        ),
    ),
)
