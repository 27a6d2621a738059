-- purge_queue deletes what nobody holds, or everything. DDL-06, ARG-06, FIF-01
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('purge', '{"max_attempts": 1}');
SELECT baton.purge_queue('purge'), pg_typeof(baton.purge_queue('purge'));

-- ready, delayed and those whose lease ran out; not those that a consumer holds
SELECT cardinality(baton.send_batch('purge', '{1,2,3,4}'));
SELECT baton.send('purge', '"delayed"', delay => '1 h') IS NOT NULL;
SELECT receipt AS ran_out FROM baton.receive('purge', visibility_timeout => '1 min') \gset
SELECT receipt FROM baton.receive('purge', visibility_timeout => '1 h') \gset
SET baton.clock_shift = 61;
SELECT baton.purge_queue('purge');
SELECT payload, state FROM baton.peek('purge');
RESET baton.clock_shift;
SELECT baton.purge_queue('purge');
-- the holder goes on; the one who came too late is told
SELECT baton.extend(:'receipt') IS NOT NULL AS is_extended, pg_temp.sqlstate_of(format('SELECT baton.ack(%L)', :'ran_out'));
SELECT baton.ack(:'receipt');
SELECT baton.purge_queue('purge', true);

-- all of them
SELECT cardinality(baton.send_batch('purge', '{1,2,3,4}'));
SELECT array_agg(receipt) AS receipts FROM baton.receive('purge', 2) \gset
SELECT baton.purge_queue('purge', include_leased => true);
SELECT count(*) FROM baton.peek('purge');
SELECT baton.try_ack_batch(:'receipts');

-- rolled back: they come back, none lost and no attempt used
SELECT cardinality(baton.send_batch('purge', '{1,2,3}'));
BEGIN;
SELECT baton.purge_queue('purge');
SELECT count(*) FROM baton.peek('purge');
ROLLBACK;
SELECT count(*), max(attempts) FROM baton.peek('purge');
SET baton.clock_shift = 10;
SELECT payload, attempt FROM baton.receive('purge', 10);
RESET baton.clock_shift;
SELECT baton.purge_queue('purge', true);

-- what is being acknowledged by this very transaction is gone already
SELECT cardinality(baton.send_batch('purge', '{1,2,3}'));
BEGIN;
SELECT baton.ack(receipt) FROM baton.receive('purge');
SELECT baton.purge_queue('purge', true);
COMMIT;
-- dead letters and subscriptions are no messages
SELECT baton.send('purge', '"bad"') IS NOT NULL;
SELECT baton.nack(receipt) FROM baton.receive('purge');
SELECT baton.subscribe('purge.#', 'purge');
SELECT baton.purge_queue('purge', true);
SELECT count(*) FROM baton.dead_letters WHERE queue = 'purge';
SELECT count(*) FROM baton.subscriptions WHERE queue = 'purge';

-- many, over many pages
SELECT cardinality(baton.send_batch('purge', array_agg(to_jsonb(n)))) FROM generate_series(1, 50000) AS n;
SELECT count(*) FROM baton.receive('purge', 1000);
SELECT baton.purge_queue('purge');
SELECT baton.purge_queue('purge', true);
-- and the queue goes on
SELECT baton.send('purge', '"after"') IS NOT NULL;
SELECT payload FROM baton.receive('purge', 10);

SELECT pg_temp.sqlstate_of('SELECT baton.purge_queue(NULL)'), pg_temp.sqlstate_of($$ SELECT baton.purge_queue('purge', NULL) $$);
SELECT baton.drop_queue('purge', true);
