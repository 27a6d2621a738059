-- Did every order come through exactly once? From the tables alone; `lines` is how many the input has.
-- Ends with PASS, or with one line FAIL per check and a status that is not zero.
\set QUIET on
\pset pager off
\pset footer off
\pset null ''
SET client_min_messages = warning;

CREATE TEMP TABLE sides AS SELECT unnest(ARRAY['payment', 'fulfilment']) AS queue;
CREATE TEMP TABLE left_over AS
    SELECT s.queue, p.id, p.key FROM sides AS s, baton.peek(s.queue, 1000000000) AS p
    UNION ALL SELECT 'outbox', id, key FROM baton.outbox WHERE topic = 'order.created';
CREATE TEMP TABLE dead AS SELECT * FROM baton.dead_letters WHERE status = 'open';

-- One row per order and queue: how often it was done, how often it was buried.
CREATE TEMP TABLE ends AS
    SELECT s.queue, o.id, o.operation_key, o.poison, coalesce(e.times, 0) AS done, coalesce(d.times, 0) AS buried,
        d.reason, o.accepted_at, e.done_at, coalesce(e.payload_md5 <> md5(o.payload::text), false) AS is_altered
    FROM sides AS s CROSS JOIN orders AS o
    LEFT JOIN (SELECT queue, operation_key, count(*) AS times, max(done_at) AS done_at, max(payload_md5) AS payload_md5
               FROM effects GROUP BY 1, 2) AS e ON (e.queue, e.operation_key) = (s.queue, o.operation_key)
    LEFT JOIN (SELECT queue, key, count(*) AS times, max(reason) AS reason FROM dead GROUP BY 1, 2) AS d
        ON (d.queue, d.key) = (s.queue, o.operation_key);

CREATE TEMP TABLE checks (number int GENERATED ALWAYS AS IDENTITY, what text, expected bigint, found bigint);
INSERT INTO checks (what, expected, found)
SELECT 'lines accepted or rejected', :lines,
    (SELECT count(*) FROM orders WHERE poison IS NULL) + (SELECT count(*) FROM not_accepted WHERE outcome = 'rejected');
INSERT INTO checks (what, expected, found)
SELECT queue || ': orders with an effect or a dead letter', count(*), count(*) FILTER (WHERE done > 0 OR buried > 0)
FROM ends GROUP BY queue ORDER BY queue DESC;
INSERT INTO checks (what, expected, found)
SELECT queue || ': ' || what, 0, found
FROM (
    SELECT queue, count(*) FILTER (WHERE done = 0 AND buried = 0) AS lost,
        sum(greatest(done - 1, 0) + greatest(buried - 1, 0)) AS duplicate,
        count(*) FILTER (WHERE done > 0 AND buried > 0) AS twofold,
        count(*) FILTER (WHERE poison IS NULL AND done = 0) AS undone,
        count(*) FILTER (WHERE is_altered) AS altered,
        count(*) FILTER (WHERE reason IS DISTINCT FROM CASE poison
            WHEN 'invalid' THEN 'permanent' WHEN 'unavailable' THEN 'exhausted' WHEN 'crash' THEN 'lease_expired' END)
            AS misjudged
    FROM ends GROUP BY queue
) AS c, LATERAL (VALUES ('lost', lost), ('duplicates', duplicate), ('done and also in the dead letters', twofold),
    ('ordinary orders not done', undone), ('payloads altered on the way', altered),
    ('dead letters for another reason than the poison''s', misjudged)) AS v (what, found)
ORDER BY queue DESC;
INSERT INTO checks (what, expected, found)
SELECT 'traces of orders that were rolled back', 0, count(*)
FROM (
    SELECT operation_key AS key, message_id AS id FROM effects UNION ALL SELECT key, id FROM dead
    UNION ALL SELECT key, id FROM left_over UNION ALL SELECT operation_key, NULL FROM orders
) AS t
JOIN not_accepted AS n ON n.outcome = 'rolled back' AND (n.submission = t.key OR n.event_id = t.id);
INSERT INTO checks (what, expected, found)
SELECT 'effects and dead letters of no order', 0, count(*)
FROM (SELECT operation_key AS key FROM effects UNION ALL SELECT key FROM dead) AS t
WHERE NOT EXISTS (SELECT FROM orders AS o WHERE o.operation_key = t.key);
INSERT INTO checks (what, expected, found)
SELECT 'left in the outbox and the queues', 0, count(*) FROM left_over;
-- With fewer orders there may have been none for it to happen to.
INSERT INTO checks (what, expected, found)
SELECT 'it happened that: ' || kind, 1, (EXISTS (SELECT FROM incidents AS i WHERE i.kind = k.kind))::int
FROM unnest(ARRAY['killed', 'rolled back', 'ack lost', 'crashed']) AS k (kind)
WHERE (SELECT count(*) FROM orders) >= 100;
-- Poison has no effect, whatever happened to it; all others have one.
INSERT INTO checks (what, expected, found)
SELECT 'incidents without exactly one effect (poison: none)', 0, count(*)
FROM incidents AS i LEFT JOIN ends AS e USING (queue, operation_key)
WHERE e.done IS DISTINCT FROM CASE WHEN i.kind = 'crashed' THEN 0 ELSE 1 END;

