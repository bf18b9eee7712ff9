"""Exports, reports, archives and backups over a real service and by commands, as a stranger meets them."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner, Result

from remembrancer import Conflict, InvalidInput, NotAllowed, NotFound, Scope, SyncClient, SyncMemory
from remembrancer.cli.app import app
from tests.copying.filling import held
from tests.databases import SECRET, Database
from tests.serving import Running, serving

pytestmark = pytest.mark.timeout(110)
PASSPHRASE = "Grüße aus Köln"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("archives")
    with serving(str(folder / "m.db"), folder / "log") as found:
        yield found


def command(*words: str, passphrase: str | None = None) -> Result:
    env = {} if passphrase is None else {"REMEMBRANCER_PASSPHRASE": passphrase}
    return CliRunner().invoke(app, list(words), env={"REMEMBRANCER_EMBEDDER": "none", **env})


# Over the service


def test_an_archive_goes_over_the_service_both_ways(running: Running, tmp_path: Path) -> None:
    with SyncClient(running.url, tenant="one") as one, SyncClient(running.url, tenant="two") as two:
        one.record("I moved to Lisbon", session="a", speaker="Ada")
        one.save("The office closes at six", topic_key="office")
        made = one.governance.archives.create(tmp_path / "one.archive", passphrase=PASSPHRASE)
        assert (made.memories, made.sessions) == ({"message": 1, "observation": 1}, 1)
        assert one.governance.archives.check(tmp_path / "one.archive", passphrase=PASSPHRASE) == made
        # Ids are a tenant's own.
        taken = two.governance.archives.import_archive(
            tmp_path / "one.archive", passphrase=PASSPHRASE, reason="to share"
        )
        assert (taken.created, taken.conflict_counts) == (2, {})
        assert {record.text for record in two.list().records} == {"I moved to Lisbon", "The office closes at six"}
        with pytest.raises(InvalidInput, match="passphrase is wrong"):
            two.governance.archives.import_archive(
                tmp_path / "one.archive", passphrase="another one", reason="to share"
            )
        with pytest.raises(InvalidInput, match="is not a file"):
            two.governance.archives.check(tmp_path / "none", passphrase=PASSPHRASE)
        with pytest.raises(Conflict):
            one.governance.archives.create(tmp_path / "one.archive", passphrase=PASSPHRASE)
        with pytest.raises(InvalidInput, match="8 characters"):
            one.governance.archives.create(tmp_path / "two.archive", passphrase="short")
    assert [path.name for path in tmp_path.iterdir()] == ["one.archive"]
    assert stat.S_IMODE((tmp_path / "one.archive").stat().st_mode) == 0o600


def test_exports_and_reports_go_over_the_service(running: Running) -> None:
    with SyncClient(running.url, tenant="three") as root, SyncClient(running.url, tenant="three", user="ada") as ada:
        ada.save("Ada likes tea 日本語")
        lines = "".join(ada.governance.archives.export()).splitlines()
        assert [json.loads(line)["text"] for line in lines] == ["Ada likes tea 日本語"]
        assert "> Ada likes tea 日本語" in "".join(root.governance.archives.report("ada"))
        with pytest.raises(NotFound):
            list(root.governance.archives.report("nobody"))
        with pytest.raises(InvalidInput, match="form"):
            list(ada.governance.archives.export(form="pdf"))
    with httpx2.Client(base_url=running.url, headers={"X-Tenant-ID": "three"}) as http:
        answer = http.get("/v1/export", params={"form": "csv", "user": "ada", "kinds": ["observation", "message"]})
        assert answer.headers["content-type"].startswith("text/csv")
        assert len(answer.text.splitlines()) == 2
        missing = http.post("/v1/archives/import", params={"reason": "x"}, content=b"")
        assert (missing.status_code, missing.json()["code"]) == (422, "invalid-input")


def test_a_whole_tenant_is_listed_and_exported_over_the_service(running: Running) -> None:
    with SyncClient(running.url, tenant="four") as root, SyncClient(running.url, tenant="five") as other:
        for user in ("ada", "bob"):
            root.within(Scope(tenant="four", user=user)).save(f"{user} likes tea", session=f"of {user}")
        other.save("The office closes at six")
        assert root.list().records == ()
        found = root.list(all_scopes=True).records
        assert {(one.text, one.scope.user) for one in found} == {("ada likes tea", "ada"), ("bob likes tea", "bob")}
        lines = [json.loads(line) for line in "".join(root.governance.archives.export(all_scopes=True)).splitlines()]
        assert {(line["id"], line["scope"]["user"]) for line in lines} == {(one.id, one.scope.user) for one in found}
        assert {(one.id, one.scope.user) for one in root.sessions.list(all_scopes=True)} == {
            ("of ada", "ada"), ("of bob", "bob"),
        }  # fmt: skip
    with httpx2.Client(base_url=running.url, headers={"X-Tenant-ID": "four"}) as http:
        pages = http.get("/v1/memories", params={"all_scopes": True, "size": "compact", "limit": 1})
        assert [one["scope"] for one in pages.json()["records"]] == [
            {"tenant": "four", "project": None, "agent": None, "user": "bob"}
        ]
        rest = http.get("/v1/memories", params={"all_scopes": True, "cursor": pages.json()["cursor"]}).json()
        assert ([one["text"] for one in rest["records"]], rest["cursor"]) == (["ada likes tea"], None)


def test_a_key_without_the_rights_makes_no_archive_and_no_report(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        memory.save("The kettle is hot")
        usual = memory.admin.keys.create("usual").token
        narrow = memory.admin.keys.create("narrow", rights=["read", "operate", "govern"], clearance="internal").token
    with serving(str(tmp_path / "m.db"), tmp_path / "log") as running:
        for key in (usual, narrow):
            with SyncClient(running.url, key=key) as client:
                with pytest.raises(NotAllowed):
                    client.governance.archives.create(tmp_path / "none", passphrase=PASSPHRASE)
                with pytest.raises(NotAllowed):
                    list(client.governance.archives.report("ada"))
                assert "".join(client.governance.archives.export())


def test_what_a_service_keeps_in_its_process_alone_is_not_exported(tmp_path: Path) -> None:
    with serving(":memory:", tmp_path / "log") as running, httpx2.Client(base_url=running.url) as http:
        for answer in (
            http.get("/v1/export"),
            http.get("/v1/users/ada/report"),
            http.post("/v1/archives", json={"passphrase": PASSPHRASE}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (501, "not-kept")


# By commands


def test_commands_say_what_came_and_what_is_wrong(tmp_path: Path) -> None:
    one, two, file = str(tmp_path / "one.db"), str(tmp_path / "two.db"), str(tmp_path / "a.archive")
    assert command("save", "Ada likes tea", "--user", "ada", "--db", one).exit_code == 0
    nothing = command("governance", "archives", "create", file, "--db", one)
    assert nothing.exit_code == 2
    assert "REMEMBRANCER_PASSPHRASE" in nothing.output
    made = command("governance", "archives", "create", file, "--db", one, passphrase=PASSPHRASE)
    assert (made.exit_code, "1 observation" in made.output) == (0, True)
    sealed = tmp_path / "phrase"
    sealed.write_text(PASSPHRASE + "\n", encoding="utf-8")
    taken = command(
        "governance", "archives", "import", file, "--reason", "x", "--db", two, "--passphrase-file", str(sealed)
    )
    assert (taken.exit_code, "1 added" in taken.output) == (0, True)
    again = command(
        "governance", "archives", "import", file, "--reason", "x", "--db", two, "--json", passphrase=PASSPHRASE
    )
    assert json.loads(again.stdout)["same"] == 1
    wrong = command("governance", "archives", "import", file, "--reason", "x", "--db", two, passphrase="another one")
    assert (wrong.exit_code, "passphrase is wrong" in wrong.output) == (2, True)
    (tmp_path / "text").write_text("hello", encoding="utf-8")
    for path in ("text", "none"):
        refused = command("governance", "archives", "check", str(tmp_path / path), "--db", two, passphrase=PASSPHRASE)
        assert refused.exit_code == 2, refused.output
        assert len(refused.output.splitlines()) == 1
    to = tmp_path / "report.md"
    assert command("governance", "archives", "report", "ada", "--db", two, "-o", str(to)).exit_code == 0
    assert "> Ada likes tea" in to.read_text(encoding="utf-8")
    assert (
        command("governance", "archives", "report", "nobody", "--db", two, "-o", str(tmp_path / "no.md")).exit_code != 0
    )
    assert not (tmp_path / "no.md").exists()
    assert "Ada likes tea" in command("export", "--form", "csv", "--user", "ada", "--db", two).output
    assert command("export", "--since", "yesterday", "--db", two).exit_code == 2


def test_a_backup_is_made_while_the_store_is_written_and_comes_back(tmp_path: Path) -> None:
    db, file = tmp_path / "m.db", tmp_path / "b.db"
    ran = [sys.executable, "-c", _WRITER, str(db)]
    with subprocess.Popen(ran, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == "writing"
        made = command("backup", "make", str(file), "--db", str(db))
        os.kill(writer.pid, signal.SIGKILL)
    assert made.exit_code == 0, made.output
    assert command("backup", "make", str(file), "--db", str(db)).exit_code != 0
    told = command("governance", "erasure", "plan", "tenant", "local", "--db", str(db)).output
    assert sum(line.startswith("handed out: backup of ") for line in told.splitlines()) == 1
    back = tmp_path / "back.db"
    restored = command("backup", "restore", str(file), "--db", str(back))
    assert restored.exit_code == 0, restored.output
    assert {name: rows for name, rows in held(back).items() if name != "store"} == {
        name: rows for name, rows in held(file).items() if name != "store"
    }
    assert "no faults found" in command("admin", "doctor", "--db", str(back)).output
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


def test_a_server_is_backed_up_into_a_file_and_comes_back(database: Database, tmp_path: Path) -> None:
    file, env = tmp_path / "b.db", {"REMEMBRANCER_EMBEDDER": "none", "REMEMBRANCER_SECRET_KEY": SECRET}
    with SyncMemory(database.serving_url, embedder="none", background=False, secret_key=SECRET) as memory:
        memory.save("Ada likes tea", topic_key="tea")
    made = CliRunner().invoke(app, ["backup", "make", str(file), "--db", database.serving_url], env=env)
    assert made.exit_code == 0, made.output
    with SyncMemory(file, embedder="none", background=False) as memory:
        assert memory.get(topic_key="tea").text == "Ada likes tea"
        memory.governance.erasure.erase(memories=[memory.get(topic_key="tea").id], reason="on request")
    full = CliRunner().invoke(app, ["backup", "restore", str(file), "--db", database.serving_url], env=env)
    assert full.exit_code != 0
    assert "nothing was changed" in full.output


_WRITER = """
import sys
from remembrancer import SyncMemory
with SyncMemory(sys.argv[1], embedder="none", background=False) as memory:
    for number in range(100_000):
        memory.record(f"message {number}", session="a")
        if number == 20:
            print("writing", flush=True)
