-- Only the vectors of scopes of more than 2,000 documents are in the index of a generation: those of small ones are scored
-- one by one anyway, and each costs a millisecond to insert.
ALTER TABLE vectors ADD COLUMN indexed boolean NOT NULL DEFAULT false;
ALTER TABLE vectors NO FORCE ROW LEVEL SECURITY;
ALTER TABLE scopes NO FORCE ROW LEVEL SECURITY;
UPDATE vectors SET indexed = true WHERE scope IN (SELECT id FROM scopes WHERE documents > 2000);
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE scopes FORCE ROW LEVEL SECURITY;
DROP INDEX vectors_by_scope;
CREATE INDEX vectors_by_scope ON vectors (scope, generation, indexed);

CREATE FUNCTION remembrancer_ops.index_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.indexed := EXISTS (SELECT 1 FROM remembrancer.scopes WHERE id = NEW.scope AND documents > 2000);
    RETURN NEW;
END
$$;
CREATE TRIGGER vectors_of_large_scopes BEFORE INSERT ON vectors
    FOR EACH ROW EXECUTE FUNCTION remembrancer_ops.index_vector();

-- The index of a generation, which only the owner of the table can make.
CREATE FUNCTION remembrancer_ops.create_vector_index(generation bigint, dimension integer) RETURNS void
LANGUAGE plpgsql SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
BEGIN
    -- pgvector indexes half-precision vectors of up to 4,000 dimensions.
    IF dimension <= 4000 THEN
        EXECUTE format(
            'CREATE INDEX vectors_near_%s ON remembrancer.vectors'
            ' USING hnsw ((vector::public.halfvec(%s)) public.halfvec_cosine_ops) WHERE generation = %s AND indexed',
            generation, dimension, generation
        );
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION remembrancer_ops.start_generation(
    name text, model_version text, dimension integer, random_cosine double precision, random_spread double precision,
    state text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    made bigint;
BEGIN
    LOCK TABLE generations IN EXCLUSIVE MODE;
    IF state = 'active' AND EXISTS (SELECT 1 FROM generations) THEN
        RETURN NULL;
    END IF;
    INSERT INTO generations (name, model_version, dimension, random_cosine, random_spread, state)
    VALUES (name, model_version, dimension, random_cosine, random_spread, state)
    RETURNING number INTO made;
    PERFORM create_vector_index(made, dimension);
    RETURN made;
END
$$;

CREATE OR REPLACE FUNCTION remembrancer_ops.copy_generation(
    number bigint, name text, model_version text, dimension integer, random_cosine double precision,
    random_spread double precision, state text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    counter text := pg_get_serial_sequence('remembrancer_ops.generations', 'number');
BEGIN
    LOCK TABLE generations IN EXCLUSIVE MODE;
    INSERT INTO generations (number, name, model_version, dimension, random_cosine, random_spread, state)
    OVERRIDING SYSTEM VALUE
    VALUES (number, name, model_version, dimension, random_cosine, random_spread, state);
    EXECUTE format('SELECT setval(%L, $1) FROM %s WHERE last_value <= $1', counter, counter) USING number;
    PERFORM create_vector_index(number, dimension);
END
$$;

REVOKE ALL ON FUNCTION remembrancer_ops.create_vector_index(bigint, integer) FROM PUBLIC;

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT number, dimension FROM remembrancer_ops.generations LOOP
        EXECUTE format('DROP INDEX IF EXISTS remembrancer.vectors_near_%s', made.number);
        PERFORM remembrancer_ops.create_vector_index(made.number, made.dimension);
    END LOOP;
END
$$;
