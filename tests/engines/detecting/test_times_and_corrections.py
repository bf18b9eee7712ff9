"""Parts of the day, what is put right again and again in whatever words, and what of it is no habit."""

import math
from itertools import product
from random import Random

import numpy as np
import pytest
from planted import NAMES, Habit, deed, noise, repeated, some_time
from planted_more import signals

from remembrancer.learn.detect.deeds import parse_deeds
from remembrancer.learn.detect.detect import detect
from remembrancer.learn.detect.grounds import grounds
from remembrancer.learn.detect.statistics import log_repeated, meet, packed
from remembrancer.types.pattern import BehaviourEvent, Category, Pattern
from tests.rows import each_row

SEEDS = range(6)


def ledger(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """One topic is dealt with before lunch."""
    at = some_time(random, since=11, until=12.5) if holds else some_time(random, since=13)
    text = random.choice(("ticked off the entries", "matched both sides", "closed the sheet"))
    return deed(id, "action_completed", text, at=at, contact=random.choice(NAMES), topic="ledger")


def lunchtime(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """What is drafted over lunch is turned away."""
    words = ("eating now", "come back to it", "one thing at a time", "no time for it", "busy with other matters")
    event, text = ("approval_rejected", random.choice(words)) if holds else ("approval_approved", "it went out")
    at = some_time(random, since=12, until=13.5)
    return deed(id, event, text, at=at, contact=random.choice(NAMES))


def footnotes(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Something about footnotes is put right, never in the same words and without any act that is known."""
    texts = ("footnotes belong at the end", "wants the footnotes smaller", "footnotes in italics please", "footnotes!")
    return deed(id, "correction", random.choice(texts), at=some_time(random), contact=random.choice(NAMES))


def sum_line(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """Of drafts it is the total that is changed, told in any words."""
    part = "total" if holds else "heading"
    words = ("went over it", "looked again", "took another look", "came back to it", "had a second thought")
    return deed(id, "draft_modified", random.choice(words), at=some_time(random), part=part)


def ending(random: Random, id: str, holds: bool) -> BehaviourEvent:
    """One way to end a letter is changed into another, and nothing else is ever changed."""
    to = "cordially" if holds else "see you soon"
    texts = ("ended it otherwise", "softer end", "another last line", "wrote the end anew")
    return deed(id, "correction", random.choice(texts), at=some_time(random), did="yours truly", changed_to=to)


def usual(random: Random, size: int) -> list[BehaviourEvent]:
    """Drafts that go out as they stand, in the morning and in the afternoon."""
    times = [some_time(random, until=11) if number % 2 else some_time(random, since=14) for number in range(size)]
    return [deed(f"u{number}", "approval_approved", "it went out", at=at) for number, at in enumerate(times)]


def found(habit: Habit, seed: int, *, times: int, known: tuple[str, ...] = ()) -> list[Pattern]:
    random = Random(seed)
    return detect(
        [*noise(random, 70), *usual(random, 30), *repeated(habit, random, times, holds=0.9)], known=known, limit=20
    )


@pytest.mark.parametrize(
    ("habit", "key", "category"),
    [
        (ledger, "topic=ledger+done -> when=11:00-12:30", Category.RHYTHM),
        (footnotes, "* -> says=footnot", Category.DECISIONS),
        (sum_line, "* -> part=total", Category.WRITING_STYLE),
        (ending, "did=yours truly -> changed_to=cordially", Category.TOOLS),
    ],
)
def test_a_habit_is_found_by_what_is_the_same_in_it(habit: Habit, key: str, category: Category) -> None:
    told = [pattern for seed in SEEDS for pattern in found(habit, seed, times=12)]
    assert all(sum(id.startswith("h") for id in each.episodes) > 0.6 * each.occurrences for each in told)
    assert sum(pattern.category is category for pattern in told) >= 5
    assert sum(pattern.key == key for pattern in told) >= (2 if category is Category.RHYTHM else 5)


def test_what_is_rejected_in_a_part_of_the_day_is_found() -> None:
    told = [pattern for seed in SEEDS for pattern in found(lunchtime, seed, times=18)]
    own = [each for each in told if each.category is Category.RHYTHM and "Between" in each.quote]
    assert len(own) >= 4
    assert all("-> outcome=rejected" in each.key for each in own)


@pytest.mark.parametrize(
    ("habit", "key", "said"),
    [
        (ledger, "topic=ledger+done -> when=11:00-12:30", "between 11:00 and 12:30"),
        (sum_line, "* -> part=total", "total"),
        (ending, "did=yours truly -> changed_to=cordially", "yours truly to cordially"),
    ],
)
def test_a_known_part_of_the_day_or_value_is_counted_anew(habit: Habit, key: str, said: str) -> None:
    for seed in SEEDS:
        again, *others = sorted(found(habit, seed, times=12, known=(key,)), key=lambda each: each.key != key)
        assert again.key == key
        assert sum(id.startswith("h") for id in again.episodes) == 12
        assert said in again.quote
        assert not any(len(set(each.episodes) & set(again.episodes)) > 6 for each in others)


def test_what_is_simply_done_of_a_topic_is_known_by_one_key_whatever_else_is() -> None:
    random = Random(4)
    done = repeated(ledger, random, 12)
    drafts = [
        deed(f"d{number}", "approval_approved", "read it", at=some_time(random, since=14), topic="ledger")
        for number in range(6)
    ]
    other = noise(random, 90)
    (first,) = (each for each in detect([*other, *done, *drafts], limit=20) if "ledger" in each.key)
    assert first.key.startswith("topic=ledger+done -> ")
    again = [each.key for each in detect([*other, *done], known=[first.key], limit=20) if "ledger" in each.key]
    assert again == [first.key]


@pytest.mark.parametrize("text", ["changed the draft", "did it differently", "edited the reply", "put it right"])
def test_that_something_was_put_right_is_not_told(text: str) -> None:
    for seed in SEEDS:
        random = Random(seed)
        vague = [deed(f"h{number}", "correction", text, at=some_time(random)) for number in range(12)]
        assert not detect([*noise(random, 90), *vague], limit=20)


def test_the_words_of_a_reason_explain_nothing() -> None:
    for seed in SEEDS:
        random = Random(seed)
        reasons = ("wrong person asked", "wrong price named", "wrong moment", "too soon to say", "not our business")
        rejected = [
            deed(f"h{number}", "approval_rejected", "went through it", at=some_time(random), reason=reason)
            for number, reason in enumerate(random.choices(reasons, k=14))
        ]
        patterns = detect([*noise(random, 90), *rejected], limit=20)
        assert not any(pattern.key.startswith("says=") for pattern in patterns)


def test_values_of_corrections_that_are_merely_common_are_not_told() -> None:
    parts = ("opening", "middle", "end", "title", "list")
    for seed in range(40):
        random = Random(seed)
        changed = [
            deed(f"h{number}", "draft_modified", "went over it", at=some_time(random), part=part)
            for number, part in enumerate(random.choices(parts, (8, 5, 4, 3, 2), k=random.randrange(6, 30)))
        ]
        assert not [each for each in detect([*noise(random, 60), *changed], limit=20) if "part=" in each.key]


def test_nothing_is_found_in_noise_at_any_time_of_the_day() -> None:
    assert not [
        pattern
        for seed in range(60)
        for random in [Random(f"times/{seed}")]
        for pattern in detect([*noise(random, 80), *signals(random, 20)], limit=20)
    ]


def test_parts_of_the_day_hold_what_they_say() -> None:
    random = Random(2)
    apart, tongue = parse_deeds(noise(random, 120))
    parts = [ground for ground in grounds(apart, tongue) if "-" in ground.name and ground.column == "when"]
    assert len(parts) > 20
    for ground in parts:
        for name in ground.names:
            begin, _, end = name.removeprefix("when=").partition("-")
            inside = [begin <= f"{known.deed.at:%H:%M}" < end for known in apart]
            assert ":" not in begin or inside == ground.mask.tolist()


@each_row("there, share", list(product((1, 4, 12, 40), (0.1, 0.2, 0.5))))
def test_the_bound_on_repetition_is_a_bound_and_near(there: int, share: float) -> None:
    def exact(held: int) -> float:
        rows = range(held, there + 1)
        return math.fsum(math.comb(there, row) * share**row * (1 - share) ** (there - row) for row in rows)

    for held in range(there + 1):
        bound = math.exp(log_repeated(held, there, share))
        assert bound >= exact(held) * (1 - 1e-9)
        if exact(held) < 1e-3:
            assert bound < 1.3 * exact(held)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 700])
def test_sets_meet_as_often_as_they_do(size: int) -> None:
    random = np.random.default_rng(size)
    rows, others = random.random((9, size)) < 0.4, random.random((5, size)) < 0.7
    counted = meet(packed(list(rows), size), packed(list(others), size))
    assert counted.tolist() == [[int((row & other).sum()) for other in others] for row in rows]
