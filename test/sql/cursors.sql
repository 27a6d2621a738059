-- A cursor over a receive leases all messages at its first fetch, whatever is fetched, and once only.
SELECT baton.create_queue('cursors', '{"jitter": "none"}');
CREATE FUNCTION pg_temp.state() RETURNS TABLE (payload text, state text, attempts int) LANGUAGE sql AS $$
    SELECT string_agg(payload::text, ' ' ORDER BY payload), state, attempts FROM baton.peek('cursors', 100) GROUP BY 2, 3 ORDER BY 2, 3
$$;

-- no fetch, no lease
SELECT cardinality(baton.send_batch('cursors', '{1,2,3,4,5,6}'));
BEGIN;
DECLARE unused CURSOR FOR SELECT payload FROM baton.receive('cursors', 4);
SELECT * FROM pg_temp.state();
CLOSE unused;
COMMIT;
SELECT * FROM pg_temp.state();

-- a part fetched: all four are leased, and stay so when the transaction rolls back
BEGIN;
DECLARE part SCROLL CURSOR FOR SELECT payload, attempt FROM baton.receive('cursors', 4);
FETCH 2 FROM part;
SELECT * FROM pg_temp.state();
FETCH ALL FROM part;
FETCH BACKWARD 2 FROM part;
FETCH ABSOLUTE 1 FROM part;
FETCH NEXT FROM part;
SELECT * FROM pg_temp.state();
ROLLBACK;
SELECT * FROM pg_temp.state();
SELECT count(*) FROM baton.leases('cursors') AS l, baton.release_consumer('cursors', l.consumer);

-- held beyond the transaction, which it is received in; its receipts are good
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT receipt, payload FROM baton.receive('cursors', 3);
COMMIT;
SELECT * FROM pg_temp.state();
FETCH 1 FROM held \gset
SELECT :'payload', baton.ack(:'receipt');
FETCH 1 FROM held \gset
SELECT :'payload', baton.nack(:'receipt', delay => '0');
CLOSE held;
SELECT * FROM pg_temp.state();

-- opened in a savepoint that is rolled back: the cursor goes, the lease stays
BEGIN;
SAVEPOINT s;
DECLARE gone CURSOR FOR SELECT receipt, payload FROM baton.receive('cursors', 1);
FETCH gone \gset
ROLLBACK TO s;
FETCH gone;
ROLLBACK;
SELECT :'payload', baton.ack(:'receipt');

-- a loop that is left early: all are leased, and what was acked is settled
DO $$
DECLARE
    message baton.message;
BEGIN
    FOR message IN SELECT * FROM baton.receive('cursors', 3, '1 min') LOOP
        PERFORM baton.ack(message.receipt);
        EXIT;
    END LOOP;
END $$;
SELECT sum(cardinality(string_to_array(payload, ' '))), state FROM pg_temp.state() GROUP BY 2 ORDER BY 2;
SELECT baton.purge_queue('cursors', true);

-- a loop that commits after every message
CREATE TEMP TABLE effect (payload jsonb);
SELECT cardinality(baton.send_batch('cursors', '{1,2,3,4}'));
DO $$
DECLARE
    message baton.message;
BEGIN
    FOR message IN SELECT * FROM baton.receive('cursors', 10) LOOP
        INSERT INTO effect VALUES (message.payload);
        PERFORM baton.ack(message.receipt);
        IF message.payload = '3' THEN
            ROLLBACK;
            PERFORM baton.nack(message.receipt, delay => '0');
        ELSE
            COMMIT;
        END IF;
    END LOOP;
END $$;
SELECT array_agg(payload ORDER BY payload) FROM effect;
SELECT * FROM pg_temp.state();

-- a cursor over pop: what is not fetched is consumed too
TRUNCATE effect;
SELECT cardinality(baton.send_batch('cursors', '{4,5}'));
BEGIN;
DECLARE popped CURSOR FOR SELECT payload FROM baton.pop('cursors', 10);
FETCH 1 FROM popped;
CLOSE popped;
COMMIT;
SELECT * FROM pg_temp.state();
SELECT baton.drop_queue('cursors', true);
