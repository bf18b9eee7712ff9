"""Dates that a text names, in five languages: one parser, and a table for each language."""
