"""The client for JavaScript, as its users meet it: against the service, installed from its package, up to date."""

import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import remembrancer
from remembrancer.context.assemble import Block, Item
from remembrancer.context.formats import Format
from remembrancer.context.report import Context, Report
from remembrancer.context.slots import Slot
from remembrancer.resources.json_values import dump
from tests.answers import MODEL, chunk, events, words
from tests.endpoints import Answer, Endpoint, Stream
from tests.node import Node, node_here, ran
from tests.serving import Running, serving
from tests.unit.providers.test_language_models import completion

CLIENT = Path(remembrancer.__file__).parents[2] / "clients" / "javascript"
SAID = "To Oban [1]."
RIGHTS = ("read", "write", "learn", "govern", "operate")


@pytest.fixture(scope="module")
def node() -> Node:
    return node_here()


def packed(node: Node, folder: Path) -> Path:
    """The package, as it would be published."""
    told = ran([*node.npm, "pack", "--json", "--offline", "--pack-destination", str(folder)], folder=CLIENT)
    (made,) = json.loads(told) if told.lstrip().startswith("[") else json.loads(told).values()
    assert made["size"] < 60_000
    names = {file["path"].partition("/")[0] for file in made["files"]}
    assert names == {"src", "package.json", "README.md", "LICENSE"}
    return folder / made["filename"]


def said(request: dict[str, Any]) -> Answer:
    """What the model says, as its question wants it: at once, slowly, or broken off."""
    question = request["messages"][-1]["content"]
    if not request["stream"]:
        return 200, completion(SAID)
    if "Say slowly" in question:
        return 200, Stream(events=events(*["on "] * 400), pause=0.02)
    if "Say it broken" in question:
        return 200, Stream(events=[chunk("To "), chunk("Oban")], is_cut=True)
    return 200, Stream(events=events(*words(SAID)))


@pytest.fixture
def service(tmp_path: Path) -> Generator[Running]:
    """A service with a model, over a database of its own."""
    with Endpoint(said).serving() as model:
        settings = {
            "REMEMBRANCER_MODEL": MODEL,
            "REMEMBRANCER_MODEL_URL": model.url,
            "REMEMBRANCER_MODEL_RETRIES": "0",
            "REMEMBRANCER_OBSERVE_MODEL": "none",
        }
        with serving(str(tmp_path / "m.db"), tmp_path / "service.log", env=settings) as running:
            yield running


def key_of(db: Path) -> str:
    """A new access key that opens everything."""
    rights = [part for right in RIGHTS for part in ("--right", right)]
    command = [
        sys.executable,
        "-m",
        "remembrancer",
        "admin",
        "keys",
        "create",
        "tests",
        "--db",
        str(db),
        "--json",
        *rights,
    ]
    return json.loads(ran(command))["token"]


@pytest.mark.parametrize("names", ["daily", pytest.param("*", marks=pytest.mark.slow)])
def test_its_own_tests_pass_against_the_service(node: Node, service: Running, tmp_path: Path, names: str) -> None:
    told = {"REMEMBRANCER_URL": service.url, "REMEMBRANCER_KEY": key_of(tmp_path / "m.db")}
    tests = sorted(map(str, (CLIENT / "test").glob(f"{names}.test.js")))
    assert len(tests) > (3 if names == "*" else 0)
    output = ran([*node.node, "--test", "--test-timeout=60000", *tests], folder=CLIENT, env=told)
    assert "fail 0" in output


def test_the_package_has_its_sources_and_is_small(node: Node, tmp_path: Path) -> None:
    assert packed(node, tmp_path).exists()


@pytest.mark.slow
def test_the_package_installs_and_its_first_program_remembers_after_a_restart(node: Node, tmp_path: Path) -> None:
    db, home = tmp_path / "m.db", tmp_path / "home"
    home.mkdir()
    (home / "package.json").write_text('{"private": true, "type": "module"}')
    package = str(packed(node, tmp_path))
    ran([*node.npm, "install", package, "--offline", "--no-audit", "--no-fund"], folder=home)
    assert [path.name for path in (home / "node_modules").iterdir() if path.name[0] != "."] == ["remembrancer"]
    readme = (CLIENT / "README.md").read_text(encoding="utf-8")
    (home / "first.js").write_text(readme.split("```js\n")[1].split("```")[0], encoding="utf-8")
    outputs: list[str] = []
    for _ in range(2):
        with serving(str(db), tmp_path / "service.log") as running:
            outputs.append(ran([*node.node, "first.js"], folder=home, env={"REMEMBRANCER_URL": running.url}))
    before, after = outputs
    assert "I do not know yet" in before
    assert "I remember: Ana lives in Lisbon" in after


def test_what_is_generated_is_up_to_date() -> None:
    ran([sys.executable, str(CLIENT / "generate.py"), "--check"])


def item(slot: Slot, text: str, **more: Any) -> Item:
    return Item(slot=slot, text=text, tokens=1, **more)


LOG = [
    item(Slot.FACTS, "a fact\n"),
    item(Slot.FACTS, "> a fact\n", untrusted=True),
    item(Slot.OBSERVATIONS, "one\n"),
    item(Slot.OBSERVATIONS, "two\n"),
]
TALK = [
    item(Slot.MESSAGES, "[1] hello\n", role="user", speaker="Zoë", message_text="hello"),
    item(Slot.MESSAGES, "[2] a page\n", role="tool", message_text="a page", untrusted=True),
    item(Slot.MESSAGES, "[3] yes\n", role="assistant", message_text="yes"),
]
NEW = [
    item(Slot.WORKING, "at work\n"),
    item(Slot.RECALLED, "recalled\n"),
    item(Slot.RECALLED, "> a page\n", untrusted=True),
    item(Slot.TODAY, "today\n"),
]
REPORT = Report(
    budget=9, tokens=9, tokenizer="estimate", exact=False, margin=1.0, slots={}, caps={}, cacheable=0, dropped={},
    raw=0, noted=0, covered=0, whole=0,
)  # fmt: skip


@pytest.mark.parametrize("form", list(Format))
def test_a_context_reads_the_same_in_both_languages(node: Node, form: Format) -> None:
    made = [
        Context(block=Block(items=tuple(items)), report=REPORT, format=form)
        for items in ([*LOG, *TALK, *NEW], [*LOG, *TALK[:2], *NEW], TALK[:1], TALK, NEW, LOG, [*LOG, *NEW], [])
    ]
    program = f"""
import {{ Context }} from {json.dumps((CLIENT / "src" / "index.js").as_uri())}
const told = {json.dumps([dump(context) for context in made])}.map((one) => new Context(one))
const read = told.map(({{ text, prefix, messages, marked }}) => ({{ text, prefix, messages, marked }}))
console.log(JSON.stringify(read))
"""
    read = json.loads(ran([*node.node, "--input-type=module", "--eval", program]))
    assert read == [
        {
            "text": context.text,
            "prefix": context.prefix,
            "messages": context.messages(),
            "marked": {"system": context.system(), "messages": context.messages(marks=True)},
        }
        for context in made
    ]
