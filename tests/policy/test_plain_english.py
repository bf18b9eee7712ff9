"""Plain technical English in what readers meet: names, docstrings, comments, error messages, docs.

Files that are not rewritten yet are listed in `not_yet_plain.txt`, which only shrinks:
`python tests/policy/test_plain_english.py` rewrites it from what is there.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "remembrancer"
EXEMPT = Path(__file__).with_name("not_yet_plain.txt")
DOCS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md")
BANNED = re.compile(
    r"\b(tell|tells|telling|told|untold|heard|say|says|said|stand|stands|standing|stood|hold|holds|holding|held|take"
    r"|takes|taking|taken|took|let|lets|letting|give|gives|giving|given|gave|put|puts|putting|anew|for good|mend|mends"
    r"|mending|mended|beside|gone|foremost|road|desk|desks|door|doors|doorkeeper|veil|veils|veiled|lent|nobody|whoever|whatever"
    r"|wherever|what came of)\b",
    re.IGNORECASE,
)
NAMES = re.compile(
    r"(?:^|_)(told|untold|tells|heard|said|says|stand|stands|standing|stood|held|anew|mend|mended|beside|gone|foremost"
    r"|road|desk|desks|veil|veiled|lent|taken|takes|given|door|doors|doorkeeper|sitting|occasion|reception|sweep|shard)"
    r"(?=_|$)"
)
# Other people's words: legal holds, methods of HTTP, code and quotations.
ALLOWED = re.compile(
    r"\b(?:legal|a|the|of|no|each|every|one|its|on|their|these|such) holds?\b|\bPUT\b|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”",
)
# Names of LangGraph's.
FOREIGN = {"sweep_ttl", "start_ttl_sweeper", "sweep_interval_minutes"}
DOCUMENTED = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
RELATIVE = re.compile(r"(What|Whether|How|Which|Who|Whom|Whose|Of|Those|Nothing|Where)\b")


def _words(text: str) -> list[str]:
    return [word.lower() for word in BANNED.findall(ALLOWED.sub(" ", text))]


def _texts(tree: ast.Module, source: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | DOCUMENTED):
            yield ast.get_docstring(node) or ""
        elif isinstance(node, ast.Raise) and node.exc is not None:
            for part in ast.walk(node.exc):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value
    # To read a file in tokens takes time: it needs a line with such a word behind a `#`.
    if not any(BANNED.search(line.partition("#")[2]) for line in source.splitlines()):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _identifiers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                continue


def _in_code(file: Path) -> list[str]:
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    found = [word for text in _texts(tree, source) for word in _words(text)]
    for name in _identifiers(tree):
        if name in FOREIGN:
            continue
        found += NAMES.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    docs = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    found += ["a relative clause as a first line" for doc in docs if doc and RELATIVE.match(doc)]
    return [*found, *NAMES.findall(file.stem)]


@cache
def offenders() -> dict[str, Counter[str]]:
    """Return the banned words of each file that has some, by its path."""
    files = {file: _in_code(file) for file in SOURCE.rglob("*.py")}
    files |= {file: _words(_prose(file)) for pattern in DOCS for file in ROOT.glob(pattern)}
    return {file.relative_to(ROOT).as_posix(): Counter(words) for file, words in sorted(files.items()) if words}


def _prose(file: Path) -> str:
    """Return a page without its code, and without the directives (`::: name`) that insert the reference of a name."""
    return re.sub(r"^```.*?^```|^::: .*?$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _exempt() -> set[str]:
    return set(EXEMPT.read_text(encoding="utf-8").split()) if EXEMPT.exists() else set()


def test_no_banned_word_outside_of_files_that_are_not_rewritten_yet() -> None:
    assert {file: dict(words) for file, words in offenders().items() if file not in _exempt()} == {}


def test_the_list_of_files_that_are_not_rewritten_yet_only_shrinks() -> None:
    assert _exempt() - offenders().keys() == set()


if __name__ == "__main__":
    EXEMPT.write_text("\n".join(offenders()) + "\n", encoding="utf-8")
