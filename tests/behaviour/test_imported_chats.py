"""Files of chats, whatever is done to them between imports: every message of every chat once, in its own session."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remembrancer import InvalidInput, Message, Scope, SyncMemory
from remembrancer.ingest import file_import
from remembrancer.ingest.file_import import ImportedFile
from remembrancer.ingest.importers.files import ChatFile

from .requirements import requirement

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
EXAMPLES = 2_000 if SOAK else 4
STEPS = 24 if SOAK else 14
# So few that chats begin alike, and say the same twice.
BEGAN = datetime(2026, 3, 2, 9, 0, 30, tzinfo=UTC)
WORDS = ("Hi", "Hello", "Yes", "No")


class Killed(Exception):
    """An import was broken off."""


@dataclass(frozen=True)
class Line:
    """What somebody said. A minute is said by nobody else, unless it was copied."""

    text: str
    minute: int | None
    tag: str = field(compare=False)


@dataclass(kw_only=True)
class Chat:
    """One chat as it was in all of its states.

    Args:
        own: an id that no other chat has, or none.
        imported: what of it was imported for certain.
        murky: whether it may stand in the store twice, since nothing tells what became of it.
    """

    name: str
    own: str
    timed: bool
    lines: list[Line] = field(default_factory=list[Line])
    states: list[list[Line]] = field(default_factory=list[list[Line]])
    imported: set[str] = field(default_factory=set[str])
    since: set[str] = field(default_factory=set[str])
    edited: bool = False
    murky: bool = False

    def changed(self, what: str) -> None:
        self.states.append(list(self.lines))
        self.since.add(what)
        self.edited = self.edited or what == "edited"
        known = {line.tag for line in self.lines if line.minute is not None} & self.imported
        told_apart = self.own or (known and not {"edited", "moved"} <= self.since)
        if not told_apart and ("edited" in self.since or {"grown", "moved"} <= self.since):
            self.murky = True


@dataclass
class Disk:
    """A folder of files with chats, and all that was ever in them."""

    folder: Path
    chance: Random
    files: dict[str, list[Chat]] = field(default_factory=dict[str, list[Chat]])
    past: list[Chat] = field(default_factory=list[Chat])
    stood: dict[str, list[Chat]] = field(default_factory=dict[str, list[Chat]])
    numbers: Iterator[int] = field(default_factory=count)

    def make(self) -> None:
        name = f"{next(self.numbers)}.jsonl"
        self.files[name] = self._chats()

    def _chats(self) -> list[Chat]:
        made = [self._chat(name) for name in ("a", "b", "c")[: self.chance.choice((1, 1, 2, 3))]]
        self.past += made
        return made

    def _chat(self, name: str) -> Chat:
        own = f"{next(self.numbers):08x}-0000-4000-8000-000000000000" if self.chance.random() < 0.2 else ""
        timed = self.chance.random() < 0.5
        chat = Chat(name=own or name, own=own, timed=timed)
        chat.lines += [self._line(chat) for _ in range(self.chance.randint(1, 5))]
        chat.changed("made")
        return chat

    def _line(self, chat: Chat) -> Line:
        number = next(self.numbers)
        timed = chat.timed and (not chat.lines or self.chance.random() < 0.8)
        return Line(text=self.chance.choice(WORDS), minute=number if timed else None, tag=f"m{number}")

    def append(self) -> None:
        chat = self._one()
        chat.lines += [self._line(chat) for _ in range(self.chance.randint(1, 4))]
        chat.changed("grown")

    def rename(self) -> None:
        old = self.chance.choice(list(self.files))
        self.files[f"{next(self.numbers)}.jsonl"] = moved = self.files.pop(old)
        for chat in moved:
            chat.changed("moved")

    def edit(self) -> None:
        chat = self._one()
        place = self.chance.randrange(len(chat.lines))
        chat.lines[place] = replace(chat.lines[place], text=f"No, {next(self.numbers)}", tag=f"m{next(self.numbers)}")
        chat.changed("edited")

    def rotate(self) -> None:
        name = self.chance.choice(list(self.files))
        kept = self.files[name]
        self.files[f"{next(self.numbers)}.jsonl"] = kept
        for chat in kept:
            chat.changed("moved")
        self.files[name] = self._chats()
        self.stood.setdefault(name, []).extend(kept)
        for old, new in product(self.stood[name], self.files[name]):
            # What begins as that did which once was there cannot be told from it.
            old.murky = old.murky or old.lines[0] == new.lines[0]
            new.murky = new.murky or old.lines[0] == new.lines[0]

    def copy(self) -> None:
        name = self.chance.choice(list(self.files))
        copies = [
            replace(chat, lines=list(chat.lines), states=list(chat.states), since=set(chat.since), imported=set())
            for chat in self.files[name]
        ]
        for chat in (*copies, *self.files[name]):
            chat.murky = True
        self.past += copies
        self.files[f"{next(self.numbers)}.jsonl"] = copies

    def _one(self) -> Chat:
        return self.chance.choice(self.files[self.chance.choice(list(self.files))])

    def write(self) -> list[Path]:
        """The files as they are now, their chats' lines interleaved alike each time."""
        self.folder.mkdir(exist_ok=True)
        for file in self.folder.iterdir():
            file.unlink()
        for name, held in self.files.items():
            turns = sorted((place, number) for number, chat in enumerate(held) for place in range(len(chat.lines)))
            lines = [json.dumps(self._said(held[number], held[number].lines[place])) for place, number in turns]
            (self.folder / name).write_text("\n".join(lines) + "\n")
        found = [self.folder / name for name in self.files]
        self.chance.shuffle(found)
        return found

    @staticmethod
    def _said(chat: Chat, line: Line) -> dict[str, Any]:
        when = None if line.minute is None else (BEGAN + line.minute * timedelta(minutes=1)).isoformat()
        return {"role": "user", "content": line.text, "timestamp": when, "session": chat.name, "id": line.tag}


