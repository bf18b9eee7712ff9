-- Which models have failed since they last answered well, and until when they are left alone; nothing that people wrote.
CREATE TABLE remembrancer_ops.breakers (
    model text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    failures bigint NOT NULL,
    opened bigint NOT NULL,
    failing text NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz,
    change bigint NOT NULL,
    PRIMARY KEY (model, purpose)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON remembrancer_ops.breakers TO remembrancer_serving;
