-- first_delivery: a consumer's memory of what it has handled, kept with the effect. DUP-04, DUP-05, DUP-06, DUP-09, ARG-09
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;

-- true once for each consumer
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000001');
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000001');
SELECT baton.first_delivery('inbox 2', '01890a5d-ac96-774b-bcce-b30200000001'), baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000002');
-- rolled back with the effect
BEGIN;
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000003');
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000003');
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000003');
ROLLBACK TO s;
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000003');
COMMIT;
SELECT baton.first_delivery('inbox', '01890a5d-ac96-774b-bcce-b30200000003');

-- many: the new ones, in the order given, each once
SELECT baton.first_delivery_batch('inbox', '{01890a5d-ac96-774b-bcce-b30200000009,01890a5d-ac96-774b-bcce-b30200000003,
    01890a5d-ac96-774b-bcce-b30200000007,01890a5d-ac96-774b-bcce-b30200000009,01890a5d-ac96-774b-bcce-b30200000008}');
SELECT baton.first_delivery_batch('inbox', '{01890a5d-ac96-774b-bcce-b30200000008,01890a5d-ac96-774b-bcce-b30200000006}');
SELECT count(*) FROM baton.first_delivery_batch('inbox', '{}');
SELECT count(*), count(DISTINCT id), bool_and(id = given[number]) AS is_in_order
FROM (SELECT array_agg(gen_random_uuid()) FROM generate_series(1, 10000)) AS g (given),
    baton.first_delivery_batch('inbox many', given) WITH ORDINALITY AS fresh (id, number);

-- names are compared byte by byte
SELECT consumer, baton.first_delivery(consumer, '01890a5d-ac96-774b-bcce-b30200000001')
FROM unnest(ARRAY['Inbox', 'inbox ', ' inbox', '1-1', '11', U&'\00E9', U&'e\0301', 'a''b"c', repeat('c', 1000)]) WITH ORDINALITY AS c (consumer, n)
WHERE length(consumer) < 100 ORDER BY n;
SELECT baton.first_delivery(repeat('c', 1000), '01890a5d-ac96-774b-bcce-b30200000001'), baton.first_delivery(repeat('c', 1001), '01890a5d-ac96-774b-bcce-b30200000001');

-- null is an error, not a silent nothing
SELECT call, pg_temp.sqlstate_of('SELECT ' || call) FROM unnest(ARRAY[
    $$baton.first_delivery(NULL, gen_random_uuid())$$, $$baton.first_delivery('inbox', NULL)$$, $$baton.first_delivery('', gen_random_uuid())$$,
    $$baton.first_delivery_batch(NULL, '{}')$$, $$baton.first_delivery_batch('', '{}')$$, $$baton.first_delivery_batch('inbox', '{NULL}')$$,
    $$baton.first_delivery_batch('inbox', ARRAY[ARRAY[gen_random_uuid()]])$$, $$baton.first_delivery('inbox', 'x')$$]) AS call;
SELECT baton.first_delivery('inbox', NULL);

-- effect, memory and acknowledgement are one; a redelivery, even after the queue was dropped and made anew, is told apart
SELECT baton.create_queue('inbox');
SELECT baton.send('inbox', '1', id => '01890a5d-ac96-774b-bcce-b30200000010') IS NOT NULL;
BEGIN;
SELECT baton.first_delivery('inbox', id), baton.ack(receipt) FROM baton.receive('inbox');
COMMIT;
SELECT baton.drop_queue('inbox');
SELECT baton.create_queue('inbox');
SELECT baton.send('inbox', '1', id => '01890a5d-ac96-774b-bcce-b30200000010') IS NOT NULL;
SELECT baton.first_delivery('inbox', id), baton.ack(receipt) FROM baton.receive('inbox');
SELECT baton.drop_queue('inbox');
