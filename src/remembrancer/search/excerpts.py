"""The excerpt of a long text that most likely answers a question."""

import re
from collections import Counter, deque
from collections.abc import Iterable

# Bounds for the time that a caller waits.
MAX_SEARCHED_CHARACTERS = 8_000
MAX_WORDS = 16
_LENGTHS = range(2, 65)


def excerpt(text: str, words: Iterable[str], *, characters: int) -> str:
    """Return the part of a text with the most of some words.

    Of equal parts it is the first; a short text is returned whole.

    Args:
        words: words or prefixes of words, in lower case.
        characters: the maximum length.
    """
    if len(text) <= characters:
        return text
    searched = text[:MAX_SEARCHED_CHARACTERS].lower()
    patterns = sorted({word for word in words if len(word) in _LENGTHS}, key=lambda word: (-len(word), word))[
        :MAX_WORDS
    ]
    if not patterns:
        return text[:characters]
    best, start = 0, 0
    within: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    for match in re.finditer("|".join(map(re.escape, patterns)), searched):
        within.append((match.start(), match[0]))
        counts[match[0]] += 1
        while within and match.end() - within[0][0] > characters - characters // 4:
            counts[within.popleft()[1]] -= 1
        if (distinct := sum(count > 0 for count in counts.values())) > best:
            # Include some text before the first word, for its context.
            best, start = distinct, min(max(0, within[0][0] - characters // 4), len(text) - characters)
    return text[start : start + characters]
