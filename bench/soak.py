"""The full sizes of what the tests run reduced: step by step, each done once, going on where it was stopped.

    python -m bench.soak [--shared FOLDER] [--only NAME ...] [--again]

`--shared` names the folder that holds `data/dev`; steps that need it are left out, and named, where it is not there.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, LiteralString, cast

import anyio
import numpy as np

from bench.nonsense import nonsense_questions, small_talk
from bench.places import SECRET, Place, places
from bench.readers import write_chats
from bench.replaying import Outcome, replayed
from bench.retrieval import RESAMPLES, Result, embedder_named, measure, summary
from bench.sets import Dialogue, load
from bench.vectors import CACHE
from remembrancer.llm.embedder import Embedder
from remembrancer.storage.sqlite.connection import SQLiteConnection

STATE = CACHE / "soak.json"
REPLAYED = CACHE / "replayed.json"
# Of messages and of observations: the defaults, and so small that every dialogue passes them.
THRESHOLDS = ((30_000, 40_000), (2_000, 3_000))
COUNTS = ("turns", "activations", "reflections")
KILLS = 10
# Programs of the docs, with the extra that each needs.
HEAVY = {"with_google_adk": "google-adk", "with_llama_index": "llama-index"}
SETS = {"locomo": "locomo", "longmemeval": "longmemeval", "beam": "beam-100k", "realmem": "realmem"}
ARMS = ("lexical", "semantic")
FAULTS = tuple(
    f"tests/behaviour/test_{name}.py"
    for name in ("observing_faults", "killed_talkers", "cancelled_callers", "nights", "feedback")
)
# What is compared of two stores: everything but the times of recording and what is derived from them or from a key.
COMPARED = (
    ("records", "id, kind, session, text, hash, author, source, tags, metadata, occurred_at, status, number, role"),
    ("sessions", "id, status, messages, started_at, last_activity_at, ended_at"),
    ("document_terms", "document, length, terms"),
    ("postings", "term, block, count, entries"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Where the steps find what they need."""

    shared: Path | None
    sets: tuple[str, ...]
    embedder: str
    only: str


def import_twice(context: Context) -> dict[str, object]:
    """Every dialogue under data/dev, twice: the second time creates nothing."""
    with tempfile.TemporaryDirectory() as folder:
        sources = _chats(context, Path(folder))
        first = _import(Path(folder) / "m.db", sources)
        second = _import(Path(folder) / "m.db", sources)
    return {"first": first, "second": second, "holds": second["created"] == 0 and int(str(first["created"])) > 0}


def import_killed(context: Context) -> dict[str, object]:
    """Killed at ten random moments and started again: the final store equals that of an undisturbed run."""
    with tempfile.TemporaryDirectory() as folder:
        calm, disturbed = Path(folder) / "calm.db", Path(folder) / "disturbed.db"
        sources = _chats(context, Path(folder))
        started = time.monotonic()
        _import(calm, sources)
        whole = time.monotonic() - started
        kills = _kill_often(disturbed, sources, whole)
        after = _import(disturbed, sources)
        differing = [
            name for name, columns in COMPARED if _rows(calm, name, columns) != _rows(disturbed, name, columns)
        ]
    return {"kills": kills, "created_after": after["created"], "differing_tables": differing, "holds": not differing}


def _kill_often(path: Path, sources: Sequence[Path], whole: float) -> list[float]:
    """Start an import, kill -9 it somewhere in its course; ten times. The seconds after which it was killed."""
    chance, moments = random.Random(7), list[float]()
    while len(moments) < KILLS:
        process = subprocess.Popen(
            _command(path, sources), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_one_key()
        )
        moment = chance.uniform(0.5, max(1.0, whole / 4))
        try:
            process.wait(moment)
            print("it was done before it could be killed: started anew", file=sys.stderr)
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink()
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            moments.append(round(moment, 1))
            print(f"killed after {moment:.1f} s", file=sys.stderr)
    return moments


