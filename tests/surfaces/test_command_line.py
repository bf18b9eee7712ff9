"""The command line as a user meets it: what it prints, in text and in JSON, and how it ends."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer.cli.app import app
from remembrancer.cli.progress import Reporter
from tests.command_lines import with_options
from tests.rows import each_row

CHAT = "\n".join(
    json.dumps({"session": "a", "timestamp": f"2026-03-02T09:0{minute}:00Z", **said})
    for minute, said in enumerate(
        (
            {"role": "user", "speaker": "Mira", "content": "Paddles come from Bergen"},
            {"role": "assistant", "content": "Noted."},
        )
    )
)


class Line:
    """Commands on one database."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "m.db"

    def run(self, *arguments: str, given: str | None = None) -> Result:
        where = ("--db", str(self.db), "--embedder", "none")
        return CliRunner().invoke(app, with_options(arguments, *where), input=given)

    def json(self, *arguments: str, given: str | None = None) -> Any:
        ran = self.run(*arguments, "--json", given=given)
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.stdout)

    def lossy(self, *arguments: str, given: str | None = None) -> Any:
        """What a command tells that could not take everything."""
        ran = self.run(*arguments, "--json", given=given)
        assert ran.exit_code == 11, ran.output
        return json.loads(ran.stdout)


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def test_a_chat_is_imported_once_asked_and_shown(line: Line) -> None:
    assert line.json("import", "-", given=CHAT)["created"] == 2
    again = line.json("import", "-", given=CHAT)
    nothing: dict[str, list[object]] = {name: [] for name in ("skipped", "unread", "left_out", "differing")}
    assert again == {"created": 0, "deduped": 2, "erased": 0, "kinds": {}, "unembedded": 0, **nothing}
    hit = line.json("recall", "Where do paddles come from?")["hits"][0]
    assert (hit["snippet"], hit["speaker"]) == ("Paddles come from Bergen", "Mira")
    assert line.json("get", hit["id"])["text"] == "Paddles come from Bergen"
    assert len(line.json("timeline", "around", hit["id"])["after"]) == 1
    assert line.json("explain", "Where do paddles come from?", hit["id"])["stage"] == "recalled"


def test_a_folder_is_imported_file_by_file_and_what_is_no_chat_is_named(line: Line, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    (folder / "a.jsonl").write_text(CHAT)
    (folder / "b.json").write_text('{"no": "chat"}')
    report = line.lossy("import", str(folder))
    assert (report["created"], report["skipped"]) == (
        2,
        [[f"{folder}/b.json", "b.json: contains no chat in a known form"]],
    )
    assert line.lossy("import", str(folder))["deduped"] == 2


GAPPY = "\n".join(
    json.dumps({"role": role, "content": content, "timestamp": stamp})
    for role, content, stamp in (
        ("user", "Paddles come from Bergen", "soon"),
        ("narrator", "A storm rose", "later"),
        ("assistant", None, "2026-03-02"),
    )
)


def test_what_an_import_could_not_read_is_told_by_file_with_an_example(line: Line, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    (folder / "a.jsonl").write_text(CHAT)
    (folder / "b.jsonl").write_text(GAPPY)
    told = [("unreadable-time", 2, "'soon'"), ("unknown-role", 1, "'narrator'"), ("missing-content", 1, "line 3")]

    ran = line.run("import", str(folder))
    sizes, *gaps = ran.stderr.splitlines()
    assert (sizes[:7], gaps) == (
        "2 files",
        [
            f"{folder}/b.jsonl: {gap} ({count}), such as {example}: stored {how}"
            for (gap, count, example), how in zip(
                told,
                ("with the nearest known time: that of the chat, the file or the import", "as user", "without text"),
                strict=True,
            )
        ],
    )
    assert ran.stdout.startswith("5 messages imported")
    assert line.json("import", str(folder))["unread"] == [
        {"file": f"{folder}/b.jsonl", "gap": gap, "count": count, "example": example} for gap, count, example in told
    ]


def test_a_bad_line_ends_an_import_unless_it_is_to_be_left_out(line: Line) -> None:
    given = CHAT.replace("\n", "\n{'role': 'user'}\n")
    ran = line.run("import", "-", given=given)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("remembrancer: standard input, line 2: is not JSON")
    assert "--skip-bad" in ran.stderr
    assert "there is no database" in line.run("list").stderr
    report = line.lossy("import", "-", "--skip-bad", given=given)
    assert (report["created"], report["skipped"]) == (2, [])
    (told,) = report["left_out"]
    assert (told["file"], told["where"], told["reason"][:11]) == ("standard input", "line 2", "is not JSON")
    assert line.json("import", "-", given=CHAT)["created"] == 0


TOO_LONG = json.dumps({"role": "user", "content": "x" * 1_048_577})


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (TOO_LONG, "text has 1048577 bytes; at most 1048576 are allowed"),
        ("[3]", "it contains no message in a known form"),
    ],
)
def test_what_cannot_be_taken_is_told_with_its_line_and_the_rest_is_taken(line: Line, bad: str, reason: str) -> None:
    given = CHAT.replace("\n", f"\n{bad}\n")
    ran = line.run("import", "-", given=given)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"remembrancer: standard input, line 2: {reason}")
    ran = line.run("import", "-", "--skip-bad", given=given)
    assert (ran.exit_code, ran.stdout) == (11, "2 messages imported, 0 were there already\n")
    assert ran.stderr.startswith(f"left out standard input, line 2: {reason}")


