-- redrive sends dead letters back as the same messages in a new round; twice is once. DLQ-06, DLQ-08
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('redrive', '{"max_attempts": 2}');
SELECT baton.create_queue('redrive other');
CREATE FUNCTION pg_temp.kill(queue text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(baton.nack(receipt, 'killed', 'permanent')) FROM baton.receive($1, 1000)
$$;

SELECT baton.send('redrive', '{"a": 1}', '{"h": 1}', 'key', priority => 3, body => '\x01',
    id => '01890a5d-ac96-774b-bcce-b30200000001') IS NOT NULL;
SELECT enqueued_at AS sent_at FROM baton.peek('redrive') \gset
SELECT baton.nack(receipt, delay => '0') FROM baton.receive('redrive');
SELECT pg_temp.kill('redrive');

-- the same message, its attempts new
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000001}');
SELECT id, attempt, round, payload, headers, key, priority, body, enqueued_at = :'sent_at' AS is_as_old, receipt
FROM baton.receive('redrive') \gset redriven_
SELECT :'redriven_id' AS id, :redriven_attempt AS attempt, :redriven_round AS round, :'redriven_payload' AS payload,
    :'redriven_headers' AS headers, :'redriven_key' AS key, :redriven_priority AS priority, :'redriven_body' AS body,
    :'redriven_is_as_old' AS is_as_old;
SELECT status, changed_by = current_user AS is_by_us, changed_at > dead_at AS is_later, round, attempts
FROM baton.dead_letters WHERE queue = 'redrive';
-- again: nothing, while it lives and when it is done
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000001}');
SELECT baton.ack(:'redriven_receipt');
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000001}');
SELECT count(*) FROM baton.peek('redrive');

-- it may die again: a letter of its own, and another round
SELECT cardinality(baton.send_batch('redrive', '{2,3,4}',
    ids => '{01890a5d-ac96-774b-bcce-b30200000002,01890a5d-ac96-774b-bcce-b30200000003,01890a5d-ac96-774b-bcce-b30200000004}'));
SELECT pg_temp.kill('redrive');
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000002}');
SELECT pg_temp.kill('redrive');
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000002}');
SELECT attempt, round FROM baton.receive('redrive');
SELECT round, status, attempts FROM baton.dead_letters WHERE id = '01890a5d-ac96-774b-bcce-b30200000002' ORDER BY round;
SELECT baton.purge_queue('redrive', true);

-- an id twice, unknown, of another queue, or already back: passed over
SELECT baton.send('redrive other', '5', id => '01890a5d-ac96-774b-bcce-b30200000005') IS NOT NULL;
SELECT pg_temp.kill('redrive other');
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000001,01890a5d-ac96-774b-bcce-b30200000003,
    01890a5d-ac96-774b-bcce-b30200000003,01890a5d-ac96-774b-bcce-b30200000005,00000000-0000-0000-0000-000000000000}');
SELECT payload FROM baton.receive('redrive', 10);
SELECT queue, payload FROM baton.dead_letters WHERE queue LIKE 'redrive%' AND status = 'open' ORDER BY payload;
SELECT baton.redrive('redrive', '{}'), pg_temp.sqlstate_of($$ SELECT baton.redrive('redrive', NULL) $$),
    pg_temp.sqlstate_of($$ SELECT baton.redrive('redrive', '{NULL}') $$), pg_temp.sqlstate_of($$ SELECT baton.redrive(NULL, '{}') $$);

-- rolled back: dead as before, and redriven later
BEGIN;
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000004}');
SELECT status FROM baton.dead_letters WHERE id = '01890a5d-ac96-774b-bcce-b30200000004';
ROLLBACK;
SELECT status FROM baton.dead_letters WHERE id = '01890a5d-ac96-774b-bcce-b30200000004';
SELECT count(*) FROM baton.receive('redrive');
SELECT baton.redrive('redrive', '{01890a5d-ac96-774b-bcce-b30200000004}');
SELECT payload FROM baton.receive('redrive');

-- what had expired is not dead on arrival; what will expire still does
SELECT baton.send('redrive', '"expired"', expires_in => '0') IS NOT NULL;
SELECT baton.send('redrive', '"will expire"', expires_in => '1 h') IS NOT NULL;
SELECT count(*) FROM baton.receive('redrive', 10), baton.nack(receipt, class => 'permanent');
SELECT baton.redrive('redrive', array_agg(id)) FROM baton.dead_letters WHERE queue = 'redrive' AND payload::text LIKE '%expire%';
SELECT payload, baton.release(receipt) FROM baton.receive('redrive', 10) ORDER BY payload;
SET baton.clock_shift = 3700;
SELECT payload FROM baton.receive('redrive', 10) WHERE payload::text LIKE '%expire%';
RESET baton.clock_shift;
SELECT baton.purge_queue('redrive', true);

-- a thousand, of which the first call has done some
SELECT cardinality(baton.send_batch('redrive', array_agg('"many"'::jsonb))) FROM generate_series(1, 1000);
SELECT pg_temp.kill('redrive');
SELECT baton.redrive('redrive', array_agg(id)) FROM
    (SELECT id FROM baton.dead_letters WHERE queue = 'redrive' AND payload = '"many"' ORDER BY letter_id LIMIT 300) AS letters;
SELECT baton.redrive('redrive', array_agg(id)) FROM baton.dead_letters WHERE queue = 'redrive' AND payload = '"many"';
SELECT count(*), count(DISTINCT id), min(round), max(round) FROM baton.receive('redrive', 2000);

SELECT baton.drop_queue('redrive', true), baton.drop_queue('redrive other', true);
