"""An order to an agent of what people did to a thing: told only where their own words make a sentence of it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from remembrancer.language.stems import stem
from remembrancer.language.stopwords import STOP_WORDS
from remembrancer.learn.detect.acts import NEGATIONS, PHRASED, acts
from remembrancer.learn.detect.values import Known

# Orders are English, and so must be the words that they are made of.
LANGUAGE: Final = "english"
# Of the deeds, so many must name the thing right after the act.
_MOST: Final = 0.6
_LONGEST: Final = 4
_PART: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_DETERMINERS_TEXT: Final = """
        a an the all any some another one both each every extra its his her their my our this that these
        those
"""
_DETERMINERS: Final = frozenset(_DETERMINERS_TEXT.split())
# Where what an act is done to ends.
_ENDS_TEXT: Final = """
        from in into at on onto to for with without by before after about above below under over as so
        because since until till when where while which who that and or but instead rather than again out
        off up down back away per is was are were be been not no never
"""
_ENDS: Final = frozenset(_ENDS_TEXT.split())
# What is no name of a thing, and is not caught by how it ends.
_NO_NAMES_TEXT: Final = """
        instead different differently right straight wrong better worse more less most least new old own
        same other made make makes wrote write said say says asked ask told tell wants want needs need put
        set take took taken gave give got get went go alone too very only just please should would could
        must may might way thing things later earlier soon now today tomorrow yesterday day days week weeks
        month months time times hour hours morning afternoon evening night monday tuesday wednesday thursday
        friday saturday sunday
"""
_NO_NAMES: Final = frozenset(_NO_NAMES_TEXT.split())
# Who an agent would not know again in its own orders.
_SPEAKERS_TEXT: Final = """
        i me myself we us you ich mich uns yo mí nosotros moi nous io noi
"""
SPEAKERS: Final = frozenset(_SPEAKERS_TEXT.split())
_ABSENT: Final = frozenset({"no", "without"})
# Acts that an agent can be told to do to a thing that people name.
ACTS: Final = frozenset({"remove", "add", "shorten", "lengthen", "archive", "flag", "keep", "soften", "sharpen"})
# What is all of a draft, and what may be told of all drafts.
_WHOLES: Final = frozenset(
    {"draft", "drafts", "mail", "mails", "email", "message", "reply", "answer", "text", "it", "letter"}
)
STYLES: Final = {
    "shorten": "shorten each draft before showing it",
    "lengthen": "say more in each draft before showing it",
    "soften": "use a softer tone in drafts",
    "sharpen": "use a firmer tone in drafts",
}


def order(act: str, thing: str, held: Sequence[Known]) -> str:
    """What to do, as in "remove the exclamation marks"; `""` where most deeds do not say so in so many words.

    Args:
        act: as a token, without `!`.
        thing: the stem of what it is done to.
        held: the deeds.
    """
    if act not in ACTS or _is_name(thing, held):
        return ""
    named = [found for known in held if (found := _named(act, thing, known))]
    if len(named) < _MOST * len(held):
        return ""
    whole: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for words in named:
        whole[tuple(stem(word, LANGUAGE) for word in words)].append(" ".join(words))
    _, same = min(whole.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    said = _spelt(same) if len(same) >= _MOST * len(named) else _in_common(named, thing)
    return f"{act} {_with_article(said)}" if said else ""


def is_whole(thing: str) -> bool:
    """Whether a thing, as a stem, is all of a draft and no part of it."""
    return thing in {stem(word, LANGUAGE) for word in _WHOLES}


def style(act: str, held: Sequence[Known]) -> str:
    """How drafts are to be written, where most deeds did an act to all of a draft and not to one part of it."""
    whole = sum(_to_the_whole(act, known) for known in held)
    return STYLES.get(act, "") if whole >= _MOST * len(held) else ""


def _to_the_whole(act: str, known: Known) -> bool:
    parts = list(_parts(known.deed.text))
    return any(
        done == act and not set(_following(parts, at) or _leading(parts, at)) - _WHOLES
        for at, (_, done) in enumerate(parts)
    )


def _is_name(thing: str, held: Sequence[Known]) -> bool:
    """Whether most deeds write a thing as names are written: what is done with a name depends on whose it is."""
    found = [
        word
        for known in held
        for word in known.deed.text.split()[1:]
        if stem(word.strip(".,;:!?()\"'").casefold(), LANGUAGE) == thing
    ]
    return sum(word[0].isupper() and not word.isupper() for word in found) > len(found) / 2


def is_plain(word: str) -> bool:
    """Whether a word may stand for a thing: it is no act, no participle and no word of any talk."""
    common = word in STOP_WORDS[LANGUAGE] or word in _ENDS or word in NEGATIONS or word in _NO_NAMES
    return not (common or word in acts(LANGUAGE) or word.endswith("ed"))


def _named(act: str, thing: str, known: Known) -> tuple[str, ...] | None:
    """The words right after the act, or right before it ("exclamation mark removed"), that end with the thing."""
    parts = list(_parts(known.deed.text))
    for at, (_, done) in enumerate(parts):
        if done != act:
            continue
        for words in (_following(parts, at), _leading(parts, at)):
            if words and len(words) <= _LONGEST and any(stem(word, LANGUAGE) == thing for word in words):
                return words
    return None


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The words and signs of a text, each with the act that it is, or `""`."""
    known = acts(LANGUAGE)
    plain = text.casefold()
    for pattern, instead in PHRASED:
        plain = pattern.sub(instead, plain)
    for part in _PART.findall(plain):
        # "No number" and "without a number" say that there is none: nobody took it away.
        if part in _ABSENT:
            yield part, ""
            continue
        yield part, known.get(part) or (known.get(stem(part, LANGUAGE), "") if part not in STOP_WORDS[LANGUAGE] else "")


