-- Which conversations were imported, as each was read in one place: all texts but the session are fingerprints that only
-- the store's key can make.
CREATE TABLE readings (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    source text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    opening text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    messages bigint NOT NULL,
    lacking bigint NOT NULL,
    elsewhere bigint NOT NULL,
    left_out bigint NOT NULL,
    PRIMARY KEY (scope, session, source)
);

CREATE INDEX readings_by_source ON readings (scope, source);
CREATE INDEX readings_by_digest ON readings (scope, digest);
CREATE INDEX readings_by_opening ON readings (scope, opening);

-- Imported messages that were erased, by fingerprints of their ids: no import brings them back.
CREATE TABLE tombstones (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    mark text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, mark)
);

DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY['readings', 'tombstones'] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format(
            'CREATE POLICY own_tenant ON remembrancer.%I USING (tenant = remembrancer_ops.tenant())'
            ' WITH CHECK (tenant = remembrancer_ops.tenant())', named);
    END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON readings, tombstones TO remembrancer_serving;
