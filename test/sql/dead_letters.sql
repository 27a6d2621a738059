-- A message that cannot succeed becomes a dead letter, as it was, with the reason: in the transaction that finds it.
-- DLQ-05, DLQ-06, DLQ-07, PAY-06, BLT-05, CLM-08
-- Delayed messages stay in the segment, where this session's shifted clock brings them out.
SET baton.later_threshold = '20000 d';
CREATE FUNCTION pg_temp.detail_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN sqlstate || ' ' || detail;
END $$;
SELECT baton.create_queue('dead', '{"max_attempts": 2, "backoff_base": "0", "backoff_cap": "0"}');

-- attempts used up by nacks: all that was sent is kept, with who failed and how
SELECT clock_timestamp() AS before \gset
SELECT baton.send('dead', '{"a": 1}', '{"h": 1}', 'key', priority => 3, body => '\x01',
    id => '01890a5d-ac96-774b-bcce-b30200000001') IS NOT NULL;
SELECT baton.nack(receipt, 'first') FROM baton.receive('dead', consumer => 'one', consumer_version => '1.0');
SELECT baton.nack(receipt, 'second', 'overload') FROM baton.receive('dead', consumer => 'two', consumer_version => '2.0');
\x
SELECT queue, id, round, attempts, reason, class, error, consumer, consumer_version, payload, headers, key, topic, priority, body,
    status, changed_by, changed_at, idempotency_key, options, expires_at,
    enqueued_at >= :'before' AND first_attempt_at >= enqueued_at AND last_attempt_at > first_attempt_at
        AND dead_at >= last_attempt_at AND dead_at <= clock_timestamp() AS are_times_in_order
FROM baton.dead_letters WHERE queue = 'dead';
\x
SELECT count(*) FROM baton.peek('dead');

-- by leases that ran out without a word: found by the next receive, which delivers the others
SELECT baton.send('dead', '"silent"', id => '01890a5d-ac96-774b-bcce-b30200000002') IS NOT NULL;
SELECT receipt AS first FROM baton.receive('dead', consumer => 'silent') \gset
SET baton.clock_shift = 31;
SELECT receipt AS last FROM baton.receive('dead', consumer => 'silent too') \gset
SET baton.clock_shift = 62;
SELECT baton.send('dead', '"fresh"') IS NOT NULL;
SELECT payload FROM baton.receive('dead', 10);
SELECT attempts, reason, class, error, consumer FROM baton.dead_letters WHERE id = '01890a5d-ac96-774b-bcce-b30200000002';
-- a late word changes nothing
SELECT pg_temp.detail_of(format('SELECT baton.%s(%L)', f, receipt)) FROM unnest(ARRAY[:'first', :'last']) AS receipt,
    unnest('{ack,nack,extend,release}'::text[]) AS f;
SELECT baton.try_ack_batch(ARRAY[:'first', :'last']::baton.receipt[]), baton.try_nack(:'last');
SELECT count(*) FROM baton.dead_letters WHERE id = '01890a5d-ac96-774b-bcce-b30200000002';
RESET baton.clock_shift;
SELECT baton.purge_queue('dead', true);
-- but before anybody found it, the last attempt still counts
SELECT baton.send('dead', '"in time"') IS NOT NULL;
SELECT baton.nack(receipt) FROM baton.receive('dead');
SELECT receipt FROM baton.receive('dead') \gset
SET baton.clock_shift = 3600;
SELECT baton.ack(:'receipt');
RESET baton.clock_shift;

-- not received by its time: never attempted, or between attempts
SELECT baton.send('dead', '"unread"', expires_in => '1 h') IS NOT NULL;
SELECT baton.send('dead', '"failed once"', expires_in => '1 h') IS NOT NULL;
SELECT baton.send('dead', '"at work"', expires_in => '1 h') IS NOT NULL;
SELECT baton.send('dead', '"late anyway"', delay => '2 h', expires_in => '1 h') IS NOT NULL;
SELECT payload, CASE payload #>> '{}' WHEN 'unread' THEN baton.release(receipt)::text WHEN 'failed once' THEN baton.nack(receipt)
    WHEN 'at work' THEN (baton.extend(receipt, '2 h') IS NOT NULL)::text END FROM baton.receive('dead', 3) ORDER BY payload;
