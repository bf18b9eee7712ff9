"""What enters the memory: drafts, sessions of imports, deduplication."""
