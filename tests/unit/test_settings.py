"""A setting comes from its keyword, else the environment, else the agent's part of the file, else the file."""

from decimal import Decimal
from pathlib import Path

import pytest

from remembrancer import InvalidInput
from remembrancer.settings import PriceSetting, Settings, load_settings
from tests.rows import each_row

FILE = """
model: openai:small
poll_seconds: 7
time_zone: Europe/Berlin
model_fallbacks: [google:gemini-2.5-flash]
prices:
  openai:small: {prompt: 0, answer: 0}
budget_day_money: 1.10
agents:
  scribe:
    poll_seconds: 8
    time_zone: Europe/Rome
  clerk:
    poll_seconds: 9
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(FILE)
    return path


def test_without_anything_said_there_are_the_defaults() -> None:
    found = load_settings()
    assert (found.model, found.model_fallbacks, found.prices, found.budget_day_money) == ("", (), {}, None)


def test_a_file_says_what_nobody_else_does(file: Path) -> None:
    found = load_settings(config=str(file))
    assert (found.model, found.poll_seconds, found.time_zone) == ("openai:small", 7, "Europe/Berlin")
    assert found.model_fallbacks == ("google:gemini-2.5-flash",)
    assert found.prices == {"openai:small": PriceSetting(prompt=Decimal(0), answer=Decimal(0))}
    assert found.budget_day_money == Decimal("1.1")


def test_each_source_comes_before_those_behind_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_CONFIG", str(file))

    def both(found: Settings) -> tuple[float, str]:
        return found.poll_seconds, found.time_zone

    assert both(load_settings()) == (7, "Europe/Berlin")
    assert both(load_settings(agent="nobody")) == (7, "Europe/Berlin")
    assert both(load_settings(agent="scribe")) == (8, "Europe/Rome")
    monkeypatch.setenv("REMEMBRANCER_AGENT", "scribe")
    assert both(load_settings()) == (8, "Europe/Rome")
    monkeypatch.setenv("REMEMBRANCER_POLL_SECONDS", "5")
    assert both(load_settings()) == (5, "Europe/Rome")
    assert both(load_settings(poll_seconds=4)) == (4, "Europe/Rome")
    assert both(load_settings(poll_seconds=4, agent="clerk")) == (4, "Europe/Berlin")


def test_a_file_may_name_the_agent_whose_part_is_read(file: Path) -> None:
    file.write_text("agent: clerk\n" + FILE)
    assert load_settings(config=str(file)).poll_seconds == 9


def test_an_empty_file_says_nothing(file: Path) -> None:
    file.write_text("# nothing yet\n")
    assert load_settings(config=str(file)) == load_settings().model_copy(update={"config": str(file)})


@each_row(
    "text, told",
    [
        ("model: [", "line 1"),
        ("just words", "expected names with values"),
        ("- a\n- b", "expected names with values"),
        ("agents: [scribe]", "agents: expected names with values"),
        ("agents: {scribe: 7}", "agents, scribe: expected names with values"),
        ("agents: {scribe: {modle: x}}", "agent 'scribe' cannot have a setting 'modle'"),
        ("agents: {scribe: {agent: clerk}}", "agent 'scribe' cannot have a setting 'agent'"),
        ("modle: openai:small", "setting modle"),
        ("poll_seconds: soon", "setting poll_seconds"),
        ("prices: {'openai:small': {prompt: -1, answer: 0}}", "setting prices"),
        ("slots: {facts: -1}", "setting slots (REMEMBRANCER_SLOTS): slot facts is -1; use 0 to 100,000,000"),
        ("slots: {fact: 1}", "no slot 'fact'; allowed are base_prompt, facts, procedures, episodes, recalled"),
        ("a: !!python/object:os.system {}", "line 1"),
    ],
)
def test_a_file_that_is_wrong_is_told_where(file: Path, text: str, told: str) -> None:
    file.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        load_settings(config=str(file))
    assert told in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_told(file: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.yaml' cannot be read"):
        load_settings(config=str(file.with_name("nowhere.yaml")))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="not YAML in UTF-8"):
        load_settings(config=str(file))


@pytest.mark.parametrize("name", ["REMEMBRANCER_GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_a_provider_is_known_by_its_own_names_for_a_key(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "quokka")
    found = load_settings()
    assert found.google_api_key.get_secret_value() == "quokka"
    assert "quokka" not in repr(found)
    assert load_settings(google_api_key="other").google_api_key.get_secret_value() == "other"
    monkeypatch.setenv("REMEMBRANCER_GOOGLE_API_KEY", "for memory alone")
    assert load_settings().google_api_key.get_secret_value() == "for memory alone"


def test_a_key_may_stand_in_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("google_api_key: filed\nagents: {scribe: {google_api_key: own}}")
    assert load_settings(config=str(file)).google_api_key.get_secret_value() == "filed"
    assert load_settings(config=str(file), agent="scribe").google_api_key.get_secret_value() == "own"
    monkeypatch.setenv("GEMINI_API_KEY", "around")
    assert load_settings(config=str(file)).google_api_key.get_secret_value() == "filed"
    assert load_settings().google_api_key.get_secret_value() == "around"


def test_fallbacks_are_listed_with_commas_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_MODEL_FALLBACKS", "openai:a, google:b,")
    assert load_settings().model_fallbacks == ("openai:a", "google:b")


def test_a_blank_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_USER", "")
    monkeypatch.setenv("REMEMBRANCER_POOL_SIZE", "")
    assert load_settings(user="ana").user == "ana"
    assert load_settings().user is None


def test_slots_are_json_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_SLOTS", '{"facts": 0, "procedures": 900}')
    assert load_settings().slots == {"facts": 0, "procedures": 900}


def test_prices_are_json_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_PRICES", '{"openai:a": {"prompt": 0.3, "cached": 0.03, "answer": 2.5}}')
    price = PriceSetting(prompt=Decimal("0.3"), cached=Decimal("0.03"), answer=Decimal("2.5"))
    assert load_settings().prices == {"openai:a": price}


def test_a_tilde_in_the_name_of_a_database_is_the_home_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    assert load_settings(db="~/notes.db").db == "/home/ana/notes.db"
    monkeypatch.setenv("REMEMBRANCER_DB", "~/notes.db")
    assert load_settings().db == "/home/ana/notes.db"
    for name in ("not~a.db", "~no such user/a.db"):
        assert load_settings(db=name).db == name