def abstention(context: Context) -> dict[str, object]:
    """Of 200 nonsense questions and 200 of small talk 95 % abstain, of LoCoMo's types 1-4 3 % at most; 5 is told."""
    dialogues = load("locomo", _dev(context) / "locomo")
    embedder = embedder_named(context.embedder)
    results = anyio.run(lambda: measure(dialogues, embedder))
    nonsense = anyio.run(lambda: nonsense_questions(dialogues, embedder, count=200))
    chatted = anyio.run(lambda: small_talk(dialogues, embedder))
    answerable = [result for result in results if result.type != "5"]
    shares = {
        "nonsense": _share([recalled.abstained for recalled in nonsense]),
        "small talk": _share([recalled.abstained for recalled in chatted]),
        "types 1-4": _share([result.abstained for result in answerable]),
        "type 5": _share([result.abstained for result in results if result.type == "5"]),
    }
    holds = min(shares["nonsense"], shares["small talk"]) >= 95 and shares["types 1-4"] <= 3
    return {**shares, "holds": holds}


def retrieval(context: Context) -> dict[str, object]:
    """The default profile against each arm alone, and without an embedder, on every set."""
    report: dict[str, object] = {}
    for name in context.sets:
        dialogues = load(name, _dev(context) / SETS[name])
        if context.only:
            dialogues = [found for found in dialogues if found.name.endswith(tuple(context.only.split(",")))]
        runs = _runs(name, dialogues, context)
        best = max(ARMS, key=lambda arm: sum(result.any(10) for result in runs[arm]))
        report[name] = {
            **{run: _figures(results) for run, results in runs.items()},
            "default minus best arm": _difference(runs["default"], runs[best]),
        }
        print(name, json.dumps(report[name]), file=sys.stderr)
    return report


def _runs(name: str, dialogues: Sequence[Dialogue], context: Context) -> dict[str, list[Result]]:
    """The default profile, each arm bare, and words with structure but no vectors."""
    embedder = embedder_named(context.embedder)
    runs = {"default": _measured(dialogues, embedder)}
    for arm in ARMS:
        runs[arm] = _measured(dialogues, embedder, retrievers=[arm], profile=arm)
    runs["without embedder"] = _measured(dialogues, None)
    if name != "locomo":
        return runs
    return {run: [result for result in results if result.type != "5"] for run, results in runs.items()}


def _measured(dialogues: Sequence[Dialogue], embedder: Embedder | None, **options: Any) -> list[Result]:
    return anyio.run(lambda: measure(dialogues, embedder, **options))


def machine(_: Context) -> dict[str, object]:
    """The state machine at its full size, on both stores."""
    return _tested("tests/stateful/test_memory_machine.py")


def interleavings(_: Context) -> dict[str, object]:
    """All at work on one conversation, in 10,000 orders and as two processes: each message told and noted once."""
    return _tested("tests/stateful/test_interleavings.py")


def rejections(_: Context) -> dict[str, object]:
    """10,000 sequences of deeds: what a person rejected is in no recall and no context until that is undone."""
    return _tested("tests/stateful/test_rejections_stand.py")


def blocks(_: Context) -> dict[str, object]:
    """Blocks of 200 random memories in every format: never above their budget, counted by their text, and honest."""
    return _tested("tests/behaviour/test_blocks.py")


def imports(_: Context) -> dict[str, object]:
    """Files of chats appended, moved, edited, rotated, copied, and killed while imported, 2,000 times a store."""
    return _tested("tests/behaviour/test_imported_chats.py")


def damage(_: Context) -> dict[str, object]:
    """Each byte of a text of every column made none, each row of every table removed: named, and all else goes on."""
    return _tested("tests/behaviour/test_damaged_stores.py")


def restarts(_: Context) -> dict[str, object]:
    """PostgreSQL stopped, crashed and killed ten times each under load: nothing acknowledged is missing."""
    return _tested("tests/unit/stores/test_postgres_restarts.py")


def _tested(*paths: str) -> dict[str, object]:
    """Tests at their full size."""
    environment = {**os.environ, "REMEMBRANCER_SOAK": "1"}
    command = [sys.executable, "-m", "pytest", *paths, "-q", "-m", "", "-o", "timeout=7200"]
    ran = subprocess.run(command, env=environment, check=False)
    return {"exit": ran.returncode, "holds": ran.returncode == 0}


