-- Each version has its own author, source and time: a later one may be of somebody else.
ALTER TABLE versions ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE versions ADD COLUMN source TEXT NOT NULL DEFAULT 'tool';
ALTER TABLE versions ADD COLUMN occurred_at INTEGER NOT NULL DEFAULT 0;

UPDATE versions SET (author, source, occurred_at) = (
    SELECT author, source, occurred_at FROM records WHERE records.id = versions.id AND records.tenant = versions.tenant
);
