-- What was put before an agent, and what would have been where that is switched off: a row for each memory of it.
CREATE TABLE injections (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    rank INTEGER NOT NULL,
    session TEXT NOT NULL,
    way TEXT NOT NULL CHECK (way IN ('brief', 'prompt', 'recall', 'context')),
    state TEXT NOT NULL CHECK (state IN ('shown', 'withheld')),
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, id, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX injections_by_session ON injections (scope, session, at, id);
CREATE INDEX injections_by_record ON injections (scope, record);
