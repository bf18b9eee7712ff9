"""Logs of observations for the tests of the reflector."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from remembrancer.types.notes import Insight
from remembrancer.types.record import Observation, Reflection, Source
from remembrancer.types.scope import Scope

MARCH = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def noted(
    text: str, *, day: int = 0, priority: int = 3, type: str = "discovery", refers_to: str = "", id: str = ""
) -> Observation:
    """An observation, so many days after 1 March 2026."""
    when = MARCH + timedelta(days=day)
    return Observation(
        id=id or f"o{day}",
        scope=Scope(tenant="local"),
        session="s",
        text=text,
        hash="",
        author="observer",
        source=Source.OBSERVER,
        occurred_at=when,
        recorded_at=when,
        updated_at=when,
        type=type,
        title="",
        priority=priority,
        refers_to=refers_to,
    )


def log(*texts: str, priority: int = 3) -> list[Observation]:
    """Observations, one a day."""
    return [noted(text, day=day, priority=priority) for day, text in enumerate(texts)]


def words(text: str) -> int:
    """The words of a text, as its tokens."""
    return len(text.split())


def ids(observations: Sequence[Observation]) -> tuple[str, ...]:
    """Their ids, in order."""
    return tuple(observation.id for observation in observations)


def concluded(insight: Insight, *, day: int) -> Reflection:
    """An insight as it stands in a log afterwards."""
    told = noted(insight.text, day=day)
    return Reflection(
        id=f"r{day}",
        scope=told.scope,
        session=None,
        text=told.text,
        hash="",
        author="reflector",
        source=Source.OBSERVER,
        occurred_at=told.occurred_at,
        recorded_at=told.occurred_at,
        updated_at=told.occurred_at,
        evidence=insight.sources,
        type=insight.type,
        title="",
        priority=insight.priority,
    )
