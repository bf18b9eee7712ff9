"""Measuring: retrieval quality, speed. Outside the package and outside the gate; prints, never asserts."""
