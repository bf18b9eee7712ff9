"""Tokens are counted exactly where the encoding is known, and never under a stated margin elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer import InvalidInput
from remembrancer.llm.providers import tokenizer
from remembrancer.llm.providers.tokenizer import ENCODINGS, Encoding, tokenizer_named
from remembrancer.types.text import Estimate
from tests.rows import each_row

O200K = Encoding("o200k_base")
RAISED = Encoding("o200k_base", margin=1.6)


# Counted with the encodings that OpenAI has published.
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("tiktoken is great!", 6), ("お誕生日おめでとう", 8), ("2 + 2 = 4", 7)],
)
def test_a_text_has_the_tokens_that_the_model_counts(text: str, tokens: int) -> None:
    assert (O200K.count(text), O200K.exact, O200K.margin) == (tokens, True, 1)


@given(st.text())
def test_any_text_is_counted(text: str) -> None:
    assert (O200K.count(text) == 0) == (text == "")
    assert O200K.count(text) <= len(text.encode(errors="replace"))


def test_half_a_surrogate_pair_is_counted_as_one_mark() -> None:
    assert O200K.count("a\ud800b") == O200K.count("a?b")


def test_what_looks_like_a_special_token_is_counted_as_the_text_it_is() -> None:
    assert O200K.count("<|endoftext|>") > 1


@given(st.text())
def test_a_margin_raises_every_count_by_it(text: str) -> None:
    assert 1.6 * O200K.count(text) <= RAISED.count(text) < 1.6 * O200K.count(text) + 1
    assert not RAISED.exact


@each_row(
    "model, name",
    [
        ("", "o200k_base"),
        ("openai:gpt-4o-mini", "o200k_base"),
        ("openai:gpt-4.1", "o200k_base"),
        ("openai:gpt-5-nano", "o200k_base"),
        ("openai:o3-mini", "o200k_base"),
        ("openai:gpt-4", "cl100k_base"),
        ("openai:gpt-4-turbo", "cl100k_base"),
        ("openai:gpt-3.5-turbo", "cl100k_base"),
        ("openai:gpt-oss-20b", "o200k_harmony"),
        ("openai:qwen3.5:4b", "qwen3.5"),
        ("openai:llama-3.1-8b", "o200k_base x 1.3"),
        ("google:gemini-2.5-flash", "o200k_base x 1.3"),
        ("anthropic:claude-sonnet-4-5", "o200k_base x 1.6"),
        ("openai:claude-through-a-gateway", "o200k_base x 1.6"),
    ],
)
def test_a_model_is_counted_by_its_own_encoding_or_by_another_with_a_margin(model: str, name: str) -> None:
    assert tokenizer_named("auto", model=model).name == name


@pytest.mark.parametrize("name", [*ENCODINGS, "estimate"])
def test_a_tokenizer_that_is_named_is_taken_for_every_model(name: str) -> None:
    found = tokenizer_named(name, model="anthropic:claude-sonnet-4-5")
    assert (found.name.startswith("estimate-"), found.name) in ((True, Estimate.name), (False, name))


def test_a_name_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there are o200k_base, cl100k_base"):
        tokenizer_named("p50k")


def test_without_the_package_there_is_the_estimate_and_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "installed", lambda: False)
    assert tokenizer_named("auto", model="openai:gpt-4o").name == Estimate.name
    assert Estimate().count("four words of text") > 0
    with pytest.raises(InvalidInput, match="toktok-rs is missing"):
        tokenizer_named("o200k_base")
