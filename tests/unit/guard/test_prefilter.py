"""The pieces that a text has are those that Python finds in it, whatever the text and the pieces are."""

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.guard.prefilter import Prefilter

PIECES = ("a", "ab", "abc", "bcd", "número", "mot", "private_key", "@tcp(", "\u00e9\u00e8", "-u")
PREFILTER = Prefilter(PIECES)
TEXT = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(max_size=12), st.just("\udc80"), st.text("abcmot", max_size=40))
)


@given(TEXT.map("".join))
def test_what_is_within_is_what_python_finds(text: str) -> None:
    assert PREFILTER.within(text) == {piece for piece in PIECES if piece in text}
    assert PREFILTER.within(text * 9) == {piece for piece in PIECES if piece in text * 9}
