-- Messages with a long delay wait outside of the segments, and come in time. CLM-05
SELECT baton.create_queue('later');
CREATE FUNCTION pg_temp.stored_later() RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM baton._later AS l JOIN baton._queue AS q ON q.id = l.queue WHERE q.name = 'later'
$$;
SELECT baton.send('later', '"hour"', delay => '1 hour', id => '00000000-0000-7000-8000-000000000001');
SELECT baton.send('later', '"minute"', delay => '50 s') IS NOT NULL;
SELECT pg_temp.stored_later();
SELECT payload, state FROM baton.peek('later') ORDER BY payload;
SELECT state FROM baton.find_message('later', '00000000-0000-7000-8000-000000000001');
SELECT baton.drop_queue('later');
SELECT baton.cancel('later', '00000000-0000-7000-8000-000000000001');
SELECT baton.send('later', '"hour"', delay => '1 hour', id => '00000000-0000-7000-8000-000000000002');
SELECT baton.dead_letter('later', '00000000-0000-7000-8000-000000000002');
SELECT payload, reason FROM baton.dead_letters WHERE queue = 'later';
SELECT cardinality(baton.send_batch('later', '{1,2,3}', delay => '1 hour'));
SELECT baton.purge_queue('later'), pg_temp.stored_later();

-- the worker brings them when they are due, with all that they had
SET baton.later_threshold = 0;
SELECT baton.send('later', '"soon"', headers => '{"h": 1}', key => 'k', delay => '200 ms', priority => 3, body => '\x01') IS NOT NULL;
SELECT pg_temp.stored_later();
SELECT payload, headers, key, priority, body, attempt FROM baton.receive('later', wait => '20 s');
SELECT pg_temp.stored_later();
-- also if their transaction ends after that
BEGIN;
SELECT baton.send('later', '"overdue"', delay => '10 ms') IS NOT NULL;
SELECT pg_sleep(0.1);
COMMIT;
SELECT payload FROM baton.receive('later', wait => '20 s');
BEGIN;
SELECT baton.send('later', '"overdue"', delay => '10 ms') IS NOT NULL, baton.send('later', '"due after it"', delay => '500 ms') IS NOT NULL;
SELECT pg_sleep(0.1);
COMMIT;
SELECT payload FROM baton.receive('later', wait => '20 s');
SELECT payload FROM baton.receive('later', wait => '20 s');
-- one that was rolled back never comes
BEGIN;
SELECT baton.send('later', '"never"', delay => '10 ms') IS NOT NULL;
ROLLBACK;
SELECT count(*) FROM baton.receive('later', wait => '100 ms');
SELECT baton.drop_queue('later', true);
