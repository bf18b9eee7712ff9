"""Names show all that they hold: emoji of several signs may stand in them, invisible characters may not."""

import pytest

from remembrancer import InvalidInput, NewObservation, Scope, SyncMemory
from tests.rows import each_row

EMOJI = ("👩‍👩‍👧‍👦", "🇮🇹", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "👩🏽‍🚀", "🏳️‍🌈", "Ana 🧑‍💻 1", "1️⃣", "🫩")
HIDDEN = (
    "a\u200bb",
    "a\u200db",
    "\u202eab",
    "a\nb",
    "\u200d👩",
    "👩\u200d",
    "a\U000e0061",
    "a\x07",
    "\ufeffa",
    "👩\u200d\u200d👩",
)


@each_row("name", EMOJI)
def test_an_emoji_of_several_signs_is_a_name(name: str) -> None:
    with SyncMemory(":memory:", embedder="none", background=False, user=name, tenant=name, actor=name) as memory:
        memory.record("tea", speaker=name)
        saved = memory.save(NewObservation(text="Ana drinks tea", author=name))
        assert memory.get(saved.record.id).scope == Scope(tenant=name, user=name)


@each_row("name", HIDDEN)
def test_what_hides_something_is_none(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"user .* contains control characters"):
        Scope(user=name)
    with SyncMemory(":memory:", embedder="none", background=False) as memory:
        with pytest.raises(InvalidInput):
            memory.record("tea", speaker=name)
        with pytest.raises(InvalidInput):
            memory.within(memory.scope, actor=name).save("tea")
