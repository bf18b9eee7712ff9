"""Phrases of time in five languages, said on all weekdays: how many become a date, and whether one is false.

    python -m bench.keeping.times [--half odd | even] [--false] [--json]

Each is observed by itself. The date that stands for a phrase is the one that the note has and the sentence has not.
`phrases.json` was written by somebody who had not seen the observer. `--false` lists what is false in the half of the
odd places; that of the even ones was never looked at.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from remembrancer.language.dates.phrases import Phrase, phrases
from remembrancer.language.dates.reckoning import Width

_TONGUES = {"en": "english", "de": "german", "es": "spanish", "fr": "french", "it": "italian"}
FILE = Path(__file__).parent / "phrases.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What became of a phrase; no date where it stays as it was said."""

    place: int
    entry: dict[str, Any]
    date: str

    @property
    def is_false(self) -> bool:
        """Whether the date is one that a careful reader would not accept."""
        return bool(self.date) and self.date not in self.entry["is"]


def resolved(place: int, entry: dict[str, Any]) -> Resolved:
    """What becomes of a phrase in its sentence."""
    said = datetime.fromisoformat(entry["said"]).replace(tzinfo=ZoneInfo(entry["zone"]))
    sentence, phrase = entry["sentence"], entry["phrase"]
    start = sentence.index(phrase)
    end = start + len(phrase)
    found = phrases(sentence, day=said.date(), hour=said.hour, tongue=_TONGUES[entry["language"]])
    over = next((one for one in found if one.start < end and start < one.end), None)
    return Resolved(place=place, entry=entry, date=_iso(over) if over else "")


def _iso(phrase: Phrase) -> str:
    length = {Width.MONTH: 7, Width.YEAR: 4}.get(phrase.width, 10)
    return phrase.first.isoformat()[:length]


def entries(half: str) -> Iterator[Resolved]:
    """What becomes of all phrases, or of those at odd or even places."""
    for place, entry in enumerate(json.loads(FILE.read_text(encoding="utf-8"))):
        if half in ("", ("even", "odd")[place % 2]):
            yield resolved(place, entry)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.keeping.times", description="Phrases of time.")
    parser.add_argument("--half", choices=("odd", "even"), default="")
    parser.add_argument("--false", action="store_true", dest="false_too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = list(entries(given.half))
    report: dict[str, dict[str, int]] = {}
    for language in (*_TONGUES, ""):
        some = [one for one in found if not language or one.entry["language"] == language]
        counts = Counter(clear=sum(bool(one.entry["is"]) for one in some), phrases=len(some))
        counts["resolved"] = sum(bool(one.date) and not one.is_false for one in some)
        counts["false"] = sum(one.is_false for one in some)
        report[language or "all"] = dict(sorted(counts.items()))
    if given.json:
        print(json.dumps(report))
    else:
        for language, told in report.items():
            print(language, told)
    if given.false_too:
        for one in found:
            if one.is_false and one.place % 2:
                print(one.date, json.dumps(one.entry, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
