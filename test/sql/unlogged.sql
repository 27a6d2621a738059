-- An unlogged queue does all that others do. What a crash makes of it: test/tap/016_unlogged.pl
SELECT baton.create_queue('volatile', '{"unlogged": true, "jitter": "none"}');
SELECT relpersistence, count(*) FROM pg_class AS c, baton.queues AS q
WHERE q.queue = 'volatile' AND c.relname ~ ('^q' || q.queue_id || '(_1)?$') GROUP BY 1 ORDER BY 1;
SELECT queue, lost, lost_at FROM baton.unlogged_queues WHERE queue = 'volatile';
CREATE TEMP TABLE held (receipt baton.receipt, payload jsonb);

-- send, receive, retry, extend, release, ack
SELECT cardinality(baton.send_batch('volatile', '{1,2,3}'));
INSERT INTO held SELECT receipt, payload FROM baton.receive('volatile', 3);
SELECT baton.nack(receipt, delay => '0') FROM held WHERE payload = '1';
SELECT baton.release(receipt) FROM held WHERE payload = '2';
SELECT baton.extend(receipt, '1 h') > now() AS is_extended FROM held WHERE payload = '3';
SELECT payload, state, attempts FROM baton.peek('volatile') ORDER BY 1;
SELECT baton.ack(receipt) FROM held WHERE payload = '3';
SELECT baton.try_ack_batch(array_agg(receipt)) FROM held;
SELECT payload, attempt, baton.ack(receipt) FROM baton.receive('volatile', 3) ORDER BY 1;
SELECT count(*) FROM baton.peek('volatile');

-- rolled back
BEGIN;
SELECT baton.send('volatile', '4') IS NOT NULL AS is_sent;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT baton.send('volatile', '5') IS NOT NULL AS is_sent;
ROLLBACK TO s;
SELECT baton.send('volatile', '6') IS NOT NULL AS is_sent;
COMMIT;
BEGIN;
SELECT baton.ack(receipt) FROM baton.receive('volatile', 10);
ROLLBACK;
SELECT payload, state, attempts FROM baton.peek('volatile');
SELECT baton.release_consumer('volatile', consumer) FROM baton.leases('volatile');

-- large, dead, redriven, popped
SELECT baton.send('volatile', jsonb_build_object('text', (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 1000) AS n))) IS NOT NULL AS is_sent;
SELECT baton.nack(receipt, 'too large', 'permanent') FROM baton.receive('volatile', 10) WHERE payload ? 'text';
SELECT baton.redrive('volatile', array_agg(id)) FROM baton.dead_letters WHERE queue = 'volatile';
SELECT round, length(payload ->> 'text') FROM baton.pop('volatile');

-- delayed, shortly and for long, and the operator's calls
SELECT baton.send('volatile', '7', delay => '10 s') IS NOT NULL AND baton.send('volatile', '8', delay => '10 days') IS NOT NULL AS are_sent;
SELECT payload, state FROM baton.peek('volatile') ORDER BY 1;
SELECT baton.cancel('volatile', id) FROM baton.peek('volatile') WHERE payload = '7';
SELECT baton.purge_queue('volatile', true);
SELECT count(*) FROM baton.peek('volatile');
SELECT baton.drop_queue('volatile', true);
SELECT count(*) FROM baton.unlogged_queues WHERE queue = 'volatile';
