"""Orders to an agent in the words of the events, in English and German; none where those words make no sentence."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from remembrancer.language.stems import stem
from remembrancer.language.tables import table, word_list
from remembrancer.language.words import stop_words
from remembrancer.learn.detect.deeds import DRAFTS, ParsedDeed
from remembrancer.learn.detect.ranges import CLOCK
from remembrancer.learn.detect.wording import acts, negations, phrases

# Orders are English, and so must be the words that they are made of.
LANGUAGE: Final = "english"
# Of the deeds, so many must name the thing right after the act.
_MOST: Final = 0.6
_LONGEST: Final = 4
_PART: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_ABSENT: Final = frozenset({"no", "without"})
# Acts that an agent can be ordered to do to a named thing.
ACTS: Final = frozenset({"remove", "add", "shorten", "lengthen", "archive", "flag", "keep", "soften", "sharpen"})


def speakers() -> frozenset[str]:
    """Return the words for whom an agent would not recognise in its own orders."""
    return word_list("orders", "speakers")


def styles(language: str = LANGUAGE) -> Mapping[str, str]:
    """Return the orders for all drafts, by the act that was done to them."""
    return table("orders")["styles"][language]


def order(act: str, thing: str, matching: Sequence[ParsedDeed]) -> str:
    """Return an order such as "remove the exclamation marks"; `""` unless most deeds use those words.

    Args:
        act: as a token, without `!`.
        thing: the stem of its object.
        matching: the deeds.
    """
    if act not in ACTS or _is_name(thing, matching):
        return ""
    named = [found for known in matching if (found := _named(act, thing, known))]
    if len(named) < _MOST * len(matching):
        return ""
    whole: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in named:
        whole[tuple(stem(word, LANGUAGE) for word in name)].append(" ".join(name))
    _, same = min(whole.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    phrase = _spelt(same) if len(same) >= _MOST * len(named) else _in_common(named, thing)
    return f"{act} {_with_article(phrase)}" if phrase else ""


def is_whole(thing: str) -> bool:
    """Return True if a thing, as a stem, is all of a draft and no part of it."""
    return thing in {stem(word, LANGUAGE) for word in word_list("orders", "wholes")}


def style(act: str, matching: Sequence[ParsedDeed]) -> str:
    """Return an order on the style of drafts, if most deeds changed a whole draft and not one part."""
    whole = sum(_to_the_whole(act, known) for known in matching)
    return styles().get(act, "") if whole >= _MOST * len(matching) else ""


def _to_the_whole(act: str, known: ParsedDeed) -> bool:
    parts = list(_parts(known.deed.text))
    return any(
        done == act and not set(_following(parts, at) or _leading(parts, at)) - word_list("orders", "wholes")
        for at, (_, done) in enumerate(parts)
    )


def _is_name(thing: str, matching: Sequence[ParsedDeed]) -> bool:
    """Return True if most deeds write a thing as a name, since actions on names depend on the person."""
    found = [
        word
        for known in matching
        for word in known.deed.text.split()[1:]
        if stem(word.strip(".,;:!?()\"'").casefold(), LANGUAGE) == thing
    ]
    return sum(word[0].isupper() and not word.isupper() for word in found) > len(found) / 2


def is_plain(word: str) -> bool:
    """Return True if a word may name a thing: not an act, a participle or a common word."""
    common = (
        word in stop_words()[LANGUAGE]
        or word in word_list("orders", "ends")
        or word in negations()
        or word in word_list("orders", "no_names")
    )
    return not (common or word in acts(LANGUAGE) or word.endswith("ed"))


def _named(act: str, thing: str, known: ParsedDeed) -> tuple[str, ...] | None:
    """Return the words right after or before the act ("exclamation mark removed") that end with the thing."""
    parts = list(_parts(known.deed.text))
    for at, (_, done) in enumerate(parts):
        if done != act:
            continue
        for words in (_following(parts, at), _leading(parts, at)):
            if words and len(words) <= _LONGEST and any(stem(word, LANGUAGE) == thing for word in words):
                return words
    return None


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words and signs of a text, each with the act that it is, or `""`."""
    known = acts(LANGUAGE)
    plain = text.casefold()
    for pattern, instead in phrases():
        plain = pattern.sub(instead, plain)
    for part in _PART.findall(plain):
        # "No number" and "without a number" describe a state, not a removal.
        if part in _ABSENT:
            yield part, ""
            continue
        yield (
            part,
            known.get(part) or (known.get(stem(part, LANGUAGE), "") if part not in stop_words()[LANGUAGE] else ""),
        )


