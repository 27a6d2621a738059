-- Values of any size on every way that a message can go. What is too large to come out again is refused when it is sent,
-- never when it is received. PAY-02
CREATE PROCEDURE pg_temp.wait_until(condition text) LANGUAGE plpgsql AS $$
DECLARE
    is_met boolean;
    give_up_at timestamptz := clock_timestamp() + '20 s';
BEGIN
    LOOP
        EXECUTE 'SELECT ' || condition INTO is_met;
        EXIT WHEN is_met;
        IF clock_timestamp() > give_up_at THEN
            RAISE 'still not: %', condition;
        END IF;
        COMMIT;
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;

-- each value by itself and all together, from nothing to 300 kB, around the places where storage changes
CREATE TEMP TABLE sent AS
    SELECT gen_random_uuid() AS id, n, what,
        CASE WHEN what IN ('payload', 'all') THEN to_jsonb(left(t, n)) ELSE '1' END AS payload,
        CASE WHEN what IN ('headers', 'all') THEN jsonb_build_object(left(t, n), n) END AS headers,
        CASE WHEN what IN ('key', 'all') THEN left(t, n) END AS key,
        CASE WHEN what IN ('body', 'all') THEN convert_to(left(t, n), 'UTF8') END AS body
    FROM (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 32768)) AS r (t),
        unnest(ARRAY[0, 1, 126, 127, 1999, 2040, 8100, 8192, 100000, 300000]) AS n,
        unnest('{payload,headers,key,body,all}'::text[]) AS what;
-- which messages came, and which of them otherwise than they were sent
CREATE TEMP TABLE come (id uuid, payload jsonb, headers jsonb, key text, body bytea, receipt baton.receipt);
CREATE FUNCTION pg_temp.report() RETURNS TABLE (expected bigint, came bigint, wrong text) LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM sent), (SELECT count(DISTINCT id) FROM come),
        (SELECT string_agg(s.what || ' of ' || s.n, ', ') FROM sent AS s JOIN come AS c USING (id)
         WHERE (s.payload, s.headers, s.key, s.body) IS DISTINCT FROM (c.payload, c.headers, c.key, c.body))
$$;

