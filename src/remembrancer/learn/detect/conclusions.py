"""Conclusions from deeds: how they ended, their words, and their values."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from remembrancer.learn.detect.deeds import JUDGED, RESULTS, SUBJECTS, TOOLS, TOPICS, ParsedDeed, worded
from remembrancer.learn.detect.grounds import Mask, deeds_in, mask_of
from remembrancer.learn.detect.wording import NEEDS_A_THING, opposed, stems, vague
from remembrancer.types.pattern import LEAST_EPISODES

_UNLIKELY: Final = 0.2
_LIKELY: Final = 4.0
_WITHOUT_ACT: Final = 0.5
_OFTEN: Final = 10
_MOSTLY: Final = 0.8
_UNUSUAL: Final = 0.2
# The least number of deeds whose time is reported.
_LEAST_TIMED: Final = 5
_MOST_WORDINGS: Final = 400
_MOST_THINGS: Final = 5
_MOST_VALUES: Final = 100
_LONGEST_WORDING: Final = 12
# The rank of what a deed was about.
SUBJECT: Final = 5
# The changed part of a draft is used if nothing else is known.
_RANKS: Final = dict.fromkeys(SUBJECTS, SUBJECT) | {"part": 4}
# A boolean is a circumstance rather than a result.
_FLAGS: Final = frozenset({"yes", "no"})
# For deeds that are neither drafted nor corrected.
DONE: Final = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A possible conclusion of a rule.

    Args:
        names: it, and others of the same deeds, the plainest first.
        column: the attribute of the value.
        mask: the deeds with it.
        within: the deeds with a known value in its column.
        occasions: the deeds in which it is possible.
        alone: True if it may have no circumstances: an act, or a word of corrections.
        likely: how much likelier a habit is in it than in another; with 0 it is only recounted if it is known.
        opposed: the deeds with the opposite of it.
        rank: how well it describes a behaviour; 0 is best.
    """

    names: tuple[str, ...]
    column: str
    mask: Mask
    within: Mask
    opposed: Mask
    rank: int
    occasions: Mask
    tokens: frozenset[str] = frozenset()
    acts: frozenset[str] = frozenset()
    alone: bool = False
    likely: float = 1.0

    @property
    def weight(self) -> float:
        """Its share of the level of significance: more for likely habits, less for rare ones."""
        return self.likely * min(1.0, deeds_in(self.mask) / _OFTEN) ** 2

    @property
    def family(self) -> str:
        """The kind of its habits: ends, times, values or words."""
        if self.rank == SUBJECT:
            return "when"
        return self.column if self.column in ("event", "says") else "value"

    @property
    def broad(self) -> bool:
        """True if several behaviours may have it: an end, or an act without an object."""
        return self.column == "event" or (self.column == "says" and self.tokens == self.acts)

    @property
    def name(self) -> str:
        """The plainest of its names."""
        return self.names[0]


def conclusions(deeds: Sequence[ParsedDeed], tongue: str, *, wanted: Collection[str] = ()) -> list[Conclusion]:
    """Return all conclusions of at least three deeds, and the `wanted` names of any number."""
    return [
        *_ends(deeds, tongue, wanted),
        *_values(deeds, tongue, wanted),
        *_plain(deeds),
        *_wordings(deeds, tongue, wanted),
    ]


def _ends(deeds: Sequence[ParsedDeed], tongue: str, wanted: Collection[str]) -> list[Conclusion]:
    ends = np.array([known.end for known in deeds])
    judged = np.isin(ends, sorted(JUDGED))
    signal = np.array([not known.deed.outcome for known in deeds], dtype=np.bool_)
    none = np.zeros(len(deeds), dtype=np.bool_)
    found: list[Conclusion] = []
    for end in ("approved", "modified", "rejected", "exception"):
        mask = ends == end
        within = judged if end in JUDGED else ~signal | mask
        if deeds_in(mask) >= LEAST_EPISODES or f"outcome={end}" in wanted:
            found.append(
                Conclusion(
                    names=(f"outcome={end}",),
                    column="event",
                    mask=mask,
                    within=within,
                    occasions=within,
                    opposed=none,
                    rank=3,
                    tokens=stems(end, tongue),
                    likely=_LIKELY,
                )
            )
    return found


