-- grant_queue and revoke_queue: each privilege gives what it says, to roles that have nothing else than baton's use. SEC-03, SEC-05, SEC-07
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
CREATE ROLE baton_boss;
CREATE ROLE baton_boss_member IN ROLE baton_boss;
CREATE ROLE baton_app;
CREATE ROLE baton_worker;
CREATE ROLE baton_manager;
CREATE ROLE "baton ""quoted""; DROP TABLE x --";
SELECT baton.grant_baton(r, 'use') FROM unnest(ARRAY['baton_app', 'baton_worker', 'baton_manager', 'baton "quoted"; DROP TABLE x --']) AS r;
SELECT baton.grant_baton('baton_boss', 'create_queue');
SET ROLE baton_boss;
SELECT baton.create_queue('granted');
SELECT baton.create_queue('another');
SELECT baton.grant_queue('granted', 'baton_app', 'send');
SELECT baton.grant_queue('granted', 'baton_worker', 'consume');
SELECT baton.grant_queue(queue => 'granted', role => 'baton_manager', privilege => 'manage');
RESET ROLE;

-- a trigger that runs as whoever inserts: its role needs nothing but to send
CREATE TABLE granted_business (n int PRIMARY KEY, done boolean NOT NULL DEFAULT false);
CREATE FUNCTION granted_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.send('granted', to_jsonb(NEW.n));
    RETURN NEW;
END $$;
CREATE TRIGGER changed AFTER INSERT ON granted_business FOR EACH ROW EXECUTE FUNCTION granted_changed();
GRANT INSERT ON granted_business TO baton_app;
GRANT SELECT, UPDATE ON granted_business TO baton_worker;
SET ROLE baton_app;
INSERT INTO granted_business SELECT generate_series(1, 4);
SELECT cardinality(baton.send_batch('granted', '{5,6}')), (baton.try_send('granted', '7')).status;
-- it sees the queue, but no message of it
SELECT queue, owner FROM baton.queues;
SELECT count(*) FROM baton.dead_letters;
SELECT pg_temp.sqlstate_of($$ SELECT baton.peek('granted') $$), pg_temp.sqlstate_of($$ SELECT baton.receive('granted') $$),
    pg_temp.sqlstate_of($$ SELECT baton.find_message('granted', gen_random_uuid()) $$);
RESET ROLE;

-- the consumer's day: effect and ack in one transaction, inbox, extend, release, retry, dead letter
SET ROLE baton_worker;
BEGIN;
SELECT receipt, payload, id FROM baton.receive('granted') \gset
UPDATE granted_business SET done = true WHERE n = :payload;
SELECT baton.first_delivery('baton_worker', :'id'), (SELECT count(*) FROM baton.first_delivery_batch('baton_worker', ARRAY[:'id']::uuid[])) AS again;
SELECT baton.ack(:'receipt');
COMMIT;
SELECT receipt FROM baton.receive('granted') \gset
SELECT baton.extend(:'receipt') > clock_timestamp() AS is_extended, baton.release(:'receipt');
SELECT baton.nack(receipt, delay => '0') FROM baton.receive('granted');
SELECT payload, baton.nack(receipt, 'no good', 'permanent') FROM baton.receive('granted');
SELECT count(*) FROM baton.pop('granted', 2);
SELECT receipt FROM baton.receive('granted') \gset held_
SELECT count(*) FROM baton.leases('granted');
CALL baton.wait('granted', '1 ms');
SELECT queue, payload, error, status FROM baton.dead_letters;
SELECT state FROM baton.find_message('granted', (SELECT id FROM baton.dead_letters));
SELECT n FROM granted_business WHERE done;
-- it may not do the others' work
SELECT statement, pg_temp.sqlstate_of(statement) FROM unnest(ARRAY[$$SELECT baton.send('granted', '1')$$, $$SELECT baton.redrive('granted', '{}')$$,
    $$SELECT baton.purge_queue('granted')$$, $$SELECT baton.cancel('granted', gen_random_uuid())$$, $$SELECT baton.alter_queue('granted', '{}')$$,
    $$SELECT baton.dead_letter('granted', gen_random_uuid())$$, $$SELECT baton.release_consumer('granted', 'x')$$, $$SELECT baton.drop_queue('granted')$$,
    $$SELECT baton.grant_queue('granted', 'baton_worker', 'send')$$, $$SELECT baton.alter_queue_owner('granted', 'baton_worker')$$,
    $$SELECT baton.create_queue('its own')$$, $$SELECT baton.peek('another')$$]) WITH ORDINALITY AS s (statement, i) ORDER BY i;
RESET ROLE;

-- a receipt of a queue that one may not consume from tells nothing, least of all the queue's name
SET ROLE baton_app;
SELECT baton.ack(:'held_receipt');
SELECT call, pg_temp.sqlstate_of(format('SELECT baton.' || call, :'held_receipt')) FROM unnest(ARRAY['nack(%L)', 'try_nack(%L)', 'release(%L)', 'extend(%L)',
    'ack_batch(ARRAY[%L]::baton.receipt[])', 'try_ack_batch(ARRAY[%L]::baton.receipt[])', 'nack_batch(ARRAY[%L]::baton.receipt[])',
    'extend_batch(ARRAY[%L]::baton.receipt[])', 'release_batch(ARRAY[%L]::baton.receipt[])']) AS call;
RESET ROLE;

