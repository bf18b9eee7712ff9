"""One class name means one thing in the whole tree."""

import ast
from collections import Counter
from pathlib import Path

import remembrancer

SOURCE = Path(remembrancer.__file__).parent
EXEMPT = Path(__file__).with_name("not_yet_unique.txt")


def repeated() -> set[str]:
    """Return the names of classes that several modules define, private ones apart."""
    names = Counter(
        node.name
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {name for name, count in names.items() if count > 1}


def test_no_class_name_is_used_twice() -> None:
    """Names that are not unique yet are listed in `not_yet_unique.txt`, which only shrinks."""
    assert repeated() == set(EXEMPT.read_text(encoding="utf-8").split() if EXEMPT.exists() else ())
