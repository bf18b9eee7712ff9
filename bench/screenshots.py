"""Pictures of every page of the console, wide, on a phone and in the dark, for the page of the console in the docs.

    python -m bench.screenshots [FOLDER]

The store is a sample with something of everything; the browser is Debian's Chromium.
"""

import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from remembrancer import Memory, NewMessage, NewObservation, Scope
from remembrancer.types.access import Right
from tests.surfaces.web.journeys import signed_in
from tests.surfaces.web.stage import PHONE, WIDE, Stage, Store, at, browsing, staged

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "console"
ANA = Scope(user="ana", agent="travel")
OF_ANA = "user=ana&agent=travel"
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "wide": {"viewport": WIDE},
    "phone": {"viewport": PHONE},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
}
_TALK = (
    ("user", "I moved to Lisbon last month, and I cannot stand early flights."),
    ("assistant", "Noted. I will look for flights after 10:00."),
    ("user", "My sister Clara visits on 12 December. Find us a table for four."),
    ("assistant", "Booked: Taberna Rua das Flores, 20:30, four people."),
    ("user", "Always send me the invoice before the trip, not after."),
    ("assistant", "Understood: the invoice comes before every trip."),
    ("user", "The window seat, please, and nothing that leaves before ten."),
    ("assistant", "TP 533 at 11:20, seat 14A. The invoice is in your mail."),
)


async def sample(memory: Memory) -> tuple[str, str]:
    """Fill a memory for the pictures; return the id of the memory that is shown alone, and the key of its operator."""
    now, ana = datetime.now(UTC), memory.within(ANA)
    for day in range(6, 0, -1):
        for number, (role, text) in enumerate(_TALK):
            said = now - timedelta(days=day, minutes=90 - number)
            speaker = "Ana" if role == "user" else "Travel agent"
            session = "lisbon" if day > 2 else "oslo"
            trip = "" if day == 6 else f" (trip {7 - day})"
            await ana.record(
                NewMessage(text=text + trip, role=role, session=session, speaker=speaker, occurred_at=said)
            )
    await ana.notes.observe("lisbon")
    first = (await ana.sessions.messages("lisbon", last=1))[0]
    new = NewObservation(text="Ana takes early flights", type="preference", tags=["travel"], evidence=[first.id])
    likes = (await ana.save(new)).record
    await ana.edit(likes.id, "Ana takes flights after 10:00 only")
    await ana.save(NewObservation(text="Book the 11:20 to Lisbon by default", type="decision", evidence=[likes.id]))
    for text in ("Clara works at Hotel Tejo.", "Hotel Tejo is located in Lisbon.", "Ana works at Acme.",
                 "Marco Bertelli is the CFO at Acme.", "Ana reports to Marco Bertelli."):  # fmt: skip
        await ana.save(text)
    await ana.rules.add("Send the invoice before the trip.")
    await ana.facts.set("contact/clara/role", "sister")
    for day in range(20, 2, -2):
        await ana.episodes.record(
            "shortened the mail to three sentences",
            event="approval_modified",
            contact="Clara",
            occurred_at=now - timedelta(days=day),
        )
    await ana.admin.maintenance.run()
    for _ in range(3):
        await ana.context("oslo", question="Which flight suits Ana?")
        await ana.recall("When does Ana fly?")
    ben = memory.within(Scope(project="apollo", user="ben"))
    await ben.record("The kitchen of apollo needs paint before Friday.", session="apollo")
    await ben.delete((await ben.save("Ben drinks tea")).record.id)
    await memory.admin.keys.create("ana's agent", user="ana", rights=["read", "write"], days=90)
    await memory.governance.holds.place("case 7", reason="a claim about trip 3", person="Clara")
    await memory.governance.retention.set("short chats", keep_days=365, kinds=["message"])
    operator = await memory.admin.keys.create("operator", rights=list(Right))
    return likes.id, operator.token


def addresses(id: str) -> Mapping[str, str]:
    """Return the pages by the name of their picture."""
    own = at(agent="travel", user="ana")
    return {
        "home": f"/?{OF_ANA}",
        "search": f"/search?q=Which+flights+does+Ana+take%3F&why=invoice&{OF_ANA}",
        "compare": f"/search/compare?q=Which+flights+does+Ana+take%3F&{OF_ANA}",
        "conversations": "/conversations",
        "conversation": f"/conversation?session=lisbon&at={own}&turn=12",
        "memories": "/memories?kinds=observation",
        "memory": f"/memories/{id}?at={own}",
        "learning": f"/learning?{OF_ANA}",
        "rules": f"/learning?part=rules&{OF_ANA}",
        "nights": f"/learning?part=nights&preview=1&{OF_ANA}",
        "timeline": "/timeline",
        "graph": f"/graph?name=Ana&{OF_ANA}",
        "difference": "/diff",
        "ask": f"/ask?q=Which+flights+does+Ana+take%3F&{OF_ANA}",
        "operations": "/operations?count=1",
        "costs": "/costs?days=7",
        "governance": "/governance?count=1",
        "retention": "/governance/retention",
        "legal": "/governance/holds",
        "erasure": "/governance/erasure?user=ana",
        "audit": "/governance/audit",
        "archives": "/governance/archives",
        "export": "/governance/export",
        "keys": "/governance/keys",
        "scopes": "/scopes",
    }


def pictures(stage: Stage, folder: Path) -> int:
    """Take a picture of each page in each look; return their number."""
    id, token = stage.memory(sample)
    for look, options in LOOKS.items():
        page = stage.person(**options)
        signed_in(page, token)
        for name, address in addresses(id).items():
            page.goto(f"/console{address}")
            page.screenshot(path=folder / f"{name}-{look}.png")
    return len(LOOKS) * len(addresses(id))


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, browsing() as browser:
        store = Store(db=str(Path(place) / "sample.db"))
        with staged(store, browser, Path(place)) as stage:
            print(f"{pictures(stage, folder)} pictures in {folder}")


if __name__ == "__main__":
    main()
