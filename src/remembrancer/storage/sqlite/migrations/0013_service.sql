-- Who may come in through the service: of each key a fingerprint of its secret, and nothing that people wrote.
CREATE TABLE access_keys (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    user TEXT,
    name TEXT NOT NULL,
    clearance TEXT NOT NULL CHECK (clearance IN ('public', 'internal', 'confidential', 'restricted')),
    rights TEXT NOT NULL,
    digest TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_seen_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX access_keys_by_tenant ON access_keys (tenant, made_at);

-- Long work that somebody asked for: how far it is, in numbers.
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    user TEXT,
    work TEXT NOT NULL,
    state TEXT NOT NULL,
    done INTEGER NOT NULL,
    counts TEXT NOT NULL,
    failure TEXT NOT NULL,
    told TEXT NOT NULL,
    cancelled INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_by_tenant ON jobs (tenant, started_at);

-- Requests that are done once, each with its answer, for a day.
CREATE TABLE requests (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    key TEXT NOT NULL,
    tenant TEXT NOT NULL,
    request TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_by_time ON requests (scope, at);

-- By which request a model was called; '' for what nobody asked for.
ALTER TABLE calls ADD COLUMN request TEXT NOT NULL DEFAULT '';
