"""Compaction of the episodes of a week, and of weeks of a month, into one record.

See docs/how-it-works/learning.md.
"""

from remembrancer.learn.compact.groups import Group, by_month, by_week, compacted, counted, is_unchanged_source

__all__ = ["Group", "by_month", "by_week", "compacted", "counted", "is_unchanged_source"]
