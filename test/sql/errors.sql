-- Each error of ours as users meet it: SQLSTATE, message, detail and hint.
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS TABLE (code text, message text, detail text, hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    code := 'none';
    RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    code := sqlstate;
    RETURN NEXT;
END $$;
SELECT baton.create_queue('errors');
SELECT cardinality(baton.send_batch('errors', '{1,2,3}'));
SELECT array_agg(receipt ORDER BY payload) AS r FROM baton.receive('errors', 3) \gset
SELECT baton.ack((:'r'::baton.receipt[])[1]), baton.nack((:'r'::baton.receipt[])[2], class => 'permanent');
CREATE TEMP TABLE settled AS SELECT (:'r'::baton.receipt[])[1]::text AS receipt;
CREATE TEMP TABLE dead AS SELECT (:'r'::baton.receipt[])[2]::text AS receipt;
CREATE TEMP TABLE lost AS SELECT (:'r'::baton.receipt[])[3]::text AS receipt;
SET baton.clock_shift = 31;
SELECT count(*) FROM baton.receive('errors');
RESET baton.clock_shift;
SELECT baton.create_queue('errors gone');
SELECT baton.send('errors gone', '1') IS NOT NULL;
CREATE TEMP TABLE unknown AS SELECT receipt::text FROM baton.receive('errors gone');
SELECT baton.drop_queue('errors gone', true);
CREATE ROLE baton_nobody;
GRANT USAGE ON SCHEMA baton TO baton_nobody;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA baton TO baton_nobody;
GRANT SELECT ON ALL TABLES IN SCHEMA baton TO baton_nobody;

\x
SELECT statement, e.* FROM unnest(ARRAY[
    -- BT001
    $$SELECT baton.ack(receipt) FROM lost$$,
    $$SELECT baton.ack(receipt) FROM settled$$,
    $$SELECT baton.ack(receipt) FROM dead$$,
    $$SELECT baton.ack(receipt) FROM unknown$$,
    -- 42704
    $$SELECT baton.send('no such queue', '1')$$,
    $$SELECT baton.subscribe('errors', 'order.*')$$,
    $$SELECT baton.unsubscribe('errors', 'order.*')$$,
    -- 42P07, 42622, 55006
    $$SELECT baton.create_queue('errors')$$,
    $$SELECT baton.create_queue(repeat('e', 64))$$,
    $$SELECT baton.drop_queue('errors')$$,
    -- 22004
    $$SELECT baton.send(NULL, '1')$$,
    $$SELECT baton.send('errors', NULL)$$,
    $$SELECT baton.send_batch('errors', '{1,NULL}')$$,
    $$SELECT baton.ack(NULL)$$,
    $$SELECT baton.receive('errors', NULL)$$,
    $$INSERT INTO baton.outbox (payload) VALUES ('1')$$,
    $$INSERT INTO baton.outbox (topic) VALUES ('a')$$,
    -- 22023
    $$SELECT baton.create_queue('')$$,
    $$SELECT baton.receive('errors', 0)$$,
    $$SELECT baton.receive('errors', visibility_timeout => '0')$$,
    $$SELECT baton.extend(receipt, '999 us') FROM lost$$,
    $$SELECT baton.send('errors', '1', delay => '-1 s')$$,
    $$SELECT baton.send('errors', '1', delay => '11 years')$$,
    $$SELECT baton.send('errors', '1', delay => '1 s', deliver_at => now())$$,
    $$SELECT baton.send('errors', '1', deliver_at => 'infinity')$$,
    $$SELECT baton.send('errors', '1', priority => 10)$$,
    $$SELECT baton.send('errors', '1', '[]')$$,
    $$SELECT baton.send_batch('errors', '{1}', keys => '{a,b}')$$,
    $$SELECT baton.nack(receipt, class => 'fatal') FROM lost$$,
    $$SELECT baton.publish('a.*', '1')$$,
    $$SELECT baton.subscribe('a*', 'errors')$$,
    $$SELECT baton.alter_queue('errors', '{"max_atempts": 1}')$$,
    $$SELECT baton.alter_queue('errors', '{"visibility_timeout": "1 us"}')$$,
    $$SELECT baton.alter_queue('errors', '{"visibility_timeout": "soon"}')$$,
    $$SELECT baton.alter_queue('errors', '{"visibility_timeout": 30}')$$,
    $$SELECT baton.create_queue('errors 2', '{"max_elapsed": "999999999999 years"}')$$,
    $$SELECT baton.create_queue('errors 2', '{"backoff_cap": ""}')$$,
    $$SELECT baton.send('errors', '1', options => '{"backoff_base": "1 s 1 s"}')$$,
    $$SELECT baton.send('errors', '1', options => '{"backoff_base": "2 s", "backoff_cap": "1 s"}')$$,
    $$SELECT baton.send_batch('errors', '{1}', options => '{"backoff_cap": "0", "backoff_base": "1 ms"}')$$,
    $$SELECT baton.alter_queue('errors', '[]')$$,
    $$SELECT baton.pause_queue('errors', until => '2020-01-01')$$,
    $$SELECT baton.alter_queue('errors', '{"backoff_base": "2 h"}')$$,
    -- 2202E, 22P02
    $$SELECT baton.send_batch('errors', '{{1}}')$$,
    $$SELECT baton.ack('x')$$]) WITH ORDINALITY AS s (statement, n), pg_temp.error_of(statement) AS e ORDER BY n;
-- 42501
SET ROLE baton_nobody;
SELECT statement, code, message, detail FROM unnest(ARRAY[
    $$SELECT baton.send('errors', '1')$$, $$SELECT baton.receive('errors')$$, $$SELECT baton.drop_queue('errors')$$,
    $$SELECT baton.create_queue('another')$$, $$SELECT baton.publish('a', '1')$$]) WITH ORDINALITY AS s (statement, n), pg_temp.error_of(statement) AS e ORDER BY n;
-- what only shows is not even theirs to try
SELECT statement, code, message, detail FROM unnest(ARRAY[$$DELETE FROM baton.outbox$$,
    $$DELETE FROM baton.dead_letters$$]) AS s (statement), pg_temp.error_of(statement) AS e;
RESET ROLE;
-- 0A000: what only shows is not changed, also if there is no row to change
SELECT statement, e.* FROM unnest(ARRAY[
    $$UPDATE baton.outbox SET payload = '1'$$, $$DELETE FROM baton.outbox$$,
    $$INSERT INTO baton.dead_letters (queue) VALUES ('errors')$$,
    $$UPDATE baton.dead_letters SET status = 'redriven' WHERE queue = 'errors'$$,
    $$DELETE FROM baton.dead_letters WHERE false$$,
    $$INSERT INTO baton.queues (queue) VALUES ('another')$$, $$UPDATE baton.queues SET settings = '{}'$$,
    $$DELETE FROM baton.queues$$, $$DELETE FROM baton.subscriptions$$, $$UPDATE baton.workers SET pid = 1$$,
    $$DELETE FROM baton.shared_memory$$]) WITH ORDINALITY AS s (statement, n), pg_temp.error_of(statement) AS e ORDER BY n;
-- 25006, 0A000
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT * FROM pg_temp.error_of($$ SELECT baton.send('errors', '1') $$);
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM pg_temp.error_of($$ SELECT baton.receive('errors', wait => '1 s') $$);
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM pg_temp.error_of($$ CALL baton.wait('errors', '1 min') $$);
SELECT * FROM pg_temp.error_of($$ CALL baton.wait('errors', '0') $$);
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM pg_temp.error_of($$ CALL baton.wait('errors') $$);
ROLLBACK;
\x

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA baton FROM baton_nobody;
REVOKE ALL ON ALL TABLES IN SCHEMA baton FROM baton_nobody;
REVOKE ALL ON SCHEMA baton FROM baton_nobody;
DROP ROLE baton_nobody;
SELECT baton.drop_queue('errors', true);
