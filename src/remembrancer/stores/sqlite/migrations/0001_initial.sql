-- Which key the store signs with: its fingerprint alone, so that another key is noticed.
CREATE TABLE signing_key (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    fingerprint TEXT NOT NULL
) STRICT;

CREATE TABLE scopes (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    user TEXT,
    last_document INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    words INTEGER NOT NULL,
    audit_key BLOB NOT NULL
) STRICT;

-- Blanks count as equal here, which a plain UNIQUE would not do.
CREATE UNIQUE INDEX scopes_by_name
    ON scopes (tenant, COALESCE(project, ''), COALESCE(agent, ''), COALESCE(user, ''));

CREATE TABLE sessions (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'completed')),
    named INTEGER NOT NULL CHECK (named IN (0, 1)),
    record INTEGER NOT NULL CHECK (record IN (0, 1)),
    messages INTEGER NOT NULL,
    erased INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (scope, id)
) STRICT;

CREATE UNIQUE INDEX sessions_unnamed ON sessions (scope) WHERE named = 0 AND status = 'active';
CREATE INDEX sessions_by_activity ON sessions (scope, status, last_activity_at);

CREATE TABLE records (
    row INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'observation')),
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
        CHECK (status IN ('active', 'quarantined', 'rejected', 'archived', 'soft-deleted')),
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
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'observation') = (type IS NOT NULL)),
    CHECK (kind = 'observation' OR topic_key IS NULL)
) STRICT;

CREATE UNIQUE INDEX records_by_number ON records (scope, session, number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX records_by_topic ON records (scope, topic_key)
    WHERE topic_key IS NOT NULL AND status <> 'soft-deleted';
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind = 'observation';
CREATE INDEX records_by_time ON records (scope, occurred_at, id);
CREATE INDEX records_by_session ON records (scope, session, occurred_at, id);
CREATE INDEX records_by_change ON records (scope, updated_at);
CREATE INDEX records_unembedded ON records (scope, document) WHERE document IS NOT NULL AND generation IS NULL;

-- How records read before: a row for every state that has passed.
CREATE TABLE versions (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL REFERENCES records (id) ON DELETE CASCADE,
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
    PRIMARY KEY (id, version)
) STRICT;

CREATE INDEX versions_by_time ON versions (scope, until, since);

CREATE TABLE evidence (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (id, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_by_source ON evidence (source);
CREATE INDEX evidence_by_scope ON evidence (scope);

CREATE TABLE keys (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('created', 'updated', 'deduped')),
    record TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

-- The text index: for each term of a scope, blocks of packed (wording, occurrences, length).
CREATE TABLE postings (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    term TEXT NOT NULL,
    block INTEGER NOT NULL,
    count INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (scope, term, block)
) STRICT, WITHOUT ROWID;

-- What the text index holds for a wording, so that it can be taken out again.
CREATE TABLE wordings (
    document INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    length INTEGER NOT NULL,
    terms TEXT NOT NULL
) STRICT;

CREATE INDEX wordings_by_scope ON wordings (scope);

CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    model_version TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    random_cosine REAL NOT NULL,
    random_spread REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'active'))
) STRICT;

CREATE UNIQUE INDEX generations_active ON generations (state) WHERE state = 'active';

CREATE TABLE vectors (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations (number),
    document INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE INDEX vectors_by_scope ON vectors (scope, generation);
CREATE INDEX vectors_by_document ON vectors (document, generation);

CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    at INTEGER NOT NULL,
    door TEXT NOT NULL,
    action TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    record TEXT,
    count INTEGER NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE INDEX audit_by_tenant ON audit (tenant, sequence);
CREATE INDEX audit_by_subject ON audit (subject);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