def imported(memory: SyncMemory, file: Path, *, pieces: int | None = None) -> ImportedFile:
    """A file imported; broken off after so many pieces."""
    left = count() if pieces is None else iter(range(pieces))

    def told(_count: int) -> None:
        if next(left, None) is None:
            raise Killed

    return memory.messages.import_file(ChatFile.at(file), progress=told)


def messages(memory: SyncMemory) -> dict[str, list[Message]]:
    """The messages of each session, in the order of their numbers."""
    found: dict[str, list[Message]] = {}
    cursor: str | None = None
    while True:
        page = memory.list(limit=500, cursor=cursor)
        for record in page.records:
            assert isinstance(record, Message)
            found.setdefault(record.session or "", []).append(record)
        if (cursor := page.cursor) is None:
            return {id: sorted(held, key=lambda message: message.number) for id, held in found.items()}


def check(disk: Disk, memory: SyncMemory) -> None:
    by_tag = {line.tag: line for chat in disk.past for state in chat.states for line in state}
    sessions = {
        id: [by_tag[str(message.metadata["reference"])] for message in held] for id, held in messages(memory).items()
    }
    lineages: dict[object, dict[str, Line]] = {}
    for chat in disk.past:
        # An id that no other chat has makes one of all that have it.
        lineages.setdefault(chat.own or id(chat), {}).update(
            (line.tag, line) for state in chat.states for line in state
        )
    ever = [Counter(lines.values()) for lines in lineages.values()]
    for session, lines in sessions.items():
        assert any(Counter(lines) <= all_of_it for all_of_it in ever), f"session {session} mixes chats"
    tags = Counter(line.tag for lines in sessions.values() for line in lines)
    for chat in (chat for held in disk.files.values() for chat in held):
        homes = [lines for lines in sessions.values() if Counter(chat.lines) <= Counter(lines)]
        assert homes, f"chat {chat.name} is nowhere as a whole"
        if not chat.edited and not chat.murky:
            assert any(_in_order(chat.lines, lines) for lines in homes), f"chat {chat.name} is out of order"
        if not chat.murky:
            assert all(tags[line.tag] <= 1 for line in chat.lines), f"chat {chat.name} is there twice"


