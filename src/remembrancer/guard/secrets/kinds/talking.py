"""Keys of messengers and mailers: what speaks with people."""

from remembrancer.guard.secrets.shape import is_made, kind, shape

KINDS = (
    kind(
        "slack-token",
        "xoxb-, xoxp- and their sisters or xapp-, and digits and letters parted by dashes",
        shape("xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}"),
        examples=("«xoxb-{d12}-{a24}»", "«xapp-1-A{d8}-{d10}-{x40}»"),
        near=("xoxb-your-token-here", "xapp-client"),
    ),
    kind(
        "slack-webhook",
        "hooks.slack.com/services/ and three parts",
        shape(
            "hooks.slack",
            r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/"
            r"(?P<secret>[A-Za-z0-9]{2,40}/[A-Za-z0-9]{2,40}/[A-Za-z0-9_/-]{8,})",
        ),
        examples=("https://hooks.slack.com/services/«T0{U8}/B0{U8}/{a24}»",),
        near=("https://hooks.slack.com/services/T/B/xxxxxxxxxxxx",),
    ),
    kind(
        "discord-token",
        "23 to 28 of base64 that begin with M, N or O, a dot, 6, a dot, 27 to 38",
        shape(
            ".",
            r"(?<![\w.-])(?P<secret>(?:mfa\.[\w-]{80,}|[MNO][A-Za-z0-9]{22,27}\.[\w-]{6}\.[\w-]{27,38}))(?![\w.-])",
            is_made,
            everywhere=True,
        ),
        examples=("bot token «MT{a24}.G{a5}.{w38}»", "client.login('«N{a23}.{a6}.{w27}»')"),
        near=("My.Module.NameOfAClassThatIsRatherLong", "1.2.3"),
    ),
    kind(
        "discord-webhook",
        "discord.com/api/webhooks/, an id and 60 or more",
        shape("api/webhooks/", r"api/(?:v\d+/)?webhooks/(?P<secret>\d{17,20}/[\w-]{60,80})"),
        examples=("https://discord.com/api/webhooks/«{d18}/{w68}»",),
        near=("https://x.test/api/webhooks/12",),
    ),
    kind(
        "telegram-token",
        "8 to 10 digits, a colon, AA and 33",
        shape(":aa", r"(?:(?<![\w:])|(?<=/bot))(?P<secret>\d{8,10}:AA[\w-]{33})(?![\w-])", everywhere=True),
        examples=("TELEGRAM «{d10}:AA{w33}»", "https://api.telegram.org/bot«{d9}:AA{w33}»/getMe"),
        near=("12345678:AA is how it begins",),
    ),
    kind(
        "twilio-key",
        "SK and 32 hexadecimal digits; 32 hexadecimal digits after Twilio and token",
        shape("sk0 sk1 sk2 sk3 sk4 sk5 sk6 sk7 sk8 sk9 ska skb skc skd ske skf", r"SK[0-9a-f]{32}(?![0-9a-f])"),
        shape(
            "twilio",
            r"(?i:twilio)[\w .-]{0,20}?(?i:token|secret|key)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{32})(?![0-9a-f])",
        ),
        examples=("«SK{x32}»", "TWILIO_AUTH_TOKEN=«{x32}»", "the Twilio auth token is «{x32}»"),
        near=("account AC{x32}", "twilio message SM{x32}"),
    ),
    kind(
        "sendgrid-key",
        "SG., 22, a dot and 43",
        shape("sg.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
        examples=("«SG.{w22}.{w43}»",),
        near=("SG.example.test", "MSG.length.value"),
    ),
    kind(
        "mailgun-key",
        "key- and 32 hexadecimal digits; pubkey- likewise",
        shape("key-", r"(?<![A-Za-z0-9])(?P<secret>(?:pub)?key-[0-9a-f]{32})(?![0-9a-f])"),
        examples=("curl --user 'api:«key-{x32}»'", "«key-{x32}»"),
        near=("key-value", "key-{x8}"),
    ),
    kind(
        "mailchimp-key",
        "32 hexadecimal digits, -us and a number",
        shape("-us", r"(?<![0-9A-Za-z-])(?P<secret>[0-9a-f]{32}-us\d{1,2})(?![\w-])", everywhere=True),
        examples=("«{x32}-us14»",),
        near=("focus-us1",),
    ),
    kind(
        "brevo-key",
        "xkeysib- or xsmtpsib-, 64 hexadecimal digits, a dash and 16",
        shape("xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
        examples=("«xkeysib-{x64}-{a16}»",),
        near=("xkeysib-",),
    ),
    kind(
        "postmark-token",
        "a UUID after X-Postmark-Server-Token or Postmark and token",
        shape(
            "postmark",
            r"(?i:postmark)[\w .-]{0,20}?(?i:token)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
        ),
        examples=("X-Postmark-Server-Token: «{x8}-{x4}-{x4}-{x4}-{x12}»",),
        near=("postmark message {x8}-{x4}-{x4}-{x4}-{x12}",),
    ),
    kind(
        "hubspot-token",
        "pat-na1- or pat-eu1- and a UUID",
        shape("pat-", r"pat-(?:na|eu|ap)\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
        examples=("«pat-eu1-{x8}-{x4}-{x4}-{x4}-{x12}»",),
        near=("pat-a-cake",),
    ),
    kind(
        "intercom-token",
        "dG9r and 50 or more of base64",
        shape("dg9r", r"dG9r[A-Za-z0-9+/]{50,}={0,2}"),
        examples=("«dG9r{a56}=»",),
        near=("dG9r is base64 for tok",),
    ),
    kind(
        "facebook-token",
        "EAA and 100 or more letters and digits",
        shape("eaa", r"EAA[A-Za-z0-9]{100,}(?![A-Za-z0-9_-])"),
        examples=("access «EAA{a160}»",),
        near=("EAA rules apply",),
    ),
    kind(
        "twitter-token",
        "20 capital A, then 80 or more",
        shape("aaaaaaaaaaaaaaaaaaaaa", r"A{20,24}[A-Za-z0-9%_-]{60,}"),
        examples=("«AAAAAAAAAAAAAAAAAAAAAA{a90}»",),
        near=("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",),
    ),
    kind(
        "typeform-token",
        "tfp_ and 40 or more",
        shape("tfp_", r"tfp_[\w-]{40,59}"),
        examples=("«tfp_{w44}_3p»",),
        near=("tfp_size",),
    ),
)