SELECT baton.create_queue('large', '{"max_attempts": 100, "visibility_timeout": "1 h"}');
SELECT count(baton.send('large', payload, headers, key, body => body, id => id)) FROM sent;
-- peek
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.peek('large', 1000);
SELECT * FROM pg_temp.report();
SELECT s.n, s.what, p.id = s.id AS is_found FROM sent AS s, baton.peek('large', 1, key => s.key) AS p WHERE s.what = 'key' AND s.n IN (1, 300000) ORDER BY 1;
-- receive
TRUNCATE come;
INSERT INTO come SELECT id, payload, headers, key, body, receipt FROM baton.receive('large', 1000);
SELECT * FROM pg_temp.report();
-- leases are changed in place: no row moves, nothing out of line is written
SELECT format('baton.q%s_1', queue_id) AS segment FROM baton.queues WHERE queue = 'large' \gset
SELECT reltoastrelid::regclass AS toast FROM pg_class WHERE oid = :'segment'::regclass \gset
CREATE TEMP TABLE place AS SELECT id, ctid AS row FROM :segment;
SELECT count(*) AS chunks FROM :toast \gset
SELECT :chunks > 100 AS are_out_of_line;
SELECT count(*) FROM come, baton.extend(receipt, '2 h') AS until WHERE until > now() + interval '1 h';
SELECT count(*) FROM come, baton.release(receipt);
SELECT count(*) FROM :segment AS s JOIN place AS p USING (id) WHERE s.ctid = p.row;
SELECT count(*) - :chunks AS more_chunks FROM :toast;
-- pop that is rolled back, a retry, a subtransaction
TRUNCATE come;
BEGIN;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.pop('large', 1000);
SELECT * FROM pg_temp.report();
ROLLBACK;
SET baton.clock_shift = 100;
BEGIN;
INSERT INTO come SELECT id, payload, headers, key, body, receipt FROM baton.receive('large', 1000);
SAVEPOINT s;
SELECT baton.ack_batch(array_agg(receipt)) FROM come;
ROLLBACK TO s;
COMMIT;
SELECT * FROM pg_temp.report();
SELECT outcome, count(*) FROM come, baton.nack(receipt, delay => '0') AS outcome GROUP BY 1;
-- dead letters, redrive
TRUNCATE come;
SELECT outcome, count(*) FROM baton.receive('large', 1000) AS m, baton.nack(m.receipt, class => 'permanent') AS outcome GROUP BY 1;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.dead_letters WHERE queue = 'large';
SELECT * FROM pg_temp.report();
SELECT baton.redrive('large', array_agg(id)) FROM sent;
TRUNCATE come;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.receive('large', 1000);
SELECT * FROM pg_temp.report();
SELECT count(*) FILTER (WHERE baton.dead_letter('large', id)) FROM sent;
SELECT baton.redrive('large', array_agg(id)) FROM sent;
TRUNCATE come;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.pop('large', 1000);
SELECT * FROM pg_temp.report();
RESET baton.clock_shift;
-- delayed for long
TRUNCATE come;
SELECT count(baton.send('large', payload, headers, key, body => body, id => id, delay => '2 min')) FROM sent;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.peek('large', 1000);
SELECT * FROM pg_temp.report();
SELECT count(*) FILTER (WHERE baton.cancel('large', id)) FROM sent WHERE what = 'all';
SELECT count(*) FILTER (WHERE baton.dead_letter('large', id)) FROM sent WHERE what <> 'all';
DELETE FROM come;
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.dead_letters WHERE queue = 'large' AND status = 'open';
SELECT * FROM pg_temp.report();
SELECT baton.redrive('large', array_agg(id)) FROM sent;
SELECT baton.purge_queue('large');
TRUNCATE come;
SET baton.later_threshold = 0;
SELECT count(baton.send('large', payload, headers, key, body => body, id => id, delay => '100 ms')) FROM sent;
RESET baton.later_threshold;
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton._later) $$);
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.receive('large', 1000);
SELECT * FROM pg_temp.report();
-- in batches, through the outbox
SELECT baton.purge_queue('large', true);
TRUNCATE come;
SELECT cardinality(baton.send_batch('large', array_agg(payload), array_agg(headers), array_agg(key), ids => array_agg(id))) FROM sent;
INSERT INTO come SELECT s.id, m.payload, m.headers, m.key, s.body FROM baton.receive('large', 1000) AS m JOIN sent AS s USING (id);
SELECT * FROM pg_temp.report();
SELECT baton.purge_queue('large', true), baton.subscribe('large.*', 'large');
TRUNCATE come;
SELECT count(baton.publish('large.event', payload, headers, key, id, body)) FROM sent;
CALL pg_temp.wait_until($$ (SELECT count(*) FROM baton.peek('large', 1000)) = 50 $$);
INSERT INTO come SELECT id, payload, headers, key, body FROM baton.receive('large', 1000);
SELECT * FROM pg_temp.report();

-- too large to come out again: each of these numbers takes 131072 digits
CREATE TEMP TABLE too_large AS SELECT ('[' || repeat('1e131071,', 8190) || '1]')::jsonb AS payload;
SELECT pg_column_size(payload) < 200000 AS is_stored_small FROM too_large;
SELECT baton.send('large', payload) FROM too_large;
SELECT baton.send_batch('large', ARRAY['1', payload]) FROM too_large;
SELECT baton.publish('large.event', '1', payload) FROM (SELECT jsonb_build_object('h', payload) FROM too_large) AS t (payload);
INSERT INTO baton.outbox (topic, payload) SELECT 'large.event', payload FROM too_large;
SELECT baton.publish_batch(ARRAY['large.event'], ARRAY[payload]) FROM too_large;
SELECT baton.send('large', ('[' || repeat('1e131071,', 8180) || '1]')::jsonb) IS NOT NULL AS is_just_below;
SELECT baton.drop_queue('large', true);
