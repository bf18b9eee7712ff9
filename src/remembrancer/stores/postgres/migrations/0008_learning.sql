-- What was done, what feedback says of it, what holds, and how to behave; how each memory stands; nightly runs.
DO $$
DECLARE
    named text;
BEGIN
    -- The checks that say which words a column may hold, and what a kind has.
    FOR named IN
        SELECT conname FROM pg_constraint
        WHERE conrelid = 'remembrancer.records'::regclass AND contype = 'c'
            AND (pg_get_constraintdef(oid) LIKE '%''reflection''%' OR pg_get_constraintdef(oid) LIKE '%''archived''%'
                OR pg_get_constraintdef(oid) LIKE '%topic_key IS NULL%')
    LOOP
        EXECUTE format('ALTER TABLE remembrancer.records DROP CONSTRAINT %I', named);
    END LOOP;
END
$$;

ALTER TABLE records
    ADD COLUMN details json,
    ADD COLUMN tier text CHECK (tier IN ('raw', 'weekly', 'monthly')),
    ADD COLUMN contact text COLLATE "C",
    ADD COLUMN weight double precision NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0 AND 1),
    ADD COLUMN rating double precision CHECK (rating BETWEEN 0 AND 1),
    ADD COLUMN boost double precision NOT NULL DEFAULT 0 CHECK (boost BETWEEN 0 AND 1),
    ADD COLUMN pinned boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN relevance double precision NOT NULL DEFAULT 0 CHECK (relevance BETWEEN 0 AND 1),
    ADD COLUMN standing double precision CHECK (standing BETWEEN 0 AND 1),
    ADD COLUMN decayed_on text,
    ADD CHECK (kind IN ('message', 'observation', 'reflection', 'episode', 'signal', 'fact', 'procedure')),
    ADD CHECK (status IN (
        'buffered', 'raw', 'active', 'paused', 'merged', 'quarantined', 'rejected', 'demoted', 'dismissed',
        'contradicted', 'superseded_raw', 'superseded_tier1', 'retired', 'archived', 'soft-deleted'
    )),
    ADD CHECK (kind IN ('observation', 'fact') OR topic_key IS NULL),
    ADD CHECK ((kind = 'fact') <= (topic_key IS NOT NULL)),
    ADD CHECK ((kind = 'episode') = (tier IS NOT NULL)),
    ADD CHECK ((kind = 'episode') = (contact IS NOT NULL)),
    ADD CHECK (kind IN ('message', 'observation', 'reflection') OR details IS NOT NULL);

ALTER TABLE versions ADD COLUMN details json;

DROP INDEX records_by_topic;
DROP INDEX records_by_hash;
CREATE UNIQUE INDEX records_by_topic ON records (scope, topic_key)
    WHERE topic_key IS NOT NULL AND kind = 'observation' AND status <> 'soft-deleted';
CREATE INDEX records_by_hash ON records (scope, hash) WHERE kind IN ('observation', 'reflection');
CREATE INDEX records_by_tier ON records (scope, tier, status, contact, occurred_at, id) WHERE tier IS NOT NULL;
CREATE INDEX records_by_key ON records (scope, topic_key) WHERE kind = 'fact';
CREATE INDEX records_of_rules ON records (scope, kind, status) WHERE kind IN ('fact', 'procedure', 'signal');
CREATE INDEX records_learned ON records (scope, status) WHERE kind = 'observation' AND details IS NOT NULL;

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

DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['nights', 'verdicts', 'weights'] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'CREATE POLICY own_tenant ON remembrancer.%I USING (tenant = remembrancer_ops.tenant())'
            ' WITH CHECK (tenant = remembrancer_ops.tenant())', named);
    END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON nights, verdicts, weights TO remembrancer_serving;

GRANT SELECT (scope, day, ended_at) ON nights TO remembrancer_sweeping;
GRANT SELECT (id, tenant) ON scopes TO remembrancer_sweeping;
CREATE POLICY sweeping ON nights FOR SELECT TO remembrancer_sweeping USING (true);

DROP FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint);

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

ALTER FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text) OWNER TO remembrancer_sweeping;
REVOKE ALL ON FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remembrancer_ops.due(timestamptz, bigint, boolean, bigint, bigint, text)
    TO remembrancer_serving;
