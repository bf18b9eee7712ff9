-- Run as the owning role, with search_path remembrancer, remembrancer_ops, public.
-- Content lives in schema remembrancer, each row with its tenant, behind row-level security.
-- Schema remembrancer_ops holds what belongs to no tenant, and no content.

CREATE TABLE remembrancer_ops.signing_key (
    "only" integer PRIMARY KEY CHECK ("only" = 1),
    fingerprint text NOT NULL
);

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
    started_at timestamptz NOT NULL,
    last_activity_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (scope, id)
);

CREATE UNIQUE INDEX sessions_unnamed ON sessions (scope) WHERE NOT named AND status = 'active';
CREATE INDEX sessions_by_activity ON sessions (scope, status, last_activity_at);
CREATE INDEX sessions_active ON sessions (last_activity_at) WHERE status = 'active';

CREATE TABLE records (
    "row" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('message', 'observation')),
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
    status text NOT NULL
        CHECK (status IN ('active', 'quarantined', 'rejected', 'archived', 'soft-deleted')),
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
    CHECK ((kind = 'message') = (number IS NOT NULL)),
    CHECK ((kind = 'message') = (role IS NOT NULL)),
    CHECK ((kind = 'observation') = (type IS NOT NULL)),
    CHECK (kind = 'observation' OR topic_key IS NULL)
);

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
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL REFERENCES records (id) ON DELETE CASCADE,
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
    PRIMARY KEY (id, version)
);

CREATE INDEX versions_by_time ON versions (scope, until, since);

CREATE TABLE evidence (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    PRIMARY KEY (id, source)
);

CREATE INDEX evidence_by_source ON evidence (source);
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

CREATE TABLE audit (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    at timestamptz NOT NULL,
    door text NOT NULL,
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
GRANT SELECT ON remembrancer_ops.generations, remembrancer_ops.migrations TO remembrancer_serving;
GRANT SELECT, INSERT ON remembrancer_ops.signing_key TO remembrancer_serving;

-- What crosses tenants is done by functions of a role that may see no content: who has what due, and generations.
-- They look for tables in our schemas alone: a caller's temporary ones would come first if they were not named last.
GRANT SELECT (tenant) ON scopes TO remembrancer_sweeping;
GRANT SELECT (tenant, document, generation), UPDATE (generation) ON records TO remembrancer_sweeping;
GRANT SELECT (tenant, document, generation), DELETE ON vectors TO remembrancer_sweeping;
GRANT SELECT (tenant, status, last_activity_at) ON sessions TO remembrancer_sweeping;
GRANT SELECT, UPDATE, DELETE ON remembrancer_ops.generations TO remembrancer_sweeping;
CREATE POLICY sweeping ON scopes FOR SELECT TO remembrancer_sweeping USING (true);
CREATE POLICY sweeping ON records TO remembrancer_sweeping USING (true) WITH CHECK (true);
CREATE POLICY sweeping ON vectors TO remembrancer_sweeping USING (true) WITH CHECK (true);
CREATE POLICY sweeping ON sessions FOR SELECT TO remembrancer_sweeping USING (true);

CREATE FUNCTION remembrancer_ops.tenants() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
    SELECT DISTINCT tenant FROM scopes ORDER BY tenant
$$;

CREATE FUNCTION remembrancer_ops.due(stale_before timestamptz) RETURNS TABLE (tenant text, purpose text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
    SELECT DISTINCT records.tenant, 'embed' FROM records
    WHERE records.document IS NOT NULL AND records.generation IS NULL
    UNION ALL
    SELECT DISTINCT sessions.tenant, 'stale-sessions' FROM sessions
    WHERE sessions.status = 'active' AND sessions.last_activity_at < stale_before
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
ALTER FUNCTION remembrancer_ops.due(timestamptz) OWNER TO remembrancer_sweeping;
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
    remembrancer_ops.tenants(), remembrancer_ops.due(timestamptz), remembrancer_ops.switch_generation(bigint),
    remembrancer_ops.drop_generation(bigint), remembrancer_ops.drop_vector_indexes(),
    remembrancer_ops.start_generation(text, text, integer, double precision, double precision, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    remembrancer_ops.tenants(), remembrancer_ops.due(timestamptz), remembrancer_ops.switch_generation(bigint),
    remembrancer_ops.drop_generation(bigint),
    remembrancer_ops.start_generation(text, text, integer, double precision, double precision, text)
TO remembrancer_serving;
GRANT EXECUTE ON FUNCTION remembrancer_ops.drop_vector_indexes() TO remembrancer_sweeping;
