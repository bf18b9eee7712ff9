-- How many rows of each table we have written and not removed, by scope: where one is gone that we have not removed, the
-- count tells.
CREATE TABLE tallies (
    scope INTEGER NOT NULL REFERENCES scopes (id),
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

INSERT INTO tallies (scope, tenant, name, count)
SELECT scope, tenant, 'sessions', COUNT(*) FROM sessions GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'records', COUNT(*) FROM records GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'versions', COUNT(*) FROM versions GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'evidence', COUNT(*) FROM evidence GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'keys', COUNT(*) FROM keys GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'chunks', COUNT(*) FROM chunks GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'logs', COUNT(*) FROM logs GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'injections', COUNT(*) FROM injections GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'nights', COUNT(*) FROM nights GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'verdicts', COUNT(*) FROM verdicts GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'rejections', COUNT(*) FROM rejections GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'weights', COUNT(*) FROM weights GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'calls', COUNT(*) FROM calls GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'blocks', COUNT(*) FROM blocks GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'readings', COUNT(*) FROM readings GROUP BY scope, tenant
UNION ALL
SELECT scope, tenant, 'tombstones', COUNT(*) FROM tombstones GROUP BY scope, tenant;
