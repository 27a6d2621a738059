-- Large payloads and bodies: whole through delivery, retries, dead letters, redrive and relay. PAY-02, PAY-03
CREATE FUNCTION pg_temp.random_text(kilobytes int) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(md5(random()::text) || md5(random()::text), '') FROM generate_series(1, $1 * 16)
$$;
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
SELECT baton.create_queue('large');
CREATE TEMP TABLE sent AS SELECT to_jsonb(pg_temp.random_text(1024)) AS payload, jsonb_build_object('h', pg_temp.random_text(64)) AS headers,
    decode(pg_temp.random_text(1024), 'hex') AS body, pg_temp.random_text(8) AS key;
SELECT length(payload::text) > 1048576 AS is_over_1_mb, octet_length(body) FROM sent;

-- delivered whole, twice
SELECT baton.send('large', payload, headers, key, body => body) IS NOT NULL FROM sent;
SELECT m.payload = s.payload AND m.headers = s.headers AND m.body = s.body AND m.key = s.key AS is_same, baton.nack(receipt, delay => '0')
FROM sent AS s, baton.receive('large') AS m;
SELECT m.payload = s.payload AND m.headers = s.headers AND m.body = s.body AND m.key = s.key AS is_same FROM sent AS s, baton.peek('large') AS m;
-- acknowledged in a statement of its own, or in that which receives
SELECT receipt FROM baton.receive('large') \gset
BEGIN;
SELECT baton.ack(:'receipt');
ROLLBACK;
SELECT baton.nack(:'receipt', class => 'permanent');
SELECT d.payload = s.payload AND d.headers = s.headers AND d.body = s.body AND d.key = s.key AS is_same FROM sent AS s, baton.dead_letters AS d
WHERE queue = 'large';
SELECT baton.redrive('large', array_agg(id)) FROM baton.dead_letters WHERE queue = 'large';
SELECT m.payload = s.payload AND m.headers = s.headers AND m.body = s.body AND m.key = s.key AS is_same, round, baton.ack(receipt)
FROM sent AS s, baton.receive('large') AS m;
SELECT count(*) FROM baton.peek('large');
-- found dead by a receive
SELECT baton.alter_queue('large', '{"max_attempts": 1}');
SELECT baton.send('large', payload, headers, key, body => body) IS NOT NULL FROM sent;
SELECT count(*) FROM baton.receive('large');
SET baton.clock_shift = 31;
SELECT count(*) FROM baton.receive('large');
RESET baton.clock_shift;
SELECT d.payload = s.payload AND d.headers = s.headers AND d.body = s.body AND d.key = s.key AS is_same FROM sent AS s, baton.dead_letters AS d
WHERE queue = 'large' AND status = 'open';

-- many sizes around the places where storage changes
SELECT cardinality(baton.send_batch('large', array_agg(to_jsonb(repeat(md5(n::text), n)) ORDER BY n))) FROM generate_series(1, 600) AS n;
SELECT count(*), bool_and(payload #>> '{}' = repeat(md5(number::text), number::int)) AS are_same, baton.ack_batch(array_agg(receipt))
FROM baton.receive('large', 1000) WITH ORDINALITY AS m (id, receipt, attempt, round, payload, headers, key, topic, priority, enqueued_at,
    lease_expires_at, body, number);
SELECT baton.send('large', NULL, body => decode(repeat('5a', n), 'hex')) IS NOT NULL FROM generate_series(7000, 8300, 1300) AS n;
SELECT octet_length(body) FROM baton.receive('large', 10);
SELECT baton.purge_queue('large', true);

-- through the outbox
SELECT baton.subscribe('large.event', 'large');
SELECT baton.publish('large.event', payload, headers, key, body => body) IS NOT NULL FROM sent;
INSERT INTO baton.outbox (topic, payload, headers, key, body) SELECT 'large.event', payload, headers, key, body FROM sent;
CALL pg_temp.wait_until($$ (SELECT count(*) FROM baton.peek('large')) = 2 $$);
SELECT m.payload = s.payload AND m.headers = s.headers AND m.body = s.body AND m.key = s.key AS is_same FROM sent AS s, baton.receive('large', 10) AS m;
SELECT count(*) FROM baton.outbox WHERE topic = 'large.event';

-- a payload kept over a commit is whole
CREATE TEMP TABLE kept (payload jsonb);
SELECT baton.purge_queue('large', true);
SELECT baton.send('large', payload) IS NOT NULL FROM sent;
DO $$
DECLARE
    message baton.message;
BEGIN
    SELECT * INTO message FROM baton.receive('large');
    COMMIT;
    PERFORM baton.ack(message.receipt);
    COMMIT;
    INSERT INTO kept VALUES (message.payload);
END $$;
SELECT payload = (SELECT payload FROM sent) AS is_same FROM kept;

SELECT baton.drop_queue('large', true);
