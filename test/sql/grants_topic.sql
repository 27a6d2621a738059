-- grant_topic and revoke_topic: who may publish and subscribe to which topics; a grant ends with its role. SEC-05
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
CREATE ROLE baton_publisher;
CREATE ROLE baton_group;
CREATE ROLE baton_group_member IN ROLE baton_group;
CREATE ROLE baton_group_stranger NOINHERIT IN ROLE baton_group;
CREATE ROLE baton_listener;
SELECT baton.grant_baton(r, 'use') FROM unnest(ARRAY['baton_publisher', 'baton_group', 'baton_group_member', 'baton_group_stranger']) AS r;
SELECT baton.grant_baton('baton_listener', 'create_queue');

-- publishing: by function, batch and insert alike, only what meets a granted pattern
SELECT baton.grant_topic('granted.*', 'baton_publisher'), baton.grant_topic('granted.deep.#', 'baton_group', 'publish');
SELECT topic, role, pg_temp.as_role(role, format('SELECT baton.publish(%L, %L)', topic, '1')) AS publish,
    pg_temp.as_role(role, format('SELECT baton.publish_batch(ARRAY[%L, %L], %L)', 'granted.deep', topic, '{1,2}')) AS publish_batch,
    pg_temp.as_role(role, format('INSERT INTO baton.outbox (topic, payload) VALUES (%L, %L)', topic, '1')) AS insert
FROM unnest(ARRAY['baton_publisher', 'baton_group', 'baton_group_member', 'baton_group_stranger', 'baton_listener']) AS role,
    unnest(ARRAY['granted.one', 'granted.deep', 'granted.deep.er', 'granted', 'other']) AS topic ORDER BY role, topic;
SELECT role, pg_temp.as_role(role, $$SELECT baton.publish_batch('{}', '{}')$$) FROM unnest(ARRAY['baton_publisher', 'baton_listener']) AS role;
SET ROLE baton_publisher;
SELECT baton.publish('other', '1');
INSERT INTO baton.outbox (topic, payload) VALUES ('granted.returned', '1') RETURNING topic, id IS NOT NULL AS has_id, published_at IS NOT NULL AS has_time;
-- all or none
SELECT pg_temp.sqlstate_of($$ INSERT INTO baton.outbox (topic, payload) VALUES ('granted.first', '1'), ('other', '2') $$);
-- what is published is not the publisher's to read
SELECT count(*) FROM baton.outbox;
RESET ROLE;
SELECT topic, count(*) FROM baton.outbox WHERE topic LIKE 'granted%' OR topic = 'other' GROUP BY topic ORDER BY topic;

-- subscribing: a queue of one's own, and a pattern that is covered by a granted one
SET ROLE baton_listener;
SELECT baton.create_queue('granted topics');
SELECT baton.subscribe('granted.one', 'granted topics');
RESET ROLE;
SELECT baton.grant_topic('granted.#', 'baton_listener', 'subscribe'), baton.grant_topic(pattern => 'x.*', role => 'baton_listener', privilege => 'subscribe');
SELECT pattern, pg_temp.as_role('baton_listener', format('SELECT baton.subscribe(%L, %L)', pattern, 'granted topics')) FROM unnest(ARRAY[
    'granted.#', 'granted', 'granted.*.y', 'granted.one', '#', '*', 'granted*', 'x.y', 'x.*', 'x.#', 'x', 'other', '#.granted']) WITH ORDINALITY AS p (pattern, i) ORDER BY i;
SELECT pg_temp.as_role('baton_publisher', $$SELECT baton.subscribe('granted.one', 'granted topics')$$);
-- and to see such events while they wait
SELECT baton.grant_topic('y.*', 'baton_listener', 'subscribe');
SELECT baton.publish('other', '"unseen"') IS NOT NULL, baton.publish('x.y.z', '"unseen"') IS NOT NULL, baton.publish('y.a', '"seen"') IS NOT NULL;
SET ROLE baton_listener;
SELECT topic, payload FROM baton.outbox WHERE topic NOT LIKE 'granted%';
SELECT pattern FROM baton.subscriptions ORDER BY 1;
RESET ROLE;
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
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.outbox WHERE topic LIKE 'granted%') $$);
SET ROLE baton_listener;
SELECT topic, count(*) FROM baton.receive('granted topics', 100) GROUP BY topic ORDER BY topic;
RESET ROLE;
-- revoked: the subscription stays, its events no longer show, and none can be made
SELECT baton.revoke_topic('granted.#', 'baton_listener', 'subscribe'), baton.revoke_topic('granted.#', 'baton_listener', 'subscribe') AS again,
    baton.revoke_topic('granted.#', 'baton_listener') AS other_privilege;
SET ROLE baton_listener;
SELECT pattern FROM baton.subscriptions ORDER BY 1;
SELECT pg_temp.sqlstate_of($$ SELECT baton.subscribe('granted.two', 'granted topics') $$), baton.unsubscribe('granted.#', 'granted topics');
RESET ROLE;

