"""Readers of chat formats and of our own exports: from files to turns and memories."""
