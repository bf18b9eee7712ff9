"""When it happens: work that is due is derived from the store, done in pieces, and safe to do twice."""
