"""Exports and reports for people, encrypted archives for other stores."""
