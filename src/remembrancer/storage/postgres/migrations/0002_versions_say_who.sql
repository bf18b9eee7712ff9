-- Each version has its own author, source and time: a later one may be of somebody else.
ALTER TABLE versions
    ADD COLUMN author text NOT NULL DEFAULT '',
    ADD COLUMN source text COLLATE "C" NOT NULL DEFAULT 'tool',
    ADD COLUMN occurred_at timestamptz NOT NULL DEFAULT 'epoch';

-- Whoever owns the tables writes to those of all tenants here.
ALTER TABLE versions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;

UPDATE versions SET author = records.author, source = records.source, occurred_at = records.occurred_at
FROM records WHERE records.id = versions.id AND records.tenant = versions.tenant;

ALTER TABLE versions FORCE ROW LEVEL SECURITY;
ALTER TABLE records FORCE ROW LEVEL SECURITY;
