-- Who may come in through the service: of each key a fingerprint of its secret, and nothing that people wrote. It is
-- read before anybody's tenant is known, and so stands behind no wall.
CREATE TABLE remembrancer_ops.access_keys (
    id text COLLATE "C" PRIMARY KEY,
    tenant text NOT NULL,
    project text,
    agent text,
    "user" text,
    name text NOT NULL,
    clearance text NOT NULL CHECK (clearance IN ('public', 'internal', 'confidential', 'restricted')),
    rights text NOT NULL,
    digest text NOT NULL,
    made_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_seen_at timestamptz
);

CREATE INDEX access_keys_by_tenant ON remembrancer_ops.access_keys (tenant, made_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.access_keys TO remembrancer_serving;

-- Long work that somebody asked for: how far it is, in numbers.
CREATE TABLE remembrancer_ops.jobs (
    id text COLLATE "C" PRIMARY KEY,
    tenant text NOT NULL,
    project text,
    agent text,
    "user" text,
    work text NOT NULL,
    state text NOT NULL,
    done bigint NOT NULL,
    counts json NOT NULL,
    failure text NOT NULL,
    told text NOT NULL,
    cancelled boolean NOT NULL,
    started_at timestamptz NOT NULL,
    beat_at timestamptz NOT NULL,
    ended_at timestamptz
);

CREATE INDEX jobs_by_tenant ON remembrancer_ops.jobs (tenant, started_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.jobs TO remembrancer_serving;

-- Requests that are done once, each with its answer, for a day.
CREATE TABLE requests (
    scope bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    request text NOT NULL,
    status bigint NOT NULL,
    body text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (scope, key)
);

CREATE INDEX requests_by_time ON requests (scope, at);

ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE requests FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON requests USING (tenant = remembrancer_ops.tenant())
    WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON requests TO remembrancer_serving;

-- By which request a model was called; '' for what nobody asked for.
ALTER TABLE calls ADD COLUMN request text NOT NULL DEFAULT '';
