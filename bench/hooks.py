"""A session of Claude Code, as its hooks meet it: the cost of each event, failures, and what the store has after.

    python -m bench.hooks [--prompts 200] [--store missing|locked|read-only|broken] [--json]

The events are JSON on standard input, and the log of the session grows as Claude Code writes it. Each hook runs twice
at some events, as it does where it is installed twice. `--store` runs ten prompts against such a store.
"""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from remembrancer import Filter, Message, Scope, SyncMemory
from remembrancer.cli.project import project_of

_COMMAND = [sys.executable, "-m", "remembrancer", "hook", "claude-code"]
# What lets root write to everything is given up.
_AS_ANYONE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
_SAVED = "For packages I prefer pnpm over npm."
_SECRET = "ghp_" + "R4nd0mT0kenR4nd0mT0kenR4nd0mT0ken99"
_TOPICS = (
    "Install the packages of the web client with npm.",
    "Why does the login test fail on the second run?",
    "Add a retry with backoff to the uploader.",
    "Rename the table of orders, and write the migration.",
    "Which port does the staging database listen at?",
)
_RECORDING_SECONDS = 300


@dataclass(kw_only=True)
class Session:
    """A session of Claude Code, with the log that it writes."""

    db: Path
    repository: Path
    log: Path
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    parent: str | None = None
    at: float = 1_760_000_000.0
    costs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    as_anyone: bool = False

    def write(self, kind: str, **fields: Any) -> None:
        """Append a line to the log."""
        self.at += 7
        line: dict[str, Any] = {
            "type": kind,
            "uuid": str(uuid.uuid4()),
            "parentUuid": self.parent,
            "sessionId": self.id,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.at)),
            "cwd": str(self.repository),
            "gitBranch": "main",
            "version": "2.1.332",
            "userType": "external",
            "isSidechain": False,
            **fields,
        }
        self.parent = line["uuid"]
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def turn(self, number: int, prompt: str) -> None:
        """Write a turn: a prompt, a call of a tool with its result, and an answer of two lines."""
        message = f"msg_{number}"
        self.write("user", message={"role": "user", "content": prompt})
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "Bash",
            "input": {"command": f"make step-{number}"},
        }
        self.write("assistant", message={"id": message, "role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"step {number}: ok"}
        self.write("user", message={"role": "user", "content": [result]}, toolUseResult={"stdout": "ok"})
        text = {"type": "text", "text": f"Step {number} is done: {prompt.lower()}"}
        self.write("assistant", message={"id": message, "role": "assistant", "content": [text]})
        self.write("system", subtype="turn_duration", durationMs=4_200)

    def hook(self, event: str, **fields: Any) -> str:
        """Run the hook of an event; return what it prints."""
        given = {
            "session_id": self.id,
            "transcript_path": str(self.log),
            "cwd": str(self.repository),
            "hook_event_name": event,
            "permission_mode": "default",
            **fields,
        }
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [*(_AS_ANYONE if self.as_anyone else []), *_COMMAND, "--db", str(self.db)],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.costs.setdefault(event, []).append((processor, wall))
        if done.returncode:
            self.failures.append(f"{event}: exit code {done.returncode}: {done.stderr.strip()[:200]}")
        if done.stdout.strip():
            # A bare object of another form would inject nothing.
            found = json.loads(done.stdout)["hookSpecificOutput"]
            self.answers[f"{found['hookEventName']} with memories"] += 1

        return done.stdout


def session_of(folder: Path, db: Path) -> Session:
    """Return a new session in a repository."""
    repository = folder / "apollo"
    (repository / ".git").mkdir(parents=True, exist_ok=True)
    return Session(db=db, repository=repository, log=folder / f"{uuid.uuid4()}.jsonl")


def run(prompts: int, folder: Path) -> dict[str, Any]:
    """Run a whole session; return its costs, and what the store has after it."""
    db = folder / "data" / "memory.db"
    session = session_of(folder, db)
    session.hook("SessionStart", source="startup", model="claude-opus-5")
    session.turn(0, _SAVED)
    session.hook("Stop", stop_hook_active=False)
    for number in range(1, prompts + 1):
        prompt = f"{_TOPICS[number % len(_TOPICS)]} ({number})"
        if number == prompts // 2:
            prompt += f" The token is {_SECRET}."
        session.hook("UserPromptSubmit", prompt=prompt)
        session.turn(number, prompt)
        for _ in range(1 + (number % 10 == 0)):
            session.hook("Stop", stop_hook_active=False, last_assistant_message=f"Step {number} is done")
        if number % 80 == 0:
            session.hook("PreCompact", trigger="auto", custom_instructions=None)
            session.write("system", subtype="compact_boundary", parentUuid=None, compactMetadata={"trigger": "auto"})
            summary = {"role": "user", "content": f"This session goes on. Summary of {number} steps: …"}
            session.write("user", isCompactSummary=True, isVisibleInTranscriptOnly=True, message=summary)
            session.hook("SessionStart", source="compact")
    for _ in range(2):
        session.hook("SessionEnd", reason="prompt_input_exit")
    waited = _wait_for_spool(db)
    return {**_report(session), "seconds until all was recorded": round(waited, 1), "store": _contents(db, session)}


def run_against(store: str, folder: Path) -> dict[str, Any]:
    """Run ten prompts against a store that cannot be used."""
    with ExitStack() as stack:
        db = folder / "data" / "memory.db"
        db.parent.mkdir(parents=True)
        session = session_of(folder, db)
        if store != "missing":
            with SyncMemory(db, embedder="none") as memory:
                memory.save(_SAVED, type="preference")
        if store == "broken":
            db.write_bytes(b"no database" * 1_000)
        if store == "locked":
            stack.enter_context(_locked(db))
        if store == "read-only":
            session.as_anyone = os.geteuid() == 0
            for path in (db, *db.parent.glob("memory.db*")):
                path.chmod(0o444)
            db.parent.chmod(0o555)
        session.hook("SessionStart", source="startup")
        for number in range(10):
            session.hook("UserPromptSubmit", prompt=f"{_TOPICS[0]} ({number})")
            session.turn(number, _TOPICS[0])
            session.hook("Stop", stop_hook_active=False)
        session.hook("SessionEnd", reason="other")
        return _report(session)


def end_helpers(place: Path) -> None:
    """End the helpers of stores in a folder, which hooks have started."""
    for process in psutil.process_iter(["cmdline"]):
        words: list[str] = process.info["cmdline"] or []
        if "hook-helper" in words and words[-1].startswith(str(place)):
            with suppress(psutil.NoSuchProcess):
                process.kill()
                process.wait(5)


@contextmanager
def _locked(db: Path) -> Generator[None]:
    connection = sqlite3.connect(db, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        connection.close()


def _report(session: Session) -> dict[str, Any]:
    def of(values: list[float]) -> dict[str, float]:
        return {f"p{share}": round(float(np.percentile(values, share)), 3) for share in (50, 95)}

    return {
        "events": {
            event: {
                "runs": len(costs),
                "processor": of([processor for processor, _ in costs]),
                "wall": of([wall for _, wall in costs]),
            }
            for event, costs in session.costs.items()
        },
        "failures": len(session.failures),
        "failed": session.failures[:3],
        **session.answers,
    }


def _wait_for_spool(db: Path) -> float:
    started = time.perf_counter()
    while time.perf_counter() - started < _RECORDING_SECONDS:
        if not list(Path(f"{db}.hooks").glob("*.json")):
            break
        time.sleep(0.5)
    return time.perf_counter() - started


def _contents(db: Path, session: Session) -> dict[str, Any]:
    """Return what the store has of a session: roles, doubles, secrets, the state of the session."""
    with SyncMemory(db, embedder="none", background=False) as memory:
        own = memory.within(Scope(project=project_of(session.repository)))
        messages = [one for one in _all(own) if isinstance(one, Message)]
        lines = Counter(line["uuid"] for line in map(json.loads, session.log.read_text("utf-8").splitlines()))
        return {
            "lines of the log": len(lines),
            "messages": dict(Counter(one.role for one in messages)),
            "messages twice": sum(count - 1 for count in Counter((one.role, one.text) for one in messages).values()),
            "secrets": sum(_SECRET in one.text for one in messages),
            "sessions": [(one.id.split("/")[0], str(one.status)) for one in own.sessions.list()],
            "in another project": len(_all(memory.within(Scope(project="other")))),
        }


def _all(memory: Any) -> list[Any]:
    found, cursor = [], None
    while True:
        page = memory.list(Filter(), limit=100, cursor=cursor)
        found += page.records
        cursor = page.cursor
        if cursor is None:
            return found


def main() -> None:
    """Run a session, or ten prompts against a store that cannot be used, and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--store", choices=("missing", "locked", "read-only", "broken"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        try:
            found = run_against(options.store, place) if options.store else run(options.prompts, place)
        finally:
            # The helpers that the hooks have started; they would end by themselves.
            end_helpers(place)
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
