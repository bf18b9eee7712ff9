-- The places of what a question found among all it found: with what feedback has made of weights, and without it.
ALTER TABLE injections ADD COLUMN weighted bigint;
ALTER TABLE injections ADD COLUMN unweighted bigint;
