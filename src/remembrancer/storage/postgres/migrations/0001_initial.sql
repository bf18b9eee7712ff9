-- Run as the owning role, with search_path remembrancer, remembrancer_ops, public.
-- Content lives in schema remembrancer, each row with its tenant, behind row-level security.
-- Schema remembrancer_ops holds what belongs to no tenant, and no content.

-- Which key the store signs with, by its fingerprint alone, so that another key is noticed; and by which analyser the
-- words of its text index were made.
CREATE TABLE remembrancer_ops.store (
    "only" integer PRIMARY KEY CHECK ("only" = 1),
    fingerprint text NOT NULL,
    analyser text
);

-- What kinds of memory there are and where they may stand: filled by the code, so that a new one rebuilds no table.
CREATE TABLE remembrancer_ops.kinds (name text COLLATE "C" PRIMARY KEY);
CREATE TABLE remembrancer_ops.statuses (name text COLLATE "C" PRIMARY KEY);

CREATE TABLE scopes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    project text,
    agent text,
    "user" text,
    last_document bigint NOT NULL,
    documents bigint NOT NULL,
    words bigint NOT NULL,
    audit_key bytea NOT NULL,
    -- What belongs to a scope belongs to its tenant: foreign keys see past the walls, and this keeps them honest.
    UNIQUE (id, tenant)
);

-- Blanks count as equal here, which a plain UNIQUE would not do.
CREATE UNIQUE INDEX scopes_by_name
    ON scopes (tenant, COALESCE(project, ''), COALESCE(agent, ''), COALESCE("user", ''));

CREATE TABLE sessions (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'completed')),
    named boolean NOT NULL,
    record boolean NOT NULL,
    messages bigint NOT NULL,
    erased bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    observed bigint NOT NULL DEFAULT 0,
    observed_tokens bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL,
    last_activity_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (scope, id)
);

CREATE UNIQUE INDEX sessions_unnamed ON sessions (scope) WHERE NOT named AND status = 'active';
CREATE INDEX sessions_by_activity ON sessions (scope, status, last_activity_at);
CREATE INDEX sessions_active ON sessions (last_activity_at) WHERE status = 'active';
CREATE INDEX sessions_unobserved ON sessions ((tokens - observed_tokens)) WHERE tokens > observed_tokens;

-- Memories of every kind. An id is one tenant's: that another one has it too is nobody's business.
CREATE TABLE records (
    "row" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    kind text NOT NULL REFERENCES remembrancer_ops.kinds (name),
    session text COLLATE "C",
    text text NOT NULL,
    hash text NOT NULL,
    author text NOT NULL,
    source text NOT NULL
        CHECK (source IN ('tool', 'auto-capture', 'user', 'import', 'observer', 'detector')),
    tags text[] NOT NULL,
    metadata json NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL CHECK (revision >= 1),
    version bigint NOT NULL CHECK (version >= 1),
    status text NOT NULL REFERENCES remembrancer_ops.statuses (name),
    classification text NOT NULL
        CHECK (classification IN ('public', 'internal', 'confidential', 'restricted')),
    trust text NOT NULL CHECK (trust IN ('untrusted', 'trusted')),
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    echo boolean NOT NULL,
    usage_count bigint NOT NULL,
    last_accessed_at timestamptz,
    document bigint UNIQUE,
    generation bigint,
    number bigint,
    role text CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    speaker text,
    tokens bigint,
    type text,
    title text,
    topic_key text COLLATE "C",
    tokenizer text,
    priority bigint CHECK (priority BETWEEN 1 AND 5),
    refers_to text,
    first_message bigint,
    last_message bigint,
    place bigint,
    engine text,
    model text,
    details json,
    tier text CHECK (tier IN ('raw', 'weekly', 'monthly')),
    contact text COLLATE "C",
    weight double precision NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0 AND 1),
    rating double precision CHECK (rating BETWEEN 0 AND 1),
    boost double precision NOT NULL DEFAULT 0 CHECK (boost BETWEEN 0 AND 1),
    pinned boolean NOT NULL DEFAULT FALSE,
    relevance double precision NOT NULL DEFAULT 0 CHECK (relevance BETWEEN 0 AND 1),
    standing double precision CHECK (standing BETWEEN 0 AND 1),
    decayed_on text,
    UNIQUE (id, tenant),
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'message') = (type IS NULL)),
    CHECK ((kind = 'fact') <= (topic_key IS NOT NULL)),
    CHECK ((kind = 'episode') = (tier IS NOT NULL)),
    CHECK ((kind = 'episode') = (contact IS NOT NULL))
);

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
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    session text COLLATE "C",
    text text NOT NULL,
    hash text NOT NULL,
    tags text[] NOT NULL,
    metadata json NOT NULL,
    revision bigint NOT NULL,
    status text NOT NULL,
    classification text NOT NULL,
    trust text NOT NULL,
    importance double precision NOT NULL,
    type text,
    title text,
    details json,
    PRIMARY KEY (id, tenant, version),
    FOREIGN KEY (id, tenant) REFERENCES records (id, tenant) ON DELETE CASCADE
);