def slow(_: Context) -> dict[str, object]:
    """What the gate leaves out: what kills processes or waits for real time-outs, and behaviour on PostgreSQL."""
    ran = subprocess.run([sys.executable, "-m", "pytest", "-n", "2", "-m", "slow", "-o", "timeout=600"], check=False)
    return {"exit": ran.returncode, "holds": ran.returncode == 0}


def frameworks(_: Context) -> dict[str, object]:
    """Frameworks too heavy for the gate: the program of each, twice, in an environment of its own."""
    lines = {name: _ran_twice(name, extra) for name, extra in HEAVY.items()}
    return {"lines": lines, "holds": all(first != second for first, second in lines.values())}


def _ran_twice(name: str, extra: str) -> list[str]:
    """Return the last line of each run of a program of the docs, in two processes."""
    with tempfile.TemporaryDirectory() as folder:
        python = f"{folder}/venv/bin/python"
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"{Path.cwd()}[static,{extra}]"], check=True)
        command = [python, str(Path("docs_src", f"{name}.py").resolve())]
        runs = [subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True) for _ in range(2)]
    return [ran.stdout.splitlines()[-1] for ran in runs]


def journeys(_: Context) -> dict[str, object]:
    """Every journey through the console, on both stores, in a real browser; axe-core, weights and hostile texts."""
    command = [sys.executable, "-m", "pytest", "tests/surfaces/web", "-m", "", "-rA", "-o", "timeout=600"]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    lines = [line.split(" ", 2)[:2] for line in ran.stdout.splitlines() if line.startswith(("PASSED ", "FAILED "))]
    found = {name.rpartition("::")[2]: result.lower() for result, name in lines}
    return {"results": found, "holds": ran.returncode == 0}


def console(_: Context) -> dict[str, object]:
    """The pages of the console at 1,000, 100,000 and 1,000,000 memories."""
    pages = _told("bench.console", "--json", "--n", "1000", "100000", "1000000")
    return {"pages": pages}


def scale(_: Context) -> dict[str, object]:
    """What operations cost in stores of ten thousand to a million memories; begun again, it goes on."""
    lines: list[str] = []
    for store, shape, tenants in product(("sqlite", "postgres"), ("one", "many"), (1, 100)):
        if shape == "many" or tenants == 1:
            chosen = ("--store", store, "--shape", shape, "--tenants", str(tenants), "--keep", str(CACHE / "scale"))
            chosen += ("--index-last",) if store == "postgres" else ()
            lines += [f"{store} {shape} {tenants}", *_lines("bench.scale", *chosen)]
    return {"lines": lines}


def replicas(_: Context) -> dict[str, object]:
    """10,000 saves, each followed by a recall at once, with a replica 0, 20 and 200 ms behind."""
    lines = [*_lines("bench.replicas"), *_lines("bench.replicas", "--others")]
    found = [json.loads(line) for line in lines]
    return {"lines": found, "holds": all(line["found"] == line["saves"] for line in found)}


def failover(_: Context) -> dict[str, object]:
    """A primary killed 50 times under load, and its synchronous replica promoted: nothing acknowledged is lost."""
    found = json.loads(_lines("bench.failover")[-1])
    is_told = set(found["answers"]) <= {"201", "503 with Retry-After"}
    return {**found, "holds": found["lost"] == 0 and is_told}


def graph(context: Context) -> dict[str, object]:
    """Recall with and without links, names of one entity, the times of each query, a rebuild killed ten times."""
    sizes = ("--memories", "10000,100000")
    lines = [
        *_lines("bench.linking", str(_dev(context)), "--sets", "hotpotqa,musique,2wiki"),
        *_lines("bench.linking", str(_dev(context)), "--sets", "locomo,longmemeval", "--embedder", context.embedder),
        *_lines("bench.naming"),
        *_lines("bench.graph", *sizes),
        *_lines("bench.graph", *sizes, "--store", "postgres"),
        *_lines("bench.backfill"),
    ]
    return {"lines": lines, "holds": not any("equal: False" in line or "FALSE" in line for line in lines)}


