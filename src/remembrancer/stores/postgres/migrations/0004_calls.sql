-- The ledger: a row for each call of a model, made before the call with the most that it can cost. All rows of a tenant
-- are in its scope without project, agent and user, whose writers take turns: whose call it was stands beside it.
-- Costs are in millionths of a US dollar; NULL is unknown.
CREATE TABLE calls (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    project text,
    agent text,
    session text COLLATE "C",
    purpose text NOT NULL
        CHECK (purpose IN ('observe', 'reflect', 'detect', 'summarise', 'answer', 'embed', 'rerank')),
    provider text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    started_at timestamptz NOT NULL,
    milliseconds bigint,
    outcome text NOT NULL CHECK (outcome IN ('reserved', 'ok', 'bad-output', 'unavailable', 'refused')),
    reserved_tokens bigint NOT NULL,
    reserved_cost bigint,
    prompt_tokens bigint,
    cached_tokens bigint,
    answer_tokens bigint,
    cost bigint,
    PRIMARY KEY (scope, id)
);

CREATE INDEX calls_by_time ON calls (scope, started_at, id);

ALTER TABLE calls ENABLE ROW LEVEL SECURITY;
ALTER TABLE calls FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON calls
    USING (tenant = remembrancer_ops.tenant()) WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON calls TO remembrancer_serving;