CREATE INDEX versions_by_time ON versions (scope, until, since);

CREATE TABLE evidence (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    PRIMARY KEY (id, tenant, source)
);

CREATE INDEX evidence_by_source ON evidence (source, tenant);
CREATE INDEX evidence_by_scope ON evidence (scope);

CREATE TABLE keys (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    key text COLLATE "C" NOT NULL,
    request text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('created', 'updated', 'deduped')),
    record text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (scope, key)
);

-- The text index: for each term of a scope, blocks of packed (wording, occurrences, length).
-- A block has at most 5 KiB and changes often: kept in its row, uncompressed, with room beside it.
CREATE TABLE postings (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    term text COLLATE "C" NOT NULL,
    block bigint NOT NULL,
    count bigint NOT NULL,
    entries bytea NOT NULL,
    PRIMARY KEY (scope, term, block)
) WITH (fillfactor = 70);

ALTER TABLE postings ALTER COLUMN entries SET STORAGE PLAIN;

-- What the text index holds for a wording, so that it can be taken out again.
CREATE TABLE wordings (
    document bigint PRIMARY KEY,
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    length bigint NOT NULL,
    terms text NOT NULL
);

CREATE INDEX wordings_by_scope ON wordings (scope);

CREATE TABLE remembrancer_ops.generations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    model_version text NOT NULL,
    dimension integer NOT NULL,
    random_cosine double precision NOT NULL,
    random_spread double precision NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'active'))
);

CREATE UNIQUE INDEX generations_active ON remembrancer_ops.generations (state) WHERE state = 'active';

CREATE TABLE vectors (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    generation bigint NOT NULL REFERENCES remembrancer_ops.generations (number),
    document bigint NOT NULL,
    vector halfvec NOT NULL
);

CREATE INDEX vectors_by_scope ON vectors (scope, generation);
CREATE INDEX vectors_by_document ON vectors (document, generation);

-- Runs of messages that were observed, each once: they follow one another without gaps from the first message on.
CREATE TABLE chunks (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    session text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    state text NOT NULL CHECK (state IN ('buffered', 'held', 'active', 'dead')),
    tokens bigint NOT NULL,
    noted bigint NOT NULL,
    place bigint,
    classification text NOT NULL
        CHECK (classification IN ('public', 'internal', 'confidential', 'restricted')),
    task text NOT NULL,
    suggestion text NOT NULL,
    engine text NOT NULL,
    model text NOT NULL,
    failure text NOT NULL,
    tries bigint NOT NULL,
    observed_at timestamptz NOT NULL,
    activated_at timestamptz,
    PRIMARY KEY (scope, session, first),
    CHECK (first <= last),
    CHECK ((state = 'active') = (activated_at IS NOT NULL))
);

CREATE INDEX chunks_failed ON chunks (scope, observed_at) WHERE failure <> '';

-- What an agent reads of its past, by session or, under '', of a whole scope: how long it is and how far it was
-- reflected on.
CREATE TABLE logs (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    session text COLLATE "C" NOT NULL,
    places bigint NOT NULL,
    tokens bigint NOT NULL,
    fresh bigint NOT NULL,
    PRIMARY KEY (scope, session)
);

CREATE INDEX logs_by_tokens ON logs (tokens);

