-- How long the blocks were that stood in for whole conversations, and what both would have cost; no text.
CREATE TABLE blocks (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    tokens bigint NOT NULL,
    prefix bigint NOT NULL,
    uncached bigint,
    cached bigint,
    whole_tokens bigint NOT NULL,
    whole_prefix bigint NOT NULL,
    whole_uncached bigint,
    whole_cached bigint,
    PRIMARY KEY (scope, id)
);

CREATE INDEX blocks_by_time ON blocks (scope, at);

ALTER TABLE blocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE blocks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON blocks
    USING (tenant = remembrancer_ops.tenant()) WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON blocks TO remembrancer_serving;
