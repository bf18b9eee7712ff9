-- Each key contains the tenant: a table that is partitioned by tenant can have no other keys.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT conrelid::regclass AS named, conname,
            CASE contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END AS kind,
            (
                SELECT string_agg(quote_ident(attname), ', ' ORDER BY place)
                FROM unnest(conkey) WITH ORDINALITY AS keys (number, place)
                JOIN pg_attribute ON attrelid = conrelid AND attnum = number
            ) AS columns
        FROM pg_constraint
        WHERE connamespace = 'remembrancer'::regnamespace AND contype IN ('p', 'u') AND NOT EXISTS (
            SELECT 1 FROM pg_attribute WHERE attrelid = conrelid AND attname = 'tenant' AND attnum = ANY(conkey)
        )
        ORDER BY 1, 2
    LOOP
        EXECUTE format(
            'ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I %s (%s, tenant)',
            found.named, found.conname, found.conname, found.kind, found.columns);
    END LOOP;
END
$$;

DROP INDEX records_by_number;
CREATE UNIQUE INDEX records_by_number ON records (scope, session, number, tenant) WHERE number IS NOT NULL;
DROP INDEX sessions_unnamed;
CREATE UNIQUE INDEX sessions_unnamed ON sessions (scope, tenant) WHERE NOT named AND status = 'active';

CREATE OR REPLACE FUNCTION remembrancer_ops.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF remembrancer_ops.tenant() IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO counters (scope, tenant, name, count)
    SELECT scope, tenant, TG_TABLE_NAME, COUNT(*) * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END
    FROM changed GROUP BY scope, tenant ORDER BY scope
    ON CONFLICT (scope, name, tenant) DO UPDATE SET count = counters.count + excluded.count;
    RETURN NULL;
END
$$;

-- The search path of a transaction of a tenant; '' is none. Partitioning replaces it.
CREATE FUNCTION remembrancer_ops.path_of(tenant text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT 'remembrancer, remembrancer_ops, public'
$$;

CREATE OR REPLACE FUNCTION remembrancer_ops.index_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.indexed := EXISTS (SELECT 1 FROM scopes WHERE id = NEW.scope AND documents > 2000);
    RETURN NEW;
END
$$;