\echo
\echo what became of the orders
SELECT what AS " ", sum(n) FILTER (WHERE queue = 'payment') AS payment,
    sum(n) FILTER (WHERE queue = 'fulfilment') AS fulfilment
FROM (
    SELECT 1, 'orders accepted', queue, count(*) FROM ends GROUP BY queue
    UNION ALL SELECT 2, 'effects done', queue, count(e.id) FROM sides LEFT JOIN effects AS e USING (queue) GROUP BY 3
    UNION ALL SELECT 3, 'duplicates', queue, sum(greatest(done - 1, 0)) FROM ends GROUP BY queue
    UNION ALL SELECT 4, 'lost', queue, count(*) FILTER (WHERE done = 0 AND buried = 0) FROM ends GROUP BY queue
    UNION ALL SELECT 5, 'dead letters', queue, count(d.id) FROM sides LEFT JOIN dead AS d USING (queue) GROUP BY 3
    UNION ALL SELECT 6, '  ' || reason, queue, count(*) FROM dead GROUP BY 2, 3
) AS t (place, what, queue, n)
GROUP BY place, what ORDER BY place, what;

\echo what went wrong on the way
SELECT * FROM (
    SELECT 'consumer: ' || CASE kind WHEN 'killed' THEN 'SIGKILL while it worked'
            WHEN 'rolled back' THEN 'rolled back after the effect'
            WHEN 'ack lost' THEN 'died after the effect, before the ack'
            WHEN 'crashed' THEN 'crashed by poison' ELSE kind END AS incident,
        count(*) AS times, string_agg(DISTINCT consumer, ', ') AS "where"
    FROM incidents GROUP BY kind
    UNION ALL
    SELECT 'producer: ' || CASE outcome WHEN 'rejected' THEN 'no JSON, rejected' WHEN 'repeated' THEN 'submitted twice'
            WHEN 'rolled back' THEN 'rolled back after publish' ELSE outcome END, count(*), 'producer'
    FROM not_accepted GROUP BY outcome
    UNION ALL
    SELECT 'effects undone with their transaction',
        coalesce(pg_sequence_last_value(pg_get_serial_sequence('effects', 'id')), 0) - (SELECT count(*) FROM effects), ''
) AS t ORDER BY 1;

\echo throughput, and ms from order to effect
WITH spans AS (
    SELECT 1 AS place, 'orders accepted' AS what, count(*) AS n, max(accepted_at) - min(accepted_at) AS span,
        NULL::interval[] AS waits FROM orders
    UNION ALL
    SELECT 2, 'effects of ' || queue, sum(done), max(done_at) - min(done_at),
        percentile_disc(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY done_at - accepted_at)
    FROM ends WHERE done > 0 GROUP BY queue
)
SELECT what AS " ", n AS number, round(extract(epoch FROM span)::numeric, 1) AS seconds,
    round(n / nullif(extract(epoch FROM span), 0)) AS "per second",
    round(1000 * extract(epoch FROM waits[1])) AS "median ms", round(1000 * extract(epoch FROM waits[2])) AS "99 % ms",
    round(1000 * extract(epoch FROM waits[3])) AS "longest ms"
FROM spans ORDER BY place, what DESC;

\echo order_status: an ordinary order, and poison of each kind
SELECT o.id AS order, o.operation_key, order_status(o.id)
FROM orders AS o WHERE o.id IN (SELECT min(id) FROM orders GROUP BY poison) ORDER BY o.id;

\pset tuples_only on
\pset format unaligned
SELECT format('FAIL  %s: %s, not %s', what, coalesce(found::text, 'unknown'), expected) FROM checks
WHERE found IS DISTINCT FROM expected ORDER BY number;
SELECT EXISTS (SELECT FROM checks WHERE found IS DISTINCT FROM expected) AS has_failed \gset
\if :has_failed
    \set VERBOSITY terse
    DO $$ BEGIN RAISE 'not every order came through once'; END $$;
\endif
\echo PASS
