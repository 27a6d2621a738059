-- The extension's own life, in a database of its own: made, dropped with everything in it, and made again. EXT-07, EXT-09, EXT-10
SELECT current_database() AS home \gset
CREATE DATABASE baton_life;
\connect baton_life
CREATE FUNCTION sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE PROCEDURE wait_until(condition text) LANGUAGE plpgsql AS $$
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
-- What is left of it in this database.
CREATE FUNCTION residue() RETURNS bigint LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'baton') + (SELECT count(*) FROM pg_class WHERE relname ~ '^q\d+')
        + (SELECT count(*) FROM pg_proc WHERE probin LIKE '%baton%') + (SELECT count(*) FROM pg_extension WHERE extname = 'baton')
$$;

-- a schema of that name that somebody else made is not taken over
CREATE SCHEMA baton;
SELECT sqlstate_of('CREATE EXTENSION baton');
DROP SCHEMA baton;
SELECT sqlstate_of('CREATE EXTENSION baton SCHEMA public');
SELECT residue();

CREATE EXTENSION baton;
SELECT sqlstate_of('CREATE EXTENSION baton');
CREATE EXTENSION IF NOT EXISTS baton;
-- its worker comes
CALL wait_until($$ EXISTS (SELECT FROM baton.workers WHERE database = current_database() AND state = 'running') $$);

-- without queues it goes as it came
DROP EXTENSION baton;
SELECT residue();
CREATE EXTENSION baton;
-- with queues only with all of them
SELECT baton.create_queue('life');
SELECT baton.send('life', '1') IS NOT NULL;
SELECT baton.publish('life.event', '1') IS NOT NULL;
SELECT sqlstate_of('DROP EXTENSION baton'), sqlstate_of('DROP SCHEMA baton CASCADE');
SELECT payload, receipt FROM baton.receive('life') \gset
SET client_min_messages = warning;
-- in a transaction that changes its mind
BEGIN;
DROP EXTENSION baton CASCADE;
SELECT residue();
SAVEPOINT s;
SELECT baton.send('life', '2');
ROLLBACK TO s;
SELECT count(*) > 0 FROM pg_class;
ROLLBACK;
SELECT baton.ack(:'receipt');
SELECT baton.send('life', '2') IS NOT NULL;
DROP EXTENSION baton CASCADE;
SELECT residue();
SELECT sqlstate_of($$ SELECT baton.send('life', '3') $$);

-- again: nothing of the old queues, and all works, the worker too
CREATE EXTENSION baton;
SELECT count(*) FROM baton.queues;
SELECT baton.create_queue('life');
SELECT payload FROM baton.receive('life');
SELECT baton.try_ack_batch(ARRAY[:'receipt']::baton.receipt[]);
SELECT baton.subscribe('life.*', 'life');
SELECT baton.publish('life.event', '"new"') IS NOT NULL;
CALL wait_until($$ (SELECT count(*) FROM baton.peek('life')) = 1 $$);
SELECT payload, topic FROM baton.receive('life');

-- many times over, in one session
DO $$
BEGIN
    FOR round IN 1..5 LOOP
        EXECUTE 'DROP EXTENSION baton CASCADE';
        COMMIT;
        EXECUTE 'CREATE EXTENSION baton';
        PERFORM baton.create_queue('life');
        PERFORM baton.send('life', to_jsonb(round));
        COMMIT;
        ASSERT (SELECT payload FROM baton.receive('life')) = to_jsonb(round);
    END LOOP;
END $$;
-- dropped for good: the worker leaves, and the database can be dropped
DROP EXTENSION baton CASCADE;
\connect :home
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
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.workers WHERE database = 'baton_life' AND pid IS NOT NULL) $$);
DROP DATABASE baton_life;
CALL pg_temp.wait_until($$ NOT EXISTS (SELECT FROM baton.workers WHERE database = 'baton_life') $$);
