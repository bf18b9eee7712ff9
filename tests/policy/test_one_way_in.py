"""The modules that may write, hash, import and read the environment, by the syntax trees of the sources."""

import ast
import os
from functools import cached_property
from typing import get_type_hints

from remembrancer.storage.tx import Tx
from tests.policy.sources import modules

WRITER = "transactions/write_transaction.py"
# The only module that opens a transaction which may write.
OPENS = "transactions/unit_of_work.py"
# What each collection of a transaction writes by; whatever is in neither table is caught.
WRITES = {
    "audit": {"add"},
    "blocks": {"add"},
    "calls": {"add", "settle"},
    "chunks": {"add", "put"},
    "injections": {"add"},
    "keys": {"add"},
    "logs": {"put"},
    "maintenance_runs": {"put"},
    "changes": {"add"},
    "policies": {"put", "drop"},
    "erasure": {"erase_all", "add_tombstones", "erase_session"},
    "archives": {"put", "put_session", "put_log", "put_side_rows", "drop_dangling_evidence"},
    "imports": {"put", "add_tombstone"},
    "requests": {"put"},
    "records": {"add", "change", "set_aside", "erase", "record_access"},
    "sessions": {"put", "reserve_numbers"},
    "scores": {"put"},
    "upkeep": {"index", "index_many", "drop_index", "repair"},
    "vectors": {"add"},
    "rejections": {"add", "revoke", "unlink_record"},
    "verdicts": {"put", "withdraw"},
    "weights": {"add", "set"},
}
READS = {
    "audit": {"missing_entries_below", "count", "missing_entries", "broken_entries", "entries", "tip", "up_to"},
    "blocks": {"by_session", "by_agent", "total"},
    "calls": {"list", "spent", "totals"},
    "chunks": {"find", "containing", "failed", "in_review", "list"},
    "episodes": {"contacts", "known_contacts", "with_contact", "latest"},
    "facts": {"by_key", "in_status"},
    "injections": {"list"},
    "keys": {"find"},
    "logs": {"find", "list"},
    "messages": {"by_number", "lines"},
    "maintenance_runs": {"find", "latest", "list", "has_events_since"},
    "observations": {
        "by_topic",
        "visible_by_topic",
        "by_hash",
        "known_hashes",
        "by_length",
        "patterns",
        "notes",
        "rejected_notes",
        "in_log",
        "log_lines",
        "log_mark",
    },
    "procedures": {"in_status"},
    "changes": {"mark"},
    "policies": {"visible", "exact", "below", "around"},
    "archives": {
        "as_version",
        "bundles",
        "session_bundles",
        "session_bundle",
        "logs",
        "side_rows",
        "record",
        "existing",
        "tombstones",
        "used_numbers",
    },
    "erasure": {"row_counts", "kinds", "hashes", "texts", "cross_scope_dependents", "tombstones", "scan"},
    "imports": {"find", "tombstones"},
    "requests": {"find"},
    "records": {
        "find",
        "find_all",
        "hashes",
        "around",
        "dependents",
        "cross_scope_dependents",
        "expired",
        "deleted",
        "deleted_together",
        "ended",
        "next_end",
        "counts",
        "scopes",
        "usage",
        "lock_existing",
        "most_read",
        "list",
        "retired",
    },
    "sessions": {"find", "unnamed", "current", "unobserved", "stale", "list"},
    "scores": {"find", "ratings", "page", "positions", "surplus", "unread", "faded"},
    "text_index": {"statistics", "frequencies", "postings", "containing", "names", "names_with"},
    "upkeep": {"faults", "ahead", "indexed", "posting_counts"},
    "vectors": {"nearest", "best_cosines", "cosines", "missing", "embedded"},
    "rejections": {"matching", "exist", "rejected_records", "of_record", "pairs"},
    "verdicts": {"of_record", "confirmed"},
    "versions": {"at", "of", "between", "past", "status_before"},
    "weights": {"current", "changes", "changes_by_session"},
    "documents": {"matching", "updated_last", "headers", "newest", "messages_at", "records"},
}
HASHES_RECORDS = {
    "ingest/export_import.py": "compares what comes with what is here, or was erased, and stores no hash",
    "ingest/admission.py": "hashes what it has just redacted",
    "ingest/readmission.py": "hashes what it has just redacted",
    "learn/compact/records.py": "hashes what it has made of redacted episodes",
    "jobs/doctor.py": "compares a stored text with its stored hash",
    "types/text.py": "says what the hash of a text is, and stores none",
    "storage/record_rows.py": "hashes the form in which a stored text is compared",
}
SHA256 = {
    "types/text.py": "says what the hash of a text is, and stores none",
    "ingest/admission.py": "hashes what it has just redacted",
    "privacy/receipts.py": "hashes receipts, which hold no content",
    "storage/migrations.py": "hashes migration files",
    "storage/secret.py": "makes a key of a passphrase",
    "storage/audit.py": "chains audit entries, which hold no text",
    "testing/embedder.py": "hashes single words to dimensions, of redacted text",
    "ingest/importers/documents.py": "makes a key of a path whose names are no possible key",
    "integrations/mem0.py": "makes the topic of a text in one run, which is stored and erased with the text",
    "storage/copying.py": "compares what two stores hold, in the process that reads both",
}
# Where a banned module is the right one.
ALLOWED = {
    ("service/server/protocol.py", "asyncio"): "the type of what uvicorn's own event loop gives",
    ("service/server/protocol.py", "asyncio.TimerHandle"): "the type of what uvicorn's own event loop gives",
    ("storage/postgres/queue.py", "asyncio"): "procrastinate runs jobs as its tasks",
    ("service/server/run.py", "socket"): "several processes share one address",
    ("client/local_socket.py", "socket"): "a command asks the process that has the file open, and loads no event loop",
}
BANNED_MODULES = {"asyncio", "requests", "socket", "sqlite3", "unittest.mock", "urllib"}


