-- The consumer's inbox: which messages a consumer has handled.

CREATE TABLE baton._inbox (
    consumer text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    first_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    CONSTRAINT _inbox_pkey PRIMARY KEY (consumer, id)
);
COMMENT ON TABLE baton._inbox IS 'ids that a consumer has handled, written in the transaction of the effect';
SELECT pg_catalog.pg_extension_config_dump('baton._inbox', '');

CREATE FUNCTION baton._require_preload() RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'baton_require_preload';
COMMENT ON FUNCTION baton._require_preload() IS 'raises BT005 unless the server has preloaded the library';

CREATE FUNCTION baton.first_delivery_batch(consumer text, ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM baton._require_preload();
    IF $1 IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'argument "consumer" of baton.first_delivery_batch must not be null';
    END IF;
    IF $1 = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a consumer''s name must not be empty';
    END IF;
    IF array_ndims($2) > 1 THEN
        RAISE array_subscript_error USING MESSAGE = 'argument "ids" must be a one-dimensional array';
    END IF;
    IF array_position($2, NULL) IS NOT NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'argument "ids" of baton.first_delivery_batch must not contain nulls';
    END IF;
    -- Inserted in the order of the ids, so that two consumers of overlapping batches cannot deadlock.
    RETURN QUERY
        WITH given AS MATERIALIZED (
            SELECT g.id, min(g.position) AS position
            FROM unnest($2) WITH ORDINALITY AS g (id, position) GROUP BY g.id
        ), fresh AS (
            INSERT INTO baton._inbox AS i (consumer, id)
            SELECT $1, given.id FROM given ORDER BY given.id
            ON CONFLICT ON CONSTRAINT _inbox_pkey DO NOTHING RETURNING i.id
        )
        SELECT fresh.id FROM fresh JOIN given USING (id) ORDER BY given.position;
END
$$;
COMMENT ON FUNCTION baton.first_delivery_batch(text, uuid[]) IS
    'remembers the ids for the consumer and returns those that are new to it, in input order, each once. Commits or rolls back with the effect: never commit it before the effect. A concurrent call with the same id waits for the other''s outcome. Errors: 22004, 22023, 25006; 40001 under REPEATABLE READ if another transaction remembered the id meanwhile';

CREATE FUNCTION baton.first_delivery(consumer text, id uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    PERFORM baton._require_preload();
    IF $1 IS NULL OR $2 IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'arguments of baton.first_delivery must not be null';
    END IF;
    IF $1 = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a consumer''s name must not be empty';
    END IF;
    INSERT INTO baton._inbox (consumer, id) VALUES ($1, $2) ON CONFLICT ON CONSTRAINT _inbox_pkey DO NOTHING;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION baton.first_delivery(text, uuid) IS
    'true if the consumer has not handled the message before; remembers it with the current transaction: never commit it before the effect. A concurrent call with the same id waits for the other''s outcome. Errors: 22004, 22023, 25006; 40001 under REPEATABLE READ if another transaction remembered the id meanwhile';