"""


def test_commands_list_and_export_a_whole_tenant(tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "m.db"), "--tenant", "acme")
    for user in ("ada", "bob"):
        assert command("save", f"{user} likes tea", "--user", user, "--session", f"of {user}", *db).exit_code == 0
    assert command("save", "The office closes at six", *db[:2]).exit_code == 0
    assert command("list", *db).stdout == ""
    listed = command("list", "--all-scopes", *db).stdout.splitlines()
    assert [line.strip() for line in listed[1::2]] == ["tenant acme  user bob", "tenant acme  user ada"]
    told = json.loads(command("list", "--all-scopes", "--json", *db).stdout)["records"]
    assert [(one["snippet"], one["scope"]["user"]) for one in told] == [
        ("bob likes tea", "bob"),
        ("ada likes tea", "ada"),
    ]
    sessions = command("sessions", "list", "--all-scopes", *db).stdout.splitlines()
    assert [line.strip() for line in sessions[1::2]] == ["tenant acme  user bob", "tenant acme  user ada"]
    told = json.loads(command("sessions", "list", "--all-scopes", "--json", *db).stdout)
    assert [(one["id"], one["scope"]["user"]) for one in told] == [("of bob", "bob"), ("of ada", "ada")]
    exported = [json.loads(line) for line in command("export", "--all-scopes", *db).stdout.splitlines()]
    assert [line["scope"]["user"] for line in exported] == ["bob", "ada"]
    assert "--all-scopes" in command("export", *db).stderr


def test_an_export_counts_at_its_end_what_no_form_has(tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "m.db"))
    for text in ("Ada likes tea", "Ada likes jazz", "Ada likes rain"):
        assert command("save", text, *db).exit_code == 0
    first, second, third = (one["id"] for one in json.loads(command("list", "--json", *db).stdout)["records"])
    for group, action, id in (("scores", "pin", first), ("patterns", "retire", second)):
        assert command(group, action, id, *db).exit_code == 0
    assert command("delete", third, *db).exit_code == 0
    told = command("export", *db)
    assert [(one["id"], one["pinned"]) for one in map(json.loads, told.stdout.splitlines())] == [(first, True)]
    assert (
        told.stderr
        == "not in it, of this scope: 1 retired; `remembrancer governance archives create` has all of them\n"
    )
    assert command("export", "--kind", "message", *db).stderr.startswith("no memory is in it")
