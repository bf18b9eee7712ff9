"""What the brief tells after three, six, nine and twelve months of a person's life, without a model.

    python -m bench.lives [--worked-on] [--only NAME,NAME] [--embedder none] [--days 365] [--lines] [--lost] [--json]

Each life is recorded day by day through the library: a session a day, most of them ended, some left open; some of what
is said is saved as well, as an agent would. Background work is done at the end of each day, and each night is run.
Then a brief of the default size is asked for. `plain newest` is the newest sentences of the person in as many tokens,
`plain cues` those with a word such as "always", "please" or "nie". Of the lives that were set aside nothing is printed
but figures, unless `--lines` asks for the briefs: their lines are for a reader to judge.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from unittest import mock

import anyio

from bench.lives.judging import Judged, judged
from bench.lives.years import DAYS, Life, lives
from remembrancer import ContextRequest, Memory, open_memory
from remembrancer.assembly import engine
from remembrancer.llm.providers.tokenizer import O200K, Encoding
from remembrancer.testing import FakeClock

_LOOKED_AT = {3: 90, 6: 181, 9: 272, 12: 364}
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_CUE = re.compile(
    r"\b(?:always|never|please|don't|no|not|only|prefer|rather|must|from now|instead|if|before|nothing"
    r"|immer|nie|bitte|nicht|kein\w*|nur|lieber|muss|ab jetzt|statt|wenn|vor|nichts)\b",
    re.IGNORECASE,
)


async def lived(life: Life, *, embedder: str = "none", days: int = DAYS) -> dict[int, dict[str, tuple[str, Judged]]]:
    """By month the text of each way to begin a session, and what it tells."""
    clock, found = FakeClock(life.at(0, 0)), dict[int, dict[str, tuple[str, Judged]]]()
    sessions = {session.day: session for session in life.sessions}
    months = {min(day, days - 1): month for month, day in _LOOKED_AT.items()}
    with TemporaryDirectory() as folder, mock.patch.object(engine, "SystemClock", return_value=clock):
        async with open_memory(
            f"{folder}/memory.db", embedder=embedder, background=False, time_zone=str(life.zone), user="somebody"
        ) as memory:
            for day in range(days):
                if day in sessions:
                    await _spoken(memory, clock, life, sessions[day].day)
                clock.move(life.at(day + 1, 3) - clock.now())
                # What an open memory does in the background, and its night.
                await memory._engine.worker.run_once()  # pyright: ignore[reportPrivateUsage] -- it would come by itself
                if day in months:
                    clock.move(life.at(day + 1, 7) - clock.now())
                    found[months[day]] = await _looked_at(memory, life, day)
    return found


async def _spoken(memory: Memory, clock: FakeClock, life: Life, day: int) -> None:
    session = next(one for one in life.sessions if one.day == day)
    for said in session.messages:
        clock.move(said.at - clock.now())
        if said.role == "save":
            await memory.save(said.text, type=said.type, session=session.name)
        else:
            await memory.record(said.text, session=session.name, role=said.role)
    if session.ends:
        await memory.sessions.end(session.name)


async def _looked_at(memory: Memory, life: Life, day: int) -> dict[str, tuple[str, Judged]]:
    brief = await memory.context(ContextRequest(session="next", record_access=False, mode="brief"))
    texts = {"brief": (brief.text, brief.tokens)} | {
        f"plain {name}": (text, brief.tokens)
        for name, text in (
            ("newest", _plain(life, day, brief.tokens)),
            ("cues", _plain(life, day, brief.tokens, _CUE)),
        )
    }
    return {way: (text, judged(life, day, text, tokens)) for way, (text, tokens) in texts.items()}


def _plain(life: Life, day: int, tokens: int, cue: re.Pattern[str] = re.compile("")) -> str:
    """The newest sentences of the person in so many tokens, those with a cue."""
    count, kept = Encoding(O200K).count, list[str]()
    for session in reversed([one for one in life.sessions if one.day <= day]):
        for message in reversed([one for one in session.messages if one.role == "user"]):
            for sentence in reversed(_SENTENCE.split(message.text)):
                if cue.search(sentence):
                    tokens -= count(f"- {sentence}\n")
                    if tokens < 0:
                        return "\n".join(kept)
                    kept.append(f"- {sentence}")
    return "\n".join(kept)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.lives", description="What a brief tells after a year.")
    parser.add_argument("--worked-on", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--lines", action="store_true", help="print the briefs after a year")
    parser.add_argument("--lost", action="store_true", help="of the lives that are worked on, what is missing")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chosen = lives("worked_on" if given.worked_on else "set_aside", seed=given.seed, days=given.days)
    chosen = [life for life in chosen if not given.only or life.name in given.only.split(",")]
    total = dict[str, list[Judged]]()
    for life in chosen:
        for month, ways in anyio.run(lambda life=life: lived(life, embedder=given.embedder, days=given.days)).items():
            for way, (text, one) in ways.items():
                total.setdefault(way, []).append(one)
                if not given.json:
                    print(f"{life.name:13} {month:2} months  {way:13} {one.row()}", flush=True)
                if way == "brief" and given.lost and given.worked_on:
                    _print_lost(one)
                if way == "brief" and given.lines and month == max(_LOOKED_AT):
                    print(text, flush=True)
    summed = {way: _summed(some) for way, some in total.items()}
    print(json.dumps(summed) if given.json else "\n".join(f"all  {way:13} {row}" for way, row in summed.items()))
    return 0


def _print_lost(one: Judged) -> None:
    for kind, marks in one.missing.items():
        for mark in marks:
            print(f"    missing {kind}: {mark.what}")
    for mark, line in one.withdrawn:
        print(f"    withdrawn: {mark.what}: {line}")
    for mark, lines in one.twice:
        print(f"    twice: {mark.what}: {' | '.join(lines)}")
    for line in one.unmarked:
        print(f"    unmarked: {line}")


def _summed(found: Sequence[Judged]) -> dict[str, str]:
    def share(kind: str) -> str:
        told = sum(len(one.told[kind]) for one in found)
        return f"{told}/{told + sum(len(one.missing[kind]) for one in found)}"

    lines = sum(len(one.lines) for one in found)
    return {
        "instructions": share("instruction"),
        "withdrawn told": str(sum(len(one.withdrawn) for one in found)),
        "constants": share("constant"),
        "ahead": share("ahead"),
        "last session": f"{sum(one.last for one in found)}/{len(found)}",
        "twice": str(sum(len(one.twice) for one in found)),
        "unmarked": f"{sum(len(one.unmarked) for one in found)}/{lines}",
        "tokens": f"{sum(one.tokens for one in found) / max(1, len(found)):.0f}",
    }


if __name__ == "__main__":
    sys.exit(main())
