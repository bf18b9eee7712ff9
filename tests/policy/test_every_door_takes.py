"""Every write takes a time, an idempotency key and metadata, through every door: what is lacking has a reason here."""

from collections.abc import Iterator

import click

from remembrancer.cli.app import app
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS
from remembrancer.service.mcp.tools import TOOLS, make_tools

ARGUMENTS = {"time": {"occurred_at", "at", "valid_from", "since"}, "key": {"key"}, "metadata": {"metadata"}}
# What is written of what a caller says; the batches take lists of the same.
WRITES = {
    "record": "record",
    "save": "save",
    "edit": "edit",
    "sessions.reply": "chat",
    "sessions.execute": "execute",
    "sessions.summarise": "sessions summarise",
    "episodes.record": "episodes record",
    "episodes.signal": "episodes signal",
    "facts.set": "facts set",
    "rules.add": "rules add",
}
"""Each operation with its command."""
SAID_NOW = "what is said to a model is said now"
AS_REVISION = "`revision` refuses a change that was made already"
ONCE = "said again it changes nothing: the outcome is `deduped`"
TAKES_CATEGORY = "a fact has a key, a value and times, and no more"
LACKING = {
    ("edit", "library", "key"): AS_REVISION,
    ("edit", "cli", "key"): AS_REVISION,
    ("edit", "mcp", "key"): AS_REVISION,
    **{
        (name, door, "time"): SAID_NOW
        for name in ("sessions.reply", "sessions.execute")
        for door in ("library", "rest", "cli")
    },
    **{
        (name, door, "metadata"): "the messages of a reply are the engine's"
        for name in ("sessions.reply", "sessions.execute")
        for door in ("library", "rest", "cli")
    },
    ("episodes.signal", "library", "metadata"): "`attributes` stand for it",
    ("episodes.signal", "rest", "metadata"): "`attributes` stand for it",
    ("episodes.signal", "cli", "metadata"): "`attributes` stand for it",
    ("facts.set", "library", "key"): ONCE,
    ("facts.set", "cli", "key"): ONCE,
    **{("facts.set", door, "metadata"): TAKES_CATEGORY for door in ("library", "rest", "cli")},
}
# Of the key of a fact, which is no idempotency key.
OTHER_KEYS = {"facts.set"}


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        named = f"{before} {name}".strip()
        if isinstance(command, click.Group):
            yield from commands(command, named)
        else:
            yield named, command


def nobody(_: str) -> Memory:
    raise LookupError


def taken() -> Iterator[tuple[str, str, frozenset[str]]]:
    """What each operation takes through each door that it has: the table."""
    of_commands = dict(commands(app))
    fields = {tool.name: frozenset(tool.parameters["properties"]) for tool in make_tools(nobody)}
    tools = {operation: name for name, (operation, _) in TOOLS.items()}
    for name, command in WRITES.items():
        operation = OPERATIONS[name]
        own = frozenset(operation.values)
        yield name, "library", own
        # The service takes an idempotency key with every write, as a header; a stream is asked for once more.
        yield name, "rest", own | ({"key"} if operation.writes else frozenset())
        yield name, "cli", frozenset(one.name or "" for one in of_commands[command].params)
        if name in tools:
            yield name, "mcp", fields[tools[name]]


def test_every_write_takes_a_time_a_key_and_metadata_through_every_door() -> None:
    lacking = {
        (name, door, argument)
        for name, door, given in taken()
        for argument, names in ARGUMENTS.items()
        if not names & given or (argument == "key" and name in OTHER_KEYS and door != "rest")
    }
    assert lacking == set(LACKING), {
        "new": sorted(lacking - set(LACKING)),
        "closed": sorted(set(LACKING) - lacking),
    }


def test_every_operation_that_adds_what_a_caller_says_is_in_the_table() -> None:
    said = {"text", "summary", "rule", "value", "task"}
    adding = {name for name, one in OPERATIONS.items() if said & set(one.values) and one.writes}
    assert adding <= {*WRITES, "episodes.end_run", "rules.edit", "graph.relate"}
