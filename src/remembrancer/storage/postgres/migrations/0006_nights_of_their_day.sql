-- A night that was run for a later day, while the clock ran ahead, is none of this one.
CREATE OR REPLACE FUNCTION remembrancer_ops.due(
    stale_before timestamptz, chunk_tokens bigint, by_scope boolean, log_tokens bigint, fresh_tokens bigint, night text
) RETURNS TABLE (tenant text, purpose text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
    SELECT DISTINCT records.tenant, 'embed' FROM records
    WHERE records.document IS NOT NULL AND records.generation IS NULL
    UNION
    SELECT DISTINCT sessions.tenant, 'stale-sessions' FROM sessions
    WHERE sessions.status = 'active' AND sessions.last_activity_at < stale_before
    UNION
    SELECT sessions.tenant, 'observe' FROM sessions
    WHERE NOT by_scope AND sessions.tokens > sessions.observed_tokens
        AND sessions.tokens - sessions.observed_tokens >= chunk_tokens
    UNION
    SELECT sessions.tenant, 'observe' FROM sessions
    WHERE by_scope AND sessions.tokens > sessions.observed_tokens
    GROUP BY sessions.tenant, sessions.scope
    HAVING SUM(sessions.tokens - sessions.observed_tokens) >= chunk_tokens
    UNION
    SELECT DISTINCT logs.tenant, 'reflect' FROM logs
    WHERE logs.tokens >= log_tokens AND logs.fresh >= fresh_tokens
    UNION
    SELECT DISTINCT scopes.tenant, 'nightly' FROM scopes
    WHERE night <> '' AND NOT EXISTS (
        SELECT 1 FROM nights
        WHERE nights.scope = scopes.id AND nights.day = night COLLATE "C" AND nights.ended_at IS NOT NULL
    )
    ORDER BY 1, 2
$$;
