"""Lies caught by their way, and honest notes refused, over a real server on this machine.

python -m bench.fidelity [FOLDER ...]
"""

import sys
from collections import Counter

import anyio

from bench.fidelity.talks import FOLDERS, WAYS, Talk, talks
from bench.fidelity.telling import told


async def _measured(folder: str, found: list[Talk]) -> None:
    caught, lies, reasons = Counter[str](), Counter[str](), Counter[str]()
    for talk in found:
        for noted, reason in zip(talk.notes, await told(talk), strict=True):
            lies[noted.way] += 1
            caught[noted.way] += bool(reason)
            reasons[reason] += bool(noted.way and reason)
            if bool(noted.way) != bool(reason):
                print(f"{folder} {talk.name}: {noted.way or 'honest'}, {reason or 'kept'}: {noted.text}")
    print(f"{folder}: {caught['']} of {lies['']} honest notes refused")
    for way in WAYS:
        print(f"  {way}: {caught[way]} of {lies[way]} caught")
    print(f"  {', '.join(f'{reason}: {count}' for reason, count in reasons.most_common())}")


if __name__ == "__main__":
    for each in sys.argv[1:] or FOLDERS:
        anyio.run(_measured, each, list(talks(each)))