def _following(parts: Sequence[tuple[str, str]], at: int) -> tuple[str, ...]:
    found: list[str] = []
    for part, act in parts[at + 1 :]:
        if part in word_list("orders", "determiners") and not found:
            continue
        if act or part in word_list("orders", "ends") or not part[0].isalnum():
            break
        found.append(part)
    return tuple(found)


def _leading(parts: Sequence[tuple[str, str]], at: int) -> tuple[str, ...]:
    """Return all before an act at the end of the text: "the exclamation marks were removed"."""
    after = parts[at + 1][0] if at + 1 < len(parts) else ""
    if after and after not in word_list("orders", "ends") and after[0].isalnum():
        return ()
    before = [part for part, _ in parts[:at] if part not in ("was", "were", "is", "are", "been", "has", "have")]
    while before and before[0] in word_list("orders", "determiners"):
        before = before[1:]
    return tuple(before) if all(is_plain(part) for part in before) else ()


def _in_common(named: Sequence[tuple[str, ...]], thing: str) -> str:
    """Return the longest name that the others shorten, else the thing alone if it is mostly last."""
    longest = max(named, key=lambda words: (len(words), words))
    if len(longest) > 1 and all(_shortens(words, longest) for words in named):
        return " ".join(longest)
    last = [words[-1] for words in named if stem(words[-1], LANGUAGE) == thing]
    if len(last) < _MOST * len(named) or not is_plain(last[0]):
        return ""
    return _spelt(last)


def _shortens(words: tuple[str, ...], longest: tuple[str, ...]) -> bool:
    """Return True if a name has the last words of another: "the number", of an order number."""
    return [stem(word, LANGUAGE) for word in longest[-len(words) :]] == [stem(word, LANGUAGE) for word in words]


def _spelt(phrases: Sequence[str]) -> str:
    """Return the most frequent words, in the plural if they occur so."""
    several = [words for words in phrases if _is_several(words)]
    return Counter(sorted(several or phrases)).most_common(1)[0][0]


def _with_article(words: str) -> str:
    return words if _is_several(words) else f"the {words}"


def _is_several(words: str) -> bool:
    return words.endswith("s") and not words.endswith(("ss", "us", "is"))


_GERMAN: Final = "german"
# Of the deeds, so many must name the thing right before or after the act.
_MOST_EVENTS: Final = 0.6
_SIDES: Final = {(True, ">="): "später", (True, "<="): "früher", (False, ">="): "mehr", (False, "<="): "weniger"}
_GERMAN_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def german_order(act: str, things: Sequence[str], matching: Sequence[ParsedDeed]) -> str:
    """Return the German order for a thing or a whole draft; `""` unless most deeds use those words."""
    orders: Mapping[str, str] = table("orders")["orders"][_GERMAN]
    if act not in orders:
        return ""
    nouns = [german_noun for known in matching if (german_noun := _noun_next_to(act, known.deed.text))]
    of_drafts = sum(known.deed.event in DRAFTS for known in matching) * 2 > len(matching)
    if not of_drafts or len(nouns) < _MOST_EVENTS * len(matching):
        return ""
    if act in styles(_GERMAN) and sum(
        german_noun in word_list("orders", "german_wholes") for german_noun in nouns
    ) >= _MOST_EVENTS * len(matching):
        return styles(_GERMAN)[act]
    same = [german_noun for german_noun in nouns if things and stem(german_noun.casefold(), _GERMAN) == things[0]]
    if len(same) < _MOST_EVENTS * len(matching):
        return ""
    return f"in Entwürfen {Counter(sorted(same)).most_common(1)[0][0]} {orders[act]}"


def german_noun(token: str, matching: Sequence[ParsedDeed]) -> str:
    """Return a thing as it is mostly written; `""` where that is no noun."""
    same = Counter(
        word
        for known in matching
        for word in _GERMAN_WORD.findall(known.deed.text)
        if stem(word.casefold(), _GERMAN) == token
    )
    commonest = same.most_common(1)[0][0] if token and same else ""
    return commonest if commonest[:1].isupper() else ""


def german_bound(unit: str, side: str, value: str) -> str:
    """Return the bound of a move in German: "10:00 Uhr oder später"."""
    of = " Uhr" if unit == CLOCK else f" {unit}" if unit else ""
    return f"{value}{of} oder {_SIDES[unit == CLOCK, side]}"


def _noun_next_to(act: str, text: str) -> str:
    """Return the noun right before or after an act."""
    known, written = acts(_GERMAN), _GERMAN_WORD.findall(text)
    for at, word in enumerate(written):
        if known.get(word.casefold()) == act:
            for german_noun in (*written[max(0, at - 1) : at], *written[at + 1 : at + 2]):
                if german_noun[0].isupper() and german_noun.casefold() not in known:
                    return german_noun
    return ""
