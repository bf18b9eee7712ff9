"""A prompt is rendered from named places alone; an answer is one whole value or none."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from remembrancer import BadModelOutput
from remembrancer.llm.prompts import Template, parse, schema_of, template_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    text: str
    priority: Annotated[int, Field(ge=1, le=5)]
    kind: Literal["plan", "fact"] = "fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    claims: list[Claim]
    reason: str | None = None


SOURCE = "version: greet-1\n---\nYou greet people.\n\nBriefly.\n---\nGreet {{name}}, who is {{mood}}.\n"
CLAIMS = st.builds(
    Claims,
    claims=st.lists(
        st.builds(Claim, text=st.text(), priority=st.integers(1, 5), kind=st.sampled_from(["plan", "fact"]))
    ),
    reason=st.none() | st.text(),
)


def test_a_file_is_a_version_what_stays_and_what_differs() -> None:
    assert template_of(SOURCE) == Template(
        version="greet-1", system="You greet people.\n\nBriefly.", text="Greet {{name}}, who is {{mood}}."
    )


@pytest.mark.parametrize(
    "source",
    ["", "greet-1\n---\na\n---\nb", "version: greet-1\n---\nonly one part", "version: x\n---\nto {{name}}\n---\nb"],
)
def test_a_file_without_its_parts_or_with_a_place_in_what_stays_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="lines of ---"):
        template_of(source)


@given(st.text(), st.text())
def test_values_stand_in_their_places_as_they_are(name: str, mood: str) -> None:
    prompt = template_of(SOURCE).render(name=name, mood=mood)
    assert (prompt.version, prompt.system) == ("greet-1", "You greet people.\n\nBriefly.")
    assert prompt.text == "Greet " + name + ", who is " + mood + "."


def test_a_value_that_looks_like_a_place_is_left_alone() -> None:
    assert template_of(SOURCE).render(name="{{mood}}", mood=r"\1{x}").text == r"Greet {{mood}}, who is \1{x}."


@pytest.mark.parametrize("values", [{}, {"name": "Ana"}, {"name": "Ana", "mood": "glad", "age": "9"}])
def test_a_place_without_a_value_and_a_value_without_a_place_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(KeyError, match="greet-1"):
        template_of(SOURCE).render(**values)


@given(CLAIMS)
def test_what_was_asked_for_comes_back_whole(claims: Claims) -> None:
    text = json.dumps(asdict(claims))
    assert parse(text, Claims) == claims
    assert parse(f"```json\n{text}\n```", Claims) == claims
    assert parse(f"\n ```\n{text}\n ```  \n", Claims) == claims


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs", "L"])) | st.text(alphabet='{}[]":,0e-`\n '))
def test_any_text_is_a_whole_value_or_bad_output(text: str) -> None:
    with suppress(BadModelOutput):
        assert isinstance(parse(text, Claims), Claims)


@given(CLAIMS, st.data())
def test_half_an_answer_is_none(claims: Claims, data: st.DataObject) -> None:
    text = json.dumps(asdict(claims))
    with pytest.raises(BadModelOutput):
        parse(text[: data.draw(st.integers(0, len(text) - 1))], Claims)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("quokka", "answer: json_invalid"),
        ("[" * 10_000, "answer: json_invalid"),
        ('{"claims": [{"text": "quokka", "priority": 9}]}', "claims.0.priority: less_than_equal"),
        ('{"claims": [{"text": "quokka", "priority": 1, "kind": "quokka"}]}', "claims.0.kind: literal_error"),
        ('{"reason": "quokka"}', "claims: missing"),
    ],
)
def test_the_error_says_where_the_answer_breaks_and_repeats_nothing_of_it(answer: str, told: str) -> None:
    with pytest.raises(BadModelOutput, match="agreed shape") as caught:
        parse(answer, Claims)
    assert told in str(caught.value)
    assert "quokka" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_shape_is_asked_for_by_its_schema_with_every_field_and_no_other() -> None:
    schema = schema_of(Claims)
    assert schema["required"] == ["claims", "reason"]
    assert schema["additionalProperties"] is False
    assert "default" not in str(schema)
    assert schema["$defs"]["Claim"]["properties"]["priority"]["maximum"] == 5