def _following(parts: Sequence[tuple[str, str]], at: int) -> tuple[str, ...]:
    words: list[str] = []
    for part, act in parts[at + 1 :]:
        if part in _DETERMINERS and not words:
            continue
        if act or part in _ENDS or not part[0].isalnum():
            break
        words.append(part)
    return tuple(words)


def _leading(parts: Sequence[tuple[str, str]], at: int) -> tuple[str, ...]:
    """All that stands before an act at the end of what is said: "the exclamation marks were removed"."""
    after = parts[at + 1][0] if at + 1 < len(parts) else ""
    if after and after not in _ENDS and after[0].isalnum():
        return ()
    before = [part for part, _ in parts[:at] if part not in ("was", "were", "is", "are", "been", "has", "have")]
    while before and before[0] in _DETERMINERS:
        before = before[1:]
    return tuple(before) if all(is_plain(part) for part in before) else ()


def _in_common(named: Sequence[tuple[str, ...]], thing: str) -> str:
    """The longest name that the others shorten; else the thing by itself, where it is mostly the last word."""
    longest = max(named, key=lambda words: (len(words), words))
    if len(longest) > 1 and all(_shortens(words, longest) for words in named):
        return " ".join(longest)
    last = [words[-1] for words in named if stem(words[-1], LANGUAGE) == thing]
    if len(last) < _MOST * len(named) or not is_plain(last[0]):
        return ""
    return _spelt(last)


def _shortens(words: tuple[str, ...], longest: tuple[str, ...]) -> bool:
    """Whether a name has the last words of another: "the number", of an order number."""
    return [stem(word, LANGUAGE) for word in longest[-len(words) :]] == [stem(word, LANGUAGE) for word in words]


def _spelt(said: Sequence[str]) -> str:
    """What is mostly said, in the plural where it is said so at all."""
    several = [words for words in said if _is_several(words)]
    return Counter(sorted(several or said)).most_common(1)[0][0]


def _with_article(words: str) -> str:
    return words if _is_several(words) else f"the {words}"


def _is_several(words: str) -> bool:
    return words.endswith("s") and not words.endswith(("ss", "us", "is"))
