"""Patterns, feedback, evidence, episodes, facts, rules, maintenance and scores, as a user meets them."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer import SyncMemory
from remembrancer.cli.app import app
from remembrancer.jobs.maintenance import runner
from remembrancer.types.jobs import MOST_TRIES, MaintenanceStep
from remembrancer.types.new import NewEpisode
from tests.command_lines import with_options
from tests.copying.filling import held
from tests.rows import each_row

DONE = "removed semicolons from the mail"


class Line:
    """Commands on one database."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "m.db"

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, with_options(arguments, "--db", str(self.db), "--embedder", "none"))

    def json(self, *arguments: str) -> Any:
        ran = self.run(*arguments, "--json")
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.stdout)

    def told(self, *arguments: str) -> list[str]:
        ran = self.run(*arguments)
        assert ran.exit_code == 0, ran.output
        return ran.stdout.splitlines()

    def observed(self) -> Any:
        """What was observed of mail to Bertelli."""
        return next(one for one in self.json("patterns", "list") if "Bertelli" in one["text"])


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weeks of mail to four people, one of whom wants no semicolons; and what was sent half a year before."""
    folder = tmp_path_factory.mktemp("lived")
    morning = datetime.now(UTC).replace(hour=9)
    episodes = [
        NewEpisode(summary="sent the report", contact="Tess", occurred_at=morning - timedelta(days=back))
        for back in range(40, 200, 2)
    ]
    for back in range(2, 26):
        day = morning - timedelta(days=back)
        episodes.append(NewEpisode(summary=DONE, event="approval_modified", contact="Bertelli", occurred_at=day))
        episodes += [
            NewEpisode(summary="sent as drafted", event="approval_approved", contact=name, occurred_at=day)
            for name in ("Mira", "Olaf", "Tess")
        ]
    with SyncMemory(folder / "m.db", embedder="none", background=False) as memory:
        memory.episodes.record_many(episodes)
    return folder


@pytest.fixture(scope="module")
def slept(lived: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after a night."""
    folder = tmp_path_factory.mktemp("slept") / "over"
    shutil.copytree(lived, folder)
    Line(folder).json("admin", "maintenance", "run")
    return folder


@pytest.fixture
def learnt(slept: Path, tmp_path: Path) -> Line:
    shutil.copytree(slept, tmp_path / "learnt")
    return Line(tmp_path / "learnt")


def test_a_fact_is_set_read_listed_and_ended_and_stays_in_its_history(line: Line) -> None:
    assert line.told("facts", "set", "contact/bertelli/tone", "formal", "--category", "contact")[0].startswith(
        'created  contact/bertelli/tone = "formal"  (contact, since '
    )
    assert line.json("facts", "set", "limit", "5", "--category", "rule", "--valid-from", "2026-01-01")["value"] == 5
    later = line.json("facts", "set", "limit", '{"a": [1, true]}', "--category", "rule")
    assert (later["outcome"], later["value"]) == ("updated", {"a": [1, True]})
    assert [one["key"] for one in line.json("facts", "list")] == ["contact/bertelli/tone", "limit"]
    assert line.told("facts", "list", "--category", "rule", "--at", "2026-02-01")[0].startswith("limit = 5  (rule, ")
    before, now = line.told("facts", "history", "limit")[::-1]
    assert before.startswith("limit = 5  (rule, since 2026-01-01 00:00 UTC, until ")
    assert now == line.told("facts", "get", "limit")[0]
    assert line.json("facts", "end", "limit")["valid_to"] is not None
    assert line.run("facts", "get", "limit").exit_code == 3
    assert len(line.json("facts", "history", "limit")) == 2


@pytest.mark.parametrize(
    ("given", "value"),
    [("5", 5), ("true", True), ("null", None), ('"5"', "5"), ("[1]", [1]), ("five, or so", "five, or so"), ("", "")],
)
def test_a_value_is_what_json_says_or_else_text(line: Line, given: str, value: object) -> None:
    assert line.json("facts", "set", "a", given)["value"] == value


@pytest.mark.parametrize("given", ["NaN", "Infinity", "[" * 3_000, "9" * 4_000 + "."])
def test_a_value_that_json_cannot_say_is_text(line: Line, given: str) -> None:
    ran = line.run("facts", "set", "a", given)
    assert ran.exit_code == 0, ran.output
    assert isinstance(line.json("facts", "get", "a")["value"], str)


