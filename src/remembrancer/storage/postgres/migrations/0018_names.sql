-- Tables and columns have the names that the code and the API use.
ALTER TABLE nights RENAME TO maintenance_runs;
ALTER TABLE tallies RENAME TO counters;
ALTER TABLE wordings RENAME TO document_terms;
ALTER TABLE keys RENAME TO idempotency_keys;
ALTER TABLE readings RENAME TO imports;
ALTER TABLE imports RENAME COLUMN opening TO first_message;
ALTER TABLE imports RENAME COLUMN lacking TO missing;
ALTER TABLE imports RENAME COLUMN elsewhere TO from_others;
ALTER TABLE imports RENAME COLUMN left_out TO skipped;
ALTER TABLE audit RENAME COLUMN door TO origin;
ALTER TABLE records RENAME COLUMN standing TO score;
ALTER TABLE jobs RENAME COLUMN told TO message;
ALTER TABLE jobs RENAME COLUMN beat_at TO heartbeat_at;
ALTER TABLE injections RENAME COLUMN way TO mode;
ALTER TABLE access_keys RENAME COLUMN made_at TO created_at;

ALTER INDEX wordings_by_scope RENAME TO document_terms_by_scope;
ALTER INDEX readings_by_source RENAME TO imports_by_source;
ALTER INDEX readings_by_digest RENAME TO imports_by_digest;
ALTER INDEX readings_by_opening RENAME TO imports_by_first_message;

CREATE OR REPLACE FUNCTION remembrancer_ops.due(
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
        SELECT 1 FROM maintenance_runs
        WHERE maintenance_runs.scope = scopes.id AND maintenance_runs.day = night COLLATE "C"
            AND maintenance_runs.ended_at IS NOT NULL
    )
    ORDER BY 1, 2
$$;

CREATE OR REPLACE FUNCTION remembrancer_ops.tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF remembrancer_ops.tenant() IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO remembrancer.counters AS counters (scope, tenant, name, count)
    SELECT scope, tenant, TG_TABLE_NAME, COUNT(*) * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END
    FROM changed GROUP BY scope, tenant ORDER BY scope
    ON CONFLICT (scope, name) DO UPDATE SET count = counters.count + excluded.count;
    RETURN NULL;
END
$$;
ALTER FUNCTION remembrancer_ops.tally() RENAME TO count_rows;

-- The owner of the tables writes to those of all tenants here.
DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['counters', 'maintenance_runs', 'chunks', 'records', 'versions', 'policies'] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I NO FORCE ROW LEVEL SECURITY', named);
    END LOOP;
END
$$;

-- Counters have the names of their tables.
UPDATE counters SET name = CASE name
    WHEN 'nights' THEN 'maintenance_runs'
    WHEN 'keys' THEN 'idempotency_keys'
    WHEN 'readings' THEN 'imports'
END
WHERE name IN ('nights', 'keys', 'readings');

UPDATE maintenance_runs SET step = 'scores' WHERE step = 'standing';

-- A chunk that waits for a person is in review.
ALTER TABLE chunks DROP CONSTRAINT chunks_state_check;
UPDATE chunks SET state = 'in-review' WHERE state = 'held';
ALTER TABLE chunks ADD CONSTRAINT chunks_state_check
    CHECK (state IN ('buffered', 'in-review', 'active', 'dead'));

-- Supporting episodes of a detected pattern.
UPDATE records SET details = (
    (details::jsonb - 'held') || jsonb_build_object('supporting', details::jsonb -> 'held')
)::json
WHERE kind = 'observation' AND details ->> 'held' IS NOT NULL;
UPDATE versions SET details = (
    (details::jsonb - 'held') || jsonb_build_object('supporting', details::jsonb -> 'held')
)::json
WHERE details ->> 'held' IS NOT NULL;

UPDATE policies SET details = (
    (details::jsonb - 'datum') || jsonb_build_object('data_type', details::jsonb -> 'datum')
)::json
WHERE details ->> 'datum' IS NOT NULL;

DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['counters', 'maintenance_runs', 'chunks', 'records', 'versions', 'policies'] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
    END LOOP;
END
$$;
