-- Pop, options of single messages, batches of nack, extend and release, and the operator's calls. LSE-09, LSE-10
SELECT baton.create_queue('by hand', '{"backoff_base": "0 s"}');

-- options go before the queue's settings, and only those of a message are taken
SELECT cardinality(baton.send_batch('by hand', array_fill('1'::jsonb, ARRAY[4]), options => '{"max_attempts": 1}'));
SELECT status, id IS NOT NULL AS has_id, retry_after FROM baton.try_send('by hand', '"long"', options => '{"visibility_timeout": "1 hour"}');
DO $$ BEGIN PERFORM baton.send('by hand', '1', options => '{"max_atempts": 1}'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', sqlstate; END $$;
DO $$ BEGIN PERFORM baton.send('by hand', '1', options => '{"idempotent_effects": true}'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', sqlstate; END $$;
DO $$ BEGIN PERFORM baton.send('by hand', '1', options => '[]'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', sqlstate; END $$;
SELECT payload, lease_expires_at > clock_timestamp() + '50 min' AS is_long FROM baton.receive('by hand', 10, consumer => 'bob') ORDER BY payload::text;

-- leases, and taking them away
SELECT state, consumer, count(*) FROM baton.leases('by hand') GROUP BY 1, 2;
SELECT baton.release_consumer('by hand', 'alice') AS alice, baton.release_consumer('by hand', 'bob') AS bob;
SELECT count(*) FROM baton.leases('by hand');
SELECT payload FROM baton.receive('by hand', 10);
SELECT reason, count(*) FROM baton.dead_letters WHERE queue = 'by hand' GROUP BY 1;

-- a redriven message keeps its options
SELECT baton.redrive('by hand', ARRAY(SELECT id FROM baton.dead_letters WHERE queue = 'by hand'));
SELECT array_agg(receipt ORDER BY payload::text) AS receipts FROM baton.receive('by hand', 10) \gset
SELECT baton.nack_batch(:'receipts'::baton.receipt[], ARRAY['a', NULL, 'c', 'd'], ARRAY['transient', NULL, 'permanent', 'overload']);
SELECT baton.nack_batch(:'receipts'::baton.receipt[]);
SELECT class, error, attempts, round FROM baton.dead_letters WHERE queue = 'by hand' AND status = 'open' ORDER BY error;

-- batches tell each receipt's fate
SELECT cardinality(baton.send_batch('by hand', '{1,2,3}'));
SELECT array_agg(receipt ORDER BY payload) AS receipts FROM baton.receive('by hand', 10) WHERE payload IN ('1', '2', '3') \gset
SELECT baton.ack((:'receipts'::baton.receipt[])[2]);
SELECT array_agg(e > clock_timestamp() + '9 min') FROM unnest(baton.extend_batch(:'receipts'::baton.receipt[], '10 min')) AS e;
SELECT baton.release_batch(:'receipts'::baton.receipt[]), baton.release_batch(:'receipts'::baton.receipt[]), baton.release_batch(NULL);
SELECT payload, attempt FROM baton.receive('by hand', 10) ORDER BY payload;

-- where is it?
SELECT baton.send('by hand', '"x"', id => '00000000-0000-7000-8000-000000000001');
SELECT state FROM baton.find_message('by hand', '00000000-0000-7000-8000-000000000001');
SELECT baton.cancel('by hand', '00000000-0000-7000-8000-000000000001'), baton.cancel('by hand', '00000000-0000-7000-8000-000000000001');
SELECT state FROM baton.find_message('by hand', '00000000-0000-7000-8000-000000000001');
SELECT baton.send('by hand', '"x"', id => '00000000-0000-7000-8000-000000000002');
SELECT baton.dead_letter('by hand', '00000000-0000-7000-8000-000000000002', error => 'no good'), baton.dead_letter('by hand', '00000000-0000-7000-8000-000000000002');
SELECT state, attempts FROM baton.find_message('by hand', '00000000-0000-7000-8000-000000000002');
SELECT reason, class, error FROM baton.dead_letters WHERE queue = 'by hand' AND reason = 'manual';

-- a pop is gone with its transaction, or comes back after a pause
SELECT baton.purge_queue('by hand', true) > 0;
SELECT baton.send('by hand', '"popped"') IS NOT NULL;
BEGIN;
SELECT payload, attempt FROM baton.pop('by hand');
SELECT payload, attempt FROM baton.pop('by hand');
ROLLBACK;
SELECT count(*) FROM baton.pop('by hand');
SET baton.clock_shift = 100;
SELECT payload, attempt FROM baton.pop('by hand', 5);
SELECT count(*) FROM baton.peek('by hand');
RESET baton.clock_shift;
SELECT baton.drop_queue('by hand', true);
