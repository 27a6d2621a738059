-- Delays and leases are exact durations on one clock, whatever the session's zone; a waiting receive wakes in time.
-- LSE-04, ARG-07, TIM-01, TIM-02, TIM-03
-- Delayed messages stay in the segment, where this session's shifted clock brings them out.
SET baton.later_threshold = '20000 d';
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
-- How long a statement takes.
CREATE FUNCTION pg_temp.time_of(statement text) RETURNS interval LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    RETURN clock_timestamp() - started;
END $$;
SELECT baton.create_queue('clock');

-- not a moment before
SELECT baton.send('clock', '1', delay => '1 h') IS NOT NULL;
SELECT count(*) FROM baton.receive('clock');
SET baton.clock_shift = 3590;
SELECT count(*) FROM baton.receive('clock');
SELECT state FROM baton.peek('clock');
SET baton.clock_shift = 3601;
SELECT state FROM baton.peek('clock');
SELECT attempt FROM baton.receive('clock');
RESET baton.clock_shift;
SELECT baton.purge_queue('clock', true);
-- at a time; one that is past is now
SELECT baton.send('clock', '"soon"', deliver_at => clock_timestamp() + '1 h') IS NOT NULL;
SELECT baton.send('clock', '"past"', deliver_at => '1999-12-31 23:59:59+00') IS NOT NULL;
SELECT baton.send('clock', '"the epoch"', deliver_at => '2000-01-01 00:00:00+00') IS NOT NULL;
SELECT payload FROM baton.receive('clock', 10);
SET baton.clock_shift = 3601;
SELECT payload FROM baton.receive('clock', 10) WHERE payload = '"soon"';
RESET baton.clock_shift;
SELECT baton.purge_queue('clock', true);

-- a day has 24 hours and a month 30 days, also across a change to summer time in the session's zone
SET timezone = 'Europe/Berlin';
SELECT baton.send('clock', '"1 day"', delay => '1 day') IS NOT NULL;
SELECT baton.send('clock', '"1 month"', delay => '1 month') IS NOT NULL;
SELECT baton.send('clock', '"1 year"', delay => '1 year') IS NOT NULL;
SET timezone = 'Asia/Kolkata';
SET datestyle = 'SQL, DMY';
SELECT payload, extract(epoch FROM visible_at - enqueued_at) / 86400.0 = CASE payload #>> '{}'
    WHEN '1 day' THEN 1 WHEN '1 month' THEN 30 WHEN '1 year' THEN 360 END AS is_exact FROM baton.peek('clock');
RESET timezone;
RESET datestyle;
SELECT baton.purge_queue('clock');

-- a lease ends where it says
SELECT baton.send('clock', '1') IS NOT NULL;
SELECT count(*) FROM baton.receive('clock', visibility_timeout => '100 s');
SET baton.clock_shift = 99;
SELECT count(*) FROM baton.receive('clock');
SET baton.clock_shift = 101;
SELECT attempt FROM baton.receive('clock', visibility_timeout => '1 h');
-- the clock set back by less than the lease: it goes on; by more: it is given up, not held for the step on top
SET baton.clock_shift = 0;
SELECT count(*) FROM baton.receive('clock');
SET baton.clock_shift = -3700;
SELECT attempt FROM baton.receive('clock');
RESET baton.clock_shift;
SELECT baton.purge_queue('clock', true);
-- only a superuser may shift it
CREATE ROLE baton_clock;
SET ROLE baton_clock;
SET baton.clock_shift = 1;
RESET ROLE;
DROP ROLE baton_clock;

-- waiting: as long as asked for, and no longer
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => '50 ms') $$) BETWEEN '50 ms' AND '10 s' AS has_waited;
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => '0') $$) < '10 s' AS has_not;
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => NULL) $$) < '10 s' AS has_not;
SELECT wait, pg_temp.sqlstate_of(format('SELECT baton.receive(%L, wait => %L)', 'clock', wait)) AS receive,
    pg_temp.sqlstate_of(format('CALL baton.wait(%L, %L)', 'clock', wait)) AS wait
FROM unnest('{-1 us,-178000000 years,178000000 years,11 years}'::text[]) AS wait;
-- baton.max_wait cuts it
SET baton.max_wait = '20 ms';
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => '1 h') $$) BETWEEN '20 ms' AND '10 s' AS is_cut,
    pg_temp.time_of($$ CALL baton.wait('clock', '1 h') $$) BETWEEN '20 ms' AND '10 s' AS is_cut_too,
    pg_temp.time_of($$ CALL baton.wait('clock') $$) BETWEEN '20 ms' AND '10 s' AS is_default_cut;
SET baton.max_wait = 0;
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => '1 h') $$) < '10 s' AS is_cut;
SELECT pg_temp.sqlstate_of('SET baton.max_wait = -1');
RESET baton.max_wait;

-- what becomes due meanwhile ends the wait: a delayed message, a retry, a lease
SELECT clock_timestamp() AS started \gset
SELECT baton.send('clock', '"delayed"', delay => '100 ms') IS NOT NULL;
SELECT payload, attempt FROM baton.receive('clock', visibility_timeout => '100 ms', wait => '30 s');
SELECT payload, attempt, receipt FROM baton.receive('clock', wait => '30 s') \gset
SELECT :'payload' AS payload, :attempt AS attempt, baton.nack(:'receipt', delay => '100 ms');
SELECT payload, attempt FROM baton.receive('clock', wait => '30 s');
SELECT clock_timestamp() - :'started' BETWEEN '300 ms' AND '20 s' AS is_in_time;
SELECT baton.purge_queue('clock', true);
SELECT baton.send('clock', '"delayed"', delay => '300 ms') IS NOT NULL;
SELECT count(*) FROM baton.receive('clock');
SELECT pg_temp.time_of($$ CALL baton.wait('clock', '30 s') $$) < '20 s' AS is_in_time;
SELECT payload FROM baton.receive('clock');
-- what is there already ends it at once
SELECT baton.send('clock', '"there"') IS NOT NULL;
SELECT pg_temp.time_of($$ CALL baton.wait('clock', '30 s') $$) < '20 s' AS is_at_once;
SELECT pg_temp.time_of($$ SELECT baton.receive('clock', wait => '30 s') $$) < '20 s' AS is_at_once;
-- a wait is interrupted by the statement's timeout, and takes nothing with it
SET statement_timeout = '50 ms';
SELECT baton.receive('clock', wait => '30 s');
CALL baton.wait('clock', '30 s');
RESET statement_timeout;
SELECT baton.send('clock', '"after"') IS NOT NULL;
SELECT payload FROM baton.receive('clock');

SELECT baton.drop_queue('clock', true);
