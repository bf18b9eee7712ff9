"""Each page of the console, read as its HTML: it loads, links to pages that exist, and shows what it has to."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from remembrancer import Filter, NewObservation
from remembrancer.operations import OPERATIONS
from remembrancer.service.console.app import PAGES
from remembrancer.service.console.checked_memory import FILE_RIGHTS, checked
from remembrancer.types.lifecycle import Status

from .conftest import ANA, BEN, Browser, Consoled, address_of, consoled, filled, links, plain

pytestmark = pytest.mark.anyio
STATIC = Path("src/remembrancer/service/console")
# Pages that need a name in the address.
NAMED = ("/conversation", "/governance/report")
SCOPE = "user=ana&agent=travel"
MORE = (
    f"/?{SCOPE}",
    f"/search?q=Which+flight%3F&block=1&why=invoice&{SCOPE}",
    f"/search?q=xylophone+quorum&{SCOPE}",
    f"/search/compare?q=flight&{SCOPE}",
    "/conversation?session=lisbon&at=agent%3Dtravel%26user%3Dana&turn=2",
    "/conversation?session=apollo/1+%26+more&at=project%3Dapollo%26user%3Dben",
    f"/memories?kinds=observation&types=preference&tags=travel&since=2026-01-01T00:00&{SCOPE}",
    f"/learning?part=rules&{SCOPE}",
    f"/learning?part=records&tier=raw&{SCOPE}",
    f"/learning?part=nights&preview=1&{SCOPE}",
    "/learning?part=review",
    f"/ask?q=flight&{SCOPE}",
    f"/graph?name=Ana&{SCOPE}",
    f"/graph?part=lis&{SCOPE}",
    "/operations?count=1",
    "/governance?count=1",
    "/governance/retention?preview=1",
    "/governance/erasure?person=Clara",
    "/governance/erasure?user=ana",
    "/governance/audit?action=created",
)


class Outline(HTMLParser):
    """What is wrong with a page as a document."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.faults: list[str] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.ids += [named["id"] or ""] if "id" in named else []
        self.headings += [tag] if tag == "h1" else []
        # What the policy of the page would refuse.
        self.faults += [f"{tag} {name}" for name in named if name == "style" or name.startswith("on")]
        if tag == "script" and "src" not in named:
            self.faults.append("inline script")
        addresses = [named.get(name) or "" for name in ("src", "href", "action")]
        self.faults += [one for one in addresses if urlsplit(one).netloc or one.startswith("javascript:")]


def faults(page: str) -> list[str]:
    """What is wrong with a page."""
    outline = Outline()
    outline.feed(page)
    doubled = {id for id in outline.ids if outline.ids.count(id) > 1}
    return [*outline.faults, *(f"id {id} twice" for id in doubled), *([] if len(outline.headings) == 1 else ["h1"])]


