-- Queues come, are seen, go, and leave nothing behind. DDL-03, DDL-05, ARG-05
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
-- What there is of a queue in the catalogs and in our tables.
CREATE FUNCTION pg_temp.residue(queue_id int) RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM pg_class
            WHERE relnamespace = 'baton'::regnamespace AND relname ~ ('^q' || $1 || '(_|$)'))
        + (SELECT count(*) FROM baton._queue WHERE id = $1)
        + (SELECT count(*) FROM baton._segment WHERE queue = $1)
        + (SELECT count(*) FROM baton._subscription WHERE queue = $1)
        + (SELECT count(*) FROM baton._dead_letter WHERE queue = $1)
$$;

-- created: true; there already: an error, or false if that is accepted
SELECT baton.create_queue('life');
SELECT pg_temp.sqlstate_of($$ SELECT baton.create_queue('life') $$);
SELECT baton.create_queue('life', if_not_exists => true);
SELECT queue, owner = current_user AS is_ours, created_at <= now() AS is_past FROM baton.queues WHERE queue = 'life';
-- an existing queue keeps its settings
SELECT baton.create_queue('life', '{"max_attempts": 9}', if_not_exists => true);
SELECT settings -> 'max_attempts' AS max_attempts FROM baton.queues WHERE queue = 'life';
-- and its asking again uses up no numbers (ARG-05)
SELECT last_value AS before FROM baton._queue_id_seq \gset
SELECT count(*) FROM generate_series(1, 100) WHERE baton.create_queue('life', if_not_exists => true);
SELECT last_value - :before AS burnt FROM baton._queue_id_seq;
-- but what would not be accepted is refused even then
SELECT pg_temp.sqlstate_of($$ SELECT baton.create_queue('life', '{"max_attempt": 9}', true) $$);

-- a creation that rolls back leaves nothing
BEGIN;
SELECT baton.create_queue('life fleeting');
SELECT queue_id AS fleeting FROM baton.queues WHERE queue = 'life fleeting' \gset
SELECT baton.send('life fleeting', '1') IS NOT NULL AS is_sent;
ROLLBACK;
SELECT pg_temp.residue(:fleeting), pg_temp.sqlstate_of($$ SELECT baton.send('life fleeting', '1') $$);

-- create, send and drop in one transaction
BEGIN;
SELECT baton.create_queue('life short');
SELECT queue_id AS short FROM baton.queues WHERE queue = 'life short' \gset
SELECT baton.send('life short', '1') IS NOT NULL AS is_sent;
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('life short') $$);
SELECT baton.drop_queue('life short', force => true);
COMMIT;
SELECT pg_temp.residue(:short);

-- a queue that is used is not dropped: messages, ready or held
SELECT queue_id AS life FROM baton.queues WHERE queue = 'life' \gset
SELECT baton.send('life', '1') IS NOT NULL AS is_sent;
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('life') $$);
SELECT receipt AS held FROM baton.receive('life') \gset
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('life') $$);
-- open dead letters
SELECT baton.nack(:'held', class => 'permanent');
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('life') $$);
SELECT baton.redrive('life', array_agg(id)) FROM baton.dead_letters WHERE queue = 'life';
SELECT baton.ack(receipt) FROM baton.receive('life');
-- subscriptions
SELECT baton.subscribe('life.#', 'life');
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('life') $$);
SELECT baton.unsubscribe('life.#', 'life');
-- a redriven letter is no reason; a rolled back drop changes nothing
BEGIN;
SELECT baton.drop_queue('life');
SELECT pg_temp.sqlstate_of($$ SELECT baton.send('life', '1') $$);
ROLLBACK;
SELECT baton.send('life', '2') IS NOT NULL AS is_sent;
SELECT payload FROM baton.receive('life');

-- force drops all of it; the held message's receipt is worthless, also in a queue of the same name
SELECT baton.subscribe('life.#', 'life');
SELECT baton.send('life', '3') IS NOT NULL AS is_sent;
SELECT receipt AS held FROM baton.receive('life') \gset
SELECT baton.drop_queue('life', force => true);
SELECT pg_temp.residue(:life);
SELECT baton.create_queue('life');
SELECT baton.send('life', '4') IS NOT NULL AS is_sent;
SELECT payload, attempt FROM baton.receive('life');
SELECT pg_temp.sqlstate_of(format('SELECT baton.ack(%L)', :'held')),
    pg_temp.sqlstate_of(format('SELECT baton.nack(%L)', :'held')),
    pg_temp.sqlstate_of(format('SELECT baton.extend(%L)', :'held')),
    pg_temp.sqlstate_of(format('SELECT baton.release(%L)', :'held')),
    baton.try_ack_batch(ARRAY[:'held']::baton.receipt[]), baton.try_nack(:'held');
SELECT state, attempts FROM baton.peek('life');

-- acked in the transaction of the drop: not used any more
BEGIN;
SELECT baton.purge_queue('life', include_leased => true);
SELECT baton.drop_queue('life');
COMMIT;
SELECT count(*) FROM baton.queues WHERE queue LIKE 'life%';

-- what is not there cannot be used, altered or dropped
SELECT call, pg_temp.sqlstate_of('SELECT ' || call) FROM unnest(ARRAY[
    $$baton.drop_queue('life')$$, $$baton.drop_queue('life', true)$$, $$baton.alter_queue('life', '{}')$$,
    $$baton.purge_queue('life')$$, $$baton.send('life', '1')$$, $$baton.send_batch('life', '{1}')$$,
    $$baton.send_batch('life', '{}')$$, $$baton.receive('life')$$, $$baton.peek('life')$$,
    $$baton.redrive('life', '{}')$$, $$baton.subscribe('a', 'life')$$, $$baton.unsubscribe('a', 'life')$$]) AS call;
SELECT pg_temp.sqlstate_of($$ CALL baton.wait('life') $$);
