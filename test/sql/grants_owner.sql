-- A queue's owner: alter_queue_owner, REASSIGN OWNED, DROP OWNED and DROP ROLE leave nothing stuck.
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
CREATE ROLE baton_first;
CREATE ROLE baton_second;
CREATE ROLE baton_third;
CREATE ROLE baton_app;
GRANT baton_second TO baton_first;
SELECT baton.grant_baton(r, 'create_queue') FROM unnest(ARRAY['baton_first', 'baton_second']) AS r;
SELECT baton.grant_baton(r, 'use') FROM unnest(ARRAY['baton_third', 'baton_app']) AS r;
SET ROLE baton_first;
SELECT baton.create_queue('owned');
SELECT baton.grant_queue('owned', 'baton_app', 'send'), baton.send('owned', '1') IS NOT NULL;
RESET ROLE;

-- given away as ALTER TABLE ... OWNER TO would: to a role that one can become and that may create queues
SELECT role, pg_temp.as_role('baton_first', format('SELECT baton.alter_queue_owner(%L, %L)', 'owned', role)) FROM unnest(ARRAY['baton_third', 'baton_none', 'public', 'baton_first']) AS role;
GRANT baton_third TO baton_first;
SET ROLE baton_first;
SELECT baton.alter_queue_owner('owned', 'baton_third');
RESET ROLE;
SELECT pg_temp.as_role('baton_second', $$SELECT baton.alter_queue_owner('owned', 'baton_second')$$), pg_temp.as_role('baton_app', $$SELECT baton.alter_queue_owner('owned', 'baton_app')$$);
SET ROLE baton_first;
SELECT baton.alter_queue_owner(queue => 'owned', role => 'baton_second');
RESET ROLE;
REVOKE baton_second, baton_third FROM baton_first;
SELECT queue, owner FROM baton.queues WHERE queue = 'owned';
-- the new owner has it all, the old one nothing, and who had a privilege still has it
SELECT role, pg_temp.as_role(role, $$SELECT baton.purge_queue('owned')$$) AS purge, pg_temp.as_role(role, $$SELECT baton.send('owned', '1')$$) AS send,
    pg_temp.as_role(role, $$SELECT baton.grant_queue('owned', 'baton_app', 'send')$$) AS grant FROM unnest(ARRAY['baton_first', 'baton_second', 'baton_app']) AS role;
-- superusers give to whomever
SELECT baton.alter_queue_owner('owned', 'baton_third');
SELECT queue, owner FROM baton.queues WHERE queue = 'owned';
SELECT statement, pg_temp.sqlstate_of('SELECT baton.' || statement) FROM unnest(ARRAY[$$alter_queue_owner(NULL, 'baton_first')$$, $$alter_queue_owner('owned', NULL)$$,
    $$alter_queue_owner('none', 'baton_first')$$, $$alter_queue_owner('owned', 'baton_none')$$]) AS statement;
BEGIN READ ONLY;
SELECT pg_temp.sqlstate_of($$ SELECT baton.alter_queue_owner('owned', 'baton_first') $$);
ROLLBACK;
-- so does the server's own command: privileges and owner stand in one table
SELECT format('ALTER TABLE baton.q%s OWNER TO baton_first', queue_id) AS command FROM baton.queues WHERE queue = 'owned' \gset
:command;
SELECT queue, owner FROM baton.queues WHERE queue = 'owned';
SELECT pg_temp.as_role('baton_first', $$SELECT baton.purge_queue('owned')$$), pg_temp.as_role('baton_third', $$SELECT baton.purge_queue('owned')$$);

-- REASSIGN OWNED moves queues too
REASSIGN OWNED BY baton_first TO baton_second;
SELECT queue, owner FROM baton.queues WHERE queue = 'owned';
SELECT pg_temp.as_role('baton_second', $$SELECT baton.send('owned', '"mine"')$$);

-- a grantee is in the way of DROP ROLE until DROP OWNED, as with any table
SELECT pg_temp.sqlstate_of('DROP ROLE baton_app');
DROP OWNED BY baton_app;
DROP ROLE baton_app;

