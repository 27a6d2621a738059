-- Whose lease is lost is told why and what to do, also when an operator ended it. LSE-12, FIF-01
CREATE FUNCTION pg_temp.ack(receipt text) RETURNS TABLE (detail text, hint text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.ack(receipt);
    detail := 'accepted';
    RETURN NEXT;
EXCEPTION WHEN SQLSTATE 'BT001' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;
SELECT baton.create_queue('lost', '{"max_attempts": 2}');
\x
-- an operator buried it, and perhaps sent it back since
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SELECT baton.dead_letter('lost', :'id');
SELECT * FROM pg_temp.ack(:'receipt');
SELECT baton.redrive('lost', ARRAY[:'id'::uuid]);
SELECT * FROM pg_temp.ack(:'receipt');
SELECT baton.purge_queue('lost');
-- in the very transaction; and it is not given back if that rolls back
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
BEGIN;
SELECT baton.dead_letter('lost', :'id');
SELECT * FROM pg_temp.ack(:'receipt');
ROLLBACK;
SELECT * FROM pg_temp.ack(:'receipt');
SELECT baton.purge_queue('lost', include_leased => true);
-- purged
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SELECT baton.purge_queue('lost', include_leased => true);
SELECT * FROM pg_temp.ack(:'receipt');
-- cancelled after its lease ran out
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SET baton.clock_shift = 31;
SELECT baton.cancel('lost', :'id');
RESET baton.clock_shift;
SELECT * FROM pg_temp.ack(:'receipt');
-- released by hand; then also handed out again
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SELECT baton.release_consumer('lost', 'slow');
SELECT * FROM pg_temp.ack(:'receipt');
SELECT receipt AS second FROM baton.receive('lost') \gset
SELECT * FROM pg_temp.ack(:'receipt');
-- what the consumer itself did, is told as before
SELECT baton.nack(:'second');
SELECT * FROM pg_temp.ack(:'second');
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SELECT baton.nack(:'receipt', class => 'permanent');
SELECT * FROM pg_temp.ack(:'receipt');
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost', consumer => 'slow') \gset
SELECT baton.release(:'receipt');
SELECT * FROM pg_temp.ack(:'receipt');
-- the last lease ran out, and a receive buried it
SELECT receipt AS second FROM baton.receive('lost') \gset
SELECT baton.nack(:'second', delay => '0');
SELECT receipt AS third FROM baton.receive('lost') \gset
SET baton.clock_shift = 31;
SELECT count(*) FROM baton.receive('lost');
RESET baton.clock_shift;
SELECT * FROM pg_temp.ack(:'third');
SELECT * FROM pg_temp.ack(:'second');
-- who had it before is told of the dead letter too
SELECT baton.send('lost', '1') IS NOT NULL AS is_sent \gset
SELECT receipt, id FROM baton.receive('lost') \gset
SET baton.clock_shift = 31;
SELECT receipt AS second FROM baton.receive('lost') \gset
RESET baton.clock_shift;
SELECT baton.dead_letter('lost', :'id');
SELECT * FROM pg_temp.ack(:'receipt');
\x
SELECT baton.drop_queue('lost', true);
