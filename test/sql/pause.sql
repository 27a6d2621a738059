-- A paused queue hands nothing out, and everything else goes on; the pause ends by resume_queue or at its time.
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE FUNCTION pg_temp.as_role(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    PERFORM set_config('role', role, true);
    result := pg_temp.sqlstate_of(statement);
    PERFORM set_config('role', 'none', true);
    RETURN result;
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
CREATE FUNCTION pg_temp.time_of(statement text) RETURNS interval LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    RETURN clock_timestamp() - started;
END $$;
-- The pause of the queue 'paused', its times in whole hours from now.
CREATE TEMP VIEW pause AS
SELECT round(extract(epoch FROM clock_timestamp() - paused_at) / 3600) AS hours_ago, pause_reason AS reason,
    round(extract(epoch FROM paused_until - clock_timestamp()) / 3600) AS hours_left, replace(paused_by, session_user, 'me') AS by
FROM baton.queues WHERE queue = 'paused' AND num_nonnulls(paused_at, pause_reason, paused_until, paused_by) > 0;
CREATE ROLE baton_owner;
CREATE ROLE baton_manager;
CREATE ROLE baton_both;
CREATE ROLE baton_watcher;
SELECT baton.grant_baton('baton_owner', 'create_queue'), baton.grant_baton('baton_manager', 'use'), baton.grant_baton('baton_both', 'use'), baton.grant_baton('baton_watcher', 'monitor');
SET ROLE baton_owner;
SELECT baton.create_queue('paused', '{"backoff_base": "0", "backoff_cap": "0"}'), baton.create_queue('beside');
SELECT baton.grant_queue('paused', 'baton_manager', 'manage'), baton.grant_queue('paused', 'baton_both', 'send'), baton.grant_queue('paused', 'baton_both', 'consume');
RESET ROLE;
SELECT cardinality(baton.send_batch('paused', '{1,2,3,4,5,6}')), baton.send('beside', '1') IS NOT NULL;
SELECT array_agg(receipt ORDER BY payload) AS r FROM baton.receive('paused', 5, consumer => 'before') \gset
SELECT baton.nack((:'r'::baton.receipt[])[5], class => 'permanent');

-- who may, who sees it, and by whom it was
SELECT role, pg_temp.as_role(role, $$SELECT baton.pause_queue('paused')$$) AS pause, pg_temp.as_role(role, $$SELECT baton.resume_queue('paused')$$) AS resume,
    pg_temp.as_role(role, $$SELECT 1 / count(*) FROM baton.queues WHERE queue = 'paused'$$) AS sees
FROM unnest('{baton_owner,baton_manager,baton_both,baton_watcher}'::text[]) AS role;
SELECT count(*) FROM pause;
SET ROLE baton_manager;
SELECT baton.pause_queue('paused', 'maintenance');
RESET ROLE;
SELECT * FROM pause;

-- nothing is handed out, however asked for; the queue beside it is not paused
SELECT count(*) FROM baton.receive('paused', 10);
SELECT count(*) FROM baton.pop('paused', 10);
SELECT pg_temp.time_of($$ SELECT baton.receive('paused', wait => '200 ms') $$) BETWEEN '200 ms' AND '10 s' AS has_waited,
    pg_temp.time_of($$ SELECT baton.pop('paused', wait => '200 ms') $$) BETWEEN '200 ms' AND '10 s' AS has_waited,
    pg_temp.time_of($$ CALL baton.wait('paused', '200 ms') $$) BETWEEN '200 ms' AND '10 s' AS has_waited;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM baton.receive('paused', 10);
COMMIT;
SELECT payload FROM baton.receive('beside');

-- all else goes on; leases from before hold, and what is given back stays
SELECT baton.send('paused', '"sent"') IS NOT NULL;
SELECT baton.subscribe('pause.#', 'paused'), baton.publish('pause.relayed', '"relayed"') IS NOT NULL;
CALL pg_temp.wait_until($$EXISTS (SELECT FROM baton.peek('paused', 100) WHERE payload = '"relayed"')$$);
SELECT baton.unsubscribe('pause.#', 'paused');
SELECT state, count(*) FROM baton.peek('paused', 100) GROUP BY state ORDER BY state;
SELECT baton.ack((:'r'::baton.receipt[])[1]), baton.nack((:'r'::baton.receipt[])[2]), baton.release((:'r'::baton.receipt[])[3]),
    baton.extend((:'r'::baton.receipt[])[4], '1 h') > clock_timestamp() + '50 min' AS is_extended;
SELECT baton.redrive('paused', ARRAY(SELECT id FROM baton.dead_letters WHERE queue = 'paused'));
SELECT baton.cancel('paused', id), baton.cancel('paused', id) FROM baton.peek('paused', 100) WHERE payload = '6';
SELECT baton.dead_letter('paused', id) FROM baton.peek('paused', 100) WHERE payload = '"sent"';
SELECT baton.release_consumer('paused', 'before');
SELECT baton.alter_queue('paused', '{"max_attempts": 3}');
SELECT payload, state, attempts, round FROM baton.peek('paused', 100) ORDER BY payload;
SELECT count(*) FROM baton.receive('paused', 10);
SELECT * FROM pause;

-- resumed: all of it is there; twice is once
SELECT baton.resume_queue('paused'), baton.resume_queue(queue => 'paused');
SELECT count(*) FROM pause;
SELECT payload, attempt, round FROM baton.receive('paused', 10) ORDER BY payload;
SELECT baton.purge_queue('paused', true);

-- paused again while paused: reason and end are the new ones, and nothing is kept of the old
SET baton.clock_shift = -7200;
SELECT baton.pause_queue('paused', 'first', clock_timestamp() + '4 h');
RESET baton.clock_shift;
SELECT * FROM pause;
SET ROLE baton_owner;
SELECT baton.pause_queue(queue => 'paused', reason => 'second', until => clock_timestamp() + '8 h');
RESET ROLE;
SELECT * FROM pause;
SELECT baton.pause_queue('paused');
SELECT * FROM pause;
SELECT baton.pause_queue('paused', 'for ever', 'infinity');
SELECT * FROM pause;

-- from its end on it is no pause, whatever looks, and nobody has to do anything
SELECT baton.send('paused', '"held"') IS NOT NULL, baton.pause_queue('paused', 'an hour', clock_timestamp() + '1 h');
SET baton.clock_shift = 3590;
SELECT count(*) FROM pause;
SELECT count(*) FROM baton.receive('paused');
SET baton.clock_shift = 3601;
SELECT count(*) FROM pause;
SELECT payload FROM baton.receive('paused', visibility_timeout => '1 s');
CALL baton.wait('paused', '0');
SELECT baton.resume_queue('paused');
RESET baton.clock_shift;
SELECT count(*) FROM pause;
SELECT baton.pause_queue('paused', 'an hour', clock_timestamp() + '1 h');
SET baton.clock_shift = 7200;
SELECT baton.pause_queue('paused', 'anew', clock_timestamp() + '12 h');
SELECT * FROM pause;
RESET baton.clock_shift;
SELECT baton.resume_queue('paused'), baton.purge_queue('paused', true);

-- whoever waits is woken at that time
SELECT baton.send('paused', '"held"') IS NOT NULL FROM generate_series(1, 3);
SELECT baton.pause_queue('paused', until => clock_timestamp() + '300 ms'), clock_timestamp() AS started \gset
SELECT count(*) FROM baton.receive('paused', wait => '30 s');
SELECT clock_timestamp() - :'started' BETWEEN '290 ms' AND '20 s' AS is_in_time;
SELECT baton.pause_queue('paused', until => clock_timestamp() + '300 ms'), clock_timestamp() AS started \gset
CALL baton.wait('paused', '30 s');
SELECT clock_timestamp() - :'started' BETWEEN '290 ms' AND '20 s' AS is_in_time;
SELECT count(*) FROM baton.pop('paused', wait => '30 s');
SELECT baton.purge_queue('paused', true);

-- leases end and messages expire meanwhile; what that means is judged when they would be handed out
SELECT baton.send('paused', '"expired"', expires_in => '1 min') IS NOT NULL, baton.send('paused', '"exhausted"', options => '{"max_attempts": 1}') IS NOT NULL,
    baton.send('paused', '"tried"') IS NOT NULL;
SELECT payload FROM baton.receive('paused', 10, visibility_timeout => '1 s') ORDER BY payload;
SELECT baton.pause_queue('paused');
SET baton.clock_shift = 100;
SELECT count(*) FROM baton.receive('paused', 10);
SELECT payload, state, attempts FROM baton.peek('paused', 10) ORDER BY payload;
SELECT baton.resume_queue('paused');
SELECT payload, attempt FROM baton.receive('paused', 10);
SELECT payload, reason FROM baton.dead_letters WHERE queue = 'paused' AND reason IN ('expired', 'lease_expired') ORDER BY payload;
RESET baton.clock_shift;
SELECT baton.purge_queue('paused', true);

-- in its own transaction at once; rolled back, in whole or to a savepoint, it never was
SELECT baton.send('paused', '"held"') IS NOT NULL;
BEGIN;
SELECT baton.pause_queue('paused', 'rolled back');
SELECT count(*) FROM baton.receive('paused');
ROLLBACK;
SELECT count(*) FROM pause;
SELECT count(*) FROM baton.receive('paused', visibility_timeout => '1 ms');
BEGIN;
SAVEPOINT one;
SELECT baton.pause_queue('paused', 'rolled back');
ROLLBACK TO one;
SELECT count(*) FROM baton.receive('paused', visibility_timeout => '1 ms', wait => '10 s');
SAVEPOINT two;
SELECT baton.pause_queue('paused', 'kept');
SAVEPOINT three;
SELECT baton.resume_queue('paused');
SELECT count(*) FROM baton.receive('paused', visibility_timeout => '1 ms', wait => '10 s');
ROLLBACK TO three;
SELECT count(*) FROM baton.receive('paused');
COMMIT;
SELECT hours_ago, reason FROM pause;
BEGIN;
SELECT baton.resume_queue('paused');
ROLLBACK;
SELECT count(*) FROM baton.receive('paused');

-- the reason as error texts: on one line, cut to 4000 bytes between characters
CREATE FUNCTION pg_temp.kept_of(reason text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.pause_queue('paused', $1);
    RETURN (SELECT octet_length(p.reason) || ' ' || left(p.reason, 13) FROM pause AS p);
END $$;
SELECT what, pg_temp.kept_of(reason) FROM (VALUES ('lines', E'one\ntwo\tthree\x7f'), ('empty', ''), ('4000 bytes', repeat('r', 4000)), ('4001 bytes', repeat('r', 4001)),
    ('3 bytes each', repeat(U&'\20AC', 2000)), ('10 MB', repeat('r', 10000000)), ('null', NULL)) AS r (what, reason);

-- bad input
SELECT call, pg_temp.sqlstate_of('SELECT baton.' || call) FROM unnest(ARRAY[
    $$pause_queue(NULL)$$, $$resume_queue(NULL)$$, $$pause_queue('no such queue')$$, $$resume_queue('no such queue')$$, $$pause_queue('Paused')$$, $$pause_queue('')$$,
    $$pause_queue('no such queue', until => '-infinity')$$, $$pause_queue('paused', until => clock_timestamp())$$, $$pause_queue('paused', until => '1969-12-31')$$,
    $$pause_queue('paused', until => '-infinity')$$, $$pause_queue('paused', until => '4713-01-01 BC')$$, $$pause_queue('paused', until => '294276-12-31')$$]) WITH ORDINALITY AS c (call, n) ORDER BY n;
SELECT extract(year FROM paused_until) FROM baton.queues WHERE queue = 'paused';
SELECT baton.pause_queue('paused', 'nothing changes', 'yesterday');
BEGIN READ ONLY;
SELECT pg_temp.sqlstate_of($$SELECT baton.pause_queue('paused')$$) AS pause, pg_temp.sqlstate_of($$SELECT baton.resume_queue('paused')$$) AS resume, count(*) AS is_seen FROM pause;
COMMIT;

-- purged and dropped while paused; a new queue of that name is not paused
SELECT baton.purge_queue('paused', true) > 0, baton.send('paused', '1') IS NOT NULL;
SELECT pg_temp.sqlstate_of($$SELECT baton.drop_queue('paused')$$);
SELECT baton.drop_queue('paused', true);
SELECT baton.create_queue('paused'), baton.send('paused', '1') IS NOT NULL;
SELECT count(*) FROM pause;
SELECT payload FROM baton.receive('paused');

SELECT baton.drop_queue('paused', true), baton.drop_queue('beside', true);
DROP OWNED BY baton_owner, baton_manager, baton_both, baton_watcher;
DROP ROLE baton_owner, baton_manager, baton_both, baton_watcher;