async def test_every_page_loads_and_every_link_of_it_opens(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    (deleted,) = await console.memory.within(BEN).governance.retention.list_soft_deleted()
    wrong: dict[str, object] = {}
    waiting = [path for path in PAGES if "{" not in path and path not in NAMED] + list(MORE)
    seen: set[str] = set()
    while waiting:
        address = waiting.pop()
        found = await browser.http.get(f"/console{address}")
        if deleted.id in address:
            # The audit log names what was deleted since.
            assert found.status_code == 404
        elif found.status_code != 200:
            wrong[address] = (found.status_code, plain(found.text)[-200:])
        elif found.headers["content-type"].startswith("text/html") and (bad := faults(found.text)):
            wrong[address] = bad
        if len(seen) < 250 and found.headers["content-type"].startswith("text/html"):
            new = {one.removeprefix("/console") for one in links(found.text) if "/assets/" not in one} - seen
            seen |= new
            waiting += sorted(new)
    assert wrong == {}
    assert len(seen) > 100


async def test_an_empty_store_says_on_every_page_what_to_do_next(browser: Browser) -> None:
    for path in PAGES:
        if "{" not in path and path not in NAMED:
            page = await browser.open(path)
            assert faults(page) == [], path
    assert "Record a message" in plain(await browser.open(""))
    assert "Record a message with a session" in plain(await browser.open("/conversations"))
    assert "Ask what the agent would ask" in plain(await browser.open("/search"))


async def test_a_memory_shows_its_story(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    page = await browser.open(address_of(likes))
    words = plain(page)
    assert "never earlier" in words
    assert "I moved to Lisbon, and I cannot stand early flights." in words, "its evidence"
    assert "Book the 11:20 by default" in words, "what rests on it"
    assert "Revision 2" in words
    assert "Revision 1" in words
    assert "<ins>only, never earlier</ins>" in page
    assert "You’re right" in words
    assert "You’re wrong" in words


async def test_the_picture_of_the_graph_shows_one_type(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within((await filled(console.memory)).scope)
    await ana.save("Luigi Bertelli works at Acme.")
    await ana.save("Luigi Bertelli lives in Rome.")
    page = await browser.open(f"/graph?name=Luigi+Bertelli&{SCOPE}")
    assert "acme: organisation" in page
    assert "rome: place" in page
    page = await browser.open(f"/graph?name=Luigi+Bertelli&type=place&{SCOPE}")
    assert "luigi bertelli: person" in page, "the middle stays"
    assert "rome: place" in page
    assert "acme: organisation" not in page


async def test_a_wrong_memory_leaves_contexts_with_what_rests_on_it_and_comes_back(
    console: Consoled, browser: Browser
) -> None:
    likes = await filled(console.memory)
    await browser.send(address_of(likes), action="wrong")
    page = plain(await browser.open("/memories"))
    assert "1 derived memory went with it." in page
    ana = console.memory.within(likes.scope)
    assert (await ana.get(likes.id)).status is Status.REJECTED
    assert "after 10:00 only" not in (await ana.context(task="Book a flight for Ana")).text
    shown = plain(await browser.open(address_of(likes)))
    assert "Undo “wrong”" in shown
    await browser.send(address_of(likes), action="undo")
    assert (await ana.get(likes.id)).status is Status.ACTIVE
    assert {one.status for one in await ana.dependents(likes.id)} == {Status.ACTIVE}


async def test_several_memories_are_changed_after_a_preview_and_that_is_undone(
    console: Consoled, browser: Browser
) -> None:
    ana = console.memory.within((await filled(console.memory)).scope)
    found = await ana.list(Filter(kinds=["message"]), limit=2)
    chosen = [f"{one.id} agent=travel&user=ana" for one in found.records]
    preview = await browser.send("/memories/bulk", 200, action="delete", id=chosen)
    assert "would be deleted" in plain(preview.text)
    assert {(await ana.get(one.split()[0])).status for one in chosen} <= {Status.ACTIVE, Status.RAW}
    await browser.send("/memories/bulk", action="delete", id=chosen, confirmed="1")
    page = await browser.open("/memories")
    assert "Deleted: 2 memories." in plain(page)
    ids = " ".join(one.replace(" ", "~") for one in chosen)
    await browser.send("/memories/bulk", action="restore", confirmed="1", ids=ids)
    assert {(await ana.get(one.split()[0])).status for one in chosen} <= {Status.ACTIVE, Status.RAW}


async def test_all_that_match_a_filter_are_deleted_after_a_preview_and_restored(
    console: Consoled, browser: Browser
) -> None:
    ana = console.memory.within((await filled(console.memory)).scope)
    address = f"/memories/bulk?kinds=episode&{SCOPE}"
    preview = await browser.send(address, 200, action="delete-matching")
    assert "4 memories match" in plain(preview.text)
    refused = await browser.send(address, 422, action="delete-matching-now", expected="3")
    assert "4 memories match by now" in plain(refused.text)
    await browser.send(address, action="delete-matching-now", expected="4")
    assert await ana.episodes.list() == []
    page = await browser.open("/memories")
    assert 'value="restore-many"' in page
    deleted_at = page.partition('name="deleted_at" value="')[2].partition('"')[0]
    await browser.send(f"/memories/bulk?{SCOPE}", action="restore-many", deleted_at=deleted_at)
    assert len(await ana.episodes.list()) == 4


async def test_the_past_is_read_and_nothing_of_it_is_changed(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    first = (await console.memory.within(likes.scope).timeline.history(likes.id))[0]
    at = first.since.isoformat().replace("+", "%2B")
    page = await browser.open(f"{address_of(likes)}&as_of={at}")
    assert "You look at the memory as of" in plain(page)
    assert "never earlier" not in page.partition("<blockquote")[2].partition("</blockquote>")[0]
    assert "You’re wrong" not in page
    sent = await browser.http.post(
        f"/console{address_of(likes)}&as_of={at}", data={"form_token": await browser.token(), "action": "wrong"}
    )
    assert sent.status_code == 405
    before = "2020-01-01T00:00"
    for path in (
        "",
        "/search?q=flight",
        "/memories",
        "/timeline",
        "/learning",
        "/learning?part=rules",
        "/ask?q=flight",
    ):
        sign = "&" if "?" in path else "?"
        assert "never earlier" not in await browser.open(f"{path}{sign}as_of={before}&{SCOPE}"), path


@pytest.mark.parametrize("console", [{"read_only": True}], indirect=True)
async def test_a_console_that_only_reads_has_no_form_and_refuses_each(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    page = await browser.open(address_of(likes))
    assert "You’re wrong" not in page
    for address, fields in (
        (address_of(likes), {"action": "wrong"}),
        (address_of(likes), {"action": "delete"}),
        ("/learning/rules", {"rule": "Be brief."}),
        ("/governance/keys", {"action": "create", "name": "x", "rights": "read"}),
        ("/operations", {"action": "night"}),
    ):
        refused = await browser.send(address, 403, **fields)
        assert "only reads" in plain(refused.text)
    assert (await console.memory.within(likes.scope).get(likes.id)).status is Status.ACTIVE


async def test_times_are_those_of_the_zone_of_the_tenant(tmp_path: Path) -> None:
    zone = {"time_zone": "Pacific/Auckland"}
    async with consoled(str(tmp_path / "m.db"), settings=zone) as console, console.browser().http as http:
        await console.memory.record("Hello", session="s", occurred_at=datetime(2026, 1, 1, 12, tzinfo=UTC))
        page = (await http.get("/console/memories")).text
        assert "2026-01-02 01:00" in page
        assert "NZDT" in page


async def test_personal_data_is_masked_until_a_holder_of_the_right_asks(console: Consoled, browser: Browser) -> None:
    await console.memory.save(NewObservation(text="Ana's IBAN is DE89370400440532013000"))
    assert "DE89370400440532013000" not in await browser.open("/memories")
    assert "DE89370400440532013000" in await browser.open("/memories?reveal=1")


async def test_a_report_and_an_archive_are_whole(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    await ana.save(NewObservation(text="Ana's IBAN is DE89370400440532013000"))
    found = await browser.http.get("/console/governance/report?name=ana")
    assert "DE89370400440532013000" in found.text
    assert found.headers["content-disposition"] == "attachment; filename=report.md"
    assert "name the user" in plain(await browser.open("/governance/report", 422))
    sent = await browser.send("/governance/archives", 200, action="create", passphrase="correct horse battery")
    assert sent.headers["content-type"] == "application/octet-stream"
    assert b"DE8937" not in sent.content
    file = {"file": ("copy.rmb", sent.content)}
    fields = {"form_token": await browser.token(), "action": "check", "passphrase": "correct horse battery"}
    checked = await browser.http.post("/console/governance/archives", data=fields, files=file)
    assert "The archive opens" in plain(checked.text)


async def test_what_a_person_reads_is_audited_as_the_consoles(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    await browser.open(address_of(likes))
    await console.memory.admin.flush()
    rows = await console.memory.within(likes.scope).governance.audit.list(limit=50)
    assert ("console", "read", "get") in {(one.origin, one.action, one.kind) for one in rows}
    assert {one.origin for one in console.handled} == {"console"}


async def test_the_search_says_that_a_memory_did_not_fit_into_the_tokens(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    asked = f"/search?q=early+flights&why=early+flights&{SCOPE}"
    assert "it was recalled at rank" in plain(await browser.open(asked))
    assert "it did not fit into the remaining tokens of 1" in plain(await browser.open(f"{asked}&max_tokens=1"))


async def test_a_search_of_the_console_does_not_count_as_a_recall(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    ana = console.memory.within(likes.scope)
    await ana.admin.flush()
    before = (await ana.get(likes.id)).usage_count
    await browser.open(f"/search?q=When+does+Ana+fly%3F&block=1&{SCOPE}")
    await ana.admin.flush()
    assert (await ana.get(likes.id)).usage_count == before


async def test_wrong_input_is_a_page_that_says_what_to_change(browser: Browser) -> None:
    for address, status, words in (
        ("/nothing", 404, "there is no such page"),
        ("/memories/01a22500-0000-7000-8000-000000000000", 404, "Nothing is here"),
        ("/memories?as_of=yesterday", 422, "as_of is not a time"),
        ("/memories?since=2026-13-01", 422, "since is not a time"),
        ("/memories?kinds=dream", 422, "use one of"),
        ("/memories?cursor=x", 422, "cursor"),
        ("/memories?limit=many", 422, "limit must be a whole number"),
        ("/memories?minimum_importance=high", 422, "minimum_importance must be a number"),
        ("/search?q=x&profile=best", 422, "best"),
        ("/conversation?session=none", 404, "Nothing is here"),
        ("/conversation", 422, "names no session"),
        ("/learning?part=dreams", 422, "no part"),
        ("/governance/erasure?receipt=none", 404, "Nothing is here"),
        ("/memories?project=" + "x" * 201, 422, "200"),
    ):
        page = plain(await browser.open(address, status))
        assert words in page, (address, page)
        assert "Go to the home page" in page


def test_no_page_can_do_what_rest_cannot() -> None:
    class Everything:
        def __getattr__(self, name: str) -> object:
            return self

    memory = checked(Everything(), read_only=False)  # pyright: ignore[reportArgumentType] -- only its names are read
    assert set(FILE_RIGHTS).isdisjoint(OPERATIONS)
    for name in ("within", "authenticator", "folder_sync", "caller", "_engine"):
        with pytest.raises(AttributeError):
            getattr(memory, name)
