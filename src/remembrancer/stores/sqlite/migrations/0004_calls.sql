-- The ledger: a row for each call of a model, made before the call with the most that it can cost. All rows of a tenant
-- are in its scope without project, agent and user, whose writers take turns: whose call it was stands beside it.
-- Costs are in millionths of a US dollar; NULL is unknown.
CREATE TABLE calls (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    session TEXT,
    purpose TEXT NOT NULL
        CHECK (purpose IN ('observe', 'reflect', 'detect', 'summarise', 'answer', 'embed', 'rerank')),
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    milliseconds INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('reserved', 'ok', 'bad-output', 'unavailable', 'refused')),
    reserved_tokens INTEGER NOT NULL,
    reserved_cost INTEGER,
    prompt_tokens INTEGER,
    cached_tokens INTEGER,
    answer_tokens INTEGER,
    cost INTEGER,
    PRIMARY KEY (scope, id)
) STRICT;

CREATE INDEX calls_by_time ON calls (scope, started_at, id);
