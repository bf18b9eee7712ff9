"""Audit, retention and erasure, as an operator meets them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remembrancer.cli.app import app

RETENTION, ERASURE = ("governance", "retention"), ("governance", "erasure")
ADA = ("--agent", "desk", "--user", "ada")
DAY = 86_400_000_000


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def run(db: Path, *arguments: str, zone: str = "UTC") -> Result:
    env = {"REMEMBRANCER_EMBEDDER": "none", "REMEMBRANCER_TIME_ZONE": zone}
    ran = CliRunner().invoke(app, [*arguments, "--db", str(db)], env=env)
    assert ran.exit_code == 0, ran.output
    return ran


def test_where_the_log_has_nothing_of_what_was_asked_for_it_says_what_there_is(db: Path) -> None:
    run(db, "save", "Ada likes trains", "--actor", "lee", *ADA)
    assert "is it spelt as it is stored?" in run(db, "governance", "audit", "list", "--user", "nobody").stderr
    for asked, told in (
        (("--action", "creatd"), "the actions created"),
        (("--by", "leo"), "the names lee"),
        (("--origin", "rest"), "the origins cli"),
        (("--memory", "01a1c9d6"), "an id must be whole"),
    ):
        ran = run(db, "governance", "audit", "list", *asked)
        assert (ran.stdout, told in ran.stderr) == ("0 entries\n", True)


def test_a_memory_whose_time_is_over_is_shown_in_words_and_warned_of_when_it_comes_back(db: Path) -> None:
    id = run(db, "save", "Ada likes trains", *ADA).stdout.split()[1]
    run(db, *RETENTION, "set", "short", "--keep-days", "1")
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE records SET recorded_at = recorded_at - ?", (3 * DAY,))
    assert "Ada likes trains" in run(db, *RETENTION, "find-expired").stdout
    assert run(db, *RETENTION, "run").stdout == "deleted 1, purged 0\n"
    assert "Ada likes trains" in run(db, *RETENTION, "list-soft-deleted").stdout
    assert "the next night deletes it again" in run(db, "restore", id, *ADA).stderr
    run(db, *RETENTION, "unset", "short")
    run(db, "delete", id, *ADA)
    assert run(db, "restore", id, *ADA).stderr == ""


def test_a_plan_says_what_goes_by_kinds_and_an_overview_what_went(db: Path) -> None:
    run(db, "save", "Ada likes trains", *ADA)
    planned = run(db, *ERASURE, "plan", "user", "ada").stdout
    assert planned.splitlines()[0] == "user ada: 1 observation"
    run(db, *ERASURE, "erase", "user", "ada", "--reason", "she asked", "--yes")
    for again in (("plan", "user", "ada"), ("erase", "user", "ada", "--reason", "again", "--yes")):
        ran = CliRunner().invoke(app, [*ERASURE, *again, "--db", str(db)])
        assert (ran.exit_code, "`remembrancer governance erasure receipts user ada`" in ran.stderr) == (3, True)
    assert "1 receipt" in run(db, *ERASURE, "receipts", "user", "ada").stdout
    assert "  user, " in run(db, "governance", "overview").stdout
    assert "no memory is stored" in run(db, "governance", "overview", *ADA).stdout


def test_policies_of_narrower_scopes_are_listed_with_them(db: Path) -> None:
    run(db, *RETENTION, "set", "all", "--keep-days", "30")
    run(db, *RETENTION, "set", "short", "--keep-days", "1", "--kind", "message", *ADA)
    assert run(db, *RETENTION, "list").stdout.splitlines() == [
        "all  all  30 days  of tenant local",
        "short  message  1 day  of tenant local  agent desk  user ada",
        "2 policies",
    ]


def test_an_export_in_which_is_nothing_says_so(db: Path) -> None:
    run(db, "save", "Ada likes trains", *ADA)
    assert run(db, "export", *ADA).stderr == ""
    for form in ("jsonl", "jsonld", "csv", "markdown"):
        assert "no memory is in it" in run(db, "export", "--form", form, "--user", "ada").stderr


def test_times_are_those_of_the_zone_and_name_it(db: Path) -> None:
    run(db, "record", "The boat is sold.", "--occurred-at", "2026-05-03T15:30+00:00", "--session", "s", *ADA)
    for zone, told, day in (
        ("UTC", "2026-05-03 15:30 UTC", "2026-05-03"),
        ("Asia/Tokyo", "2026-05-04 00:30 JST", "2026-05-04"),
        ("America/Los_Angeles", "2026-05-03 08:30 PDT", "2026-05-03"),
    ):
        assert told in run(db, "list", "--kind", "message", *ADA, zone=zone).stdout
        # A day that is typed is a day of the zone.
        listed = run(db, "list", "--kind", "message", "--since", day, "--until", day, *ADA, zone=zone).stdout
        assert told in listed
        assert told in run(db, "timeline", "between", "--since", day, "--until", day, *ADA, zone=zone).stdout
        assert told[:16] in run(db, "context", "s", *ADA, zone=zone).stdout
        exported = run(db, "export", "--form", "markdown", *ADA, zone=zone).stdout
        assert f"{told[:16]} {zone}" in exported
    id = listed.split()[0]
    assert "2026-05-04T00:30:00+09:00" in run(db, "get", id, *ADA, zone="Asia/Tokyo").stdout
    assert "2026-05-03T15:30:00+00:00" in run(db, "get", id, "--json", *ADA, zone="Asia/Tokyo").stdout
