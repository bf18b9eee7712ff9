"""Readers of chat formats and of our own exports."""
