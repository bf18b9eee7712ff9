-- Observations that an observer drew from messages, the log that they stand in, and reflections over them.
-- A check of a column is part of its table here: the table is made anew, and with it the one that refers to it.
CREATE TABLE new_records (
    row INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'observation', 'reflection')),
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
            'buffered', 'active', 'merged', 'quarantined', 'rejected', 'dismissed', 'retired', 'archived',
            'soft-deleted'
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
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'message') = (type IS NULL)),
    CHECK (kind = 'observation' OR topic_key IS NULL)
) STRICT;

INSERT INTO new_records (
    row, scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at,
    recorded_at, updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
    last_accessed_at, document, generation, number, role, speaker, tokens, type, title, topic_key
)
SELECT
    row, scope, tenant, id, kind, session, text, hash, author, source, tags, metadata, occurred_at,
    recorded_at, updated_at, revision, version, status, classification, trust, importance, echo, usage_count,
    last_accessed_at, document, generation, number, role, speaker, tokens, type, title, topic_key
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
    WHERE topic_key IS NOT NULL AND status <> 'soft-deleted';
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind <> 'message';
CREATE INDEX records_by_time ON records (scope, occurred_at, id);
CREATE INDEX records_by_session ON records (scope, session, occurred_at, id);
CREATE INDEX records_by_change ON records (scope, updated_at);
CREATE INDEX records_unembedded ON records (scope, document) WHERE document IS NOT NULL AND generation IS NULL;
CREATE INDEX versions_by_time ON versions (scope, until, since);
CREATE INDEX records_in_log ON records (scope, place) WHERE place IS NOT NULL;

ALTER TABLE sessions ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN observed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN observed_tokens INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET tokens = (
    SELECT COALESCE(SUM(records.tokens), 0) FROM records
    WHERE records.scope = sessions.scope AND records.session = sessions.id AND records.number IS NOT NULL
);

CREATE INDEX sessions_unobserved ON sessions (tokens - observed_tokens) WHERE tokens > observed_tokens;

-- Runs of messages that were observed, each once: they follow one another without gaps from the first message on.
CREATE TABLE chunks (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('buffered', 'held', 'active', 'dead')),
    tokens INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    place INTEGER,
    task TEXT NOT NULL,
    suggestion TEXT NOT NULL,
    engine TEXT NOT NULL,
    model TEXT NOT NULL,
    failure TEXT NOT NULL,
    tries INTEGER NOT NULL,
    observed_at INTEGER NOT NULL,
    activated_at INTEGER,
    PRIMARY KEY (scope, session, first),
    CHECK (first <= last),
    CHECK ((state = 'active') = (activated_at IS NOT NULL))
) STRICT;

CREATE INDEX chunks_failed ON chunks (scope, observed_at) WHERE failure <> '';

-- What an agent reads of its past, by session or, under '', of a whole scope: how long it is and how far it was
-- reflected on.
CREATE TABLE logs (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    places INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    fresh INTEGER NOT NULL,
    PRIMARY KEY (scope, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX logs_by_tokens ON logs (tokens);
