"""Who comes in, by which name, from which page, how often; what health, readiness and numbers say to whom."""

import pytest

from remembrancer import Scope

from .conftest import House

pytestmark = pytest.mark.anyio


async def test_without_a_key_only_localhost_is_a_name_of_the_service(house: House) -> None:
    async with house.guest() as guest:
        assert (await guest.get("/v1/stats")).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", ""):
            assert (await guest.get("/v1/stats", headers={"Host": host})).status_code == 421
        for name in ("127.0.0.1:8077", "[::1]:8077", "localhost"):
            assert (await guest.get("/v1/stats", headers={"Host": name})).status_code == 200


async def test_pages_of_elsewhere_do_not_come_in(house: House) -> None:
    token = await house.key()
    async with house.guest(token) as guest:
        for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
            answer = await guest.get("/v1/stats", headers={"Origin": origin})
            assert (answer.status_code, answer.json()["code"]) == (403, "wrong-origin")
            assert "access-control-allow-origin" not in answer.headers
        assert (await guest.get("/v1/stats", headers={"Origin": "http://localhost:3000"})).status_code == 200


@pytest.mark.parametrize("house", [{"origins": ("https://app.example",)}], indirect=True)
async def test_a_page_that_is_set_comes_in(house: House) -> None:
    async with house.guest(await house.key()) as guest:
        asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        assert (await guest.options("/v1/recall", headers=asked)).status_code == 200
        answer = await guest.get("/v1/stats", headers={"Origin": "https://app.example"})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "https://app.example")


@pytest.mark.parametrize("house", [{"metrics_token": "a token"}], indirect=True)
async def test_numbers_are_closed_once_keys_are_needed_but_to_their_token(house: House) -> None:
    async with house.guest() as guest:
        assert (await guest.get("/metrics")).status_code == 200
        token = await house.key(rights=["read", "operate"])
        for shown, status in (("", 404), (token, 404), ("a tokem", 404), ("a token", 200)):
            headers = {"Authorization": f"Bearer {shown}"} if shown else {}
            assert (await guest.get("/metrics", headers=headers)).status_code == status
        assert (await guest.get("/health")).json() == {"status": "ok"}
        assert (await guest.get("/ready")).json() == {"ready": True, "store": True, "models": True}


async def test_who_tries_many_keys_is_to_wait(house: House) -> None:
    await house.key()
    async with house.guest("rmb_no_such") as guest:
        statuses = [(await guest.get("/v1/stats")).status_code for _ in range(60)]
    assert statuses[0] == 401
    assert statuses[-1] == 429


async def test_a_request_has_an_id_in_its_answer_and_in_what_is_told_of_it(house: House) -> None:
    async with house.guest(tenant="acme") as guest:
        named = await guest.get("/v1/memories/nobody", headers={"X-Request-ID": "mine-1"})
        made = await guest.get("/v1/stats", headers={"X-Request-ID": "not\tone" * 20})
    assert named.headers["X-Request-ID"] == named.json()["request_id"] == "mine-1"
    assert len(made.headers["X-Request-ID"]) == 16
    told = house.handled[0]
    assert (told.id, told.route, told.status, told.tenant) == ("mine-1", "get", 404, "acme")


async def test_whole_store_work_takes_an_operators_key(house: House) -> None:
    every = ["read", "write", "learn", "govern", "operate"]
    acme = house.memory.within(Scope(tenant="acme"))
    tenants = (await acme.keys.create("acme", rights=every)).token
    ours = await house.key(rights=every)
    async with house.guest(tenants) as guest, house.guest(ours) as operator:
        for path in ("doctor", "reindex"):
            assert (await guest.post(f"/v1/upkeep/{path}", json={})).status_code == 403
            assert (await operator.post(f"/v1/upkeep/{path}", json={})).status_code == 200
        assert (await guest.get("/v1/stats")).json()["bytes"] == 0
        assert (await operator.get("/v1/stats")).json()["bytes"] > 0


async def test_costs_are_told_to_no_key_of_one_user(house: House) -> None:
    rights = ["read", "govern"]
    async with house.guest(await house.key(user="ana", rights=rights)) as ana:
        assert (await ana.get("/v1/costs")).status_code == 403
    async with house.guest(await house.key(project="apollo", rights=rights)) as apollo:
        assert (await apollo.get("/v1/costs")).json()["budgets"] == []
