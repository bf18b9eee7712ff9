-- What ranks at the start of a session: of each type and count of revisions, what was updated last.
CREATE INDEX records_at_start ON records (scope, type, revision, updated_at DESC, id)
    WHERE kind = 'observation' AND status = 'active' AND document IS NOT NULL;
