-- A question to memory is a purpose of its own.
CREATE TABLE calls_anew (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    session TEXT,
    purpose TEXT NOT NULL
        CHECK (purpose IN ('observe', 'reflect', 'detect', 'summarise', 'answer', 'ask', 'embed', 'rerank')),
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

INSERT INTO calls_anew (
    scope, tenant, id, project, agent, session, purpose, provider, model, prompt_version, started_at, milliseconds,
    outcome, reserved_tokens, reserved_cost, prompt_tokens, cached_tokens, answer_tokens, cost
)
SELECT
    scope, tenant, id, project, agent, session, purpose, provider, model, prompt_version, started_at, milliseconds,
    outcome, reserved_tokens, reserved_cost, prompt_tokens, cached_tokens, answer_tokens, cost
FROM calls;
DROP TABLE calls;
ALTER TABLE calls_anew RENAME TO calls;

CREATE INDEX calls_by_time ON calls (scope, started_at, id);
