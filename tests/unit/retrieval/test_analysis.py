"""How texts and questions are cut into terms."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remembrancer.language.analysis import language_of, names_in, names_of_code, parts_of, slots_of, terms_of

SPEECH = st.lists(
    st.sampled_from(["Ana", "walks", "walking", "the", "der", "über", "naïve", "東京都", "v1.2", "a/b.py", "--", "x"]),
    max_size=8,
).map(" ".join)


def forms(question: str) -> set[str]:
    return {form for slot in slots_of(question) for form in slot}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("She walked the dogs", "walking dog"),
        ("ANA LIKES TEA", "ana tea"),
        ("Das Café hat geöffnet", "cafe"),
        ("naïve résumé", "naive resume"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("京都へ行きました", "京都"),
        ("서울에 갔다", "서울"),
        ("see src/app/main.py", "src/app/main.py"),
        ("run version 3.11.7 there", "3.11.7"),
        ("ask ana@example.test", "ana@example.test"),
        ("issue ABC-123 is open", "abc-123"),
        ("Straße", "STRASSE"),
    ],
)
def test_a_question_meets_the_text_that_has_its_words(said: str, asked: str) -> None:
    counts = terms_of(said).counts
    assert [slot for slot in slots_of(asked) if not any(form in counts for form in slot)] == []
    assert slots_of(asked)


def test_terms_are_counted_and_the_length_leaves_out_common_words() -> None:
    terms = terms_of("the cat and the cats")
    assert (terms.counts["cat"], terms.counts["the"], terms.length) == (2, 2, 2)


def test_stop_words_are_asked_for_only_where_there_is_nothing_else() -> None:
    assert slots_of("where is the harbour") == (("harbour",),)
    assert forms("to be or not to be") >= {"to", "be"}


def test_a_word_of_another_language_stands_in_its_own_form_and_in_the_english_one() -> None:
    (slot,) = slots_of("wo sind die Häuser")
    assert slot[0] in terms_of("die Häuser sind dort").counts
    assert len(slot) == 2


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where did she go and what did she do there", "english"),
        ("wo ist das haus und wer hat es gesehen", "german"),
        ("harbour lighthouse", "english"),
        ("", "english"),
    ],
)
def test_a_language_is_told_by_its_common_words(text: str, language: str) -> None:
    assert language_of(text.split()) == language


def test_a_speaker_is_found_in_a_question_however_it_is_written() -> None:
    assert names_in("Was sagte José?") >= {"jose"}


@given(text=st.text())
def test_any_text_has_terms_of_at_least_length_one_that_a_store_can_keep(text: str) -> None:
    terms = terms_of(text)
    assert terms.length >= 1
    assert all(0 < len(term) <= 128 and count > 0 for term, count in terms.counts.items())
    assert not any(space in term for term in terms.counts for space in (" ", "\t", "\n", "\0"))


@given(text=SPEECH)
@example(text="walking der der a/b.py")
def test_a_text_asked_for_in_its_own_words_holds_every_word_asked(text: str) -> None:
    counts = terms_of(text).counts
    assert [slot for slot in slots_of(text) if not any(form in counts for form in slot)] == []


@given(text=SPEECH)
def test_no_slot_is_asked_twice(text: str) -> None:
    slots = slots_of(text)
    assert len(set(slots)) == len(slots)


@given(one=SPEECH, other=SPEECH)
def test_lines_are_counted_as_they_are_apart_when_the_language_is_the_same(one: str, other: str) -> None:
    if "der" in one + other or "über" in one + other:
        return
    together = terms_of(f"{one}\n{other}").counts
    apart = [terms_of(one).counts, terms_of(other).counts]
    assert dict(together) == {term: sum(counts.get(term, 0) for counts in apart) for term in {*apart[0], *apart[1]}}


@given(text=SPEECH, labels=st.lists(SPEECH, max_size=3))
def test_labels_add_terms_and_neither_length_nor_weight(text: str, labels: list[str]) -> None:
    plain, labelled = terms_of(text), terms_of(text, labels=labels)
    assert labelled.length == plain.length
    assert {term: labelled.counts[term] for term in plain.counts} == dict(plain.counts)
    added = labelled.counts.keys() - plain.counts.keys()
    assert {labelled.counts[term] for term in added} <= {1}
    slots = [slot for label in labels for slot in slots_of(label)]
    assert [slot for slot in slots if not any(form in labelled.counts for form in slot)] == []


@pytest.mark.parametrize(
    ("name", "part"), [("getUserById", "user"), ("HTTPServer", "server"), ("parseJSON", "json"), ("v2Client", "client")]
)
def test_a_name_of_code_is_found_by_its_words(name: str, part: str) -> None:
    counts = terms_of(f"call {name} first").counts
    assert counts[part] == 1
    assert counts[name.casefold()] == 1


@pytest.mark.parametrize("text", ["The Cat sat", "NATO met", "eighteen 18 times", "AB", "snake_case_name"])
def test_what_has_no_capital_inside_is_no_name_of_code(text: str) -> None:
    assert sum(terms_of(text).counts.values()) == sum(terms_of(text.lower()).counts.values())


def test_a_part_of_a_word_has_three_letters_or_is_one_character_of_an_unspaced_script() -> None:
    assert parts_of("an ox") == {}
    assert parts_of("pgvec") == {("pgvec",): ("pgvec",)}
    assert parts_of("猫") == {("猫",): ("猫",)}
    assert parts_of("黒猫") == {}


@given(text=SPEECH)
def test_only_slots_have_parts(text: str) -> None:
    assert set(parts_of(text)) <= set(slots_of(text))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("where is getUser called", "getUser"),
        ("why ECONN again", "ECONN"),
        ("WHY IS IT SO", ""),
        ("Who is Ana", ""),
    ],
)
def test_names_of_code_are_told_by_their_capitals(question: str, name: str) -> None:
    firsts = {slot[0] for slot in slots_of(name)}
    assert names_of_code(question) == {slot for slot in slots_of(question) if slot[0] in firsts}


@given(st.text("aB1_./-@ é\n", max_size=24))
def test_names_that_hold_marks_are_terms_wherever_they_stand(text: str) -> None:
    """As the shortest pattern of one finds them, which takes long on a text of common words."""
    plain = re.findall(r"(?<!\w)\w+(?:[./:@#_+-]+\w+)+", text)
    names = {name.casefold() for name in plain if re.search(r"[._@/:#\d]", name)}
    found = {term for term in terms_of(text).counts if not term.isalnum()}
    assert found == {name for name in names if not name.isalnum()}


@pytest.mark.parametrize("name", ["getUser", "9User", "HTTPUser", "XMLUser9"])
def test_words_within_names_of_code_are_terms_of_their_own(name: str) -> None:
    assert "user" in terms_of(f"so {name} it is").counts
