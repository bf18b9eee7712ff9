-- Observations that an observer drew from messages, the log that they stand in, and reflections over them.
ALTER TABLE records
    DROP CONSTRAINT records_kind_check,
    DROP CONSTRAINT records_status_check,
    ADD COLUMN tokenizer text,
    ADD COLUMN priority bigint CHECK (priority BETWEEN 1 AND 5),
    ADD COLUMN refers_to text,
    ADD COLUMN first_message bigint,
    ADD COLUMN last_message bigint,
    ADD COLUMN place bigint,
    ADD COLUMN engine text,
    ADD COLUMN model text;

DO $$
DECLARE
    named text;
BEGIN
    -- The checks over several columns that say what a kind has.
    FOR named IN
        SELECT conname FROM pg_constraint
        WHERE conrelid = 'remembrancer.records'::regclass AND contype = 'c'
            AND pg_get_constraintdef(oid) LIKE '%observation%type IS NOT NULL%'
    LOOP
        EXECUTE format('ALTER TABLE remembrancer.records DROP CONSTRAINT %I', named);
    END LOOP;
END
$$;

ALTER TABLE records
    ADD CHECK (kind IN ('message', 'observation', 'reflection')),
    ADD CHECK (status IN (
        'buffered', 'active', 'merged', 'quarantined', 'rejected', 'dismissed', 'retired', 'archived',
            'soft-deleted'
    )),
    ADD CHECK ((kind = 'message') = (type IS NULL));

DROP INDEX records_by_hash;
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind <> 'message';
CREATE INDEX records_in_log ON records (scope, place) WHERE place IS NOT NULL;

ALTER TABLE sessions
    ADD COLUMN tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN observed bigint NOT NULL DEFAULT 0,
    ADD COLUMN observed_tokens bigint NOT NULL DEFAULT 0;

-- The owner sees no tenant's rows either, unless it says so.
ALTER TABLE sessions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;
UPDATE sessions SET tokens = (
    SELECT COALESCE(SUM(records.tokens), 0) FROM records
    WHERE records.scope = sessions.scope AND records.session = sessions.id AND records.number IS NOT NULL
);
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE records FORCE ROW LEVEL SECURITY;

CREATE INDEX sessions_unobserved ON sessions ((tokens - observed_tokens)) WHERE tokens > observed_tokens;

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

DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['chunks', 'logs'] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'CREATE POLICY own_tenant ON remembrancer.%I USING (tenant = remembrancer_ops.tenant())'
            ' WITH CHECK (tenant = remembrancer_ops.tenant())', named);
    END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON chunks, logs TO remembrancer_serving;
GRANT SELECT (scope, tokens, observed_tokens) ON sessions TO remembrancer_sweeping;
GRANT SELECT (tenant, tokens, fresh) ON logs TO remembrancer_sweeping;
CREATE POLICY sweeping ON logs FOR SELECT TO remembrancer_sweeping USING (true);

DROP FUNCTION remembrancer_ops.due(timestamptz);

CREATE FUNCTION remembrancer_ops.due(
    stale_before timestamptz, chunk_tokens bigint, by_scope boolean, log_tokens bigint, fresh_tokens bigint
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
    ORDER BY 1, 2
$$;

ALTER FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint) OWNER TO remembrancer_sweeping;
REVOKE ALL ON FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint) TO remembrancer_serving;
