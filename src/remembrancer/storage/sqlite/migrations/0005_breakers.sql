-- Which models have failed since they last answered well, and until when they are left alone; nothing that people wrote.
CREATE TABLE breakers (
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    failures INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    failing TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    change INTEGER NOT NULL,
    PRIMARY KEY (model, purpose)
) STRICT, WITHOUT ROWID;
