"""Keys of shops and banks: what moves money."""

from remembrancer.guard.secrets.shape import kind, shape

KINDS = (
    kind(
        "stripe-key",
        "sk_live_, sk_test_, rk_, pk_ and 24 or more letters and digits; whsec_ and 32",
        shape("sk_ rk_ pk_", r"(?:sk|rk|pk)_(?:org_)?(?:live|test)_[A-Za-z0-9]{10,}"),
        shape("whsec_", r"whsec_[A-Za-z0-9+/]{16,}={0,2}"),
        examples=("«sk_live_{a24}»", "«rk_test_{a24}»", "«whsec_{a32}»"),
        near=("sk_test_your-key-here", "pk_index"),
    ),
    kind(
        "square-token",
        "EAAA and 60; sq0atp- and 22; sq0csp- and 43",
        shape("eaaa", r"EAAA[\w-]{60}(?![\w-])"),
        shape("sq0", r"sq0(?:atp-[\w-]{22}|csp-[\w-]{43}|idp-[\w-]{22})(?![\w-])"),
        examples=("«EAAA{w60}»", "«sq0atp-{w22}»", "«sq0csp-{w43}»"),
        near=("sq0 is a qubit", "EAAA1"),
    ),
    kind(
        "shopify-token",
        "shpat_, shpca_, shppa_, shpss_ or shptka_ and 32 hexadecimal digits",
        shape("shp", r"shp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{32}(?![0-9a-fA-F])"),
        examples=("X-Shopify-Access-Token: «shpat_{x32}»", "«shpss_{x32}»"),
        near=("shpat_docs", "shp_file"),
    ),
    kind(
        "braintree-token",
        "access_token$production$, 16, $ and 32 hexadecimal digits",
        shape("access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
        examples=("«access_token$production${l16}${x32}»",),
        near=("access_token$", "$access_token = 1"),
    ),
    kind(
        "adyen-key",
        "AQE and 60 or more of base64, a dash, more, a dash, more",
        shape("aqe", r"AQE[A-Za-z0-9+/]{40,}(?:=*-[A-Za-z0-9+/=]{20,}){0,1}(?:-[^\s\"',;<>]{8,24})?"),
        examples=("x-API-key «AQEyhmfx{a80}»",),
        near=("AQE exam",),
    ),
    kind(
        "gocardless-token",
        "live_ or sandbox_ and 40 after GoCardless",
        shape("gocardless", r"(?i:gocardless)[^\n]{0,40}?(?P<secret>(?:live|sandbox)_[\w-]{40})(?![\w-])"),
        examples=("GOCARDLESS_TOKEN=«live_{a40}»",),
        near=("gocardless live_mode",),
    ),
    kind(
        "flutterwave-key",
        "FLWSECK_TEST- or FLWSECK-, 32 and -X",
        shape("flwseck", r"FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,40}-X"),
        examples=("«FLWSECK_TEST-{x32}-X»",),
        near=("FLWPUBK_TEST-{x32}-X",),
    ),
    kind(
        "easypost-key",
        "EZAK or EZTK and 54",
        shape("ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
        examples=("«EZAK{a54}»",),
        near=("EZAK",),
    ),
    kind(
        "shippo-token",
        "shippo_live_ or shippo_test_ and 40 hexadecimal digits",
        shape("shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
        examples=("«shippo_live_{x40}»",),
        near=("shippo_label",),
    ),
    kind(
        "duffel-token",
        "duffel_live_ or duffel_test_ and 43",
        shape("duffel_", r"duffel_(?:live|test)_[\w=-]{40,}"),
        examples=("«duffel_test_{w43}»",),
        near=("duffel_bag",),
    ),
    kind(
        "coinbase-key",
        "organizations/, a UUID, /apiKeys/ and a UUID",
        shape(
            "/apikeys/",
            r"organizations/[0-9a-f-]{36}/apiKeys/(?P<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
            everywhere=True,
        ),
        examples=("organizations/{x8}-{x4}-{x4}-{x4}-{x12}/apiKeys/«{x8}-{x4}-{x4}-{x4}-{x12}»",),
        near=("organizations/1/apiKeys/",),
    ),
    kind(
        "wallet-key",
        "xprv and 107 of base58; 5, K or L and 50 or 51 of base58 after private key or WIF",
        shape("xprv", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107}"),
        shape(
            "wif private",
            r"(?i:wif|private[ _]?key)[\"']?\s{0,3}(?:[:=]|is)?\s{0,3}[\"']?"
            r"(?P<secret>[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])",
        ),
        examples=("«xprv{b107}»", "WIF: «5{b50}»"),
        near=("xpub{b20}",),
    ),
)
