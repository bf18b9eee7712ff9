"""`install` and `uninstall`: what is written into the files of coding agents, and what stays."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer.cli.app import app
from remembrancer.cli.coding_agents.events import AGENTS, CLAUDE_CODE, CODEX, CURSOR, OPENCODE

SETTINGS = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check hook claude-code"}]}],
    },
}
CODEX_CONFIG = '# mine\nmodel = "gpt-5"\n\n[mcp_servers.other]\ncommand = "other"\n'
# By agent: a file of a user before, and where it is.
BEFORE: dict[str, dict[str, str]] = {
    CLAUDE_CODE: {
        ".claude/settings.json": json.dumps(SETTINGS, indent=4),
        ".claude.json": json.dumps({"numStartups": 7, "mcpServers": {"other": {"command": "other"}}}, indent=2),
    },
    CODEX: {
        ".codex/hooks.json": json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}}),
        ".codex/config.toml": CODEX_CONFIG,
    },
    CURSOR: {
        ".cursor/hooks.json": json.dumps({"version": 1, "hooks": {"stop": [{"command": "say"}]}}),
        ".cursor/mcp.json": json.dumps({"mcpServers": {"other": {"url": "http://127.0.0.1:9"}}}),
    },
    OPENCODE: {".config/opencode/opencode.json": json.dumps({"theme": "dark", "mcp": {"other": {"type": "local"}}})},
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, for no test may touch that of the machine."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed)


def files(home: Path) -> dict[str, str]:
    return {str(path.relative_to(home)): path.read_text() for path in home.rglob("*") if path.is_file()}


def values(home: Path) -> dict[str, Any]:
    """Return the files by what they say: JSON may be laid out anew."""
    return {name: json.loads(text) if name.endswith(".json") else text for name, text in files(home).items()}


def put(home: Path, before: dict[str, str]) -> None:
    for name, text in before.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)


@pytest.mark.parametrize("agent", AGENTS)
def test_uninstall_takes_back_what_install_wrote_and_no_more(agent: str, home: Path) -> None:
    put(home, BEFORE[agent])
    before = values(home)
    assert run("install", agent, "--yes", "--db", "~/m.db").exit_code == 0
    assert values(home) != before
    assert "m.db" in str(files(home))
    again = run("install", agent, "--yes", "--db", "~/m.db")
    assert "nothing to change" in again.stdout
    assert run("uninstall", agent, "--yes").exit_code == 0
    assert values(home) == before
    assert "nothing to change" in run("uninstall", agent, "--yes").stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_without_files_before_there_are_none_after(agent: str, home: Path) -> None:
    assert run("install", agent, "--yes").exit_code == 0
    assert files(home)
    assert run("uninstall", agent, "--yes").exit_code == 0
    assert files(home) == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_change_is_shown_first_and_needs_consent(agent: str, home: Path) -> None:
    put(home, BEFORE[agent])
    before = files(home)
    shown = run("install", agent, "--dry-run")
    assert "+" in shown.stdout
    assert f"hook {agent}" in shown.stdout or agent == OPENCODE
    refused = run("install", agent, typed="n\n")
    assert refused.stdout.startswith(shown.stdout.rstrip())
    assert "nothing was changed" in refused.stdout
    assert files(home) == before
    assert run("install", agent, typed="y\n").exit_code == 0
    assert files(home) != before


def test_another_database_replaces_the_one_before(home: Path) -> None:
    run("install", CLAUDE_CODE, "--yes", "--db", "/a.db")
    run("install", CLAUDE_CODE, "--yes", "--db", "/b.db", "--user", "ana")
    settings, servers = (json.loads((home / name).read_text()) for name in (".claude/settings.json", ".claude.json"))
    commands = [one["command"] for groups in settings["hooks"].values() for group in groups for one in group["hooks"]]
    assert commands
    assert all(command.endswith("hook claude-code --db /b.db --user ana") for command in commands)
    assert servers["mcpServers"]["remembrancer"]["args"] == ["mcp", "--project", ".", "--db", "/b.db", "--user", "ana"]


def test_the_hooks_are_those_of_the_plugin(home: Path) -> None:
    run("install", CLAUDE_CODE, "--yes", "--db", "~/.remembrancer/memory.db")
    plugin = Path("src/remembrancer/cli/coding_agents/files/claude-code")
    wanted = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    written = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    assert list(written) == list(wanted)
    for event, groups in wanted.items():
        (own,), (theirs,) = (one[0]["hooks"] for one in (written[event], groups))
        assert (own["type"], own["timeout"]) == (theirs["type"], theirs["timeout"])
        expanded = theirs["command"].replace("~", str(home))
        assert own["command"].endswith(expanded)
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["remembrancer"]
    own_server = json.loads((home / ".claude.json").read_text())["mcpServers"]["remembrancer"]
    assert own_server["args"] == [word.replace("~", str(home)) for word in server["args"]]
    for file in (plugin / ".claude-plugin" / "plugin.json", Path(".claude-plugin/marketplace.json")):
        assert json.loads(file.read_text())["name"] == "remembrancer"
    market = json.loads(Path(".claude-plugin/marketplace.json").read_text())
    assert Path(market["plugins"][0]["source"]).resolve() == plugin.resolve()


def test_the_folders_of_the_agents_may_be_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    for agent in (CLAUDE_CODE, CODEX, OPENCODE):
        assert run("install", agent, "--yes").exit_code == 0
    assert {Path(name).parts[0] for name in files(home)} == {"claude_config_dir", "codex_home", "xdg_config_home"}


def test_codex_has_a_block_of_its_own_in_its_configuration(home: Path) -> None:
    put(home, BEFORE[CODEX])
    run("install", CODEX, "--yes", "--db", '/with "quotes".db')
    text = (home / ".codex" / "config.toml").read_text()
    assert text.startswith(CODEX_CONFIG)
    config = tomllib.loads(text)
    assert config["mcp_servers"]["remembrancer"]["args"][-1] == '/with "quotes".db'
    assert config["mcp_servers"]["other"] == {"command": "other"}
    assert "SessionEnd" not in json.loads((home / ".codex" / "hooks.json").read_text())["hooks"]


@pytest.mark.parametrize(
    ("agent", "name", "text", "reason"),
    [
        (CLAUDE_CODE, ".claude/settings.json", '{"model": // a comment\n "opus"}', "no JSON object"),
        (CLAUDE_CODE, ".claude/settings.json", "[]", "no JSON object"),
        (CLAUDE_CODE, ".claude/settings.json", '{"hooks": []}', "hooks is not an object"),
        (CODEX, ".codex/config.toml", "model = ", "is no TOML"),
        (CODEX, ".codex/config.toml", '[mcp_servers.remembrancer]\ncommand = "mine"\n', "not ours"),
        (CODEX, ".codex/config.toml", "# >>> remembrancer\n", "has no"),
        (OPENCODE, ".config/opencode/opencode.json", "\x00", "no JSON object"),
    ],
)
def test_a_file_that_cannot_be_changed_is_named_and_nothing_is_written(
    agent: str, name: str, text: str, reason: str, home: Path
) -> None:
    put(home, {name: text})
    refused = run("install", agent, "--yes")
    assert refused.exit_code == 2
    assert reason in refused.stderr
    assert str(home / name) in refused.stderr
    assert files(home) == {name: text}


def test_a_link_stays_a_link(home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "settings.json").write_text("{}\n")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to(home / "dotfiles" / "settings.json")
    run("install", CLAUDE_CODE, "--yes")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert "hook claude-code" in (home / "dotfiles" / "settings.json").read_text()


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        (CLAUDE_CODE, ".claude.json", '{"mcpServers": {"remembrancer": {"command": "mine"}}}'),
        (CLAUDE_CODE, ".claude/commands/remembrancer/recall.md", "mine"),
        (CLAUDE_CODE, ".claude/settings.json", '{"hooks": {"Stop": {"x": 1}}}'),
        (OPENCODE, ".config/opencode/opencode.json", '{"mcp": {"remembrancer": {"command": ["mine"]}}}'),
    ],
)
def test_what_another_program_has_under_our_name_stays(agent: str, name: str, text: str, home: Path) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)
    refused = run("install", agent, "--yes")
    assert refused.exit_code == 2
    assert str(home / name) in refused.stderr
    run("uninstall", agent, "--yes")
    assert files(home) == {name: text}


def test_a_hook_of_the_user_that_runs_ours_among_others_stays(home: Path) -> None:
    own = ["/opt/x/remembrancer hook claude-code --db /a.db && notify-send done", "echo remembrancer hook claude-code"]
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": one} for one in own]}]}}
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps(hooks))
    for command in ("install", "uninstall"):
        assert run(command, CLAUDE_CODE, "--yes").exit_code == 0
        assert all(json.dumps(one) in (home / ".claude" / "settings.json").read_text() for one in own)


def test_the_difference_shows_no_secret_and_a_folder_is_no_database(home: Path) -> None:
    secret = "ghp_" + "R4nd0mT0kenR4nd0mT0kenR4nd0mT0ken99"
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"gh": {"env": {"GITHUB_TOKEN": secret}}}}))
    shown = run("install", CLAUDE_CODE, "--dry-run")
    assert (shown.exit_code, secret in shown.stdout) == (0, False)
    for db in ("", str(home)):
        folder = run("install", CLAUDE_CODE, "--yes", "--db", db)
        assert (folder.exit_code, "is no file" in folder.stderr) == (2, True)


def test_wrong_arguments(home: Path) -> None:
    assert "not one of" in run("install", "emacs").stderr
    assert "Missing argument" in run("install").stderr
    service = run("install", CODEX, "--yes", "--db", "postgresql://ana@host/memory")
    assert (service.exit_code, "in a file" in service.stderr) == (2, True)
    assert "asks no question" in run("install", CODEX, "--json").stderr
    printed = json.loads(run("install", CODEX, "--json", "--yes").stdout)
    assert printed["written"] is True
    assert [Path(name).name for name in printed["changed"]] == ["hooks.json", "config.toml"]
