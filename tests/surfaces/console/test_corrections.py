"""Defects that reviewers found in the console: each has its test."""

import html
import re
from datetime import UTC, datetime

import pytest

from remembrancer import Filter, NewKey, NewMessage, NewObservation, Scope

from .conftest import ANA, Browser, Consoled, filled, plain

pytestmark = pytest.mark.anyio
SCOPE = "user=ana&agent=travel"


async def test_a_subject_is_erased_in_every_project_and_a_narrower_scope_says_so(
    console: Consoled, browser: Browser
) -> None:
    memory = console.memory
    for project in ("apollo", "zeus", None):
        await memory.within(Scope(project=project, user="ben")).save(f"Ben likes the tea of {project}")
    narrow = plain(await browser.open("/governance/erasure?project=apollo&user=ben"))
    assert "2. Plan" in narrow
    assert "Rows" not in narrow, "a scope is no subject"
    narrow = plain(await browser.open("/governance/erasure?project=apollo&user=ben&subject=user&name=ben"))
    assert "Only memories of project apollo · user ben and the scopes under it" in re.sub(r"\s+", " ", narrow)
    assert "Only memories of" not in plain(await browser.open("/governance/erasure?subject=user&name=ben"))
    await browser.send("/governance/erasure", subject="user", name="ben", typed="ben", reason="a test")
    for project in ("apollo", "zeus", None):
        assert not (await memory.within(Scope(project=project, user="ben")).list()).records


async def test_memories_of_another_scope_are_erased_and_removed_from_all_scopes(
    console: Consoled, browser: Browser
) -> None:
    await filled(console.memory)
    ana = console.memory.within(ANA)
    found = await browser.open("/governance/erasure?person=Lisbon")
    value = html.unescape(re.findall(r'name="memories" value="([^"]+)"', found)[0])
    id, _, at = value.partition(" ")
    plan = await browser.open(f"/governance/erasure?selected=1&memories={id}+{at.replace('&', '%26')}")
    assert "1 selected" in plain(plan)
    assert f'name="at" value="{html.escape(at)}"' in plan
    await browser.open("/governance/erasure?selected=1&person=Lisbon", 422)
    await browser.send("/governance/erasure", memories=id, at=at, typed="erase", reason="a test")
    assert id not in {one.id for one in (await ana.list(Filter(statuses=("active", "raw")))).records}
    gone = (await ana.save("Ana rents a car")).record
    await ana.delete(gone.id)
    sent = await browser.send("/governance/retention", action="purge", id=f"{gone.id} {at}", reason="a test")
    assert "1 memory is removed permanently" in await _notice(browser, sent.headers["location"])


async def test_a_narrower_key_reads_shared_memories_and_has_no_button_for_them(console: Consoled) -> None:
    await filled(console.memory)
    (shared,) = [one for one in (await console.memory.list()).records if one.text.startswith("Deploys")]
    key = await console.memory.admin.keys.create(
        NewKey(name="ana", user="ana", agent="travel", rights=["read", "learn", "write"])
    )
    browser = console.browser()
    async with browser.http:
        await browser.sign_in(key.token)
        listed = await browser.open("/memories")
        address = f"/memories/{shared.id}"
        assert f'href="/console{address}"' in listed
        page = await browser.open(address)
        assert "This access key only reads it." in plain(page)
        assert not re.search(r'name="action" value="(right|wrong|delete|pin)"', page)
        assert f'value="{shared.id} ' not in listed


