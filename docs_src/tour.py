"""What `make run` shows: a conversation is imported, asked, explained, corrected, and seen as it was before."""

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
    say("A conversation of an agent with its user is imported. No key, no server, no network.")
    run("import", str(HERE / "sample.jsonl"), "--vectors")
    say("It is asked. Each hit shows what speaks for it.")
    run("recall", "Who decides on discounts at the wetsuit workshop?", "--limit", "3", "--factors")
    run("recall", "What went wrong in April 2026?", "--limit", "3", "--factors")
    say("What nobody said is not made up.")
    run("recall", "Which violin concerto did the plumber rehearse?")
    say("The agent keeps a claim with its evidence, and changes it later; the earlier wording stays.")
    evidence = hits("Where are the wetsuits of order TW-118 delivered?")[0]["id"]
    first = saved("Order TW-118 goes to Oban", evidence)
    run("save", "Order TW-118 goes to Tobermory", "--type", "decision", "--topic-key", "order/tw-118")
    run("get", first["id"], "--as-of", first["updated_at"])
    run("timeline", "diff", first["updated_at"], "2100-01-01")
    say("A conversation stays within its window: the oldest messages give way to notes, here past 300 tokens.")
    converse()
    say("Why was something found, or not found?")
    run("explain", "When is Beatriz away?", evidence)
    run("admin", "stats")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    say(f"Peak memory of a command: {peak:.0f} MiB. The database is sample/memory.db. Try next:")
    for command in ('recall "Which day does Mira want her report?"', "timeline between --since 2026-04-01", "--help"):
        print(f"  .venv/bin/remembrancer {command}" + ("" if command == "--help" else " --db sample/memory.db"))


def converse() -> None:
    """Say all of the sample in one conversation, and show what an agent reads early and late in it."""
    said = [json.loads(line) for line in (HERE / "sample.jsonl").read_text(encoding="utf-8").splitlines()]
    with SyncMemory(":memory:", embedder="none", observe_tokens=300, background=False) as memory:
        talk = memory.conversation("tidewater")
        for number, turn in enumerate(said, 1):
            when = datetime.fromisoformat(turn["timestamp"])
            talk.add(turn["content"], role=turn["role"], speaker=turn["speaker"], occurred_at=when)
            if number in (EARLY, len(said)):
                print(
                    f"What the agent reads after message {number}:\n\n{talk.context(ContextRequest(recall=False)).text}"
                )
        found = talk.stats()
        print(f"{found.covered} tokens are told in {found.noted}, {found.raw} stay as they were said.")


def say(text: str) -> None:
    """A heading between commands."""
    print(f"\n## {text}\n", flush=True)


def run(*arguments: str) -> None:
    """Show a command and what it prints."""
    shown = " ".join(f'"{part}"' if " " in part else part for part in arguments)
    print(f"$ remembrancer {shown.replace(str(HERE.parent) + '/', '')}", flush=True)
    subprocess.run(command(*arguments), check=True)
    print(flush=True)


def hits(question: str) -> list[dict[str, str]]:
    """The hits of a question, as JSON."""
    answer = subprocess.run(command("recall", question, "--json"), check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)["hits"]


def saved(text: str, evidence: str) -> dict[str, str]:
    """Save a claim; what the command answered."""
    arguments = ("save", text, "--type", "decision", "--topic-key", "order/tw-118", "--evidence", evidence)
    run_and_show = subprocess.run(command(*arguments, "--json"), check=True, capture_output=True, text=True)
    print(f'$ remembrancer save "{text}" --type decision --topic-key order/tw-118 --evidence {evidence}\n')
    return json.loads(run_and_show.stdout)


def command(*arguments: str) -> list[str]:
    """The command line of the installed program, on the sample's database."""
    return [sys.executable, "-m", "remembrancer", *arguments, "--db", str(DATABASE)]


if __name__ == "__main__":
    main()
