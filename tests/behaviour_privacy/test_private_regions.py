"""A region marked private is stored by no spelling of its marks, over no line, and over no message of one call."""

import json
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from remembrancer import InvalidInput, NewEpisode, NewMessage, NewObservation, Scope, SyncMemory
from remembrancer.cli.app import app
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.language.private import strip_private
from remembrancer.types.record import Role
from tests.rows import each_row, every_row

HIDDEN = "wombat" + "burrow"
WIDE = {ord(letter): chr(ord(letter) + 0xFEE0) for letter in "</>=privateacehlstwy"}
ALIKE = {ord(a): b for a, b in zip("piae", "ріае", strict=True)}
OPENINGS = (
    "<private>", "<PRIVATE>", "<Private>", "<pRiVaTe>", "< private >", "<\nprivate\n>", "<\tprivate\t>",
    "<private reason='x > y'>", '<private since="2020" a>', "<private\nwhy=1>", "<private/>", "&lt;private&gt;",
    "&LT;private&GT;", "&amp;lt;private&amp;gt;", "&#60;private&#62;", "&#x3c;private&#x3E;", "&#060;private&#062;",
    "&lt private&gt", "\\u003cprivate\\u003e", "\\x3cprivate\\x3e", "%3Cprivate%3E", "%3c%20private%3e",
    "<&#112;rivate>", "<pr&#105;vate>", "<private", "<private why=",
)  # fmt: skip
DISGUISES: dict[str, Callable[[str], str]] = {
    "plain": lambda tag: tag,
    "wide": lambda tag: tag.translate(WIDE),
    "alike": lambda tag: tag.translate(ALIKE),
    "zero-width": lambda tag: "\u200b".join(tag),
    "joined": lambda tag: tag.replace("private", "pri\u00adva\u2060te"),
    "bold": lambda tag: tag.replace("private", "𝐩𝐫𝐢𝐯𝐚𝐭𝐞"),
}
SPELLINGS = sorted({disguise(tag) for disguise, tag in product(DISGUISES.values(), OPENINGS)})
CLOSINGS = ("</private>", "</ PRIVATE >", "&lt;/private&gt;", "＜／ｐｒｉｖａｔｅ＞", "")


def test_there_are_a_hundred_spellings() -> None:
    assert len(SPELLINGS) >= 100


def test_what_any_spelling_opens_is_gone() -> None:
    middles = ("{}", "a\n{}\nb", "<private>a</private>{}", "<b>{}</b>")
    with every_row() as row:
        for opening, closing, middle in product(SPELLINGS, CLOSINGS, middles):
            with row(opening, closing, middle):
                shown = strip_private(f"before {opening} {middle.format(HIDDEN)} {closing}")
                assert HIDDEN not in shown
                assert shown.startswith("before [REDACTED]")


@each_row(
    "text",
    [
        "a private matter",
        "<privateer>",
        "privat < 3",
        "100% private",
        "the &lt; sign",
        "C:\\users\\private",
        "приватное",
        "<priv>x</priv>",
    ],
)
def test_what_is_no_mark_is_left_alone(text: str) -> None:
    assert strip_private(text) == text


@given(
    st.lists(st.sampled_from([HIDDEN, "\n", " x ", "é", "\u200b", "中"]), max_size=8).map("".join),
    st.sampled_from(SPELLINGS),
)
def test_the_words_around_a_region_stay_as_they_were(around: str, opening: str) -> None:
    kept = around.replace(HIDDEN, "kept")
    shown = strip_private(f"{kept}{opening} {HIDDEN}</private>{kept}")
    assert shown in (f"{kept}[REDACTED]{kept}", f"{kept}[REDACTED]")


@pytest.fixture
def memory(db_arguments: dict[str, Any]) -> Any:
    with SyncMemory(**db_arguments, embedder="none", background=False) as memory:
        yield memory


@pytest.fixture(params=["sqlite", "postgres"])
def db_arguments(request: pytest.FixtureRequest, tmp_path: Any) -> dict[str, Any]:
    if request.param == "postgres":
        # Loaded only by the tests that need it.
        from tests.databases import SECRET

        return {"db": request.getfixturevalue("database").serving_url, "secret_key": SECRET}
    return {"db": str(tmp_path / "m.db")}


def stored(memory: SyncMemory) -> str:
    return "\n".join(record.text for record in memory.list(limit=1000).records)


