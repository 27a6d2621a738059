-- The shop: orders, the effects of processing them, two queues that hear of every order, and order_status(id).
\set QUIET on
SET client_min_messages = warning;

DROP TABLE IF EXISTS orders, not_accepted, effects, incidents CASCADE;
DROP FUNCTION IF EXISTS order_status, order_steps;
SELECT baton.drop_queue(queue, force => true) FROM baton.queues WHERE queue IN ('payment', 'fulfilment') \g /dev/null

CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_key text NOT NULL UNIQUE,
    payload jsonb NOT NULL,
    poison text,
    accepted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE orders IS
    'what was accepted; operation_key is the submitter''s, the same in every repetition; poison: null = ordinary';

CREATE TABLE not_accepted (
    submission text NOT NULL,
    outcome text NOT NULL,
    event_id uuid,
    error text
);
COMMENT ON TABLE not_accepted IS
    'submissions that made no order: rejected, repeated, or rolled back (with the id of the event that must not exist)';

-- Nothing here is unique but the row itself, so that a second effect would be seen.
CREATE TABLE effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    operation_key text NOT NULL,
    message_id uuid NOT NULL,
    attempt int NOT NULL,
    consumer text NOT NULL,
    payload_md5 text NOT NULL,
    done_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON effects (operation_key);
COMMENT ON TABLE effects IS 'payments taken and parcels sent: what may happen once per order and queue';

CREATE TABLE incidents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    queue text NOT NULL,
    operation_key text NOT NULL,
    consumer text NOT NULL,
    happened_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE incidents IS 'what was done to the consumers: killed, rolled back, ack lost, crashed';

-- Times are short so that the demonstration is; both queues hear of every order.
SELECT
    baton.create_queue(queue,
        '{"visibility_timeout": "2 s", "max_attempts": 4, "backoff_base": "200 ms", "backoff_cap": "1 s"}'),
    baton.subscribe('order.created', queue)
FROM (VALUES ('payment'), ('fulfilment')) AS q (queue) \g /dev/null

-- One row per queue. The queue is looked at first and the tables after that: a message that ends in between is
-- found in the tables, and none falls through.
CREATE FUNCTION order_steps(order_id bigint) RETURNS TABLE (queue text, state text, at timestamptz, detail text)
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    operation text := (SELECT o.operation_key FROM orders AS o WHERE o.id = order_id);
    waiting baton.stored_message;
    effect effects;
    letter baton.dead_letters;
BEGIN
    IF operation IS NULL THEN
        RETURN;
    END IF;
    FOREACH queue IN ARRAY ARRAY['payment', 'fulfilment'] LOOP
        SELECT * INTO waiting FROM baton.peek(order_steps.queue, 1, key => operation);
        SELECT * INTO effect FROM effects AS e
            WHERE e.queue = order_steps.queue AND e.operation_key = operation LIMIT 1;
        SELECT * INTO letter FROM baton.dead_letters AS d
            WHERE d.queue = order_steps.queue AND d.key = operation AND d.status = 'open' LIMIT 1;
        IF effect.id IS NOT NULL THEN
            state := 'succeeded'; at := effect.done_at; detail := effect.consumer;
        ELSIF letter.id IS NOT NULL THEN
            state := 'failed'; at := letter.dead_at; detail := concat_ws(': ', letter.reason, letter.error);
        ELSIF waiting.state = 'leased' THEN
            state := 'processing'; at := waiting.leased_at; detail := waiting.consumer;
        ELSIF waiting.attempts > 0 THEN
            state := 'retry'; at := waiting.visible_at; detail := format('attempt %s', waiting.attempts + 1);
        ELSE
            state := 'accepted'; at := NULL; detail := NULL;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION order_steps(bigint) IS 'where the order stands in each queue';

CREATE FUNCTION order_status(order_id bigint) RETURNS text
    LANGUAGE sql VOLATILE AS $$
    SELECT CASE
        WHEN count(*) = 0 THEN NULL
        WHEN bool_or(state = 'failed') THEN
            'failed (' || string_agg(queue || ' ' || split_part(detail, ':', 1), ', ')
                FILTER (WHERE state = 'failed') || ')'
        WHEN bool_and(state = 'succeeded') THEN 'succeeded'
        WHEN bool_or(state = 'processing') THEN
            'processing (' || string_agg(queue || ' by ' || detail, ', ') FILTER (WHERE state = 'processing') || ')'
        WHEN bool_or(state = 'retry') THEN
            'retry at ' || to_char(min(at) FILTER (WHERE state = 'retry'), 'HH24:MI:SS.MS')
        WHEN bool_or(state = 'succeeded') THEN
            'processing (' || string_agg(queue, ', ') FILTER (WHERE state = 'succeeded') || ' done)'
        ELSE 'accepted'
    END
    FROM order_steps($1)
$$;
COMMENT ON FUNCTION order_status(bigint) IS
    'accepted, processing, retry at a time, failed or succeeded; null if there is no such order';