-- What was put before an agent, and what would have been where that is switched off: a row for each memory of it, with
-- its places among all that a question found: with what feedback has made of weights, and without it.
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
    weighted bigint,
    unweighted bigint,
    PRIMARY KEY (scope, id, record)
);

CREATE INDEX injections_by_session ON injections (scope, session, at, id);
CREATE INDEX injections_by_record ON injections (scope, record);

-- How far the nightly run of a scope has come, for each day of its tenant.
CREATE TABLE nights (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    day text COLLATE "C" NOT NULL,
    step text NOT NULL,
    counts text NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (scope, day)
);

-- What people have said of observations; the last word of each of them.
CREATE TABLE verdicts (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    record text COLLATE "C" NOT NULL,
    person text COLLATE "C" NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('right', 'wrong', 'dismissed')),
    at timestamptz NOT NULL,
    PRIMARY KEY (scope, record, person)
);

-- How the outcome of a session has moved the weight of what was put before the agent in it.
CREATE TABLE weights (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    session text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'rework')),
    alpha double precision NOT NULL,
    before double precision NOT NULL,
    after double precision NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (scope, session, record)
);

CREATE INDEX weights_by_record ON weights (scope, record, at);

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

-- Who does which background work, and until when nobody else may. Names are fingerprints.
CREATE TABLE remembrancer_ops.leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until timestamptz NOT NULL
);

-- Who did what, through which door; of names the tenant's alone in clear.
CREATE TABLE audit (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    at timestamptz NOT NULL,
    door text NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    record text,
    count bigint NOT NULL,
    previous text NOT NULL,
    hash text NOT NULL
);

CREATE INDEX audit_by_tenant ON audit (tenant, sequence);
CREATE INDEX audit_by_subject ON audit (subject);

CREATE FUNCTION remembrancer_ops.refuse_to_change_the_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION remembrancer_ops.refuse_to_change_the_audit();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION remembrancer_ops.refuse_to_change_the_audit();

-- Row-level security. A tenant that was set for a past transaction reads as '' afterwards, which names nobody.
CREATE FUNCTION remembrancer_ops.tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NULLIF(current_setting('remembrancer.tenant', true), '')
$$;

DO $$
DECLARE
    named text;
BEGIN
    FOR named IN SELECT tablename FROM pg_tables WHERE schemaname = 'remembrancer' LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'CREATE POLICY own_tenant ON remembrancer.%I USING (tenant = remembrancer_ops.tenant())'
            ' WITH CHECK (tenant = remembrancer_ops.tenant())', named);
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA remembrancer, remembrancer_ops TO remembrancer_serving, remembrancer_sweeping;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA remembrancer TO remembrancer_serving;
REVOKE UPDATE, DELETE ON audit FROM remembrancer_serving;
GRANT SELECT ON
    remembrancer_ops.generations, remembrancer_ops.kinds, remembrancer_ops.migrations, remembrancer_ops.statuses
TO remembrancer_serving;
GRANT SELECT, INSERT, UPDATE (analyser) ON remembrancer_ops.store TO remembrancer_serving;
GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.leases TO remembrancer_serving;

-- What crosses tenants is done by functions of a role that may see no content: who has what due, and generations.
-- They look for tables in our schemas alone: a caller's temporary ones would come first if they were not named last.
GRANT SELECT (id, tenant) ON scopes TO remembrancer_sweeping;
GRANT SELECT (tenant, document, generation), UPDATE (generation) ON records TO remembrancer_sweeping;
GRANT SELECT (tenant, document, generation), DELETE ON vectors TO remembrancer_sweeping;
GRANT SELECT (scope, tenant, status, last_activity_at, tokens, observed_tokens) ON sessions TO remembrancer_sweeping;
GRANT SELECT (tenant, tokens, fresh) ON logs TO remembrancer_sweeping;
GRANT SELECT (scope, day, ended_at) ON nights TO remembrancer_sweeping;
GRANT SELECT, UPDATE, DELETE ON remembrancer_ops.generations TO remembrancer_sweeping;
CREATE POLICY sweeping ON scopes FOR SELECT TO remembrancer_sweeping USING (true);
CREATE POLICY sweeping ON records TO remembrancer_sweeping USING (true) WITH CHECK (true);
CREATE POLICY sweeping ON vectors TO remembrancer_sweeping USING (true) WITH CHECK (true);
CREATE POLICY sweeping ON sessions FOR SELECT TO remembrancer_sweeping USING (true);
CREATE POLICY sweeping ON logs FOR SELECT TO remembrancer_sweeping USING (true);
CREATE POLICY sweeping ON nights FOR SELECT TO remembrancer_sweeping USING (true);

