-- Events reach every queue that subscribes, once, as they were and in order; what nobody wants waits.
-- OUT-03, OUT-05, OUT-06, OUT-07, OUT-12, OUT-13, OUT-14, PAY-06, WRK-20
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
-- All events are relayed in order, so once the last has arrived, nothing else will.
CREATE PROCEDURE pg_temp.wait_for_relay() LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.publish('relay.end', '"end"', key => 'end');
    COMMIT;
    CALL pg_temp.wait_until($c$ EXISTS (SELECT FROM baton.peek('relay end', key => 'end')) $c$);
    PERFORM baton.purge_queue('relay end');
END $$;
SELECT baton.create_queue(name) FROM unnest('{relay end,relay one,relay two,relay deep,relay none}'::text[]) AS name;
SELECT baton.subscribe('relay.end', 'relay end');
SELECT baton.subscribe('relay.*', 'relay one'), baton.subscribe('relay.a', 'relay two'), baton.subscribe('relay.#', 'relay deep'),
    baton.subscribe('relay.a.*.c', 'relay deep'), baton.subscribe('relay.a', 'relay deep'), baton.subscribe('relay.A', 'relay none'),
    baton.subscribe('relay_a', 'relay none');

-- as it was: the event's id is the message's in every queue
SELECT baton.publish('relay.a', '{"a": 1}', '{"h": 1}', 'the key', '01890a5d-ac96-774b-bcce-b30200000001', '\x01');
CALL pg_temp.wait_for_relay();
SELECT queue, m.id, attempt, round, payload, headers, key, topic, priority, body
FROM unnest('{relay one,relay two,relay deep,relay none}'::text[]) AS queue, baton.receive(queue, 10) AS m WHERE topic <> 'relay.end' ORDER BY queue;
SELECT count(*) FROM baton.outbox WHERE topic LIKE 'relay.%';
-- to whom it goes: * is one word, # any number; two patterns of one queue deliver once
SELECT cardinality(baton.publish_batch(array_agg(topic), array_agg('1'::jsonb)))
FROM unnest('{relay.b,relay.a.b,relay.a.b.c,relay.a.b.c.d,relay}'::text[]) AS topic;
CALL pg_temp.wait_for_relay();
SELECT queue, array_agg(topic ORDER BY topic) FROM unnest('{relay one,relay two,relay deep,relay none}'::text[]) AS queue, baton.receive(queue, 100)
WHERE topic <> 'relay.end' GROUP BY queue ORDER BY queue;
SELECT baton.purge_queue(queue, true) >= 0 FROM unnest('{relay one,relay two,relay deep}'::text[]) AS queue;

-- nothing of a transaction or savepoint that rolled back
BEGIN;
SELECT baton.publish('relay.a', '"rolled back"') IS NOT NULL;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT baton.publish('relay.a', '"rolled back"') IS NOT NULL;
ROLLBACK TO s;
SELECT baton.publish('relay.a', '"committed"') IS NOT NULL;
COMMIT;
CALL pg_temp.wait_for_relay();
SELECT payload FROM baton.receive('relay two', 10);
SELECT baton.purge_queue('relay two', true);

-- in order and each once: many in one statement, many transactions
INSERT INTO baton.outbox (topic, key, payload) SELECT 'relay.a', 'k' || n % 10, to_jsonb(n) FROM generate_series(1, 5000) AS n;
DO $$
BEGIN
    FOR n IN 5001..5200 LOOP
        PERFORM baton.publish('relay.a', to_jsonb(n), key => 'k' || n % 10);
        COMMIT;
    END LOOP;
END $$;
CALL pg_temp.wait_for_relay();
SELECT count(*), count(DISTINCT id), bool_and(payload::int > previous) AS is_in_order
FROM (SELECT id, payload, lag(payload::int, 1, 0) OVER (PARTITION BY key ORDER BY number) AS previous
    FROM baton.receive('relay two', 10000) WITH ORDINALITY AS m (id, receipt, attempt, round, payload, headers, key, topic, priority,
        enqueued_at, lease_expires_at, body, number)) AS received;
SELECT baton.purge_queue('relay two', true);

-- wanted by nobody: kept and shown, and delivered to a subscription made in time
SELECT baton.publish('elsewhere.a', '1', id => '01890a5d-ac96-774b-bcce-b30200000002');
CALL pg_temp.wait_for_relay();
SELECT topic, id FROM baton.outbox WHERE topic LIKE 'elsewhere.%';
SELECT baton.subscribe('elsewhere.#', 'relay none');
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.outbox WHERE topic LIKE 'elsewhere.%') $$);
SELECT id, payload FROM baton.receive('relay none', 10);
-- from the end of the subscription on it gets nothing; what has arrived stays
SELECT baton.publish('elsewhere.b', '2') IS NOT NULL;
CALL pg_temp.wait_until($$ EXISTS (SELECT FROM baton.peek('relay none') WHERE topic = 'elsewhere.b') $$);
SELECT baton.unsubscribe('elsewhere.#', 'relay none');
SELECT baton.publish('elsewhere.c', '3') IS NOT NULL;
CALL pg_temp.wait_for_relay();
SELECT topic FROM baton.receive('relay none', 10);
SELECT topic FROM baton.outbox WHERE topic LIKE 'elsewhere.%';

-- one subscriber gone, also with events under way: the others get theirs
SELECT cardinality(baton.publish_batch(array_agg('relay.a'::text), array_agg(to_jsonb(n)))) FROM generate_series(1, 3000) AS n;
SELECT baton.drop_queue('relay one', true);
CALL pg_temp.wait_for_relay();
SELECT count(*), count(DISTINCT id) FROM baton.receive('relay two', 10000);
-- the worker has survived it
SELECT pid IS NOT NULL AS is_up FROM baton.workers WHERE database = current_database();

SELECT baton.subscribe('elsewhere.#', 'relay none');
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.outbox WHERE topic LIKE 'elsewhere.%') $$);
SELECT baton.drop_queue(queue, true) FROM baton.queues WHERE queue LIKE 'relay %';
