-- Who may do what: by grants on the queue's table and on our functions, and by nothing else. SEC-03, SEC-04, SEC-05, SEC-07
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE ROLE baton_nobody;
CREATE ROLE baton_caller;
CREATE ROLE baton_sender;
CREATE ROLE baton_consumer;
CREATE ROLE baton_manager;
CREATE ROLE baton_owner;
CREATE ROLE baton_member IN ROLE baton_consumer;
GRANT USAGE ON SCHEMA baton TO baton_caller, baton_sender, baton_consumer, baton_manager, baton_owner;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA baton TO baton_caller, baton_sender, baton_consumer, baton_manager, baton_owner;
GRANT SELECT ON baton.queues, baton.subscriptions, baton.dead_letters
    TO baton_caller, baton_sender, baton_consumer, baton_manager, baton_owner;
-- who creates a queue owns it
GRANT INSERT ON baton._access TO baton_owner;
SELECT baton.grant_topic('#', 'baton_owner', 'subscribe');
SET ROLE baton_owner;
SELECT baton.create_queue('guarded');
SELECT baton.create_queue('guarded too');
RESET ROLE;
SELECT queue, owner FROM baton.queues WHERE queue LIKE 'guarded%' ORDER BY 1;
SELECT count(*), count(*) FILTER (WHERE pg_get_userbyid(relowner) = 'baton_owner') AS owned FROM pg_class, baton.queues
WHERE queue = 'guarded' AND relnamespace = 'baton'::regnamespace AND relname ~ ('^q' || queue_id || '(_\d+)?$');
-- the table that carries the privileges: INSERT sends, DELETE consumes, TRUNCATE manages
SELECT format('baton.q%s', queue_id) AS anchor, format('baton.q%s_1', queue_id) AS segment FROM baton.queues WHERE queue = 'guarded' \gset
SET ROLE baton_owner;
GRANT INSERT ON :anchor TO baton_sender;
GRANT DELETE ON :anchor TO baton_consumer;
GRANT TRUNCATE ON :anchor TO baton_manager;
RESET ROLE;

