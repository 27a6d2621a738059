-- grant_baton and revoke_baton: use, create_queue and monitor, for all that the extension has and will have. SEC-03
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
CREATE ROLE baton_nobody;
CREATE ROLE baton_user;
CREATE ROLE baton_user_member IN ROLE baton_user;
CREATE ROLE baton_creator;
CREATE ROLE baton_monitor;
CREATE ROLE baton_watcher IN ROLE pg_monitor;
SELECT baton.grant_baton('baton_user', 'use'), baton.grant_baton('baton_creator', 'create_queue'), baton.grant_baton(role => 'baton_monitor', privilege => 'monitor');
SELECT baton.create_queue('watched'), baton.send('watched', '"secret"') IS NOT NULL, baton.subscribe('watched', 'watched');
SELECT baton.nack(receipt, 'secret', 'permanent') FROM baton.receive('watched');

-- Members of the extension, and what each role may do with them: names that begin with _ are not for callers.
CREATE TEMP VIEW member AS
SELECT p.proname ~ '^_' AS is_private, 'function' AS kind, p.oid, p.proname::text AS name FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'baton')
UNION ALL
SELECT c.relname ~ '^_', CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END, c.oid, c.relname::text FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'baton') AND c.relkind IN ('r', 'v');
CREATE TEMP VIEW reach AS
SELECT role, kind, is_private, name, CASE kind WHEN 'function' THEN has_function_privilege(role, oid, 'EXECUTE')
    ELSE has_table_privilege(role, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') END AS can_reach
FROM member, unnest(ARRAY['baton_nobody', 'baton_user', 'baton_user_member', 'baton_creator', 'baton_monitor', 'baton_watcher']) AS role;
SELECT role, kind, is_private, CASE WHEN bool_and(can_reach) THEN 'all' WHEN bool_or(can_reach) THEN 'some' ELSE 'none' END AS reaches,
    has_schema_privilege(role, 'baton', 'USAGE') AS schema FROM reach GROUP BY role, kind, is_private ORDER BY role, kind, is_private;
-- what is private and yet reached: what views call, and the table that carries these privileges
SELECT role, array_agg(name ORDER BY name) FROM reach WHERE can_reach AND is_private GROUP BY role ORDER BY role;
SELECT role, array_agg(name ORDER BY name) FROM reach WHERE can_reach AND kind = 'view' GROUP BY role ORDER BY role;
SELECT has_table_privilege('baton_user', 'baton.outbox', 'INSERT'), has_table_privilege('baton_monitor', 'baton.outbox', 'INSERT');

-- use alone: everything can be called, nothing is seen or done
CREATE TEMP VIEW call AS SELECT * FROM unnest(ARRAY[$$SELECT baton.send('watched', '1')$$, $$SELECT baton.receive('watched')$$, $$SELECT baton.peek('watched')$$,
    $$SELECT baton.publish('a', '1')$$, $$INSERT INTO baton.outbox (topic, payload) VALUES ('a', '1')$$, $$SELECT baton.create_queue('grants_baton ' || current_user)$$,
    $$SELECT baton.drop_queue('watched', true)$$, $$SELECT baton.first_delivery('grants_baton ' || current_user, '01890a5d-ac96-774b-bcce-b30200000001')$$, $$SELECT FROM baton.workers$$,
    $$SELECT 1 / count(*) FROM baton.queues WHERE queue = 'watched'$$, $$SELECT 1 / count(*) FROM baton.subscriptions WHERE queue = 'watched'$$,
    $$SELECT 1 / count(*) FROM baton.dead_letters WHERE queue = 'watched'$$, $$SELECT 1 / count(*) FROM baton.outbox$$,
    $$SELECT baton.grant_baton(current_user, 'create_queue')$$, $$SELECT baton.revoke_baton('baton_user', 'use')$$, $$SELECT baton.renew_grants()$$,
    $$INSERT INTO baton._queue (name) VALUES ('x')$$, $$INSERT INTO baton._access VALUES (true)$$, $$LOCK TABLE baton._access IN SHARE MODE$$]) WITH ORDINALITY AS c (statement, i);
SELECT statement, pg_temp.as_role('baton_nobody', statement) AS nobody, pg_temp.as_role('baton_user', statement) AS use, pg_temp.as_role('baton_user_member', statement) AS member,
    pg_temp.as_role('baton_creator', statement) AS create_queue, pg_temp.as_role('baton_monitor', statement) AS monitor, pg_temp.as_role('baton_watcher', statement) AS pg_monitor
FROM call ORDER BY i;
SELECT baton.drop_queue('grants_baton baton_creator');
SET ROLE baton_user;
SELECT baton.create_queue('mine');
SELECT baton.grant_baton('baton_user', 'monitor');
RESET ROLE;

-- revoked piece by piece, the rest stays
SELECT baton.grant_baton('baton_user', 'monitor'), baton.grant_baton('baton_user', 'create_queue');
CREATE FUNCTION pg_temp.has(role text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', CASE WHEN has_function_privilege(role, 'baton.ack(baton.receipt)', 'EXECUTE') THEN 'call' END,
        CASE WHEN has_table_privilege(role, 'baton.outbox', 'INSERT') THEN 'insert' END, CASE WHEN has_table_privilege(role, 'baton.dead_letters', 'SELECT') THEN 'letters' END,
        CASE WHEN has_table_privilege(role, 'baton.queues', 'SELECT') THEN 'queues' END, CASE WHEN has_schema_privilege(role, 'baton', 'USAGE') THEN 'schema' END,
        CASE WHEN has_table_privilege(role, 'baton._access', 'INSERT') THEN 'create' END)
$$;
SELECT pg_temp.has('baton_user');
SELECT baton.revoke_baton('baton_user', 'use');
SELECT pg_temp.has('baton_user');
SELECT baton.revoke_baton('baton_user', 'create_queue');
SELECT pg_temp.has('baton_user');
SELECT baton.revoke_baton('baton_user', 'monitor');
SELECT pg_temp.has('baton_user'), pg_temp.as_role('baton_user', $$SELECT FROM baton.queues$$);
-- revoking what is not there is nothing
SELECT baton.revoke_baton('baton_user', 'monitor'), baton.revoke_baton('baton_nobody', 'use');
-- so a role with nothing left can be dropped
DROP ROLE baton_user_member, baton_user;
-- everybody
BEGIN;
SELECT baton.grant_baton('public', 'use');
SELECT pg_temp.has('baton_nobody'), pg_temp.as_role('baton_nobody', $$SELECT baton.send('watched', '1')$$);
SELECT baton.revoke_baton('public', 'use');
SELECT pg_temp.has('baton_nobody');
ROLLBACK;
SELECT pg_temp.has('baton_nobody');

-- what an update brings reaches those who had the privilege, once it is renewed
CREATE FUNCTION baton.brand_new() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION baton._not_public() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE VIEW baton.new_view AS SELECT baton._not_public() AS n;
CREATE FUNCTION baton.of_somebody_else() RETURNS int LANGUAGE sql AS 'SELECT 1';
REVOKE ALL ON FUNCTION baton.brand_new, baton._not_public, baton.of_somebody_else FROM PUBLIC;
ALTER EXTENSION baton ADD FUNCTION baton.brand_new();
ALTER EXTENSION baton ADD FUNCTION baton._not_public();
ALTER EXTENSION baton ADD VIEW baton.new_view;
SELECT has_function_privilege('baton_creator', 'baton.brand_new()', 'EXECUTE');
SELECT baton.renew_grants();
SELECT role, has_function_privilege(role, 'baton.brand_new()', 'EXECUTE') AS new_function, has_table_privilege(role, 'baton.new_view', 'SELECT') AS new_view,
    has_function_privilege(role, 'baton._not_public()', 'EXECUTE') AS called_by_view, has_function_privilege(role, 'baton.of_somebody_else()', 'EXECUTE') AS no_member
FROM unnest(ARRAY['baton_creator', 'baton_monitor', 'baton_nobody']) AS role;
ALTER EXTENSION baton DROP VIEW baton.new_view;
ALTER EXTENSION baton DROP FUNCTION baton._not_public();
ALTER EXTENSION baton DROP FUNCTION baton.brand_new();
DROP VIEW baton.new_view;
DROP FUNCTION baton.brand_new, baton._not_public, baton.of_somebody_else;

-- default privileges of the extension's owner give nothing on queues
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO baton_nobody, PUBLIC;
SELECT baton.create_queue('by default');
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM baton_nobody, PUBLIC;
SELECT relname ~ '_1$' AS is_segment, has_table_privilege('baton_nobody', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') FROM pg_class AS c, baton.queues
WHERE queue = 'by default' AND relnamespace = 'baton'::regnamespace AND relname ~ ('^q' || queue_id || '(_1)?$') ORDER BY relname;
SELECT baton.drop_queue('by default');

-- bad arguments
SELECT statement, pg_temp.sqlstate_of('SELECT baton.' || statement) FROM unnest(ARRAY[$$grant_baton(NULL, 'use')$$, $$grant_baton('baton_nobody', NULL)$$, $$revoke_baton(NULL, 'use')$$,
    $$grant_baton('baton_none', 'use')$$, $$revoke_baton('baton_none', 'use')$$, $$grant_baton('baton_nobody', 'all')$$, $$revoke_baton('baton_nobody', 'Use')$$]) AS statement;
SELECT baton.grant_baton('baton_nobody', 'execute');
BEGIN READ ONLY;
SELECT pg_temp.sqlstate_of($$ SELECT baton.grant_baton('baton_nobody', 'use') $$), pg_temp.sqlstate_of($$ SELECT baton.renew_grants() $$);
ROLLBACK;

SELECT baton.drop_queue('watched', true);
DROP OWNED BY baton_nobody, baton_creator, baton_monitor, baton_watcher;
DROP ROLE baton_nobody, baton_creator, baton_monitor, baton_watcher;
DELETE FROM baton._inbox WHERE consumer LIKE 'grants_baton%';
