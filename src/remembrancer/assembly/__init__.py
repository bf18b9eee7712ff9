"""Assembly of an engine from the settings."""
