-- Who does which background work, and until when nobody else may.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_active ON sessions (last_activity_at) WHERE status = 'active';
