"""Agreement: which pairs of sentences are taken for the same statement, beside the smallest thing that could do it.

    python -m bench.agreement [--worked-on] [--wrong] [--json]

600 pairs in five languages, half of them alike in words and not in meaning, written by somebody who had not seen
the engine (`set_aside_*.json`); 200 others to work on. *Stems*: the same stems of words that are not common, the same
digits, names and negations: twenty lines that share no code with `engines.agreement` but the stemmer.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from remembrancer.language.stems import stem
from remembrancer.language.words import stop_words
from remembrancer.learn.agreement import agreement

LANGUAGES = {"en": "english", "de": "german", "es": "spanish", "fr": "french", "it": "italian"}
_NOT = re.compile(
    r"\b(?:not|never|no|nobody|none|n't|without|nicht|nie|kein\w*|ohne|nunca|nadie|sin|ne|pas|jamais|aucun\w*|sans"
    r"|non|mai|nessun\w*|senza)\b|n't\b",
    re.IGNORECASE,
)
Telling = Callable[[str, str, str], str]


def engine(_: str, a: str, b: str) -> str:
    """The engine."""
    told = agreement(a, b).value
    return "neither" if told == "different" else told


def stems(language: str, a: str, b: str) -> str:
    """The same words, digits, names and number of negations."""
    own, other = (_words(language, text) for text in (a, b))
    if own != other:
        return "neither"
    return "same" if len(_NOT.findall(a)) == len(_NOT.findall(b)) else "opposite"


def _words(language: str, text: str) -> Counter[str]:
    tongue = LANGUAGES[language]
    words = [word.casefold() for word in re.findall(r"\w+", _NOT.sub(" ", text))]
    return Counter(stem(word, tongue) for word in words if word not in stop_words()[tongue])


def measured(pairs: list[dict[str, str]], telling: Telling) -> dict[str, object]:
    """How often each relation is told rightly, and what is falsely called the same or opposite."""
    told = [(pair["relation"], telling(pair["language"], pair["a"], pair["b"])) for pair in pairs]
    counts = Counter(told)
    others = sum(relation != "same" for relation, _ in told)
    return {
        "pairs": len(pairs),
        "found_same": _share(counts["same", "same"], sum(relation == "same" for relation, _ in told)),
        "false_same": _share(counts["opposite", "same"] + counts["neither", "same"], others),
        "found_opposite": _share(counts["opposite", "opposite"], sum(relation == "opposite" for relation, _ in told)),
        "false_opposite": _share(
            counts["same", "opposite"] + counts["neither", "opposite"],
            sum(relation != "opposite" for relation, _ in told),
        ),
    }


def _share(part: int, whole: int) -> float:
    return round(100 * part / max(1, whole), 1)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.agreement", description="Pairs of sentences.")
    parser.add_argument("--worked-on", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="the pairs that the engine takes for what they are not")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    files = sorted(Path(__file__).parent.glob("worked_on_*.json" if given.worked_on else "set_aside_*.json"))
    pairs = [pair for file in files for pair in json.loads(file.read_text(encoding="utf-8"))]
    ways: dict[str, Telling] = {"engine": engine, "stems": stems}
    figures = {way: measured(pairs, telling) for way, telling in ways.items()}
    for language in LANGUAGES:
        own = [pair for pair in pairs if pair["language"] == language]
        figures |= {f"{way} {language}": measured(own, telling) for way, telling in ways.items()}
    if given.json:
        print(json.dumps(figures))
    else:
        for way, figure in figures.items():
            print(f"{way:>12}  " + "  ".join(f"{name} {value}" for name, value in figure.items()))
    if given.wrong:
        for pair in pairs:
            told = engine(pair["language"], pair["a"], pair["b"])
            if (told != pair["relation"] and "neither" not in (told, pair["relation"])) or told == "same" != pair[
                "relation"
            ]:
                print(f"{pair['relation']} told {told}: {pair['a']} | {pair['b']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