def packages(_: Context) -> dict[str, object]:
    """The wheel and the source archive, installed by pip, pipx and uv; a program that remembers."""
    return _ran("bench.packages")


def javascript(_: Context) -> dict[str, object]:
    """The session and the middleware for JavaScript in the packages of npm, twice each."""
    return _ran("bench.javascript")


def _ran(module: str) -> dict[str, object]:
    ran = subprocess.run([sys.executable, "-m", module], check=False)
    return {"exit": ran.returncode, "holds": ran.returncode == 0}


def hooks(_: Context) -> dict[str, object]:
    """200 prompts of a coding agent, and prompts against a database that cannot be used: none fails."""
    stores = ((), *(("--store", store) for store in ("missing", "locked", "read-only", "broken")))
    found = [_told("bench.hooks", *arguments) for arguments in stores]
    return {"runs": found, "holds": not any(one["failures"] for one in found)}


def sync(_: Context) -> dict[str, object]:
    """1,000 changes on each of two machines, exchanged through a folder and killed at ten points: the same memories."""
    found = _told("bench.syncing")
    return {**found, "holds": found["alike"]}


def isolation(_: Context) -> dict[str, object]:
    """100,000 random calls of 36 callers over REST and MCP, judged by the file: nothing of another."""
    return _tested("tests/surfaces/rest/test_isolation.py")


def document(_: Context) -> dict[str, object]:
    """A hundred requests for each route, made of the OpenAPI document: none fails, none is answered otherwise."""
    return _tested("tests/surfaces/rest/test_document.py")


def doors(_: Context) -> dict[str, object]:
    """What the tests of behaviour ask of a memory, asked of a service of it, by the same assertions."""
    files = [
        *("recording", "recall", "facts", "feedback", "sessions", "time", "scopes", "episodes", "saving_again"),
        *("looking_back", "upkeep", "reading", "rejections", "personal_data", "recollections", "asking", "executing"),
        *("untrusted_words", "observing"),
    ]
    command = [sys.executable, "-m", "pytest", *(f"tests/behaviour/test_{file}.py" for file in files), "-q"]
    ran = subprocess.run(command, env={**os.environ, "REMEMBRANCER_DOOR": "rest"}, check=False)
    return {"exit": ran.returncode, "holds": ran.returncode == 0}


def caches(_: Context) -> dict[str, object]:
    """Contexts with and without a cache after each of 400 random writes, on both stores and with either cache."""
    return _tested("tests/behaviour/test_cached_contexts.py")


def service(_: Context) -> dict[str, object]:
    """200 callers for 60 s on PostgreSQL, and again with the service killed: nothing lost, nothing doubled."""
    found = [_told("bench.serving", "--json"), _told("bench.serving", "--json", "--kill")]
    return {"load": found, "holds": all(not one["lost"] and not one["doubled"] for one in found)}


def speed(context: Context) -> dict[str, object]:
    """Recall at 1,000, 10,000 and 100,000, in one scope and over 1,000."""
    chats = [] if context.shared is None else ["--chats", str(_dev(context) / "realmem")]
    return _told("bench.speed", "--json", *chats)


def workers(_: Context) -> dict[str, object]:
    """Four workers and two writers on PostgreSQL for a minute, a worker killed every few seconds."""
    return _told("bench.workers", "--json")


def speed_postgres(context: Context) -> dict[str, object]:
    """As `speed`, on PostgreSQL: 100,000 in one scope, and over 1,000 tenants."""
    chats = [] if context.shared is None else ["--chats", str(_dev(context) / "realmem")]
    return _told("bench.speed", "--json", "--store", "postgres", "--n", "100000", *chats)


