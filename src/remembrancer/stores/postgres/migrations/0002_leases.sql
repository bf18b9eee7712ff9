-- Who does which background work, and until when nobody else may. Names are fingerprints.
CREATE TABLE remembrancer_ops.leases (
    name text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,
    until timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.leases TO remembrancer_serving;
