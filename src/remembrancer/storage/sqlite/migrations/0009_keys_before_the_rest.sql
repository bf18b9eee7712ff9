-- SQLite before 3.41 takes such a table for damaged where a column of its key is the last one of all.
CREATE TABLE evidence_anew (
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    PRIMARY KEY (id, tenant, source)
) STRICT, WITHOUT ROWID;

INSERT INTO evidence_anew (id, tenant, source, scope) SELECT id, tenant, source, scope FROM evidence;
DROP TABLE evidence;
ALTER TABLE evidence_anew RENAME TO evidence;

CREATE INDEX evidence_by_source ON evidence (source, tenant);
CREATE INDEX evidence_by_scope ON evidence (scope);

CREATE TABLE rejections_anew (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    words TEXT NOT NULL,
    record TEXT NOT NULL,
    tenant TEXT NOT NULL,
    PRIMARY KEY (scope, words, record)
) STRICT, WITHOUT ROWID;

INSERT INTO rejections_anew (scope, words, record, tenant) SELECT scope, words, record, tenant FROM rejections;
DROP TABLE rejections;
ALTER TABLE rejections_anew RENAME TO rejections;

CREATE TABLE tombstones_anew (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    mark TEXT NOT NULL,
    tenant TEXT NOT NULL,
    PRIMARY KEY (scope, mark)
) STRICT, WITHOUT ROWID;

INSERT INTO tombstones_anew (scope, mark, tenant) SELECT scope, mark, tenant FROM tombstones;
DROP TABLE tombstones;
ALTER TABLE tombstones_anew RENAME TO tombstones;
