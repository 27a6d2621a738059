-- peek shows messages as they are and takes none.
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('peek');
SELECT count(*) FROM baton.peek('peek');

-- also one's own before they are committed, which cannot be received yet
BEGIN;
SELECT baton.send('peek', '1', '{"h": 1}', 'k', priority => 4, body => '\x01', expires_in => '1 h',
    id => '01890a5d-ac96-774b-bcce-b30200000001') IS NOT NULL;
SELECT payload, state FROM baton.peek('peek');
COMMIT;
SELECT id, state, attempts, round, payload, headers, key, topic, body, expires_at - enqueued_at AS lives, priority,
    visible_at = enqueued_at AS is_due_when_sent, leased_at, first_attempt_at, consumer FROM baton.peek('peek');
-- ready, leased, delayed, and ready again
SELECT receipt FROM baton.receive('peek', consumer => 'me') \gset
SELECT state, attempts, visible_at > clock_timestamp() AS is_held, leased_at = first_attempt_at AS is_first, consumer FROM baton.peek('peek');
SELECT baton.nack(:'receipt', delay => '1 min');
SELECT state, attempts, leased_at IS NULL AS is_free, first_attempt_at IS NOT NULL AS was_tried FROM baton.peek('peek');
SET baton.clock_shift = 61;
SELECT state FROM baton.peek('peek');
SELECT count(*) FROM baton.receive('peek');
SELECT state FROM baton.peek('peek');
SET baton.clock_shift = 92;
SELECT state, attempts FROM baton.peek('peek');
RESET baton.clock_shift;
-- it has taken nothing all the while
SELECT count(*) FROM baton.peek('peek'), baton.peek('peek') AS again;

-- oldest first, no more than asked for, by default ten
SELECT cardinality(baton.send_batch('peek', array_agg(to_jsonb(n) ORDER BY n), keys => array_agg('k' || n % 3 ORDER BY n))) FROM generate_series(2, 300) AS n;
SELECT array_agg(payload) FROM baton.peek('peek');
SELECT array_agg(payload) FROM baton.peek('peek', 3);
SELECT count(*), bool_and(payload::int = number) AS is_in_order FROM baton.peek('peek', 2147483647) WITH ORDINALITY AS p (id, state,
    attempts, round, payload, headers, key, topic, body, expires_at, priority, enqueued_at, visible_at, leased_at, first_attempt_at, consumer, number);
-- of one id, of one key, of both
SELECT payload FROM baton.peek('peek', id => '01890a5d-ac96-774b-bcce-b30200000001');
SELECT array_agg(payload) FROM baton.peek('peek', 3, key => 'k2');
SELECT count(*) FROM baton.peek('peek', 1000, key => 'k2');
SELECT count(*) FROM baton.peek('peek', 1000, key => 'K2');
SELECT count(*) FROM baton.peek('peek', 1000, key => '');
SELECT count(*) FROM baton.peek('peek', id => '01890a5d-ac96-774b-bcce-b30200000001', key => 'k2');
SELECT count(*) FROM baton.peek('peek', id => '00000000-0000-0000-0000-000000000000');

SELECT arguments, pg_temp.sqlstate_of('SELECT baton.peek(' || arguments || ')') FROM unnest(ARRAY[
    $$'peek', 0$$, $$'peek', -1$$, $$'peek', NULL$$, $$NULL$$, $$'peek', id => NULL, key => NULL$$]) AS arguments;
-- settled messages are seen no more, dead ones are dead letters
SELECT baton.purge_queue('peek', true), (SELECT count(*) FROM baton.peek('peek'));
SELECT baton.send('peek', '1') IS NOT NULL;
SELECT baton.nack(receipt, class => 'permanent') FROM baton.receive('peek');
SELECT count(*) FROM baton.peek('peek');

SELECT baton.drop_queue('peek', true);