def _in_order(lines: Sequence[Line], among: Sequence[Line]) -> bool:
    waiting = iter(among)
    return all(line in waiting for line in lines)


@requirement("imports.once-in-its-own-session")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**9))
def test_whatever_is_done_to_files_every_message_is_imported_once_into_its_own_session(
    where: dict[str, Any], tmp_path: Path, seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, SyncMemory(**where, embedder="none", background=False) as opened:
        patch.setattr(file_import, "BATCH", 3)
        memory = opened.within(Scope(tenant=f"t{seed}"))
        disk = Disk(folder=tmp_path / f"chats {seed}", chance=Random(seed))
        disk.make()
        steps: list[Callable[[], None]] = [
            disk.make, disk.append, disk.append, disk.append, disk.rename, disk.edit, disk.rotate, disk.copy,
        ]  # fmt: skip
        for _ in range(STEPS):
            if disk.chance.random() < 0.3:
                _some_imported(disk, memory)
            else:
                disk.chance.choice(steps)()
        for file in disk.write():
            imported(memory, file)
        check(disk, memory)
        again = [imported(memory, file) for file in disk.write()]
        assert [(done.created, done.differing) for done in again] == [(0, ())] * len(again)


def _some_imported(disk: Disk, memory: SyncMemory) -> None:
    """Import every file, or some of them until it is killed."""
    killed = disk.chance.random() < 0.5
    for file in disk.write():
        with suppress(Killed):
            imported(memory, file, pieces=disk.chance.randint(0, 2) if killed else None)
    if not killed:
        for held in disk.files.values():
            for chat in held:
                chat.since.clear()
                chat.imported |= {line.tag for line in chat.lines}


@requirement("imports.once-in-its-own-session")
def test_two_chats_that_begin_alike_are_two(where: dict[str, Any], tmp_path: Path) -> None:
    said = {"g": ["Hi", "Hello Ana, your balance is 10"], "h": ["Hi", "Hello Bo, your balance is 99", "Transfer it"]}
    for name, lines in said.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.jsonl").write_text(
            "\n".join(json.dumps({"role": "user", "content": line}) for line in lines)
        )
    with SyncMemory(**where, embedder="none", background=False) as memory:
        done = [imported(memory, tmp_path / name / "chat.jsonl") for name in said]
        held = [[message.text for message in session] for session in messages(memory).values()]
    assert [one.created for one in done] == [2, 3]
    assert sorted(held) == sorted(said.values())


