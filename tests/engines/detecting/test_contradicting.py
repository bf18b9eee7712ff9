"""Which rules cannot both be followed."""

from remembrancer.learn.detect.keys import contradict
from tests.rows import each_row


@each_row(
    "one, other, contradicts",
    [
        ("topic=invoice -> to=tom", "topic=invoice -> to=lea", True),
        ("topic=invoice -> to=tom", "topic=order -> to=lea", False),
        ("topic=invoice -> to=tom", "contact=lara & topic=invoice -> to=lea", True),
        ("topic=invoice -> to=tom", "contact=lara -> to=lea", False),
        ("topic=invoice -> to=tom", "topic=invoice -> tool=portal", False),
        ("from=lea & topic=invoice -> to=tom", "from=tom & topic=invoice -> to=lea", True),
        ("did=best -> changed_to=yours", "did=yours -> changed_to=best", True),
        ("did=best -> changed_to=yours", "did=best -> changed_to=kind regards", True),
        ("did=best -> changed_to=yours", "did=yours -> changed_to=kind regards", True),
        ("did=best -> changed_to=yours", "did=docx -> changed_to=pdf", False),
        ("* -> says=remove+semicolon", "* -> says=add+semicolon", True),
        ("* -> says=remove+semicolon", "contact=lara -> says=keep+semicolon", True),
        ("* -> says=remove+semicolon", "* -> says=add+number", False),
        ("contact=lara -> says=shorten", "contact=lara -> says=lengthen+reply", True),
        ("contact=lara -> says=shorten", "contact=quinn -> says=lengthen", False),
        ("contact=lara -> says=!archive+mail", "contact=lara -> says=archive+mail", True),
        ("says=meeting -> moved clock>=10:00", "says=meeting -> moved clock<=09:00", True),
        ("says=meeting -> moved clock>=10:00", "says=meeting -> moved clock<=15:00", False),
        ("amount>5000 -> to=tom", "amount<=5000 -> to=lea", False),
        ("amount>5000 -> to=tom", "amount>10000 -> to=lea", True),
        ("when=mon -> tool=portal", "when=fri<12:00 -> tool=phone", False),
    ],
)
def test_rules_contradict_each_other_where_one_occasion_asks_for_both(one: str, other: str, contradicts: bool) -> None:
    assert contradict(one, other) is contradict(other, one) is contradicts
