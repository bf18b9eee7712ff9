"""How well personal data is found, on sentences that others wrote and on generated ones, and what looking costs.

    python -m bench.personal [--sentences PATH] [--names] [--seed N] [--json]

A find is right where data of its kind stands at the same place; `exact` is the share of what was found with the same
start and end. The generated sentences share nothing with the detector. The cost is told beside that of `redact`.
`--names` looks in the sentences that others wrote for names of persons and places, too, which the extra `names` tells.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, cast

from bench.personal.generate import LANGUAGES, Sentence, Span, negatives, positives
from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.redact import SecretPolicy, redact
from remembrancer.types.policy import PATTERN_TYPES, PersonalDataSpan, PersonalDataType

SHOWN, ROUNDS = 10, 5
_KINDS = {
    "CREDIT_CARD": PersonalDataType.CARD,
    "EMAIL_ADDRESS": PersonalDataType.EMAIL,
    "PHONE_NUMBER": PersonalDataType.PHONE,
    "IP_ADDRESS": PersonalDataType.IP,
    "PERSON": PersonalDataType.PERSON,
    "GPE": PersonalDataType.PLACE,
    "STREET_ADDRESS": PersonalDataType.PLACE,
}


class _Labelled(TypedDict):
    entity_type: str
    start_position: int
    end_position: int


class _Written(TypedDict):
    full_text: str
    spans: list[_Labelled]


@dataclass(slots=True)
class Score:
    """How much there was and was found; `right` are the finds where there was something, `hit` what was found."""

    there: int = 0
    hit: int = 0
    exact: int = 0
    found: int = 0
    right: int = 0

    def add(self, other: "Score") -> None:
        """Count another's too."""
        self.there += other.there
        self.hit += other.hit
        self.exact += other.exact
        self.found += other.found
        self.right += other.right

    def shares(self) -> dict[str, float | int]:
        """Precision and recall, the exact share of the hits, and the counts."""
        return {
            "precision": _share(self.right, self.found),
            "recall": _share(self.hit, self.there),
            "exact": _share(self.exact, self.hit),
            "there": self.there,
            "missed": self.there - self.hit,
            "false": self.found - self.right,
        }


@dataclass(slots=True)
class Tally:
    """The scores of a set by kind and language, and what was missed and found falsely.

    Args:
        sorts: of each sort of data, how much there was and how much was found.
        near: of each sort of near miss, how many sentences there were and in how many something was found.
    """

    scores: dict[tuple[PersonalDataType, str], Score] = field(default_factory=dict[tuple[PersonalDataType, str], Score])
    misses: dict[PersonalDataType, list[str]] = field(default_factory=dict[PersonalDataType, list[str]])
    false: dict[PersonalDataType, list[str]] = field(default_factory=dict[PersonalDataType, list[str]])
    cut: dict[PersonalDataType, list[str]] = field(default_factory=dict[PersonalDataType, list[str]])
    sorts: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    near: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])

    def of(self, data_type: PersonalDataType | None = None, language: str | None = None) -> Score:
        """The score of a kind, of a language, of both, or of all."""
        total = Score()
        for (one, other), score in self.scores.items():
            if data_type in (None, one) and language in (None, other):
                total.add(score)
        return total


def tally(sentences: Iterable[Sentence], among: Sequence[PersonalDataType] = PATTERN_TYPES) -> Tally:
    """Look for personal data of some kinds in every sentence, and compare it with what is there."""
    result = Tally()
    for sentence in sentences:
        finds = find_personal(sentence.text, among)
        for data_type in among:
            spans = [span for span in sentence.spans if span.data_type is data_type]
            _count(result, sentence, data_type, spans, [find for find in finds if find.data_type is data_type])
        if not sentence.spans:
            near = result.near.setdefault(sentence.about, Counter())
            near.update(there=1, found=bool(finds))
    return result


def _count(
    result: Tally, sentence: Sentence, data_type: PersonalDataType, spans: list[Span], finds: list[PersonalDataSpan]
) -> None:
    score = result.scores.setdefault((data_type, sentence.language), Score())
    for span in spans:
        met = [find for find in finds if find.start < span.end and span.start < find.end]
        exact = any((find.start, find.end) == (span.start, span.end) for find in met)
        score.there += 1
        score.hit += bool(met)
        score.exact += exact
        result.sorts.setdefault(f"{data_type} {span.sort}", Counter()).update(there=1, hit=bool(met))
        if not met:
            result.misses.setdefault(data_type, []).append(_shown(sentence, span.start, span.end, span.sort))
        elif not exact:
            result.cut.setdefault(data_type, []).append(_shown(sentence, met[0].start, met[0].end, span.sort))
    for find in finds:
        right = any(find.start < span.end and span.start < find.end for span in spans)
        score.found += 1
        score.right += right
        if not right:
            result.false.setdefault(data_type, []).append(_shown(sentence, find.start, find.end, sentence.about))


def _shown(sentence: Sentence, start: int, end: int, sort: str) -> str:
    """A line with what it is about in brackets."""
    text = f"{sentence.text[:start]}[{sentence.text[start:end]}]{sentence.text[end:]}"
    return f"{sentence.language} {sort}: {json.dumps(text, ensure_ascii=False)}"


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def written(path: Path) -> list[Sentence]:
    """The sentences of a file that others wrote, with what they labelled of our kinds."""
    labelled = cast(list[_Written], json.loads(path.read_text()))
    return [
        Sentence(
            language="en",
            about="written",
            text=one["full_text"],
            spans=tuple(
                Span(
                    data_type=_KINDS[span["entity_type"]],
                    sort="written",
                    start=span["start_position"],
                    end=span["end_position"],
                )
                for span in one["spans"]
                if span["entity_type"] in _KINDS
            ),
        )
        for one in labelled
    ]


