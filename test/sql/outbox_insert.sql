-- Events get into the outbox by publish, publish_batch, INSERT, COPY and triggers, with the transaction. OUT-13, OUT-17, SEC-07
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
-- Nobody subscribes to these topics: they stay, and are shown.
CREATE TEMP VIEW mine AS SELECT * FROM baton.outbox WHERE topic LIKE 'outbox\_insert.%';

-- in every way, with all there is
SELECT baton.publish('outbox_insert.call', '1', '{"h": 1}', 'k', '01890a5d-ac96-774b-bcce-b30200000001', '\x01');
SELECT baton.publish_batch('{outbox_insert.call.2,outbox_insert.call.3}', '{2,3}', '{NULL,"{\"h\": 3}"}', '{k,NULL}',
    '{01890a5d-ac96-774b-bcce-b30200000002,01890a5d-ac96-774b-bcce-b30200000003}');
INSERT INTO baton.outbox (topic, key, payload, headers, body, id)
VALUES ('outbox_insert.insert', 'k', '4', '{"h": 4}', '\x04', '01890a5d-ac96-774b-bcce-b30200000004');
INSERT INTO baton.outbox (topic, payload) VALUES ('outbox_insert.insert.5', '5'), ('outbox_insert.insert.6', '6');
INSERT INTO baton.outbox (topic, body) VALUES ('outbox_insert.insert.7', '\x07');
COPY baton.outbox (topic, payload, key) FROM stdin;
outbox_insert.copy	8	k
outbox_insert.copy	9	\N
\.
PREPARE insert_text (text, text) AS INSERT INTO baton.outbox (topic, payload) VALUES ($1, $2::jsonb);
EXECUTE insert_text('outbox_insert.prepared', '10');
DEALLOCATE insert_text;
SELECT topic, key, payload, headers, body FROM mine ORDER BY payload, body;
SELECT id FROM mine WHERE id < '01890a5d-ac96-774b-bcce-b30200000009' ORDER BY id;
SELECT count(DISTINCT id), bool_and(id IS NOT NULL), bool_and(published_at <= clock_timestamp()) FROM mine;

-- from a trigger, of a role that may do nothing but publish
CREATE TABLE outbox_business (n int);
CREATE FUNCTION outbox_business_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.publish('outbox_insert.trigger', to_jsonb(NEW));
    INSERT INTO baton.outbox (topic, payload) VALUES ('outbox_insert.trigger', to_jsonb(NEW));
    RETURN NEW;
END $$;
CREATE TRIGGER changed AFTER INSERT ON outbox_business FOR EACH ROW EXECUTE FUNCTION outbox_business_changed();
CREATE ROLE baton_publisher;
GRANT INSERT ON outbox_business TO baton_publisher;
GRANT USAGE ON SCHEMA baton TO baton_publisher;
GRANT INSERT ON baton.outbox TO baton_publisher;
SELECT baton.grant_topic('outbox_insert.trigger', 'baton_publisher');
GRANT EXECUTE ON FUNCTION baton.publish TO baton_publisher;
SET ROLE baton_publisher;
INSERT INTO outbox_business VALUES (1), (2);
SELECT pg_temp.sqlstate_of('SELECT FROM baton.outbox');
RESET ROLE;
SELECT payload, count(*) FROM mine WHERE topic = 'outbox_insert.trigger' GROUP BY payload ORDER BY payload;
DROP TABLE outbox_business;
DROP FUNCTION outbox_business_changed;
REVOKE ALL ON SCHEMA baton FROM baton_publisher;
REVOKE ALL ON FUNCTION baton.publish FROM baton_publisher;
REVOKE ALL ON baton.outbox FROM baton_publisher;
DROP ROLE baton_publisher;

-- only with the transaction, and only with the savepoint
BEGIN;
INSERT INTO baton.outbox (topic, payload) VALUES ('outbox_insert.rolled_back', '1');
SELECT baton.publish('outbox_insert.rolled_back', '2') IS NOT NULL;
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT baton.publish('outbox_insert.rolled_back', '3') IS NOT NULL;
ROLLBACK TO s;
INSERT INTO baton.outbox (topic, payload) VALUES ('outbox_insert.kept', '4');
COMMIT;
SELECT topic, payload FROM mine WHERE topic IN ('outbox_insert.rolled_back', 'outbox_insert.kept');
-- many in one statement
INSERT INTO baton.outbox (topic, payload) SELECT 'outbox_insert.many', to_jsonb(n) FROM generate_series(1, 1000) AS n;
SELECT count(*), count(DISTINCT id), count(DISTINCT payload) FROM mine WHERE topic = 'outbox_insert.many';

-- refused, the same by function and by insert
SELECT left(topic, 20) AS topic, pg_temp.sqlstate_of(format('SELECT baton.publish(%L, %L)', topic, '1')) AS publish,
    pg_temp.sqlstate_of(format('SELECT baton.publish_batch(ARRAY[%L], %L)', topic, '{1}')) AS publish_batch,
    pg_temp.sqlstate_of(format('INSERT INTO baton.outbox (topic, payload) VALUES (%L, %L)', topic, '1')) AS insert
FROM unnest(ARRAY[NULL, '', '.', 'outbox_insert.', '.a', 'a..b', 'a.*', '#', 'a.b*', E'a\nb', E'a\x7f', repeat('t', 256)]) AS topic;
SELECT what, pg_temp.sqlstate_of(format('SELECT baton.publish(%L, %s)', 'outbox_insert.refused', arguments)) AS publish,
    pg_temp.sqlstate_of(format('INSERT INTO baton.outbox (topic, payload, headers) VALUES (%L, %s)', 'outbox_insert.refused', arguments)) AS insert
FROM (VALUES ('neither payload nor body', 'NULL, NULL'), ('headers no object', $$'1', '[1]'$$), ('headers null in JSON', $$'1', 'null'$$)) AS bad (what, arguments);
SELECT pg_temp.sqlstate_of($$ INSERT INTO baton.outbox DEFAULT VALUES $$),
    pg_temp.sqlstate_of($$ UPDATE baton.outbox SET topic = 'outbox_insert.other' $$), pg_temp.sqlstate_of('DELETE FROM baton.outbox');
SELECT count(*) FROM mine WHERE topic IN ('outbox_insert.refused', 'outbox_insert.other');
SELECT baton.publish('outbox_insert..double', '1');
-- the longest topic, and words of anything else
SELECT topic = repeat('t', 255) AS is_long, pg_temp.sqlstate_of(format('SELECT baton.publish(%L, %L)', topic, '1'))
FROM unnest(ARRAY[repeat('t', 255), 'outbox_insert.a b', U&'outbox_insert.\00E9', 'outbox_insert.-', 'outbox_insert.''"\']) AS topic;

-- a subscription in time receives all of them; they are taken off here
SELECT baton.create_queue('outbox_insert');
SELECT count(*) AS waiting FROM mine \gset
SELECT baton.subscribe('outbox_insert.#', 'outbox_insert'), baton.subscribe(repeat('t', 255), 'outbox_insert');
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
CALL pg_temp.wait_until('NOT EXISTS (SELECT FROM mine)');
SELECT count(*) - 1 = :waiting AS all_came, count(DISTINCT id) - 1 = :waiting AS each_once FROM baton.receive('outbox_insert', 10000);
SELECT baton.drop_queue('outbox_insert', true);
