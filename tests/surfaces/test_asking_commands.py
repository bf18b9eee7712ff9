"""`ask` and `execute`, as a user meets them, and the streams of a memory without `await`."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer import Answer, ProviderUnavailable, Reply, SyncMemory, TaskResult
from remembrancer.cli.app import app
from remembrancer.types.filter import Filter
from tests.answers import MODEL, Answers, Given, answering, chunk, events
from tests.endpoints import Stream

QUESTION = "Where do the wetsuits of order TW-118 go?"
SAID = "The wetsuits of order TW-118 go to Oban."
UNKNOWN = "I don't know."


@pytest.fixture
def model() -> Generator[Answers]:
    with answering() as made:
        yield made


class Line:
    """Commands on one database with a message in it, and a model that a test plays."""

    def __init__(self, folder: Path, model: Answers) -> None:
        self.db = folder / "m.db"
        self.asking = {"REMEMBRANCER_MODEL": MODEL, "REMEMBRANCER_MODEL_URL": model.endpoint.url}
        with SyncMemory(self.db, embedder="none", background=False) as memory:
            self.id = memory.record(SAID, speaker="Mira", session="past").record.id

    def run(self, *line: str, asking: bool = True, **environment: str) -> Result:
        given = {
            "REMEMBRANCER_EMBEDDER": "none",
            "REMEMBRANCER_OBSERVE_MODEL": "none",
            "REMEMBRANCER_MODEL_RETRIES": "0",
        }
        names = {**given, **(self.asking if asking else {}), **environment}
        return CliRunner().invoke(app, [line[0], "--db", str(self.db), *line[1:]], env=names)


@pytest.fixture
def line(tmp_path: Path, model: Answers) -> Line:
    return Line(tmp_path, model)


def test_an_answer_is_printed_with_what_it_cites(line: Line, model: Answers) -> None:
    model.script = ["To Oban [1]."]
    ran = line.run("ask", QUESTION)
    assert ran.exit_code == 0, ran.output
    answer, citation = ran.stdout.splitlines()
    assert answer == "To Oban [1]."
    assert citation.startswith(f"[1] {line.id}  [20")
    assert citation.endswith(f"] Mira: {SAID}")
    assert ran.stderr == f"paid       {MODEL}, 120 tokens, at a price that is not known\n"


def test_an_answer_in_json_has_its_citations_hits_and_cost(line: Line, model: Answers) -> None:
    model.script = ["To Oban [1], [9]."]
    prices = json.dumps({MODEL: {"prompt": 1, "answer": 1}})
    found = json.loads(line.run("ask", QUESTION, "--json", REMEMBRANCER_PRICES=prices).stdout)
    assert (found["text"], found["known"], found["abstained"], found["model"]) == ("To Oban [1],.", True, False, MODEL)
    assert [(one["id"], one["label"], one["speaker"], one["untrusted"]) for one in found["citations"]] == [
        (line.id, "1", "Mira", False)
    ]
    assert [hit["id"] for hit in found["hits"]] == [line.id]
    assert (found["tokens"], found["cost"], found["nearest"]) == (120, 0.00012, [])
    assert found["notes"] == ["removed 1 citation with an unknown label"]


def test_what_memory_does_not_know_costs_nothing_and_is_no_failure(line: Line, model: Answers) -> None:
    ran = line.run("ask", "Qzxv wqqp zzzk?")
    assert (ran.exit_code, ran.stdout, ran.stderr, model.calls) == (0, f"{UNKNOWN}\n", "", 0)


def test_what_cites_nothing_is_not_printed(line: Line, model: Answers) -> None:
    model.script = ["HACKED", "HACKED [7]"]
    ran = line.run("ask", QUESTION)
    assert (ran.exit_code, ran.stdout) == (0, f"{UNKNOWN}\n")
    assert ran.stderr.startswith("note: twice the answer cites unknown labels")


def test_without_a_model_the_hits_are_printed_and_what_to_set(line: Line, model: Answers) -> None:
    ran = line.run("ask", QUESTION, asking=False)
    assert (ran.exit_code, model.calls) == (0, 0)
    assert ran.stdout.startswith(f"[1] {line.id}  [20")
    assert len(ran.stdout.splitlines()) == 1
    assert "set REMEMBRANCER_MODEL to one, such as openai:gpt-5-nano" in ran.stderr


def test_filters_are_those_of_recall(line: Line, model: Answers) -> None:
    ran = line.run(
        "ask", QUESTION, "--session", "another", "--as-of", "2020-01-01", "--limit", "3", "--no-record-access"
    )
    assert (ran.exit_code, ran.stdout, model.calls) == (0, f"{UNKNOWN}\n", 0)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--limit", "0"), "limit is 0; use 1 to 1,000"),
        (("--max-tokens", "0"), "max_tokens is 0; use 1 or more"),
        (("--kind", "quokka"), "quokka"),
        (("--as-of", "soon"), "'soon' is no date"),
        (("--profile", "quokka"), "quokka"),
    ],
)
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_what_is_out_of_range_is_refused_in_one_line(
    line: Line, model: Answers, arguments: tuple[str, ...], told: str, stream: list[str]
) -> None:
    ran = line.run("ask", QUESTION, *arguments, *stream)
    assert (ran.exit_code, ran.stdout, model.calls) == (2, "", 0)
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_failures_end_with_their_codes(line: Line, model: Answers) -> None:
    model.script = [Given(answer=(500, {}))]
    assert line.run("ask", QUESTION).exit_code == 9
    ran = line.run("ask", QUESTION, REMEMBRANCER_BUDGET_DAY_TOKENS="10")
    assert (ran.exit_code, model.calls) == (12, 1)
    assert line.run("execute", "Go.", REMEMBRANCER_BUDGET_DAY_TOKENS="10").exit_code == 12


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_without_a_model_a_task_shows_what_it_recalls_and_records_nothing(line: Line, stream: list[str]) -> None:
    ran = line.run("execute", QUESTION, *stream, asking=False)
    assert ran.exit_code == 0
    assert line.id in ran.stdout
    assert "REMEMBRANCER_MODEL" in ran.stderr
    found = json.loads(line.run("execute", QUESTION, "--json", *stream, asking=False).stdout)
    assert found["hits"][0]["id"] == line.id
    assert QUESTION not in line.run("list", "--kind", "message", asking=False).stdout


def test_a_stream_is_printed_as_it_comes_and_what_does_not_hold_is_said(line: Line, model: Answers) -> None:
    model.script = ["To Oban [1].", "HACKED", Given(answer=(200, Stream(events=[chunk("To "), chunk("Oban")])))]
    ran = line.run("ask", QUESTION, "--stream")
    assert ran.stdout.splitlines()[0] == "To Oban [1]."
    assert ran.stdout.splitlines()[1].startswith(f"[1] {line.id}")
    ran = line.run("ask", QUESTION, "--stream")
    assert ran.stdout == f"HACKED\n{UNKNOWN}\n"
    assert ran.stderr.startswith("note: the answer cites no line")
    ran = line.run("ask", QUESTION, "--stream")
    assert (ran.exit_code, ran.stdout) == (9, "To Oban\n")
    assert ran.stderr == f"remembrancer: the model '{MODEL}' broke off its answer\n"


def test_a_stream_in_json_is_a_piece_a_line_and_then_the_whole(line: Line, model: Answers) -> None:
    model.script = ["To Oban [1]."]
    *pieces, whole = [json.loads(part) for part in line.run("ask", QUESTION, "--stream", "--json").stdout.splitlines()]
    assert "".join(one["piece"] for one in pieces) == whole["text"] == "To Oban [1]."


def test_without_a_model_a_stream_has_the_same(line: Line) -> None:
    plain = line.run("ask", QUESTION, asking=False).stdout
    assert line.run("ask", QUESTION, "--stream", asking=False).stdout == plain != ""


def test_a_task_is_done_and_both_sides_are_kept(line: Line, model: Answers) -> None:
    insight = {"text": "TW-118 is told to the carrier.", "type": "pattern", "priority": 3, "sources": [1]}
    model.script = ["Told: Oban.", json.dumps(insight)]
    ran = line.run("execute", "Tell where TW-118 goes.", "--session", "now", "--reflect")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout == "Told: Oban.\n"
    reflected, read, paid, kept = ran.stderr.splitlines()
    assert reflected.startswith("reflected  ")
    assert reflected.endswith("TW-118 is told to the carrier.")
    assert read == f"read       {line.id}"
    assert paid == f"paid       {MODEL}, 240 tokens, at a price that is not known"
    assert kept == "all of it is kept in session now"
    with SyncMemory(line.db, embedder="none", background=False) as memory:
        texts = [one.text for one in memory.list(Filter(sessions=["now"], kinds=["message"])).records]
        assert texts == ["Told: Oban.", "Tell where TW-118 goes."]


def test_a_task_makes_a_database_and_answers_in_json(tmp_path: Path, line: Line, model: Answers) -> None:
    line.db = tmp_path / "other.db"
    model.script = ["Hello."]
    *pieces, whole = [
        json.loads(part) for part in line.run("execute", "Greet.", "--json", "--stream").stdout.splitlines()
    ]
    assert "".join(one["piece"] for one in pieces) == whole["text"] == "Hello."
    assert (whole["memories"], whole["reflection"], whole["tokens"], whole["cost"]) == ([], None, 120, None)
    assert len(whole["messages"]) == 2
    assert whole["report"]["tokens"] > 0


# Without `await`


@pytest.fixture
def memory(tmp_path: Path, model: Answers) -> Generator[SyncMemory]:
    given: dict[str, Any] = {**model.settings, "embedder": "none", "background": False}
    with SyncMemory(tmp_path / "s.db", **given) as memory:
        memory.record(SAID, speaker="Mira", session="past")
        yield memory


def test_without_await_the_streams_are_the_same(memory: SyncMemory, model: Answers) -> None:
    model.script = ["To Oban [1].", "To Oban [1].", "Hello you.", "Done it."]
    assert memory.ask(QUESTION).known
    for stream, kind in (
        (memory.ask_stream(QUESTION), Answer),
        (memory.sessions.reply_stream("now", "Hello?"), Reply),
        (memory.sessions.execute_stream("Do it.", session="now"), TaskResult),
    ):
        *pieces, last = list(stream)
        assert isinstance(last, kind)
        assert len(pieces) > 1
        assert "".join(str(piece) for piece in pieces) == last.text
    assert memory.sessions.stats("now").messages == 4


def test_without_await_what_breaks_off_raises_and_what_is_left_is_paid(memory: SyncMemory, model: Answers) -> None:
    model.script = [
        Given(answer=(200, Stream(events=[chunk("To "), chunk("Oban")]))),
        Given(answer=(200, Stream(events=events(*["on "] * 999), pause=0.01))),
    ]
    stream = memory.ask_stream(QUESTION)
    assert [next(stream), next(stream)] == ["To ", "Oban"]
    with pytest.raises(ProviderUnavailable, match="broke off"):
        next(stream)
    left = memory.sessions.reply_stream("now", "Hello?")
    assert next(left) == "on "
    left.close()
    totals = {total.purpose.value: total for total in memory.admin.costs().totals}
    assert (totals["ask"].failed, totals["answer"].failed) == (1, 1)
    assert 0 < totals["answer"].answer_tokens < 40
    assert memory.sessions.stats("now").messages == 1
