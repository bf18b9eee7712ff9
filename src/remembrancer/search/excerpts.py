"""The part of a long text that a question is most likely to be answered in, for readers that take little."""

import re
from collections import Counter, deque
from collections.abc import Iterable

# Further into a text nobody looks, nor for more words: somebody waits for it.
MOST_LOOKED_THROUGH = 8_000
MOST_WORDS = 16
_LENGTHS = range(2, 65)


def excerpt(text: str, words: Iterable[str], *, characters: int) -> str:
    """The stretch of a text that has most of some words, the earliest of such; the whole text where it is short.

    Args:
        words: or beginnings of words, in small letters.
        characters: the longest that it may be.
    """
    if len(text) <= characters:
        return text
    looked = text[:MOST_LOOKED_THROUGH].lower()
    sought = sorted({word for word in words if len(word) in _LENGTHS}, key=lambda word: (-len(word), word))[:MOST_WORDS]
    if not sought:
        return text[:characters]
    best, start = 0, 0
    within: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    for found in re.finditer("|".join(map(re.escape, sought)), looked):
        within.append((found.start(), found[0]))
        counts[found[0]] += 1
        while within and found.end() - within[0][0] > characters - characters // 4:
            counts[within.popleft()[1]] -= 1
        if (different := sum(count > 0 for count in counts.values())) > best:
            # What stands just before a word tells what it is about.
            best, start = different, min(max(0, within[0][0] - characters // 4), len(text) - characters)
    return text[start : start + characters]
