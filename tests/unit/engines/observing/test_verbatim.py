"""That a note says what was said: each word of a sentence, and none but a resolved date."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bench.verbatim import faults, noted, said_in

DAILY = Path(__file__).with_name("daily_german.txt").read_text(encoding="utf-8").splitlines()
BOUNDED = [
    "Well, maybe I'll take the job if they pay at least 60,000, but I'm not sure.",
    "Tomasz, you open the gate, and nobody parks before ten unless the landlord objects.",
    "Only just arrived in Lyon; all but two of us made it.",
    "No worries, Ana may come on Friday, but only if both agree.",
    "Quizás no pueda ir antes de las 10, salvo que llueva.",
]


def test_a_note_has_each_word_that_was_said_and_no_other_but_a_date() -> None:
    assert len(DAILY) == 200
    for line in [*DAILY, *BOUNDED]:
        for sentence in said_in(line):
            if note := noted(sentence):
                assert (sentence, note, faults(sentence, note)) == (sentence, note, [])


@given(st.lists(st.sampled_from([word for line in DAILY for word in line.split()]), min_size=3, max_size=20))
def test_whatever_is_said_loses_no_word(words: list[str]) -> None:
    for sentence in said_in(" ".join(words)):
        if note := noted(sentence):
            assert faults(sentence, note) == []
