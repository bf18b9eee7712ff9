"""Write a made-up year down, one JSON object a line, so that a product can be fed with it."""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from bench.behaviour.year import Planned, episodes

TOLD_EVERY = 10_000


def write_year(file: Path, planned: Iterable[Planned]) -> int:
    """Write what happens, oldest first; answer how much it was."""
    count = 0
    with file.open("w", encoding="utf-8") as lines:
        for count, one in enumerate(planned, start=1):
            lines.write(json.dumps(asdict(one) | {"at": one.at.isoformat()}, ensure_ascii=False))
            lines.write("\n")
            if count % TOLD_EVERY == 0:
                print(f"{count} until {one.at.date()}", file=sys.stderr)
    return count


def main() -> int:
    """Write and say how much."""
    parser = argparse.ArgumentParser(prog="python -m bench.behaviour", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--days", type=int, default=365)
    arguments = parser.parse_args()
    print(write_year(arguments.write, episodes(arguments.seed, arguments.users, arguments.days)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
