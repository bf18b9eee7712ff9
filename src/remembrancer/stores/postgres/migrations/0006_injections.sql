-- What was put before an agent, and what would have been where that is switched off: a row for each memory of it.
CREATE TABLE injections (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    rank bigint NOT NULL,
    session text COLLATE "C" NOT NULL,
    way text NOT NULL CHECK (way IN ('brief', 'prompt', 'recall', 'context')),
    state text NOT NULL CHECK (state IN ('shown', 'withheld')),
    at timestamptz NOT NULL,
    PRIMARY KEY (scope, id, record)
);

CREATE INDEX injections_by_session ON injections (scope, session, at, id);
CREATE INDEX injections_by_record ON injections (scope, record);

ALTER TABLE injections ENABLE ROW LEVEL SECURITY;
ALTER TABLE injections FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON injections
    USING (tenant = remembrancer_ops.tenant()) WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON injections TO remembrancer_serving;
