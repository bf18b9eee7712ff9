-- Of what was updated at once, what was made last comes first at the start of a session.
DROP INDEX records_at_start;
CREATE INDEX records_at_start ON records (scope, type, revision, updated_at DESC, id DESC)
    WHERE kind = 'observation' AND status = 'active' AND document IS NOT NULL;
