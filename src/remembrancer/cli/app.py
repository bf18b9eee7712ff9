"""`remembrancer`: the group of all commands."""

from importlib.metadata import version

import click

from remembrancer.cli import (
    archiving,
    asking,
    auditing,
    conversing,
    copying,
    costs,
    episodes,
    erasing,
    facts,
    governing,
    importing,
    injecting,
    keys,
    learning,
    nights,
    observing,
    procedures,
    reading,
    retaining,
    serving,
    sessions,
    standings,
    transfers,
    upkeep,
    writing,
)
from remembrancer.cli.refusing import Commands

# The backspace keeps click from joining the lines that follow it.
_EXAMPLES = """\b
The first things to try:
  remembrancer save "Ana prefers window seats" --type preference
  remembrancer recall "Which seat does Ana like?" --factors
  remembrancer import chat.jsonl"""


@click.group(
    cls=Commands, epilog=_EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True
)
@click.version_option(version("remembrancer"), prog_name="remembrancer")
def app() -> None:
    """The memory of AI agents: record, recall, explain, go back in time."""


for command in (
    importing.import_,
    writing.save,
    writing.record,
    reading.recall,
    asking.ask,
    reading.show,
    reading.history,
    reading.list_,
    writing.edit,
    writing.delete,
    writing.restore,
    writing.delete_many,
    writing.restore_many,
    sessions.session,
    reading.timeline,
    reading.explain,
    reading.diff,
    reading.stats,
    conversing.context,
    conversing.chat,
    asking.execute,
    injecting.brief,
    injecting.inject,
    injecting.remind,
    injecting.injections,
    observing.observe,
    observing.reflect,
    observing.dead_letters,
    episodes.episodes,
    facts.facts,
    procedures.procedures,
    learning.observations,
    learning.right,
    learning.wrong,
    learning.dismiss,
    learning.undo,
    learning.merge,
    learning.pause,
    learning.resume,
    learning.retire,
    learning.why,
    standings.rate,
    standings.boost,
    standings.pin,
    standings.unpin,
    standings.outcome,
    standings.standing,
    standings.weights,
    nights.nightly,
    costs.costs,
    upkeep.reindex,
    upkeep.reembed,
    upkeep.doctor,
    copying.copy,
    archiving.backup,
    archiving.archive,
    archiving.export,
    archiving.report,
    auditing.audit,
    retaining.retention,
    erasing.erasures,
    erasing.receipt,
    erasing.holds,
    transfers.transfers,
    governing.classify,
    governing.overview,
    governing.redactions,
    keys.keys,
    serving.work,
    serving.init_db,
    serving.secret,
    serving.serve,
    serving.mcp,
):
    app.add_command(command)
