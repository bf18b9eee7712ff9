"""`context`, `chat` and the commands of notes, as a user meets them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer import SyncMemory
from remembrancer.assembly import models
from remembrancer.cli.app import app
from remembrancer.llm.language_model import LanguageModel
from remembrancer.testing import ScriptedModel
from remembrancer.types.calls import OPENS, FailureKind
from tests.command_lines import with_options
from tests.surfaces.test_conversation import talk

ENVIRONMENT = {"REMEMBRANCER_OBSERVE_TOKENS": "340", "REMEMBRANCER_EMBEDDER": "none"}


class Line:
    """Commands on one database, with one conversation in it."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "m.db"
        with SyncMemory(self.db, embedder="none", background=False, observe_tokens=340) as memory:
            talk(memory.conversation("order"))

    def run(self, *arguments: str, given: str | None = None, **environment: str) -> Result:
        line = with_options(arguments, "--db", str(self.db))
        return CliRunner().invoke(app, line, input=given, env={**ENVIRONMENT, **environment})

    def json(self, *arguments: str, **environment: str) -> Any:
        ran = self.run(*arguments, "--json", **environment)
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.stdout)


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def test_a_context_is_the_text_alone_on_standard_output_and_its_report_beside(line: Line) -> None:
    ran = line.run("context", "order", "--question", "Who signs discounts?", "--report")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("## Messages\n[1] ")
    assert ran.stdout.endswith("</memory-block>\n")
    told = ran.stderr.splitlines()
    assert told[0].startswith("tokens     ")
    assert told[0].endswith(" of 125,200 (o200k_base)")
    assert any(part.split()[0] == "messages" for part in told)
    assert any(part.startswith("cacheable  ") for part in told)


def test_a_context_in_json_is_text_messages_and_report(line: Line) -> None:
    found = line.json("context", "order", "--marks")
    assert found["text"].startswith(found["prefix"])
    assert [said["role"] for said in found["messages"]][:2] == ["user", "assistant"]
    assert found["messages"][5]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert (found["report"]["tokenizer"], found["report"]["exact"]) == ("o200k_base", True)
    assert sum(found["report"]["slots"].values()) == found["report"]["tokens"]


def test_tags_stand_around_the_parts_where_they_are_asked_for(line: Line) -> None:
    assert line.run("context", "order", "--format", "tags").stdout.startswith("<messages>\n[1] ")


def test_a_task_without_a_session_gets_what_it_recalls(line: Line) -> None:
    ran = line.run("context", "--task", "Deliver the wetsuits of order TW-118")
    assert "## Recalled memories" in ran.stdout
    assert "## Messages" not in ran.stdout
    assert "left out" not in ran.stderr
    ran = line.run("context", "--task", "Deliver the wetsuits of order TW-118", "--slot", "recalled=60")
    assert "left out   recalled" in ran.stderr


def test_a_window_or_a_format_that_cannot_be_is_refused(line: Line) -> None:
    assert "window is 12; use 1,000 to" in line.run("context", "order", "--window", "12").stderr
    ran = line.run("context", "order", "--format", "xml")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "markdown, tags" in ran.stderr


def test_observing_says_what_was_noted_and_how_much_shorter_it_is(line: Line) -> None:
    ran = line.run("notes", "observe", "order")
    assert ran.exit_code == 0, ran.output
    first, *_, last = ran.stdout.splitlines()
    assert first.startswith("messages 1")
    assert "TW-118" in ran.stdout
    assert " to 1; 0 are in the words of the messages" in last
    again = line.run("notes", "observe", "order").stdout.splitlines()
    assert again == ["no message is waiting to be observed", last]
    assert "TW-118" in line.run("notes", "log", "order").stdout
    log = line.json("notes", "log", "order")
    assert log["ratio"] > 1
    assert {note["messages"][0] for note in log["log"]} <= set(range(1, 7))


