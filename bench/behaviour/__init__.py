"""Made-up lives with known habits: what the detector is measured on, written without looking at the detector.

Start reading at `templates.py` (what a habit is), then `year.py` (who does what when). The wordings stand in a file of
their own, which no detector code and no test reads.
"""
