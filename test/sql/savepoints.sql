-- Savepoints: what is rolled back did not happen, what acts at once did. After a failed effect ROLLBACK TO, then nack. TXN-04
CREATE FUNCTION pg_temp.detail_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN sqlstate || ' ' || detail;
END $$;
SELECT baton.create_queue('savepoints', '{"backoff_base": "0", "backoff_cap": "0"}');

-- sent in a savepoint that is rolled back: never delivered; the others are
BEGIN;
SELECT baton.send('savepoints', '"before"') IS NOT NULL;
SAVEPOINT one;
SELECT baton.send('savepoints', '"rolled back"') IS NOT NULL;
SAVEPOINT two;
SELECT cardinality(baton.send_batch('savepoints', '{1,2,3}'));
RELEASE two;
ROLLBACK TO one;
SELECT baton.send('savepoints', '"after"') IS NOT NULL;
SAVEPOINT three;
SELECT baton.send('savepoints', '"released"') IS NOT NULL;
RELEASE three;
COMMIT;
SELECT payload FROM baton.receive('savepoints', 10);
SELECT baton.purge_queue('savepoints', true);

-- ack, ROLLBACK TO, nack
SELECT cardinality(baton.send_batch('savepoints', '{1,2,3,4}'));
SELECT array_agg(receipt) AS r FROM baton.receive('savepoints', 10) \gset
BEGIN;
SAVEPOINT effect;
SELECT baton.ack((:'r'::baton.receipt[])[1]);
ROLLBACK TO effect;
SELECT baton.nack((:'r'::baton.receipt[])[1], 'the effect failed');
COMMIT;
-- ack, ROLLBACK TO, ack; ack, RELEASE
BEGIN;
SAVEPOINT effect;
SELECT baton.ack((:'r'::baton.receipt[])[2]);
ROLLBACK TO effect;
SELECT baton.ack((:'r'::baton.receipt[])[2]);
SAVEPOINT effect;
SELECT baton.ack((:'r'::baton.receipt[])[3]);
RELEASE effect;
SAVEPOINT nothing;
ROLLBACK TO nothing;
COMMIT;
-- ack, then nack, extend or release, is refused while the ack stands
BEGIN;
SELECT baton.ack((:'r'::baton.receipt[])[4]);
SELECT f, pg_temp.detail_of(format('SELECT baton.%s(%L)', f, (:'r'::baton.receipt[])[4])) FROM unnest('{nack,extend,release,ack}'::text[]) AS f;
SELECT baton.try_nack((:'r'::baton.receipt[])[4]), baton.try_ack_batch(ARRAY[(:'r'::baton.receipt[])[4]]);
COMMIT;
SELECT payload, attempts FROM baton.peek('savepoints');
SELECT payload, attempt FROM baton.receive('savepoints', 10);
SELECT baton.purge_queue('savepoints', true);

-- a message nacked to the dead letters in a savepoint that is rolled back lives, and its lease holds
SELECT baton.send('savepoints', '"dead or alive"') IS NOT NULL;
SELECT receipt FROM baton.receive('savepoints') \gset
BEGIN;
SAVEPOINT s;
SELECT baton.nack(:'receipt', class => 'permanent');
ROLLBACK TO s;
SELECT baton.extend(:'receipt') IS NOT NULL AS is_held;
COMMIT;
SELECT count(*) FROM baton.dead_letters WHERE queue = 'savepoints';
-- receive, release and a retrying nack in one act at once
BEGIN;
SAVEPOINT s;
SELECT baton.nack(:'receipt');
ROLLBACK TO s;
SELECT attempt, receipt FROM baton.receive('savepoints') \gset
ROLLBACK;
SELECT attempts, state FROM baton.peek('savepoints');
SELECT baton.ack(:'receipt');

-- an exception block is a savepoint: one bad message of a batch takes only its own effect with it
CREATE TEMP TABLE effect (payload jsonb);
SELECT cardinality(baton.send_batch('savepoints', '{1,2,0,4}'));
DO $$
DECLARE
    message baton.message;
BEGIN
    FOR message IN SELECT * FROM baton.receive('savepoints', 10) LOOP
        BEGIN
            INSERT INTO effect VALUES (message.payload);
            PERFORM baton.ack(message.receipt);
            PERFORM 1 / message.payload::int;
        EXCEPTION WHEN division_by_zero THEN
            PERFORM baton.nack(message.receipt, sqlerrm, 'permanent');
        END;
    END LOOP;
END $$;
SELECT array_agg(payload ORDER BY payload) FROM effect;
SELECT payload, reason, error FROM baton.dead_letters WHERE queue = 'savepoints';
SELECT count(*) FROM baton.peek('savepoints');

-- many of them: what was sent in each is found again
DO $$
BEGIN
    FOR n IN 1..200 LOOP
        BEGIN
            PERFORM baton.send('savepoints', to_jsonb(n));
            IF n % 2 = 0 THEN
                RAISE 'undo';
            END IF;
        EXCEPTION WHEN raise_exception THEN
            NULL;
        END;
    END LOOP;
END $$;
SELECT count(*), bool_and(payload::int % 2 = 1) FROM baton.receive('savepoints', 1000);
SELECT baton.purge_queue('savepoints', true);
DO $$
DECLARE
    message baton.message;
BEGIN
    PERFORM baton.send_batch('savepoints', array_agg(to_jsonb(n))) FROM generate_series(1, 200) AS n;
    COMMIT;
    FOR message IN SELECT * FROM baton.receive('savepoints', 1000) LOOP
        BEGIN
            PERFORM baton.ack(message.receipt);
            IF message.payload::int % 2 = 0 THEN
                RAISE 'undo';
            END IF;
        EXCEPTION WHEN raise_exception THEN
            NULL;
        END;
    END LOOP;
END $$;
SELECT count(*), bool_and(payload::int % 2 = 0) FROM baton.peek('savepoints', 1000);
SET baton.clock_shift = 31;
SELECT count(*), bool_and(payload::int % 2 = 0) FROM baton.receive('savepoints', 1000);
RESET baton.clock_shift;

-- what the end of the transaction has to tell does not grow with the subtransactions
SELECT baton.purge_queue('savepoints', true) > 0;
CREATE TEMPORARY TABLE memory AS SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts;
DO $$
BEGIN
    FOR i IN 1 .. 5000 LOOP
        BEGIN
            PERFORM baton.send('savepoints', '1');
        EXCEPTION WHEN division_by_zero THEN
            NULL;
        END;
    END LOOP;
END $$;
SELECT sum(total_bytes) - (SELECT bytes FROM memory) < 1000000 AS is_little FROM pg_backend_memory_contexts;
SELECT count(*) FROM baton.receive('savepoints', 10000);
DROP TABLE memory;

SELECT baton.drop_queue('savepoints', true);
