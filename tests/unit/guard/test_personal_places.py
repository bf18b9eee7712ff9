"""Personal data is found beside any other character, but where that makes it part of something else."""

from remembrancer.guard.personal.find import find_personal
from remembrancer.types.policy import Datum

# A form, and the characters before which it is part of something longer.
FORMS = (
    (Datum.IP, "8.8.8.8", "a_.-"),
    (Datum.IP, "2001:4860:4860::8888", "a1_.:"),
    (Datum.IDENTITY, "123-45-6789", "a1_.-"),
    (Datum.IDENTITY, "X2482300W", "a1_.-"),
    (Datum.PHONE, "(212) 555-0123", ""),
    (Datum.PHONE, "212-555-0123", "a1_.-+"),
)


def test_what_stands_before_a_form_decides() -> None:
    for datum, form, parts in FORMS:
        for before in (" ", "\n", *parts):
            found = [one.start for one in find_personal(f"{before}{form}", (datum,))]
            assert found == ([] if before in parts else [1]), (datum, form, before)


def test_one_number_after_another_is_found() -> None:
    text = "123-45-6789 X2482300W 123-45-6789\n8.8.8.8 8.8.4.4"
    assert [(one.datum, one.start) for one in find_personal(text)] == [
        (Datum.IDENTITY, 0),
        (Datum.IDENTITY, 12),
        (Datum.IDENTITY, 22),
        (Datum.IP, 34),
        (Datum.IP, 42),
    ]
