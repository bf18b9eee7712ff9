-- Copying a store keeps its numbers, and what is numbered afterwards goes on behind them. The serving role may add rows
-- with numbers of their own to its tenant's tables; these two things it may not.

CREATE FUNCTION remembrancer_ops.number_after(numbered text, last bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = remembrancer, remembrancer_ops, pg_temp AS $$
DECLARE
    counter text := CASE numbered
        WHEN 'scopes' THEN pg_get_serial_sequence('remembrancer.scopes', 'id')
        WHEN 'records' THEN pg_get_serial_sequence('remembrancer.records', 'row')
        WHEN 'vectors' THEN pg_get_serial_sequence('remembrancer.vectors', 'sequence')
        WHEN 'audit' THEN pg_get_serial_sequence('remembrancer.audit', 'sequence')
    END;
BEGIN
    IF counter IS NULL THEN
        RAISE EXCEPTION 'nothing is numbered in %', numbered;
    END IF;
    -- Never back: a number that was given is not given again.
    EXECUTE format('SELECT setval(%L, $1) FROM %s WHERE last_value <= $1', counter, counter) USING last;
END
$$;

CREATE FUNCTION remembrancer_ops.copy_generation(
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
    -- As `start_generation` does.
    IF dimension <= 4000 THEN
        EXECUTE format(
            'CREATE INDEX vectors_near_%s ON remembrancer.vectors'
            ' USING hnsw ((vector::public.halfvec(%s)) public.halfvec_cosine_ops) WHERE generation = %s',
            number, dimension, number
        );
    END IF;
END
$$;

REVOKE ALL ON FUNCTION
    remembrancer_ops.number_after(text, bigint),
    remembrancer_ops.copy_generation(bigint, text, text, integer, double precision, double precision, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    remembrancer_ops.number_after(text, bigint),
    remembrancer_ops.copy_generation(bigint, text, text, integer, double precision, double precision, text)
TO remembrancer_serving;
