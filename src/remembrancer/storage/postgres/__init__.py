"""The store for many processes: PostgreSQL with pgvector, a tenant walled off by the database. Start at `store.py`."""