-- everybody
SELECT baton.grant_topic('everybody.#', 'public');
SELECT pg_temp.as_role('baton_listener', $$SELECT baton.publish('everybody.a', '1')$$), pg_temp.as_role('baton_group_stranger', $$SELECT baton.publish('everybody', '1')$$);
SELECT baton.revoke_topic('everybody.#', 'public');
SELECT pg_temp.as_role('baton_listener', $$SELECT baton.publish('everybody.a', '1')$$);
-- with the transaction, in a session that has looked before
BEGIN;
SELECT baton.grant_topic('undone', 'baton_listener');
SELECT pg_temp.as_role('baton_listener', $$SELECT baton.publish('undone', '1')$$);
ROLLBACK;
SELECT pg_temp.as_role('baton_listener', $$SELECT baton.publish('undone', '1')$$);
-- INSERT on the view alone is not enough
GRANT INSERT ON baton.outbox TO baton_listener;
SELECT pg_temp.as_role('baton_listener', $$INSERT INTO baton.outbox (topic, payload) VALUES ('undone', '1')$$);

-- a grant is not in the way of DROP ROLE, and does not pass to a later role of that name
CREATE ROLE baton_passing;
SELECT baton.grant_topic('passing', 'baton_passing');
SELECT count(*) FROM baton._topic_grant WHERE role = 'baton_passing' AND role_number = 'baton_passing'::regrole;
DROP ROLE baton_passing;
CREATE ROLE baton_passing;
SELECT baton.grant_baton('baton_passing', 'use');
SELECT count(*) FROM baton._topic_grant WHERE role = 'baton_passing';
SELECT pg_temp.as_role('baton_passing', $$SELECT baton.publish('passing', '1')$$);
SELECT baton.grant_topic('passing', 'baton_passing');
SELECT pg_temp.as_role('baton_passing', $$SELECT baton.publish('passing', '1')$$);
-- nor does the number alone do
ALTER ROLE baton_passing RENAME TO baton_passed;
SELECT pg_temp.as_role('baton_passed', $$SELECT baton.publish('passing', '1')$$) AS after_rename;
-- void grants are cleared with the next change
SELECT baton.grant_topic('passing', 'baton_passed');
SELECT pattern, role FROM baton._topic_grant WHERE pattern = 'passing';
SELECT pg_temp.as_role('baton_passed', $$SELECT baton.publish('passing', '1')$$);
SELECT pg_temp.sqlstate_of($$ SELECT baton.revoke_topic('passing', 'baton_passing') $$), baton.revoke_topic('passing', 'baton_passed');

-- only administrators grant
SELECT pg_temp.as_role(role, $$SELECT baton.grant_topic('a', 'baton_listener')$$), pg_temp.as_role(role, $$SELECT baton.revoke_topic('a', 'baton_listener')$$),
    pg_temp.as_role(role, $$INSERT INTO baton._topic_grant (pattern, role, privilege) VALUES ('#', 'baton_listener', 'publish')$$)
FROM unnest(ARRAY['baton_listener', 'baton_publisher']) AS role;
SET ROLE baton_listener;
SELECT baton.grant_topic('a', 'baton_listener');
RESET ROLE;
-- bad arguments
SELECT statement, pg_temp.sqlstate_of('SELECT baton.' || statement) FROM unnest(ARRAY[$$grant_topic(NULL, 'baton_listener')$$, $$grant_topic('a', NULL)$$,
    $$grant_topic('a', 'baton_listener', NULL)$$, $$grant_topic('a..b', 'baton_listener')$$, $$grant_topic('a*', 'baton_listener')$$, $$grant_topic('', 'baton_listener')$$,
    $$grant_topic('a', 'baton_none')$$, $$revoke_topic('a', 'baton_none')$$, $$grant_topic('a', 'baton_listener', 'send')$$, $$revoke_topic('a', 'baton_listener', 'send')$$,
    $$revoke_topic('a', NULL)$$]) WITH ORDINALITY AS s (statement, i) ORDER BY i;
SELECT baton.grant_topic('a', 'baton_listener', 'consume');
BEGIN READ ONLY;
SELECT pg_temp.sqlstate_of($$ SELECT baton.grant_topic('a', 'baton_listener') $$), pg_temp.sqlstate_of($$ SELECT baton.revoke_topic('a', 'baton_listener') $$);
ROLLBACK;

-- what is left is taken off
SELECT baton.subscribe('#', 'granted topics');
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.outbox WHERE topic ~ '^(other|x\.|y\.|undone|passing|everybody)') $$);
SELECT baton.drop_queue('granted topics', true);
SELECT baton.revoke_topic(pattern, role, privilege) FROM baton._topic_grant;
DROP OWNED BY baton_publisher, baton_group, baton_group_member, baton_group_stranger, baton_listener, baton_passed;
DROP ROLE baton_publisher, baton_group, baton_group_member, baton_group_stranger, baton_listener, baton_passed;