def said(texts: list[str], session: str = "s") -> list[NewMessage]:
    return [NewMessage(text=text, role=Role.USER, session=session) for text in texts]


def test_a_region_over_the_messages_of_one_call_is_not_stored(memory: SyncMemory) -> None:
    chance = random.Random(3)
    for opening in chance.sample(SPELLINGS, 30):
        memory.messages.record_many(said(["hello", f"then {opening}", HIDDEN, f"{HIDDEN} </private> after", "bye"]))
    assert HIDDEN not in stored(memory)
    assert "after" in stored(memory)
    assert "bye" in stored(memory)


def test_a_region_that_is_never_closed_hides_what_its_speaker_goes_on_to_say(memory: SyncMemory) -> None:
    answer = NewMessage(text="and I said otters", role=Role.ASSISTANT, session="s")
    memory.messages.record_many([*said(["<private>", HIDDEN, HIDDEN]), answer])
    assert HIDDEN not in stored(memory)
    assert "otters" in stored(memory)


def test_a_region_of_one_session_hides_nothing_of_another(memory: SyncMemory) -> None:
    memory.messages.record_many(
        [*said(["<private>"]), *said(["an otter"], session="t"), *said([f"{HIDDEN}</private>"])]
    )
    assert HIDDEN not in stored(memory)
    assert "an otter" in stored(memory)


@pytest.mark.parametrize("before", [0, 498, 499])
def test_a_region_over_the_edge_of_a_piece_of_an_import_is_not_stored(
    memory: SyncMemory, tmp_path: Any, before: int
) -> None:
    texts = [f"message {number}" for number in range(before)]
    texts += ["open <private> one", HIDDEN, f"{HIDDEN}</private> otters <private>", "storks", HIDDEN + "</private>"]
    texts += [f"open <private> {HIDDEN}", *(f"later {number}" for number in range(200))]
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps({"role": "user", "content": text}) for text in texts))
    done = memory.messages.import_file(ChatFile.at(path))
    shown = [record.text for record in memory.list(limit=1000).records]
    assert done.created == len(shown) == len(texts)
    assert HIDDEN not in "\n".join(shown)
    assert "storks" not in "\n".join(shown)
    assert "[REDACTED] otters [REDACTED]" in shown
    assert "later 0" in shown


def test_a_region_over_the_claims_of_one_call_is_not_stored(memory: SyncMemory) -> None:
    texts = ["ob one <private> a", f"{HIDDEN} two", f"{HIDDEN}</private> otters", "storks <private> x", "herons"]
    memory.observations.save_many([NewObservation(text=text) for text in texts])
    assert HIDDEN not in stored(memory)
    assert "otters" in stored(memory)
    assert "herons" in stored(memory)


def test_a_region_over_the_episodes_of_one_call_is_not_stored(memory: SyncMemory) -> None:
    texts = ["did one <private> a", f"{HIDDEN} two", f"{HIDDEN}</private> otters"]
    memory.episodes.record_many([NewEpisode(summary=text) for text in texts])
    assert [one.text for one in memory.episodes.list()][::-1] == [
        "did one [REDACTED]",
        "[REDACTED]",
        "[REDACTED] otters",
    ]


def test_a_region_over_several_lines_of_a_chat_is_not_stored(tmp_path: Any) -> None:
    path = str(tmp_path / "m.db")
    ran = CliRunner().invoke(
        app,
        ["chat", "--db", path, "talk"],
        input=f"hello\n<private>\n{HIDDEN}\n</private> and otters\nbye\n<private>{HIDDEN}\n{HIDDEN}\n",
    )
    assert ran.exit_code == 0, ran.output
    with SyncMemory(path, embedder="none", background=False) as memory:
        texts = stored(memory)
    assert HIDDEN not in texts
    assert "[REDACTED] and otters" in texts
    assert "bye" in texts


@pytest.mark.parametrize("dimension", ["tenant", "project", "agent", "user"])
def test_a_scope_whose_name_holds_a_secret_is_refused_before_it_is_stored(memory: SyncMemory, dimension: str) -> None:
    for name in ("gh" + "p_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH7", f"<private>{HIDDEN}</private>"):
        names = {"tenant": "local", dimension: name}
        other = memory.within(Scope(**names))
        with pytest.raises(InvalidInput, match=f"{dimension} contains a .*use another") as refusal:
            other.save("an otter")
        assert name not in str(refusal.value)
