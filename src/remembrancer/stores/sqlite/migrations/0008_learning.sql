-- What was done, what feedback says of it, what holds, and how to behave; how each memory stands; nightly runs.
-- A check of a column is part of its table here: the table is made anew, and with it the one that refers to it.
CREATE TABLE new_records (
    row INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN (
        'message', 'observation', 'reflection', 'episode', 'signal', 'fact', 'procedure'
    )),
    session TEXT,
    text TEXT NOT NULL,
    hash TEXT NOT NULL,
    author TEXT NOT NULL,
    source TEXT NOT NULL
        CHECK (source IN ('tool', 'auto-capture', 'user', 'import', 'observer', 'detector')),
    tags TEXT NOT NULL CHECK (json_valid(tags)),
    metadata TEXT NOT NULL CHECK (json_valid(metadata)),
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL CHECK (revision >= 1),
    version INTEGER NOT NULL CHECK (version >= 1),
    status TEXT NOT NULL
        CHECK (status IN (
            'buffered', 'raw', 'active', 'paused', 'merged', 'quarantined', 'rejected', 'demoted', 'dismissed',
            'contradicted', 'superseded_raw', 'superseded_tier1', 'retired', 'archived', 'soft-deleted'
        )),
    classification TEXT NOT NULL
        CHECK (classification IN ('public', 'internal', 'confidential', 'restricted')),
    trust TEXT NOT NULL CHECK (trust IN ('untrusted', 'trusted')),
    importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    echo INTEGER NOT NULL CHECK (echo IN (0, 1)),
    usage_count INTEGER NOT NULL,
    last_accessed_at INTEGER,
    document INTEGER UNIQUE,
    generation INTEGER,
    number INTEGER,
    role TEXT CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    speaker TEXT,
    tokens INTEGER,
    type TEXT,
    title TEXT,
    topic_key TEXT,
    tokenizer TEXT,
    priority INTEGER CHECK (priority BETWEEN 1 AND 5),
    refers_to TEXT,
    first_message INTEGER,
    last_message INTEGER,
    place INTEGER,
    engine TEXT,
    model TEXT,
    details TEXT CHECK (json_valid(details)),
    tier TEXT CHECK (tier IN ('raw', 'weekly', 'monthly')),
    contact TEXT,
    weight REAL NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0 AND 1),
    rating REAL CHECK (rating BETWEEN 0 AND 1),
    boost REAL NOT NULL DEFAULT 0 CHECK (boost BETWEEN 0 AND 1),
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    relevance REAL NOT NULL DEFAULT 0 CHECK (relevance BETWEEN 0 AND 1),
    standing REAL CHECK (standing BETWEEN 0 AND 1),
    decayed_on TEXT,
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'message') = (type IS NULL)),
    CHECK (kind IN ('observation', 'fact') OR topic_key IS NULL),
    CHECK ((kind = 'fact') <= (topic_key IS NOT NULL)),
    CHECK ((kind = 'episode') = (tier IS NOT NULL)),
    CHECK ((kind = 'episode') = (contact IS NOT NULL)),
    CHECK (kind IN ('message', 'observation', 'reflection') OR details IS NOT NULL)
) STRICT;

INSERT INTO new_records (
    row, scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at,
    recorded_at, updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
    last_accessed_at, document, generation, number, role, speaker, tokens, type, title, topic_key,
    tokenizer, priority, refers_to, first_message, last_message, place, engine, model
)
SELECT
    row, scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at,
    recorded_at, updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
    last_accessed_at, document, generation, number, role, speaker, tokens, type, title, topic_key,
    tokenizer, priority, refers_to, first_message, last_message, place, engine, model
FROM records;

CREATE TABLE new_versions (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL REFERENCES new_records (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    session TEXT,
    text TEXT NOT NULL,
    hash TEXT NOT NULL,
    tags TEXT NOT NULL,
    metadata TEXT NOT NULL,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL,
    classification TEXT NOT NULL,
    trust TEXT NOT NULL,
    importance REAL NOT NULL,
    type TEXT,
    title TEXT,
    details TEXT,
    PRIMARY KEY (id, version)
) STRICT;

INSERT INTO new_versions (
    scope, tenant, id, version, since, until, session, text, hash, tags, metadata, revision, status,
    classification, trust, importance, type, title
)
SELECT
    scope, tenant, id, version, since, until, session, text, hash, tags, metadata, revision, status,
    classification, trust, importance, type, title
FROM versions;

DROP TABLE versions;
DROP TABLE records;
ALTER TABLE new_records RENAME TO records;
ALTER TABLE new_versions RENAME TO versions;

CREATE UNIQUE INDEX records_by_number ON records (scope, session, number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX records_by_topic ON records (scope, topic_key)
    WHERE topic_key IS NOT NULL AND kind = 'observation' AND status <> 'soft-deleted';
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind IN ('observation', 'reflection');
CREATE INDEX records_by_time ON records (scope, occurred_at, id);
CREATE INDEX records_by_session ON records (scope, session, occurred_at, id);
CREATE INDEX records_by_change ON records (scope, updated_at);
CREATE INDEX records_unembedded ON records (scope, document) WHERE document IS NOT NULL AND generation IS NULL;
CREATE INDEX versions_by_time ON versions (scope, until, since);
CREATE INDEX records_in_log ON records (scope, place) WHERE place IS NOT NULL;
CREATE INDEX records_by_tier ON records (scope, tier, status, contact, occurred_at, id) WHERE tier IS NOT NULL;
CREATE INDEX records_by_key ON records (scope, topic_key) WHERE kind = 'fact';
CREATE INDEX records_of_rules ON records (scope, kind, status) WHERE kind IN ('fact', 'procedure', 'signal');
CREATE INDEX records_learned ON records (scope, status) WHERE kind = 'observation' AND details IS NOT NULL;

-- How far the nightly run of a scope has come, for each day of its tenant.
CREATE TABLE nights (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    day TEXT NOT NULL,
    step TEXT NOT NULL,
    counts TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;

-- What people have said of observations; the last word of each of them.
CREATE TABLE verdicts (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    record TEXT NOT NULL,
    person TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong', 'dismissed')),
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, record, person)
) STRICT, WITHOUT ROWID;

-- How the outcome of a session has moved the weight of what was put before the agent in it.
CREATE TABLE weights (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    record TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'rework')),
    alpha REAL NOT NULL,
    before REAL NOT NULL,
    after REAL NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, session, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX weights_by_record ON weights (scope, record, at);
