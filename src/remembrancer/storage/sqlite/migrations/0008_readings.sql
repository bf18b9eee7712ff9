-- Which conversations were imported, as each was read in one place: all texts but the session are fingerprints that only
-- the store's key can make.
CREATE TABLE readings (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    opening TEXT NOT NULL,
    digest TEXT NOT NULL,
    messages INTEGER NOT NULL,
    lacking INTEGER NOT NULL,
    elsewhere INTEGER NOT NULL,
    left_out INTEGER NOT NULL,
    PRIMARY KEY (scope, session, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX readings_by_source ON readings (scope, source);
CREATE INDEX readings_by_digest ON readings (scope, digest);
CREATE INDEX readings_by_opening ON readings (scope, opening);

-- Imported messages that were erased, by fingerprints of their ids: no import brings them back.
CREATE TABLE tombstones (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (scope, mark)
) STRICT, WITHOUT ROWID;
