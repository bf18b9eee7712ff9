"""Keys of what watches over machines and people: monitoring, maps, identity."""

from remembrancer.guard.secrets.shape import kind, shape

KINDS = (
    kind(
        "grafana-token",
        "glsa_, 32, _ and 8 hexadecimal digits; glc_ and base64",
        shape("glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
        shape("glc_", r"glc_[A-Za-z0-9+/]{32,}={0,2}"),
        examples=("«glsa_{a32}_{x8}»", "«glc_eyJ{a80}==»"),
        near=("glsa_test", "glc_config"),
    ),
    kind(
        "sentry-token",
        "sntrys_eyJ and base64; sntryu_ and 64 hexadecimal digits",
        shape("sntrys_", r"sntrys_eyJ[A-Za-z0-9+/=_]{60,}[\w+/=-]*"),
        shape("sntryu_", r"sntryu_[0-9a-f]{64}"),
        examples=("«sntryu_{x64}»", "«sntrys_eyJ{a150}_{a43}»"),
        near=("sntryu_docs",),
    ),
    kind(
        "newrelic-key",
        "NRAK-, NRII-, NRJS- or NRIQ- and 19 or more",
        shape("nrak- nrii- nriq- nrjs-", r"NR(?:AK-[A-Z0-9]{27}|II-[\w-]{32}|IQ-[\w-]{32}|JS-[0-9a-f]{19})"),
        examples=("«NRAK-{U27}»", "«NRII-{w32}»"),
        near=("NRAK-x",),
    ),
    kind(
        "datadog-key",
        "32 or 40 hexadecimal digits after Datadog or DD_ and key",
        shape(
            "datadog dd_ dd-",
            r"(?i:datadog|dd)[\w .-]{0,20}?(?i:key)[\"']?\s{0,3}(?:[:=]|is)\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-f])",
        ),
        examples=("DD_API_KEY=«{x32}»", "DD-APPLICATION-KEY: «{x40}»"),
        near=("dd.trace_id={x32}", "datadog monitor {x32}"),
    ),
    kind(
        "dynatrace-token",
        "dt0c01., 24, a dot and 64 capitals",
        shape("dt0", r"dt0[a-zA-Z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
        examples=("«dt0c01.{U24}.{U64}»",),
        near=("dt0c01.x",),
    ),
    kind(
        "honeycomb-key",
        "hcaik_ or hcamk_ and 58; hcxik likewise",
        shape("hca hcx", r"hc[abcx][a-z]{2}_[a-z0-9]{58}"),
        examples=("«hcaik_{l58}»",),
        near=("hcaik_docs",),
    ),
    kind(
        "posthog-key",
        "phx_ or phs_ and 40 or more",
        shape("phx_ phs_", r"ph[xs]_[A-Za-z0-9]{40,}"),
        examples=("«phx_{a43}»",),
        near=("phx_new", "phc_{a43}"),
    ),
    kind(
        "mapbox-token",
        "sk.eyJ and base64, a dot and 22",
        shape("sk.eyj tk.eyj", r"[st]k\.eyJ[\w-]{40,}\.[\w-]{20,}"),
        examples=("«sk.eyJ{a80}.{a22}»",),
        near=("sk.eyJ",),
    ),
    kind(
        "okta-token",
        "SSWS and 00 and 40",
        shape("ssws", r"SSWS\s{1,3}(?P<secret>00[\w-]{38,42})"),
        examples=("Authorization: SSWS «00{w40}»",),
        near=("SSWS scheme",),
    ),
    kind(
        "tailscale-key",
        "tskey-auth-, tskey-api- or tskey-client- and two parts",
        shape("tskey-", r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,40}"),
        examples=("tailscale up --authkey «tskey-auth-{a17}-{a32}»",),
        near=("tskey-auth-xxxxx",),
    ),
    kind(
        "snyk-token",
        "a UUID after SNYK_TOKEN or snyk auth",
        shape(
            "snyk",
            r"(?i:snyk)[ _-](?i:token|auth|api[ _-]key)[\"']?\s{0,3}(?:[:=]|is)?\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
        ),
        examples=("snyk auth «{x8}-{x4}-{x4}-{x4}-{x12}»",),
        near=("snyk project {x8}-{x4}-{x4}-{x4}-{x12}",),
    ),
    kind(
        "adafruit-key",
        "aio_ and 28 letters and digits",
        shape("aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])"),
        examples=("«aio_{a28}»",),
        near=("aio_pika",),
    ),
    kind(
        "frameio-token",
        "fio-u- and 64",
        shape("fio-u-", r"fio-u-[\w=-]{64}"),
        examples=("«fio-u-{w64}»",),
        near=("fio-u-x",),
    ),
)
