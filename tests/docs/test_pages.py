"""The pages name what exists: commands, routes, tools, names, links; and the site has every page."""

import re
import shlex
from pathlib import Path
from typing import Any, cast

import click
import yaml

import remembrancer
from remembrancer.cli.app import app
from remembrancer.operations import RESOURCES
from remembrancer.service.mcp.tools import TOOLS
from tests.docs import routes_table
from tests.docs.test_examples import PAGES, README, code
from tests.policy.sources import REPOSITORY

DOCS = REPOSITORY / "docs"
MOST_LINES = 90
OPERATORS = re.compile(r"\s(?:&&|\|\||[|;>#&])(?=\s|$)")


def commands(page: Path) -> list[str]:
    """Return the command lines of a page that begin with the program, without comments, pipes and redirections."""
    lines = [line.strip() for block in code(page, "sh") for line in block.replace("\\\n", " ").splitlines()]
    parts = [part.strip() for line in lines for part in line.partition(" #")[0].split("&&")]
    return [OPERATORS.split(part)[0].strip() for part in parts if part.startswith("remembrancer ")]


def test_every_command_of_a_page_is_accepted() -> None:
    """Each is parsed without being run."""
    refused: list[str] = []
    seen = 0
    for page in PAGES:
        for line in commands(page):
            seen += 1
            if (reason := _refusal(shlex.split(line)[1:])) is not None:
                refused.append(f"{page.name}: {line}: {reason}")
    assert refused == []
    assert seen > 50


def _refusal(words: list[str]) -> str | None:
    found: click.Command = app
    names = list(words)
    try:
        while isinstance(found, click.Group):
            found = found.commands[names[0]]
            names = names[1:]
        found.make_context(found.name, names, resilient_parsing=False)
    except KeyError as error:
        return f"no command {error}"
    except click.exceptions.Exit:
        return None
    except click.ClickException as error:
        # A file that an earlier command of the page makes is not there now.
        return None if re.search(r"does not exist\.$|No such file", error.format_message()) else error.format_message()
    return None


def test_the_table_of_routes_is_that_of_the_operations() -> None:
    assert routes_table.PAGE.read_text(encoding="utf-8") == routes_table.page()


def test_every_tool_of_mcp_is_in_the_reference() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| `(\w+)` \|$", routes_table.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: right for name, right in rows if name in TOOLS} == {
        name: right.value for name, (_, right) in TOOLS.items()
    }


def test_every_exported_name_and_every_resource_is_in_the_reference_of_python() -> None:
    types = (DOCS / "reference/python-types.md").read_text(encoding="utf-8")
    assert [name for name in remembrancer.__all__ if f"`{name}`" not in types] == []
    page = (DOCS / "reference/python.md").read_text(encoding="utf-8")
    headings = [f"### `memory.{path}`" for path in RESOURCES if path]
    assert [heading for heading in headings if heading not in page] == []


def test_every_page_is_in_the_navigation_of_the_site_or_a_decision() -> None:
    settings = cast("dict[str, Any]", yaml.safe_load(re.sub(r"!!python\S*", "", _text("mkdocs.yml"))))
    listed = set(_pages(settings["nav"]))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert listed - there == set()
    assert {name for name in there - listed if not name.startswith("decisions/0")} == set()
    index = (DOCS / "decisions/README.md").read_text(encoding="utf-8")
    assert [name for name in there if name.startswith("decisions/0") and f"({Path(name).name})" not in index] == []


def _text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def _pages(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    parts = cast("list[Any]", part if isinstance(part, list) else list(cast("dict[str, Any]", part).values()))
    return [name for one in parts for name in _pages(one)]


def test_every_link_of_a_page_leads_to_a_file_and_a_heading() -> None:
    broken = [
        f"{page.relative_to(REPOSITORY)}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(page))
        if not target.startswith(("http:", "https:")) and not _leads_somewhere(page, target)
    ]
    assert broken == []


def _without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.is_file() or path.suffix != ".md":
        return path.is_file() and not anchor
    return not anchor or anchor in {_slug(line) for line in re.findall(r"^#+ (.*)$", _without_code(path), re.MULTILINE)}


def _slug(heading: str) -> str:
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
