-- How many rows of each table we have written and not removed, by scope: where one is gone that we have not removed, the
-- count tells.
CREATE TABLE tallies (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    name text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (scope, name)
) WITH (fillfactor = 50);

-- Only a transaction of ours has a tenant: what an administrator removes by hand is not counted.
CREATE FUNCTION remembrancer_ops.tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF remembrancer_ops.tenant() IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO remembrancer.tallies AS tallies (scope, tenant, name, count)
    SELECT scope, tenant, TG_TABLE_NAME, COUNT(*) * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END
    FROM changed GROUP BY scope, tenant ORDER BY scope
    ON CONFLICT (scope, name) DO UPDATE SET count = tallies.count + excluded.count;
    RETURN NULL;
END
$$;

-- Whoever owns the tables counts the rows of all tenants here.
DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY[
        'sessions', 'records', 'versions', 'evidence', 'keys', 'chunks', 'logs', 'injections', 'nights', 'verdicts', 'rejections', 'weights', 'calls', 'blocks', 'readings', 'tombstones'
    ] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I NO FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'INSERT INTO remembrancer.tallies (scope, tenant, name, count)'
            ' SELECT scope, tenant, %L, COUNT(*) FROM remembrancer.%I GROUP BY scope, tenant', named, named);
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'CREATE TRIGGER tally_added AFTER INSERT ON remembrancer.%I REFERENCING NEW TABLE AS changed'
            ' FOR EACH STATEMENT EXECUTE FUNCTION remembrancer_ops.tally()', named);
        EXECUTE format(
            'CREATE TRIGGER tally_removed AFTER DELETE ON remembrancer.%I REFERENCING OLD TABLE AS changed'
            ' FOR EACH STATEMENT EXECUTE FUNCTION remembrancer_ops.tally()', named);
    END LOOP;
END
$$;

ALTER TABLE tallies ENABLE ROW LEVEL SECURITY;
ALTER TABLE tallies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tallies USING (tenant = remembrancer_ops.tenant())
    WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON tallies TO remembrancer_serving;
