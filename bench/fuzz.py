"""Random command lines against a small filled memory: each ends soon, in a line, with a code of the table.

    python -m bench.fuzz [--n 4000] [--first 0] [--json]

Case after case is drawn from its number alone: `--first` goes on from there, and `--n 1` repeats one.
"""

import argparse
import base64
import json
import random
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import click

from bench.line import Ended, run_line
from remembrancer import SyncMemory
from remembrancer.cli.app import app
from remembrancer.cli.target import INTERRUPTED
from remembrancer.problems import ERRORS

CASES = 4_000
SECONDS = 10.0
_WORKERS = 2
_TOLD_EVERY = 250
# 11 is also how commands end that could not do all of it.
_CODES = {0, 2, 11, INTERRUPTED, *(row.exit_code for row in ERRORS.values())}
_LONGEST_REFUSAL = 4_000
_ENVIRONMENT = {"REMEMBRANCER_EMBEDDER": "none", "REMEMBRANCER_DB": "m.db"}
_SECRET = "S3CRET-of-a-URL"
_TEXTS = (
    *(
        "",
        " ",
        "-",
        "--",
        "x",
        "Ana drinks tea",
        "tea",
        "Grüße",
        "日本語",
        "👩‍👩‍👧‍👦",
        "🇮🇹",
        "e\u0301",
        "\u202edrawkcab",
        "a\u200bb",
    ),
    *(
        "\t",
        "line\nline",
        "\x1b[31m",
        "{}",
        "[]",
        "{",
        "null",
        '{"a": 1}',
        "[1, 2]",
        "'",
        '"',
        "%s",
        "\\",
        "$HOME",
        "*",
    ),
    *(
        "0",
        "1",
        "-1",
        "5",
        "1e400",
        "nan",
        "inf",
        "0.5",
        "99999999999999999999",
        "9" * 5_000,
        "2026-05-31",
        "0001-01-01",
    ),
    *("2026-02-30", "9999-12-31T23:59:59Z", "2026-05-31T14:00+02:00", "now", "A" * 100_000, "é" * 60_000, "\udcff"),
    *(
        "default",
        "active",
        "public",
        "restricted",
        "user",
        "auto",
        "none",
        "hash",
        "nonsense",
        "monday",
        "facts",
        "list",
    ),
)
_PATHS = (
    *(
        "m.db",
        "n.db",
        "folder",
        ".",
        "missing/m.db",
        "loop",
        "notes.txt",
        "chat.jsonl",
        "binary",
        "empty",
        "loop/x",
        ":memory:",
    ),
    *(
        "x" * 300,
        "mysql://me:{0}@h/d",
        "postgresql://me:{0}@[bad/d",
        "postgresql://me:{0}@127.0.0.1:1/d",
        "postgres//me:{0}@h/d",
    ),
)
_INPUTS = (
    b"",
    b"\xff\xfe\x00",
    b"tea\n",
    b"  indented\n\n",
    b'{"role": "user", "content": "hi"}\n',
    b"[" * 100_000,
    b"\0",
    b"{}\n",
)
_CHATS = "".join(json.dumps({"role": "user", "content": f"line {number} on tea"}) + "\n" for number in range(9))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One command line.

    Args:
        given: what stands on standard input; `None` where that is closed.
    """

    number: int
    arguments: tuple[str, ...]
    given: bytes | None

    def __str__(self) -> str:
        given = "closed" if self.given is None else base64.b64encode(self.given[:60]).decode()
        shown = shlex.join(part if len(part) <= 80 else f"{part[:40]}…({len(part)})" for part in self.arguments)
        return f"case {self.number}: remembrancer {shown.encode(errors='replace').decode()}  (standard input {given})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How one case ended, and what is wrong with that; `""` for nothing."""

    case: Case
    code: int | None
    fault: str