def _values(deeds: Sequence[ParsedDeed], tongue: str, wanted: Collection[str]) -> list[Conclusion]:
    matching: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, known in enumerate(deeds):
        for name, value in known.values.items():
            matching[name][value].append(at)
    for name, _, value in (one.partition("=") for one in wanted):
        if name in matching:
            matching[name].setdefault(value, [])
    none = np.zeros(len(deeds), dtype=np.bool_)
    found: list[Conclusion] = []
    for name, values in sorted(matching.items()):
        if worded(name, values):
            continue
        within = none.copy()
        within[[at for places in values.values() for at in places]] = True
        everywhere = np.ones(len(deeds), dtype=np.bool_)
        for value, places in sorted(values.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:_MOST_VALUES]:
            if len(places) >= LEAST_EPISODES or f"{name}={value}" in wanted:
                mask = none.copy()
                mask[places] = True
                rank = 0 if name in RESULTS[:2] or name in TOOLS else _RANKS.get(name, 2)
                likely = _LIKELY if rank == 0 else _UNLIKELY if rank == SUBJECT or value in _FLAGS else 1.0
                if rank == SUBJECT and (len(places) < _LEAST_TIMED or _done_often(name, places, deeds)):
                    likely = 0.0
                found.append(
                    Conclusion(
                        names=(f"{name}={value}",),
                        column=f"@{name}",
                        mask=mask,
                        within=everywhere if name in RESULTS else within,
                        occasions=within,
                        opposed=none,
                        rank=rank,
                        tokens=stems(value, tongue),
                        likely=likely,
                    )
                )
    return found


def _done_often(name: str, places: Sequence[int], deeds: Sequence[ParsedDeed]) -> bool:
    """Return True if enough is simply done of a topic for its time to be that of what is done."""
    return name in TOPICS and sum(deeds[at].plain for at in places) >= _LEAST_TIMED


def _plain(deeds: Sequence[ParsedDeed]) -> list[Conclusion]:
    """Return the actions for a person or a topic, and for each of its things.

    They may have a time, regardless of drafts and corrections of the same thing.
    """
    about: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, known in enumerate(deeds):
        topics = [(f"@{name}", name, value) for name, value in known.values.items() if name in TOPICS]
        for column, kind, name in (*((kind, kind, name) for kind, name in known.names), *topics):
            about[column, kind, name].append(at)
    found: list[Conclusion] = []
    for (column, kind, name), places in sorted(about.items()):
        done = [at for at in places if deeds[at].plain]
        things: dict[str, list[int]] = defaultdict(list)
        for at in done:
            for token in deeds[at].parsed.tokens:
                things[token].append(at)
        common = sorted(things.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:_MOST_THINGS]
        rows = [(DONE, done, 1.0), *((token, at, _UNLIKELY) for token, at in common if len(at) < len(done))]
        every = mask_of(places, len(deeds))
        for thing, at, likely in rows:
            if len(at) < LEAST_EPISODES:
                continue
            mask = mask_of(at, len(deeds))
            found.append(
                Conclusion(
                    names=(f"{kind}={name}+{thing}",),
                    column=column,
                    mask=mask,
                    within=mask | ~every,
                    occasions=mask | ~every,
                    opposed=np.zeros_like(every),
                    rank=SUBJECT,
                    likely=likely if len(at) >= _LEAST_TIMED else 0.0,
                )
            )
    return found


