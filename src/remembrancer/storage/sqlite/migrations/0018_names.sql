-- Tables and columns have the names that the code and the API use.
ALTER TABLE nights RENAME TO maintenance_runs;
ALTER TABLE tallies RENAME TO counters;
ALTER TABLE wordings RENAME TO document_terms;
ALTER TABLE keys RENAME TO idempotency_keys;
ALTER TABLE readings RENAME TO imports;
ALTER TABLE imports RENAME COLUMN opening TO first_message;
ALTER TABLE imports RENAME COLUMN lacking TO missing;
ALTER TABLE imports RENAME COLUMN elsewhere TO from_others;
ALTER TABLE imports RENAME COLUMN left_out TO skipped;
ALTER TABLE audit RENAME COLUMN door TO origin;
ALTER TABLE records RENAME COLUMN standing TO score;
ALTER TABLE jobs RENAME COLUMN told TO message;
ALTER TABLE jobs RENAME COLUMN beat_at TO heartbeat_at;
ALTER TABLE injections RENAME COLUMN way TO mode;
ALTER TABLE access_keys RENAME COLUMN made_at TO created_at;

DROP INDEX wordings_by_scope;
CREATE INDEX document_terms_by_scope ON document_terms (scope);
DROP INDEX readings_by_source;
DROP INDEX readings_by_digest;
DROP INDEX readings_by_opening;
CREATE INDEX imports_by_source ON imports (scope, source);
CREATE INDEX imports_by_digest ON imports (scope, digest);
CREATE INDEX imports_by_first_message ON imports (scope, first_message);

-- Counters have the names of their tables.
UPDATE counters SET name = CASE name
    WHEN 'nights' THEN 'maintenance_runs'
    WHEN 'keys' THEN 'idempotency_keys'
    WHEN 'readings' THEN 'imports'
END
WHERE name IN ('nights', 'keys', 'readings');

UPDATE maintenance_runs SET step = 'scores' WHERE step = 'standing';

-- A chunk that waits for a person is in review.
CREATE TABLE renamed_chunks (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('buffered', 'in-review', 'active', 'dead')),
    tokens INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    place INTEGER,
    classification TEXT NOT NULL
        CHECK (classification IN ('public', 'internal', 'confidential', 'restricted')),
    task TEXT NOT NULL,
    suggestion TEXT NOT NULL,
    engine TEXT NOT NULL,
    model TEXT NOT NULL,
    failure TEXT NOT NULL,
    tries INTEGER NOT NULL,
    observed_at INTEGER NOT NULL,
    activated_at INTEGER,
    PRIMARY KEY (scope, session, first),
    CHECK (first <= last),
    CHECK ((state = 'active') = (activated_at IS NOT NULL))
) STRICT;
INSERT INTO renamed_chunks (
    scope, tenant, session, first, last, state, tokens, noted, place, classification, task, suggestion, engine, model,
    failure, tries, observed_at, activated_at
)
SELECT
    scope, tenant, session, first, last, CASE state WHEN 'held' THEN 'in-review' ELSE state END, tokens, noted, place,
    classification, task, suggestion, engine, model, failure, tries, observed_at, activated_at
FROM chunks;
DROP TABLE chunks;
ALTER TABLE renamed_chunks RENAME TO chunks;
CREATE INDEX chunks_failed ON chunks (scope, observed_at) WHERE failure <> '';

-- Supporting episodes of a detected pattern.
UPDATE records SET details = json_remove(json_set(details, '$.supporting', details ->> '$.held'), '$.held')
WHERE kind = 'observation' AND details ->> '$.held' IS NOT NULL;
UPDATE versions SET details = json_remove(json_set(details, '$.supporting', details ->> '$.held'), '$.held')
WHERE details ->> '$.held' IS NOT NULL;

UPDATE policies SET details = json_remove(json_set(details, '$.data_type', details ->> '$.datum'), '$.datum')
WHERE details ->> '$.datum' IS NOT NULL;
