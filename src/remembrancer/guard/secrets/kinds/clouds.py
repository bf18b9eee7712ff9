"""Keys of clouds: where machines, files and names of hosts are rented."""

from remembrancer.guard.secrets.shape import always, is_no_digest, kind, shape

KINDS = (
    kind(
        "aws-access-key",
        "AKIA, ASIA, ABIA or ACCA and 16 capital letters or digits",
        shape("akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", always),
        examples=("the id is «AKIA{U16}», keep it", "«ASIA{U16}»"),
        near=("AKIA is how they begin", "the ASIA-PACIFIC region"),
    ),
    kind(
        "aws-secret-key",
        "40 characters of base64 after the words secret access key, or behind a key id",
        shape(
            "secret",
            r"(?i:secret[ _-]?(?:access[ _-]?)?key|(?<=aws[ _-])secret)(?:[^A-Za-z0-9+/]|\bis\b){1,12}?"
            r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
            always,
        ),
        shape(
            "akia asia",
            r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|/\"']{1,4}(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
            is_no_digest,
        ),
        examples=("aws_secret_access_key = «{a40}»", "Secret access key: «{a40}»"),
        near=("the secret access key is 40 characters long", "AWS_SECRET_ACCESS_KEY=${AWS_SECRET}"),
    ),
    kind(
        "gcp-service-account",
        "private_key_id of a service account: 32 to 64 hexadecimal digits",
        shape(
            "private_key_id",
            r"private_key_id\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?(?P<secret>[0-9a-f]{32,64})",
            always,
        ),
        examples=('"private_key_id": "«{x40}»"',),
        near=('"private_key_id": "the id of the key"',),
    ),
    kind(
        "gcp-key",
        "AIza and 35 characters; ya29. and a token; GOCSPX- and 28; 1//0 and a refresh token",
        shape("aiza", r"AIza[0-9A-Za-z_-]{30,}", always),
        shape("ya29.", r"ya29\.[0-9A-Za-z_.-]{19,}[0-9A-Za-z_-]", always),
        shape("gocspx-", r"GOCSPX-[0-9A-Za-z_-]{20,}", always),
        shape("1//0", r"(?<!/)1//0[0-9A-Za-z_-]{40,}", always),
        examples=("?key=«AIza{a35}»&v=3", "«ya29.a0{a60}»", "client: «GOCSPX-{a28}»", "refresh «1//0{a60}»"),
        near=("AIzaSy... is cut", "https://x.test/1//0/index"),
    ),
    kind(
        "azure-key",
        "AccountKey= or SharedAccessKey= and base64; sig= of a signed address; 3 characters, a digit, Q~ and 31 to 34",
        shape("accountkey", r"(?i:accountkey)\s?=\s?(?P<secret>[A-Za-z0-9+/]{20,}={0,2})", always),
        shape("sharedaccesskey", r"(?i:sharedaccesskey)\s?=\s?(?P<secret>[A-Za-z0-9+/]{16,}={0,2})", always),
        shape("sig=", r"(?<![A-Za-z0-9_])sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,})", is_no_digest),
        shape("q~", r"(?<![\w~.-])(?P<secret>[\w~.-]{3}\dQ~[\w~.-]{27,39}[\w~-])", always, everywhere=True),
        shape(
            "azure_",
            r"(?i:azure)_\w{0,60}?(?i:key)(?:_?\d|_(?i:primary|secondary))?"
            r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[A-Za-z0-9+/=_.~-]{16,})",
        ),
        examples=(
            "AccountName=me;AccountKey=«{a86}==»;EndpointSuffix=x",
            "Endpoint=sb://x/;SharedAccessKey=«{a43}=»",
            "https://x.test/c?sv=2022&sig=«{a40}%2B%3D»&se=1",
            "the secret «aB38Q~{a34}» expires",
            "AZURE_OPENAI_KEY=«{x32}»",
        ),
        near=("AccountKey=<key>", "sig={x40}"),
    ),
    kind(
        "alibaba-key",
        "LTAI and 12 to 20 letters and digits",
        shape("ltai", r"LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9])"),
        examples=("AccessKeyId «LTAI{a20}»",),
        near=("LTAI stands for nothing",),
    ),
    kind(
        "tencent-key",
        "AKID and 32 letters and digits",
        shape("akid", r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
        examples=("id «AKID{a32}»",),
        near=("AKIDS and parents",),
    ),
    kind(
        "yandex-key",
        "AQVN and 35 or more of base64",
        shape("aqvn", r"AQVN[A-Za-z0-9_-]{35,38}(?![A-Za-z0-9_-])"),
        examples=("«AQVN{a36}»",),
        near=("AQVN{a12}",),
    ),
    kind(
        "digitalocean-token",
        "dop_v1_, doo_v1_ or dor_v1_ and 64 hexadecimal digits",
        shape("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}(?![0-9a-f])"),
        examples=("doctl auth init -t «dop_v1_{x64}»", "«dor_v1_{x64}»"),
        near=("dop_v1_ is its prefix", "loop_v1_2"),
    ),
    kind(
        "heroku-key",
        "HRKU- and a UUID or 60 characters; a UUID after the words Heroku and key",
        shape("hrku-", r"HRKU-[A-Za-z0-9_-]{36,66}"),
        shape(
            "heroku",
            r"(?i:heroku)[\w .-]{0,20}?(?i:key|token)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})",
        ),
        examples=("«HRKU-{x8}-{x4}-{x4}-{x4}-{x12}»", "HEROKU_API_KEY=«{x8}-{x4}-{x4}-{x4}-{x12}»"),
        near=("heroku release {x8}-{x4}-{x4}-{x4}-{x12}",),
    ),
    kind(
        "cloudflare-key",
        "v1.0- and hexadecimal digits (an origin's key); 37 hexadecimal or 40 other after Cloudflare and key",
        shape("v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
        shape(
            "cloudflare",
            r"(?i:cloudflare)[\w .-]{0,20}?(?i:key|token)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{37}|[A-Za-z0-9_-]{40})(?![A-Za-z0-9_-])",
        ),
        examples=("«v1.0-{x24}-{x146}»", "CLOUDFLARE_API_TOKEN=«{a40}»", "Cloudflare API key is «{x37}»"),
        near=("cloudflare ray {x16}",),
    ),
    kind(
        "fly-token",
        "FlyV1, fm1_ or fm2_ and base64; fo1_ and 43 characters",
        shape("fm1 fm2_", r"fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3}"),
        shape("fo1_", r"fo1_[\w-]{43}(?![\w-])"),
        examples=("FlyV1 «fm2_{a100}»", "«fo1_{w43}»"),
        near=("fm2_ratio",),
    ),
    kind(
        "netlify-token",
        "nfp_, nfc_, nfo_ or nfu_ and 36 letters and digits",
        shape("nfp_ nfc_ nfo_ nfu_", r"nf[pcou]_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
        examples=("«nfp_{a36}»",),
        near=("conf_file", "nfp_rate"),
    ),
    kind(
        "vercel-token",
        "vcp_, vci_, vca_, vcr_ or vck_ and 24 or more; 24 letters and digits after Vercel and token",
        shape("vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,60}(?![A-Za-z0-9])"),
        shape(
            "vercel",
            r"(?i:vercel)[\w .-]{0,16}?(?i:token)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[A-Za-z0-9]{24})(?![A-Za-z0-9])",
        ),
        examples=("«vcp_{a56}»", "VERCEL_TOKEN=«{a24}»"),
        near=("svc_patched",),
    ),
    kind(
        "planetscale-token",
        "pscale_tkn_, pscale_pw_ or pscale_oauth_ and 32 or more",
        shape("pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}"),
        examples=("«pscale_tkn_{w43}»", "«pscale_pw_{w43}»"),
        near=("pscale_config.yml",),
    ),
    kind(
        "supabase-key",
        "sbp_ and 40 hexadecimal digits; sb_secret_ and 22 or more",
        shape("sbp_", r"sbp_(?:v0_|oauth_)?[0-9a-f]{40}(?![0-9a-f])"),
        shape("sb_secret_", r"sb_secret_[\w-]{22,}"),
        examples=("«sbp_{x40}»", "«sb_secret_{a31}»"),
        near=("sbp_list", "sb_publishable_{a22}"),
    ),
    kind(
        "cloudinary-url",
        "cloudinary:// with a key, a colon and a secret",
        shape("cloudinary://", r"cloudinary://\d{9,20}:(?P<secret>[\w-]{20,40})@"),
        examples=("cloudinary://{d15}:«{a27}»@demo",),
        near=("cloudinary://<key>:<secret>@demo",),
    ),
    kind(
        "dropbox-token",
        "sl. and 130 or more characters",
        shape("sl.", r"sl\.(?:u\.)?[\w-]{100,}"),
        examples=("«sl.{w136}»",),
        near=("tsl.example.test",),
    ),
)
