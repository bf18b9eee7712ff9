"""Keys of language models, and of what is built around them."""

from remembrancer.guard.secrets.shape import kind, shape

KINDS = (
    kind(
        "anthropic-key",
        "sk-ant-, a purpose and 80 or more",
        shape("sk-ant-", r"sk-ant-[A-Za-z0-9_-]{10,}"),
        examples=("«sk-ant-api03-{w93}»", "«sk-ant-admin01-{w80}»"),
        near=("sk-ant-your-key-here",),
    ),
    kind(
        "openai-key",
        "sk-proj-, sk-svcacct-, sk-admin- or sk-or-v1- and more; sk- and 48",
        shape("sk-", r"sk-(?:(?:proj|svcacct|admin|service|None|or-v1)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,})"),
        examples=("«sk-proj-{w100}»", "«sk-{a48}»", "«sk-or-v1-{x64}»"),
        near=("sk-learn", "task-oriented", "sk-proj-your-key"),
    ),
    kind(
        "huggingface-token",
        "hf_ and 34 letters; api_org_ and 34",
        shape("hf_", r"hf_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
        shape("api_org_", r"api_org_[A-Za-z0-9]{34}(?![A-Za-z0-9])"),
        examples=("huggingface-cli login --token «hf_{M34}»", "«hf_{a34}»", "«api_org_{M34}»"),
        near=(
            "hf_hub_download",
            "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "hf_model_name_for_testing",
            "hf_AutoModelForSequenceClassificationX",
            "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
        ),
    ),
    kind(
        "groq-key",
        "gsk_ and 52 letters and digits",
        shape("gsk_", r"gsk_[A-Za-z0-9]{40,60}(?![A-Za-z0-9])"),
        examples=("«gsk_{a52}»",),
        near=("gsk_model",),
    ),
    kind(
        "replicate-token",
        "r8_ and 37 letters and digits",
        shape("r8_", r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
        examples=("«r8_{a37}»",),
        near=("r8_unorm",),
    ),
    kind(
        "perplexity-key",
        "pplx- and 48 letters and digits",
        shape("pplx-", r"pplx-[A-Za-z0-9]{40,64}(?![A-Za-z0-9])"),
        examples=("«pplx-{a48}»",),
        near=("pplx-7b-online",),
    ),
    kind(
        "xai-key",
        "xai- and 80 letters and digits",
        shape("xai-", r"xai-[A-Za-z0-9]{70,90}(?![A-Za-z0-9])"),
        examples=("«xai-{a80}»",),
        near=("xai-sdk",),
    ),
    kind(
        "langsmith-key",
        "lsv2_pt_ or lsv2_sk_, 32 hexadecimal digits, _ and 10; ls__ and 32",
        shape("lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
        shape("ls__", r"ls__[0-9a-f]{32}"),
        examples=("«lsv2_pt_{x32}_{x10}»", "«ls__{x32}»"),
        near=("lsv2_pt",),
    ),
    kind(
        "pinecone-key",
        "pcsk_ and 60 or more",
        shape("pcsk_", r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}"),
        examples=("«pcsk_{a6}_{a62}»",),
        near=("pcsk_file",),
    ),
    kind(
        "together-key",
        "tgp_v1_ and 43; fw_ and 22 or more after Fireworks",
        shape("tgp_v1_", r"tgp_v1_[\w-]{40,}"),
        shape("fw_", r"fw_[A-Za-z0-9]{22,24}(?![A-Za-z0-9_])"),
        examples=("«tgp_v1_{w43}»", "«fw_{a24}»"),
        near=("fw_update", "tgp_v1_x"),
    ),
    kind(
        "tavily-key",
        "tvly- and 32; tvly-dev- likewise",
        shape("tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
        examples=("«tvly-dev-{a32}»",),
        near=("tvly-python",),
    ),
    kind(
        "langfuse-key",
        "sk-lf- and a UUID",
        shape("sk-lf-", r"sk-lf-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
        examples=("«sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}»",),
        near=("sk-lf-key",),
    ),
    kind(
        "wandb-key",
        "40 hexadecimal digits after wandb and login, key or api",
        shape(
            "wandb",
            r"(?i:wandb)[\w .-]{0,12}?(?i:login|key)[\"']?\s{0,3}(?:[:=]|is)?\s{0,3}[\"']?"
            r"(?P<secret>[0-9a-f]{40})(?![0-9a-f])",
        ),
        examples=("wandb login «{x40}»", "WANDB_API_KEY=«{x40}»"),
        near=("wandb run {x40}",),
    ),
)