def cost(messages: Sequence[str], everything: str) -> dict[str, float]:
    """Microseconds to look through a message, and through all texts in one for each thousand characters of it."""
    thousands = len(everything) / 1_000
    report: dict[str, float] = {}
    for name, texts, count in (("message", messages, len(messages)), ("1000 characters", [everything], thousands)):
        personal = min(_seconds(find_personal, texts) for _ in range(ROUNDS)) / count * 1e6
        secrets = min(_seconds(_masked, texts) for _ in range(ROUNDS)) / count * 1e6
        report |= {f"{name} us": personal, f"{name} redact us": secrets, f"{name} ratio": personal / secrets}
    return {name: round(value, 2) for name, value in report.items()}


def _masked(text: str) -> object:
    return redact(text, policy=SecretPolicy.MASK)


def _seconds(look: Callable[[str], object], texts: Iterable[str]) -> float:
    started = time.process_time()
    for text in texts:
        look(text)
    return time.process_time() - started


def report(one: Tally) -> dict[str, object]:
    """All the figures of a set and its examples, as they are told."""
    languages = [language for language in LANGUAGES if one.of(language=language).there]
    return {
        "total": one.of().shares(),
        "kinds": {data_type.value: one.of(data_type).shares() for data_type in PersonalDataType},
        "languages": {language: one.of(language=language).shares() for language in languages},
        "by both": {
            f"{data_type} {name}": one.of(data_type, name).shares()
            for data_type in PersonalDataType
            for name in languages
        },
        "sorts": {sort: f"{counts['hit']}/{counts['there']}" for sort, counts in sorted(one.sorts.items())},
        "near": {about: f"{counts['found']}/{counts['there']}" for about, counts in sorted(one.near.items())},
        "misses": {data_type.value: _examples(lines) for data_type, lines in one.misses.items()},
        "false": {data_type.value: _examples(lines) for data_type, lines in one.false.items()},
        "cut": {data_type.value: _examples(lines) for data_type, lines in one.cut.items()},
    }


def _examples(lines: Sequence[str]) -> list[str]:
    """Some from the whole of the list, so that not all are of one language."""
    return [lines[at * len(lines) // SHOWN] for at in range(SHOWN)] if len(lines) > SHOWN else list(lines)


def _print(name: str, one: Tally) -> None:
    print(f"\n== {name}")
    rows = {data_type.value: one.of(data_type) for data_type in PersonalDataType}
    rows |= {name: one.of(language=name) for name in LANGUAGES} | {"total": one.of()}
    print(f"{'':10}precision  recall   exact   there  missed   false")
    for row, score in rows.items():
        if score.there or score.found:
            shares = score.shares()
            print(
                f"{row:10}{shares['precision']:9.4f}{shares['recall']:8.4f}{shares['exact']:8.4f}"
                f"{shares['there']:8}{shares['missed']:8}{shares['false']:8}"
            )
    for title, lists in (("missed", one.misses), ("false", one.false), ("other span", one.cut)):
        for data_type, lines in lists.items():
            print(f"-- {title} {data_type} ({len(lines)})")
            print("\n".join(f"   {line}" for line in _examples(lines)))


def _print_parts(one: Tally) -> None:
    print("\n== recall by kind and language")
    for data_type in PATTERN_TYPES:
        told = "  ".join(f"{name} {one.of(data_type, name).shares()['recall']:.3f}" for name in LANGUAGES)
        print(f"{data_type.value:10}{told}")
    print("\n== precision by kind and language")
    for data_type in PATTERN_TYPES:
        told = "  ".join(f"{name} {one.of(data_type, name).shares()['precision']:.3f}" for name in LANGUAGES)
        print(f"{data_type.value:10}{told}")
    missed = {sort: counts for sort, counts in sorted(one.sorts.items()) if counts["hit"] < counts["there"]}
    print("\n== sorts of which some are missed: found of those there")
    print("\n".join(f"{sort:28}{counts['hit']}/{counts['there']}" for sort, counts in missed.items()))
    print("\n== near misses: sentences in which something is found, of all")
    print("\n".join(f"{about:28}{counts['found']}/{counts['there']}" for about, counts in sorted(one.near.items())))


def main() -> int:
    """Print what was found, what was missed and what it costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=Path, help="a JSON list of labelled sentences")
    parser.add_argument("--names", action="store_true", help="also names, in those sentences")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with_data, without = positives(arguments.seed), negatives(arguments.seed)
    sets = {"generated": tally([*with_data, *without])}
    if arguments.sentences:
        sets = {
            "written": tally(
                written(arguments.sentences), tuple(PersonalDataType) if arguments.names else PATTERN_TYPES
            )
        } | sets
    texts = [sentence.text for sentence in without]
    spent = cost(texts, "\n".join([*(sentence.text for sentence in with_data), *texts]))
    if arguments.json:
        print(json.dumps({name: report(one) for name, one in sets.items()} | {"cost": spent}, ensure_ascii=False))
        return 0
    print(f"{len(with_data)} sentences with personal data, {len(without)} without")
    for name, one in sets.items():
        _print(name, one)
    _print_parts(sets["generated"])
    print(f"\n== cost\n{spent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
