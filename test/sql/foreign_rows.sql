-- Rows that arrive by other ways than send, as after a restore, are messages like any other.
CREATE FUNCTION pg_temp.segment() RETURNS regclass LANGUAGE sql AS $$
    SELECT format('baton.q%s_1', queue_id)::regclass FROM baton.queues WHERE queue = 'foreign'
$$;
SELECT baton.create_queue('foreign');
SELECT pg_temp.segment() AS segment \gset

-- with what a message needs, the rest by default
INSERT INTO :segment (visible_at, enqueued_at, id, payload) VALUES (now(), now(), '01890a5d-ac96-774b-bcce-b30200000001', '"inserted"');
SELECT id, payload, attempt, round, priority FROM baton.receive('foreign', 10);
COPY :segment (visible_at, enqueued_at, id, payload, key) FROM stdin;
2000-01-01	2000-01-01	01890a5d-ac96-774b-bcce-b30200000002	"copied"	k
2000-01-01	2000-01-01	01890a5d-ac96-774b-bcce-b30200000003	"copied too"	\N
\.
SELECT id, payload, attempt, key FROM baton.receive('foreign', 10);
SELECT baton.purge_queue('foreign', true);

-- into a queue that has been looked at and found empty, also by a logical replica's session
SELECT count(*) FROM baton.receive('foreign');
SET session_replication_role = replica;
INSERT INTO :segment (visible_at, enqueued_at, id, payload) VALUES (now(), now(), gen_random_uuid(), '"replicated"');
RESET session_replication_role;
SELECT payload, attempt, baton.ack(receipt) FROM baton.receive('foreign', 10);
-- not before its transaction commits, and not if it does not
BEGIN;
INSERT INTO :segment (visible_at, enqueued_at, id, payload) VALUES (now(), now(), gen_random_uuid(), '"rolled back"');
SELECT count(*) FROM baton.receive('foreign');
ROLLBACK;
SELECT count(*) FROM baton.receive('foreign');
-- many, over many pages
INSERT INTO :segment (visible_at, enqueued_at, id, payload) SELECT now(), now(), gen_random_uuid(), to_jsonb(n) FROM generate_series(1, 20000) AS n;
SELECT count(*), count(DISTINCT payload), baton.ack_batch(array_agg(receipt)) FROM baton.receive('foreign', 100000);
SELECT count(*) FROM baton.peek('foreign');

-- a waiting message, a held one and one that was tried keep their state through a copy of the table
SELECT cardinality(baton.send_batch('foreign', '{1,2,3}'));
SELECT payload, CASE payload WHEN '1' THEN baton.nack(receipt, delay => '0') WHEN '2' THEN 'held' ELSE baton.release(receipt)::text END
FROM baton.receive('foreign', 3, consumer => 'me');
CREATE TEMP TABLE dump AS SELECT * FROM :segment;
TRUNCATE :segment;
SELECT count(*) FROM baton.receive('foreign', 10);
INSERT INTO :segment SELECT * FROM dump;
SELECT payload, state, attempts, consumer FROM baton.peek('foreign') ORDER BY payload;
SELECT payload, attempt FROM baton.receive('foreign', 10) ORDER BY payload;
SET baton.clock_shift = 31;
SELECT payload, attempt FROM baton.receive('foreign', 10) ORDER BY payload;
RESET baton.clock_shift;

-- after VACUUM and VACUUM FULL, too
VACUUM :segment;
VACUUM FULL :segment;
SELECT baton.send('foreign', '4') IS NOT NULL;
SET baton.clock_shift = 100;
SELECT array_agg(payload ORDER BY payload) FROM baton.receive('foreign', 10);
RESET baton.clock_shift;
-- what a segment must not hold is refused
DO $$
BEGIN
    EXECUTE format('INSERT INTO %s (visible_at, enqueued_at, payload) VALUES (now(), now(), %L)', pg_temp.segment(), '"no id"');
EXCEPTION WHEN not_null_violation THEN
    RAISE NOTICE 'refused';
END $$;
SELECT baton.drop_queue('foreign', true);
