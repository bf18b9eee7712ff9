-- Tenants in several databases. Without a row, a tenant is here.
CREATE TABLE remembrancer_ops.placements (
    tenant text PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('copying', 'left', 'arriving')),
    -- Where the tenant is copied to, or has moved to; of one that arrives, where it comes from.
    database text NOT NULL,
    since timestamptz NOT NULL,
    -- Of 'left': what was deleted here; without it, that is still to be done.
    receipt jsonb
);

-- Keys of rows that changed while their tenant was copied.
CREATE TABLE remembrancer_ops.logged_changes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL,
    name text NOT NULL,
    key jsonb NOT NULL
);
CREATE INDEX logged_changes_by_name ON remembrancer_ops.logged_changes (tenant, name);
ALTER TABLE remembrancer_ops.logged_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE remembrancer_ops.logged_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON remembrancer_ops.logged_changes
    USING (tenant = remembrancer_ops.tenant()) WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.placements TO remembrancer_serving;
GRANT SELECT, INSERT, DELETE ON remembrancer_ops.logged_changes TO remembrancer_serving;

-- Admits a transaction of a tenant and returns its search path. While a move has the lock of the tenant's writers,
-- writers wait here; the next statement sees what the move wrote.
CREATE FUNCTION remembrancer_ops.admit(tenant text, writes boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    placed remembrancer_ops.placements;
BEGIN
    IF writes THEN
        PERFORM pg_advisory_xact_lock_shared(3, hashtext(tenant));
    END IF;
    SELECT * INTO placed FROM remembrancer_ops.placements AS one WHERE one.tenant = admit.tenant;
    IF placed.state = 'left' THEN
        RAISE EXCEPTION USING ERRCODE = 'RMB01', MESSAGE = placed.database;
    ELSIF placed.state = 'arriving' THEN
        RAISE EXCEPTION USING ERRCODE = 'RMB02', MESSAGE = placed.database;
    ELSIF writes AND placed.state = 'copying' THEN
        PERFORM set_config('remembrancer.logging', 'on', true);
    END IF;
    RETURN remembrancer_ops.path_of(tenant);
END
$$;

CREATE FUNCTION remembrancer_ops.log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO remembrancer_ops.logged_changes (tenant, name, key)
    SELECT DISTINCT
        of_row ->> 'tenant', TG_TABLE_NAME,
        (SELECT jsonb_object_agg(key_column, of_row -> key_column) FROM unnest(TG_ARGV) AS key_column)
    FROM (VALUES (to_jsonb(OLD)), (to_jsonb(NEW))) AS changed (of_row)
    WHERE of_row IS NOT NULL;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT conrelid::regclass AS named, (
            SELECT string_agg(quote_literal(attname), ', ' ORDER BY place)
            FROM unnest(conkey) WITH ORDINALITY AS keys (number, place)
            JOIN pg_attribute ON attrelid = conrelid AND attnum = number
        ) AS columns
        FROM pg_constraint
        WHERE connamespace = 'remembrancer'::regnamespace AND contype = 'p'
        ORDER BY 1
    LOOP
        EXECUTE format(
            'CREATE TRIGGER changes_logged AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW'
            ' WHEN (current_setting(''remembrancer.logging'', true) = ''on'')'
            ' EXECUTE FUNCTION remembrancer_ops.log_change(%s)', found.named, found.columns);
    END LOOP;
END
$$;

-- Numbers of scopes and documents repeat once tenants have moved: the tenant is compared too.
GRANT SELECT (tenant) ON maintenance_runs TO remembrancer_sweeping;
CREATE OR REPLACE FUNCTION remembrancer_ops.switch_generation(chosen bigint) RETURNS boolean
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
        WHEN EXISTS (
            SELECT 1 FROM vectors WHERE vectors.document = records.document AND vectors.tenant = records.tenant
        ) THEN chosen
    END
    WHERE document IS NOT NULL;
    PERFORM remembrancer_ops.drop_vector_indexes();
    RETURN true;
END
$$;

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
        WHERE maintenance_runs.scope = scopes.id AND maintenance_runs.tenant = scopes.tenant
            AND maintenance_runs.day = night COLLATE "C" AND maintenance_runs.ended_at IS NOT NULL
    )
    ORDER BY 1, 2
$$;
