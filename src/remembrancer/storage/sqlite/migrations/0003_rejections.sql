-- What people have said is wrong, by a fingerprint of its words: it stands whatever becomes of the memory that said it.
CREATE TABLE rejections (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    words TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (scope, words, record)
) STRICT, WITHOUT ROWID;
