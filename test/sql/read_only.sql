-- A read-only transaction can look and nothing more. WRK-16
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('read only');
SELECT cardinality(baton.send_batch('read only', '{1,2}'));
SELECT receipt FROM baton.receive('read only') \gset
SELECT set_config('test.receipt', :'receipt', false) IS NOT NULL;

BEGIN READ ONLY;
SELECT call, pg_temp.sqlstate_of('SELECT ' || call) FROM unnest(ARRAY[
    $$baton.create_queue('read only 2')$$, $$baton.create_queue('read only', if_not_exists => true)$$,
    $$baton.alter_queue('read only', '{}')$$, $$baton.drop_queue('read only')$$, $$baton.purge_queue('read only')$$,
    $$baton.pause_queue('read only')$$, $$baton.resume_queue('read only')$$, $$baton.subscribe('a', 'read only')$$, $$baton.unsubscribe('a', 'read only')$$,
    $$baton.send('read only', '1')$$, $$baton.send_batch('read only', '{1}')$$, $$baton.send_batch('read only', '{}')$$,
    $$baton.receive('read only')$$, $$baton.ack(current_setting('test.receipt'))$$,
    $$baton.ack_batch(ARRAY[current_setting('test.receipt')]::baton.receipt[])$$, $$baton.ack_batch('{}')$$,
    $$baton.try_ack_batch(ARRAY[current_setting('test.receipt')]::baton.receipt[])$$, $$baton.try_ack_batch('{}')$$,
    $$baton.nack(current_setting('test.receipt'))$$, $$baton.nack(current_setting('test.receipt'), class => 'permanent')$$,
    $$baton.try_nack(current_setting('test.receipt'))$$, $$baton.release(current_setting('test.receipt'))$$,
    $$baton.extend(current_setting('test.receipt'))$$, $$baton.redrive('read only', '{}')$$,
    $$baton.publish('a', '1')$$, $$baton.publish_batch('{a}', '{1}')$$, $$baton.publish_batch('{}', '{}')$$,
    $$baton.first_delivery('read only', gen_random_uuid())$$,
    $$baton.first_delivery_batch('read only', ARRAY[gen_random_uuid()])$$]) AS call;
SELECT pg_temp.sqlstate_of($$ INSERT INTO baton.outbox (topic, payload) VALUES ('a', '1') $$);
SELECT payload, state FROM baton.peek('read only');
SELECT queue FROM baton.queues WHERE queue = 'read only';
SELECT count(*) FROM baton.dead_letters WHERE queue = 'read only';
SELECT count(*) FROM baton.subscriptions WHERE queue = 'read only';
SELECT count(*) >= 0 FROM baton.outbox;
SELECT count(*) > 0 FROM baton.workers;
-- a written transaction that turns read-only
COMMIT;
BEGIN;
SELECT baton.send('read only', '3') IS NOT NULL;
SET TRANSACTION READ ONLY;
SELECT pg_temp.sqlstate_of($$ SELECT baton.send('read only', '4') $$);
COMMIT;
-- waiting writes nothing
SET default_transaction_read_only = on;
CALL baton.wait('read only', '10 s');
SELECT baton.send('read only', '5');
RESET default_transaction_read_only;

SELECT payload, state FROM baton.peek('read only');
SELECT baton.ack(:'receipt');
SELECT baton.drop_queue('read only', true);