CREATE FUNCTION remembrancer_ops.tenants() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
    SELECT DISTINCT tenant FROM scopes ORDER BY tenant
$$;

CREATE FUNCTION remembrancer_ops.due(
    stale_before timestamptz, chunk_tokens bigint, by_scope boolean, log_tokens bigint, fresh_tokens bigint, night text
) RETURNS TABLE (tenant text, purpose text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
    SELECT DISTINCT records.tenant, 'embed' FROM records
    WHERE records.document IS NOT NULL AND records.generation IS NULL
    UNION
    SELECT DISTINCT sessions.tenant, 'stale-sessions' FROM sessions
    WHERE sessions.status = 'active' AND sessions.last_activity_at < stale_before
    UNION
    SELECT sessions.tenant, 'observe' FROM sessions
    WHERE NOT by_scope AND sessions.tokens > sessions.observed_tokens
        AND sessions.tokens - sessions.observed_tokens >= chunk_tokens
    UNION
    SELECT sessions.tenant, 'observe' FROM sessions
    WHERE by_scope AND sessions.tokens > sessions.observed_tokens
    GROUP BY sessions.tenant, sessions.scope
    HAVING SUM(sessions.tokens - sessions.observed_tokens) >= chunk_tokens
    UNION
    SELECT DISTINCT logs.tenant, 'reflect' FROM logs
    WHERE logs.tokens >= log_tokens AND logs.fresh >= fresh_tokens
    UNION
    SELECT DISTINCT scopes.tenant, 'nightly' FROM scopes
    WHERE night <> '' AND NOT EXISTS (
        SELECT 1 FROM nights
        WHERE nights.scope = scopes.id AND nights.day >= night COLLATE "C" AND nights.ended_at IS NOT NULL
    )
    ORDER BY 1, 2
$$;

CREATE FUNCTION remembrancer_ops.switch_generation(chosen bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
BEGIN
    PERFORM 1 FROM generations WHERE number = chosen FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM vectors WHERE generation <> chosen;
    DELETE FROM generations WHERE number <> chosen;
    UPDATE generations SET state = 'active';
    UPDATE records SET generation = CASE
        WHEN EXISTS (SELECT 1 FROM vectors WHERE vectors.document = records.document) THEN chosen
    END
    WHERE document IS NOT NULL;
    PERFORM remembrancer_ops.drop_vector_indexes();
    RETURN true;
END
$$;

CREATE FUNCTION remembrancer_ops.drop_generation(chosen bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
BEGIN
    PERFORM 1 FROM generations WHERE number = chosen AND state = 'building' FOR UPDATE;
    IF FOUND THEN
        DELETE FROM vectors WHERE generation = chosen;
        DELETE FROM generations WHERE number = chosen;
        PERFORM remembrancer_ops.drop_vector_indexes();
    END IF;
END
$$;

ALTER FUNCTION remembrancer_ops.tenants() OWNER TO remembrancer_sweeping;
ALTER FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text) OWNER TO remembrancer_sweeping;
ALTER FUNCTION remembrancer_ops.switch_generation(bigint) OWNER TO remembrancer_sweeping;
ALTER FUNCTION remembrancer_ops.drop_generation(bigint) OWNER TO remembrancer_sweeping;

-- An index of vectors has one width, so each generation has its own; only the tables' owner can make one.
CREATE FUNCTION remembrancer_ops.start_generation(
    name text, model_version text, dimension integer, random_cosine double precision, random_spread double precision,
    state text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    LOCK TABLE generations IN EXCLUSIVE MODE;
    IF state = 'active' AND EXISTS (SELECT 1 FROM generations) THEN
        RETURN NULL;
    END IF;
    INSERT INTO generations (name, model_version, dimension, random_cosine, random_spread, state)
    VALUES (name, model_version, dimension, random_cosine, random_spread, state)
    RETURNING number INTO made;
    -- pgvector indexes half-precision vectors of up to 4,000 dimensions.
    IF dimension <= 4000 THEN
        EXECUTE format(
            'CREATE INDEX vectors_near_%s ON remembrancer.vectors'
            ' USING hnsw ((vector::public.halfvec(%s)) public.halfvec_cosine_ops) WHERE generation = %s',
            made, dimension, made
        );
    END IF;
    RETURN made;
END
$$;

CREATE FUNCTION remembrancer_ops.drop_vector_indexes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    named text;
BEGIN
    FOR named IN
        SELECT indexname FROM pg_indexes
        WHERE schemaname = 'remembrancer' AND indexname LIKE 'vectors\_near\_%'
            AND substring(indexname FROM 14)::bigint NOT IN (SELECT number FROM generations)
    LOOP
        EXECUTE format('DROP INDEX remembrancer.%I', named);
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION
    remembrancer_ops.tenants(), remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text),
    remembrancer_ops.switch_generation(bigint),
    remembrancer_ops.drop_generation(bigint), remembrancer_ops.drop_vector_indexes(),
    remembrancer_ops.start_generation(text, text, integer, double precision, double precision, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    remembrancer_ops.tenants(), remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text),
    remembrancer_ops.switch_generation(bigint),
    remembrancer_ops.drop_generation(bigint),
    remembrancer_ops.start_generation(text, text, integer, double precision, double precision, text)
TO remembrancer_serving;
GRANT EXECUTE ON FUNCTION remembrancer_ops.drop_vector_indexes() TO remembrancer_sweeping;

-- Copying a store keeps its numbers, and what is numbered afterwards goes on behind them. The serving role may add rows
-- with numbers of their own to its tenant's tables; these two things it may not.

CREATE FUNCTION remembrancer_ops.number_after(numbered text, last bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    counter text := CASE numbered
        WHEN 'scopes' THEN pg_get_serial_sequence('remembrancer.scopes', 'id')
        WHEN 'records' THEN pg_get_serial_sequence('remembrancer.records', 'row')
        WHEN 'vectors' THEN pg_get_serial_sequence('remembrancer.vectors', 'sequence')
        WHEN 'audit' THEN pg_get_serial_sequence('remembrancer.audit', 'sequence')
    END;
BEGIN
    IF counter IS NULL THEN
        RAISE EXCEPTION 'nothing is numbered in %', numbered;
    END IF;
    -- Never back: a number that was given is not given again.
    EXECUTE format('SELECT setval(%L, $1) FROM %s WHERE last_value <= $1', counter, counter) USING last;
END
$$;

CREATE FUNCTION remembrancer_ops.copy_generation(
    number bigint, name text, model_version text, dimension integer, random_cosine double precision,
    random_spread double precision, state text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    counter text := pg_get_serial_sequence('remembrancer_ops.generations', 'number');
BEGIN
    LOCK TABLE generations IN EXCLUSIVE MODE;
    INSERT INTO generations (number, name, model_version, dimension, random_cosine, random_spread, state)
    OVERRIDING SYSTEM VALUE
    VALUES (number, name, model_version, dimension, random_cosine, random_spread, state);
    EXECUTE format('SELECT setval(%L, $1) FROM %s WHERE last_value <= $1', counter, counter) USING number;
    -- As `start_generation` does.
    IF dimension <= 4000 THEN
        EXECUTE format(
            'CREATE INDEX vectors_near_%s ON remembrancer.vectors'
            ' USING hnsw ((vector::public.halfvec(%s)) public.halfvec_cosine_ops) WHERE generation = %s',
            number, dimension, number
        );
    END IF;
END
$$;

REVOKE ALL ON FUNCTION
    remembrancer_ops.number_after(text, bigint),
    remembrancer_ops.copy_generation(bigint, text, text, integer, double precision, double precision, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    remembrancer_ops.number_after(text, bigint),
    remembrancer_ops.copy_generation(bigint, text, text, integer, double precision, double precision, text)
TO remembrancer_serving;