def retrieval_postgres(context: Context) -> dict[str, object]:
    """The default profile on PostgreSQL against SQLite: within 1 point on every set."""
    report: dict[str, object] = {}
    differences: list[float] = []
    for name in context.sets:
        dialogues = load(name, _dev(context) / SETS[name])
        if context.only:
            dialogues = [found for found in dialogues if found.name.endswith(tuple(context.only.split(",")))]
        embedder = embedder_named(context.embedder)
        with places("postgres") as stores:
            served = _measured(dialogues, embedder, stores=stores)
        embedded = _measured(dialogues, embedder)
        difference = _difference(served, embedded)
        report[name] = {
            "postgres": _figures(served),
            "sqlite": _figures(embedded),
            "postgres minus sqlite": difference,
        }
        differences.append(abs(float(str(difference["points"]))))
        print(name, json.dumps(report[name]), file=sys.stderr)
    return {**report, "holds": max(differences) <= 1}


def faults(_: Context) -> dict[str, object]:
    """Observing, giving way and reflecting, broken off, killed or cancelled at every step: nothing is lost."""
    return _tested(*FAULTS)


def replay(context: Context) -> dict[str, object]:
    """Every dialogue turn by turn, both stores, by default and at 2,000 and 3,000 tokens: nothing lost or doubled."""
    found: dict[str, dict[str, object]] = json.loads(REPLAYED.read_text()) if REPLAYED.exists() else {}
    for name, store, (observe, reflect) in product(context.sets, ("sqlite", "postgres"), THRESHOLDS):
        with places(store) as stores:
            for dialogue in _chosen(name, context):
                key = f"{store} {observe}/{reflect} {dialogue.name}"
                if key in found:
                    continue
                found[key] = asdict(anyio.run(_replayed, dialogue, next(stores), observe, reflect))
                print(key, json.dumps(found[key]), file=sys.stderr, flush=True)
                REPLAYED.parent.mkdir(parents=True, exist_ok=True)
                REPLAYED.write_text(json.dumps(found, indent=1))
    small = [one for key, one in found.items() if f" {THRESHOLDS[-1][0]}/" in key]
    few = [one["name"] for one in small if int(str(one["activations"])) < 5 or int(str(one["reflections"])) < 1]
    faulty = [key for key, one in found.items() if one["faults"]]
    REPLAYED.unlink(missing_ok=True)
    totals = {count: sum(int(str(one[count])) for one in found.values()) for count in COUNTS}
    return {"dialogues": len(found), **totals, "faulty": faulty, "few_activations": few, "holds": not faulty}


async def _replayed(dialogue: Dialogue, place: Place, observe: int, reflect: int) -> Outcome:
    return await replayed(dialogue.name, dialogue.turns, place, observe_tokens=observe, reflect_tokens=reflect)


def cache(context: Context) -> dict[str, object]:
    """What the longest dialogues cost with memory, against their full history and a sliding window."""
    found = {
        name: _told("bench.cache", name, str(_dev(context) / SETS[name]), "--json")
        for name in ("realmem", "beam", "locomo")
        if name in context.sets
    }
    return {**found, "holds": all(report["holds"] is True for report in found.values())}


def year(_: Context) -> dict[str, object]:
    """A year of 50 users, night after night, on both stores: nothing is gone, all counts are true, all comes back."""
    # Run as root, the server is another user's, who may see no home.
    file, folder = CACHE / "year.db", Path(tempfile.gettempdir()) / "remembrancer-year"
    found = {
        "sqlite": _told("bench.year", "--json", "--at", str(file)),
        "postgres": _told("bench.year", "--json", "--store", "postgres", "--at", str(folder)),
    }
    file.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return {**found, "holds": all(report["holds"] is True for report in found.values())}


def mail_world(_: Context) -> dict[str, object]:
    """90 days of an agent for mail, by 40 seeds: every night does every step, and nothing is wrong at the end."""
    return _told("bench.mail_world", "--json")


def nightly(_: Context) -> dict[str, object]:
    """Nights over 10,000, 100,000 and 1,000,000 episodes: their time, their memory, and a reader beside them."""
    found = _told("bench.nightly", "--json", "--n", "10000", "100000", "1000000")
    return {"sizes": found}


