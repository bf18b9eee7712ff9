-- Which wordings are of what kind, without a look at the rows: the text of most is long.
CREATE INDEX records_by_kind ON records (scope, kind, status, document) WHERE document IS NOT NULL;
