-- How long the blocks were that stood in for whole conversations, and what both would have cost; no text.
CREATE TABLE blocks (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    prefix INTEGER NOT NULL,
    uncached INTEGER,
    cached INTEGER,
    whole_tokens INTEGER NOT NULL,
    whole_prefix INTEGER NOT NULL,
    whole_uncached INTEGER,
    whole_cached INTEGER,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_by_time ON blocks (scope, at);
