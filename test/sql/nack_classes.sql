-- What a consumer says of its failure decides between a retry and the dead letters; nobody else's word counts.
-- DLQ-04, DLQ-05, PAY-01, PAY-04
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('classes', '{"max_attempts": 3, "backoff_base": "0", "backoff_cap": "0"}');

-- permanent at once; ambiguous if repeating might harm; transient and overload while attempts are left
SELECT cardinality(baton.send_batch('classes', '{1,2,3,4}'));
SELECT class, baton.nack(receipt, 'because ' || class, class)
FROM unnest('{transient,overload,ambiguous,permanent}'::text[]) WITH ORDINALITY AS c (class, n)
    JOIN baton.receive('classes', 4) AS m ON m.payload = to_jsonb(n) ORDER BY n;
SELECT payload, attempts, reason, class, error FROM baton.dead_letters WHERE queue = 'classes' ORDER BY payload;
SELECT baton.alter_queue('classes', '{"idempotent_effects": true}');
SELECT baton.nack(receipt, class => 'ambiguous') FROM baton.receive('classes', 4);
-- the last attempt is the last, whatever the class
SELECT payload, attempt, baton.nack(receipt, class => 'ambiguous') FROM baton.receive('classes', 4) ORDER BY payload;
SELECT count(*) FROM baton.receive('classes', 4);
SELECT payload, attempts, reason, class FROM baton.dead_letters WHERE queue = 'classes' ORDER BY payload;

-- too long since the first attempt, measured at the nack
SELECT baton.alter_queue('classes', '{"max_elapsed": "1 h", "visibility_timeout": "2 h"}');
SELECT cardinality(baton.send_batch('classes', '{5,6}'));
SELECT receipt FROM baton.receive('classes') \gset
SET baton.clock_shift = 3599;
SELECT baton.nack(:'receipt');
SELECT receipt, payload FROM baton.receive('classes') \gset
SET baton.clock_shift = 3601;
SELECT :'payload' AS payload, baton.nack(:'receipt', class => 'overload', delay => '1 s');
RESET baton.clock_shift;
SELECT attempts, reason, class FROM baton.dead_letters WHERE queue = 'classes' AND payload = '5';
SELECT baton.purge_queue('classes', true);

-- dead with the transaction, retried at once
SELECT cardinality(baton.send_batch('classes', '{7,8}'));
SELECT array_agg(receipt ORDER BY payload) AS receipts FROM baton.receive('classes', 2) \gset
BEGIN;
SELECT baton.nack((:'receipts'::baton.receipt[])[1], class => 'permanent'), baton.nack((:'receipts'::baton.receipt[])[2]);
ROLLBACK;
SELECT payload, state FROM baton.peek('classes') ORDER BY payload;
SELECT count(*) FROM baton.dead_letters WHERE queue = 'classes' AND payload = '7';
SELECT baton.try_nack((:'receipts'::baton.receipt[])[1]), baton.try_nack((:'receipts'::baton.receipt[])[2]);
SELECT baton.purge_queue('classes', true);

-- refused, and the lease stays
SELECT baton.send('classes', '9') IS NOT NULL;
SELECT receipt FROM baton.receive('classes') \gset
SELECT arguments, pg_temp.sqlstate_of(format('SELECT baton.nack(%L, %s)', :'receipt', arguments)) AS nack,
    pg_temp.sqlstate_of(format('SELECT baton.try_nack(%L, %s)', :'receipt', arguments)) AS try_nack
FROM unnest(ARRAY[$$class => NULL$$, $$class => ''$$, $$class => 'Transient'$$, $$class => 'fatal'$$, $$class => 'transient '$$,
    $$delay => '-1 us'$$, $$delay => '11 years'$$, $$delay => '178000000 years'$$, $$delay => '-178000000 years'$$]) AS arguments;
SELECT baton.nack(:'receipt', class => 'fatal');
SELECT pg_temp.sqlstate_of('SELECT baton.nack(NULL)'), pg_temp.sqlstate_of('SELECT baton.try_nack(NULL)');
SELECT state FROM baton.peek('classes');
-- a lost lease raises, or is told
SELECT baton.nack(:'receipt', NULL, delay => NULL);
SELECT pg_temp.sqlstate_of(format('SELECT baton.nack(%L)', :'receipt')), baton.try_nack(:'receipt');
SELECT state, attempts FROM baton.peek('classes');
SELECT baton.purge_queue('classes', true);

-- an error's text is cut between characters, and holds no control characters
SELECT baton.alter_queue('classes', '{"max_attempts": 1}');
SELECT cardinality(baton.send_batch('classes', array_agg(to_jsonb(n) ORDER BY n))) FROM generate_series(1, 40) AS n;
SELECT count(*) AS dead FROM baton.receive('classes', 40),
    baton.nack(receipt, repeat('a', payload::int % 10) || repeat((ARRAY['b', U&'\00E9', U&'\20AC', U&'\+01F41F'])[1 + payload::int / 10 % 4], 4000)) AS n
WHERE n = 'dead';
SELECT count(*), bool_and(octet_length(error) BETWEEN 3997 AND 4000) AS is_cut,
    bool_and(convert_from(convert_to(error, 'UTF8'), 'UTF8') = error) AS is_valid
FROM baton.dead_letters WHERE queue = 'classes' AND length(error) > 100;
SELECT cardinality(baton.send_batch('classes', '{"\"short\"","\"control\"","\"empty\"","\"none\""}'));
SELECT baton.nack(receipt, CASE payload #>> '{}' WHEN 'short' THEN 'it failed' WHEN 'control' THEN E'a\nb\tc\x01d\x7fe' WHEN 'empty' THEN '' END)
FROM baton.receive('classes', 4);
SELECT payload, error FROM baton.dead_letters WHERE queue = 'classes' AND jsonb_typeof(payload) = 'string' ORDER BY letter_id;

SELECT baton.drop_queue('classes', true);
