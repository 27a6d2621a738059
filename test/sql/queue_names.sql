-- A queue's name is any text of 1 to 63 bytes without control characters, and works everywhere.
-- NAM-01, NAM-03, NAM-04, NAM-05, NAM-06, NAM-07
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
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

CREATE TEMP TABLE names (name text);
INSERT INTO names VALUES ('a-b'), ('a b'), ('a.b'), ('A"b'), ('a''b'), ('a;--'), ('$1'), ('%s'), ('%I'), ('a\b'), (' '),
    (' a'), ('a '), ('select'), ('pg_temp'), ('"'), (''''), ('"quoted"'), ('''; DROP TABLE baton._queue; --'),
    ('*'), ('#'), ('{a}'), ('null'), ('outbox'), ('0'), ('q1'), ('q1_1'), ('_queue'), (U&'\200F\05D0\200E'), (U&'\+01F41F'),
    (U&'e\0301'), (U&'\00E9'), -- the same to a reader, other bytes
    ('Foo'), ('foo'), ('FOO'), ('foo_default'), ('foo_dlq'), ('foo_dead'), ('foo_archive'), ('q_foo'), ('a_foo'),
    ('foo_p0'), ('foo_msg_id_seq'), ('foo_1'), ('foo%'), ('fo_');
INSERT INTO names SELECT repeat('n', length) FROM unnest(ARRAY[1, 47, 48, 57, 63]) AS length;
INSERT INTO names VALUES (repeat(U&'\00E9', 31)), (repeat(U&'\20AC', 21)), (repeat(U&'\+01F41F', 15));

-- every name works for every function, and no queue gets what another should
CREATE PROCEDURE pg_temp.use_all(queue text) LANGUAGE plpgsql AS $$
DECLARE
    message baton.message;
    sent uuid;
BEGIN
    sent := baton.send($1, to_jsonb($1));
    COMMIT;
    SELECT * INTO STRICT message FROM baton.receive($1);
    ASSERT message.id = sent AND message.payload #>> '{}' = $1;
    PERFORM baton.nack(message.receipt, class => 'permanent');
    COMMIT;
    ASSERT (SELECT count(*) FROM baton.dead_letters AS d WHERE d.queue = $1) = 1;
    ASSERT baton.redrive($1, ARRAY[sent]) = 1;
    COMMIT;
    ASSERT (SELECT count(*) FROM baton.peek($1)) = 1;
    ASSERT baton.purge_queue($1) = 1;
    PERFORM baton.alter_queue($1, '{"max_attempts": 3}');
    ASSERT (SELECT q.settings ->> 'max_attempts' FROM baton.queues AS q WHERE q.queue = $1) = '3';
    PERFORM baton.subscribe('names.all', $1);
    ASSERT cardinality(baton.send_batch($1, '{1,2}')) = 2;
    COMMIT;
    PERFORM baton.ack_batch(array_agg(receipt)) FROM baton.receive($1, 10);
END $$;
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT n.name FROM names AS n LOOP
        ASSERT baton.create_queue(name), name;
        ASSERT (SELECT count(*) FROM baton.queues WHERE queue = name) = 1, name;
    END LOOP;
    FOR name IN SELECT n.name FROM names AS n LOOP
        CALL pg_temp.use_all(name);
    END LOOP;
END $$;
SELECT count(*), count(q.queue) FROM names LEFT JOIN baton.queues AS q ON q.queue = name;

-- and the relay reaches it
SELECT baton.publish('names.all', '"all"') IS NOT NULL AS is_published;
CALL pg_temp.wait_until('(SELECT bool_and((SELECT count(*) FROM baton.peek(name)) = 1) FROM names)');
SELECT count(*) AS received, count(DISTINCT m.id) AS event_count FROM names, baton.receive(name, 10) AS m;

-- dropping one leaves the others
SELECT baton.drop_queue('foo', true);
SELECT count(*), count(q.queue) FROM names LEFT JOIN baton.queues AS q ON q.queue = name;
SELECT sum(baton.purge_queue(name, include_leased => true)) FROM names WHERE name <> 'foo';
SELECT count(baton.drop_queue(name, true)::text) FROM names WHERE name <> 'foo';

-- refused before anything is made
SELECT what, pg_temp.sqlstate_of(format('SELECT baton.create_queue(%L)', name)) FROM (VALUES
    ('empty', ''), ('64 bytes', repeat('n', 64)), ('1000 bytes', repeat('n', 1000)), ('64 bytes in 32', repeat(U&'\00E9', 32)),
    ('64 bytes in 16', repeat(U&'\+01F41F', 16)), ('newline', E'a\nb'), ('tab', E'a\tb'), ('escape', E'\x1b'),
    ('delete', E'\x7f'), ('null', NULL)) AS bad (what, name);
SELECT baton.create_queue(repeat('n', 64));
SELECT baton.create_queue('');
SELECT baton.create_queue(E'a\nb');
-- too long a name is no shorter queue's
SELECT baton.create_queue(repeat('n', 63));
SELECT pg_temp.sqlstate_of(format('SELECT baton.send(%L, %L)', repeat('n', 64), '1'));
SELECT baton.drop_queue(repeat('n', 63));
