"""Whether the newer of two statements about the same thing comes first, and is told from two that both hold.

    python -m bench.replacing CHATS [--pairs FILE ...] [--embedder auto|wordllama|none] [--json]

Each pair, an older and a newer statement 200 days later with a question, is stored three times: as notes, and as said
in chats of 5 and of 60 sessions, filled from the first scope of CHATS (a file in the form of `bench.families`). Counted
are how often the newer one is recalled before the older, among ten, and how often the older one is marked as replaced:
of `replaced` as many as possible, of `both` none.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from bench.retrieval import embedder_named
from remembrancer import NewObservation, SyncMemory

PAIRS: Final = Path(__file__).with_name("replaced.json")
FORMS: Final = ("notes", 5, 60)
_A_SESSION, _CHARACTERS, _TOP = 6, 300, 10
_NOW: Final = datetime(2026, 6, 1, 12, tzinfo=UTC)


def main() -> None:
    """Print, by form, how many pairs come newer first and how many are marked."""
    parser = argparse.ArgumentParser(prog="python -m bench.replacing", description=__doc__)
    parser.add_argument("chats", type=Path)
    parser.add_argument("--pairs", type=Path, nargs="+", default=[PAIRS])
    parser.add_argument("--embedder", default="auto", choices=("auto", "wordllama", "none"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chat = json.loads(options.chats.read_text())["scopes"][0]["messages"]
    embedder = embedder_named(options.embedder) or "none"
    counted: Counter[str] = Counter()
    for kind, pair in [(kind, one) for path in options.pairs for kind, one in _pairs(path)]:
        for form in FORMS:
            first, marked = ordered(pair, chat if form != "notes" else [], form, embedder)
            name = f"{kind}, {form if form == 'notes' else f'{form} sessions'}"
            counted.update({name: 1, f"{name}: newer first": first, f"{name}: marked": marked})
            if (kind == "replaced" and not first) or (kind == "both" and marked):
                print(f"{name}: {pair['old']} | {pair['new']} | {pair['question']}", file=sys.stderr)
    if options.json:
        print(json.dumps(counted))
        return
    print("pairs | of | newer first | marked as replaced")
    for name in [name for name in counted if ":" not in name]:
        print(name, counted[name], counted[f"{name}: newer first"], counted[f"{name}: marked"], sep=" | ")


def _pairs(path: Path) -> list[tuple[str, dict[str, str]]]:
    found = json.loads(path.read_text())
    return [(kind, pair) for kind in ("replaced", "both") for pair in found.get(kind, ())]


def ordered(pair: dict[str, str], chat: Sequence[dict[str, Any]], form: str | int, embedder: Any) -> tuple[bool, bool]:
    """Return whether the newer statement of a pair is recalled before the older, and whether the older is marked."""
    with SyncMemory(":memory:", user="ana", embedder=embedder, background=False) as memory:
        if form == "notes":
            memory.save(NewObservation(text=pair["old"], occurred_at=_NOW - timedelta(days=201)))
            memory.save(NewObservation(text=pair["new"], occurred_at=_NOW - timedelta(days=1)))
        else:
            _said(memory, pair, chat, int(form))
        if embedder != "none":
            memory.admin.index.embed()
        hits = memory.recall(pair["question"], limit=_TOP, now=_NOW).hits
    texts = [hit.record.text for hit in hits]
    places = [texts.index(pair[one]) if pair[one] in texts else _TOP + (one == "old") for one in ("new", "old")]
    marked = any(hit.replaced is not None and hit.record.text == pair["old"] for hit in hits)
    return places[0] < places[1] and places[0] < _TOP, marked


def _said(memory: SyncMemory, pair: dict[str, str], chat: Sequence[dict[str, Any]], sessions: int) -> None:
    """Record a chat with the older statement in its first session and the newer one in its last."""
    for number in range(sessions):
        began = _NOW - timedelta(days=201 - 200 * number / (sessions - 1))
        said = chat[number * _A_SESSION % len(chat) :][:_A_SESSION]
        for minute, turn in enumerate(said):
            memory.record(
                turn["text"][:_CHARACTERS],
                role=turn["role"],
                session=str(number),
                occurred_at=began + timedelta(minutes=minute),
            )
        for place, text in ((0, pair["old"]), (sessions - 1, pair["new"])):
            if number == place:
                memory.record(text, session=str(number), occurred_at=began + timedelta(minutes=len(said)))


if __name__ == "__main__":
    main()
