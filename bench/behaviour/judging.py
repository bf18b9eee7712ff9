"""Whether what a detector says is so: against what was planted, and against what it cites."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bench.behaviour.year import Kind, Planned, Rule, judged
from remembrancer.types.episode import contact_of
from remembrancer.types.pattern import (
    LEAST_EPISODES,
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    BehaviourEvent,
    Pattern,
)

ENOUGH = 0.6
"""Of what a true pattern cites, the share that must be occurrences of what was planted."""
NARROW = 0.5
"""A true pattern that cites fewer of the occurrences there were tells of a part of the rule."""
SHARED = 0.9
FEW, MUCH = 0.1, 0.4
"""A mirror of a rule has at most so many of its occurrences within, and at least so many of all outside."""


class Finding(StrEnum):
    """What a pattern is."""

    TRUE = "true"
    GENERAL = "general"
    FALSE = "false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be said of one pattern.

    Args:
        rule: the planted rule that it tells of, by id; `""` for a generalisation and for a false one.
        kind: of a false one, `mirror` where it tells a planted rule from the other side, else what it mostly cites.
        narrow: whether it tells of a part of the rule only.
    """

    finding: Finding
    rule: str = ""
    kind: str = ""
    narrow: bool = False


def judge(pattern: Pattern, window: Sequence[Planned], planted: Mapping[str, Rule]) -> Verdict:
    """Compare a pattern with what was planted in the window that it was found in.

    True is what cites occurrences of one planted rule, in which it held, to 60 % or more; a generalisation does so
    with several rules of one kind of act together.
    """
    by_id = {one.id: one for one in window}
    cited = [by_id[id] for id in dict.fromkeys(pattern.episodes) if id in by_id]
    enough = ENOUGH * max(1, len(pattern.episodes))
    held = Counter(one.rule for one in cited if one.held)
    if held and held.most_common(1)[0][1] >= enough:
        rule, count = held.most_common(1)[0]
        there = sum(one.held and one.rule == rule for one in window)
        return Verdict(finding=Finding.TRUE, rule=rule, narrow=count < NARROW * there)
    acts = Counter(planted[one.rule].template.act.event for one in cited if one.held)
    if acts and acts.most_common(1)[0][1] >= enough:
        return Verdict(finding=Finding.GENERAL)
    return Verdict(finding=Finding.FALSE, kind="mirror" if _mirrors(pattern, window) else _made_of(cited))


def _mirrors(pattern: Pattern, window: Sequence[Planned]) -> bool:
    """Whether a false pattern says no more than that all is well where a planted rule does not apply.

    Nearly none of that rule's occurrences are among its cases, and much of what is judged outside of them is.
    """
    cases = {*pattern.episodes, *pattern.against}
    outside = [one for one in window if one.id not in cases and judged(one.event)]
    held = Counter(one.rule for one in outside if one.held).most_common(1)
    inside = sum(one.held and one.rule == held[0][0] and one.id in cases for one in window) if held else 0
    return bool(held) and inside <= FEW * held[0][1] and held[0][1] >= MUCH * len(outside)


def _made_of(cited: Sequence[Planned]) -> str:
    """What a false pattern mostly cites."""
    kinds = Counter(_kind(one) for one in cited)
    kind, count = kinds.most_common(1)[0] if kinds else ("nothing", 0)
    return kind if count >= ENOUGH * len(cited) else "mixed"


def _kind(one: Planned) -> str:
    if one.kind is not Kind.PLANTED:
        return one.kind
    return "planted" if one.held else "not held"


def faulty(pattern: Pattern, window: Sequence[BehaviourEvent]) -> list[str]:
    """What is wrong with a pattern, whatever was planted: each count is taken again from the deeds it cites."""
    there = {deed.id for deed in window}
    cited = set(pattern.episodes)
    wrong = {
        "an episode that is not there": not (cited | set(pattern.against)) <= there,
        "one episode twice": len(cited) != len(pattern.episodes) or len(set(pattern.against)) != len(pattern.against),
        "for and against at once": bool(cited & set(pattern.against)),
        "fewer than three": len(cited) < LEAST_EPISODES,
        "not oldest first": [deed.id for deed in window if deed.id in cited] != list(pattern.episodes),
        "quote too long": len(pattern.quote.split()) > MAX_QUOTE_WORDS or not pattern.quote,
        "evidence too long": len(pattern.evidence.split()) > MAX_EVIDENCE_WORDS,
        "evidence without its count": str(pattern.occurrences) not in pattern.evidence,
        "rule too long": len(pattern.rule.split()) > MAX_RULE_WORDS,
        "nothing in common": not common(pattern, window),
    }
    return [fault for fault, found in wrong.items() if found]


def common(pattern: Pattern, window: Sequence[BehaviourEvent]) -> list[str]:
    """What nine in ten of the cited deeds share and not all deeds do, the rarest first: read from the deeds alone."""
    ids = set(pattern.episodes)
    cited = [deed for deed in window if deed.id in ids]
    everywhere = Counter(feature for deed in window for feature in features(deed))
    here = Counter(feature for deed in cited for feature in features(deed))
    rare = {feature: everywhere[feature] / len(window) for feature in here}
    return sorted(
        (
            feature
            for feature, count in here.items()
            if count >= SHARED * len(cited) and (count / len(cited) > rare[feature] or len(cited) == len(window))
        ),
        key=lambda feature: (rare[feature], feature),
    )


def features(deed: BehaviourEvent) -> set[str]:
    """What can be seen of one deed: event, outcome, contact, attributes, words, day, hour; numbers by size."""
    found = {f"event={deed.event}", f"outcome={deed.outcome}", f"contact={contact_of(deed.entities)}"}
    found |= {f"entity={entity.name}" for entity in deed.entities}
    found |= {f"weekday={deed.at.weekday()}", f"hour={deed.at.hour}"}
    found |= {f"from hour {hour}" if deed.at.hour >= hour else f"before hour {hour}" for hour in range(24)}
    for name, value in deed.attributes.items():
        found.add(f"{name}={value}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            digits = len(str(int(abs(value))))
            found |= {f"{name} has {least} digits or more" for least in range(2, digits + 1)}
    return found | {f"word {word[:5]}" for word in deed.text.casefold().split() if len(word) > 3}
