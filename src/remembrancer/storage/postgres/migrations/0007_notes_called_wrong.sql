-- The notes that a person has called wrong: what they were drawn from is told as it was said.
CREATE INDEX records_struck ON records (scope, session)
    WHERE first_message > 0 AND status IN ('rejected', 'dismissed');
