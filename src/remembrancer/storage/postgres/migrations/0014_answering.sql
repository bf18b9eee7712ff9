-- What operators have set for scopes, and what is under them, each by a name.
CREATE TABLE policies (
    scope bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    kind text COLLATE "C" NOT NULL,
    details json NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (scope, id)
);

ALTER TABLE policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE policies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON policies USING (tenant = remembrancer_ops.tenant())
    WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON policies TO remembrancer_serving;

-- Who did it, to what, and why: encrypted under the key of the scope, which erasure destroys.
ALTER TABLE audit ADD COLUMN sealed bytea;

CREATE TRIGGER tally_added AFTER INSERT ON policies REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION remembrancer_ops.tally();
CREATE TRIGGER tally_removed AFTER DELETE ON policies REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION remembrancer_ops.tally();
