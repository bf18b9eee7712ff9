"""Personal data is found beside any other character, but where that makes it part of something else."""

from remembrancer.guard.personal.find import find_personal
from remembrancer.types.policy import PersonalDataType

# A form, and the characters before which it is part of something longer.
FORMS = (
    (PersonalDataType.IP, "8.8.8.8", "a_.-"),
    (PersonalDataType.IP, "2001:4860:4860::8888", "a1_.:"),
    (PersonalDataType.IDENTITY, "123-45-6789", "a1_.-"),
    (PersonalDataType.IDENTITY, "X2482300W", "a1_.-"),
    (PersonalDataType.PHONE, "(212) 555-0123", ""),
    (PersonalDataType.PHONE, "212-555-0123", "a1_.-+"),
)


def test_what_stands_before_a_form_decides() -> None:
    for data_type, form, parts in FORMS:
        for before in (" ", "\n", *parts):
            found = [one.start for one in find_personal(f"{before}{form}", (data_type,))]
            assert found == ([] if before in parts else [1]), (data_type, form, before)


def test_one_number_after_another_is_found() -> None:
    text = "123-45-6789 X2482300W 123-45-6789\n8.8.8.8 8.8.4.4"
    assert [(one.data_type, one.start) for one in find_personal(text)] == [
        (PersonalDataType.IDENTITY, 0),
        (PersonalDataType.IDENTITY, 12),
        (PersonalDataType.IDENTITY, 22),
        (PersonalDataType.IP, 34),
        (PersonalDataType.IP, 42),
    ]
