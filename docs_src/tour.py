"""The demonstration of `make run`: a conversation is imported, recalled, explained, corrected and read as of a time."""

import json
import resource
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from remembrancer import ContextRequest, SyncMemory

HERE = Path(__file__).parent
FOLDER = HERE.parent / "sample"
DATABASE = FOLDER / "memory.db"
EARLY = 5


def main() -> None:
    """Run the tour on a fresh database in `sample/`."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    heading("A conversation of an agent with its user is imported. No key, no server, no network.")
    run("import", str(HERE / "sample.jsonl"), "--vectors")
    heading("Questions are recalled. Each hit shows its factors.")
    run("recall", "Who decides on discounts at the wetsuit workshop?", "--limit", "3", "--factors")
    run("recall", "What went wrong in April 2026?", "--limit", "3", "--factors")
    heading("A question without an answer in memory has no hits.")
    run("recall", "Which violin concerto did the plumber rehearse?")
    heading("The agent saves a claim with its evidence, and changes it later; the earlier wording is kept.")
    evidence = hits("Where are the wetsuits of order TW-118 delivered?")[0]["id"]
    first = saved("Order TW-118 goes to Oban", evidence)
    run("save", "Order TW-118 goes to Tobermory", "--type", "decision", "--topic-key", "order/tw-118")
    run("get", first["id"], "--as-of", first["updated_at"])
    run("timeline", "diff", first["updated_at"], "2100-01-01")
    heading("A conversation fits its window: notes replace the oldest messages, here beyond 300 tokens.")
    converse()
    heading("Why was something found, or not found?")
    run("explain", "When is Beatriz away?", evidence)
    run("admin", "stats")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    heading(f"Peak memory of a command: {peak:.0f} MiB. The database is sample/memory.db. Try next:")
    for command in ('recall "Which day does Mira want her report?"', "timeline between --since 2026-04-01", "--help"):
        print(f"  .venv/bin/remembrancer {command}" + ("" if command == "--help" else " --db sample/memory.db"))


def converse() -> None:
    """Add the whole sample to one conversation, and print the context of an agent early and late in it."""
    turns = [json.loads(line) for line in (HERE / "sample.jsonl").read_text(encoding="utf-8").splitlines()]
    with SyncMemory(":memory:", embedder="none", observe_tokens=300, background=False) as memory:
        conversation = memory.conversation("tidewater")
        for number, turn in enumerate(turns, 1):
            when = datetime.fromisoformat(turn["timestamp"])
            conversation.add(turn["content"], role=turn["role"], speaker=turn["speaker"], occurred_at=when)
            if number in (EARLY, len(turns)):
                print(
                    f"The context after message {number}:\n\n{conversation.context(ContextRequest(recall=False)).text}"
                )
        stats = conversation.stats()
        print(f"{stats.covered} tokens are in {stats.noted} tokens of notes; {stats.raw} are verbatim.")


def heading(text: str) -> None:
    """Print a heading between commands."""
    print(f"\n## {text}\n", flush=True)


def run(*arguments: str) -> None:
    """Print a command and its output."""
    shown = " ".join(f'"{part}"' if " " in part else part for part in arguments)
    print(f"$ remembrancer {shown.replace(str(HERE.parent) + '/', '')}", flush=True)
    subprocess.run(command(*arguments), check=True)
    print(flush=True)


def hits(question: str) -> list[dict[str, str]]:
    """Return the hits of a question, as JSON."""
    answer = subprocess.run(command("recall", question, "--json"), check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)["hits"]


def saved(text: str, evidence: str) -> dict[str, str]:
    """Save a claim, and return the result of the command."""
    arguments = ("save", text, "--type", "decision", "--topic-key", "order/tw-118", "--evidence", evidence)
    run_and_show = subprocess.run(command(*arguments, "--json"), check=True, capture_output=True, text=True)
    print(f'$ remembrancer save "{text}" --type decision --topic-key order/tw-118 --evidence {evidence}\n')
    return json.loads(run_and_show.stdout)


def command(*arguments: str) -> list[str]:
    """Return the command line of the installed program, with the database of the sample."""
    return [sys.executable, "-m", "remembrancer", *arguments, "--db", str(DATABASE)]


if __name__ == "__main__":
    main()
