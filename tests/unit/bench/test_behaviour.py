"""The made-up lives that the detector is measured on: the same each time, and true to what is said of them."""

from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise

import pytest

from bench.behaviour.templates import TEMPLATES
from bench.behaviour.year import Kind, Planned, episodes, rules, within
from remembrancer.types.episode import MAX_SUMMARY_CHARACTERS, OUTCOME_OF, Event, SignalType
from remembrancer.types.pattern import Category

USERS, DAYS = 3, 75


@pytest.fixture(scope="module")
def lived() -> list[Planned]:
    return list(episodes(5, USERS, DAYS))


def test_there_are_at_least_forty_templates_over_all_categories() -> None:
    codes = [template.code for template in TEMPLATES]
    assert len(codes) == len(set(codes)) >= 40
    assert {template.category for template in TEMPLATES} == set(Category)


def test_the_same_seed_lives_the_same_life_and_another_seed_another(lived: list[Planned]) -> None:
    assert list(episodes(5, USERS, DAYS)) == lived
    assert [one.text for one in episodes(6, USERS, DAYS)] != [one.text for one in lived]


def test_a_third_of_it_is_noise_and_another_part_as_usual(lived: list[Planned]) -> None:
    kinds = Counter(one.kind for one in lived)
    assert kinds[Kind.NOISE] >= 0.3 * len(lived)
    assert kinds[Kind.USUAL] >= 0.25 * len(lived)


def test_everything_is_told_in_order_with_its_own_id_and_in_words_short_enough(lived: list[Planned]) -> None:
    assert len({one.id for one in lived}) == len(lived)
    assert all(first.at <= second.at for first, second in pairwise(lived))
    assert all(0 < len(one.text) <= MAX_SUMMARY_CHARACTERS for one in lived)


def test_an_episode_ends_as_its_type_says_and_a_signal_does_not_end(lived: list[Planned]) -> None:
    for one in lived:
        if one.outcome:
            assert one.outcome == OUTCOME_OF[Event(one.event)]
        else:
            assert SignalType(one.event)


def test_every_rule_holds_in_most_of_its_occasions_while_it_is_in_force(lived: list[Planned]) -> None:
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    days: defaultdict[str, set[int]] = defaultdict(set)
    for one in lived:
        if one.rule:
            verdicts[one.rule].append(one.held)
            days[one.rule].add(one.at.toordinal())
    for rule in rules(5, USERS, DAYS):
        found = verdicts[rule.id]
        assert all(rule.active(date.fromordinal(day)) for day in days[rule.id])
        assert len(found) < 15 or sum(found) >= 0.65 * len(found), rule.id
    whole = [verdict for found in verdicts.values() for verdict in found]
    assert 0.8 < sum(whole) / len(whole) < 1


def test_what_is_done_at_a_time_of_the_week_is_done_then_where_the_rule_holds(lived: list[Planned]) -> None:
    timed = {rule.id: rule for rule in rules(5, USERS, DAYS) if rule.slot is not None and not rule.template.also}
    assert timed
    for one in lived:
        if one.rule in timed and one.held:
            slot = timed[one.rule].slot
            assert slot is not None
            assert within(slot, one.at)


def test_an_occasion_is_one_of_its_own_agent_and_user(lived: list[Planned]) -> None:
    scopes = {rule.id: rule.scope for rule in rules(5, USERS, DAYS)}
    assert all(one.scope == scopes[one.rule] for one in lived if one.rule)


def test_a_rule_that_takes_the_place_of_another_begins_where_that_one_ends() -> None:
    planted = {rule.id: rule for seed in range(6) for rule in rules(seed, 3, 120)}
    turned = [rule for rule in planted.values() if rule.instead_of]
    assert turned
    for rule in turned:
        old = planted[rule.instead_of]
        assert old.end == rule.start
        assert old.params != rule.params
        assert rule.start - old.start >= timedelta(days=45)
