"""`doctor`: what is installed here, and whether it works."""

import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Final

import click

from remembrancer.cli.coding_agents.events import AGENTS
from remembrancer.cli.coding_agents.hook import DEFAULT_DB, LOG
from remembrancer.cli.coding_agents.install import is_installed, missing_programs
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.target import INCOMPLETE, CommandRefused, Target, ended, targeted
from remembrancer.client.hook_spool import spool_of, spooled
from remembrancer.client.local_socket import is_listening, socket_path

if TYPE_CHECKING:
    from remembrancer.memory import Memory

# By extra, a module of it; those of models have the package of the provider.
_EXTRAS: Final[Mapping[str, str]] = {
    "service": "mcp",
    "client": "httpx2",
    "postgres": "psycopg",
    "qdrant": "qdrant_client",
    "redis": "redis",
    "static": "wordllama",
    "fastembed": "fastembed",
    "names": "spacy",
    "telemetry": "opentelemetry",
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google.genai",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
    "google-adk": "google.adk",
    "llama-index": "llama_index.core",
    "memvid": "memvid_sdk",
}
_OLD: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """A check: what was looked at, what was found, and what to do about it.

    Args:
        advice: `""` if nothing is wrong.
    """

    name: str
    found: str
    advice: str = ""


@click.command(cls=SectionedCommand, short_help="Check what is installed here.")
@targeted
def doctor(target: Target) -> None:
    """Check what is installed here: the package, its extras, the database, coding agents and their hooks.

    Without --db it is the database of the settings, and that of the coding agents. The exit code is 11 if something
    needs attention. `admin doctor` checks every memory of a database.
    """
    checks = [*_of_program(), *_of_database(target), *_of_agents()]
    if target.json:
        print_json([asdict(check) for check in checks])
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{'!' if check.advice else ' '} {check.name:<{width}}  {check.found}")
            if check.advice:
                click.echo(f"  {'':<{width}}  {check.advice}")
    if any(check.advice for check in checks):
        click.get_current_context().exit(INCOMPLETE)


def _of_program() -> Iterator[_Check]:
    yield _Check(name="remembrancer", found=f"{version('remembrancer')} in {Path(__file__).parents[1]}")
    yield _Check(name="python", found=f"{platform.python_version()} at {sys.executable}")
    there = [extra for extra, module in _EXTRAS.items() if _has(module)]
    yield _Check(name="extras", found=", ".join(there) or "none")
    try:
        commands = {entry.name for entry in distribution("remembrancer").entry_points}
    except PackageNotFoundError:
        commands = set[str]()
    shell = 'eval "$(_REMEMBRANCER_COMPLETE=bash_source remembrancer)"'
    yield _Check(name="completion", found=f"{shell}, or zsh_source, fish_source" if commands else "not installed")


def _has(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def _of_database(target: Target) -> Iterator[_Check]:
    from remembrancer.settings import load_settings

    settings = ended(lambda: load_settings(**target.settings))
    place = settings.db
    if "://" not in place and not Path(place).exists():
        advice = "" if target.db is None else "check the name; a command that writes creates it"
        yield _Check(name="database", found=f"{place} does not exist", advice=advice)
        return

    async def count(memory: "Memory") -> int:
        return sum((await memory.admin.stats()).records.values())

    try:
        records = target.run(count, embedder="none") if target.embedder is None else target.run(count)
    except CommandRefused as refusal:
        yield _Check(name="database", found=_shown(place), advice=refusal.message)
        return
    yield _Check(name="database", found=f"{_shown(place)}, {numbered(records, 'memory')} in this scope")


def _shown(place: str) -> str:
    # An address may have a password.
    return place if "://" not in place else place.partition("://")[0] + "://…"


def _of_agents() -> Iterator[_Check]:
    installed: list[str] = []
    for agent in AGENTS:
        try:
            installed += [agent] if is_installed(agent) else []
            for program in missing_programs(agent):
                advice = f"run `remembrancer install {agent}` with the program that is there now"
                yield _Check(name=agent, found=f"its hooks run {program}, which is not there", advice=advice)
        except CommandRefused as refusal:
            yield _Check(name=agent, found="its files cannot be read", advice=refusal.message)
    yield _Check(name="coding agents", found=", ".join(installed) or "none; `remembrancer install AGENT` installs one")
    db = str(Path(DEFAULT_DB).expanduser())
    waiting = list(spooled(spool_of(db)))
    if not (installed or waiting):
        return
    if installed and not _has("mcp"):
        advice = "the MCP server needs: pip install 'remembrancer[service]'"
        yield _Check(name="MCP server", found="not installed", advice=advice)
    path = socket_path(db)
    answers = path is not None and is_listening(path)
    yield _Check(name="hooks", found="a process answers them" if answers else "no process answers; a hook starts one")
    old = [path for path, _ in waiting if time() - path.stat().st_mtime > _OLD.total_seconds()]
    found = f"{len(waiting)} files of hooks wait to be recorded"
    advice = _reason(spool_of(db) / LOG) if old else ""
    yield _Check(name="spool", found=found if waiting else "empty", advice=advice)


def _reason(log: Path) -> str:
    """Return why the spool is not recorded, by the log of the helper."""
    try:
        lines = log.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "run `remembrancer hook-helper --idle 1` to record them"
