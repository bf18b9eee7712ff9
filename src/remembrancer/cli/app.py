"""`remembrancer`: the group of all commands, and its help.

The help is written here, since nothing else of the package is needed to print it.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from importlib.metadata import version
from typing import cast

import click

from remembrancer.cli.group import HELP_SETTINGS, CommandGroup

_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Memories": {
        "record": "Record a message of a conversation.",
        "save": "Save an observation: a preference, a decision, a claim.",
        "recall": "Find the memories that answer a question, best first.",
        "ask": "Answer a question from memory, with checked citations.",
        "context": "Print what an agent reads before it answers.",
        "list, get": "Print memories that match a filter; one memory in full.",
        "edit": "Change an observation.",
        "delete, restore": "Delete memories, and bring them back.",
        "feedback": "Say that a memory is right or wrong, or dismiss it.",
        "evidence, explain": "What a memory rests on; why a question recalls it or not.",
        "dependents, trace": "What rests on a memory; a search with all candidates.",
    },
    "Agents": {
        "brief": "Print memories for the start of a session.",
        "inject, remind": "Print what a prompt or a question recalls.",
        "install, uninstall": "The memory in a coding agent, which runs `hook`.",
        "execute, chat": "Execute a task, or talk, with a model and memory.",
    },
    "Store and service": {
        "import": "Import chats, or exports of our own.",
        "export, sync": "Export memories as text; exchange them between machines.",
        "serve, console": "Serve a memory over REST and MCP, or to a browser.",
        "mcp": "Speak MCP over standard input and output.",
        "worker": "Do the background work of a store.",
        "init-db": "Prepare or upgrade a PostgreSQL database.",
        "doctor": "Check what is installed here.",
    },
}
_GROUPS: Mapping[str, str] = {
    "sessions": "start, end, summarise",
    "notes": "observe, reflect, log",
    "timeline": "around, between, diff",
    "graph": "entities, relations",
    "episodes": "actions and signals",
    "facts": "values by key",
    "rules": "rules for agents",
    "patterns": "learned patterns",
    "scores": "rate, boost, pin",
    "observations": "delete or restore many",
    "governance": "audit, erasure, retention",
    "admin": "keys, indexes, costs",
    "backup": "backups of a store",
    "tenants": "several databases",
}
# Commands that agents and hooks run.
_FOR_AGENTS = ("hook", "hook-helper")
_LISTED = tuple(name for section in _SECTIONS.values() for names in section for name in names.split(", "))
_NAMES = (*_LISTED, *_FOR_AGENTS, *_GROUPS)


class _Commands(Mapping[str, click.Command]):
    """The commands by name; each is made when it is read."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in _NAMES:
            raise KeyError(name)
        from remembrancer.cli.tree import command

        return command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


class MainGroup(CommandGroup):
    """All commands; its help lists them by sections, on one screen."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, and the groups in two columns."""
        formatter.write_text(f"Usage: {ctx.command_path} [-h] [--version] COMMAND [ARGS]...")
        formatter.write_text(self.help or "")
        for title, texts in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(texts.items()))
        with formatter.section("Groups (remembrancer GROUP -h lists the commands)"):
            for one in _in_columns([f"{name:<13}{text}" for name, text in _GROUPS.items()]):
                formatter.write_text(one)


def _in_columns(cells: list[str]) -> Iterable[str]:
    half = (len(cells) + 1) // 2
    for left, right in zip(cells[:half], [*cells[half:], ""], strict=False):
        yield f"{left:<38}{right}".rstrip()


@click.group(
    cls=MainGroup,
    commands=cast(MutableMapping[str, click.Command], _Commands()),
    help="The memory of AI agents: record, recall, explain, go back in time.",
    context_settings=HELP_SETTINGS,
    no_args_is_help=True,
)
@click.version_option(version("remembrancer"), prog_name="remembrancer")
def app() -> None:
    """Run a command."""
