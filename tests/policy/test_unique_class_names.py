"""One class name means one thing in the whole tree."""

import ast
from collections import Counter
from pathlib import Path

import remembrancer
from remembrancer.cli import results

SOURCE = Path(remembrancer.__file__).parent
EXEMPT = Path(__file__).with_name("not_yet_unique.txt")


def _class_names() -> Counter[str]:
    """Count the definitions of each class name, private ones apart."""
    return Counter(
        node.name
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def repeated() -> set[str]:
    """Return the names of classes that several modules define."""
    return {name for name, count in _class_names().items() if count > 1}


def test_no_class_name_is_used_twice() -> None:
    """Names that are not unique yet are listed in `not_yet_unique.txt`, which only shrinks."""
    assert repeated() == set(EXEMPT.read_text(encoding="utf-8").split() if EXEMPT.exists() else ())


def test_commands_print_only_types_that_exist() -> None:
    assert set(results._JSON) - set(_class_names()) == set()  # pyright: ignore[reportPrivateUsage] -- the whole table
