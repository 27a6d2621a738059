-- What is sent is received, once per lease, in order, by whoever comes after the commit.
-- ARG-01, CLM-06, DLQ-07, LSE-12, PAY-06, POL-01
SELECT baton.create_queue('basic');

-- a message is not receivable in the transaction that sent it
BEGIN;
SELECT baton.send('basic', '{"n": 1}') AS first_id \gset
SELECT count(*) FROM baton.receive('basic');
COMMIT;
SELECT id = :'first_id' AS is_it, attempt, round, payload, headers, key, topic, priority, body FROM baton.receive('basic');
-- leased: nobody gets it
SELECT count(*) FROM baton.receive('basic', 10);
SELECT baton.purge_queue('basic', true);

-- everything given comes back unchanged
SELECT baton.send('basic', '{"a": {"b": [1, null, "\u00e9 \ud83d\udc1f"]}, "": 12345678901234567890.123456789012345678901234567890}',
    '{"h": "1", "nested": {"x": []}}', 'the key', priority => 9, body => '\x00ff10',
    id => '01890a5d-ac96-774b-bcce-b302099a8057');
SELECT id, payload, headers, key, priority, body, topic FROM baton.receive('basic');
-- also what is empty, null in JSON, or bytes alone; a given id needs no version
SELECT baton.send('basic', 'null') IS NOT NULL;
SELECT baton.send('basic', '{}', '{}', '') IS NOT NULL;
SELECT baton.send('basic', '""', priority => NULL) IS NOT NULL;
SELECT baton.send('basic', NULL, body => '\x') IS NOT NULL;
SELECT baton.send('basic', '[]', id => '00000000-0000-0000-0000-000000000000') IS NOT NULL;
SELECT payload, headers, key, priority, body FROM baton.receive('basic', 10);

-- ids are uuids of version 7, later ones greater; time and lease are of now, not of the transaction's start
BEGIN;
SELECT clock_timestamp() AS before \gset
SELECT baton.send('basic', '1') AS one \gset
SELECT baton.send('basic', '2') AS two \gset
SELECT substr(:'one', 15, 1) AS version, substr(:'one', 20, 1) IN ('8', '9', 'a', 'b') AS is_variant,
    left(:'one', 13)::text <= left(:'two', 13) AS is_ordered, :'one' <> :'two' AS differ;
COMMIT;
BEGIN;
SELECT now() AS started \gset
SELECT pg_sleep(0.002);
SELECT enqueued_at BETWEEN :'before' AND clock_timestamp() AS is_sent_now,
    lease_expires_at > :'started'::timestamptz + '30 s' AS is_leased_later,
    lease_expires_at <= clock_timestamp() + '30 s' AS is_leased_now
FROM baton.receive('basic');
COMMIT;
SELECT lease_expires_at BETWEEN :'before'::timestamptz + '2 h' AND clock_timestamp() + '2 h' AS is_as_asked
FROM baton.receive('basic', visibility_timeout => '2 h');
SELECT baton.purge_queue('basic', true);

-- as many as asked for, in the order they were sent
SELECT cardinality(baton.send_batch('basic', array_agg(to_jsonb(n) ORDER BY n))) FROM generate_series(1, 1000) AS n;
SELECT array_agg(payload) FROM baton.receive('basic', 1);
SELECT array_agg(payload) FROM baton.receive('basic', 3);
SELECT count(*), min(payload::int), max(payload::int), bool_and(payload::int = 4 + number) AS is_in_order,
    count(DISTINCT receipt::text) AS receipts
FROM baton.receive('basic', 2147483647) WITH ORDINALITY AS m (id, receipt, attempt, round, payload, headers, key, topic,
    priority, enqueued_at, lease_expires_at, body, number);
SELECT baton.purge_queue('basic', true);

-- acknowledging what came leaves the rest
SELECT cardinality(baton.send_batch('basic', '{1,2,3}'));
SELECT baton.ack_batch(array_agg(receipt)) FROM baton.receive('basic', 1);
SELECT array_agg(payload ORDER BY payload) FROM baton.receive('basic', 10);
SELECT baton.purge_queue('basic', true);

-- an attempt counts even if its transaction rolls back, and its lease holds
SELECT baton.send('basic', '"counted"') IS NOT NULL;
BEGIN;
SELECT attempt FROM baton.receive('basic');
ROLLBACK;
SELECT count(*) FROM baton.receive('basic');
SELECT state, attempts FROM baton.peek('basic');
SET baton.clock_shift = 31;
SELECT attempt FROM baton.receive('basic');
RESET baton.clock_shift;
SELECT baton.purge_queue('basic', true);

-- received and acknowledged in one statement
SELECT cardinality(baton.send_batch('basic', '{1,2,3}'));
SELECT baton.ack(receipt) FROM baton.receive('basic');
WITH done AS (SELECT payload, baton.ack(receipt) FROM baton.receive('basic', 2)) SELECT payload FROM done;
SELECT count(*) FROM baton.peek('basic');

-- by prepared statements and text parameters, as drivers send them; by plpgsql variables
PREPARE send_text (text, text) AS SELECT baton.send($1, $2::jsonb) IS NOT NULL AS is_sent;
PREPARE receive_one AS SELECT receipt::text FROM baton.receive('basic');
PREPARE ack_text (text) AS SELECT baton.ack($1);
PREPARE ack_texts (text[]) AS SELECT baton.ack_batch($1::baton.receipt[]);
PREPARE ack_varchar (varchar) AS SELECT baton.ack($1);
EXECUTE send_text('basic', '1');
EXECUTE receive_one \gset
EXECUTE ack_text(:'receipt');
EXECUTE send_text('basic', '2');
EXECUTE receive_one \gset
EXECUTE ack_texts(ARRAY[:'receipt']);
EXECUTE send_text('basic', '3');
EXECUTE receive_one \gset
EXECUTE ack_varchar(:'receipt');
DO $$
DECLARE
    message baton.message;
BEGIN
    PERFORM baton.send('basic', to_jsonb(n)) FROM generate_series(1, 3) AS n;
    COMMIT;
    FOR message IN SELECT * FROM baton.receive('basic', 10) LOOP
        COMMIT; -- no lease depends on an open transaction
        RAISE NOTICE '%', message.payload;
        PERFORM baton.ack(message.receipt);
    END LOOP;
END $$;
SELECT count(*) FROM baton.peek('basic');
DEALLOCATE ALL;

-- a queue knows nothing of another
SELECT baton.create_queue('basic two');
SELECT baton.send('basic two', '"two"') IS NOT NULL;
SELECT count(*) FROM baton.receive('basic', 10);
SELECT payload FROM baton.receive('basic two', 10);
-- who holds what is remembered
SELECT baton.send('basic', '1') IS NOT NULL FROM generate_series(1, 4);
SELECT count(*) FROM baton.receive('basic', consumer => 'me', consumer_version => '1.0');
SELECT count(*) FROM baton.receive('basic', consumer => '');
SELECT count(*) FROM baton.receive('basic', consumer => NULL);
SET application_name = 'the application';
SELECT count(*) FROM baton.receive('basic');
SELECT array_agg(consumer ORDER BY leased_at) FROM baton.peek('basic');

SELECT baton.drop_queue('basic', true), baton.drop_queue('basic two', true);
