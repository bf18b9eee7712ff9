"""Names in texts of any length, told by their places."""

from remembrancer.guard.personal.find import find_personal
from remembrancer.types.policy import NAME_TYPES


def test_a_long_text_is_looked_at_in_pieces_and_told_by_its_places() -> None:
    text = "The weather is fine.\n" * 3_000 + "Yesterday I met Bob Miller in Paris."
    assert [text[one.start : one.end] for one in find_personal(text, NAME_TYPES)] == ["Bob Miller", "Paris"]
