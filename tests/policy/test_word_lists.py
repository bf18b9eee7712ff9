"""Word lists hold the words that they seem to hold: no literal runs into the next."""

import io
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from tests.policy.sources import modules

# Two literals without anything between them, with a letter or digit at both sides. Only files with such a place are
# read in tokens, which takes time.
_NEIGHBOURS = re.compile(r"""[^\W_]["']+(?:\s|#[^\n]*\n)+[a-zA-Z]{0,2}["'][^\W_]""")


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
        f"{place}:{line}: …{left}{right}…"
        for place, module in modules().items()
        if _NEIGHBOURS.search(module.text)
        for line, left, right in _joints(module.text)
        if left.isalnum() and right.isalnum()
    ]

    assert glued == []
