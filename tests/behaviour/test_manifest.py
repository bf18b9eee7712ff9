"""Every promise has a test, and every behaviour test a promise."""

from importlib import import_module
from pathlib import Path

from .requirements import REQUIREMENTS, promises_of

_THEMES = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py") if path.stem != "test_manifest")


def _tests() -> list[tuple[str, str]]:
    """Module and name of each behaviour test."""
    modules = [import_module(f".{theme}", __package__) for theme in _THEMES]
    return [(module.__name__, name) for module in modules for name in vars(module) if name.startswith("test_")]


def test_every_promise_has_a_test() -> None:
    kept = {promise for module, test in _tests() for promise in promises_of(module, test)}

    assert sorted(REQUIREMENTS.keys() - kept) == []


def test_every_behaviour_test_has_a_promise() -> None:
    assert [f"{module}.{test}" for module, test in _tests() if not promises_of(module, test)] == []


def test_every_promise_is_a_sentence_with_a_source() -> None:
    assert [
        name
        for name, requirement in REQUIREMENTS.items()
        if not requirement.promise.endswith(".") or not requirement.source
    ] == []
