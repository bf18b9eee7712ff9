"""All of the library is on the command line: each method has a command, each parameter an option, or a reason."""

import inspect
from collections.abc import Mapping

from remembrancer import Memory
from tests.policy.test_commands_are_told import commands, program
from tests.walking import methods_of

COMMANDS: Mapping[str, str] = {
    "record": "record",
    "save": "save",
    "edit": "edit",
    "delete": "delete",
    "restore": "restore",
    "observations.delete_many": "delete-many",
    "observations.restore_many": "restore-many",
    "get": "show",
    "history": "history",
    "recall": "recall",
    "ask": "ask",
    "ask_stream": "ask",
    "explain": "explain",
    "context": "context",
    "reply": "chat",
    "execute": "execute",
    "execute_stream": "execute",
    "block": "recall",
    "list": "list",
    "messages.import_file": "import",
    "governance.overview": "overview",
    "archives.export": "export",
    "archives.report": "report",
    "archives.make": "archive make",
    "archives.check": "archive check",
    "archives.take": "archive take",
    "sessions.start": "session start",
    "sessions.end": "session end",
    "sessions.summarise": "session summary",
    "sessions.list": "session list",
    "sessions.observe_now": "observe",
    "sessions.reflect_now": "reflect",
    "sessions.log": "observe",
    "sessions.noted": "observe",
    "sessions.distilled": "observe",
    "sessions.chunks": "observe",
    "sessions.approve": "observe",
    "sessions.dead_letters": "dead-letters",
    "sessions.retry": "dead-letters",
    "timeline.around": "timeline",
    "timeline.between": "timeline",
    "timeline.diff": "diff",
    "contexts.brief": "brief",
    "contexts.inject": "inject",
    "contexts.remind": "remind",
    "contexts.injections": "injections",
    "episodes.record": "episodes record",
    "episodes.signal": "episodes signal",
    "episodes.restore": "episodes restore",
    "episodes.list": "episodes list",
    "facts.set": "facts set",
    "facts.get": "facts get",
    "facts.history": "facts history",
    "facts.end": "facts end",
    "facts.list": "facts list",
    "procedures.add": "procedures add",
    "procedures.edit": "procedures edit",
    "procedures.pause": "procedures pause",
    "procedures.resume": "procedures resume",
    "procedures.retire": "procedures retire",
    "procedures.list": "procedures list",
    "procedures.refused": "procedures refused",
    "learning.right": "right",
    "learning.wrong": "wrong",
    "learning.dismiss": "dismiss",
    "learning.undo": "undo",
    "learning.merge": "merge",
    "learning.pause": "pause",
    "learning.resume": "resume",
    "learning.retire": "retire",
    "learning.why": "why",
    "learning.outcome": "outcome",
    "learning.weights": "weights",
    "learning.standing": "standing",
    "learning.rate": "rate",
    "learning.boost": "boost",
    "learning.pin": "pin",
    "learning.unpin": "unpin",
    "learning.nightly": "nightly",
    "learning.preview": "nightly",
    "learning.nights": "nightly",
    "learning.list": "observations",
    "retention.set": "retention set",
    "retention.unset": "retention unset",
    "retention.policies": "retention policies",
    "retention.find_expired": "retention expired",
    "retention.list_soft_deleted": "retention deleted",
    "retention.soft_delete": "retention delete",
    "retention.hard_delete": "retention purge",
    "retention.run": "retention run",
    "erasures.plan": "erasures plan",
    "erasures.erase": "erasures erase",
    "erasures.named": "erasures named",
    "erasures.receipts": "erasures receipts",
    "transfers.list": "transfers list",
    "transfers.grant": "transfers grant",
    "transfers.revoke": "transfers revoke",
    "governance.hold": "holds set",
    "governance.lift": "holds lift",
    "governance.holds": "holds list",
    "audit.list": "audit list",
    "audit.verify": "audit verify",
    "audit.checkpoint": "audit checkpoint",
    "governance.classify": "classify",
    "governance.redact": "redactions set",
    "governance.unset_redaction": "redactions unset",
    "governance.redactions": "redactions list",
    "keys.create": "keys create",
    "keys.list": "keys list",
    "keys.rotate": "keys rotate",
    "keys.revoke": "keys revoke",
    "upkeep.stats": "stats",
    "upkeep.costs": "costs",
    "upkeep.reembed": "reembed",
    "upkeep.reindex": "reindex",
    "upkeep.doctor": "doctor",
}
WITHOUT: Mapping[str, str] = {
    "archives.stream": "archive make, which writes it into a file",
    "retention.is_accessible": "`show` refuses what is not",
    "within": "a scope, a clearance and an actor are options of every command",
    "find": "show, which says that there is none",
    "reply_stream": "chat, which waits for each answer",
    "conversation": "the session is an argument",
    "messages.record_many": "a command records one message; import takes files of them",
    "messages.import_turns": "takes what a program has read; import takes files",
    "observations.save_many": "a command saves one claim",
    "observations.edit": "edit, by way of Memory.edit",
    "observations.delete": "delete, by way of Memory.delete",
    "observations.restore": "restore, by way of Memory.restore",
    "contexts.assemble": "context, by way of Memory.context",
    "contexts.reply": "chat, by way of Memory.reply",
    "contexts.reply_stream": "chat, which waits for each answer",
    "contexts.block": "recall --block, by way of Memory.block",
    "episodes.record_many": "a command records one episode",
    "episodes.end_run": "a run lives within a process",
    "jobs.start": "a command does its work itself, and waits",
    "jobs.list": "is of a service; a command does its work itself",
    "jobs.get": "is of a service; a command does its work itself",
    "jobs.cancel": "is of a service; a command is interrupted",
    "upkeep.flush": "a command writes what it has counted when it ends",
    "upkeep.embed": "reindex and work make what is missing",
    "upkeep.embed_soon": "a command that writes does it by itself",
    "upkeep.unembedded": "import tells how many are left",
}

