"""Answering for it: what may be stored, how it changes and goes. Start at `admit.py`, the one way to write."""
