-- What operators have set for scopes, and what is under them, each by a name.
CREATE TABLE policies (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    details TEXT NOT NULL CHECK (json_valid(details)),
    set_at INTEGER NOT NULL,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;

-- Who did it, to what, and why: encrypted under the key of the scope, which erasure destroys.
ALTER TABLE audit ADD COLUMN sealed BLOB;
