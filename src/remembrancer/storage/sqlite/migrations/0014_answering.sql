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

-- A scope that is gone leaves its number to no other one: what was numbered by it is not taken for another's.
ALTER TABLE store ADD COLUMN last_scope INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER scopes_are_numbered_once AFTER DELETE ON scopes BEGIN
    UPDATE store SET last_scope = MAX(last_scope, OLD.id);
END;