async def test_an_undo_of_a_whole_page_fits_and_a_larger_one_is_named(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    ids = [(await ana.save(f"Ana has seen town {n}")).record.id for n in range(400)]
    for count, undone in ((50, True), (400, False)):
        chosen = [f"{id} agent=travel&user=ana" for id in ids[:count]]
        sent = await browser.send("/memories/bulk", action="pin", confirmed="1", id=chosen)
        page = await browser.open("/memories?" + SCOPE)
        del sent
        assert f"Pinned: {count} memories." in plain(page)
        assert ('<button class="button small">Undo' in page) is undone
        assert ("There are too many for one Undo" in page) is not undone


async def test_a_notice_that_this_console_did_not_write_is_not_shown(browser: Browser) -> None:
    browser.http.cookies.set("remembrancer_notice", "eyJ0ZXh0IjogIngifQ==.abc", path="/console")
    assert "notice" not in plain(await browser.open("/memories"))


async def test_an_edit_of_masked_personal_data_is_refused(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    saved = (await ana.save("The IBAN of Ana is DE89 3704 0044 0532 0130 00")).record
    address = f"/memories/{saved.id}?{SCOPE}"
    assert "[IBAN]" in await browser.open(address)
    masked = await browser.send(
        address, 422, action="edit", text="The IBAN of Ana is [IBAN], at her bank", type="profile"
    )
    assert "[IBAN] in place of personal data" in plain(masked.text)
    assert "3704" in (await ana.get(saved.id)).text
    await browser.send(
        f"{address}&reveal=1", action="edit", text="Her IBAN is DE89 3704 0044 0532 0130 00", type="profile"
    )
    assert (await ana.get(saved.id)).text.startswith("Her IBAN is DE89")


async def test_a_key_with_an_invalid_time_is_not_made(console: Consoled, browser: Browser) -> None:
    for days in ("-5", "abc", "1e9", "nan"):
        await browser.send("/governance/keys", 422, action="create", name="x", rights="read", days=days)
    assert not await console.memory.admin.keys.list()


async def test_conversations_of_one_moment_are_all_on_some_page(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    await ana.messages.record_many([NewMessage(text=f"Hello {n}", session=f"s{n:03}") for n in range(25)])
    seen, address = set[str](), f"/conversations?limit=10&{SCOPE}"
    for _ in range(3):
        page = await browser.open(address)
        seen |= set(re.findall(r"session=(s\d+)", page))
        older = re.search(r'rel="next" href="/console([^"]+)"', page)
        address = html.unescape(older[1]) if older else ""
    assert len(seen) == 25
    assert not address


async def test_changes_are_found_behind_many_reads(console: Consoled, browser: Browser) -> None:
    saved = (await console.memory.save("Deploys happen on Tuesdays only")).record
    for _ in range(2_300):
        await console.memory.get(saved.id)
    await console.memory.admin.flush()
    assert "created observation" in plain(await browser.open("/governance/audit?changes=1"))


async def test_a_page_shows_the_first_of_many_dependents(console: Consoled, browser: Browser) -> None:
    source = (await console.memory.record("We met in the kitchen")).record
    for n in range(60):
        await console.memory.save(NewObservation(text=f"Conclusion {n} of the kitchen", evidence=[source.id]))
    page = await browser.open(f"/memories/{source.id}")
    assert "The first 50 of 60" in plain(page)


async def test_many_are_restored_though_one_is_refused(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    ids = [(await ana.save(f"Ana has seen town {n}")).record.id for n in range(3)]
    for id in ids:
        await ana.delete(id)
    await ana.save("Ana has seen town 1")
    chosen = [f"{id} {SCOPE}" for id in [ids[1], ids[0], ids[2]]]
    sent = await browser.send("/governance/retention", action="restore", id=chosen)
    text = await _notice(browser, sent.headers["location"])
    assert "Restored: 2 memories. 1 were refused" in text
    preview = await browser.send("/memories/bulk", 200, action="delete", id=[*chosen, "missing "])
    assert "These memories would be deleted" in plain(preview.text)


async def test_bad_values_are_errors_of_the_person(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    for address in (
        "/search?limit=--5&q=x",
        f"/conversation?session=lisbon&turn=--1&{SCOPE}",
        f"/conversation?session=lisbon&turn=99&{SCOPE}",
        "/governance/audit?before=--1",
        "/memories?as_of=0001-01-01T00:00%2B05:00",
        "/memories?since=9999-12-31T23:59-10:00",
        "/memories?minimum_importance=nan",
        "/costs?days=-1",
    ):
        page = await browser.open(address, 422)
        assert "must be" in plain(page) or "is not a time" in plain(page), address
        assert ("Governance" in page) is ("as_of" not in address), "an error has the menu"
    await browser.open("/scopes?next=http://[")
    await browser.send("/learning/review", 422, action="approve", session="lisbon", first="x")
    for path, status in (("/learning/rules", 404), ("/theme", 404), ("/nothing/here", 404)):
        assert "there is no such page" in plain(await browser.open(path, status))


async def test_no_header_or_body_makes_the_console_fail(console: Consoled) -> None:
    token = await console.key()
    browser = console.browser()
    async with browser.http:
        for headers in ({"origin": "http://["}, {"cookie": "remembrancer_session=\u00e4.1.\u00e4"}):
            sent = [(name.encode(), value.encode()) for name, value in headers.items()]
            assert (await browser.http.get("/console/memories", headers=sent)).status_code in (303, 403)
        broken = {"content-type": "multipart/form-data"}
        assert (await browser.http.post("/console/sign-in", content=b"x", headers=broken)).status_code == 422
        answer = await browser.http.post("/console/sign-in", files={"key": ("a", b"x")})
        assert answer.status_code == 422
        assert (await browser.http.post("/console/sign-in/", data={"key": token})).status_code == 303


async def test_another_site_neither_asks_nor_counts_as_a_use(console: Consoled, browser: Browser) -> None:
    likes = await filled(console.memory)
    address = f"/console/ask?q=When+does+Ana+fly%3F&{SCOPE}"
    before = (await console.memory.within(ANA).scores.get(likes.id)).uses
    picture = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert (await browser.http.get(address, headers=picture)).status_code == 403
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    answer = await browser.http.get(address, headers=link)
    assert 'id="answer"' not in answer.text
    assert "When does Ana fly?" in answer.text
    assert (await console.memory.within(ANA).scores.get(likes.id)).uses == before
    assert 'id="answer"' in (await browser.http.get(address)).text


async def test_forms_are_sent_behind_a_proxy_with_another_name(console: Consoled) -> None:
    browser = console.browser()
    async with browser.http:
        token = await browser.token()
        sent = await browser.http.post("/console/theme", data={"form_token": token, "theme": "dark"},
                                       headers={"origin": "https://memory.example.com"})  # fmt: skip
        assert "service_origins" in plain(sent.text)


async def test_changes_have_a_name_in_logs(console: Consoled, browser: Browser) -> None:
    await browser.send("/learning/rules", rule="Send the invoice first.")
    assert console.handled[-1].route == "console change_rule"


async def test_metadata_is_shown_as_it_was_written(console: Consoled, browser: Browser) -> None:
    new = NewObservation(text="The office is there", metadata={"town": "Zürich <b>"})
    saved = (await console.memory.save(new)).record
    assert '"town": "Zürich <b>"' in html.unescape(await browser.open(f"/memories/{saved.id}"))


async def test_the_past_of_a_memory_shows_nothing_later(console: Consoled, browser: Browser) -> None:
    saved = (await console.memory.save("The office is in Bern")).record
    then = datetime.now(UTC)
    await console.memory.edit(saved.id, "The office is in Basel")
    await console.memory.save(NewObservation(text="Visit Basel", evidence=[saved.id]))
    page = plain(await browser.open(f"/memories/{saved.id}?as_of={then.isoformat().replace('+', '%2B')}"))
    assert "Bern" in page
    assert "Basel" not in page


async def test_a_miss_is_explained_for_the_memory_that_was_meant(console: Consoled, browser: Browser) -> None:
    await filled(console.memory)
    page = plain(await browser.open(f"/search?q=early+flights&why=zebra+crossing&{SCOPE}"))
    assert "No active memory of this scope has this id or all of these words" in page


async def _notice(browser: Browser, address: str) -> str:
    return plain(await browser.open(address.removeprefix("/console")))


async def test_names_of_an_entity_are_merged_and_split_off(console: Consoled, browser: Browser) -> None:
    ana = console.memory.within(ANA)
    await ana.save("Luigi Bertelli works at Acme.")
    await ana.save("Gigi lives in Rome.")
    address = f"/graph?name=Luigi+Bertelli&{SCOPE}"
    assert "lives in" not in await browser.open(address)
    await browser.send(
        f"/graph?{SCOPE}", name="luigi bertelli", other="Gigi", action="merge", reason="his friends say so"
    )
    merged = await browser.open(address)
    assert "lives in" in merged
    assert re.search(r"gigi\s*: declared", plain(merged))
    await browser.send(f"/graph?{SCOPE}", name="luigi bertelli", other="gigi", action="split")
    assert "lives in" not in await browser.open(address)
    later = await browser.open(f"{address}&valid_at=2000-01-01T00:00")
    assert "No memory states a relation of it." in plain(later)