-- a receipt and a dead letter to try with; the first call of each line is a new one
SELECT cardinality(baton.send_batch('guarded', '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}'));
SELECT baton.send_batch('guarded too', '{1}') IS NOT NULL;
SELECT baton.nack(receipt, class => 'permanent') FROM baton.receive('guarded', 1);
CREATE TEMP TABLE held AS SELECT receipt FROM baton.receive('guarded', 1);
SELECT set_config('test.receipt', receipt::text, false) IS NOT NULL FROM held;
CREATE TEMP TABLE call (n int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO call (statement) VALUES
    ($$SELECT baton.send('guarded', '1')$$), ($$SELECT baton.send_batch('guarded', '{1}')$$), ($$SELECT baton.send_batch('guarded', '{}')$$),
    ($$SELECT baton.receive('guarded')$$), ($$CALL baton.wait('guarded', '1 ms')$$), ($$SELECT baton.peek('guarded')$$),
    ($$SELECT baton.extend(current_setting('test.receipt'))$$), ($$SELECT baton.try_ack_batch(ARRAY[current_setting('test.receipt')]::baton.receipt[])$$),
    ($$SELECT baton.ack(current_setting('test.receipt'))$$), ($$SELECT baton.ack_batch(ARRAY[current_setting('test.receipt')]::baton.receipt[])$$),
    ($$SELECT baton.nack(current_setting('test.receipt'))$$), ($$SELECT baton.try_nack(current_setting('test.receipt'))$$),
    ($$SELECT baton.release(current_setting('test.receipt'))$$),
    ($$SELECT baton.purge_queue('guarded')$$), ($$SELECT baton.alter_queue('guarded', '{}')$$), ($$SELECT baton.redrive('guarded', '{}')$$),
    ($$SELECT baton.subscribe('guarded', 'guarded')$$), ($$SELECT baton.unsubscribe('guarded', 'guarded')$$),
    ($$SELECT baton.drop_queue('guarded', true)$$), ($$SELECT baton.create_queue('guarded 3')$$), ($$SELECT baton.publish('guarded', '1')$$),
    ($$INSERT INTO baton.outbox (topic, payload) VALUES ('guarded', '1')$$),
    ($$SELECT 1 / count(*) FROM baton.queues WHERE queue = 'guarded'$$), ($$SELECT 1 / count(*) FROM baton.dead_letters WHERE queue = 'guarded'$$),
    ($$SELECT FROM baton._queue$$), ($$SELECT FROM baton._segment$$), ($$SELECT FROM baton._dead_letter$$), ($$SELECT FROM baton._inbox$$),
    ($$SELECT FROM baton._consumer$$), ($$SELECT FROM baton.outbox$$), ($$DELETE FROM baton._subscription$$);
INSERT INTO call (statement) SELECT replace(s, 'segment', :'segment') FROM unnest(ARRAY['SELECT FROM segment', 'DELETE FROM segment', 'LOCK TABLE segment']) AS s;
GRANT ALL ON call, held TO PUBLIC;
-- Whether the role may, with everything undone. 22012: it may look, and sees nothing; the receipt may be used up: BT001.
CREATE FUNCTION pg_temp.try(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text := 'may';
BEGIN
    BEGIN
        PERFORM set_config('role', $1, true);
        EXECUTE $2;
        RAISE SQLSTATE 'ZZZZZ';
    EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
        result := 'may';
    WHEN SQLSTATE 'BT001' THEN
        result := 'may';
    WHEN insufficient_privilege THEN
        result := '';
    WHEN division_by_zero THEN
        result := 'sees none';
    WHEN OTHERS THEN
        result := sqlstate;
    END;
    RETURN result;
END $$;
SELECT replace(left(statement, 60), :'segment', 'segment') AS statement, pg_temp.try('baton_nobody', statement) AS nobody, pg_temp.try('baton_caller', statement) AS caller,
    pg_temp.try('baton_sender', statement) AS sender, pg_temp.try('baton_consumer', statement) AS consumer,
    pg_temp.try('baton_member', statement) AS member, pg_temp.try('baton_manager', statement) AS manager,
    pg_temp.try('baton_owner', statement) AS owner FROM call ORDER BY n;

-- another queue's owner has no say in this one; views show only what is one's own
CREATE ROLE baton_other;
GRANT USAGE ON SCHEMA baton TO baton_other;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA baton TO baton_other;
GRANT SELECT ON baton.queues, baton.subscriptions, baton.dead_letters TO baton_other;
GRANT INSERT ON baton._access TO baton_other;
SET ROLE baton_other;
SELECT baton.create_queue('guarded other');
SELECT queue FROM baton.queues;
SELECT count(*) FROM baton.dead_letters;
SELECT pg_temp.sqlstate_of($$ SELECT baton.receive('guarded') $$), pg_temp.sqlstate_of($$ SELECT baton.redrive('guarded', '{}') $$),
    pg_temp.sqlstate_of($$ SELECT baton.create_queue('guarded') $$),
    pg_temp.sqlstate_of(format('SELECT baton.redrive(%L, ARRAY[%L]::uuid[])', 'guarded other', gen_random_uuid()));
-- nor can a function in the view's condition leak what the view hides
CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
BEGIN
    RAISE NOTICE 'seen: %', $1;
    RETURN true;
END $$;
SELECT queue FROM baton.queues WHERE pg_temp.leak(queue);
SELECT queue FROM baton.dead_letters WHERE pg_temp.leak(payload::text);
SELECT queue FROM baton.subscriptions WHERE pg_temp.leak(pattern);
RESET ROLE;

-- look-alikes in the caller's search_path and temporary schema are not used
SET ROLE baton_owner;
CREATE TEMP TABLE _queue (id int, name text, settings jsonb, created_at timestamptz);
CREATE TEMP TABLE _inbox (consumer text, id uuid, first_at timestamptz);
CREATE FUNCTION pg_temp.array_position(uuid[], uuid) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'taken in'; END $$;
CREATE FUNCTION pg_temp.unnest(uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $$ BEGIN RAISE 'taken in'; END $$;
CREATE FUNCTION pg_temp.equal(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'taken in'; END $$;
CREATE OPERATOR pg_temp.= (LEFTARG = int, RIGHTARG = int, FUNCTION = pg_temp.equal);
SET search_path = pg_temp, baton, pg_catalog;
SELECT baton.create_queue('guarded 4'), baton.alter_queue('guarded 4', '{"max_attempts": 2}'), baton.subscribe('a', 'guarded 4'),
    baton.unsubscribe('a', 'guarded 4'), baton.send('guarded 4', '1') IS NOT NULL, baton.purge_queue('guarded 4'), baton.redrive('guarded 4', '{}'),
    baton.first_delivery('guarded', pg_catalog.gen_random_uuid()), (SELECT count(*) FROM baton.first_delivery_batch('guarded', '{01890a5d-ac96-774b-bcce-b30200000001}'));
SELECT baton.drop_queue('guarded 4', true);
SELECT (SELECT count(*) FROM _queue) AS queues, (SELECT count(*) FROM _inbox) AS inbox;
RESET search_path;
RESET ROLE;

-- row security that users add on their tables does not reach ours
SET row_security = off;
SET ROLE baton_sender;
SELECT baton.send('guarded', '"row security"') IS NOT NULL;
RESET ROLE;
RESET row_security;

-- a new owner takes all over; what a dropped role owned is cleared by a superuser
REASSIGN OWNED BY baton_owner TO baton_other;
SET ROLE baton_other;
SELECT queue, owner FROM baton.queues ORDER BY 1;
SELECT baton.send('guarded', '2') IS NOT NULL, baton.purge_queue('guarded', true) > 0;
RESET ROLE;
DROP OWNED BY baton_owner;
SELECT pg_temp.sqlstate_of('DROP ROLE baton_owner');
-- (in a transaction, since the worker clears it after that)
BEGIN;
DROP OWNED BY baton_other;
SELECT pg_temp.sqlstate_of('DROP ROLE baton_other');
SELECT queue, owner FROM baton.queues WHERE queue LIKE 'guarded%' ORDER BY 1;
SELECT pg_temp.sqlstate_of($$ SELECT baton.send('guarded', '1') $$) <> 'accepted' AS is_gone;
SET client_min_messages = warning;
SELECT baton.drop_queue(queue, true) FROM baton.queues WHERE queue LIKE 'guarded%';
RESET client_min_messages;
COMMIT;
SELECT count(*) FROM baton._queue WHERE name LIKE 'guarded%';
SELECT baton.create_queue('guarded');
SELECT baton.drop_queue('guarded');

DROP OWNED BY baton_nobody, baton_caller, baton_sender, baton_consumer, baton_manager, baton_member;
DROP ROLE baton_member, baton_nobody, baton_caller, baton_sender, baton_consumer, baton_manager;