def fuzz(cases: Sequence[int], *, workers: int = _WORKERS) -> Iterator[Found]:
    """Run cases by their numbers, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "filled"
        # Nothing that has a memory open is forked.
        context = get_context("spawn")
        with ProcessPoolExecutor(max_workers=1, mp_context=context) as one:
            ids = one.submit(fill, place).result()
        with ProcessPoolExecutor(max_workers=workers, mp_context=context) as pool:
            yield from pool.map(partial(run_case, place=place, ids=ids), cases, chunksize=4)


def fill(place: Path) -> list[str]:
    """A folder with a small memory and some files that are none; the ids of what the memory holds."""
    place.mkdir(parents=True)
    (place / "folder").mkdir()
    (place / "loop").symlink_to("loop")
    (place / "notes.txt").write_text("no database and no chat\n")
    (place / "chat.jsonl").write_text(_CHATS)
    (place / "binary").write_bytes(random.Random(0).randbytes(5_000))
    (place / "empty").touch()
    with SyncMemory(place / "m.db", embedder="none", background=False) as memory:
        for number in range(20):
            memory.record(f"What Ana said of tea, {number}", session="monday", speaker="Ana")
        memory.save("Ana drinks tea", type="preference", topic_key="ana.tea", tags=["tea"])
        memory.save("We keep vectors in a file", type="decision")
        memory.facts.set("limit", 5, category="rule")
        memory.rules.add("Answer in short sentences")
        return [record.id for record in memory.list(limit=100).records]


def run_case(number: int, *, place: Path, ids: Sequence[str]) -> Found:
    """Run one case in a copy of the filled folder."""
    drawn = case(number, ids)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "here"
        shutil.copytree(place, here, symlinks=True)
        ended = run_line(drawn.arguments, given=drawn.given, environment=_ENVIRONMENT, patience=SECONDS, folder=here)
    return Found(case=drawn, code=ended.code, fault=fault_of(ended))


def fault_of(ended: Ended) -> str:
    """What is wrong with how a command ended; `""` for nothing."""
    if ended.code is None:
        return f"it did not end within {SECONDS:g} seconds: {ended.stderr[-3_000:]}"
    if "Traceback" in ended.stderr:
        return f"a traceback: {ended.stderr.strip().splitlines()[-1][:300]}"
    if ended.code not in _CODES:
        return f"exit code {ended.code}: {ended.stderr[:300]}"
    if ended.code and len(ended.stderr) > _LONGEST_REFUSAL:
        return f"a refusal of {len(ended.stderr)} characters: {ended.stderr[:300]}"
    return "it tells a password" if _SECRET in ended.stderr else ""


def case(number: int, ids: Sequence[str]) -> Case:
    """The case of a number."""
    chance = random.Random(number)
    command, names = _command(chance)
    arguments = list(names)
    for parameter in command.params:
        arguments += _argument(chance, parameter, ids)
    if names[:1] == ["worker"]:
        arguments.append("--once")
    if names[:1] == ["serve"]:
        # Without an access key it starts on this machine alone, and would not end.
        arguments += ["--host", "0.0.0.0"]
    if chance.random() < 0.1:
        arguments.insert(chance.randint(0, len(arguments)), _value(chance, ids))
    if chance.random() < 0.05:
        arguments.insert(chance.randint(0, len(arguments)), "--" + chance.choice(("nonsense", "help", "x" * 50_000)))
    given = None if chance.random() < 0.05 else chance.choice(_INPUTS)
    # No argument of a process holds a NUL.
    return Case(number=number, arguments=tuple(part.replace("\0", "") for part in arguments), given=given)


def _command(chance: random.Random) -> tuple[click.Command, list[str]]:
    """A command, and the names that lead to it."""
    found: click.Command = app
    names: list[str] = []
    while isinstance(found, click.Group):
        name = chance.choice(sorted(found.commands))
        names.append(name)
        found = found.commands[name]
    return found, names


def _argument(chance: random.Random, parameter: click.Parameter, ids: Sequence[str]) -> list[str]:
    """A value of one parameter, or none where the chance leaves it out."""
    if isinstance(parameter, click.Argument):
        if chance.random() < 0.07:
            return []
        many = chance.randint(1, 3) if parameter.nargs == -1 else 1
        paths = (parameter.name or "") in {"paths", "source", "target", "url"}
        return [chance.choice(_PATHS).format(_SECRET) if paths else _value(chance, ids) for _ in range(many)]
    if chance.random() > 0.1:
        return []
    name = chance.choice(parameter.opts)
    if getattr(parameter, "is_flag", False):
        return [name]
    if isinstance(parameter.type, click.Choice) and chance.random() < 0.6:
        return [name, str(chance.choice(parameter.type.choices))]
    if parameter.name == "db" or isinstance(parameter.type, click.File):
        return [name, chance.choice((*_PATHS, "m.db", "m.db", "m.db", "-")).format(_SECRET)]
    if isinstance(parameter.type, click.types.IntParamType | click.types.IntRange) and chance.random() < 0.6:
        return [name, str(chance.choice((1, 2, 5, 20, 100)))]
    return [name, _value(chance, ids)]


def _value(chance: random.Random, ids: Sequence[str]) -> str:
    drawn = chance.random()
    if drawn < 0.35:
        return chance.choice(ids)
    if drawn < 0.85:
        return chance.choice(_TEXTS)
    if drawn < 0.9:
        return chance.choice(_PATHS).format(_SECRET)
    return (
        "".join(chr(chance.choice((chance.randint(1, 0x7F), chance.randint(1, 0x10FFFF)))) for _ in range(9))
        .encode(errors="replace")
        .decode()
    )


def main() -> int:
    """Run the cases, and print those that failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description="Random command lines.")
    parser.add_argument("--n", type=int, default=CASES)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    codes, faults = Counter[str](), list[str]()
    for done, found in enumerate(fuzz(range(chosen.first, chosen.first + chosen.n)), 1):
        codes[str(found.code)] += 1
        if found.fault:
            faults.append(f"{found.case}: {found.fault}")
            print(faults[-1], file=sys.stderr, flush=True)
        if done % _TOLD_EVERY == 0:
            print(
                f"{done} of {chosen.n}, {len(faults)} failed; --first {chosen.first + done}",
                file=sys.stderr,
                flush=True,
            )
    report = {"cases": chosen.n, "codes": dict(sorted(codes.items())), "failed": faults, "holds": not faults}
    print(json.dumps(report) if chosen.json else json.dumps(report, indent=1))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
