"""`remembrancer install` and `uninstall`: the memory in a coding agent, by its configuration files."""

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

import click

from remembrancer.cli.coding_agents.changes import NAME, FileChange, JsonFile, toml_block, whole_file
from remembrancer.cli.coding_agents.events import AGENTS, CLAUDE_CODE, CODEX, CURSOR, OPENCODE
from remembrancer.cli.coding_agents.hook import DEFAULT_DB, NEEDS_FILE
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import print_json
from remembrancer.cli.project import HERE
from remembrancer.cli.target import refused

# Codex has no event for the end of a session.
_NOT_IN_CODEX: Final = "SessionEnd"
_CURSOR_EVENTS: Final = ("sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "stop", "sessionEnd")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Installation:
    """The installation in an agent.

    Args:
        command: the words that run `remembrancer`.
        options: the options of the memory, for each of its commands.
    """

    command: Sequence[str]
    options: Sequence[str]

    def hook(self, agent: str) -> str:
        """Return the command of a hook."""
        return shlex.join([*self.command, "hook", agent, *self.options])

    def mcp(self) -> list[str]:
        """Return the words of the command of the MCP server."""
        return [*self.command, "mcp", "--project", HERE, *self.options]


_Changes = Callable[[_Installation | None], list[FileChange]]


def _claude_code(wanted: _Installation | None) -> list[FileChange]:
    own = os.environ.get("CLAUDE_CONFIG_DIR", "")
    folder = Path(own).expanduser() if own else Path.home() / ".claude"
    settings = _with_hooks(JsonFile(folder / "settings.json"), CLAUDE_CODE, wanted, _plugin_events())
    servers = JsonFile((folder if own else Path.home()) / ".claude.json")
    _set_server(servers, "mcpServers", wanted and {"command": wanted.mcp()[0], "args": wanted.mcp()[1:]})
    commands = [
        whole_file(
            folder / "commands" / NAME / f"{name}.md",
            wanted and _resource(f"claude-code/commands/{name}.md"),
            mark=f"MCP server `{NAME}`",
        )
        for name in ("recall", "remember")
    ]
    return [settings, servers.change(), *commands]


def _codex(wanted: _Installation | None) -> list[FileChange]:
    own = os.environ.get("CODEX_HOME", "")
    folder = Path(own).expanduser() if own else Path.home() / ".codex"
    events = {name: seconds for name, seconds in _plugin_events().items() if name != _NOT_IN_CODEX}
    hooks = _with_hooks(JsonFile(folder / "hooks.json"), CODEX, wanted, events)
    table = f"mcp_servers.{NAME}"
    words = wanted.mcp() if wanted else []
    # A JSON string or array of strings is one of TOML.
    block = wanted and f"[{table}]\ncommand = {json.dumps(words[0])}\nargs = {json.dumps(words[1:])}"
    return [hooks, toml_block(folder / "config.toml", table, block)]


def _cursor(wanted: _Installation | None) -> list[FileChange]:
    folder = Path.home() / ".cursor"
    hooks = JsonFile(folder / "hooks.json")
    is_new = not hooks.fields
    for event in _CURSOR_EVENTS:
        others = [one for one in hooks.listed("hooks", event) if not _is_ours(one, CURSOR)]
        hooks.table("hooks")[event] = [*others, {"command": wanted.hook(CURSOR)}] if wanted else others
        hooks.prune("hooks", event)
    if wanted and is_new:
        hooks.fields = {"version": 1, **hooks.fields}
    if hooks.fields == {"version": 1}:
        hooks.fields = {}
    servers = JsonFile(folder / "mcp.json")
    _set_server(servers, "mcpServers", wanted and {"command": wanted.mcp()[0], "args": wanted.mcp()[1:]})
    return [hooks.change(), servers.change()]


def _opencode(wanted: _Installation | None) -> list[FileChange]:
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "opencode"
    servers = JsonFile(folder / "opencode.json")
    _set_server(servers, "mcp", wanted and {"type": "local", "command": wanted.mcp(), "enabled": True})
    command = json.dumps([*wanted.command, "hook", OPENCODE, *wanted.options]) if wanted else ""
    plugin = wanted and _resource("opencode.js").replace('["remembrancer", "hook", "opencode"]', command)
    return [whole_file(folder / "plugin" / f"{NAME}.js", plugin, mark=f"{NAME} install opencode"), servers.change()]


_CHANGES: Final[Mapping[str, _Changes]] = {
    CLAUDE_CODE: _claude_code,
    CODEX: _codex,
    CURSOR: _cursor,
    OPENCODE: _opencode,
}
_AFTERWARDS: Final[Mapping[str, str]] = {
    CLAUDE_CODE: "Start Claude Code again; /mcp lists the server, /hooks the hooks.",
    CODEX: "Start Codex again, and trust the hooks when it asks; /mcp lists the server.",
    CURSOR: "Start Cursor again; its settings list the hooks and the server. Cursor adds no context to a prompt: its"
    " agent reads memories at the start of a session, and with the tools.",
    OPENCODE: "Start OpenCode again.",
}


def _resource(name: str) -> str:
    return (files("remembrancer.cli.coding_agents") / "files" / name).read_text("utf-8")


def _plugin_events() -> dict[str, int]:
    """Return the events of the plugin for Claude Code, each with its seconds until the agent goes on without it."""
    hooks = json.loads(_resource("claude-code/hooks/hooks.json"))["hooks"]
    return {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}


def _with_hooks(file: JsonFile, agent: str, wanted: _Installation | None, events: Mapping[str, int]) -> FileChange:
    """Return the change of a file whose hooks are nested as those of Claude Code: events, matchers, commands."""
    for event, seconds in events.items():
        groups = [_without_ours(group, agent) for group in file.listed("hooks", event)]
        others = [group for group in groups if group is not None]
        ours = {"hooks": [{"type": "command", "command": wanted.hook(agent), "timeout": seconds}]} if wanted else None
        file.table("hooks")[event] = [*others, ours] if ours else others
        file.prune("hooks", event)
    return file.change()


def _without_ours(group: Any, agent: str) -> Any | None:
    """Return a group of hooks without ours; `None` if it had no other."""
    fields = _object(group)
    hooks = fields.get("hooks")
    if not isinstance(hooks, list):
        return group
    others = [one for one in cast("list[Any]", hooks) if not _is_ours(one, agent)]
    return {**fields, "hooks": others} if others or not hooks else None


def _is_ours(hook: Any, agent: str) -> bool:
    """Return True for a hook that runs `remembrancer hook AGENT`."""
    command = _object(hook).get("command")
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    at = next((place for place in range(1, len(words) - 1) if words[place : place + 2] == ["hook", agent]), None)
    if at is None or Path(words[at - 1]).stem != NAME:
        return False
    # A command of the user's own that contains ours, such as one after `&&`, is the user's.
    before, options = words[: at - 1], words[at + 2 :]
    return (not before or before[1:] == ["-P", "-m"]) and set(options[::2]) <= {"--db", "--user", "--project"}


def _object(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _set_server(file: JsonFile, table: str, server: Mapping[str, Any] | None) -> None:
    """Set our server in a table of servers, or remove it.

    Raises:
        CommandRefused: another server has the name of ours.
    """
    servers = file.table(table)
    found = servers.get(NAME)
    is_ours = found is None or _is_our_server(_object(found))
    if server is not None and not is_ours:
        raise refused(f"{file.path} has another server named {NAME} under {table}; rename it first")
    if server is not None:
        servers[NAME] = server
    elif is_ours:
        servers.pop(NAME, None)
        file.prune(table)


def _is_our_server(fields: Mapping[str, Any]) -> bool:
    """Return True for a server that runs `remembrancer mcp`."""
    words = [Path(word).stem for word in (*_words(fields.get("command")), *_words(fields.get("args")))]
    return NAME in words and "mcp" in words


def _words(value: Any) -> list[str]:
    return [str(one) for one in cast("list[Any]", value)] if isinstance(value, list) else [str(value)]


def _own_command() -> list[str]:
    """Return the words that run this program from any folder."""
    own = Path(sys.argv[0])
    installed = Path(sys.executable).with_name(NAME)
    for path in (own, installed):
        if path.stem == NAME and path.is_file() and os.access(path, os.X_OK):
            return [str(path.absolute())]
    found = shutil.which(NAME)
    return [found] if found else [sys.executable, "-P", "-m", NAME]


def _written(changes: Sequence[FileChange], *, yes: bool, dry_run: bool, as_json: bool, agent: str, note: str) -> None:
    """Show changes, ask for consent, and write them."""
    wanted = [change for change in changes if change.is_change]
    if as_json:
        for change in [] if dry_run else wanted:
            change.write()
        print_json(
            {
                "agent": agent,
                "changed": [str(change.path) for change in wanted],
                "written": bool(wanted) and not dry_run,
            }
        )
        return
    if not wanted:
        click.echo(f"nothing to change for {agent}")
        return
    for change in wanted:
        click.echo(change.difference())
    if dry_run:
        return
    if not yes and not click.confirm(f"Change {'this file' if len(wanted) == 1 else f'these {len(wanted)} files'}?"):
        click.echo("nothing was changed")
        return
    for change in wanted:
        change.write()
        click.echo(f"{'removed' if change.after is None else 'wrote'} {change.path}")
    click.echo(note)


_AGENT = click.argument("agent", type=click.Choice(AGENTS))
_YES = click.option("--yes", is_flag=True, help="Change the files without a question.")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; with --yes or --dry-run.")


@click.command("install", cls=SectionedCommand, short_help="Install the memory in a coding agent.")
@_AGENT
@click.option("--db", metavar="PATH", default=DEFAULT_DB, show_default=True, help="The database.")
@click.option("--user", metavar="NAME", help="The user of the memory, where several share a database.")
@_YES
@_DRY_RUN
@_JSON
def install(agent: str, db: str, user: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Install the memory in a coding agent: its hooks, and the MCP server.

    The change is shown first; what is in the files stays, and `uninstall` removes the change. The hooks print
    memories for the agent at the start of a session and for a prompt, and record what the session contains. The project
    of a memory is the repository that the agent works in.
    """
    if "://" in db:
        raise refused(NEEDS_FILE)
    _check_consent(yes=yes, dry_run=dry_run, as_json=as_json)
    path = Path(db).expanduser().absolute()
    if not db or path.is_dir():
        raise refused(f"--db {db!r} is no file; name a file for the database, such as {DEFAULT_DB}")
    options = ["--db", str(path), *(["--user", user] if user else [])]
    changes = _CHANGES[agent](_Installation(command=_own_command(), options=options))
    needs = "" if find_spec("mcp") else " The MCP server needs: pip install 'remembrancer[service]'."
    note = f"{_AFTERWARDS[agent]}{needs} To undo it: remembrancer uninstall {agent}"
    _written(changes, yes=yes, dry_run=dry_run, as_json=as_json, agent=agent, note=note)


@click.command("uninstall", cls=SectionedCommand, short_help="Remove the memory from a coding agent.")
@_AGENT
@_YES
@_DRY_RUN
@_JSON
def uninstall(agent: str, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Remove the memory from a coding agent. The change is shown first; the database stays."""
    _check_consent(yes=yes, dry_run=dry_run, as_json=as_json)
    note = "The database stays."
    _written(_CHANGES[agent](None), yes=yes, dry_run=dry_run, as_json=as_json, agent=agent, note=note)


def missing_programs(agent: str) -> list[str]:
    """Return the programs of our hooks in an agent's files that are not there any more."""
    programs = set[str]()
    for change in _CHANGES[agent](None):
        for command in re.findall(r'"command": "((?:[^"\\]|\\.)*)"', change.before or ""):
            if _is_ours({"command": (text := json.loads(f'"{command}"'))}, agent):
                programs.add(shlex.split(text)[0])
    return sorted(one for one in programs if shutil.which(one) is None)


def is_installed(agent: str) -> bool:
    """Return True if an agent has something that `uninstall` would remove.

    Raises:
        CommandRefused: its files cannot be read.
    """
    return any(change.is_change for change in _CHANGES[agent](None))


def _check_consent(*, yes: bool, dry_run: bool, as_json: bool) -> None:
    if as_json and not (yes or dry_run):
        raise click.UsageError("--json asks no question; add --yes or --dry-run")
