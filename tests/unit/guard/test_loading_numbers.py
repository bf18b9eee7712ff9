"""What checks numbers is loaded before it is looked for any."""

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.guard.personal.find import has_number
from remembrancer.guard.personal.numbers import LONG


@given(text=st.from_regex(LONG), around=st.sampled_from(["{}", "see {}.", "key {}: it holds"]))
def test_whatever_is_looked_at_closer_is_loaded_for(text: str, around: str) -> None:
    assert has_number(around.format(text))


def test_an_iban_in_small_letters_is_loaded_for() -> None:
    assert has_number("[SECRET:github-token] fr14abcd1234ef567890")
    assert not has_number("The heron is grey, and stands at pond 12.")