def test_what_is_held_is_shown_and_approved(line: Line) -> None:
    held = line.json("notes", "observe", "order", REMEMBRANCER_OBSERVE_REVIEW="true")
    assert {run["state"] for run in held["observed"]} == {"in-review"}
    assert held["observed"][0]["notes"]
    ran = line.run("notes", "approve", "order", "1")
    assert ran.stdout.startswith("approved: messages 1")
    again = line.run("notes", "approve", "order", "1")
    assert again.exit_code == 4
    assert "only chunks in review can be approved" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("notes", "observe", "another"), 3),
        (("notes", "log", "another"), 3),
        (("notes", "approve", "order", "99"), 3),
        (("notes", "approve", "order", "0"), 2),
        (("notes", "reflect", "another"), 3),
        (("notes", "retry", "order", "99"), 3),
    ],
)
def test_what_is_not_there_ends_a_command_with_its_code(line: Line, arguments: tuple[str, ...], code: int) -> None:
    ran = line.run(*arguments)
    assert (ran.exit_code, ran.stdout) == (code, "")
    assert ran.stderr.startswith("remembrancer: ")


def test_reflecting_says_how_much_less_there_is(line: Line) -> None:
    line.run("notes", "observe", "order")
    found = line.json("notes", "reflect", "order")
    assert found["fewer"] >= 0
    assert found["noted"] == line.json("notes", "log", "order")["noted"]
    ran = line.run("notes", "reflect")
    assert ran.exit_code == 0
    assert ran.stdout.strip().endswith(("tokens fewer", "nothing could be consolidated"))


def with_model(monkeypatch: pytest.MonkeyPatch, model: LanguageModel) -> None:
    """Whatever model is named, this one is asked."""

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name
            self.complete = model.complete

        async def close(self) -> None:
            pass

    def remote(_settings: object, name: str) -> Named:
        return Named(name)

    monkeypatch.setattr(models, "make_model", remote)


