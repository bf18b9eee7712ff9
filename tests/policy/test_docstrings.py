"""What callers and adapters meet says of what it is, in words of the glossary."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "remembrancer"
MET = (
    "memory.py",
    "sync.py",
    "resources/conversation.py",
    "resources/engine.py",
    "doors",
    "ports",
    "model",
    "transactions/write.py",
)
PLAIN = "Words that mean here what they mean everywhere: "


def _glossary() -> re.Pattern[str]:
    told = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \|", told, re.MULTILINE)[2:]
    plain = next(line.removeprefix(PLAIN) for line in told.splitlines() if line.startswith(PLAIN))
    words = {word.strip(" .").lower() for row in (*rows, plain) for word in row.split(",")}
    forms = {re.sub("y$", "(?:y|ies)", re.escape(word)) for word in words}
    return re.compile(rf"\b(?:{'|'.join(sorted(forms))})(?:e?s)?\b", re.IGNORECASE)


def _first_sentences(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or inner.name.startswith("_"):
            continue
        name = f"{where}.{inner.name}"
        if told := ast.get_docstring(inner):
            yield name, " ".join(told.split("\n\n")[0].split()).split(". ")[0]
        if isinstance(inner, ast.ClassDef):
            yield from _first_sentences(inner, name)


def _files() -> list[Path]:
    return sorted(
        file for name in MET for file in ((SOURCE / name).glob("*.py") if "." not in name else [SOURCE / name])
    )


def test_every_first_sentence_names_a_word_of_the_glossary() -> None:
    glossary, files = _glossary(), _files()
    assert len(files) > len(MET)
    assert [
        f"{file.relative_to(SOURCE).as_posix()} {name}: {first}"
        for file in files
        for name, first in _first_sentences(ast.parse(file.read_text(encoding="utf-8")), file.stem)
        if not glossary.search(first) and not first.startswith("See `")
    ] == []