-- who manages may do all of it, but not grant
SET ROLE baton_manager;
SELECT baton.redrive('granted', ARRAY(SELECT id FROM baton.dead_letters));
SELECT baton.alter_queue('granted', '{"max_attempts": 7}');
SELECT baton.release_consumer('granted', current_setting('application_name'));
SELECT baton.send('granted', '8', id => '01890a5d-ac96-774b-bcce-b30200000001');
SELECT baton.cancel('granted', '01890a5d-ac96-774b-bcce-b30200000001');
SELECT baton.ack(receipt) FROM baton.receive('granted');
SELECT baton.purge_queue('granted', true) > 0;
SELECT pg_temp.sqlstate_of($$ SELECT baton.grant_queue('granted', 'baton_app', 'manage') $$),
    pg_temp.sqlstate_of($$ SELECT baton.revoke_queue('granted', 'baton_app', 'send') $$);
RESET ROLE;

-- who may grant: the owner, its members, superusers
CREATE FUNCTION pg_temp.try_grant(role text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.as_role(role, $x$SELECT baton.grant_queue('another', 'baton_app', 'consume')$x$)
$$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_temp TO PUBLIC;
SELECT role, pg_temp.try_grant(role) FROM unnest(ARRAY['baton_boss', 'baton_boss_member', 'baton_app', 'baton_manager']) AS role;
SELECT pg_temp.try_grant(session_user::text);
SELECT pg_temp.as_role('baton_app', $$SELECT baton.receive('another')$$);
SELECT baton.revoke_queue('another', 'baton_app', 'consume');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.receive('another')$$);

-- everybody, and a role whose name wants quotes
SELECT baton.grant_queue('another', 'public', 'send'), baton.grant_queue('another', 'baton "quoted"; DROP TABLE x --', 'consume');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.send('another', '1')$$), pg_temp.as_role('baton_app', $$SELECT baton.receive('another')$$),
    pg_temp.as_role('baton "quoted"; DROP TABLE x --', $$SELECT baton.receive('another')$$);
SELECT baton.revoke_queue('another', 'public', 'send'), baton.revoke_queue('another', 'baton "quoted"; DROP TABLE x --', 'consume');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.send('another', '1')$$), pg_temp.as_role('baton "quoted"; DROP TABLE x --', $$SELECT baton.receive('another')$$);

-- twice is once; revoking what was never granted is nothing; without manage the rest stays
SELECT baton.grant_queue('granted', 'baton_app', 'send'), baton.grant_queue('granted', 'baton_app', 'manage'), baton.revoke_queue('granted', 'baton_app', 'consume');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.purge_queue('granted')$$);
SELECT baton.revoke_queue('granted', 'baton_app', 'manage');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.purge_queue('granted')$$), pg_temp.as_role('baton_app', $$SELECT baton.send('granted', '1')$$);
SELECT baton.revoke_queue('granted', 'baton_app', 'send');
SELECT pg_temp.as_role('baton_app', $$SELECT baton.send('granted', '1')$$);
-- with the transaction
BEGIN;
SELECT baton.grant_queue('granted', 'baton_app', 'send');
ROLLBACK;
SELECT pg_temp.as_role('baton_app', $$SELECT baton.send('granted', '1')$$);

-- bad arguments
SELECT statement, pg_temp.sqlstate_of('SELECT baton.' || statement) FROM unnest(ARRAY[$$grant_queue(NULL, 'baton_app', 'send')$$, $$grant_queue('granted', NULL, 'send')$$,
    $$grant_queue('granted', 'baton_app', NULL)$$, $$revoke_queue('granted', 'baton_app', NULL)$$, $$grant_queue('none', 'baton_app', 'send')$$,
    $$grant_queue('granted', 'baton_none', 'send')$$, $$revoke_queue('granted', 'baton_none', 'send')$$, $$grant_queue('granted', 'PUBLIC', 'send')$$,
    $$grant_queue('granted', '', 'send')$$, $$grant_queue('granted', 'baton_app', 'SEND')$$, $$grant_queue('granted', 'baton_app', 'use')$$,
    $$grant_queue('granted', repeat('r', 64), 'send')$$]) WITH ORDINALITY AS s (statement, i) ORDER BY i;
SELECT baton.grant_queue('granted', 'baton_app', 'receive');
SELECT baton.grant_queue('granted', 'baton_none', 'send');
SET ROLE baton_app;
SELECT baton.grant_queue('granted', 'baton_app', 'send');
RESET ROLE;
BEGIN READ ONLY;
SELECT pg_temp.sqlstate_of($$ SELECT baton.grant_queue('granted', 'baton_app', 'send') $$), pg_temp.sqlstate_of($$ SELECT baton.revoke_queue('granted', 'baton_app', 'send') $$);
ROLLBACK;
-- with nothing at all not even the schema
CREATE ROLE baton_nobody;
SELECT baton.grant_queue('granted', 'baton_nobody', 'manage');
SELECT pg_temp.as_role('baton_nobody', $$SELECT baton.send('granted', '1')$$);

-- segments are nobody's to touch, whoever owns the queue: their columns are read without looking at them
SELECT format('baton.q%s_1', queue_id) AS segment FROM baton.queues WHERE queue = 'granted' \gset
SELECT statement, pg_temp.as_role('baton_boss', replace(statement, 'segment', :'segment')) FROM unnest(ARRAY['SELECT FROM segment', 'DELETE FROM segment',
    'ALTER TABLE segment NOT OF', 'LOCK TABLE segment', 'CREATE INDEX ON segment (id)', 'DROP TABLE segment']) AS statement;

SELECT baton.drop_queue('granted', true), baton.drop_queue('another', true);
DROP TABLE granted_business;
DROP FUNCTION granted_changed;
DROP OWNED BY baton_boss, baton_boss_member, baton_app, baton_worker, baton_manager, baton_nobody, "baton ""quoted""; DROP TABLE x --";
DROP ROLE baton_boss, baton_boss_member, baton_app, baton_worker, baton_manager, baton_nobody, "baton ""quoted""; DROP TABLE x --";
