"""What is found of secrets and of orders to an agent, what is taken for one that is none, and what looking costs.

    python -m bench.secrets [--json] [--against FOLDER]

Secrets, look-alikes and orders are made by generators and lists that share nothing with the detectors. `held out` are
orders that somebody wrote who has not seen the detector; `looked at` are those of an earlier such list, which have been
read since; `known` are those that an earlier, larger detector was made with. What is not found is told as quoted data,
with its mark, which is what must hold of all of them; `bench.untrusted` measures that by every way.
`--against` names the `src` folder of another version, whose cost is measured in the same run.
"""

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.hostile import looked_at
from bench.hostile.harmless import harmless
from bench.hostile.held_out import ORDERS
from bench.hostile.known import AFTERWARDS, MORE, TUNING
from bench.hostile.lookalikes import lookalikes
from bench.hostile.planted import kinds, planted
from remembrancer import ContextRequest, NewMessage, SyncMemory
from remembrancer.guard import redact
from remembrancer.guard.injection import looks_like_injection
from remembrancer.types.record import Role

SECRETS, LOOKALIKES, HARMLESS = 300, 1_000, 1_000
LEAST_RECALL, MOST_FALSE, MOST_QUARANTINED = 0.97, 0.005, 0.02
_ROUNDS = 5
Look = Callable[[str], object]


def secrets(seed: int) -> dict[str, float]:
    """The share of planted secrets of which nothing is left, and of look-alikes that lose anything."""
    texts = planted(SECRETS, seed=seed)
    found = sum(one.secret not in _masked(one.text) for one in texts)
    lost = sum(_masked(text) != text for text in lookalikes(LOOKALIKES, seed=seed))
    return {"kinds": len(kinds()), "recall": found / len(texts), "false": lost / LOOKALIKES}


def orders(seed: int, known: Sequence[str]) -> dict[str, float]:
    """The share of orders that are told, and of harmless words that are taken for one."""
    held_out = [text for texts in ORDERS.values() for text in texts]
    seen = [text for texts in looked_at.ORDERS.values() for text in texts]
    return {
        "known": sum(map(looks_like_injection, known)) / len(known),
        "looked at": sum(map(looks_like_injection, seen)) / len(seen),
        "held out": sum(map(looks_like_injection, held_out)) / len(held_out),
        "held out, quarantined or marked": marked(),
        "false": sum(map(looks_like_injection, harmless(HARMLESS, seed=seed))) / HARMLESS,
    }


def marked() -> float:
    """The share of held-out orders of a tool that are kept from the agent, or told with the mark of the untrusted."""
    texts = [text for texts in ORDERS.values() for text in texts]
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        said = [NewMessage(text=text, role=Role.TOOL, session="s") for text in texts]
        saved = [one.record for one in memory.messages.record_many(said)]
        told = memory.context(ContextRequest(session="s", recall=False)).text
    lines = told.splitlines()
    return sum(_is_marked(record.text, lines) for record in saved) / len(saved)


def _is_marked(text: str, lines: Sequence[str]) -> bool:
    first = text.splitlines()[0]
    return all(f"(untrusted) {first}" in line for line in lines if first in line)


def cost(against: Path | None) -> dict[str, float]:
    """Microseconds for a message of 100 characters and for 1,000 of a tool, and their ratios to another version."""
    words = harmless(400, seed=3)
    short = [text[:100] for text in words]
    long = ["\n".join(words[at : at + 8])[:1_000] for at in range(0, len(words), 8)]
    looks: dict[str, Look] = {"": _masked}
    if against is not None:
        looks[" before"] = _of_another(against)
    report = {
        f"{name}{when}": min(_seconds(look, texts) for _ in range(_ROUNDS)) / len(texts) * 1e6
        for name, texts in (("message", short), ("tool", long))
        for when, look in looks.items()
    }
    if against is not None:
        report |= {f"{name} ratio": report[name] / report[f"{name} before"] for name in ("message", "tool")}
    return {name: round(value, 2) for name, value in report.items()}


def _masked(text: str) -> str:
    return redact.redact(text, policy=redact.SecretPolicy.MASK).text


def _of_another(folder: Path) -> Look:
    """The same of another version: imported beside ours, and then ours put back."""
    ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "remembrancer"}
    for name in ours:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        other = importlib.import_module("remembrancer.guard.redact")
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.split(".")[0] == "remembrancer"]:
            del sys.modules[name]
        sys.modules.update(ours)
    return lambda text: other.redact(text, policy=other.SecretPolicy.MASK)


def _seconds(look: Look, texts: Sequence[str]) -> float:
    started = time.process_time()
    for text in texts:
        look(text)
    return time.process_time() - started


def main() -> int:
    """Print what was found; 1 where it is less than it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--against", type=Path, help="the src folder of another version")
    arguments = parser.parse_args()
    found, told = secrets(arguments.seed), orders(arguments.seed, [*TUNING, *MORE, *AFTERWARDS])
    holds = (
        found["recall"] >= LEAST_RECALL
        and found["false"] <= MOST_FALSE
        and told["held out, quarantined or marked"] == 1.0
        and told["false"] <= MOST_QUARANTINED
    )
    report = {"secrets": found, "orders": told, "cost": cost(arguments.against), "holds": holds}
    if arguments.json:
        print(json.dumps(report))
    else:
        for name, part in report.items():
            print(f"{name:10}{part}")
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
