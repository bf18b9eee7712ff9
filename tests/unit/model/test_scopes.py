"""Whose memory: what a scope sees, and which names it may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import InvalidInput
from remembrancer.types.scope import DIMENSIONS, MAX_NAME_CHARACTERS, Scope, check_name

NAME = st.sampled_from(["a", "b", "Ä"])
SCOPE = st.builds(
    Scope, tenant=NAME, project=st.none() | NAME, agent=st.none() | NAME, user=st.none() | NAME
)  # few names, so that two scopes are often near one another


@given(reader=SCOPE, row=SCOPE)
def test_a_scope_sees_exactly_the_rows_of_its_visible_scopes(reader: Scope, row: Scope) -> None:
    assert reader.sees(row) == (row in reader.visible())


@given(reader=SCOPE)
def test_the_visible_scopes_start_with_ones_own_and_each_stands_once(reader: Scope) -> None:
    visible = reader.visible()
    assert visible[0] == reader
    assert len(set(visible)) == len(visible) == 2 ** sum(getattr(reader, name) is not None for name in DIMENSIONS)


@given(reader=SCOPE, row=SCOPE)
def test_another_tenant_is_never_seen(reader: Scope, row: Scope) -> None:
    assert reader.tenant == row.tenant or not reader.sees(row)


@given(one=SCOPE, other=SCOPE)
def test_two_scopes_that_see_each_other_are_one(one: Scope, other: Scope) -> None:
    assert (one.sees(other) and other.sees(one)) == (one == other)


@given(one=SCOPE, two=SCOPE, three=SCOPE)
def test_what_is_seen_from_a_scope_that_is_seen_is_seen(one: Scope, two: Scope, three: Scope) -> None:
    assert not (one.sees(two) and two.sees(three)) or one.sees(three)


def test_a_reader_without_a_user_sees_only_what_is_shared() -> None:
    reader = Scope(project="p")
    assert reader.sees(Scope())
    assert reader.sees(Scope(project="p"))
    assert not reader.sees(Scope(project="p", user="ana"))
    assert not reader.sees(Scope(project="q"))


@pytest.mark.parametrize("dimension", ["tenant", *DIMENSIONS])
@pytest.mark.parametrize("name", ["", "  ", "a\0b", "a\nb", "a\x7fb", "\ud800", "a" * (MAX_NAME_CHARACTERS + 1)])
def test_a_name_that_cannot_be_one_is_refused_and_the_dimension_named(dimension: str, name: str) -> None:
    with pytest.raises(InvalidInput, match=dimension):
        Scope(**{dimension: name})


@pytest.mark.parametrize("name", ["a", "Ana María", "名前", "a/b:c@d", "a" * MAX_NAME_CHARACTERS, "'; --", "%_*"])
def test_any_printable_name_is_kept_as_it_is(name: str) -> None:
    assert check_name(name, what="user") == name
    assert Scope(user=name).user == name


def test_the_tenant_is_local_unless_it_is_given() -> None:
    assert Scope() == Scope(tenant="local", project=None, agent=None, user=None)
