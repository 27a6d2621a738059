-- Values at and beyond the edge of every function: an error, or the documented meaning; never a silent nothing. ARG-01, ARG-09
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('bad');
SELECT cardinality(baton.send_batch('bad', '{1,2,3}'));

-- null for each argument in turn
SELECT call, pg_temp.sqlstate_of('SELECT ' || call) FROM unnest(ARRAY[
    $$baton.create_queue(NULL)$$, $$baton.create_queue('bad 2', NULL)$$, $$baton.create_queue('bad 2', '{}', NULL)$$,
    $$baton.alter_queue(NULL, '{}')$$, $$baton.alter_queue('bad', NULL)$$,
    $$baton.drop_queue(NULL)$$, $$baton.drop_queue('bad', NULL)$$,
    $$baton.purge_queue(NULL)$$, $$baton.purge_queue('bad', NULL)$$,
    $$baton.subscribe(NULL, 'bad')$$, $$baton.subscribe('a', NULL)$$, $$baton.unsubscribe(NULL, 'bad')$$, $$baton.unsubscribe('a', NULL)$$,
    $$baton.receive(NULL)$$, $$baton.receive('bad', NULL)$$, $$baton.ack(NULL)$$, $$baton.nack(NULL)$$, $$baton.try_nack(NULL)$$,
    $$baton.release(NULL)$$, $$baton.extend(NULL)$$, $$baton.peek(NULL)$$, $$baton.peek('bad', NULL)$$,
    $$baton.redrive(NULL, '{}')$$, $$baton.redrive('bad', NULL)$$, $$baton.publish(NULL, '1')$$, $$baton.publish('a', NULL)$$,
    $$baton.first_delivery(NULL, gen_random_uuid())$$, $$baton.first_delivery('bad', NULL)$$, $$baton.first_delivery_batch(NULL, '{}')$$]) AS call;
SELECT pg_temp.sqlstate_of('CALL baton.wait(NULL)'), pg_temp.sqlstate_of($$ CALL baton.wait('bad', NULL) $$);
SELECT count(*) FROM baton.peek('bad');

-- numbers
SELECT n, pg_temp.sqlstate_of(format('SELECT baton.receive(%L, %s)', 'bad', n)) AS receive, pg_temp.sqlstate_of(format('SELECT baton.peek(%L, %s)', 'bad', n)) AS peek
FROM unnest('{0,-1,-2147483648,2147483648,NaN}'::text[]) AS n;
SELECT state, count(*) FROM baton.peek('bad') GROUP BY state;

-- any text names a consumer; it is kept up to 63 bytes, cut between characters
SELECT cardinality(baton.send_batch('bad', '{4,5,6,7,8}'));
SELECT what, length(p.consumer), octet_length(p.consumer), p.consumer = left(name, length(p.consumer)) AS is_start
FROM (VALUES ('63 bytes', repeat('c', 63)), ('64 bytes', repeat('c', 64)), ('10 kB', repeat('c', 10000)), ('2 bytes each', repeat(U&'\00E9', 40)),
    ('3 bytes each', repeat(U&'\20AC', 40)), ('4 bytes each', repeat(U&'\+01F41F', 40)), ('quotes', 'a"b''c'), ('line feed', E'a\nb')) AS c (what, name),
    baton.receive('bad', consumer => name, consumer_version => name) AS m, baton.peek('bad', id => m.id) AS p;

-- more consumers than are remembered: each delivery works, and nobody is taken for somebody else
SELECT baton.purge_queue('bad', true);
SELECT cardinality(baton.send_batch('bad', array_agg(to_jsonb('consumer ' || n)))) FROM generate_series(1, 1500) AS n;
SELECT sum((SELECT count(*) FROM baton.receive('bad', consumer => 'consumer ' || n))) FROM generate_series(1, 1500) AS n;
SELECT count(*), count(consumer) > 500 AS are_known, count(*) FILTER (WHERE payload #>> '{}' <> consumer) AS wrong FROM baton.peek('bad', 2000);
SELECT consumer FROM baton.peek('bad', 2000) WHERE payload = '"consumer 1500"';

-- queues that are nearly there
SELECT name, pg_temp.sqlstate_of(format('SELECT baton.receive(%L)', name)) FROM unnest('{"",BAD,"bad "," bad",b,bad2,"\"bad\""}'::text[]) AS name;
SELECT baton.drop_queue('bad', true);