def _wordings(deeds: Sequence[ParsedDeed], tongue: str, wanted: Collection[str]) -> list[Conclusion]:
    """Return words, alone and in pairs; those of the same deeds are one, except `wanted` rare ones."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, known in enumerate(deeds):
        tokens = sorted(known.parsed.tokens)[:_LONGEST_WORDING]
        for token in tokens:
            places[(token,)].append(at)
        for pair in combinations(tokens, 2):
            if known.parsed.acts & set(pair):
                places[pair].append(at)
    everywhere = np.array([bool(known.parsed.tokens) for known in deeds], dtype=np.bool_)
    acts = frozenset[str]().union(*(known.parsed.acts for known in deeds))
    nothing = NEEDS_A_THING | vague(tongue)
    same: dict[tuple[int, ...], list[tuple[str, ...]]] = defaultdict(list)
    for tokens, at in places.items():
        if len(at) < LEAST_EPISODES or (len(tokens) == 1 and tokens[0].lstrip("!") in nothing):
            continue
        at, _ = _of_one_mind(tokens, at, deeds)
        # The words of an unchanged approval are no behaviour.
        if (
            sum(deeds[place].end != "approved" for place in at) >= max(1, _UNUSUAL * len(at))
            and len(at) >= LEAST_EPISODES
        ):
            same[tuple(at)].append(tokens)
    common = sorted(same.items(), key=lambda row: (-len(row[0]), min(row[1])))[:_MOST_WORDINGS]
    counts = {tokens[0]: len(at) for tokens, at in places.items() if len(tokens) == 1}
    drafted = np.array([known.drafted for known in deeds], dtype=np.bool_)
    asked = [tuple(name.removeprefix("says=").split("+")) for name in sorted(wanted) if name.startswith("says=")]
    seldom = [(tuple(places.get(one, ())), [one]) for one in asked if len(places.get(one, ())) < LEAST_EPISODES]
    rows = (*common, *seldom)
    words = _Words(places=places, counts=counts, acts=acts, vague=vague(tongue), everywhere=everywhere, drafted=drafted)
    return [_one_wording(at, group, words, deeds) for at, group in rows]


class _Words(NamedTuple):
    """The words of all deeds.

    Args:
        places: the deeds of each word and pair of words.
        counts: the number of deeds of each word.
        acts: the words that are acts.
        vague: the words that are unclear by themselves.
        everywhere: the deeds that have words at all.
        drafted: the deeds that are drafts.
    """

    places: dict[tuple[str, ...], list[int]]
    counts: dict[str, int]
    acts: frozenset[str]
    vague: frozenset[str]
    everywhere: Mask
    drafted: Mask


def _one_wording(
    at: tuple[int, ...], group: list[tuple[str, ...]], words: _Words, deeds: Sequence[ParsedDeed]
) -> Conclusion:
    acts, places = words.acts, words.places

    def plain(tokens: tuple[str, ...]) -> tuple[int, int, int, tuple[str, ...]]:
        others = [token for token in tokens if token not in acts]
        unclear = sum(token in words.vague for token in others)
        return (-len(tokens), unclear, -sum(words.counts.get(token, 0) for token in others), tokens)

    group.sort(key=plain)
    best = group[0]
    mask = np.zeros(len(deeds), dtype=np.bool_)
    mask[list(at)] = True
    against = np.zeros(len(deeds), dtype=np.bool_)
    for act in set(best) & acts:
        thing = tuple(token for token in best if token != act)
        for other in places.get(thing, []) if thing else range(len(deeds)):
            if opposed(act) & deeds[other].parsed.acts and (thing or act.lstrip("!") in deeds[other].parsed.tokens):
                against[other] = True
    if not set(best) & acts:
        against[_of_one_mind(best, places[best], deeds)[1]] = True
    done = frozenset(best) & acts
    corrections = sum(deeds[place].corrected and deeds[place].words.issuperset(best) for place in at)
    alone = bool(done) or corrections >= _MOSTLY * len(at)
    return Conclusion(
        names=tuple("says=" + "+".join(tokens) for tokens in group),
        column="says",
        mask=mask,
        within=words.everywhere,
        occasions=_occasions(at, words.drafted) | mask | against,
        opposed=against & ~mask,
        rank=_rank(at, deeds, done=bool(done)),
        tokens=frozenset(best),
        acts=done,
        likely=1.0 if done else _WITHOUT_ACT if alone else _UNLIKELY,
        alone=alone,
    )


def _rank(at: Sequence[int], deeds: Sequence[ParsedDeed], *, done: bool) -> int:
    """Return the rank of a column: corrections first, the reason of a refusal after the refusal."""
    if not done and sum(deeds[place].end == "rejected" for place in at) >= _MOSTLY * len(at):
        return 4
    return 1 if 2 * sum(deeds[place].corrected for place in at) > len(at) else 3 if done else 4


def _occasions(at: Sequence[int], drafted: Mask) -> Mask:
    """Return the deeds in which words are possible: drafts if most are on drafts, else the others."""
    if not at:
        return np.zeros_like(drafted)
    share = float(drafted[list(at)].mean())
    if share >= _MOSTLY:
        return drafted
    return ~drafted if share <= 1 - _MOSTLY else np.ones_like(drafted)


def _of_one_mind(tokens: tuple[str, ...], at: list[int], deeds: Sequence[ParsedDeed]) -> tuple[list[int], list[int]]:
    """Return the deeds that do with a thing what is done most, and those that do the opposite."""
    if any(tokens[0] in deeds[place].parsed.acts for place in at[:1]) or len(tokens) > 1:
        return at, []
    done: dict[str, int] = defaultdict(int)
    for place in at:
        for act in deeds[place].parsed.acts:
            done[act] += 1
    if not done:
        return at, []
    most = min(done, key=lambda act: (-done[act], act))
    undone = opposed(most)
    against = [place for place in at if undone & deeds[place].parsed.acts and most not in deeds[place].parsed.acts]
    opposite = set(against)
    return [place for place in at if place not in opposite], against
