"""Each row of the table of secrets finds its own examples, and none of its near misses."""

from remembrancer.guard.redact import SecretPolicy, apply_policy
from remembrancer.guard.secrets import Secret
from remembrancer.guard.secrets.find import find_secrets
from remembrancer.guard.secrets.kinds import kinds
from tests.rows import every_row
from tests.unit.guard.samples import sample

EXAMPLES = [(kind.name, example) for kind in kinds() for example in kind.examples]
NEAR = [(kind.name, near) for kind in kinds() for near in kind.near]


def test_every_example_is_found_where_it_stands_and_by_its_kind() -> None:
    with every_row() as row:
        for kind, example in EXAMPLES:
            for seed in range(5):
                with row(kind, example, seed):
                    held = sample(example, seed)
                    assert find_secrets(held.text) == (Secret(kind=kind, start=held.start, end=held.end),), held.text


def test_every_near_miss_is_left_alone() -> None:
    with every_row() as row:
        for kind, near in NEAR:
            for seed in range(5):
                with row(kind, near, seed):
                    text = sample(near, seed).text
                    assert find_secrets(text) == (), text


def test_no_masked_example_holds_anything_more() -> None:
    with every_row() as row:
        for kind, example in EXAMPLES:
            with row(kind, example):
                held = sample(example)
                masked = apply_policy(held.text, SecretPolicy.MASK).text
                assert masked == held.text[: held.start] + f"[SECRET:{kind}]" + held.text[held.end :]
                assert find_secrets(masked) == ()


def test_there_are_many_kinds_each_told_once() -> None:
    names = [kind.name for kind in kinds()]
    assert len(names) == len(set(names)) >= 60
    assert all(kind.form and kind.examples and kind.near for kind in kinds())
