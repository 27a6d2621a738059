-- REPEATABLE READ and SERIALIZABLE work like READ COMMITTED, but cannot wait. TXN-01, TXN-02
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('levels', '{"backoff_base": "0", "backoff_cap": "0"}');
-- Sends, receives, settles in every way and redrives.
CREATE PROCEDURE pg_temp.use_all() LANGUAGE plpgsql AS $$
DECLARE
    r baton.receipt[];
BEGIN
    PERFORM baton.send_batch('levels', '{1,2,3,4,5}');
    COMMIT;
    SELECT array_agg(receipt ORDER BY payload) INTO r FROM baton.receive('levels', 10);
    ASSERT cardinality(r) = 5;
    PERFORM baton.ack(r[1]), baton.extend(r[2]), baton.release(r[3]);
    ASSERT baton.nack(r[4], delay => '0') = 'retry' AND baton.nack(r[5], class => 'permanent') = 'dead';
    COMMIT;
    ASSERT (SELECT array_agg(payload ORDER BY payload) FROM baton.peek('levels')) = '{2,3,4}';
    ASSERT baton.redrive('levels', array_agg(id)) = 1 FROM baton.dead_letters WHERE queue = 'levels' AND status = 'open';
    COMMIT;
    ASSERT baton.ack_batch(array_agg(receipt)) = 3 FROM baton.receive('levels', 10);
    ASSERT baton.ack_batch(ARRAY[r[2]]) = 1;
    ASSERT baton.first_delivery('levels', gen_random_uuid());
    COMMIT;
    ASSERT (SELECT count(*) FROM baton.peek('levels')) = 0;
END $$;
CALL pg_temp.use_all();
SET default_transaction_isolation = 'repeatable read';
CALL pg_temp.use_all();
SET default_transaction_isolation = 'serializable';
CALL pg_temp.use_all();
RESET default_transaction_isolation;

-- a message sent after the snapshot would never be seen
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT wait, pg_temp.sqlstate_of(format('SELECT baton.receive(%L, wait => %L)', 'levels', wait)) FROM unnest('{1 s,1 us,0,NULL}'::text[]) AS wait;
SELECT baton.receive('levels', wait => '1 s');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.sqlstate_of($$ SELECT baton.receive('levels', wait => '1 s') $$);
ROLLBACK;
SET default_transaction_isolation = 'serializable';
SELECT pg_temp.sqlstate_of($$ SELECT baton.receive('levels', wait => '1 s') $$);
RESET default_transaction_isolation;
-- the two lower levels are one
BEGIN ISOLATION LEVEL READ UNCOMMITTED;
SELECT baton.send('levels', '"uncommitted"') IS NOT NULL;
SELECT count(*) FROM baton.receive('levels', wait => '1 ms');
COMMIT;
SELECT payload FROM baton.receive('levels');

SELECT baton.drop_queue('levels', true);
