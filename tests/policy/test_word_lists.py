"""Word lists hold the words that they seem to hold: no literal runs into the next."""

import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "remembrancer"


def _joints(text: str) -> Iterator[tuple[int, str, str]]:
    """What stands at each side where one literal is written behind another, with the line."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    for before, after in pairwise(tokens):
        if before.type == after.type == tokenize.STRING:
            quote = after.string.lstrip("rbuRBU")[0]
            yield after.start[0], before.string.rstrip(before.string[-1])[-1:], after.string.partition(quote)[2][:1]


def test_no_word_of_one_literal_runs_into_that_of_the_next() -> None:
    glued = [
        f"{file.relative_to(SOURCE)}:{line}: …{left}{right}…"
        for file in sorted(SOURCE.rglob("*.py"))
        for line, left, right in _joints(file.read_text(encoding="utf-8"))
        if left.isalnum() and right.isalnum()
    ]

    assert glued == []
