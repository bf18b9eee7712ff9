"""What a long conversation costs with memory, against sending all of it or a sliding window of it each time.

    python -m bench.cache SET PATH [--json] [--observe-tokens N] [--reflect-tokens N] [--embedder NAME]

Each dialogue is one session, held again turn by turn: what is said is recorded and, at each message of a user, the
block is made that the agent reads, the message in it and what it recalls behind it; that block is the prompt.
`prefix_share` is the part of all prompts' tokens that is a byte prefix of the prompt before. The cost is that of
prompts at 1 dollar for a million tokens and 0.1 where they are such a prefix; `cost_ratio_full` says how many times
dearer the whole history is, sent each time. The sliding window holds as many raw tokens as the memory's threshold. At
each turn every message must be told raw or by notes, once: `holds` says whether it was.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import anyio

from bench.invariant import Watch
from bench.places import IN_MEMORY, Place
from bench.replaying import SESSION, Outcome, held, settings_of
from bench.sets import Dialogue, load
from remembrancer.context.assemble import Block
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.open import open_memory
from remembrancer.transactions.dependencies import TokenCounter
from remembrancer.types.budget import MESSAGE_TOKENS, OBSERVATION_TOKENS
from remembrancer.types.calls import Price, PromptCost, SentPrompt, expense, whole_history

PRICE = Price(prompt=Decimal("1.0"), cached=Decimal("0.1"), answer=Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Three ways to hold one conversation, and what came of the first."""

    outcome: Outcome
    served: PromptCost
    full: PromptCost
    sliding: PromptCost

    def figures(self) -> dict[str, object]:
        """As they are printed."""
        return {
            "turns": self.outcome.turns,
            "activations": self.outcome.activations,
            "reflections": self.outcome.reflections,
            **_figures([self]),
            "seconds": self.outcome.seconds,
            "faults": self.outcome.faults,
        }


async def measure(dialogue: Dialogue, place: Place, **settings: object) -> Ways:
    """Hold a dialogue again, and add up its prompts."""
    counter = tokenizer_named("auto", model="")
    outcome, watch = Outcome(name=dialogue.name), Watch(SESSION)
    threshold = int(str(settings.get("observe_tokens", MESSAGE_TOKENS)))
    served: list[SentPrompt] = []
    added: list[int] = []
    sizes: list[int] = []
    sliding: list[SentPrompt] = []
    before: Block | None = None
    chosen = settings_of(place, **settings)
    async with open_memory(**chosen) as memory:  # pyright: ignore[reportArgumentType] -- settings by name
        async for turn in held(memory, dialogue.turns):
            outcome.turns += 1
            for message in turn.messages:
                watch.heard(message)
            outcome.note(await watch.look(memory, turn.context))
            block = turn.context.block
            served.append(
                SentPrompt(tokens=turn.context.report.tokens, prefix=prefix(before, block, counter) if before else 0)
            )
            before = block
            new = [message.tokens for message in turn.messages]
            sizes += new
            added.append(sum(new))
            sliding.append(_slid(sizes, len(new), threshold))
    outcome.activations, outcome.reflections = len(watch.activations), watch.reflections
    return Ways(
        outcome=outcome,
        served=expense(served, _cost),
        full=expense(whole_history(0, added), _cost),
        sliding=expense(sliding, _cost),
    )


def prefix(before: Block, now: Block, counter: TokenCounter) -> int:
    """The tokens at the beginning of a block that stood so at the beginning of the one before."""
    tokens = 0
    for old, new in zip(before.items, now.items, strict=False):
        if old.text != new.text:
            return tokens + counter.count(common(old.text, new.text))
        tokens += new.tokens
    return tokens


def common(one: str, other: str) -> str:
    """What two texts both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return one[:low]


def _slid(sizes: Sequence[int], new: int, most: int) -> SentPrompt:
    """The prompt of a window that holds the newest messages: once it slides, it begins otherwise each time."""
    total = sum(sizes)
    if total <= most:
        return SentPrompt(tokens=total, prefix=total - sum(sizes[-new:]))
    tokens = 0
    for size in reversed(sizes):
        if tokens and tokens + size > most:
            break
        tokens += size
    return SentPrompt(tokens=tokens, prefix=0)


def _cost(tokens: int, cached: int) -> int:
    return PRICE.cost(prompt=tokens, cached=cached, answer=0)


def _figures(ways: Sequence[Ways]) -> dict[str, object]:
    """What several dialogues come to together."""
    served, full, sliding = (_sum([getattr(way, name) for way in ways]) for name in ("served", "full", "sliding"))
    turns = sum(way.outcome.turns for way in ways)
    return {
        "tokens_a_turn": round(served.tokens / turns) if turns else 0,
        "prefix_share": round(served.prefix / served.tokens, 4) if served.tokens else 0.0,
        "cost_ratio_full": _ratio(full.cached, served.cached),
        "cost_ratio_full_uncached": _ratio(full.uncached, served.uncached),
        "cost_ratio_full_uncached_against_cached": _ratio(full.uncached, served.cached),
        "cost_ratio_sliding": _ratio(sliding.cached, served.cached),
        "cost_ratio_sliding_uncached": _ratio(sliding.uncached, served.uncached),
        "dollars": {
            name: {"cached": way.cached / 1e6, "uncached": way.uncached / 1e6}
            for name, way in (("served", served), ("full", full), ("sliding", sliding))
        },
    }


def _sum(expenses: Sequence[PromptCost]) -> PromptCost:
    return PromptCost(
        tokens=sum(one.tokens for one in expenses),
        prefix=sum(one.prefix for one in expenses),
        uncached=sum(one.uncached for one in expenses),
        cached=sum(one.cached for one in expenses),
    )


def _ratio(dear: int, cheap: int) -> float:
    return round(dear / cheap, 2) if cheap else 0.0


def report(dialogues: Sequence[Dialogue], place: Place = IN_MEMORY, **settings: object) -> dict[str, object]:
    """Every dialogue, and all together; progress goes to stderr."""
    ways: list[Ways] = []
    each: dict[str, object] = {}
    for dialogue in dialogues:
        way = anyio.run(lambda dialogue=dialogue: measure(dialogue, place, **settings))
        ways.append(way)
        each[dialogue.name] = way.figures()
        print(dialogue.name, json.dumps(each[dialogue.name]), file=sys.stderr, flush=True)
    return {
        "dialogues": each,
        **_figures(ways),
        "activations": sum(way.outcome.activations for way in ways),
        "reflections": sum(way.outcome.reflections for way in ways),
        "holds": not any(way.outcome.faults for way in ways),
    }


def main() -> int:
    """Run and print; 1 where a message was lost or told twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.cache")
    parser.add_argument("set")
    parser.add_argument("path", type=Path)
    parser.add_argument("--observe-tokens", type=int, default=MESSAGE_TOKENS)
    parser.add_argument("--reflect-tokens", type=int, default=OBSERVATION_TOKENS)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--dialogues", default="", help="only those whose name ends in one of these, by comma")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    dialogues = load(arguments.set, arguments.path)
    if arguments.dialogues:
        dialogues = [found for found in dialogues if found.name.endswith(tuple(arguments.dialogues.split(",")))]
    found = report(
        dialogues,
        observe_tokens=arguments.observe_tokens,
        reflect_tokens=arguments.reflect_tokens,
        embedder=arguments.embedder,
    )
    if arguments.json:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name}: {value}" for name, value in found.items() if name != "dialogues"))
    return int(not found["holds"])


if __name__ == "__main__":
    raise SystemExit(main())
