"""Secrets, personal data and prompt injection: text in, findings out."""
