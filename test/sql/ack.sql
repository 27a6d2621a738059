-- ack completes a message with the transaction of its effect, or raises and says why. LSE-01, LSE-12
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
CREATE FUNCTION pg_temp.ack(receipt text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.detail_of(format('SELECT baton.ack(%L)', $1))
$$;
SELECT baton.create_queue('ack');
CREATE TEMP TABLE effect (what text);

-- effect and acknowledgement are one
SELECT baton.send('ack', '"paid"') IS NOT NULL;
BEGIN;
SELECT receipt FROM baton.receive('ack') \gset
INSERT INTO effect VALUES ('paid');
SELECT baton.ack(:'receipt');
-- twice in the transaction
SELECT pg_temp.ack(:'receipt');
COMMIT;
SELECT what, (SELECT count(*) FROM baton.peek('ack')) AS left_over FROM effect;
-- and again after it
SELECT pg_temp.ack(:'receipt');

-- rolled back: the lease holds on, and the message is acknowledged by the same receipt
SELECT baton.send('ack', '"again"') IS NOT NULL;
SELECT receipt FROM baton.receive('ack') \gset
BEGIN;
SELECT baton.ack(:'receipt');
ROLLBACK;
SELECT state, attempts FROM baton.peek('ack');
SELECT pg_temp.ack(:'receipt');
-- rolled back for good: delivered again when the lease ends
SELECT baton.send('ack', '"once more"') IS NOT NULL;
SELECT receipt FROM baton.receive('ack') \gset
BEGIN;
SELECT baton.ack(:'receipt');
ROLLBACK;
SET baton.clock_shift = 31;
SELECT payload, attempt, receipt AS second FROM baton.receive('ack') \gset
SELECT :'payload' AS payload, :attempt AS attempt;

-- a lease that somebody else got later is lost, and the effect goes with it
BEGIN;
INSERT INTO effect VALUES ('late');
SELECT baton.ack(:'receipt');
COMMIT;
SELECT count(*) FROM effect WHERE what = 'late';
SELECT pg_temp.ack(:'receipt'), pg_temp.ack(:'second');
SELECT pg_temp.ack(:'receipt');
RESET baton.clock_shift;

-- one that ran out and was not handed out again is not lost
SELECT baton.send('ack', '"slow"') IS NOT NULL;
SELECT receipt FROM baton.receive('ack') \gset
SET baton.clock_shift = 3600;
SELECT state FROM baton.peek('ack');
SELECT pg_temp.ack(:'receipt');
RESET baton.clock_shift;

-- given back or retried: not ours any more, also before anybody else gets it
SELECT cardinality(baton.send_batch('ack', '{1,2,3}'));
SELECT array_agg(receipt) AS receipts FROM baton.receive('ack', 3) \gset
SELECT baton.release((:'receipts'::baton.receipt[])[1]), baton.nack((:'receipts'::baton.receipt[])[2]),
    baton.nack((:'receipts'::baton.receipt[])[3], class => 'permanent');
SELECT pg_temp.ack(r::text) FROM unnest(:'receipts'::baton.receipt[]) AS r;

-- some of a batch lost: none is acknowledged and no effect stays
SELECT baton.purge_queue('ack', true);
SELECT cardinality(baton.send_batch('ack', '{1,2,3}'));
SELECT array_agg(receipt) AS receipts FROM baton.receive('ack', 3) \gset
SELECT baton.release((:'receipts'::baton.receipt[])[3]);
BEGIN;
INSERT INTO effect VALUES ('batch');
SELECT baton.ack_batch(:'receipts');
COMMIT;
SELECT count(*) FROM effect WHERE what = 'batch';
SELECT state, count(*) FROM baton.peek('ack') GROUP BY state ORDER BY state;
-- but each by itself is, with the transaction
BEGIN;
SELECT baton.try_ack_batch(:'receipts');
ROLLBACK;
SELECT count(*) FROM baton.peek('ack');
SELECT baton.try_ack_batch(:'receipts');
SELECT count(*) FROM baton.peek('ack');

-- from a trigger, as part of the effect
CREATE TEMP TABLE work_done (receipt text);
CREATE FUNCTION pg_temp.ack_it() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM baton.ack(NEW.receipt);
    RETURN NEW;
END $$;
CREATE TRIGGER ack BEFORE INSERT ON work_done FOR EACH ROW EXECUTE FUNCTION pg_temp.ack_it();
INSERT INTO work_done SELECT receipt FROM baton.receive('ack');
SELECT count(*) FROM baton.peek('ack');
SELECT pg_temp.detail_of('INSERT INTO work_done SELECT receipt FROM work_done');
SELECT count(*) FROM work_done;

SELECT baton.drop_queue('ack', true);