def collections() -> dict[str, set[str]]:
    """The methods of each collection of a transaction, by its name there."""
    hints: dict[str, type] = {
        name: get_type_hints(value.func)["return"]
        for name, value in vars(Tx).items()
        if isinstance(value, cached_property) and not name.startswith("_")
    }
    return {name: {method for method in vars(of_noun) if not method.startswith("_")} for name, of_noun in hints.items()}


def test_every_method_of_every_collection_is_said_to_read_or_to_write() -> None:
    said = {name: READS.get(name, set()) | WRITES.get(name, set()) for name in {*READS, *WRITES}}
    assert collections() == said
    assert not [name for name in WRITES if WRITES[name] & READS.get(name, set())]


def places_with(name: str) -> set[str]:
    """Return the modules that use or import a name."""
    return {place for place, module in modules().items() if name in module.names}


def test_one_module_names_the_writes_of_the_store() -> None:
    methods = {f".{name}.{method}" for name, of_name in WRITES.items() for method in of_name}
    writer = {
        place: named
        for place, module in modules().items()
        if (named := {method for method in methods if any(f".{name}".endswith(method) for name in module.names)})
    }
    assert writer == {WRITER: methods}


def test_one_module_opens_what_may_write() -> None:
    opening = {place for place, module in modules().items() if any(n.endswith("store.begin") for n in module.names)}
    # A store over several databases passes it on.
    assert opening == {OPENS, "storage/postgres/databases.py"}


def test_a_store_is_written_only_through_its_transactions() -> None:
    assert places_with("SqlRecords") == {"storage/records.py", "storage/tx.py"}


def test_records_are_hashed_only_after_they_were_redacted() -> None:
    assert places_with("hash_of") == set(HASHES_RECORDS)


def test_sha256_is_taken_only_in_modules_with_a_reason() -> None:
    assert places_with("hashlib.sha256") == set(SHA256)


def test_no_other_hash_is_taken_anywhere() -> None:
    for name in ("md5", "sha1", "sha512", "blake2b", "blake2s", "new", "sha3_256"):
        # An item of Mem0 has the MD5 of its text.
        assert places_with(f"hashlib.{name}") == ({"integrations/mem0.py"} if name == "md5" else set())


def test_admission_redacts_before_it_does_anything_else() -> None:
    callers = {
        function.name
        for place in ("ingest/admission.py", "ingest/readmission.py")
        for function in ast.walk(modules()[place].tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cleaned_drafts"
    }
    assert callers == {"admit", "readmit", "revise"}


def test_no_module_imports_what_is_banned() -> None:
    found = {
        (place, name)
        for place, module in modules().items()
        for name in module.imports
        if any(name == banned or name.startswith(f"{banned}.") for banned in BANNED_MODULES)
    }
    assert found == set(ALLOWED)


# A hook runs before any setting is loaded; `install` looks for the agents' folders; a program has our environment;
# the package of Memvid reads a switch when it is imported.
WITHOUT_SETTINGS = (
    "adapters/memvid.py",
    "cli/coding_agents/hook.py",
    "cli/coding_agents/install.py",
    "llm/providers/text_model.py",
)


def test_only_the_settings_read_the_environment() -> None:
    readers = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    assert readers - {"unsetenv", "putenv"} <= set(dir(os)), "those are its names"
    found = {place for name in readers for place in places_with(name) | places_with(f"os.{name}")}
    assert found <= {"settings.py", *WITHOUT_SETTINGS}
