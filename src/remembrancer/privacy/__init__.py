"""Access keys, retention, erasure, archives, transfers."""
