-- A receipt stands for one lease of one message, whoever holds it, and cannot be made up. LSE-02, DLQ-04, SEC-05
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT baton.create_queue('receipts');
SELECT baton.send('receipts', '1') IS NOT NULL;
SELECT receipt FROM baton.receive('receipts') \gset

-- 32 characters that need no quoting anywhere; 24 bytes
SELECT :'receipt' ~ '^[A-Za-z0-9_-]{32}$' AS is_base64url, octet_length(baton.receipt_send(:'receipt')) AS bytes,
    pg_column_size(:'receipt'::baton.receipt) AS stored, :'receipt'::baton.receipt::text = :'receipt' AS is_same;
-- from text and varchar without a word, from anything else only with one
SELECT pg_typeof(baton.extend(:'receipt'::text)), pg_typeof(baton.extend(:'receipt'::varchar)),
    pg_typeof(baton.extend(:'receipt'::varchar(32))), pg_typeof(baton.extend(:'receipt'));
-- kept in tables, rows and JSON
CREATE TEMP TABLE kept AS SELECT :'receipt'::baton.receipt AS receipt, to_jsonb(:'receipt'::baton.receipt) AS json;
SELECT receipt::text = :'receipt' AS is_same, json #>> '{}' = :'receipt' AS is_text_in_json FROM kept;

-- anything else is no receipt
SELECT what, pg_temp.sqlstate_of(format('SELECT %L::baton.receipt', value)) FROM (VALUES
    ('empty', ''), ('short', left(:'receipt', 31)), ('long', :'receipt' || 'A'), ('blank before', ' ' || :'receipt'),
    ('blank in it', overlay(:'receipt' PLACING ' ' FROM 7)), ('not base64', overlay(:'receipt' PLACING '!' FROM 7)),
    ('the other base64', overlay(:'receipt' PLACING '+' FROM 7)), ('two bytes', overlay(:'receipt' PLACING U&'\00E9' FROM 7)),
    ('padding', left(:'receipt', 31) || '='), ('another version', repeat('_', 32)), ('zeros', repeat('A', 32)),
    ('a uuid', gen_random_uuid()::text), ('null', NULL)) AS bad (what, value);
SELECT pg_temp.sqlstate_of($$ SELECT baton.ack('') $$), pg_temp.sqlstate_of('SELECT baton.ack(NULL)');

-- one character changed: no receipt, or no lease; never a message of ours
CREATE FUNCTION pg_temp.forgeries(receipt text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT overlay($1 PLACING letter FROM position)
    FROM generate_series(1, 32) AS position,
        regexp_split_to_table('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', '') AS letter
    WHERE letter <> substr($1, position, 1)
$$;
SELECT count(*) AS forgeries, bool_and(pg_temp.sqlstate_of(format('SELECT baton.ack(%L)', f)) IN ('22P02', 'BT001')) AS not_acked,
    bool_and(pg_temp.sqlstate_of(format('SELECT baton.extend(%L)', f)) IN ('22P02', 'BT001')) AS not_extended,
    bool_and(pg_temp.sqlstate_of(format('SELECT baton.nack(%L)', f)) IN ('22P02', 'BT001')) AS not_nacked,
    bool_and(pg_temp.sqlstate_of(format('SELECT baton.release(%L)', f)) IN ('22P02', 'BT001')) AS not_released
FROM pg_temp.forgeries(:'receipt') AS f;
-- many at once
SELECT count(*) FILTER (WHERE is_settled) AS settled
FROM (SELECT array_agg(f::baton.receipt) FROM pg_temp.forgeries(:'receipt') AS f
    WHERE pg_temp.sqlstate_of(format('SELECT %L::baton.receipt', f)) = 'accepted') AS valid (receipts),
    unnest(baton.try_ack_batch(receipts)) AS is_settled;
SELECT state, attempts FROM baton.peek('receipts');
SELECT baton.ack(:'receipt');

-- only the newest lease counts, also if it is the same session and consumer
SELECT baton.send('receipts', '2') IS NOT NULL;
SELECT receipt AS first FROM baton.receive('receipts', consumer => 'same') \gset
SET baton.clock_shift = 31;
SELECT receipt AS second FROM baton.receive('receipts', consumer => 'same') \gset
SELECT :'first' <> :'second' AS differ, baton.try_ack_batch(ARRAY[:'first']::baton.receipt[]) AS acked,
    baton.try_nack(:'first') AS nacked, pg_temp.sqlstate_of(format('SELECT baton.extend(%L)', :'first')) AS extended,
    pg_temp.sqlstate_of(format('SELECT baton.release(%L)', :'first')) AS released;
SELECT baton.ack(:'second');
RESET baton.clock_shift;

-- a segment that was rewritten knows its old receipts no more, and still gives out its messages
SELECT baton.send('receipts', '3') IS NOT NULL;
SELECT receipt AS old FROM baton.receive('receipts') \gset
SELECT format('baton.q%s_1', queue_id) AS segment FROM baton.queues WHERE queue = 'receipts' \gset
VACUUM FULL :segment;
SELECT pg_temp.sqlstate_of(format('SELECT baton.ack(%L)', :'old')) AS acked, baton.try_nack(:'old') AS nacked;
SET baton.clock_shift = 31;
SELECT payload, attempt FROM baton.receive('receipts');
RESET baton.clock_shift;
-- one that was emptied by hand has nothing
TRUNCATE :segment;
SELECT count(*) FROM baton.peek('receipts');
SELECT baton.send('receipts', '4') IS NOT NULL;
SELECT payload, attempt, baton.try_nack(:'old') AS old_receipt FROM baton.receive('receipts');

SELECT baton.drop_queue('receipts', true);
