"""The templates of the console. Every value is escaped."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast
from zlib import crc32

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from remembrancer.types.calls import dollars
from remembrancer.types.record import kind_of, title_of, type_of
from remembrancer.types.results import snippet
from remembrancer.types.text import shown

THEME_COOKIE = "remembrancer_theme"
_FOLDER = Path(__file__).parent
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def environment() -> Environment:
    """Return the templates; loaded once, with the files of the pages. Blocking the first time."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: Mapping[str, Callable[[Any], object]] = {
        "kind": lambda record: kind_of(record).value,
        "type": type_of,
        "title": title_of,
        "snippet": snippet,
        # Invisible characters, and those that turn the direction of writing, are marked.
        "visible": lambda text: shown(str(text).replace("\t", "    ")),
        "pretty": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
        "dollars": lambda micros: f"${dollars(micros):,.4f}",
        "number": lambda value: f"{value:,}",
        "percent": lambda share: f"{100 * share:.0f} %",
    }
    cast(dict[str, object], made.filters).update(filters)
    made.globals.update(asset=asset_address)
    for name in made.list_templates():
        made.get_template(name)
    for path in (_FOLDER / "static").iterdir():
        asset_address(path.name)
    return made


def render(name: str, **values: Any) -> str:
    """Return a template with values as HTML."""
    return environment().get_template(name).render(**values)


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """Return a file of the console with its media type, or `None`."""
    path = _FOLDER / "static" / name
    if path.parent != _FOLDER / "static" or not path.is_file() or path.suffix not in _MEDIA_TYPES:
        return None
    return path.read_bytes(), _MEDIA_TYPES[path.suffix]


@cache
def asset_address(name: str) -> str:
    """Return the address of a file of the console, which changes with its content."""
    found = asset(name)
    content = found[0] if found else b""
    return f"/console/assets/{crc32(content):08x}/{name}"


def theme_of(request: Request) -> str:
    """Return the theme that a person chose: `light`, `dark`, or `""` for that of the browser."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in ("light", "dark") else ""


def plain_page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Return a page without the menu."""
    return HTMLResponse(render(name, theme=theme_of(request), **values), status)


def heading_of(status: int, title: str) -> str:
    """Return the heading of the page of a request that failed."""
    known: Mapping[int, str] = {404: "Nothing is here", 403: "Not allowed"}
    return known.get(status, title[:1].upper() + title[1:])


def error_page(request: Request, status: int, title: str, detail: str) -> Response:
    """Return the page of a request that failed before its caller was known, with what to change."""
    return plain_page(request, "error.html", status, heading=heading_of(status, title), detail=detail, code=status)
