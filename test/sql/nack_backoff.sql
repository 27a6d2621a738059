-- A failed attempt is tried again after a delay that grows, within its bounds. ARG-03, LSE-11, DLQ-02, CLM-07
-- Nacks all that can be received: the delay that each message got was between these.
CREATE FUNCTION pg_temp.delays(class text DEFAULT 'transient', delay interval DEFAULT NULL)
    RETURNS TABLE (attempt int, shortest interval, longest interval) LANGUAGE plpgsql AS $$
DECLARE
    message baton.message;
    before timestamptz;
    due timestamptz;
BEGIN
    FOR message IN SELECT * FROM baton.receive('nack', 1000) AS m ORDER BY m.attempt LOOP
        before := clock_timestamp();
        ASSERT baton.nack(message.receipt, 'it failed', $1, $2) = 'retry';
        SELECT visible_at INTO STRICT due FROM baton.peek('nack', id => message.id);
        attempt := message.attempt;
        shortest := due - clock_timestamp();
        longest := due - before;
        RETURN NEXT;
    END LOOP;
    PERFORM baton.purge_queue('nack', true);
END $$;
-- Messages that have used up so many attempts.
CREATE FUNCTION pg_temp.send_used(used int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (SELECT format('INSERT INTO baton.q%s_1 (visible_at, enqueued_at, id, attempts, payload)
        SELECT now(), now(), gen_random_uuid(), n, ''1'' FROM unnest($1) AS n', queue_id)
        FROM baton.queues WHERE queue = 'nack') USING used;
END $$;

-- the ceiling doubles from base to cap; without jitter it is the delay
SELECT baton.create_queue('nack', '{"jitter": "none", "backoff_base": "2 s", "backoff_cap": "50 s", "max_attempts": 1000}');
SELECT pg_temp.send_used('{0, 1, 2, 3, 4, 5, 6, 30, 31, 32, 62, 63, 64, 998}');
SELECT attempt, ceiling FROM pg_temp.delays(), LATERAL (SELECT least(50, 2.0 ^ attempt) * interval '1 s') AS c (ceiling)
WHERE ceiling BETWEEN shortest AND longest;
-- never an error, and never beyond the cap, whatever base and attempt
SELECT baton.alter_queue('nack', '{"backoff_base": "1 day", "backoff_cap": "3650 days"}');
SELECT pg_temp.send_used(array_agg(n)) FROM generate_series(0, 998) AS n;
SELECT count(*), count(*) FILTER (WHERE ceiling BETWEEN shortest AND longest) AS as_expected
FROM pg_temp.delays(), LATERAL (SELECT least(3650, 2.0 ^ (attempt - 1)) * interval '24 h') AS c (ceiling);
-- no backoff at all
SELECT baton.alter_queue('nack', '{"backoff_base": "0", "backoff_cap": "0"}');
SELECT pg_temp.send_used('{0, 1, 998}');
SELECT count(*), bool_and('0' BETWEEN shortest AND longest) AS at_once FROM pg_temp.delays();

-- jitter: full is anywhere below the ceiling, equal in its upper half
SELECT baton.alter_queue('nack', '{"backoff_base": "2 s", "backoff_cap": "50 s", "jitter": "full"}');
SELECT pg_temp.send_used(array_fill(2, ARRAY[300]));
SELECT count(*), min(longest) >= '0 s' AS not_before, max(shortest) <= '8 s' AS not_after,
    min(shortest) < '2 s' AS is_early, max(longest) > '6 s' AS is_late
FROM pg_temp.delays();
SELECT baton.alter_queue('nack', '{"jitter": "equal"}');
SELECT pg_temp.send_used(array_fill(2, ARRAY[300]));
SELECT count(*), min(longest) >= '4 s' AS not_before, max(shortest) <= '8 s' AS not_after,
    min(shortest) < '5 s' AS is_early, max(longest) > '7 s' AS is_late
FROM pg_temp.delays();

-- a delay that the consumer asks for goes before the backoff; under overload the longer of both does
SELECT baton.alter_queue('nack', '{"jitter": "none"}');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('1 h' BETWEEN shortest AND longest) FROM pg_temp.delays(delay => '1 h');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('1 s' BETWEEN shortest AND longest) FROM pg_temp.delays(delay => '1 s');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('1 h' BETWEEN shortest AND longest) FROM pg_temp.delays('overload', '1 h');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('2 s' BETWEEN shortest AND longest) FROM pg_temp.delays('overload', '1 s');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('2 s' BETWEEN shortest AND longest) FROM pg_temp.delays('overload');
SELECT pg_temp.send_used('{0, 0}');
SELECT count(*), bool_and('87600 h' BETWEEN shortest AND longest) FROM pg_temp.delays(delay => '87600 h');

-- not before it is due, and then again without anybody's help; in the same transaction if at once
SELECT baton.send('nack', '1') IS NOT NULL;
SELECT baton.nack(receipt) FROM baton.receive('nack');
SELECT state, attempts FROM baton.peek('nack');
SELECT count(*) FROM baton.receive('nack');
SET baton.clock_shift = 1.9;
SELECT count(*) FROM baton.receive('nack');
SET baton.clock_shift = 2.1;
SELECT attempt FROM baton.receive('nack');
RESET baton.clock_shift;
SELECT baton.purge_queue('nack', true);
SELECT baton.send('nack', '1') IS NOT NULL;
BEGIN;
SELECT baton.nack(receipt, delay => '0') FROM baton.receive('nack');
SELECT attempt, baton.nack(receipt, delay => '0') FROM baton.receive('nack');
SELECT attempt FROM baton.receive('nack');
ROLLBACK;
-- what acted at once survived
SELECT state, attempts FROM baton.peek('nack');
SELECT baton.purge_queue('nack', true);

-- messages that fail again and again do not keep others waiting
SELECT cardinality(baton.send_batch('nack', array_agg('"bad"'::jsonb))) FROM generate_series(1, 100);
SELECT baton.alter_queue('nack', '{"backoff_base": "0", "backoff_cap": "0"}');
SELECT count(baton.nack(receipt)) FROM baton.receive('nack', 100);
SELECT cardinality(baton.send_batch('nack', array_agg('"good"'::jsonb))) FROM generate_series(1, 10);
DO $$
BEGIN
    FOR round IN 1..11 LOOP
        PERFORM CASE payload WHEN '"bad"' THEN baton.try_nack(receipt) ELSE baton.ack(receipt)::text END FROM baton.receive('nack', 10);
    END LOOP;
END $$;
SELECT payload, count(*) FROM baton.peek('nack', 1000) GROUP BY payload;

SELECT baton.drop_queue('nack', true);
