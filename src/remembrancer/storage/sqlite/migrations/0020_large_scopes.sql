-- The signs of a vector, by which a large scope is searched without its vectors. NULL until the generation has a mean.
ALTER TABLE vectors ADD COLUMN code BLOB;
ALTER TABLE generations ADD COLUMN mean BLOB;
DROP INDEX vectors_by_scope;
CREATE INDEX vectors_coded ON vectors (scope, generation, sequence, document, code);
CREATE INDEX vectors_without_code ON vectors (generation) WHERE code IS NULL;
