-- release gives a message back uncounted, extend holds it longer; both act at once. LSE-08, LSE-09, FIF-03
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('hold', '{"max_attempts": 2}');
SELECT baton.send('hold', '1') IS NOT NULL;

-- released: receivable at once, as if it had not been tried; the receipt is worth nothing any more
SELECT receipt FROM baton.receive('hold') \gset
SELECT baton.release(:'receipt');
SELECT state, attempts FROM baton.peek('hold');
SELECT pg_temp.sqlstate_of(format('SELECT baton.%s(%L)', f, :'receipt')) FROM unnest('{release,extend,ack,nack}'::text[]) AS f;
SELECT attempt, receipt FROM baton.receive('hold') \gset
SELECT :attempt AS attempt;
-- a rollback does not take it back
BEGIN;
SELECT baton.release(:'receipt');
SELECT attempt, receipt FROM baton.receive('hold') \gset
SELECT baton.release(:'receipt');
ROLLBACK;
SELECT state, attempts FROM baton.peek('hold');
-- however often: no attempt is used up
DO $$
BEGIN
    FOR round IN 1..20 LOOP
        PERFORM baton.release(receipt) FROM baton.receive('hold');
    END LOOP;
END $$;
SELECT attempt FROM baton.receive('hold');
SELECT baton.purge_queue('hold', true);
-- an attempt that failed before stays counted
SELECT baton.send('hold', '2') IS NOT NULL;
SELECT baton.nack(receipt, delay => '0') FROM baton.receive('hold');
SELECT attempt, baton.release(receipt) FROM baton.receive('hold');
SELECT attempt, receipt FROM baton.receive('hold') \gset
SELECT :attempt AS attempt, baton.nack(:'receipt');

-- extended: from now on, for the queue's time or the given one, longer or shorter
SELECT baton.send('hold', '3') IS NOT NULL;
SELECT receipt FROM baton.receive('hold') \gset
SELECT clock_timestamp() AS before \gset
SELECT baton.extend(:'receipt') BETWEEN :'before'::timestamptz + '30 s' AND clock_timestamp() + '30 s' AS is_default;
SELECT baton.extend(:'receipt', '1 h') BETWEEN :'before'::timestamptz + '1 h' AND clock_timestamp() + '1 h' AS is_longer;
SET baton.clock_shift = 3590;
SELECT count(*) FROM baton.receive('hold');
SELECT baton.extend(:'receipt', '20 s') IS NOT NULL AS is_extended;
SET baton.clock_shift = 3605;
SELECT count(*) FROM baton.receive('hold');
SELECT baton.extend(:'receipt', NULL) > clock_timestamp() + '3634 s' AS is_default;
RESET baton.clock_shift;
-- each extension tells the end that the row has
BEGIN;
SELECT baton.extend(:'receipt', '3 h') AS until \gset
ROLLBACK;
SELECT state, attempts, visible_at = :'until' AS is_as_told FROM baton.peek('hold');
-- a lease that ran out can be had again as long as nobody else has it
SET baton.clock_shift = 20000;
SELECT state FROM baton.peek('hold');
SELECT baton.extend(:'receipt', '1 min') IS NOT NULL AS is_extended;
SELECT state FROM baton.peek('hold');
SET baton.clock_shift = 20061;
SELECT attempt FROM baton.receive('hold', consumer => 'another');
SELECT pg_temp.sqlstate_of(format('SELECT baton.extend(%L)', :'receipt')), pg_temp.sqlstate_of(format('SELECT baton.release(%L)', :'receipt'));
RESET baton.clock_shift;
SELECT baton.purge_queue('hold', true);

-- a consumer of the same name extends nothing by being there
SELECT baton.send('hold', '4') IS NOT NULL;
SELECT count(*) FROM baton.receive('hold', consumer => 'pod-0');
SET baton.clock_shift = 20;
SELECT baton.send('hold', '5') IS NOT NULL;
SELECT baton.extend(receipt) IS NOT NULL AS is_extended FROM baton.receive('hold', consumer => 'pod-0');
SET baton.clock_shift = 31;
SELECT payload, attempt FROM baton.receive('hold', 10, consumer => 'pod-0');
RESET baton.clock_shift;
SELECT baton.purge_queue('hold', true);

-- bounds
SELECT baton.send('hold', '6') IS NOT NULL;
SELECT receipt FROM baton.receive('hold') \gset
SELECT timeout, pg_temp.sqlstate_of(format('SELECT baton.extend(%L, %L)', :'receipt', timeout)) FROM unnest(ARRAY[
    '0', '-1 s', '999 us', '1 ms', '10 years', '11 years', '178000000 years', '-178000000 years']) AS timeout;
SELECT timeout, pg_temp.sqlstate_of(format('SELECT baton.receive(%L, visibility_timeout => %L)', 'hold', timeout)) FROM unnest(ARRAY[
    '0', '-1 s', '999 us', '1 ms', '10 years', '11 years', '178000000 years', '-178000000 years']) AS timeout;
SELECT pg_temp.sqlstate_of('SELECT baton.extend(NULL)'), pg_temp.sqlstate_of('SELECT baton.extend(NULL, NULL)'),
    pg_temp.sqlstate_of('SELECT baton.release(NULL)');

SELECT baton.drop_queue('hold', true);
