import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from remembrancer.errors import InvalidInput, RemembrancerError, StoreError, StoreUnavailable
from remembrancer.storage.secret import fingerprint, keep_secret, load_secret

STARTERS = 8
GIVEN = "correct horse battery"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db.key"


def test_a_key_is_made_once_for_its_owner_alone(path: Path) -> None:
    key = load_secret(None, path)
    assert len(key) == 32
    assert load_secret(None, path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_key_that_must_be_there_is_not_made(path: Path) -> None:
    with pytest.raises(StoreError, match="is missing"):
        load_secret(None, path, make=False)
    assert list(path.parent.iterdir()) == []
    key = load_secret(None, path)
    assert load_secret(None, path, make=False) == key


def test_two_files_have_two_keys(tmp_path: Path) -> None:
    assert load_secret(None, tmp_path / "a") != load_secret(None, tmp_path / "b")
    assert load_secret(None, None) != load_secret(None, None)


def test_all_who_start_at_once_end_with_the_same_key(path: Path) -> None:
    together = Barrier(STARTERS)

    def start() -> bytes:
        together.wait(5)
        return load_secret(None, path)

    with ThreadPoolExecutor(STARTERS) as threads:
        keys = {future.result(5) for future in [threads.submit(start) for _ in range(STARTERS)]}
    assert keys == {load_secret(None, path)}
    assert list(path.parent.iterdir()) == [path]


def test_a_given_key_comes_first_and_leaves_no_file(path: Path) -> None:
    key = load_secret(GIVEN, path)
    assert key == load_secret(GIVEN, None)
    assert key != load_secret(GIVEN + "!", None)
    assert not path.exists()


def test_what_a_key_file_holds_is_the_same_key_when_it_is_given(path: Path) -> None:
    key = load_secret(None, path)
    assert load_secret(path.read_text(), None) == key
    assert load_secret(path.read_text().upper() + "g", None) != key


def test_a_key_is_kept_in_a_file_for_its_owner_alone_and_replaces_none(path: Path) -> None:
    key = load_secret(GIVEN, None)
    keep_secret(key, path)
    keep_secret(key, path)
    assert load_secret(None, path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(StoreError, match="is another store's"):
        keep_secret(load_secret(GIVEN + "!", None), path)
    assert load_secret(None, path) == key


def test_a_key_that_cannot_be_kept_is_an_unavailable_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="missing"):
        keep_secret(load_secret(GIVEN, None), tmp_path / "missing" / "m.db.key")


def test_a_short_key_is_refused_without_being_repeated(path: Path) -> None:
    with pytest.raises(InvalidInput) as refusal:
        load_secret("hunter2", path)
    assert "hunter2" not in str(refusal.value)
    assert not path.exists()


def test_a_key_file_that_cannot_be_made_is_an_unavailable_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="missing"):
        load_secret(None, tmp_path / "missing" / "m.db.key")


@pytest.mark.parametrize("content", ["", "not hex", "ab", "00" * 31], ids=["empty", "no hex", "tiny", "cut"])
def test_a_damaged_key_file_is_refused_and_kept(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(RemembrancerError):
        load_secret(None, path)
    assert path.read_text() == content


def test_a_fingerprint_depends_on_text_and_key() -> None:
    marks = {fingerprint(key, text) for key in (b"k", b"l") for text in ("quartz", "basalt")}
    assert len(marks) == 4
    assert fingerprint(b"k", "quartz") == fingerprint(b"k", "quartz")


def test_a_draft_that_a_killed_starter_left_is_in_nobodys_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("os.link", killed)
        patched.setattr(Path, "unlink", _nothing(Path.unlink))
        with pytest.raises(KeyboardInterrupt):
            load_secret(None, path)
    assert [file.name for file in path.parent.iterdir()] != [path.name]
    assert load_secret(None, path) == load_secret(None, path)


def _nothing(_like: Callable[..., None]) -> Callable[..., None]:
    def nothing(*_: object, **__: object) -> None:
        return None

    return nothing