SET baton.clock_shift = 3601;
SELECT count(*) FROM baton.receive('dead', 10);
SELECT payload, attempts, reason, expires_at - enqueued_at AS expired_after FROM baton.dead_letters
WHERE queue = 'dead' AND reason = 'expired' ORDER BY payload;
SET baton.clock_shift = 7300;
SELECT count(*) FROM baton.receive('dead', 10);
SELECT payload, attempts, reason FROM baton.dead_letters
WHERE queue = 'dead' AND reason = 'expired' AND payload IN ('"at work"', '"late anyway"') ORDER BY payload;
RESET baton.clock_shift;

-- too long since the first attempt
SELECT baton.alter_queue('dead', '{"max_elapsed": "1 min", "max_attempts": 100}');
SELECT baton.send('dead', '"lasting"') IS NOT NULL;
SELECT baton.nack(receipt, delay => '50 s') FROM baton.receive('dead');
SET baton.clock_shift = 59;
SELECT attempt FROM baton.receive('dead');
SET baton.clock_shift = 100;
SELECT count(*) FROM baton.receive('dead');
SELECT attempts, reason, class FROM baton.dead_letters WHERE queue = 'dead' AND payload = '"lasting"';
RESET baton.clock_shift;
SELECT baton.alter_queue('dead', '{"max_elapsed": null, "max_attempts": 1}');

-- the move belongs to the transaction of the receive
SELECT baton.send('dead', '"undone"') IS NOT NULL;
SELECT count(*) FROM baton.receive('dead');
SET baton.clock_shift = 31;
BEGIN;
SELECT count(*) FROM baton.receive('dead');
SELECT count(*) FROM baton.dead_letters WHERE queue = 'dead' AND payload = '"undone"';
SELECT count(*) FROM baton.receive('dead');
ROLLBACK;
SELECT count(*) FROM baton.dead_letters WHERE queue = 'dead' AND payload = '"undone"';
SELECT state, attempts FROM baton.peek('dead');
SELECT count(*) FROM baton.receive('dead');
SELECT count(*) FROM baton.dead_letters WHERE queue = 'dead' AND payload = '"undone"';
RESET baton.clock_shift;

-- a pile of them costs each caller little, and hides nothing behind it
SELECT cardinality(baton.send_batch('dead', array_agg('"pile"'::jsonb))) FROM generate_series(1, 450);
SELECT count(*) FROM baton.receive('dead', 1000);
SET baton.clock_shift = 40;
SELECT baton.send('dead', '"behind the pile"') IS NOT NULL;
DO $$
DECLARE
    calls int := 0;
    found jsonb;
BEGIN
    LOOP
        calls := calls + 1;
        SELECT payload INTO found FROM baton.receive('dead', 10);
        EXIT WHEN found IS NOT NULL;
        ASSERT calls < 10, 'never delivered';
        COMMIT;
    END LOOP;
    RAISE NOTICE '%', found;
END $$;
SELECT count(*) FROM baton.dead_letters WHERE queue = 'dead' AND payload = '"pile"';
RESET baton.clock_shift;

-- without a policy that says so nothing unread ever vanishes
SELECT baton.purge_queue('dead', true);
SELECT baton.send('dead', '"patient"') IS NOT NULL;
SET baton.clock_shift = 315000000;
SELECT payload FROM baton.receive('dead');
RESET baton.clock_shift;

SELECT baton.drop_queue('dead', true);
SELECT count(*) FROM baton.dead_letters WHERE queue = 'dead';