def learning(_: Context) -> dict[str, object]:
    """Planted habits that nobody has looked at, and a million episodes of noise."""
    return _told("bench.learning", "--json", "--seeds", "1000:1020", "--noise-episodes", "1000000")


def secrets(_: Context) -> dict[str, object]:
    """Secrets and what looks like one, orders to an agent and harmless words: what is found, at what cost."""
    return _told("bench.secrets", "--json")


def answering(_: Context) -> dict[str, object]:
    """400 walks on a file and 100 on a server through all that answers for memory, among all else that is done."""
    return _tested("tests/stateful/test_answering_for_it.py")


def erasing(_: Context) -> dict[str, object]:
    """One of twenty erased from 200,000 rows: searched byte for byte, killed thirty times; a file and a server."""
    found = {kind: _told("bench.erasing", "--json", "--store", kind) for kind in ("file", "server")}
    beside = _told("bench.erasing", "--json", "--beside")
    whole = all(not one["left"] and one["killed"] == one["killed and whole"] for one in found.values())
    gone = not beside["in Redis after"] and beside["points of what is gone"] == 0
    return {**found, "beside": beside, "holds": whole and gone}


def archiving(_: Context) -> dict[str, object]:
    """An archive of 1 GB made, checked and taken in, under 150 MiB."""
    found = _told("bench.archiving", "--json")
    peaks = [cast(dict[str, float], found[name])["peak_mib"] for name in ("make", "check", "take", "again")]
    return {**found, "holds": max(peaks) < 150}


def auditing(_: Context) -> dict[str, object]:
    """What the audit log costs on recording and on recall, in pairs."""
    return _told("bench.auditing", "--json")


def personal(context: Context) -> dict[str, object]:
    """Personal data on sentences that others wrote and on generated ones, names of persons and places with them."""
    sentences = str(_dev(context) / "pii" / "sentences.json")
    return _told("bench.personal", "--json", "--names", "--sentences", sentences)


def fuzz(_: Context) -> dict[str, object]:
    """4,000 random command lines: each ends within ten seconds, with a code of the table, and without a traceback."""
    return _told("bench.fuzz", "--json")


def _chosen(name: str, context: Context) -> list[Dialogue]:
    """The dialogues of a set, or those that were asked for."""
    dialogues = load(name, _dev(context) / SETS[name])
    return [found for found in dialogues if found.name.endswith(tuple(context.only.split(",")))]


def _lines(module: str, *arguments: str) -> list[str]:
    """What a bench prints."""
    ran = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return ran.stdout.splitlines()


def _told(module: str, *arguments: str) -> dict[str, object]:
    """What a bench prints with `--json`."""
    ran = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(ran.stdout)


STEPS: dict[str, tuple[Callable[[Context], dict[str, object]], bool]] = {
    "import-twice": (import_twice, True),
    "import-killed": (import_killed, True),
    "imports": (imports, False),
    "abstention": (abstention, True),
    "retrieval": (retrieval, True),
    "machine": (machine, False),
    "blocks": (blocks, False),
    "damage": (damage, False),
    "frameworks": (frameworks, False),
    "javascript": (javascript, False),
    "journeys": (journeys, False),
    "console": (console, False),
    "graph": (graph, True),
    "scale": (scale, False),
    "replicas": (replicas, False),
    "failover": (failover, False),
    "packages": (packages, False),
    "hooks": (hooks, False),
    "sync": (sync, False),
    "slow": (slow, False),
    "isolation": (isolation, False),
    "document": (document, False),
    "doors": (doors, False),
    "caches": (caches, False),
    "service": (service, False),
    "speed": (speed, False),
    "restarts": (restarts, False),
    "workers": (workers, False),
    "retrieval-postgres": (retrieval_postgres, True),
    "speed-postgres": (speed_postgres, False),
    "faults": (faults, False),
    "interleavings": (interleavings, False),
    "rejections": (rejections, False),
    "replay": (replay, True),
    "cache": (cache, True),
    "year": (year, False),
    "mail-world": (mail_world, False),
    "nightly": (nightly, False),
    "learning": (learning, False),
    "secrets": (secrets, False),
    "fuzz": (fuzz, False),
    "answering": (answering, False),
    "erasing": (erasing, False),
    "archiving": (archiving, False),
    "auditing": (auditing, False),
    "personal": (personal, True),
}


