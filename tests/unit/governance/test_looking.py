"""What is left of what was erased is told by runs of its words, and by nothing shorter."""

from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.privacy import remains as looking
from remembrancer.privacy.remains import RemainsScanner, encode_runs
from remembrancer.storage.erasure import ScannedRow
from remembrancer.storage.secret import fingerprint
from remembrancer.transactions.tombstones import tombstone_of_id

sign = partial(fingerprint, b"a key of a store")
HERS = "My sister keeps a blue zyzzyva in her garden shed"
SAID_AT = 100
words = st.lists(st.sampled_from(["ana", "boat", "é", "7", "blue", "王", "likes"]), max_size=16).map(" ".join)


def told(*texts: str, at: int | None = SAID_AT) -> ScannedRow:
    return ScannedRow(texts, False, at)


def said(*texts: str) -> ScannedRow:
    return ScannedRow(texts, True, SAID_AT)


def found(rows: Sequence[ScannedRow], *texts: str) -> int:
    kept = encode_runs([(text, SAID_AT) for text in texts], sign=sign)
    paged, whole = (RemainsScanner({tombstone_of_id("id-of-ana", sign=sign)}, kept, sign=sign) for _ in range(2))
    # In whatever pages they come.
    for row in rows:
        paged.scan([row])
    whole.scan(rows)
    assert whole.has_found_words() == paged.has_found_words()
    if whole.has_found_words():
        whole.scan_others(rows)
        for row in rows:
            paged.scan_others([row])
    assert whole.count() == paged.count()
    return paged.count()


def test_a_run_is_found_however_it_is_set() -> None:
    for text in (HERS, HERS.upper(), "“keeps a blue\nzyzzyva, in her GARDEN, shed”", f'{{"x": "{HERS}"}}'):
        assert found([told("other", text)], HERS) == 1
    assert found([told('{"text": "keeps a\\nblue zyzzyva in her garden shed"}')], HERS) == 1


def test_seven_words_and_words_in_another_order_are_no_run() -> None:
    for text in ("keeps a blue zyzzyva in her garden", "in her garden shed my sister keeps a blue", "zyzzyva"):
        assert found([told(text)], HERS) == 0


def test_a_run_does_not_reach_from_one_text_into_the_next() -> None:
    assert found([told("My sister keeps a blue"), told("zyzzyva in her garden shed")], HERS) == 0
    assert found([told(HERS)], "My sister keeps a", "blue zyzzyva in her garden shed") == 0


def test_what_somebody_else_has_said_may_be_told() -> None:
    others, drawn = said(f"Bob says: {HERS}!"), told(f"They say that {HERS}.")
    assert found([others, drawn], HERS) == 0
    assert found([drawn, others], HERS) == 0
    assert found([said("keeps a blue zyzzyva in her garden shed"), drawn], HERS) == 1


def test_what_was_concluded_before_it_was_said_was_not_concluded_from_it() -> None:
    assert found([told(HERS, at=SAID_AT - 1)], HERS) == 0
    assert found([told(HERS, at=SAID_AT), told(HERS, at=None)], HERS) == 2
    kept = encode_runs([(HERS, SAID_AT), (HERS, SAID_AT - 50)], sign=sign)
    looker = RemainsScanner(set(), kept, sign=sign)
    looker.scan([told(HERS, at=SAID_AT - 20)])
    assert looker.count() == 1


def test_scripts_without_blanks_have_runs_too() -> None:
    assert found([told("他说：王小明每天喝绿茶。")], "王小明每天喝绿茶") == 1
    assert found([told("王小明喝绿茶")], "王小明每天喝绿茶") == 0


def test_an_id_is_found_wherever_it_stands_and_once_a_text() -> None:
    assert found([said("id-of-ana", "see id-of-ana"), told("id-of-anna")], HERS) == 2
    assert found([told(f"id-of-ana {HERS}")], HERS) == 1


@given(words, words)
def test_runs_are_those_of_eight_words(erased: str, text: str) -> None:
    def runs(of: str) -> set[tuple[str, ...]]:
        parts = of.split()
        return {tuple(parts[start : start + 8]) for start in range(len(parts) - 7)}

    assert found([told(text)], erased) == bool(runs(erased) & runs(text))


def test_very_many_are_kept_in_parts_and_of_still_more_some(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"number {n} of the herons nests under bridge {n} since {n * 7}" for n in range(300)]
    rows = [told(text) for text in texts]
    monkeypatch.setattr(looking, "_RUNS_PER_PART", 100)
    assert len(encode_runs([(text, 0) for text in texts], sign=sign)) == 12
    assert found(rows, *texts) == 300
    monkeypatch.setattr(looking, "_MAX_RUNS", 600)
    assert 150 < found(rows, *texts) < 300
    assert encode_runs([], sign=sign) == []