def test_what_no_model_could_observe_is_listed_and_observed_again(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    # It is not left alone before it has been asked about each message by itself.
    monkeypatch.setitem(OPENS, FailureKind.UNUSABLE, 1_000)
    with_model(monkeypatch, ScriptedModel(lambda _: "no JSON at all"))
    asking = {"REMEMBRANCER_OBSERVE_MODEL": "openai:small"}
    assert line.run("notes", "failed").stdout == "no run of messages failed\n"
    line.run("notes", "observe", "order", **asking)
    dead = line.json("notes", "failed")
    assert {(chunk["session"], chunk["state"]) for chunk in dead} == {("order", "dead")}
    assert "order" in line.run("notes", "failed").stdout
    assert "[1] " in line.run("context", "order").stdout, "what is dead is served raw"

    still = line.run("notes", "retry", "order", str(dead[0]["first"]), **asking)
    assert still.exit_code == 11
    assert "dead" in still.stdout
    # The words take what the model could not.
    again = line.run("notes", "failed", "--retry")
    assert again.exit_code == 0, again.output
    assert "dead," not in again.stdout


def test_a_chat_answers_each_line_and_keeps_both_sides(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(["To Oban.", "Beatriz."])
    with_model(monkeypatch, model)
    asking = {"REMEMBRANCER_ANSWER_MODEL": "openai:small"}
    ran = line.run("chat", "order", "--speaker", "Mira", given="Where to?\n\nWho signs?", **asking)
    assert ran.exit_code == 0, ran.output
    assert ran.stdout == "To Oban.\nBeatriz.\n"
    assert ran.stderr == "all of it is kept in session order\n"
    assert "To Oban." in model.asked[1].text
    said = line.run("context", "order").stdout
    assert "Mira (user): Where to?" in said
    assert "assistant: Beatriz." in said


def test_a_chat_in_json_is_one_answer_a_line(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(monkeypatch, ScriptedModel(["To Oban."]))
    ran = line.run("chat", "--json", given="Where to?\n", REMEMBRANCER_ANSWER_MODEL="openai:small")
    (answer,) = [json.loads(part) for part in ran.stdout.splitlines()]
    assert (answer["text"], answer["model"]) == ("To Oban.", "openai:small")


def test_a_chat_goes_on_where_a_model_fails_and_ends_with_its_code(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(monkeypatch, ScriptedModel(["", "", "Yes."]))
    ran = line.run("chat", "order", given="Hello?\nStill there?\n", REMEMBRANCER_ANSWER_MODEL="openai:small")
    assert (ran.exit_code, ran.stdout) == (11, "Yes.\n")
    assert ran.stderr.startswith("remembrancer: the model returned a blank answer\n")


def test_a_chat_without_a_model_shows_the_block_and_says_how_to_have_one(line: Line) -> None:
    ran = line.run("chat", "fresh", given="I moved to Lisbon.\n")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("## Messages\n[1] ")
    assert "I moved to Lisbon." in ran.stdout
    assert "REMEMBRANCER_MODEL" in ran.stderr


def test_a_chat_with_nothing_to_say_ends_at_once(line: Line) -> None:
    ran = line.run("chat", "order", given="")
    assert (ran.exit_code, ran.stdout) == (0, "")


def test_exchanges_with_tools_come_from_a_file_or_the_standard_input(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    file.write_text('["looked into the shed", "counted four wetsuits"]')
    ran = line.run("context", "order", "--history", str(file), "--report")
    assert "> - looked into the shed\n> - counted four wetsuits\n" in ran.stdout
    assert "caps       base_prompt 800  facts 600  procedures 400  " in ran.stderr
    assert "- sent them\n" in line.run("context", "order", "--history", "-", given='["sent them"]').stdout
    for given in ("[1]", '"text"', "[", "[" * 100_000):
        refused = line.run("context", "order", "--history", "-", given=given)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "list of strings" in refused.stderr


def test_caps_of_slots_come_from_the_environment(line: Line) -> None:
    caps = line.json("context", "order", REMEMBRANCER_SLOTS='{"facts": 7}')["report"]["caps"]
    assert (caps["facts"], caps["procedures"]) == (7, 400)


def test_costs_tell_what_blocks_spared_in_tokens_and_in_money(line: Line) -> None:
    priced = {
        "REMEMBRANCER_ANSWER_MODEL": "openai:small",
        "REMEMBRANCER_OPENAI_API_KEY": "none",
        "REMEMBRANCER_PRICES": '{"openai:small": {"prompt": 1, "cached": 0.1, "answer": 2}}',
    }
    report = line.json("context", "order", **priced)["report"]
    line.run("context", "order", "--no-record-access", **priced)
    line.run("context", "--task", "Deliver the wetsuits", **priced)

    found = line.json("admin", "costs")["savings"]

    tokens, whole = report["tokens"], report["whole"]
    assert found["sessions"] == [
        {
            "session": "order",
            "blocks": 1,
            "unpriced": 0,
            "served": {"tokens": tokens, "prefix": 0, "uncached": tokens / 1e6, "cached": tokens / 1e6},
            "whole": {"tokens": whole, "prefix": 0, "uncached": whole / 1e6, "cached": whole / 1e6},
        }
    ]
    assert [(one["project"], one["agent"], one["blocks"]) for one in found["agents"]] == [(None, None, 1)]
    assert (
        f"saved    session order  1 block, {tokens} tokens instead of {whole}, 0.000"
        in line.run("admin", "costs").stdout
    )


def test_what_blocks_spared_is_of_unknown_cost_without_a_price(line: Line) -> None:
    line.run("context", "order")
    line.run("context", "order")
    (found,) = line.json("admin", "costs")["savings"]["sessions"]
    assert (found["blocks"], found["unpriced"]) == (2, 2)
    assert (found["served"]["uncached"], found["whole"]["cached"]) == (None, None)
    assert line.run("admin", "costs").stdout.splitlines()[1].endswith(", cost unknown")
