"""Coding agents: their hooks, and what is installed in them."""
