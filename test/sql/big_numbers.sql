-- Numbers that have grown for years: the last queue, letters beyond 2^32, attempts and rounds up to their limits. ARG-04
SELECT last_value AS queue_number FROM baton._queue_id_seq \gset
SELECT last_value AS letter_number FROM baton._dead_letter_letter_id_seq \gset
SELECT setval('baton._queue_id_seq', 2147483646), setval('baton._dead_letter_letter_id_seq', 9007199254740992);

SELECT baton.create_queue('big');
SELECT queue_id FROM baton.queues WHERE queue = 'big';
SELECT cardinality(baton.send_batch('big', '{1,2,3,4,5}'));
SELECT array_agg(receipt ORDER BY payload) AS r FROM baton.receive('big', 10, consumer => 'big') \gset
SELECT baton.ack((:'r'::baton.receipt[])[1]), baton.nack((:'r'::baton.receipt[])[2], delay => '0'),
    baton.nack((:'r'::baton.receipt[])[3], class => 'permanent'), baton.extend((:'r'::baton.receipt[])[4]) IS NOT NULL AS is_extended,
    baton.release((:'r'::baton.receipt[])[5]);
SELECT payload, state, attempts FROM baton.peek('big') ORDER BY payload;
SELECT letter_id, payload FROM baton.dead_letters WHERE queue = 'big';
SELECT baton.redrive('big', array_agg(id)) FROM baton.dead_letters WHERE queue = 'big';
SELECT payload, attempt, round FROM baton.receive('big', 10) ORDER BY payload;
SELECT baton.subscribe('big.#', 'big'), baton.unsubscribe('big.#', 'big'), baton.alter_queue('big', '{"max_attempts": 1000000000}');
SELECT baton.purge_queue('big', true);

-- a message just below its last attempt, and one in its umpteenth round
SELECT format('baton.q%s_1', queue_id) AS segment FROM baton.queues WHERE queue = 'big' \gset
INSERT INTO :segment (visible_at, enqueued_at, id, attempts, round, token, payload)
VALUES (now(), now(), '01890a5d-ac96-774b-bcce-b30200000001', 999999998, 2000000000, 2147483645, '1');
SELECT attempt, round, receipt FROM baton.receive('big') \gset
SELECT :attempt AS attempt, :round AS round, baton.nack(:'receipt', delay => '0');
SELECT attempt, baton.nack(receipt) FROM baton.receive('big');
SELECT attempts, round, reason FROM baton.dead_letters WHERE queue = 'big' AND status = 'open';
SELECT baton.redrive('big', '{01890a5d-ac96-774b-bcce-b30200000001}');
SELECT attempt, round, baton.ack(receipt) FROM baton.receive('big');
-- the token goes on beyond the largest: the newest lease counts, an older one is lost
INSERT INTO :segment (visible_at, enqueued_at, id, token, payload) VALUES (now(), now(), gen_random_uuid(), 2147483646, '2');
SELECT receipt AS first FROM baton.receive('big') \gset
SET baton.clock_shift = 31;
SELECT receipt AS second FROM baton.receive('big') \gset
SET baton.clock_shift = 62;
SELECT receipt AS third FROM baton.receive('big') \gset
SELECT baton.try_ack_batch(ARRAY[:'first', :'second']::baton.receipt[]), baton.try_nack(:'second');
SELECT baton.ack(:'third');
RESET baton.clock_shift;

SELECT baton.drop_queue('big', true);
SELECT setval('baton._queue_id_seq', :queue_number) = :queue_number, setval('baton._dead_letter_letter_id_seq', :letter_number) = :letter_number;
