"""Episodes of a week, and weeks of a month, told as one record; see docs/learning.md."""

from remembrancer.engines.compacting.compacted import compacted, counted, stands_as_it_is
from remembrancer.engines.compacting.groups import Group, by_month, by_week

__all__ = ["Group", "by_month", "by_week", "compacted", "counted", "stands_as_it_is"]
