-- Which key the store signs with, by its fingerprint alone, so that another key is noticed; and by which analyser the
-- words of its text index were made.
CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    fingerprint TEXT NOT NULL,
    analyser TEXT
) STRICT;

-- What kinds of memory there are and where they may stand: filled by the code, so that a new one rebuilds no table.
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

-- Memories of every kind. An id is one tenant's: that another one has it too is nobody's business.
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
    standing REAL CHECK (standing BETWEEN 0 AND 1),
    decayed_on TEXT,
    UNIQUE (id, tenant),
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'message') = (type IS NULL)),
    CHECK ((kind = 'fact') <= (topic_key IS NOT NULL)),
    CHECK ((kind = 'episode') = (tier IS NOT NULL)),
    CHECK ((kind = 'episode') = (contact IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX records_by_number ON records (scope, session, number) WHERE number IS NOT NULL;
-- Not unique: what stands under a key and a caller may not see is no obstacle to what the caller saves under it.
CREATE INDEX records_by_topic ON records (scope, topic_key)
    WHERE topic_key IS NOT NULL AND kind = 'observation' AND status <> 'soft-deleted';
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind IN ('observation', 'reflection');
CREATE INDEX records_by_time ON records (scope, occurred_at, id);
CREATE INDEX records_by_session ON records (scope, session, occurred_at, id);
CREATE INDEX records_by_change ON records (scope, updated_at);
CREATE INDEX records_unembedded ON records (scope, document) WHERE document IS NOT NULL AND generation IS NULL;
CREATE INDEX records_in_log ON records (scope, place) WHERE place IS NOT NULL;
CREATE INDEX records_by_tier ON records (scope, tier, status, contact, occurred_at, id) WHERE tier IS NOT NULL;
CREATE INDEX records_by_key ON records (scope, topic_key) WHERE kind = 'fact';
CREATE INDEX records_of_rules ON records (scope, kind, status) WHERE kind IN ('fact', 'procedure', 'signal');
CREATE INDEX records_learned ON records (scope, status) WHERE kind = 'observation' AND details IS NOT NULL;
-- Which wordings are of what kind and class, without a look at the rows: the text of most is long.
CREATE INDEX records_by_kind ON records (scope, kind, status, classification, document) WHERE document IS NOT NULL;

-- How records read before: a row for every state that has passed.
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
    details TEXT,
    PRIMARY KEY (id, tenant, version),
    FOREIGN KEY (id, tenant) REFERENCES records (id, tenant) ON DELETE CASCADE
) STRICT;

CREATE INDEX versions_by_time ON versions (scope, until, since);

CREATE TABLE evidence (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (id, tenant, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_by_source ON evidence (source, tenant);
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

-- What was put before an agent, and what would have been where that is switched off: a row for each memory of it, with
-- its places among all that a question found: with what feedback has made of weights, and without it.
CREATE TABLE injections (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    rank INTEGER NOT NULL,
    session TEXT NOT NULL,
    way TEXT NOT NULL CHECK (way IN ('brief', 'prompt', 'recall', 'context')),
    state TEXT NOT NULL CHECK (state IN ('shown', 'withheld')),
    at INTEGER NOT NULL,
    weighted INTEGER,
    unweighted INTEGER,
    PRIMARY KEY (scope, id, record)
) STRICT, WITHOUT ROWID;

CREATE INDEX injections_by_session ON injections (scope, session, at, id);
CREATE INDEX injections_by_record ON injections (scope, record);

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

-- The ledger: a row for each call of a model, made before the call with the most that it can cost. All rows of a tenant
-- are in its scope without project, agent and user, whose writers take turns: whose call it was stands beside it.
-- Costs are in millionths of a US dollar; NULL is unknown.
CREATE TABLE calls (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    project TEXT,
    agent TEXT,
    session TEXT,
    purpose TEXT NOT NULL
        CHECK (purpose IN ('observe', 'reflect', 'detect', 'summarise', 'answer', 'embed', 'rerank')),
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

CREATE INDEX calls_by_time ON calls (scope, started_at, id);

-- How long the blocks were that stood in for whole conversations, and what both would have cost; no text.
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

-- Who does which background work, and until when nobody else may. Names are fingerprints.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who did what, through which door; of names the tenant's alone in clear.
CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    at INTEGER NOT NULL,
    door TEXT NOT NULL,
    actor TEXT NOT NULL,
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
