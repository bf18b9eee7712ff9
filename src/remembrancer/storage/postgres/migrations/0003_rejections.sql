-- What people have said is wrong, by a fingerprint of its words: it stands whatever becomes of the memory that said it.
CREATE TABLE rejections (
    scope bigint NOT NULL,
    tenant text NOT NULL,
    FOREIGN KEY (scope, tenant) REFERENCES scopes (id, tenant),
    words text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, words, record)
);

ALTER TABLE rejections ENABLE ROW LEVEL SECURITY;
ALTER TABLE rejections FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON rejections USING (tenant = remembrancer_ops.tenant())
    WITH CHECK (tenant = remembrancer_ops.tenant());
GRANT SELECT, INSERT, UPDATE, DELETE ON rejections TO remembrancer_serving;