def _dev(context: Context) -> Path:
    assert context.shared is not None
    return context.shared / "data" / "dev"


def _chats(context: Context, folder: Path) -> list[Path]:
    """The dialogues of the sets as chats that the product imports, and the trajectories as they are."""
    for name, place in SETS.items():
        write_chats(name, _dev(context) / place, folder / "chats")
    return [folder / "chats", _dev(context) / "tau-bench"]


def _command(path: Path, sources: Sequence[Path]) -> list[str]:
    where = ["--db", str(path), "--embedder", "none", "--json"]
    return [sys.executable, "-m", "remembrancer", "import", *map(str, sources), *where]


def _one_key() -> dict[str, str]:
    """The environment, with one key for all stores: what is imported has ids that only a store of that key makes."""
    return {**os.environ, "REMEMBRANCER_SECRET_KEY": SECRET}


def _import(path: Path, sources: Sequence[Path]) -> dict[str, object]:
    ran = subprocess.run(_command(path, sources), capture_output=True, text=True, check=False, env=_one_key())
    report = json.loads(ran.stdout)
    return {
        name: report[name] if name != "skipped" else len(report[name]) for name in ("created", "deduped", "skipped")
    }


def _rows(path: Path, table: str, columns: str) -> list[tuple[object, ...]]:
    connection = SQLiteConnection(str(path), read_only=True)
    try:
        return sorted(connection.rows(cast(LiteralString, f"SELECT {columns} FROM {table}")), key=repr)
    finally:
        connection.close()


def _figures(results: Sequence[Result]) -> dict[str, object]:
    told = summary(results)
    return {
        name: told[name] for name in ("n", "any@5", "any@10", "any@20", "all@10", "MRR", "abstained", "any@10_interval")
    }


def _difference(one: Sequence[Result], other: Sequence[Result]) -> dict[str, object]:
    """The difference in any@10 between two runs over the same questions, with its interval over dialogues."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for mine, theirs in zip(one, other, strict=True):
        groups[mine.cluster].append(int(mine.any(10)) - int(theirs.any(10)))
    sums = np.array([sum(group) for group in groups.values()])
    sizes = np.array([len(group) for group in groups.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    low, high = np.percentile(100 * sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [2.5, 97.5])
    return {"points": round(100 * float(sums.sum() / sizes.sum()), 1), "interval": [round(low, 1), round(high, 1)]}


def _share(values: Sequence[bool]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def main() -> int:
    """Run what is left to run; 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description="The full sizes, resumable.")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--only", nargs="+", choices=sorted(STEPS), default=list(STEPS))
    parser.add_argument("--sets", nargs="+", choices=sorted(SETS), default=list(SETS))
    parser.add_argument("--dialogues", default="", help="only dialogues whose name ends in one of these, by comma")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--again", action="store_true", help="also what is done already")
    arguments = parser.parse_args()
    shared = arguments.shared if (arguments.shared / "data" / "dev").is_dir() else None
    context = Context(shared=shared, sets=tuple(arguments.sets), embedder=arguments.embedder, only=arguments.dialogues)
    done: dict[str, dict[str, object]] = json.loads(STATE.read_text()) if STATE.exists() and not arguments.again else {}
    for number, name in enumerate(arguments.only, 1):
        step, needs_data = STEPS[name]
        if needs_data and shared is None:
            print(f"{name}: left out, no data under {arguments.shared}")
            continue
        if name not in done:
            print(f"[{number}/{len(arguments.only)}] {name}: {step.__doc__}", file=sys.stderr)
            done[name] = step(context)
            STATE.parent.mkdir(parents=True, exist_ok=True)
            STATE.write_text(json.dumps(done, indent=1))
        print(f"{name}: {json.dumps(done[name])}")
    return int(any(report.get("holds") is False for report in done.values()))


if __name__ == "__main__":
    sys.exit(main())