-- DROP OWNED drops the queue for everybody; only administrators see what is left of it
SET ROLE baton_second;
SELECT baton.create_queue('owned and held'), baton.create_queue('owned and gone');
SELECT baton.grant_queue(queue, 'baton_third', 'manage') FROM baton.queues;
RESET ROLE;
SELECT baton.subscribe('grants_owner', 'owned'), baton.subscribe('grants_owner', 'owned and held');
SELECT baton.send('owned', '2') IS NOT NULL, baton.send('owned', '3', delay => '1 h') IS NOT NULL, baton.send('owned and held', '4') IS NOT NULL;
SELECT baton.nack(receipt, class => 'permanent') FROM baton.receive('owned');
SELECT receipt FROM baton.receive('owned') \gset
SELECT pg_temp.as_role('baton_third', $$SELECT baton.send('owned', '5')$$);
-- (in a transaction, for the worker clears them after that)
BEGIN;
DROP OWNED BY baton_second;
DROP ROLE baton_second;
SELECT queue, owner FROM baton.queues WHERE queue LIKE 'owned%' ORDER BY queue;
SELECT count(*) FROM baton.subscriptions WHERE queue LIKE 'owned%';
SELECT count(*) FROM baton.dead_letters WHERE queue LIKE 'owned%';
CREATE TEMP VIEW call AS SELECT * FROM unnest(ARRAY[$$SELECT baton.send('owned', '1')$$, $$SELECT baton.send('owned', '1', delay => '2 h')$$, $$SELECT baton.receive('owned')$$, $$CALL baton.wait('owned', '1 s')$$,
    $$SELECT baton.peek('owned')$$, $$SELECT baton.purge_queue('owned')$$, $$SELECT baton.alter_queue('owned', '{}')$$, $$SELECT baton.subscribe('a', 'owned')$$,
    $$SELECT baton.unsubscribe('grants_owner', 'owned')$$, $$SELECT baton.redrive('owned', '{}')$$, $$SELECT baton.grant_queue('owned', 'baton_third', 'send')$$,
    $$SELECT baton.alter_queue_owner('owned', 'baton_third')$$, format('SELECT baton.ack(%L)', :'receipt'), format('SELECT baton.nack(%L)', :'receipt'),
    $$SELECT 1 / count(*) FROM baton.queues WHERE queue LIKE 'owned%'$$, $$SELECT 1 / count(*) FROM baton.dead_letters WHERE queue LIKE 'owned%'$$]) WITH ORDINALITY AS c (statement, i);
SELECT CASE WHEN statement LIKE '%ack(%' THEN left(statement, 17) ELSE statement END AS statement, pg_temp.as_role('baton_third', statement) AS manager, pg_temp.sqlstate_of(statement) AS superuser FROM call ORDER BY i;
SAVEPOINT s;
SELECT baton.send('owned', '1');
ROLLBACK TO s;
SET LOCAL ROLE baton_third;
SELECT baton.send('owned', '1');
ROLLBACK TO s;
-- such a queue is refused, forced, or replaced
SELECT pg_temp.sqlstate_of($$ SELECT baton.drop_queue('owned and held') $$), pg_temp.as_role('baton_third', $$SELECT baton.drop_queue('owned and held', true)$$);
SELECT baton.drop_queue('owned and held', true), baton.drop_queue('owned and gone');
SELECT baton.create_queue('owned');
SELECT payload FROM baton.peek('owned');
SELECT count(*) FROM baton.subscriptions WHERE queue LIKE 'owned%';
SELECT count(*) FROM baton.dead_letters WHERE queue LIKE 'owned%';
SELECT queue, owner = current_user AS is_mine FROM baton.queues WHERE queue LIKE 'owned%' ORDER BY queue;
ROLLBACK;
SELECT payload FROM baton.receive('owned and held', visibility_timeout => '1 ms');
-- or cleared by the worker; meanwhile the relay goes on, and the event is kept for whoever will subscribe
DROP OWNED BY baton_second;
SELECT baton.publish('grants_owner', '"kept"') IS NOT NULL;
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.queues WHERE queue LIKE 'owned%') $$);
SELECT count(*) FROM pg_class WHERE relname ~ '^q\d+(_\d+)?$' AND relnamespace = 'baton'::regnamespace
    AND NOT EXISTS (SELECT FROM baton._queue AS q WHERE relname ~ ('^q' || q.id || '(_|$)')) AND relname !~ '^q0_';
SELECT (SELECT count(*) FROM baton._dead_letter AS d WHERE d.queue NOT IN (SELECT id FROM baton._queue)) AS letters,
    (SELECT count(*) FROM baton._later AS l WHERE l.queue NOT IN (SELECT id FROM baton._queue)) AS delayed,
    (SELECT count(*) FROM baton._segment AS s WHERE s.queue NOT IN (SELECT id FROM baton._queue) AND s.queue <> 0) AS segments,
    (SELECT count(*) FROM baton._subscription AS s WHERE s.queue NOT IN (SELECT id FROM baton._queue)) AS subscriptions;
SELECT baton.create_queue('owned');
SELECT baton.subscribe('grants_owner', 'owned');
CALL pg_temp.wait_until($$ EXISTS (SELECT FROM baton.peek('owned')) $$);
SELECT payload FROM baton.receive('owned');
SELECT baton.drop_queue('owned', true);

-- dropping the table by hand is dropping the queue
SELECT baton.create_queue('owned');
SELECT format('DROP TABLE baton.q%s', queue_id) AS command FROM baton.queues WHERE queue = 'owned' \gset
:command;
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.queues WHERE queue = 'owned') $$);
DROP OWNED BY baton_first, baton_second, baton_third;
DROP ROLE baton_first, baton_second, baton_third;
