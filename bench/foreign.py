"""Files of other programs: what an import reads of each, what it stores, and what it leaves out, by kind.

    python -m bench.foreign FOLDER [--forms NAME ...]

FOLDER has a folder for each form, with files that others made; it is not part of this project. Each file is imported
into a store of its own, twice: the second import must store nothing. A third of each file is imported alone, as a file
that was cut off, and it must be read as far as it goes, or be refused with words that say why.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from remembrancer import SyncMemory
from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.open import foreign_database


def main() -> None:
    """Print a line for each file, and one for each form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--forms", nargs="*")
    options = parser.parse_args()
    print("| form | files | imported | messages | memories | again | left out, by kind | refused |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        if not options.forms or folder.name in options.forms:
            print(_row(folder), flush=True)


def _row(folder: Path) -> str:
    total, kinds, refused, files, imported = Counter[str](), Counter[str](), list[str](), 0, 0
    for name, members in _files(folder):
        files += 1
        try:
            counts, gaps = _import(members)
        except (InvalidInput, OSError) as error:
            refused.append(f"{name}: {error}"[:120])
            continue
        imported += 1
        total += counts
        kinds += gaps
        _cut(members)
    left = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(8))
    return (
        f"| {folder.name} | {files} | {imported} | {total['messages']} | {total['memories']} | {total['again']}"
        f" | {left} | {'; '.join(refused[:4])}{' …' if len(refused) > 4 else ''} |"
    )


def _files(folder: Path) -> Iterator[tuple[str, list[ChatFile]]]:
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        try:
            file = foreign_database(str(path)) or ChatFile.at(path, base=folder)
            yield path.name, file.members() if file.is_packed() else [file]
        except InvalidInput as error:
            yield f"{path.name} ({error})", []


def _import(files: list[ChatFile]) -> tuple[Counter[str], Counter[str]]:
    if not files:
        raise InvalidInput("not opened")
    counts, gaps = Counter[str](), Counter[str]()
    with (
        tempfile.TemporaryDirectory() as folder,
        SyncMemory(Path(folder) / "m.db", embedder="none", background=False) as memory,
    ):
        for round in (1, 2):
            for file in files:
                found = memory.messages.import_file(file, skip_bad=True)
                memories = sum(count for kind, count in found.kinds.items() if kind != "message")
                if round == 1:
                    counts["memories"] += memories
                    counts["messages"] += found.created - memories
                    for one in found.unread:
                        gaps[f"{one.gap}" + (f" {one.example[:24]}" if one.gap == "no-message" else "")] += one.count
                    gaps["bad entry"] += len(found.left_out)
                else:
                    counts["again"] += found.created
    return counts, gaps


def _cut(files: list[ChatFile]) -> None:
    """Import the first third of a file; anything but a result or a clear refusal is a fault."""
    from io import BytesIO

    for file in files[:1]:
        with file.open() as stream:
            content = stream.read()
        part = ChatFile.of(BytesIO(content[: len(content) // 3]), name=file.name)
        with (
            tempfile.TemporaryDirectory() as folder,
            SyncMemory(Path(folder) / "m.db", embedder="none", background=False) as memory,
        ):
            try:
                memory.messages.import_file(part, skip_bad=True)
            except InvalidInput:
                continue


if __name__ == "__main__":
    main()