# What a parameter is called on the command line, where that is another name than its own, in one number or the other.
CALLED: Mapping[str, str] = {
    "abstain": "anyway",
    "observations.delete_many.dry": "dry-run",
    "audit.list.actor": "by",
    "keep_days": "days",
    "erasures.erase.agent": "subject",
    "erasures.erase.memories": "names",
    "erasures.erase.project": "subject",
    "erasures.erase.session": "subject",
    "erasures.erase.tenant": "subject",
    "erasures.erase.user": "subject",
    "erasures.plan.agent": "subject",
    "erasures.plan.memories": "names",
    "erasures.plan.project": "subject",
    "erasures.plan.session": "subject",
    "erasures.plan.tenant": "subject",
    "erasures.plan.user": "subject",
    "boost": "share",
    "contexts.inject.prompt": "words",
    "contexts.remind.question": "words",
    "file": "paths",
    "archives.report.user": "user_name",
    "path": "file",
    "occurred_at": "at",
    "rating": "share",
    "recall": "no-recall",
    "record": "no-record",
    "touch": "no-trace",
    "rerank": "no-rerank",
    "valid_from": "from",
    "valid_to": "to",
    "vectors": "words-only",
    "sessions.approve.first": "approve",
    "sessions.retry.first": "retry",
    "sessions.retry.session": "retry",
}
WITHOUT_OPTION: Mapping[str, str] = {
    "block.recalled": "what the question has recalled",
    "delete.revision": "a command takes several memories",
    "learning.nightly.told": "told on standard error",
    "archives.make.progress": "told on standard error",
    "archives.take.progress": "told on standard error",
    "messages.import_file.progress": "told on standard error",
    "recall.space": "goes with a vector",
    "recall.vector": "is of a program that has an embedder",
    "reply.text": "comes by standard input",
    "sessions.noted.first": "each run that was just observed is shown",
    "upkeep.reembed.progress": "told on standard error",
    "upkeep.reindex.progress": "told on standard error",
}


def parameters() -> Mapping[str, bool]:
    """Each parameter of a method that has a command, such as `recall.limit`: whether that command takes it."""
    known, methods = dict(commands(program())), methods_of(Memory)
    found: dict[str, bool] = {}
    for method, path in COMMANDS.items():
        taken = {
            word.strip("-_").replace("_", "-") for one in known[path].params for word in (*one.opts, one.name or "")
        }
        for name in list(inspect.signature(methods[method]).parameters)[1:]:
            called = CALLED.get(f"{method}.{name}", CALLED.get(name, "")), name.replace("_", "-")
            found[f"{method}.{name}"] = bool({*called, f"{called[1]}s", called[1].removesuffix("s")} & taken)
    return found


def test_every_parameter_has_an_option_or_a_reason_for_none() -> None:
    taken = parameters()
    assert {name for name, is_taken in taken.items() if not is_taken} == set(WITHOUT_OPTION)
    assert [name for name in CALLED if not [one for one in taken if one == name or one.endswith(f".{name}")]] == []


def test_every_method_has_a_command_or_a_reason_for_none() -> None:
    assert set(methods_of(Memory)) == {*COMMANDS, *WITHOUT}
    assert set(COMMANDS) & set(WITHOUT) == set()


def test_every_command_that_is_named_is_there() -> None:
    known = {path for path, _ in commands(program())}
    assert {method: path for method, path in COMMANDS.items() if path not in known} == {}
