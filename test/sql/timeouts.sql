-- A timeout ends a wait, a cancellation the statement of any call: nothing is sent, settled or consumed then, leases stay,
-- and the session goes on.
\set SHOW_CONTEXT never
SELECT baton.create_queue('timeouts', '{"jitter": "none", "visibility_timeout": "1 s"}');
-- Cancels its own statement, after what came before it in there.
CREATE FUNCTION pg_temp.cancelled(value jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(60);
    RETURN value;
END $$;

-- in the midst of a wait
SET statement_timeout = '50 ms';
SELECT * FROM baton.receive('timeouts', wait => '30 s');
SELECT * FROM baton.pop('timeouts', wait => '30 s');
CALL baton.wait('timeouts', '30 s');
BEGIN;
SAVEPOINT s;
SELECT * FROM baton.receive('timeouts', wait => '30 s');
ROLLBACK TO s;
SET LOCAL statement_timeout = 0;
SELECT count(*) FROM baton.receive('timeouts', wait => '1 ms');
COMMIT;
RESET statement_timeout;
-- the places of the waiters are free again: a message is had at once
SELECT baton.send('timeouts', '1') IS NOT NULL AS is_sent;
SELECT payload, baton.ack(receipt) FROM baton.receive('timeouts', wait => '30 s');

-- after a send: nothing is sent
SELECT baton.send('timeouts', '2'), pg_temp.cancelled('1');
SELECT baton.send_batch('timeouts', '{3,4}'), pg_temp.cancelled('1');
SELECT baton.publish('timeouts', '5'), pg_temp.cancelled('1');
SELECT count(*) FROM baton.peek('timeouts');
SELECT count(*) FROM baton.outbox WHERE topic = 'timeouts';

-- after a receive: leased, with the attempt counted; after a pop: the same, for its time
SELECT cardinality(baton.send_batch('timeouts', '{6,7}'));
SELECT pg_temp.cancelled(payload) FROM baton.receive('timeouts', visibility_timeout => '1 h', consumer => 'too slow');
SELECT pg_temp.cancelled(payload) FROM baton.pop('timeouts');
SELECT payload, state, attempts FROM baton.peek('timeouts') ORDER BY 1;
SELECT baton.release_consumer('timeouts', 'too slow');
SELECT payload, attempt FROM baton.receive('timeouts', 10);
SET baton.clock_shift = 6;
SELECT payload, attempt FROM baton.receive('timeouts', 10, '1 h') ORDER BY 1;
RESET baton.clock_shift;

-- after an ack: undone
SELECT baton.purge_queue('timeouts', true);
SELECT baton.send('timeouts', '8') IS NOT NULL AS is_sent;
SELECT receipt FROM baton.receive('timeouts', visibility_timeout => '1 h') \gset
SELECT baton.ack(:'receipt'), pg_temp.cancelled('1');
SELECT payload, state FROM baton.peek('timeouts');
SELECT baton.ack(:'receipt');
SELECT count(*) FROM baton.peek('timeouts');
SELECT baton.drop_queue('timeouts');