@requirement("imports.once-in-its-own-session")
def test_the_same_words_in_another_order_without_times_are_another_chat(where: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    with SyncMemory(**where, embedder="none", background=False) as memory:
        for said in (["Yes", "Hi"], ["Hi", "Yes", "Yes"]):
            path.write_text("\n".join(json.dumps({"role": "user", "content": line}) for line in said))
            imported(memory, path)
        held = [[message.text for message in session] for session in messages(memory).values()]
    assert sorted(held) == [["Hi", "Yes", "Yes"], ["Yes", "Hi"]]


@requirement("imports.once-in-its-own-session")
@pytest.mark.parametrize("first", ["with an id", "without"])
def test_a_chat_with_an_id_of_its_own_is_no_other_that_says_the_same(
    where: dict[str, Any], tmp_path: Path, first: str
) -> None:
    own = {"session": "00000037-0000-4000-8000-000000000000"}
    said = [{"role": "user", "content": text} for text in ("Hi", "No")]
    with_id = [{**line, **own} for line in said]
    with SyncMemory(**where, embedder="none", background=False) as memory:
        for name in ("with an id", "without") if first == "with an id" else ("without", "with an id"):
            chat = with_id if name == "with an id" else said
            (tmp_path / name).write_text("\n".join(map(json.dumps, chat)))
            imported(memory, tmp_path / name)
        held = [[message.text for message in session] for session in messages(memory).values()]
    assert held == [["Hi", "No"]] * 2


CHAT = [
    {"role": "user", "content": "Where is it?", "timestamp": "2026-03-02T09:00:30Z"},
    {"role": "assistant", "content": "In the shed", "timestamp": "2026-03-02T09:00:30Z"},
    {"role": "user", "content": "Thanks"},
]


def chat_at(path: Path, *lines: object) -> ChatFile:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return ChatFile.at(path)


@requirement("imports.nothing-lost-in-silence")
def test_a_file_with_a_bad_line_is_refused_whole_or_taken_without_it(where: dict[str, Any], tmp_path: Path) -> None:
    hi, yes = ({"role": "user", "content": said} for said in ("Hi", "Yes"))
    with SyncMemory(**where, embedder="none", background=False) as memory:
        file = chat_at(tmp_path / "chat.jsonl", hi, {**hi, "content": "x" * 1_048_577}, yes, "oops")
        with pytest.raises(InvalidInput, match=r"^chat\.jsonl, line 2: text has 1048577 bytes"):
            memory.messages.import_file(file)
        assert messages(memory) == {}
        done = memory.messages.import_file(file, skip_bad=True)
        assert (done.created, [one.where for one in done.left_out]) == (2, ["line 2", "line 4"])
        done = memory.messages.import_file(chat_at(tmp_path / "chat.jsonl", hi, {**hi, "content": "Mended"}, yes))
        assert (done.created, done.deduped, done.differing) == (1, 2, ())


@requirement("imports.nothing-lost-in-silence")
@pytest.mark.parametrize("kept", [0, 16 * 1024 * 1024], ids=["read-twice", "kept"])
def test_a_large_file_is_imported_as_a_small_one(
    kept: int, where: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_import, "_KEPT_BYTES", kept)
    answer = {"type": "tool_result", "content": "x" * 1_048_577}
    asked = {"role": "user", "content": [{"type": "text", "text": "Look"}, answer, {"type": "text", "text": "Well?"}]}
    said = [{"role": "user", "content": text} for text in ("Hi <private>", "hidden", "</private> Yes", "Yes", "Yes")]
    with SyncMemory(**where, embedder="none", background=False) as memory:
        file = chat_at(tmp_path / "chat.jsonl", said[0], asked, *said[1:])
        done = memory.messages.import_file(file, skip_bad=True)
        assert (done.created, [one.where for one in done.left_out]) == (7, ["line 2"])
        texts = [message.text for chat in messages(memory).values() for message in chat]
        assert texts == ["Hi [REDACTED]", "[REDACTED]", "[REDACTED]", "[REDACTED]", "[REDACTED] Yes", "Yes", "Yes"]
        assert memory.messages.import_file(file, skip_bad=True).deduped == 7


@requirement("imports.erased-stays-away")
def test_what_was_erased_comes_back_with_no_import(where: dict[str, Any], tmp_path: Path) -> None:
    with SyncMemory(**where, embedder="none", background=False) as memory:
        file = chat_at(tmp_path / "chat.jsonl", *CHAT)
        memory.messages.import_file(file)
        (held,) = messages(memory).values()
        memory.governance.erasure.erase(memories=[held[1].id], reason="a test")
        for again in (file, chat_at(tmp_path / "moved.jsonl", *CHAT)):
            done = memory.messages.import_file(again)
            assert (done.created, done.deduped, done.erased) == (0, 2, 1)
        done = memory.messages.import_file(chat_at(tmp_path / "moved.jsonl", *CHAT, {"role": "user", "content": "Hm"}))
        assert (done.created, done.deduped, done.erased) == (1, 2, 1)
        (held,) = messages(memory).values()
        assert [message.text for message in held] == ["Where is it?", "Thanks", "Hm"]


@requirement("imports.once-in-its-own-session")
def test_messages_stand_in_the_order_in_which_they_were_said(where: dict[str, Any], tmp_path: Path) -> None:
    with SyncMemory(**where, embedder="none", background=False) as memory:
        memory.messages.import_file(chat_at(tmp_path / "chat.jsonl", *CHAT))
        listed = memory.list().records[::-1]
    assert [record.text for record in listed] == [line["content"] for line in CHAT]
    assert [(record.occurred_at - BEGAN) / timedelta(microseconds=1) for record in listed] == [0, 1, 2]