def test_a_file_that_is_one_message_is_named_without_a_place(line: Line) -> None:
    ran = line.run("import", "-", "--skip-bad", given=json.dumps({"role": "user", "content": "a\0b"}))
    assert ran.stderr.startswith("left out standard input: text contains a NUL character")


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 1e300, -1e18])
def test_a_time_that_no_store_keeps_loses_no_message(line: Line, stamp: object) -> None:
    given = json.dumps({"id": "first", "role": "user", "content": "hm", "timestamp": stamp})
    report = line.json("import", "-", given=given)
    assert (report["created"], [one["gap"] for one in report["unread"]]) == (1, ["unreadable-time"])


def test_lines_without_times_are_listed_in_their_order(line: Line) -> None:
    given = "\n".join(json.dumps({"role": "user", "content": f"turn {place}"}) for place in range(9))
    assert line.run("import", "-", given=given).stdout == "9 messages imported, 0 were there already\n"
    listed = [record["snippet"] for record in line.json("list")["records"]]
    assert listed == [f"turn {place}" for place in range(8, -1, -1)]
    assert (
        line.run("import", "-", given=given.partition("\n")[0]).stdout == "1 message imported, 0 were there already\n"
    )


def test_a_file_that_holds_another_chat_than_before_is_told(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    for said in ("Hi", "Hello"):
        file.write_text(json.dumps({"role": "user", "content": said}))
        ran = line.run("import", str(file))
        assert (ran.exit_code, ran.stdout) == (0, "1 message imported, 0 were there already\n")
    assert ran.stderr.startswith(f"{file} is not the file that was imported before: imported as a new conversation")
    file.write_text(CHAT)
    line.json("import", str(file))
    file.write_text(CHAT.replace("Bergen", "Oslo"))
    ran = line.run("import", str(file))
    assert ran.stdout == "1 message imported, 1 was there already\n"
    assert f"{file} was changed since it was imported: 1 new in session" in ran.stderr
    assert "1 imported message is no longer in it, and stays" in ran.stderr


def test_an_erased_message_does_not_come_back(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(CHAT)
    line.json("import", str(file))
    id = line.json("list")["records"][0]["id"]
    line.json("governance", "erasure", "erase", "memories", id, "--reason", "on request", "--yes")
    file.write_text(CHAT + '\n{"role": "user", "content": "Thanks"}')
    assert line.run("import", str(file)).stdout == (
        "1 message imported, 1 was there already; 1 message erased before stayed away\n"
    )
    assert len(line.json("list")["records"]) == 2


def test_what_holds_no_chat_at_all_is_refused(line: Line, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "none.jsonl").write_text("")
    for path, told in ((tmp_path / "empty", "no chats in folder"), (tmp_path / "none.jsonl", "no messages in")):
        ran = line.run("import", str(path))
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert ran.stderr.startswith(f"remembrancer: {told} '{path}'")


def test_a_pipe_is_read(line: Line, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write({CHAT!r})"]):
        assert line.json("import", str(pipe))["created"] == 2


def test_an_import_that_is_interrupted_says_what_was_taken_and_goes_on(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps({"role": "user", "content": f"turn {place}"}) for place in range(700)))
    with monkeypatch.context() as patch:

        def interrupted(_self: Reporter, _count: int) -> None:
            raise KeyboardInterrupt

        patch.setattr(Reporter, "add", interrupted)
        ran = line.run("import", str(file))
    told = "interrupted; 500 messages processed so far, which stay; the same command goes on from there"
    assert (ran.exit_code, ran.stderr) == (130, f"remembrancer: {told}\n")
    assert line.run("import", str(file)).stdout == "200 messages imported, 500 were there already\n"


def test_a_file_that_is_bad_in_the_middle_is_not_half_imported(line: Line, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    said = "\n".join(json.dumps({"role": "user", "content": f"turn {place}"}) for place in range(600))
    (folder / "a.jsonl").write_text(f"{said}\noops")
    (folder / "b.jsonl").write_text(CHAT)
    report = line.lossy("import", str(folder))
    assert report["created"] == 2
    ((file, reason),) = report["skipped"]
    assert (file, reason[:18]) == (f"{folder}/a.jsonl", "a.jsonl, line 601:")


def test_standard_input_that_is_not_utf_8_is_told_in_one_line(line: Line) -> None:
    ran = CliRunner().invoke(
        app,
        ["import", "-", "--db", str(line.db), "--embedder", "none"],
        input=b'{"role": "user", "content": "Caf\xe9"}',
    )
    assert (ran.exit_code, ran.stderr) == (2, "remembrancer: standard input, line 1: is not UTF-8 text\n")


def test_a_claim_lives_through_every_command(line: Line) -> None:
    first = line.json("save", "The door is red", "--topic-key", "door", "--type", "decision")
    second = line.json("save", "The door is blue", "--topic-key", "door", "--type", "decision")
    assert (first["outcome"], second["outcome"], first["id"]) == ("created", "updated", second["id"])
    assert line.json("get", first["id"], "--as-of", first["updated_at"])["text"] == "The door is red"
    assert len(line.json("timeline", "diff", first["updated_at"], "2100-01-01")["changed"]) == 1
    assert line.json("edit", first["id"], "The door is green")["outcome"] == "updated"
    assert line.json("delete", first["id"]) == {"deleted": [first["id"]]}
    assert line.json("list")["records"] == []
    assert line.json("restore", first["id"])["snippet"] == "The door is green"
    assert line.json("admin", "stats")["records"] == {"observation/active": 1}
    assert line.json("admin", "index", "rebuild") == {"wordings": 1, "vectors": 0}
    assert line.json("admin", "doctor") == []


def test_sessions_start_are_summarised_listed_and_end(line: Line) -> None:
    assert line.json("sessions", "start", "talk")["is_new"] is True
    line.json("record", "Hello", "--session", "talk")
    assert line.json("sessions", "summarise", "talk", "They greeted")["type"] == "summary"
    assert [found["id"] for found in line.json("sessions", "list")] == ["talk"]
    assert line.json("sessions", "end", "talk")["status"] == "completed"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["get", "nope"], 3, "no memory 'nope' here"),
        (["save", "x", "--type", "opinion"], 2, "use one of profile, preference"),
        (["recall", "x", "--limit", "0"], 2, "limit is 0"),
        (["timeline", "between", "--since", "soon"], 2, "'soon' is no date"),
        (["import", "/no/such/folder"], 2, "no such file or folder"),
        (["admin", "index", "reembed"], 2, "no embedder is configured"),
        (["sessions", "end", "nope"], 3, "no session 'nope' here"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_its_code(line: Line, arguments: list[str], code: int, told: str) -> None:
    line.json("save", "x")
    ran = line.run(*arguments)
    assert (ran.exit_code, ran.stdout) == (code, "")
    assert told in ran.stderr
    assert ran.stderr.startswith("remembrancer: ")
    assert len(ran.stderr.splitlines()) == 1


@each_row(
    "arguments",
    [
        ["recall", "x"],
        ["get", "x"],
        ["list"],
        ["timeline", "between"],
        ["timeline", "around", "x"],
        ["explain", "x", "y"],
        ["timeline", "diff", "2026-01-01", "2026-02-01"],
        ["admin", "stats"],
        ["admin", "doctor"],
        ["admin", "doctor", "--repair"],
        ["admin", "index", "rebuild"],
        ["admin", "index", "reembed"],
        ["edit", "x", "y"],
        ["delete", "x"],
        ["restore", "x"],
        ["sessions", "list"],
        ["sessions", "end", "x"],
        ["sessions", "summarise", "x", "y"],
    ],
)
def test_a_command_that_makes_no_memories_makes_no_database_either(line: Line, arguments: list[str]) -> None:
    ran = line.run(*arguments)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"there is no database '{line.db}'; correct its name" in ran.stderr
    assert list(line.db.parent.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [["save", "x"], ["record", "x"], ["import", "-"], ["sessions", "start"]],
    ids=" ".join,
)
def test_a_command_that_makes_memories_makes_the_database_too(line: Line, arguments: list[str]) -> None:
    line.json(*arguments, given=CHAT)
    assert line.json("admin", "doctor") == []


@pytest.mark.parametrize(
    ("db", "told"),
    [("", "setting db (REMEMBRANCER_DB): is empty; name a file"), (os.devnull, "'/dev/null' is no file; name one")],
)
@pytest.mark.parametrize("command", ["save", "recall"])
def test_a_database_that_can_be_none_is_told(db: str, told: str, command: str) -> None:
    ran = CliRunner().invoke(app, [command, "x", "--db", db, "--embedder", "none"])
    assert (ran.exit_code, ran.stderr) == (2, f"remembrancer: {told}\n")


def test_a_lost_key_is_told_by_every_command(line: Line) -> None:
    line.json("save", "x")
    line.db.with_name("m.db.key").unlink()
    for arguments in (["save", "y"], ["list"], ["admin", "doctor"]):
        ran = line.run(*arguments)
        assert (ran.exit_code, ran.stdout) == (8, "")
        assert "m.db.key' is missing; restore it" in ran.stderr


def test_recall_says_once_that_vectors_are_not_used(line: Line) -> None:
    line.json("save", "The door is red", "--embedder", "hash")
    for arguments in ([], ["--factors"]):
        ran = line.run("recall", "door", *arguments)
        assert ran.stderr.count("note: searched by words alone: ") == 1
        assert "The door is red" in ran.stdout
    assert "words alone" in line.json("recall", "door")["notes"][0]


def test_another_users_memory_is_absent_in_every_command(line: Line) -> None:
    id = line.json("save", "Ana likes tea", "--user", "ana")["id"]
    for command in (
        ["get", id],
        ["edit", id, "x"],
        ["delete", id],
        ["governance", "erasure", "erase", "memories", id, "--reason", "on request", "--yes"],
        ["restore", id],
    ):
        assert line.run(*command, "--user", "bob").exit_code == 3
    assert line.run("explain", "tea", id, "--user", "bob").exit_code == 3
    assert line.run("timeline", "around", id, "--user", "bob").exit_code == 3
    assert line.json("list", "--user", "bob")["records"] == []
    assert line.json("recall", "tea", "--no-abstain", "--user", "bob")["hits"] == []


def test_what_would_steer_a_terminal_is_not_sent_to_one(line: Line) -> None:
    line.json("save", "red \x1b[31malert\x07")
    assert "\x1b" not in line.run("list").stdout
    assert "\x07" not in line.run("recall", "alert").stdout


def test_only_the_owner_may_read_the_database(line: Line) -> None:
    line.json("save", "mine")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in line.db.parent.iterdir()}
    assert set(modes.values()) == {0o600}


def test_an_output_that_is_full_ends_in_one_line(line: Line) -> None:
    line.json("save", "x")
    with Path(os.devnull).with_name("full").open("w") as full:
        command = [sys.executable, "-m", "remembrancer", "list", "--db", str(line.db), "--embedder", "none"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)


def test_what_was_deleted_before_one_was_refused_is_told(line: Line) -> None:
    ids = [line.json("save", f"claim {number}")["id"] for number in range(2)]
    ran = line.run("delete", *ids, "nope")
    assert (ran.exit_code, ran.stdout) == (3, f"deleted {', '.join(ids)}\n")
    assert line.json("list")["records"] == []


def test_an_empty_path_is_not_the_folder_that_one_is_in(line: Line) -> None:
    ran = line.run("import", "")
    assert ran.exit_code == 2
    assert "a path is empty" in ran.stderr


def test_who_may_not_edit_what_was_rejected_is_told_what_would_bring_it_back(line: Line) -> None:
    id = line.json("save", "Pelle is orange")["id"]
    line.run("feedback", id, "wrong")
    ran = line.run("edit", id, "Pelle is red")
    assert ran.exit_code == 4
    assert "undo it before changing it" in ran.stderr


@pytest.mark.parametrize("command", ["get", "pin", "unpin", "boost", "rate", "history"])
def test_a_deleted_memory_has_no_standing(line: Line, command: str) -> None:
    id = line.json("save", "Pelle is orange")["id"]
    line.run("delete", id)
    ran = line.run("scores", command, id, *(["0.5"] if command in ("boost", "rate") else []))
    assert (ran.exit_code, ran.stdout) == (3, "")
