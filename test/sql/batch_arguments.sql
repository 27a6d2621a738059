-- Batches: empty is nothing, order is kept, all or none; what does not fit together is refused. ARG-08, PAY-01, TXN-04
-- Delayed messages stay in the segment, where this session's shifted clock brings them out.
SET baton.later_threshold = '20000 d';
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('batch');

-- nothing in, nothing out
SELECT baton.send_batch('batch', '{}'), baton.send_batch('batch', NULL), baton.send_batch('batch', '{}', '{}', '{}', ids => '{}'),
    baton.publish_batch('{}', '{}'), baton.publish_batch(NULL, NULL), baton.publish_batch('{}', NULL);
SELECT baton.ack_batch('{}'), baton.ack_batch(NULL), baton.try_ack_batch('{}'), baton.try_ack_batch(NULL), baton.redrive('batch', '{}');
SELECT count(*) FROM baton.first_delivery_batch('batch', '{}');
SELECT count(*) FROM baton.peek('batch');

-- the nth id is that of the nth payload, with its header, key and id; an element may be null
SELECT baton.send_batch('batch', '{1,2,3}', '{"{\"h\": 1}",NULL,"{\"h\": 3}"}', '{one,NULL,three}',
    ids => '{01890a5d-ac96-774b-bcce-b30200000001,NULL,01890a5d-ac96-774b-bcce-b30200000003}') AS ids \gset
SELECT (:'ids'::uuid[])[1], (:'ids'::uuid[])[2] IS NOT NULL AS is_made, (:'ids'::uuid[])[3];
SELECT array_position(:'ids'::uuid[], id) AS position, payload, headers, key FROM baton.receive('batch', 10);
SELECT baton.purge_queue('batch', true);
-- also of an array that does not begin at 1
SELECT cardinality(baton.send_batch('batch', '[0:2]={1,2,3}', keys => '[7:9]={a,b,c}'));
SELECT payload, key FROM baton.receive('batch', 10);
SELECT baton.purge_queue('batch', true);
-- one delay for all
SELECT cardinality(baton.send_batch('batch', '{1,2}', delay => '1 h'));
SELECT count(*) FROM baton.receive('batch', 10);
SELECT state, count(*) FROM baton.peek('batch') GROUP BY state;
SELECT baton.purge_queue('batch', true);

-- refused, and nothing is written
SELECT arguments, pg_temp.sqlstate_of('SELECT baton.send_batch(' || arguments || ')') FROM unnest(ARRAY[
    $$NULL, '{1}'$$, $$'batch', '{1,NULL}'$$, $$'batch', '{{1,2},{3,4}}'$$, $$'batch', '{1,2}', '{NULL}'$$,
    $$'batch', '{1,2}', '{}'$$, $$'batch', '{1,2}', '{{NULL,NULL}}'$$, $$'batch', '{1,2}', keys => '{a}'$$,
    $$'batch', '{1,2}', keys => '{a,b,c}'$$, $$'batch', '{1,2}', keys => '{{a,b}}'$$,
    $$'batch', '{1,2}', ids => '{NULL}'$$, $$'batch', '{}', keys => '{a}'$$, $$'batch', NULL, keys => '{a}'$$,
    $$'batch', '{1,2}', delay => '-1 s'$$, $$'batch', '{1,2}', delay => '11 years'$$,
    $$'batch', '{1,"\"\\u0000\""}'$$, $$'batch', '{1,2}', '{"{}","[]"}'$$]) AS arguments;
SELECT arguments, pg_temp.sqlstate_of('SELECT baton.publish_batch(' || arguments || ')') FROM unnest(ARRAY[
    $$NULL, '{1}'$$, $$'{a}', '{NULL}'$$, $$'{NULL}', '{1}'$$, $$'{a,b}', '{1}'$$, $$'{a}', '{1,2}'$$, $$'{a,"a..b"}', '{1,2}'$$,
    $$'{{a,b}}', '{1,2}'$$, $$'{a,b}', '{{1,2}}'$$, $$'{a}', '{1}', '{NULL,NULL}'$$, $$'{a}', '{1}', keys => '{}'$$,
    $$'{a}', '{1}', ids => '{NULL,NULL}'$$, $$'{a,b}', '{1,2}', '{"{}","[]"}'$$]) AS arguments;
SELECT call, pg_temp.sqlstate_of('SELECT ' || call) FROM unnest(ARRAY[
    $$baton.ack_batch('{NULL}')$$, $$baton.ack_batch('{{NULL}}')$$, $$baton.ack_batch('{x}')$$,
    $$baton.try_ack_batch('{NULL}')$$, $$baton.try_ack_batch('{{NULL}}')$$, $$baton.redrive('batch', '{NULL}')$$,
    $$baton.redrive('batch', NULL)$$, $$baton.redrive('batch', ARRAY[ARRAY[gen_random_uuid()]])$$,
    $$baton.first_delivery_batch('batch', '{NULL}')$$, $$baton.first_delivery_batch('batch', NULL)$$,
    $$baton.first_delivery_batch('batch', ARRAY[ARRAY[gen_random_uuid()]])$$]) AS call;
SELECT (SELECT count(*) FROM baton.peek('batch')) AS messages, (SELECT count(*) FROM baton.outbox WHERE topic IN ('a', 'b')) AS events;

-- all or none: one lost lease, and nothing is acknowledged; repeats count once
SELECT cardinality(baton.send_batch('batch', '{1,2,3}'));
SELECT array_agg(receipt) AS receipts FROM baton.receive('batch', 10) \gset
BEGIN;
SELECT baton.ack_batch(:'receipts'::baton.receipt[] || :'receipts'::baton.receipt[]);
ROLLBACK;
SELECT baton.ack((:'receipts'::baton.receipt[])[2]);
SELECT pg_temp.sqlstate_of(format('SELECT baton.ack_batch(%L)', :'receipts'));
SELECT count(*) FROM baton.peek('batch');
-- each by itself, answered in input order
SELECT baton.try_ack_batch(:'receipts'::baton.receipt[] || :'receipts'::baton.receipt[]);
SELECT count(*) FROM baton.peek('batch');
SELECT baton.try_ack_batch(:'receipts');

-- large ones
SELECT cardinality(baton.send_batch('batch', array_agg('{"n": 1}'::jsonb))) FROM generate_series(1, 100000);
SELECT baton.ack_batch(array_agg(receipt)) FROM baton.receive('batch', 100000);
SELECT cardinality(baton.send_batch('batch', array_agg('{"n": 1}'::jsonb))) FROM generate_series(1, 10000);
SELECT count(*), bool_and(is_settled) FROM (SELECT array_agg(receipt ORDER BY random()) FROM baton.receive('batch', 10000))
    AS all_of_them (receipts), unnest(baton.try_ack_batch(receipts)) AS is_settled;
SELECT count(*) FROM baton.peek('batch');
SELECT baton.drop_queue('batch');
