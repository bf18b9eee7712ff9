-- The tables after 0020_large_scopes.sql; written by `python -m tests.policy.new_schema`.
CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    fingerprint TEXT NOT NULL,
    analyser TEXT
, last_scope INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE kinds (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE statuses (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
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
    tokens INTEGER NOT NULL DEFAULT 0,
    observed INTEGER NOT NULL DEFAULT 0,
    observed_tokens INTEGER NOT NULL DEFAULT 0,
    started_at INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (scope, id)
) STRICT;
CREATE UNIQUE INDEX sessions_unnamed ON sessions (scope) WHERE named = 0 AND status = 'active';
CREATE INDEX sessions_by_activity ON sessions (scope, status, last_activity_at);
CREATE INDEX sessions_active ON sessions (last_activity_at) WHERE status = 'active';
CREATE INDEX sessions_unobserved ON sessions (tokens - observed_tokens) WHERE tokens > observed_tokens;
CREATE TABLE records (
    row INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL REFERENCES kinds (name),
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
    status TEXT NOT NULL REFERENCES statuses (name),
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
    details TEXT CHECK (details IS NULL OR json_valid(details)),
    tier TEXT CHECK (tier IN ('raw', 'weekly', 'monthly')),
    contact TEXT,
    weight REAL NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0 AND 1),
    rating REAL CHECK (rating BETWEEN 0 AND 1),
    boost REAL NOT NULL DEFAULT 0 CHECK (boost BETWEEN 0 AND 1),
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    relevance REAL NOT NULL DEFAULT 0 CHECK (relevance BETWEEN 0 AND 1),
    score REAL CHECK (score BETWEEN 0 AND 1),
    decayed_on TEXT, identity TEXT, valid_until INTEGER,
    UNIQUE (id, tenant),
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'message') = (type IS NULL)),
    CHECK ((kind = 'fact') <= (topic_key IS NOT NULL)),
    CHECK ((kind = 'episode') = (tier IS NOT NULL)),
    CHECK ((kind = 'episode') = (contact IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX records_by_number ON records (scope, session, number) WHERE number IS NOT NULL;
CREATE INDEX records_by_topic ON records (scope, topic_key)
    WHERE topic_key IS NOT NULL AND kind = 'observation' AND status <> 'soft-deleted';
CREATE INDEX records_by_time ON records (scope, occurred_at, id);
CREATE INDEX records_by_session ON records (scope, session, occurred_at, id);
CREATE INDEX records_by_change ON records (scope, updated_at);
CREATE INDEX records_unembedded ON records (scope, document) WHERE document IS NOT NULL AND generation IS NULL;
CREATE INDEX records_in_log ON records (scope, place) WHERE place IS NOT NULL;
CREATE INDEX records_by_tier ON records (scope, tier, status, contact, occurred_at, id) WHERE tier IS NOT NULL;
CREATE INDEX records_by_key ON records (scope, topic_key) WHERE kind = 'fact';
CREATE INDEX records_of_rules ON records (scope, kind, status) WHERE kind IN ('fact', 'procedure', 'signal');
CREATE INDEX records_learned ON records (scope, status) WHERE kind = 'observation' AND details IS NOT NULL;
CREATE INDEX records_by_kind ON records (scope, kind, status, classification, document) WHERE document IS NOT NULL;
CREATE TABLE versions (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
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
    details TEXT, author TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT 'tool', occurred_at INTEGER NOT NULL DEFAULT 0, valid_until INTEGER,
    PRIMARY KEY (id, tenant, version),
    FOREIGN KEY (id, tenant) REFERENCES records (id, tenant) ON DELETE CASCADE
) STRICT;
CREATE INDEX versions_by_time ON versions (scope, until, since);
CREATE TABLE "idempotency_keys" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('created', 'updated', 'deduped')),
    record TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE postings (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    term TEXT NOT NULL,
    block INTEGER NOT NULL,
    count INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (scope, term, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE "document_terms" (
    document INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    length INTEGER NOT NULL,
    terms TEXT NOT NULL
) STRICT;
CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    model_version TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    random_cosine REAL NOT NULL,
    random_spread REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'active'))
, mean BLOB) STRICT;
CREATE UNIQUE INDEX generations_active ON generations (state) WHERE state = 'active';
CREATE TABLE vectors (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations (number),
    document INTEGER NOT NULL,
    vector BLOB NOT NULL
, code BLOB) STRICT;
CREATE INDEX vectors_by_document ON vectors (document, generation);
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
CREATE TABLE injections (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    rank INTEGER NOT NULL,
    session TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('brief', 'prompt', 'recall', 'context')),
    state TEXT NOT NULL CHECK (state IN ('shown', 'withheld')),
    at INTEGER NOT NULL,
    weighted INTEGER,
    unweighted INTEGER,
    PRIMARY KEY (scope, id, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX injections_by_session ON injections (scope, session, at, id);
CREATE INDEX injections_by_record ON injections (scope, record);
CREATE TABLE "maintenance_runs" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    day TEXT NOT NULL,
    step TEXT NOT NULL,
    counts TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    record TEXT NOT NULL,
    person TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong', 'dismissed')),
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, record, person)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE blocks (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    prefix INTEGER NOT NULL,
    uncached INTEGER,
    cached INTEGER,
    whole_tokens INTEGER NOT NULL,
    whole_prefix INTEGER NOT NULL,
    whole_uncached INTEGER,
    whole_cached INTEGER,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_by_time ON blocks (scope, at);
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    record TEXT,
    count INTEGER NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
, sealed BLOB) STRICT;
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
CREATE TABLE breakers (
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    failures INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    failing TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    change INTEGER NOT NULL,
    PRIMARY KEY (model, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX records_struck ON records (scope, session)
    WHERE first_message > 0 AND status IN ('rejected', 'dismissed');
CREATE TABLE "imports" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    first_message TEXT NOT NULL,
    digest TEXT NOT NULL,
    messages INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    from_others INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    PRIMARY KEY (scope, session, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE "evidence" (
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    PRIMARY KEY (id, tenant, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_source ON evidence (source, tenant);
CREATE INDEX evidence_by_scope ON evidence (scope);
CREATE TABLE "rejections" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    words TEXT NOT NULL,
    record TEXT NOT NULL,
    tenant TEXT NOT NULL,
    PRIMARY KEY (scope, words, record)
) STRICT, WITHOUT ROWID;
CREATE TABLE "tombstones" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    mark TEXT NOT NULL,
    tenant TEXT NOT NULL,
    PRIMARY KEY (scope, mark)
) STRICT, WITHOUT ROWID;
CREATE TABLE "counters" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE "calls" (
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
    cost INTEGER, request TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (scope, id)
) STRICT;
CREATE INDEX calls_by_time ON calls (scope, started_at, id);
CREATE INDEX records_at_start ON records (scope, type, revision, updated_at DESC, id DESC)
    WHERE kind = 'observation' AND status = 'active' AND document IS NOT NULL;
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
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_seen_at INTEGER
, tenants TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE INDEX access_keys_by_tenant ON access_keys (tenant, created_at);
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
    message TEXT NOT NULL,
    cancelled INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_by_tenant ON jobs (tenant, started_at);
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
CREATE TABLE policies (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    details TEXT NOT NULL CHECK (json_valid(details)),
    set_at INTEGER NOT NULL,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER scopes_are_numbered_once AFTER DELETE ON scopes BEGIN
    UPDATE store SET last_scope = MAX(last_scope, OLD.id);
END;
CREATE INDEX records_by_hash ON records (scope, COALESCE(identity, hash)) WHERE kind IN ('observation', 'reflection');
CREATE INDEX records_until ON records (scope, valid_until) WHERE valid_until IS NOT NULL AND status = 'active';
CREATE INDEX document_terms_by_scope ON document_terms (scope);
CREATE INDEX imports_by_source ON imports (scope, source);
CREATE INDEX imports_by_digest ON imports (scope, digest);
CREATE INDEX imports_by_first_message ON imports (scope, first_message);
CREATE TABLE "chunks" (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('buffered', 'in-review', 'active', 'dead')),
    tokens INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    place INTEGER,
    classification TEXT NOT NULL
        CHECK (classification IN ('public', 'internal', 'confidential', 'restricted')),
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
CREATE INDEX records_by_tenant ON records (tenant, occurred_at, id);
CREATE INDEX records_by_tenant_change ON records (tenant, updated_at);
CREATE INDEX vectors_coded ON vectors (scope, generation, sequence, document, code);
CREATE INDEX vectors_without_code ON vectors (generation) WHERE code IS NULL;
