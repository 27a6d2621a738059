-- Which topics go to which queues: patterns, repeats, and what is refused. DDL-02
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('subscriber'), baton.create_queue('subscriber two');

-- twice is once; true if there was one to end
SELECT baton.subscribe('a.*', 'subscriber'), baton.subscribe('a.*', 'subscriber'), baton.subscribe('a.#', 'subscriber'),
    baton.subscribe('a.*', 'subscriber two');
SELECT pattern, queue, created_at <= clock_timestamp() AS is_past FROM baton.subscriptions WHERE queue LIKE 'subscriber%' ORDER BY 1, 2;
SELECT baton.unsubscribe('a.*', 'subscriber'), baton.unsubscribe('a.*', 'subscriber'), baton.unsubscribe('a', 'subscriber'),
    baton.unsubscribe('A.#', 'subscriber');
SELECT pattern, queue FROM baton.subscriptions WHERE queue LIKE 'subscriber%' ORDER BY 1, 2;
-- with the transaction
BEGIN;
SELECT baton.subscribe('b', 'subscriber'), baton.unsubscribe('a.#', 'subscriber');
ROLLBACK;
SELECT pattern, queue FROM baton.subscriptions WHERE queue LIKE 'subscriber%' ORDER BY 1, 2;
-- they go with their queue
SELECT baton.drop_queue('subscriber two', true);
SELECT baton.create_queue('subscriber two');
SELECT pattern, queue FROM baton.subscriptions WHERE queue LIKE 'subscriber%' ORDER BY 1, 2;

-- patterns
SELECT left(pattern, 20) AS pattern, pg_temp.sqlstate_of(format('SELECT baton.subscribe(%L, %L)', pattern, 'subscriber'))
FROM unnest(ARRAY['*', '#', '*.*', '#.#', '#.a.#', 'a', 'a b', 'A.a', U&'\00E9.\+01F41F', '%', '_', 'a.%', repeat('p', 255),
    NULL, '', '.', 'a.', '.a', 'a..b', 'a*', '*a', '**', '##', '#*', 'a.b#', 'a.*b.c', E'a\n', E'\x7f', repeat('p', 256),
    repeat(U&'\00E9', 128)]) AS pattern;
SELECT pg_temp.sqlstate_of($$ SELECT baton.subscribe('a', NULL) $$), pg_temp.sqlstate_of($$ SELECT baton.unsubscribe('a', NULL) $$),
    pg_temp.sqlstate_of($$ SELECT baton.unsubscribe(NULL, 'subscriber') $$), pg_temp.sqlstate_of($$ SELECT baton.subscribe('a', 'no such queue') $$);
SELECT baton.subscribe('a.b*', 'subscriber');

SELECT baton.drop_queue('subscriber', true), baton.drop_queue('subscriber two', true);
SELECT count(*) FROM baton.subscriptions WHERE queue LIKE 'subscriber%';
