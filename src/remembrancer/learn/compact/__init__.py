"""Episodes of a week, and weeks of a month, told as one record; see docs/how-it-works/learning.md."""

from remembrancer.learn.compact.groups import Group, by_month, by_week, compacted, counted, stands_as_it_is

__all__ = ["Group", "by_month", "by_week", "compacted", "counted", "stands_as_it_is"]
