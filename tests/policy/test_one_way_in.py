"""Who may write, hash, import and read the environment, told by the syntax tree of the sources."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import remembrancer

SOURCES = Path(remembrancer.__file__).parent
WRITES = {
    "governance/admit.py": {"add", "change"},
    "governance/archive.py": {"set_aside"},
    "governance/compacting.py": {"change", "set_aside"},
    "governance/facts.py": {"change"},
    "governance/learned.py": {"change"},
    "governance/log.py": {"change", "set_aside"},
    "governance/moving.py": {"change"},
    "governance/procedures.py": {"change"},
    "governance/removal.py": {"change", "erase"},
    "governance/verdicts.py": {"change"},
}
HASHES_RECORDS = {
    "governance/admit.py": "hashes what it has just redacted",
    "governance/compacting.py": "hashes what it has made of redacted episodes",
    "workers/doctor.py": "compares a stored text with its stored hash",
}
SHA256 = {
    "governance/admit.py": "hashes what it has just redacted",
    "importers/turns.py": "eight digits that tell two dialogues of one name apart",
    "stores/migrations.py": "hashes migration files",
    "stores/secret.py": "makes a key of a passphrase",
    "stores/chain.py": "chains audit entries, which hold no text",
    "testing/embedder.py": "hashes single words to dimensions, of redacted text",
    "workers/copying.py": "compares what two stores hold, in the process that reads both",
    "workers/importing.py": "derives ids and names from source and position",
}
BANNED_MODULES = {"asyncio", "requests", "socket", "sqlite3", "unittest.mock", "urllib"}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(SOURCES.rglob("*.py")):
        yield file.relative_to(SOURCES).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def writes_in(tree: ast.Module) -> set[str]:
    """The writing methods of some `.records` that a module names, called or not."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in {"add", "change", "erase", "set_aside"}
        and (
            (isinstance(node.value, ast.Attribute) and node.value.attr == "records")
            or (isinstance(node.value, ast.Name) and node.value.id == "records")
        )
    }


def names_in(tree: ast.Module) -> set[str]:
    """Every name and dotted name that a module uses or imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
            found.update(alias.name for alias in node.names)
    return found


def imports_in(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_only_admission_and_removal_write_records() -> None:
    found = {place: writes for place, tree in trees() if (writes := writes_in(tree))}
    # The contract suite drives a store as these two do; no program imports it.
    found.pop("testing/contract.py", None)
    assert found == WRITES


def test_no_program_imports_the_contract_suite() -> None:
    modules = {"remembrancer.testing.contract"}
    importing = {place for place, tree in trees() if imports_in(tree) & modules}
    assert {place for place in importing if not place.startswith("testing/")} == set()


def test_a_store_is_written_only_through_its_ports() -> None:
    assert {place for place, tree in trees() if "StoredRecords" in names_in(tree)} == {
        "stores/postgres/store.py",
        "stores/records.py",
        "stores/sqlite/store.py",
    }


def test_records_are_hashed_only_after_they_were_redacted() -> None:
    assert {place for place, tree in trees() if "hash_of" in names_in(tree)} == set(HASHES_RECORDS)


def test_sha256_is_taken_only_in_modules_with_a_reason() -> None:
    found = {place for place, tree in trees() if "hashlib.sha256" in names_in(tree)}
    assert found == set(SHA256)


def test_no_other_hash_is_taken_anywhere() -> None:
    kinds = {f"hashlib.{name}" for name in ("md5", "sha1", "sha512", "blake2b", "blake2s", "new", "sha3_256")}
    assert [place for place, tree in trees() if names_in(tree) & kinds] == []


def test_admission_redacts_before_it_does_anything_else() -> None:
    tree = dict(trees())["governance/admit.py"]
    callers = {
        function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_cleaned"
    }
    assert callers == {"admit", "revise"}


def test_no_module_imports_what_is_banned() -> None:
    found = {
        (place, name)
        for place, tree in trees()
        for name in imports_in(tree)
        if any(name == banned or name.startswith(f"{banned}.") for banned in BANNED_MODULES)
    }
    assert found == set()


def test_only_the_settings_read_the_environment() -> None:
    asked = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    assert asked - {"unsetenv", "putenv"} <= set(dir(os)), "those are its names"
    found = {
        place
        for place, tree in trees()
        if names_in(tree) & {*asked, *(f"os.{name}" for name in asked)} and place != "settings.py"
    }
    assert found == set()
