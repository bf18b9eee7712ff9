-- Until when a memory is valid, exclusive; NULL while no end is known.
ALTER TABLE records ADD COLUMN valid_until INTEGER;
ALTER TABLE versions ADD COLUMN valid_until INTEGER;
CREATE INDEX records_until ON records (scope, valid_until) WHERE valid_until IS NOT NULL AND status = 'active';