def test_an_episode_is_recorded_with_all_that_can_be_counted_of_it(line: Line) -> None:
    saved = line.json(
        "episodes",
        "record",
        DONE,
        *("--event", "approval_modified", "--contact", "Bertelli", "--entity", "file:offer: new.pdf"),
        *("--attribute", "part=body", "--attribute", "size=3", "--attribute", "late=true", "--attribute", "to=[x]"),
        *("--occurred-at", "2026-03-02", "--session", "mail"),
    )
    assert (saved["outcome"], saved["tier"], saved["contact"]) == ("created", "raw", "Bertelli")
    found = line.json("get", saved["id"])
    assert found["details"]["outcome"] == "modified"
    assert found["details"]["entities"] == [
        {"type": "contact", "name": "Bertelli"},
        {"type": "file", "name": "offer: new.pdf"},
    ]
    assert found["details"]["attributes"] == {"part": "body", "size": 3, "late": True, "to": "[x]"}
    line.told("episodes", "record", "sent the report")
    assert line.told("episodes", "list", "--contact", "bertelli", "--since", "2026-03-02", "--until", "2026-03-02") == [
        f"{saved['id']}  2026-03-02 00:00 UTC  approval_modified, Bertelli: {DONE}"
    ]
    assert "entities  [{" in line.run("get", saved["id"]).stdout


def test_a_signal_tells_of_feedback(line: Line) -> None:
    saved = line.json("episodes", "signal", "correction", "--attribute", "did=Hi", "--attribute", "changed_to=Dear")
    found = line.json("get", saved["id"])
    assert (found["kind"], found["type"]) == ("signal", "correction")
    assert found["details"]["attributes"] == {"did": "Hi", "changed_to": "Dear"}
    assert line.json("episodes", "signal", "correction", "--contact", "Ana")["contact"] == "Ana"
    assert line.told("list", "--kind", "signal")[0].endswith("  correction, Ana: ")


def test_a_rule_is_given_changed_paused_and_retired(line: Line) -> None:
    id = line.json("rules", "add", "Never use semicolons", "--author", "Ana")["id"]
    assert line.json("rules", "edit", id, "Use no semicolons")["revision"] == 2
    assert line.told("rules", "list")[0].endswith("procedure: Use no semicolons")
    assert line.told("rules", "pause", id)[0].startswith("paused  ")
    assert line.told("rules", "list") == []
    assert line.json("rules", "resume", id)["status"] == "active"
    assert line.json("rules", "retire", id)["status"] == "retired"
    assert [one["status"] for one in line.json("rules", "list", "--all")] == ["retired"]
    assert line.told("rules", "refused") == ["none was refused"]
    assert line.json("rules", "refused") == []


def test_a_fact_is_paused_resumed_and_retired(line: Line) -> None:
    id = line.json("facts", "set", "tone", "formal")["id"]
    assert line.told("patterns", "pause", id)[0].startswith("paused  ")
    assert line.json("facts", "list") == []
    assert line.json("patterns", "resume", id)["status"] == "active"
    assert line.told("patterns", "retire", id)[0].startswith("retired  ")


def test_a_night_is_run_once_and_tells_what_it_did(lived: Path, tmp_path: Path) -> None:
    shutil.copytree(lived, tmp_path / "lived")
    line = Line(tmp_path / "lived")
    first = line.json("admin", "maintenance", "run")
    assert (first["is_new"], first["left"], first["counts"]["weekly records"] > 5) == (True, [], True)
    again = line.json("admin", "maintenance", "run")
    assert (again["is_new"], again["counts"]) == (False, first["counts"])
    told = line.told("admin", "maintenance", "run")
    assert told[0] == f"the maintenance for {first['day']} was done already"
    assert f"{first['counts']['weekly records']}  weekly records" in " ".join(told[1:])


