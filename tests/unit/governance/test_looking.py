"""What is left of what was erased is told by runs of its words, and by nothing shorter."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.governance.looking import Looker, Runs, kept_runs
from remembrancer.governance.writing import mark_of
from remembrancer.stores.secret import fingerprint

sign = partial(fingerprint, b"a key of a store")


HERS = "My sister keeps a blue zyzzyva in her garden shed"
words = st.lists(st.sampled_from(["ana", "boat", "é", "7", "blue", "王", "likes"]), max_size=12).map(" ".join)


def found(rows: list[tuple[list[str], bool]], *texts: str) -> int:
    looker = Looker({mark_of("id-of-ana", sign=sign)}, [kept_runs([texts], sign=sign)], sign=sign)
    # In whatever pages they come.
    for row in rows:
        looker.see([row])
    paged = looker.found
    whole = Looker({mark_of("id-of-ana", sign=sign)}, [kept_runs([texts], sign=sign)], sign=sign)
    whole.see(rows)
    assert whole.found == paged
    return paged


def test_a_run_is_found_however_it_is_set() -> None:
    for told in (HERS, HERS.upper(), "“a blue\nzyzzyva, in her GARDEN”", '{"text": "keeps a\\nblue zyzzyva in her"}'):
        assert found([(["other", told], False)], HERS) == 1


def test_five_words_and_words_in_another_order_are_no_run() -> None:
    for told in ("a blue zyzzyva in her", "in her garden shed a blue zyzzyva keeps", "zyzzyva"):
        assert found([([told], False)], HERS) == 0


def test_a_run_does_not_reach_from_one_text_into_the_next() -> None:
    assert found([(["It is a blue"], False), (["zyzzyva in her garden"], False)], HERS) == 0
    assert found([([HERS], False)], "My sister keeps a", "blue zyzzyva in her garden shed") == 1
    assert found([(["a blue zyzzyva in her"], False)], "keeps a blue", "zyzzyva in her shed") == 0


def test_what_somebody_else_has_said_may_be_told() -> None:
    said, told = ([f"Bob says: {HERS}!"], True), ([f"They say that {HERS}."], False)
    assert found([said, told], HERS) == 0
    assert found([told, said], HERS) == 0
    assert found([(["a blue zyzzyva in her garden"], True), told], HERS) == 1


def test_scripts_without_blanks_have_runs_too() -> None:
    assert found([(["他说：王小明每天喝绿茶。"], False)], "王小明每天喝绿茶") == 1
    assert found([(["王小明喝绿茶"], False)], "王小明每天喝绿茶") == 0


def test_an_id_is_found_wherever_it_stands_and_once_a_text() -> None:
    assert found([(["id-of-ana", "see id-of-ana"], True), (["id-of-anna"], False)], HERS) == 2
    assert found([([f"id-of-ana {HERS}"], False)], HERS) == 1


@given(words, words)
def test_runs_are_those_of_six_words(erased: str, told: str) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        parts = text.split()
        return {tuple(parts[start : start + 6]) for start in range(len(parts) - 5)}

    assert found([([told], False)], erased) == bool(runs(erased) & runs(told))


def test_of_very_many_runs_some_are_kept_and_tell_as_well() -> None:
    texts = [f"number {n} of the herons nests under bridge {n} since {n * 7}" for n in range(40_000)]
    kept = kept_runs([texts[:20_000], texts[20_000:]], sign=sign)
    assert len(kept) < 2_200_000
    looker = Looker(set(), [kept], sign=sign)
    looker.see([([texts[5]], False) for _ in range(1)])
    looker.see([(["; ".join(texts[7:27])], False), (["It is about a heron that nests under the bridge"], False)])
    assert looker.found >= 1
    assert len(Runs(sign=sign).of(texts[:1])[0]) == 6
