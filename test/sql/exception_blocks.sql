-- An exception block is a savepoint: what is sent, settled or popped in one that fails did not happen, while leases, retries
-- and givings-back stay. TXN-04
SELECT baton.create_queue('blocks', '{"jitter": "none"}');
CREATE TEMP TABLE held (receipt baton.receipt, payload jsonb);
-- Runs the statement in a block that fails after it, or in one that does not.
CREATE FUNCTION pg_temp.attempt(statement text, fails boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    EXECUTE statement INTO answer;
    IF fails THEN
        RAISE division_by_zero;
    END IF;
    RETURN answer;
EXCEPTION WHEN division_by_zero THEN
    RETURN 'undone: ' || answer;
END $$;
CREATE FUNCTION pg_temp.with_receipt(number int, call text, fails boolean DEFAULT true) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.attempt(format('SELECT baton.' || call, receipt), fails) FROM held WHERE payload = to_jsonb(number)
$$;
CREATE FUNCTION pg_temp.state() RETURNS TABLE (payload jsonb, state text, attempts int) LANGUAGE sql AS $$
    SELECT payload, state, attempts FROM baton.peek('blocks', 100) ORDER BY payload
$$;

-- send
SELECT pg_temp.attempt($$SELECT baton.send('blocks', '1') IS NOT NULL$$, true), pg_temp.attempt($$SELECT baton.send('blocks', '2') IS NOT NULL$$, false);
SELECT pg_temp.attempt($$SELECT cardinality(baton.send_batch('blocks', '{1,1,1}'))$$, true), pg_temp.attempt($$SELECT cardinality(baton.send_batch('blocks', '{3,4,5,6,7}'))$$, false);
SELECT pg_temp.attempt($$SELECT baton.send('blocks', '1', delay => '1 day') IS NOT NULL$$, true);
SELECT * FROM pg_temp.state();

-- receive: the lease stays, but nobody has the receipt
SELECT pg_temp.attempt($$SELECT count(*) FROM baton.receive('blocks', 1, consumer => 'failed')$$, true);
SELECT count(*) FROM baton.leases('blocks') WHERE consumer = 'failed';
SELECT baton.release_consumer('blocks', 'failed');

-- ack, and a nack that buries: undone, and the lease holds
INSERT INTO held SELECT receipt, payload FROM baton.receive('blocks', 10);
SELECT pg_temp.with_receipt(2, 'ack(%L)'), pg_temp.with_receipt(3, 'nack(%L, class => ''permanent'')');
SELECT * FROM pg_temp.state();
SELECT count(*) FROM baton.dead_letters WHERE queue = 'blocks';
SELECT pg_temp.with_receipt(2, 'ack(%L)', false), pg_temp.with_receipt(3, 'nack(%L, class => ''permanent'')', false);
SELECT count(*) FROM baton.dead_letters WHERE queue = 'blocks';
-- a nack that retries, a release, an extension: they stay
SELECT pg_temp.with_receipt(4, 'nack(%L, delay => ''0'')'), pg_temp.with_receipt(5, 'release(%L)'), pg_temp.with_receipt(6, 'extend(%L, ''2 h'') IS NOT NULL');
SELECT * FROM pg_temp.state();
SELECT visible_at > now() + interval '1 h' AS is_extended FROM baton.peek('blocks', 10) WHERE payload = '6';
-- after an ack that was undone a nack is legal, after a retry that was not an ack is none
DO $$
DECLARE
    kept baton.receipt := (SELECT receipt FROM held WHERE payload = '7');
BEGIN
    BEGIN
        PERFORM baton.ack(kept);
        RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN
        RAISE NOTICE 'nack: %', baton.nack(kept, 'effect failed', delay => '0');
    END;
    BEGIN
        PERFORM baton.ack(kept);
    EXCEPTION WHEN SQLSTATE 'BT001' THEN
        RAISE NOTICE 'ack: %', sqlerrm;
    END;
END $$;

-- pop: not consumed, and tried again after its backoff, but for at least 5 seconds not
SELECT pg_temp.attempt($$SELECT count(*) FROM baton.pop('blocks', 10)$$, true);
SELECT * FROM pg_temp.state();
SELECT count(*) FROM baton.receive('blocks', 10);
SET baton.clock_shift = 6;
SELECT pg_temp.attempt($$SELECT array_agg(payload || jsonb_build_array(attempt) ORDER BY payload) FROM baton.pop('blocks', 10)$$, false);
RESET baton.clock_shift;
SELECT * FROM pg_temp.state();

-- blocks in blocks, many in one transaction: the account is exact
SELECT baton.purge_queue('blocks', true);
SELECT cardinality(baton.send_batch('blocks', array_agg(to_jsonb(n)))) FROM generate_series(1, 100) AS n;
CREATE TEMP TABLE effect (payload jsonb);
DO $$
DECLARE
    message baton.message;
BEGIN
    FOR message IN SELECT * FROM baton.receive('blocks', 100) LOOP
        BEGIN
            PERFORM baton.send('blocks', jsonb_build_array('follows', message.payload), delay => '10 s');
            BEGIN
                INSERT INTO effect VALUES (message.payload);
                PERFORM baton.ack(message.receipt);
                PERFORM 1 / (message.payload::int % 3);
            EXCEPTION WHEN division_by_zero THEN
                PERFORM baton.ack(message.receipt);
            END;
            PERFORM 1 / (message.payload::int % 5);
        EXCEPTION WHEN division_by_zero THEN
            PERFORM baton.release(message.receipt);
        END;
    END LOOP;
END $$;
-- of 100: 20 given back, the others acked; of these 27 without effect
SELECT (SELECT count(*) FROM effect) AS effects, count(*) FILTER (WHERE state = 'ready') AS ready, count(*) FILTER (WHERE state = 'delayed') AS follow FROM baton.peek('blocks', 1000);
SELECT bool_and(payload::int % 5 = 0) FROM baton.receive('blocks', 1000);
SELECT baton.drop_queue('blocks', true);
