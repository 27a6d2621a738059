-- What the owner of a queue can set: defaults, bounds, merging, and that other values are refused. LSE-10
SET intervalstyle = 'postgres';
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE FUNCTION pg_temp.changes(change jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.sqlstate_of(format('SELECT baton.alter_queue(%L, %L)', 'settings', $1))
$$;

SELECT baton.create_queue('settings');
SELECT s.* FROM baton.queues, jsonb_each(settings) AS s WHERE queue = 'settings';
-- missing = unchanged, null = default
SELECT baton.alter_queue('settings', '{"max_attempts": 7, "backoff_base": "2 s", "max_elapsed": "1 day"}');
SELECT baton.alter_queue('settings', '{"backoff_base": null, "jitter": "none"}');
SELECT s.* FROM baton.queues, jsonb_each(settings) AS s WHERE queue = 'settings';
SELECT baton.alter_queue('settings', '{}');
SELECT baton.alter_queue('settings', '{"max_attempts": null, "max_elapsed": null, "jitter": null}');
SELECT s.* FROM baton.queues, jsonb_each(settings) AS s WHERE queue = 'settings';
-- given at creation
SELECT baton.create_queue('settings too', '{"idempotent_effects": true, "max_elapsed": null, "visibility_timeout": "1.5 s"}');
SELECT s.* FROM baton.queues, jsonb_each(settings) AS s
WHERE queue = 'settings too' AND s.key IN ('idempotent_effects', 'max_elapsed', 'visibility_timeout');

-- the bounds, and just beyond
SELECT change, pg_temp.changes(change) FROM unnest(ARRAY[
    '{"visibility_timeout": "1 ms"}', '{"visibility_timeout": "999 us"}', '{"visibility_timeout": "720 h"}',
    '{"visibility_timeout": "720 h 1 us"}', '{"visibility_timeout": "0"}', '{"visibility_timeout": "-1 s"}',
    '{"max_attempts": 1}', '{"max_attempts": 0}', '{"max_attempts": -1}', '{"max_attempts": 1000000000}',
    '{"max_attempts": 1000000001}', '{"max_attempts": 1e30}', '{"max_attempts": 2.5}', '{"max_attempts": 2.0}',
    '{"backoff_base": "0", "backoff_cap": "0"}', '{"backoff_base": "-1 us"}', '{"backoff_cap": "10 years"}',
    '{"backoff_cap": "11 years"}', '{"backoff_base": "2 min", "backoff_cap": "1 min"}', '{"max_elapsed": "1 ms"}',
    '{"max_elapsed": "0"}', '{"max_elapsed": "11 years"}', '{"jitter": "full"}', '{"jitter": "equal"}',
    '{"jitter": "none"}', '{"jitter": "FULL"}', '{"jitter": ""}', '{"idempotent_effects": false}']::jsonb[]) AS change;
-- each alone would do, but not together with what is set
SELECT baton.alter_queue('settings', '{"backoff_base": null, "backoff_cap": null}');
SELECT pg_temp.changes('{"backoff_base": "61 s"}'), pg_temp.changes('{"backoff_cap": "0.9 s"}');
-- of the wrong type, or no duration at all
SELECT change, pg_temp.changes(change) IN ('22023', '22007', '22015', '22008') AS is_refused FROM unnest(ARRAY[
    '{"visibility_timeout": 30}', '{"visibility_timeout": true}', '{"visibility_timeout": ["30 s"]}',
    '{"visibility_timeout": {"s": 30}}', '{"visibility_timeout": "soon"}', '{"visibility_timeout": ""}',
    '{"visibility_timeout": "infinity"}', '{"visibility_timeout": "999999999999 years"}', '{"max_attempts": "3"}',
    '{"max_attempts": true}', '{"max_attempts": [3]}', '{"max_attempts": {}}', '{"jitter": 1}', '{"jitter": ["none"]}',
    '{"idempotent_effects": "true"}', '{"idempotent_effects": 1}', '{"idempotent_effects": []}']::jsonb[]) AS change;
-- not an object
SELECT change, pg_temp.changes(change) FROM unnest(ARRAY['[]', '1', '"x"', 'null', 'true', '[{"max_attempts": 3}]']::jsonb[]) AS change;
-- an unknown name is refused, with the nearest
SELECT baton.alter_queue('settings', '{"max_atempts": 3}');
SELECT baton.create_queue('settings three', '{"Jitter": "none"}');
SELECT baton.alter_queue('settings', '{"": 3}');
SELECT baton.alter_queue('settings', '{"max_attempts": 0}');
-- nothing of a refused change stays
SELECT pg_temp.changes('{"max_attempts": 3, "visibility_timeout": "soon"}') <> 'accepted' AS is_refused;
SELECT settings ->> 'max_attempts' AS max_attempts FROM baton.queues WHERE queue = 'settings';

-- what is fixed at creation
SELECT baton.create_queue('settings three', '{"unlogged": true}');
SELECT change, pg_temp.sqlstate_of(format('SELECT baton.alter_queue(%L, %L)', 'settings three', change)) FROM unnest(ARRAY[
    '{"unlogged": true}', '{"max_attempts": 3}', '{"unlogged": false}', '{"unlogged": null}', '{"unlogged": "yes"}']::jsonb[]) AS change;
SELECT baton.alter_queue('settings', '{"unlogged": true}');
SELECT pg_temp.sqlstate_of($$SELECT baton.send('settings three', '1', options => '{"unlogged": true}')$$);
SELECT queue, settings ->> 'unlogged' AS unlogged, settings ->> 'max_attempts' AS max_attempts FROM baton.queues WHERE queue LIKE 'settings%' ORDER BY 1;
SELECT baton.drop_queue('settings three');

-- each queue is ruled by its own settings, from commit on
SELECT baton.send('settings', '1') IS NOT NULL AND baton.send('settings too', '1') IS NOT NULL AS are_sent;
SELECT lease_expires_at - leased_at AS lease FROM baton.receive('settings') AS m, baton.peek('settings', id => m.id);
SELECT lease_expires_at - leased_at AS lease FROM baton.receive('settings too') AS m, baton.peek('settings too', id => m.id);
BEGIN;
SELECT baton.alter_queue('settings too', '{"visibility_timeout": "3 s"}');
SELECT baton.send('settings too', '2') IS NOT NULL AS is_sent;
ROLLBACK;
SELECT settings ->> 'visibility_timeout' AS visibility_timeout FROM baton.queues WHERE queue = 'settings too';
BEGIN;
SELECT baton.alter_queue('settings too', '{"visibility_timeout": "3 s"}');
COMMIT;
SELECT settings ->> 'visibility_timeout' AS visibility_timeout FROM baton.queues WHERE queue = 'settings too';

SELECT baton.drop_queue('settings', true), baton.drop_queue('settings too', true);
