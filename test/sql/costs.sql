-- What calls cost, without a clock: WAL bytes, transaction ids, pages. BPR-01, BLT-08, CLM-04
CREATE FUNCTION pg_temp.wal_of(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    before pg_lsn := pg_current_wal_insert_lsn();
BEGIN
    EXECUTE statement;
    RETURN pg_current_wal_insert_lsn() - before;
END $$;
CREATE FUNCTION pg_temp.pages_of(statement text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || statement INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
CREATE FUNCTION pg_temp.cheapest(statement text) RETURNS int LANGUAGE sql AS $$
    SELECT min(pg_temp.pages_of(statement)) FROM generate_series(1, 5)
$$;
SELECT baton.create_queue('costs', '{"visibility_timeout": "1 h"}');
SELECT count(*) FROM baton.receive('costs');

-- an empty receive writes nothing and takes no transaction id
BEGIN;
SELECT count(*) FROM baton.receive('costs');
SELECT pg_current_xact_id_if_assigned();
COMMIT;
SELECT min(pg_temp.wal_of('SELECT count(*) FROM baton.receive(''costs'')')) FROM generate_series(1, 5);

-- WAL of 100 B messages on pages written since the checkpoint, per message: the row and little else to send, one small
-- record a page to lease, one a row to ack
SELECT pg_temp.wal_of('SELECT baton.send_batch(''costs'', array_fill(to_jsonb(repeat(''x'', 100)), ARRAY[1000]))') / 1000 < 260 AS send;
CREATE TABLE leased (receipts baton.receipt[]);
SELECT pg_temp.wal_of('INSERT INTO leased SELECT array_agg(receipt) FROM baton.receive(''costs'', 1000)') / 1000 < 120 AS receive;
SELECT pg_temp.wal_of('SELECT baton.ack_batch(receipts) FROM leased') / 1000 < 80 AS ack;
DROP TABLE leased;

-- a receive touches no more pages for a long queue, for long leases or delays before it
SELECT cardinality(baton.send_batch('costs', array_fill('1'::jsonb, ARRAY[200]))) > 0;
SELECT count(*) FROM baton.receive('costs', 1);
SELECT pg_temp.cheapest('SELECT * FROM baton.receive(''costs'')') AS short \gset
SELECT count(*) FROM generate_series(1, 50), LATERAL (SELECT baton.send_batch('costs', array_fill('1'::jsonb, ARRAY[2000 + 0 * generate_series]))) AS s;
SELECT pg_temp.cheapest('SELECT * FROM baton.receive(''costs'')') <= :short AS long;
SELECT count(*) FROM baton.receive('costs', 10000);
SELECT pg_temp.cheapest('SELECT * FROM baton.receive(''costs'')') <= :short AS behind_leases;
SET baton.later_threshold = '20000 d';
SELECT baton.purge_queue('costs', true) > 0;
SELECT count(*) FROM generate_series(1, 10), LATERAL (SELECT baton.send_batch('costs', array_fill('1'::jsonb, ARRAY[2000 + 0 * generate_series]), delay => '1 h')) AS s;
SELECT cardinality(baton.send_batch('costs', array_fill('1'::jsonb, ARRAY[200]))) > 0;
SELECT count(*) FROM baton.receive('costs');
SELECT pg_temp.cheapest('SELECT * FROM baton.receive(''costs'')') <= :short AS behind_delays;
SELECT baton.drop_queue('costs', true);