def test_a_dry_run_says_what_the_night_then_does_and_changes_nothing(lived: Path, tmp_path: Path) -> None:
    shutil.copytree(lived, tmp_path / "lived")
    line = Line(tmp_path / "lived")
    before = held(line.db)
    would = line.json("admin", "maintenance", "dry-run")
    assert held(line.db) == before
    assert would["left"] == ["retain", "weekly", "monthly", "consolidate", "detect", "promote", "scores"]
    assert any("Bertelli" in note for note in would["notes"])
    assert {"weekly records", "monthly records", "observed", "decayed"} <= would["counts"].keys()
    assert line.json("admin", "maintenance", "run")["counts"] == would["counts"]
    assert line.json("admin", "maintenance", "dry-run") == {"day": would["day"], "left": [], "counts": {}, "notes": []}
    assert line.told("admin", "maintenance", "dry-run") == [f"the maintenance for {would['day']} was done already"]


def test_a_night_of_which_a_step_failed_says_which_and_when_it_is_tried_again(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    line.json("facts", "set", "a", "b", "--user", "ada")
    night = ("admin", "maintenance", "run", "--user", "ada")
    with monkeypatch.context() as patch:
        patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
        ran = line.run(*night)
        told = ran.stdout.splitlines()
        assert (ran.exit_code, told[0].partition("for ")[2][10:]) == (11, " is not done: a step failed")
        assert told[-1] == "failed   detect: AssertionError  tenant local  user ada"
        assert "note: failed" not in ran.stdout
        assert ran.stderr.splitlines()[-1].startswith("remembrancer: a step failed; try 1 of 6, the next one at 20")
        ran = line.run(*night, "--json")
        shape = json.loads(ran.stdout)
        assert (ran.exit_code, shape["tries"], shape["left"], shape["ended_at"]) == (11, 2, ["detect"], None)
        assert shape["scope"]["user"] == "ada"
        assert shape["failures"] == ["detect: AssertionError"]
        assert datetime.fromisoformat(shape["next_try_at"]) > datetime.fromisoformat(shape["started_at"])
        for _ in range(MOST_TRIES - 2):
            ran = line.run(*night)
        assert "the next night does the steps that are left" in ran.stderr
        ran = line.run(*night)
        assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (11, told[-1])
        ran = line.run("admin", "doctor")
        where = "failing-nights (1): detect: AssertionError: tenant local  user ada: "
        assert (ran.exit_code, ran.stdout.startswith(where)) == (11, True), ran.stdout
        (fault,) = json.loads(line.run("admin", "doctor", "--json").stdout)
        assert fault["scope"] == {"tenant": "local", "project": None, "agent": None, "user": "ada"}
    assert line.run(*night, "--json").exit_code == 11


def test_work_ends_with_the_code_of_nightly_where_a_step_failed(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    for user in ("ada", "ben"):
        line.json("facts", "set", "a", "b", "--user", user)
    once = ["worker", "--once", "--db", str(line.db), "--embedder", "none"]
    with monkeypatch.context() as patch:
        patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
        ran = CliRunner().invoke(app, once)
    assert ran.exit_code == 11
    assert "nightly runs: 2, of them with a failed step: 2" in ran.stdout
    told = "remembrancer: a step failed in 2 nightly runs; the log names each; it is tried again"
    assert ran.stderr.splitlines()[-1] == told
    for user in ("ada", "ben"):
        assert line.run("admin", "maintenance", "run", "--user", user).exit_code == 0
    ran = CliRunner().invoke(app, [*once, "--json"])
    assert (ran.exit_code, json.loads(ran.stdout)["failed_nights"]) == (0, 0)


def test_a_night_that_a_later_try_ends_is_done(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_: object) -> None:
        raise AssertionError

    line.json("facts", "set", "a", "b")
    with monkeypatch.context() as patch:
        patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
        assert line.run("admin", "maintenance", "run").exit_code == 11
    shape = line.json("admin", "maintenance", "run")
    assert (shape["is_new"], shape["tries"], shape["failures"], shape["next_try_at"]) == (True, 2, [], None)


def test_a_night_in_which_nothing_is_due_says_so(line: Line) -> None:
    line.json("facts", "set", "a", "b")
    assert line.told("admin", "maintenance", "run")[1:] == ["  nothing was due"]


def test_what_was_observed_is_listed_with_how_sure_it_is_and_why(learnt: Line) -> None:
    found = learnt.observed()
    assert (found["confidence"], found["occurrences"], found["status"]) == ("very-high", 24, "active")
    assert {"category", "consistency"} <= found.keys()
    assert {"rule", "evidence", "supporting", "against"} <= found["details"].keys()
    told = learnt.told("patterns", "list")
    at = next(place for place, text in enumerate(told) if text.startswith(found["id"]))
    assert told[at] == f"{found['id']}  active  {found['category']}  very-high confidence, 24 cases in all"
    assert told[at + 1] == f"    {found['text']}"
    assert told[at + 2] == f"    because: {found['details']['evidence']}"
    shown = learnt.run("get", found["id"]).stdout
    assert "confidence  very-high" in shown
    assert f"its evidence  {found['details']['evidence']}" in shown


def test_why_goes_from_a_rule_down_to_what_was_done(learnt: Line) -> None:
    observed = learnt.observed()
    assert learnt.json("feedback", observed["id"], "right", "--person", "Ana")["details"]["boosts"] == 1
    (rule,) = learnt.json("rules", "list")
    told = learnt.told("evidence", rule["id"])
    assert told[0].startswith(f"{rule['id']}  ")
    assert told[1].startswith(f"  {observed['id']}  ")
    assert told[2].startswith("    right, by Ana on ")
    assert len(told) == 3 + 24
    assert all(text.startswith("    ") and text.endswith(f"approval_modified, Bertelli: {DONE}") for text in told[3:])
    (found,) = learnt.json("evidence", rule["id"])["sources"]
    assert (found["verdicts"][0]["verdict"], len(found["sources"]), found["missing"]) == ("right", 24, [])


def test_what_is_wrong_is_gone_until_it_is_undone(learnt: Line) -> None:
    id = learnt.observed()["id"]
    learnt.told("feedback", id, "right")
    assert learnt.told("feedback", id, "wrong")[0].split()[1] == "rejected"
    assert id not in [one["id"] for one in learnt.json("patterns", "list")]
    assert id in [one["id"] for one in learnt.json("patterns", "list", "--all")]
    assert learnt.told("rules", "list") == []
    assert learnt.run("feedback", id, "right").exit_code == 4
    assert learnt.json("feedback", id, "undo")["status"] == "active"
    assert learnt.json("rules", "list")[0]["confirmations"] == 1
    assert learnt.run("feedback", id, "undo").exit_code == 4


def test_what_is_dismissed_is_no_more_listed(learnt: Line) -> None:
    id = learnt.observed()["id"]
    assert learnt.json("feedback", id, "dismiss", "--person", "Ana")["status"] == "dismissed"
    assert id not in [one["id"] for one in learnt.json("patterns", "list")]


def test_two_observations_are_merged(line: Line) -> None:
    one, other = (line.json("save", text)["id"] for text in ("Ana likes tea", "Ana drinks tea"))
    assert line.told("patterns", "merge", one, other)[0].startswith(f"active  {one}  ")
    assert line.json("get", other)["status"] == "merged"
    assert line.run("patterns", "merge", one, one).exit_code == 2


def test_compact_records_show_their_counts_and_give_way_again(learnt: Line) -> None:
    monthly = learnt.json("episodes", "list", "--tier", "monthly", "--limit", "1")[0]
    assert (monthly["contact"], monthly["exceptions"]) == ("Tess", 0)
    (told,) = learnt.told("episodes", "list", "--tier", "monthly", "--limit", "1")
    assert f"monthly record, Tess, {monthly['interactions']} interactions: " in told
    weekly = learnt.json("episodes", "restore", monthly["id"])
    assert {one["tier"] for one in weekly} == {"weekly"}
    assert sum(one["interactions"] for one in weekly) == monthly["interactions"]
    superseded = learnt.json("episodes", "list", "--superseded", "--limit", "1000")
    assert len(superseded) > len(learnt.json("episodes", "list", "--limit", "1000"))


def test_a_context_with_a_contact_tells_what_was_done_with_them(learnt: Line) -> None:
    told = learnt.run("context", "--task", "Write the offer", "--contact", "Bertelli").stdout
    assert DONE in told
    assert "sent as drafted" not in told


def test_a_memory_is_rated_boosted_and_pinned(line: Line) -> None:
    id = line.json("save", "Ana likes tea")["id"]
    assert line.json("scores", "rate", id, "0.9")["rating"] == 0.9
    assert line.json("scores", "boost", id, "1")["boost"] == 1
    assert line.told("scores", "pin", id) == [f"{id}  importance 0.500, rated 0.9, boosted 1, pinned"]
    assert line.json("scores", "unpin", id)["pinned"] is False


def test_the_outcome_of_a_session_moves_the_weight_of_what_it_was_told(line: Line) -> None:
    id = line.json("save", "The heron nests in April")["id"]
    line.json("record", "When does the heron nest?", "--session", "talk")
    line.json("context", "talk")
    (moved,) = line.json("sessions", "set-outcome", "talk", "rejected")
    assert (moved["record"], moved["before"], moved["after"]) == (id, 1, 0.85)
    assert line.told("sessions", "set-outcome", "talk", "rejected") == [f"{id}  rejected  weight 1.000 to 0.850"]
    assert line.run("sessions", "set-outcome", "other", "accepted").exit_code == 3


@each_row(
    "arguments, code, told",
    [
        (["episodes", "record", "x", "--attribute", "part"], 2, "--attribute 'part' is not NAME=VALUE"),
        (["episodes", "record", "x", "--entity", "offer.pdf"], 2, "--entity 'offer.pdf' is not TYPE:NAME"),
        (["episodes", "record", "x", "--event", "sang"], 2, "unknown event 'sang'"),
        (["episodes", "record", "x", "--event", "compact"], 2, "'compact' is reserved for the engine"),
        (["episodes", "signal", "observation_rejected"], 2, "recorded by the verdict `wrong`"),
        (["episodes", "record", "x" * 101], 2, "at most 100 are allowed"),
        (["episodes", "list", "--tier", "daily"], 2, "use one of raw, weekly, monthly"),
        (["episodes", "signal", "joy"], 2, "use one of draft_modified"),
        (["episodes", "restore", "nope"], 3, "no memory 'nope' here"),
        (["facts", "set", "a", "b", "--category", "news"], 2, "use one of profile, contact, rule, setting"),
        (["facts", "set", "a", "b", "--valid-from", "soon"], 2, "'soon' is no date"),
        (["facts", "set", "a", "1e999"], 2, "cannot be written as JSON"),
        (["facts", "get", "nope"], 3, "no fact 'nope' here"),
        (["facts", "end", "nope"], 3, "no fact 'nope' here"),
        (["rules", "add", "word " * 41], 2, "at most 40 are allowed"),
        (["rules", "pause", "nope"], 3, "no memory 'nope' here"),
        (["feedback", "nope", "right"], 3, "no memory 'nope' here"),
        (["evidence", "nope"], 3, "no memory 'nope' here"),
        (["scores", "rate", "nope", "2"], 2, "rating is 2.0; use 0 to 1"),
        (["scores", "pin", "nope"], 3, "no memory 'nope' here"),
        (["sessions", "set-outcome", "talk", "fine"], 2, "use one of accepted, rejected, rework"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_its_code(line: Line, arguments: list[str], code: int, told: str) -> None:
    line.json("save", "x")
    ran = line.run(*arguments)
    assert (ran.exit_code, ran.stdout) == (code, "")
    assert told in ran.stderr
    assert ran.stderr.startswith("remembrancer: ")
    assert len(ran.stderr.splitlines()) == 1


def test_commands_that_look_or_judge_make_no_database(line: Line) -> None:
    looking = (
        ["patterns", "list"],
        ["facts", "list"],
        ["rules", "list"],
        ["episodes", "list"],
        ["admin", "maintenance", "run"],
        ["evidence", "x"],
    )
    for arguments in looking:
        assert line.run(*arguments).exit_code == 2
    assert list(line.db.parent.iterdir()) == []


def test_another_users_memory_can_be_neither_judged_nor_seen(line: Line) -> None:
    id = line.json("save", "Ana likes tea", "--user", "ana")["id"]
    for command in (
        ["feedback", id, "right"],
        ["feedback", id, "wrong"],
        ["feedback", id, "undo"],
        ["evidence", id],
        ["scores", "rate", id, "1"],
        ["scores", "pin", id],
    ):
        assert line.run(*command, "--user", "bob").exit_code == 3
